//! A passage of a document with its context.

use crate::score::SourceSpan;
use crate::value::sanitize_line;
use serde::Serialize;

/// Context on either side, in characters.
const AROUND: usize = 60;

/// Longest passage that is shown whole, in characters.
const LONGEST: usize = 200;

/// A passage of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Passage {
    /// Its line, from 1.
    pub(crate) line: usize,
    /// Its first character, and one past its last.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The text before it on its line, at most [`AROUND`] characters.
    before: String,
    text: String,
    after: String,
}

impl Passage {
    /// The passage of a span of a text.
    pub(super) fn of(text: &str, span: SourceSpan) -> Self {
        let (start, end) = (span.start, span.end.max(span.start));
        let from = start.saturating_sub(AROUND);
        let part = |from: usize, count: usize| text.chars().skip(from).take(count).collect::<String>();
        let before = part(from, start - from);
        let before = before.rsplit('\n').next().unwrap_or_default();
        let after = part(end, AROUND);
        let inner = part(start, (end - start).min(LONGEST));
        Passage {
            line: 1 + text.chars().take(start).filter(|c| *c == '\n').count(),
            start,
            end,
            before: sanitize_line(before.trim_start()),
            text: if end - start > LONGEST {
                format!("{}…", sanitize_line(&inner))
            } else {
                sanitize_line(&inner)
            },
            after: sanitize_line(after.split('\n').next().unwrap_or_default().trim_end()),
        }
    }

    /// For people: the passage between `[` and `]`.
    pub(crate) fn shown(&self) -> String {
        format!("line {}: {}[{}]{}", self.line, self.before, self.text, self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_with_its_line() {
        let text = "Häm\nGrade: 2 of 3, negative\nend";
        let passage = Passage::of(text, (11..12).into());
        assert_eq!(passage.shown(), "line 2: Grade: [2] of 3, negative");
        assert_eq!(Passage::of("", (5..9).into()).shown(), "line 1: []");
    }
}

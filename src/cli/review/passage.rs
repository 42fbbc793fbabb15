//! A place of a document with what stands round it.

use crate::score::SourceSpan;
use crate::value::sanitize_line;
use serde::Serialize;

/// How much is shown on either side, in characters.
const AROUND: usize = 60;

/// Longest place that is shown whole, in characters.
const LONGEST: usize = 200;

/// A place of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Passage {
    /// Its line, from 1.
    pub(super) line: usize,
    /// Its first character, and one past its last.
    pub(super) start: usize,
    pub(super) end: usize,
    /// What stands before it, on its line or close to it.
    before: String,
    text: String,
    after: String,
}

impl Passage {
    /// The place that a span means in a text.
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

    /// For people: the place between `[` and `]`.
    pub(super) fn shown(&self) -> String {
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

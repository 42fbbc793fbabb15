//! A passage of a document with its context.

use crate::score::SourceSpan;
use crate::value::sanitize_line;
use serde::Serialize;
use std::ops::Range;

/// Context on either side, in characters.
const AROUND: usize = 60;

/// Longest passage that is shown whole, in characters.
const LONGEST: usize = 200;

/// Characters between two positions that are known by their bytes.
const STEP: usize = 256;

/// A text in which positions are looked up by characters. It is read once for all of them: the cost of a look-up does
/// not depend on the length of the text.
pub struct PlacedText<'t> {
    text: &'t str,
    /// Of each [`STEP`]th character, its byte and its line, from 0.
    steps: Vec<(usize, usize)>,
}

impl<'t> PlacedText<'t> {
    /// Returns the text with an index of its characters and lines, made in one pass.
    pub fn of(text: &'t str) -> Self {
        let (mut steps, mut line) = (Vec::with_capacity(text.len() / STEP + 1), 0);
        for (number, (byte, c)) in text.char_indices().enumerate() {
            if number % STEP == 0 {
                steps.push((byte, line));
            }
            line += usize::from(c == '\n');
        }
        PlacedText { text, steps }
    }

    /// The byte of a character and its line, from 0; the end of the text, where it has fewer.
    fn place(&self, character: usize) -> (usize, usize) {
        let step = (character / STEP).min(self.steps.len().saturating_sub(1));
        let (mut byte, mut line) = self.steps.get(step).copied().unwrap_or_default();
        let rest = self.text.get(byte..).unwrap_or_default();
        for c in rest.chars().take(character.saturating_sub(step * STEP)) {
            byte += c.len_utf8();
            line += usize::from(c == '\n');
        }
        (byte, line)
    }

    /// The text between two characters.
    pub fn part(&self, characters: Range<usize>) -> &'t str {
        self.text.get(self.bytes(characters)).unwrap_or_default()
    }

    /// The bytes of a part that is known by its characters.
    pub fn bytes(&self, characters: Range<usize>) -> Range<usize> {
        let (from, _) = self.place(characters.start);
        let (to, _) = self.place(characters.end);
        from..to.max(from)
    }

    /// The characters of a part that is known by its bytes.
    pub(super) fn characters(&self, bytes: &Range<usize>) -> SourceSpan {
        let character = |byte: usize| {
            let step = self.steps.partition_point(|(known, _)| *known <= byte).saturating_sub(1);
            let (known, _) = self.steps.get(step).copied().unwrap_or_default();
            step * STEP + self.text.get(known..byte).map_or(0, |part| part.chars().count())
        };
        (character(bytes.start)..character(bytes.end)).into()
    }
}

/// A passage of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Passage {
    /// Its line, from 1.
    pub line: usize,
    /// Its first character, and one past its last.
    pub start: usize,
    pub end: usize,
    /// The text before it on its line, at most [`AROUND`] characters.
    before: String,
    text: String,
    after: String,
}

impl Passage {
    /// The passage of a span of a text.
    pub(super) fn of(text: &PlacedText<'_>, span: SourceSpan) -> Self {
        let (start, end) = (span.start, span.end.max(span.start));
        let before = text.part(start.saturating_sub(AROUND)..start);
        let before = before.rsplit('\n').next().unwrap_or_default();
        let after = text.part(end..end.saturating_add(AROUND));
        let inner = text.part(start..end.min(start.saturating_add(LONGEST)));
        let (_, line) = text.place(start);
        Passage {
            line: 1 + line,
            start,
            end,
            before: sanitize_line(before.trim_start()),
            text: if end - start > LONGEST {
                format!("{}…", sanitize_line(inner))
            } else {
                sanitize_line(inner)
            },
            after: sanitize_line(after.split('\n').next().unwrap_or_default().trim_end()),
        }
    }

    /// For people: the passage between `[` and `]`.
    pub fn shown(&self) -> String {
        format!("line {}: {}[{}]{}", self.line, self.before, self.text, self.after)
    }

    /// The text before it on its line, the passage, and the text that follows.
    pub fn parts(&self) -> [&str; 3] {
        [&self.before, &self.text, &self.after]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_place_is_shown_with_its_line() {
        let text = PlacedText::of("Häm\nGrade: 2 of 3, negative\nend");
        let passage = Passage::of(&text, (11..12).into());
        assert_eq!(passage.shown(), "line 2: Grade: [2] of 3, negative");
        assert_eq!(Passage::of(&PlacedText::of(""), (5..9).into()).shown(), "line 1: []");
    }

    proptest! {
        #[test]
        fn places_are_those_that_are_counted(text in "[aä\u{1F600}\n]{0,900}", from in 0_usize..950, length in 0_usize..300) {
            let placed = PlacedText::of(&text);
            let counted: String = text.chars().skip(from).take(length).collect();
            prop_assert_eq!(placed.part(from..from + length), counted.as_str());
            let line = text.chars().take(from).filter(|c| *c == '\n').count();
            prop_assert_eq!(placed.place(from).1, line);
            let (byte, _) = placed.place(from);
            prop_assert_eq!(placed.characters(&(0..byte)).end, from.min(text.chars().count()));
        }
    }
}

//! Positions in a text before parts of it were withheld.

use super::mask::Mask;
use std::ops::Range;

/// The replacements that some masks made in a text, by which positions in the masked text are found in the text itself.
#[derive(Debug, Clone, Default)]
pub struct Unmasked {
    /// The replacements of each mask, in the order of the text.
    masks: Vec<Vec<Replacement>>,
}

/// The bytes of a withheld part, and of what was written for it.
#[derive(Debug, Clone)]
struct Replacement {
    before: Range<usize>,
    after: Range<usize>,
}

impl Unmasked {
    /// The replacements that these masks make in a text, one mask after the other.
    #[must_use]
    pub fn of(masks: &[Mask], text: &str) -> Self {
        let (mut text, mut made) = (text.to_owned(), Vec::with_capacity(masks.len()));
        for mask in masks {
            let (masked, replacements) = replaced(mask, &text);
            made.push(replacements);
            text = masked;
        }
        Unmasked { masks: made }
    }

    /// The bytes of the text itself that hold these bytes of the masked text. A part that was withheld is one whole.
    #[must_use]
    pub fn bytes(&self, masked: Range<usize>) -> Range<usize> {
        self.masks.iter().rev().fold(masked, |bytes, made| {
            // A part of which nothing is left lies before what begins there, and behind what ends there.
            let begun = made.partition_point(|replacement| replacement.after.start <= bytes.start);
            let start = before(made, begun, bytes.start, |replacement| replacement.before.start);
            let begun = made.partition_point(|replacement| replacement.after.start < bytes.end);
            let end = before(made, begun, bytes.end, |replacement| replacement.before.end);
            start..end.max(start)
        })
    }
}

/// A position before some replacements, of which so many have begun there; one within a replacement is at that end of it
/// which `end` gives.
fn before(made: &[Replacement], begun: usize, after: usize, end: fn(&Replacement) -> usize) -> usize {
    match begun.checked_sub(1).and_then(|last| made.get(last)) {
        None => after,
        Some(last) if after < last.after.end => end(last),
        Some(last) => last.before.end + (after - last.after.end),
    }
}

/// A text after a mask, and what was replaced.
fn replaced(mask: &Mask, text: &str) -> (String, Vec<Replacement>) {
    let (mut masked, mut made, mut copied) = (String::with_capacity(text.len()), Vec::new(), 0);
    for found in mask.pattern.regex().captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        masked.push_str(text.get(copied..whole.start()).unwrap_or_default());
        let start = masked.len();
        found.expand(&mask.replace, &mut masked);
        made.push(Replacement { before: whole.range(), after: start..masked.len() });
        copied = whole.end();
    }
    masked.push_str(text.get(copied..).unwrap_or_default());
    (masked, made)
}

#[cfg(test)]
mod tests {
    use super::super::mask::decode_masks;
    use super::*;
    use crate::diag::{Problems, SourceFile};
    use crate::value::yaml::parse;
    use proptest::prelude::*;

    fn masks(yaml: &str) -> Vec<Mask> {
        let mut problems = Problems::new();
        let node = parse(&SourceFile::new("masks.yaml", yaml), &mut problems).unwrap();
        let masks = decode_masks(&node, &mut problems);
        assert!(!problems.has_errors(), "{yaml}");
        masks
    }

    #[test]
    fn a_passage_behind_withheld_names_is_found_where_it_was() {
        let masks = masks(
            r"[{ pattern: 'Name: (\w)\w*', replace: '$1.' }, { pattern: '\d{4}', replace: '[withheld]' }]",
        );
        let text = "Name: Meyer, 1961, grade 2";
        let masked = Mask::apply(&masks, text);
        assert_eq!(masked, "M., [withheld], grade 2");
        let unmasked = Unmasked::of(&masks, text);
        let found = |passage: &str| {
            let at = masked.find(passage).unwrap();
            text.get(unmasked.bytes(at..at + passage.len())).unwrap()
        };
        assert_eq!(found("grade 2"), "grade 2");
        assert_eq!(found("with"), "1961");
        assert_eq!(found("M., [withheld]"), "Name: Meyer, 1961");
    }

    proptest! {
        #[test]
        fn what_no_mask_touches_keeps_its_text(text in "[ab1é ]{0,60}", replace in "[ab1]{0,4}") {
            let masks = masks(&format!("[{{ pattern: '1+b?', replace: '{replace}' }}, {{ pattern: 'ba', replace: 'é' }}]"));
            let (masked, unmasked) = (Mask::apply(&masks, &text), Unmasked::of(&masks, &text));
            for (at, c) in masked.char_indices() {
                let bytes = unmasked.bytes(at..at + c.len_utf8());
                prop_assert!(text.get(bytes.clone()).is_some(), "{:?} of {:?}", bytes, text);
            }
            for (at, space) in masked.match_indices(' ') {
                prop_assert_eq!(text.get(unmasked.bytes(at..at + 1)), Some(space));
            }
        }
    }
}

//! Plain text: a text without ligatures and soft hyphens, in which phrases are looked for, and the positions of matches
//! in the original text.

use std::borrow::Cow;
use std::ops::Range;

/// A text with each ligature taken apart and each soft hyphen left out.
#[derive(Debug)]
pub(super) struct PlainText<'t> {
    written: &'t str,
    plain: Cow<'t, str>,
    /// The ends of the changes, in bytes: in the plain text, and in the original text.
    changes: Vec<(usize, usize)>,
}

impl<'t> PlainText<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        // Each vocabulary asks anew, and most texts have nothing to be taken apart.
        if text.is_ascii() {
            return PlainText { written: text, plain: Cow::Borrowed(text), changes: Vec::new() };
        }
        let mut plain = String::new();
        let (mut changes, mut copied) = (Vec::new(), 0);
        for (at, c) in text.char_indices().filter(|(_, c)| !c.is_ascii()) {
            let Some(letters) = taken_apart(c) else { continue };
            plain.push_str(text.get(copied..at).unwrap_or_default());
            plain.push_str(letters);
            copied = at + c.len_utf8();
            changes.push((plain.len(), copied));
        }
        if changes.is_empty() {
            return PlainText { written: text, plain: Cow::Borrowed(text), changes };
        }
        plain.push_str(text.get(copied..).unwrap_or_default());
        PlainText { written: text, plain: Cow::Owned(plain), changes }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.plain
    }

    /// The position of some bytes in the original text; a ligature is whole.
    pub(super) fn in_text(&self, bytes: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let upto = self.changes.partition_point(|(plain, _)| *plain <= at);
            let change = upto.checked_sub(1).and_then(|last| self.changes.get(last));
            change.map_or(at, |(plain, written)| written + (at - plain)).min(self.written.len())
        };
        let is_boundary = |at: &usize| self.written.is_char_boundary(*at);
        let (start, end) = (place(bytes.start), place(bytes.end));
        let start = (0..=start).rev().find(is_boundary).unwrap_or(start);
        start..(end..=self.written.len()).find(is_boundary).unwrap_or(end).max(start)
    }
}

/// The letters of a ligature; nothing for a soft hyphen.
fn taken_apart(c: char) -> Option<&'static str> {
    Some(match c {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        '\u{ad}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::PlainText;

    #[test]
    fn what_is_found_has_its_place_in_the_text() {
        let text = "Poorly diﬀerentiated, well de\u{ad}fined, ﬁbrotic.";
        let plain = PlainText::of(text);
        for (found, written) in [
            ("differentiated", "diﬀerentiated"),
            ("defined", "de\u{ad}fined"),
            ("fibrotic", "ﬁbrotic"),
            ("Poorly", "Poorly"),
        ] {
            let at = plain.as_str().find(found).unwrap();
            assert_eq!(&text[plain.in_text(&(at..at + found.len()))], written);
        }
        assert_eq!(PlainText::of("plain").as_str(), "plain");
    }
}

//! The text of a page line by line, in pieces that are words of the page and what is between them.

use super::positions::Positions;
use crate::ingest::PageWord;
use std::ops::Range;

/// A line of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ViewLine<'t> {
    /// Its number in the document, from 1.
    pub(super) number: usize,
    pub(super) pieces: Vec<ViewPiece<'t>>,
}

/// A piece of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ViewPiece<'t> {
    pub(super) text: &'t str,
    /// The word of the page that it is, by its place among them.
    pub(super) word: Option<usize>,
}

/// The lines of a part of a text, of which some words have boxes; these are in the order of the text.
pub(super) fn view_lines<'t>(
    part: &Range<usize>,
    words: &[PageWord],
    positions: &Positions<'t>,
) -> Vec<ViewLine<'t>> {
    let text = positions.text(part);
    // A page begins with the form feed that ends the page before.
    let begins = part.start + (text.len() - text.trim_start_matches('\u{c}').len());
    let mut start = begins;
    let mut words = words.iter().enumerate().peekable();
    let mut lines = Vec::new();
    for line in positions.text(&(begins..part.end)).trim_end_matches('\u{c}').split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        let (mut pieces, mut at) = (Vec::new(), start);
        while let Some((number, word)) = words.next_if(|(_, word)| word.text().start < end) {
            let bytes = word.text();
            // Words that overlap would repeat text.
            if bytes.start < at {
                continue;
            }
            push(&mut pieces, positions.text(&(at..bytes.start)), None);
            at = bytes.end.min(end);
            push(&mut pieces, positions.text(&(bytes.start..at)), Some(number));
        }
        push(&mut pieces, positions.text(&(at..end)), None);
        lines.push(ViewLine { number: positions.line(start), pieces });
        start += line.len();
    }
    lines
}

fn push<'t>(pieces: &mut Vec<ViewPiece<'t>>, text: &'t str, word: Option<usize>) {
    if !text.is_empty() {
        pieces.push(ViewPiece { text, word });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::PageBox;

    #[test]
    fn lines_are_words_and_what_is_between_them() {
        let text = "one\n\u{c}Grade:  2\n\nend";
        let bounds = PageBox { left: 0.0, top: 0.0, width: 1.0, height: 1.0 };
        let words: Vec<PageWord> =
            [5..11, 13..14, 16..19].into_iter().filter_map(|bytes| PageWord::new(bytes, bounds)).collect();
        let positions = Positions::of(text, None);
        let piece = |text, word| ViewPiece { text, word };
        let line = |number, pieces| ViewLine { number, pieces };
        assert_eq!(
            view_lines(&(4..text.len()), &words, &positions),
            [
                line(2, vec![piece("Grade:", Some(0)), piece("  ", None), piece("2", Some(1))]),
                line(3, vec![]),
                line(4, vec![piece("end", Some(2))])
            ]
        );
    }
}

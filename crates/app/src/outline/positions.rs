//! Positions: lines and columns of the bytes of a text.

use crate::ingest::Pages;
use crate::value::{PagePassage, pages_in_words};
use serde::Serialize;
use std::ops::Range;

/// The number of bytes after which characters are counted anew.
const BLOCK: usize = 1024;

/// A position in a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct DocumentPosition {
    /// Its line, from 1.
    pub(super) line: usize,
    /// Its column, in characters from 1.
    pub(super) column: usize,
    /// Its first character, and the one after its last, from 0.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its places on the pages of a document that has pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) places: Vec<PagePassage>,
}

impl DocumentPosition {
    /// In words: `page 2, line 7, column 3`.
    pub(super) fn in_words(&self) -> String {
        let pages = pages_in_words(&self.places).map_or_else(String::new, |pages| format!("{pages}, "));
        format!("{pages}line {}, column {}", self.line, self.column)
    }
}

/// Finds positions in a text, however long its lines are.
pub(super) struct Positions<'t> {
    text: &'t str,
    /// The first byte of each line.
    lines: Vec<usize>,
    /// The characters before each block.
    blocks: Vec<usize>,
    /// The pages on which the text is seen, if its document has pages.
    pages: Option<&'t Pages>,
}

impl<'t> Positions<'t> {
    pub(super) fn of(text: &'t str, pages: Option<&'t Pages>) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let mut before = 0;
        let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
            before += begun(block);
            before
        });
        let blocks = std::iter::once(0).chain(blocks).collect();
        Positions { text, lines: std::iter::once(0).chain(ends).collect(), blocks, pages }
    }

    /// The number of characters before a byte.
    pub(super) fn characters(&self, byte: usize) -> usize {
        let block = byte / BLOCK;
        let rest = self.text.as_bytes().get(block * BLOCK..byte).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or_default() + begun(rest)
    }

    pub(super) fn line(&self, byte: usize) -> usize {
        self.lines.partition_point(|start| *start <= byte)
    }

    pub(super) fn of_bytes(&self, bytes: &Range<usize>) -> DocumentPosition {
        let line = self.line(bytes.start);
        let begin = line.checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or_default();
        let (start, end) = (self.characters(bytes.start), self.characters(bytes.end));
        let places = self.pages.map_or_else(Vec::new, |pages| pages.passages(bytes.clone()));
        DocumentPosition { line, column: start - self.characters(begin).min(start) + 1, start, end, places }
    }

    pub(super) fn text(&self, bytes: &Range<usize>) -> &'t str {
        self.text.get(bytes.clone()).unwrap_or_default()
    }
}

/// The number of characters that begin in some bytes.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{DocumentPosition, Positions};

    #[test]
    fn lines_and_columns_are_counted_in_characters() {
        let text = format!("a\n{}é x", "ü".repeat(2000));
        let positions = Positions::of(&text, None);
        let at = text.len() - 1;
        assert_eq!(
            positions.of_bytes(&(at..at + 1)),
            DocumentPosition { line: 2, column: 2003, start: 2004, end: 2005, places: vec![] }
        );
        assert_eq!(
            positions.of_bytes(&(0..1)),
            DocumentPosition { line: 1, column: 1, start: 0, end: 1, places: vec![] }
        );
    }
}

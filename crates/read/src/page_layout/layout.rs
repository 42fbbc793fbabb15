//! The text of a page: rows as they are seen, with blanks for the distance of words, so that columns of a table stay
//! below each other.

use super::columns::reading_order;
use super::lines::{TextLine, lines, pairs};
use super::placed_word::{OcrMark, PlacedWord};
use super::right_to_left::{is_right_to_left, read_order, read_word};
use super::sizes::quantile;
use hayro_interpret::kurbo::Rect;
use std::ops::Range;

/// The most columns before a word of a row.
const MOST_COLUMNS: f64 = 400.0;
/// The gap up to which two words are neighbours in a sentence, in parts of the line's size.
const NEIGHBOUR_GAP: f64 = 0.75;
/// The distance of lines from which there is a blank one between them, in parts of the usual.
const PARAGRAPH: f64 = 1.6;
/// Of the widths of characters, the quantile that is a column's: most words fit then, and none pushes the next one far.
const COLUMN_QUANTILE: f64 = 0.35;
const COLUMN_LEAST: f64 = 0.5;
/// Of the distances of lines, the quantile that is usual: most lines continue a paragraph.
const PITCH_QUANTILE: f64 = 0.4;

/// A text, with the location of each word on its page.
#[derive(Default)]
pub(in super::super) struct PlacedText {
    pub(in super::super) text: String,
    /// Its words, in order.
    pub(in super::super) words: Vec<LaidWord>,
}

/// A word in a text that was laid out.
pub(in super::super) struct LaidWord {
    /// Its bytes in the text.
    pub(in super::super) text: Range<usize>,
    /// Its box in the frame of the lines.
    pub(in super::super) bounds: Rect,
    /// Its reading by OCR, if it comes from one.
    pub(in super::super) ocr: Option<OcrMark>,
}

impl PlacedText {
    /// Appends the words of a page, all of one direction.
    pub(in super::super) fn write(&mut self, words: Vec<PlacedWord>) {
        for part in reading_order(words) {
            self.write_rows(&lines(part));
            self.text.push('\n');
        }
    }

    fn write_rows(&mut self, lines: &[TextLine]) {
        let words = || lines.iter().flat_map(|line| &line.words);
        let left = words().map(|word| word.bounds.x0).fold(f64::INFINITY, f64::min);
        let width = |word: &PlacedWord| word.bounds.width() / word.text.chars().count() as f64;
        let column = quantile(words().map(width), COLUMN_QUANTILE).unwrap_or(1.0).max(COLUMN_LEAST);
        let pitch =
            quantile(pairs(lines).map(|(above, below)| below.baseline - above.baseline), PITCH_QUANTILE);
        let mut above: Option<f64> = None;
        for line in lines {
            if let (Some(above), Some(pitch)) = (above, pitch)
                && line.baseline - above > PARAGRAPH * pitch.max(line.size)
            {
                self.text.push('\n');
            }
            above = Some(line.baseline);
            self.write_row(line, left, column);
        }
    }

    fn write_row(&mut self, line: &TextLine, left: f64, column: f64) {
        let mut written = 0;
        let are_near = |left: &PlacedWord, right: &PlacedWord| left.gap_to(right) < NEIGHBOUR_GAP * line.size;
        for cell in line.words.chunk_by(are_near) {
            let start = cell.first().map_or(left, |word| word.bounds.x0);
            let least = if written == 0 { 0 } else { 2 };
            let blanks = columns((start - left) / column).saturating_sub(written).max(least);
            self.text.extend(std::iter::repeat_n(' ', blanks));
            written += blanks + self.write_cell(cell);
        }
        self.text.push('\n');
    }

    /// Appends words that are neighbours. Returns the characters that they take.
    fn write_cell(&mut self, cell: &[PlacedWord]) -> usize {
        let mut words: Vec<&PlacedWord> = cell.iter().collect();
        read_order(&mut words, |word| &word.text);
        let from = self.text.len();
        for (at, word) in words.into_iter().enumerate() {
            if at > 0 {
                self.text.push(' ');
            }
            let start = self.text.len();
            if is_right_to_left(&word.text) {
                self.text.push_str(&read_word(&word.text));
            } else {
                self.text.push_str(&word.text);
            }
            let (text, ocr) = (start..self.text.len(), word.ocr.clone());
            self.words.push(LaidWord { text, bounds: word.bounds, ocr });
        }
        self.text.get(from..).map_or(0, |cell| cell.chars().count())
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded on both sides")]
fn columns(distance: f64) -> usize {
    distance.round().clamp(0.0, MOST_COLUMNS) as usize
}

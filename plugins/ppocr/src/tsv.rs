//! Words and their places as tesseract writes them: a table with tabs.

use std::fmt::Write;

use crate::geometry::TextRegion;
use crate::reading_order::PageBlock;
use crate::recognition::RecognizedLine;
use crate::rounding::{ceil, floor};

const HEADER: &str =
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n";

/// A box with upright sides, in whole pixels.
#[derive(Debug, Clone, Copy)]
struct PixelBox {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

impl PixelBox {
    /// The box around a region, within a picture.
    fn around(region: &TextRegion, width: usize, height: usize) -> Self {
        let corners = region.corners();
        let least = |of: fn(f64, f64) -> f64, all: [f64; 4]| all.into_iter().reduce(of).unwrap_or(0.0);
        let (across, down) = (corners.map(|corner| corner.x), corners.map(|corner| corner.y));
        let (left, top) = (floor(least(f64::min, across)), floor(least(f64::min, down)));
        let (left, top) = (left.min(width.saturating_sub(1)), top.min(height.saturating_sub(1)));
        PixelBox {
            left,
            top,
            right: ceil(least(f64::max, across)).clamp(left + 1, width.max(left + 1)),
            bottom: ceil(least(f64::max, down)).clamp(top + 1, height.max(top + 1)),
        }
    }

    fn with(self, other: PixelBox) -> Self {
        PixelBox {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    fn columns(self) -> String {
        format!("{}\t{}\t{}\t{}", self.left, self.top, self.right - self.left, self.bottom - self.top)
    }
}

/// The table of what was read from a picture of this size: rows of level 1 for the page, 2 for a block, 3 for its paragraph,
/// 4 for a line, 5 for a word. Confidence is from 0 to 100, and -1 where there is none.
#[must_use]
pub fn table(blocks: &[PageBlock], width: usize, height: usize) -> String {
    let mut table = HEADER.to_owned();
    let page = PixelBox { left: 0, top: 0, right: width, bottom: height };
    row(&mut table, [1, 1, 0, 0, 0, 0], page, None);
    for (block_number, block) in (1..).zip(blocks) {
        let around = |row: &Vec<RecognizedLine>| {
            let words = row.iter().flat_map(|line| &line.words);
            words.map(|word| PixelBox::around(&word.region, width, height)).reduce(PixelBox::with)
        };
        let rows: Vec<_> = block.rows.iter().filter_map(|row| Some((row, around(row)?))).collect();
        let Some(whole) = rows.iter().map(|(_, place)| *place).reduce(PixelBox::with) else { continue };
        row(&mut table, [2, 1, block_number, 0, 0, 0], whole, None);
        row(&mut table, [3, 1, block_number, 1, 0, 0], whole, None);
        for (line_number, (lines, place)) in (1..).zip(rows) {
            row(&mut table, [4, 1, block_number, 1, line_number, 0], place, None);
            let words = lines.iter().flat_map(|line| &line.words);
            for (word_number, word) in (1..).zip(words) {
                let place = PixelBox::around(&word.region, width, height);
                let numbers = [5, 1, block_number, 1, line_number, word_number];
                row(&mut table, numbers, place, Some((word.confidence, &word.text)));
            }
        }
    }
    table
}

fn row(table: &mut String, numbers: [usize; 6], place: PixelBox, word: Option<(f64, &str)>) {
    for number in numbers {
        // Writing into a text does not fail.
        let _ = write!(table, "{number}\t");
    }
    table.push_str(&place.columns());
    let _ = match word {
        Some((confidence, text)) => writeln!(table, "\t{:.2}\t{}", 100.0 * confidence, on_one_line(text)),
        None => writeln!(table, "\t-1\t"),
    };
}

/// The text without what would end a column or a row.
fn on_one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

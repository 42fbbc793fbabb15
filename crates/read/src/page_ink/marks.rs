//! Marks on a page: ink that is connected, and the marks that look like letters of words.

use hayro_interpret::kurbo::Rect;
use std::ops::Range;

/// Heights of letters, in pixels of a picture at [`super::INK_DPI`]: other marks are dots, lines and pictures.
const LETTER_HEIGHT: Range<f64> = 4.0..45.0;
/// The most that a mark of a letter is wider than high: letters of a word may touch.
const WIDEST: f64 = 5.0;
/// The gap between two letters of a word, and the most that their lower edges differ, in parts of their height.
const LETTER_GAP: f64 = 0.9;
const SAME_LINE: f64 = 0.4;
/// The marks of a row from which it counts as text.
const LEAST_LETTERS: usize = 5;
/// The rows that a mark may continue: those that ended last.
const OPEN_ROWS: usize = 200;
/// The most marks that are looked at: a page of print has some five thousand, a noisy picture any number.
const MOST_MARKS: usize = 50_000;

/// Pixels with ink.
pub(in super::super) struct Marks {
    is_ink: Vec<bool>,
    width: usize,
}

/// The rectangle around connected ink: its first and last pixels.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Mark {
    pub(in super::super) left: usize,
    pub(in super::super) right: usize,
    pub(in super::super) top: usize,
    pub(in super::super) bottom: usize,
}

/// Marks beside each other.
struct MarkRow {
    last: Mark,
    marks: usize,
}

impl Marks {
    /// The ink of a page, row by row.
    pub(in super::super) fn new(is_ink: Vec<bool>, width: usize) -> Self {
        Marks { is_ink, width }
    }

    /// Takes the ink of a rectangle away.
    pub(super) fn erase(&mut self, columns: Range<usize>, rows: Range<usize>) {
        for y in rows {
            if let Some(row) =
                self.is_ink.get_mut(y * self.width + columns.start..y * self.width + columns.end)
            {
                row.fill(false);
            }
        }
    }

    /// The marks for which this holds, up to a bound. Takes their ink away.
    pub(in super::super) fn taken(&mut self, is_wanted: impl Fn(&Mark) -> bool) -> Vec<Mark> {
        let mut marks: Vec<Mark> = Vec::new();
        for start in 0..self.is_ink.len() {
            if self.is_ink.get(start) == Some(&true) {
                marks.extend(Some(self.take(start)).filter(&is_wanted));
                if marks.len() >= MOST_MARKS {
                    break;
                }
            }
        }
        marks
    }

    /// The number of marks that look like letters of words. Takes the ink away.
    pub(super) fn letters(&mut self) -> usize {
        letters_of(self.taken(Mark::looks_like_letter).into_iter())
    }

    /// Takes the ink that is connected with a pixel away.
    fn take(&mut self, start: usize) -> Mark {
        let width = self.width.max(1);
        let (x, y) = (start % width, start / width);
        let mut mark = Mark { left: x, right: x, top: y, bottom: y };
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            match self.is_ink.get_mut(at) {
                Some(ink) if *ink => *ink = false,
                _ => continue,
            }
            let (x, y) = (at % width, at / width);
            mark = Mark {
                left: mark.left.min(x),
                right: mark.right.max(x),
                top: mark.top.min(y),
                bottom: mark.bottom.max(y),
            };
            for row in y.saturating_sub(1)..=y + 1 {
                for column in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                    open.push(row * width + column);
                }
            }
        }
        mark
    }
}

/// The number of marks that look like letters of words: in a row, with the gaps of letters.
pub(in super::super) fn letters_of(marks: impl Iterator<Item = Mark>) -> usize {
    let mut letters: Vec<Mark> = marks.filter(Mark::looks_like_letter).collect();
    letters.sort_by_key(|mark| mark.left);
    let mut rows: Vec<MarkRow> = Vec::new();
    for mark in letters {
        match rows.iter_mut().rev().take(OPEN_ROWS).find(|row| row.last.is_before(&mark)) {
            Some(row) => *row = MarkRow { last: mark, marks: row.marks + 1 },
            None => rows.push(MarkRow { last: mark, marks: 1 }),
        }
    }
    rows.iter().map(|row| row.marks).filter(|marks| *marks >= LEAST_LETTERS).sum()
}

impl Mark {
    /// The height from which a mark is no letter, in pixels.
    pub(in super::super) const HIGHEST_LETTER: f64 = LETTER_HEIGHT.end;

    /// The pixels that a rectangle touches; `None` if it is not within a page.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
    pub(in super::super) fn around(place: Rect) -> Option<Mark> {
        let whole = Rect::new(0.0, 0.0, 1e6, 1e6).contains_rect(place);
        let pixel = |at: f64| at as usize;
        whole.then(|| Mark {
            left: pixel(place.x0),
            right: pixel(place.x1),
            top: pixel(place.y0),
            bottom: pixel(place.y1),
        })
    }

    fn looks_like_letter(&self) -> bool {
        LETTER_HEIGHT.contains(&self.height()) && self.width() <= WIDEST * self.height()
    }

    /// Returns whether another mark, further to the right, is the next letter.
    fn is_before(&self, next: &Mark) -> bool {
        let height = self.height().max(next.height());
        let gap = next.left.saturating_sub(self.right);
        let step = self.bottom.abs_diff(next.bottom);
        next.right > self.right
            && pixels(gap) <= LETTER_GAP * height
            && pixels(step) <= SAME_LINE * height
            && height <= 3.0 * self.height().min(next.height())
    }

    fn width(&self) -> f64 {
        pixels(self.right - self.left + 1)
    }

    fn height(&self) -> f64 {
        pixels(self.bottom - self.top + 1)
    }
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a page")]
fn pixels(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(rows: &[&str]) -> usize {
        let width = rows[0].len();
        Marks::new(rows.iter().flat_map(|row| row.bytes().map(|c| c == b'#')).collect(), width).letters()
    }

    #[test]
    fn marks_in_a_row_are_letters_and_lines_and_dots_are_none() {
        let row = ["#..#..#..#..#", "#..#..#..#..#", "#..#..#..#..#", "#..#..#..#..#"];
        assert_eq!(letters(&row), 5);
        assert_eq!(letters(&row[..2]), 0, "too small");
        assert_eq!(letters(&["#..#..#", "#..#..#", "#..#..#"]), 0, "too few");
        assert_eq!(letters(&["#############", ".............", "#..#..#..#..#"]), 0, "a line and dots");
    }

    #[test]
    fn what_was_read_is_taken_away() {
        let mut marks = Marks::new([true, false, false].repeat(15), 15);
        marks.erase(0..15, 0..3);
        assert_eq!(marks.letters(), 0);
    }
}

//! Sheets of lines: the lines of a page that are to be read again, one below the other.

use super::{GreyPicture, PreparedPicture, Turn};
use crate::grey_picture::WHITE;
use serde::{Deserialize, Serialize};

/// The paper around a line, in parts of its height.
const MARGIN: f64 = 0.25;
/// The paper between two lines, in parts of the height of the one above.
const SPACE: f64 = 0.6;
/// The most lines of a sheet.
const MOST_LINES: usize = 1_000;
/// The most pixels of a sheet.
const MOST_PIXELS: usize = 60_000_000;

/// The lines to be read again: boxes in the prepared picture (left, top, width, height), and the size at which they are
/// drawn, in parts of that picture's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct SheetTask {
    pub(in super::super) turn: Turn,
    pub(in super::super) lines: Vec<[f64; 4]>,
    pub(in super::super) scale: f64,
}

/// The places of the lines of a task on their sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct LineSheet {
    /// For each line its top, its bottom, and the pixel of the prepared picture at its left edge.
    pub(in super::super) lines: Vec<(f64, f64, f64)>,
    /// The size of its pixels, in parts of the prepared picture's.
    pub(in super::super) scale: f64,
}

/// Draws the lines of a task.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels of a picture of bounded size"
)]
pub(in super::super) fn lines_of(prepared: &PreparedPicture, task: &SheetTask) -> (LineSheet, GreyPicture) {
    let scale = task.scale.clamp(0.25, 2.0);
    let page = &prepared.picture;
    let mut sheet = LineSheet { lines: Vec::new(), scale };
    let mut strips: Vec<(f64, f64, f64, usize, usize)> = Vec::new();
    let (mut y, mut widest) = (0.0, 1);
    for [left, top, width, height] in task.lines.iter().take(MOST_LINES) {
        let margin = height * MARGIN;
        let (left, top) = ((left - margin).max(0.0), (top - margin).max(0.0));
        let right = (left + width + 2.0 * margin).min(page.width() as f64);
        let bottom = (top + height + 2.0 * margin).min(page.height() as f64);
        let (wide, high) =
            (((right - left) * scale).max(1.0) as usize, ((bottom - top) * scale).max(1.0) as usize);
        let space = SPACE * height * scale;
        let start = y + space;
        let end = start + high as f64;
        if (widest.max(wide) + 2 * space as usize).saturating_mul((end + space) as usize) > MOST_PIXELS {
            break;
        }
        sheet.lines.push((start, end, left - space.floor() / scale));
        strips.push((left, top, space.floor(), wide, high));
        widest = widest.max(wide + 2 * space as usize);
        y = end;
    }
    let mut shades = vec![WHITE; widest * (y as usize + 16)];
    for ((start, ..), (left, top, space, wide, high)) in sheet.lines.iter().zip(&strips) {
        for row in 0..*high {
            let at = (*start as usize + row) * widest + *space as usize;
            let Some(into) = shades.get_mut(at..at + wide) else { continue };
            for (x, shade) in into.iter_mut().enumerate() {
                let from_x = left + (x as f64 + 0.5) / scale - 0.5;
                let from_y = top + (row as f64 + 0.5) / scale - 0.5;
                *shade = page.between(from_x, from_y);
            }
        }
    }
    let height = shades.len() / widest;
    let drawn = GreyPicture::new(widest, height, shades);
    (sheet, drawn.unwrap_or_else(|| GreyPicture::drawn(1, 1, |_, _| WHITE)))
}

//! Sheets of lines: the lines of a page that are to be read again, one below the other.

use super::character_ink::characters_in;
use super::{GreyPicture, PreparedPicture, Turn};
use crate::grey_picture::WHITE;
use serde::{Deserialize, Serialize};

/// The paper around a line, in parts of its height.
const MARGIN: f64 = 0.25;
/// The paper between two lines, in parts of the height of the one above.
const SPACE: f64 = 0.6;
/// The most lines of a sheet.
const MOST_LINES: usize = 1_000;
/// The most sizes at which they are drawn.
const MOST_SIZES: usize = 4;
/// The most pixels of a sheet.
const MOST_PIXELS: usize = 60_000_000;

/// The lines to be read again: boxes in the prepared picture (left, top, width, height), and the sizes at which each is
/// drawn, in parts of that picture's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct SheetTask {
    pub(in super::super) turn: Turn,
    pub(in super::super) lines: Vec<[f64; 4]>,
    pub(in super::super) scales: Vec<f64>,
}

/// The places of the lines of a task on their sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct LineSheet {
    pub(in super::super) sizes: Vec<SheetSize>,
    /// For each line the ink of its characters: left, top, right and bottom in pixels of the prepared picture.
    pub(in super::super) ink: Vec<Vec<[f64; 4]>>,
}

/// The lines of a sheet that are drawn at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct SheetSize {
    /// The size of its pixels, in parts of the prepared picture's.
    pub(in super::super) scale: f64,
    /// For each line its top, its bottom, and the pixel of the prepared picture at its left edge.
    pub(in super::super) lines: Vec<(f64, f64, f64)>,
}

/// A line to be drawn: its first row on the sheet, its place in the prepared picture, the paper before it and its size.
struct Strip {
    start: usize,
    left: f64,
    top: f64,
    space: usize,
    wide: usize,
    high: usize,
    scale: f64,
}

/// Draws the lines of a task.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels of a picture of bounded size"
)]
pub(in super::super) fn lines_of(prepared: &PreparedPicture, task: &SheetTask) -> (LineSheet, GreyPicture) {
    let page = &prepared.picture;
    let lines = || task.lines.iter().take(MOST_LINES);
    let ink = lines().map(|line| characters_in(page, *line)).collect();
    let mut sheet = LineSheet { sizes: Vec::new(), ink };
    let mut strips: Vec<Strip> = Vec::new();
    let (mut y, mut widest) = (0.0, 1);
    for scale in task.scales.iter().take(MOST_SIZES).map(|scale| scale.clamp(0.25, 2.0)) {
        let mut size = SheetSize { scale, lines: Vec::new() };
        for [left, top, width, height] in lines() {
            let margin = height * MARGIN;
            let (left, top) = ((left - margin).max(0.0), (top - margin).max(0.0));
            let right = (left + width + 2.0 * margin).min(page.width() as f64);
            let bottom = (top + height + 2.0 * margin).min(page.height() as f64);
            let wide = ((right - left) * scale).max(1.0) as usize;
            let high = ((bottom - top) * scale).max(1.0) as usize;
            let space = (SPACE * height * scale) as usize;
            let start = y + space as f64;
            let end = start + high as f64;
            if (widest.max(wide) + 2 * space).saturating_mul(end as usize + space) > MOST_PIXELS {
                break;
            }
            size.lines.push((start, end, left - space as f64 / scale));
            strips.push(Strip { start: start as usize, left, top, space, wide, high, scale });
            widest = widest.max(wide + 2 * space);
            y = end;
        }
        sheet.sizes.push(size);
    }
    let mut shades = vec![WHITE; widest * (y as usize + 16)];
    for Strip { start, left, top, space, wide, high, scale } in strips {
        for row in 0..high {
            let at = (start + row) * widest + space;
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

//! The ink of a line: what differs from its background.

use crate::crop::LineCrop;
use crate::rounding::{floor, measure};

/// The share of the contrast by which ink differs from the background.
const DIFFERENCE: f64 = 0.4;
/// The least contrast of a line with ink, of 255.
const LEAST_CONTRAST: f64 = 24.0;
/// A row with more ink than this share is a rule, not text.
const RULE: f64 = 0.8;

/// The columns and rows of a line that have ink.
#[derive(Debug, Clone)]
pub(crate) struct LineInk {
    columns: Vec<bool>,
    rows: Vec<bool>,
}

impl LineInk {
    /// Finds the ink of a line, dark on light or light on dark.
    pub(crate) fn of(crop: &LineCrop) -> Self {
        let brightness = |pixel: &[u8; 3]| {
            let [red, green, blue] = pixel.map(f64::from);
            0.299 * red + 0.587 * green + 0.114 * blue
        };
        let grey: Vec<Vec<f64>> = crop.rows().map(|row| row.iter().map(brightness).collect()).collect();
        let mut all: Vec<f64> = grey.iter().flatten().copied().collect();
        all.sort_by(f64::total_cmp);
        let at =
            |share: f64| all.get(floor(share * measure(all.len().saturating_sub(1)))).copied().unwrap_or(0.0);
        // More than half of a line is background.
        let background = at(0.5);
        let contrast = (background - at(0.01)).max(at(0.99) - background);
        let is_ink =
            |value: f64| contrast >= LEAST_CONTRAST && (value - background).abs() > DIFFERENCE * contrast;
        let mut columns = vec![false; crop.width()];
        let mut rows = Vec::with_capacity(grey.len());
        for row in &grey {
            let ink = row.iter().filter(|value| is_ink(**value)).count();
            let is_text = ink > 0 && measure(ink) < RULE * measure(row.len());
            rows.push(is_text);
            if is_text {
                for (column, value) in columns.iter_mut().zip(row) {
                    *column |= is_ink(*value);
                }
            }
        }
        LineInk { columns, rows }
    }

    /// The first row with ink and the one after the last; `None` without ink.
    pub(crate) fn rows(&self) -> Option<(f64, f64)> {
        let first = self.rows.iter().position(|ink| *ink)?;
        let last = self.rows.iter().rposition(|ink| *ink)?;
        Some((measure(first), measure(last + 1)))
    }

    /// The widest gap without ink between two columns: its first column and the one after its last.
    pub(crate) fn widest_gap(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        let mut begin = None;
        let columns = self
            .columns
            .iter()
            .copied()
            .chain([true])
            .enumerate()
            .skip(from)
            .take((to + 1).saturating_sub(from));
        for (column, is_ink) in columns.chain([(to + 1, true)]) {
            if !is_ink {
                begin = begin.or(Some(column));
            } else if let Some(begin) = begin.take()
                && best.is_none_or(|(first, end)| column - begin > end - first)
            {
                best = Some((begin, column));
            }
        }
        best
    }

    /// The first column with ink from one on, before another.
    pub(crate) fn first_ink(&self, from: usize, to: usize) -> Option<usize> {
        (from..to).find(|column| self.columns.get(*column) == Some(&true))
    }

    /// The column after the last one with ink before another, not before `from`.
    pub(crate) fn last_ink(&self, from: usize, to: usize) -> Option<usize> {
        (from..to).rev().find(|column| self.columns.get(*column) == Some(&true)).map(|column| column + 1)
    }
}

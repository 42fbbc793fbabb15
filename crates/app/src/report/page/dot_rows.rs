//! Plots of a dot with its interval in each row, over numbers at an axis below. Each has a table beside it, with the
//! same numbers.

use super::risk_axes::Tick;
use serde::Serialize;

/// The height of a row, and what a name above it takes.
const ROW: f64 = 24.0;
const NAME: f64 = 12.0;

/// The plot.
#[derive(Debug, Serialize)]
pub(in crate::report) struct DotRows {
    alt: String,
    height: f64,
    /// The position of the axis.
    bottom: f64,
    label_y: f64,
    name_x: f64,
    anchor: &'static str,
    ticks: Vec<Tick>,
    rows: Vec<DotRow>,
}

/// A row: its name and title, and the positions of its number and of the ends of the interval.
#[derive(Debug, Serialize)]
pub(in crate::report) struct DotRow {
    name: String,
    title: String,
    low: f64,
    at: f64,
    high: f64,
    y: f64,
    name_y: f64,
}

/// The place of the names of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::report) enum Names {
    /// At the left of a plot that begins there.
    Beside(f64),
    /// Above their rows.
    Above,
}

impl DotRow {
    /// A row with the positions of the lower end of the interval, the number and the upper end.
    pub(in crate::report) fn new(name: String, title: String, [low, at, high]: [f64; 3]) -> Self {
        DotRow { name, title, low, at, high, y: 0.0, name_y: 0.0 }
    }
}

impl DotRows {
    /// A plot of which the first row begins at `top`.
    pub(in crate::report) fn new(
        alt: String,
        top: f64,
        names: Names,
        ticks: Vec<Tick>,
        mut rows: Vec<DotRow>,
    ) -> Self {
        let (height, name_x, anchor, name_down) = match names {
            Names::Beside(left) => (ROW, left - NAME, "end", 4.0),
            Names::Above => (ROW + NAME, 2.0, "start", -10.0),
        };
        let mut bottom = top;
        for row in &mut rows {
            bottom += height;
            row.y = bottom - ROW / 2.0;
            row.name_y = row.y + name_down;
        }
        bottom += 4.0;
        DotRows { alt, height: bottom + 24.0, bottom, label_y: bottom + 16.0, name_x, anchor, ticks, rows }
    }
}

//! Plots of a dot with its interval in each row, over numbers at an axis below. Each has a table beside it, with the
//! same numbers.

use super::axis::Tick;

/// The height of a row, and what a name above it takes.
const ROW: f64 = 24.0;
const NAME: f64 = 12.0;

/// The plot.
#[derive(Debug)]
pub(in crate::report) struct DotRows {
    pub(in crate::report) alt: String,
    pub(in crate::report) height: f64,
    /// The position of a line across the rows, such as at no difference.
    pub(in crate::report) zero: Option<f64>,
    /// The position of the axis.
    pub(in crate::report) bottom: f64,
    pub(in crate::report) label_y: f64,
    pub(in crate::report) name_x: f64,
    pub(in crate::report) anchor: &'static str,
    pub(in crate::report) ticks: Vec<Tick>,
    pub(in crate::report) rows: Vec<DotRow>,
}

/// A row: its name and title, and the positions of its number and of the ends of the interval.
#[derive(Debug)]
pub(in crate::report) struct DotRow {
    pub(in crate::report) name: String,
    pub(in crate::report) title: String,
    pub(in crate::report) low: f64,
    pub(in crate::report) at: f64,
    pub(in crate::report) high: f64,
    pub(in crate::report) y: f64,
    pub(in crate::report) name_y: f64,
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
        DotRows {
            alt,
            zero: None,
            height: bottom + 24.0,
            bottom,
            label_y: bottom + 16.0,
            name_x,
            anchor,
            ticks,
            rows,
        }
    }
}

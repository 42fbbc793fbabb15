//! The axes of plots of risk against coverage: the share of accepted documents that are wrong, by the share accepted.

use super::axis::{Axis, Tick, percent_label, tenths};
use crate::experiment::statistics::real;

/// The width of plots, in units of their own: as many as a small screen has pixels, so that their text can be read there.
pub(in crate::report) const WIDTH: f64 = 400.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 14.0;
const HEIGHT: f64 = 200.0;
/// The largest average width of a letter.
const LETTER: f64 = 7.0;

/// The largest width of a text.
pub(super) fn text_width(text: &str) -> f64 {
    real(text.chars().count() as u64) * LETTER
}

/// The axes.
#[derive(Debug)]
pub(in crate::report) struct RiskAxes {
    pub(in crate::report) height: f64,
    pub(in crate::report) left: f64,
    pub(in crate::report) right: f64,
    /// The positions of the numbers, the name of the axis, and the legend below it.
    pub(in crate::report) label_y: f64,
    pub(in crate::report) name_y: f64,
    pub(in crate::report) legend_y: f64,
    pub(in crate::report) x_ticks: Vec<Tick>,
    pub(in crate::report) y_ticks: Vec<Tick>,
    across: Axis,
    up: Axis,
    /// The risk at the top.
    top: f64,
}

/// A point that is named, with an interval.
#[derive(Debug)]
pub(in crate::report) struct MarkedPoint {
    pub(in crate::report) x: f64,
    pub(in crate::report) y: f64,
    pub(in crate::report) low: f64,
    pub(in crate::report) high: f64,
    pub(in crate::report) label_x: f64,
    pub(in crate::report) label_y: f64,
    pub(in crate::report) anchor: &'static str,
    pub(in crate::report) label: String,
    pub(in crate::report) title: String,
}

impl RiskAxes {
    /// Axes on which the risk reaches at least so far.
    pub(in crate::report) fn reaching(highest: f64) -> Self {
        let tops = [0.02, 0.04, 0.1, 0.2, 0.4];
        let top = tops.into_iter().find(|top| highest <= *top).unwrap_or(1.0);
        let bottom = TOP + HEIGHT;
        let (across, up) =
            (Axis::new([0.0, 1.0], [LEFT, WIDTH - RIGHT]), Axis::new([0.0, top], [bottom, TOP]));
        RiskAxes {
            height: bottom + 58.0,
            left: LEFT,
            right: WIDTH - RIGHT,
            label_y: bottom + 16.0,
            name_y: bottom + 33.0,
            legend_y: bottom + 48.0,
            x_ticks: across.parts(5, percent_label),
            y_ticks: up.parts(4, percent_label),
            across,
            up,
            top,
        }
    }

    /// The position of a coverage.
    pub(in crate::report) fn x(&self, coverage: f64) -> f64 {
        self.across.place(coverage)
    }

    /// The position of a risk; one beyond the top is at the top.
    pub(in crate::report) fn y(&self, risk: f64) -> f64 {
        self.up.place(risk.min(self.top))
    }

    /// A line through coverages and risks, as an SVG path.
    pub(in crate::report) fn line(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let points: Vec<String> =
            points.map(|(coverage, risk)| format!("{} {}", self.x(coverage), self.y(risk))).collect();
        if points.is_empty() { String::new() } else { format!("M{}", points.join(" L")) }
    }

    /// The area between two risks at each coverage, as an SVG path.
    pub(in crate::report) fn band(&self, points: impl Iterator<Item = (f64, f64, f64)>) -> String {
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (coverage, low, high) in points {
            above.push(format!("{} {}", self.x(coverage), self.y(high)));
            below.push(format!("{} {}", self.x(coverage), self.y(low)));
        }
        below.reverse();
        above.extend(below);
        if above.is_empty() { String::new() } else { format!("M{} Z", above.join(" L")) }
    }

    /// A point with its name where there is room for it.
    pub(in crate::report) fn marked(
        &self,
        coverage: f64,
        risk: f64,
        (low, high): (f64, f64),
        label: String,
        title: String,
    ) -> MarkedPoint {
        let (x, y) = (self.x(coverage), self.y(risk));
        let (anchor, label_x) =
            if x + 9.0 + text_width(&label) > WIDTH { ("end", x - 9.0) } else { ("start", x + 9.0) };
        MarkedPoint {
            x,
            y,
            low: self.y(low),
            high: self.y(high),
            label_x: tenths(label_x),
            label_y: tenths((y - 6.0).max(TOP)),
            anchor,
            label,
            title,
        }
    }
}

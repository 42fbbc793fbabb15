//! Plots of lines, drawn on the server: at most a few lines over some positions, and the bound that they are compared
//! with.

use maud::{Markup, html};
use std::fmt::Write as _;

/// A line of a plot.
pub(crate) struct Series {
    /// The name of the line.
    pub(crate) name: String,
    /// A value for each position; the line is broken where there is none.
    pub(crate) values: Vec<Option<f64>>,
}

/// Lines over positions.
pub(crate) struct LinePlot<'a> {
    /// Its id among the plots of the page.
    pub(crate) id: &'a str,
    /// A sentence about what it shows, for those who don't see it.
    pub(crate) alt: String,
    /// The label below each position.
    pub(crate) places: Vec<String>,
    /// The lines, of which the first is the one that counts.
    pub(crate) series: Vec<Series>,
    /// The bound that the first line is compared with, and its label.
    pub(crate) bound: Option<(f64, String)>,
    /// The range that is shown at least.
    pub(crate) range: (f64, f64),
    /// Formats a value for the axis.
    pub(crate) written: fn(f64) -> String,
}

/// The plot, in units of its own.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 626.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 190.0;
/// The most labels below positions.
const MOST_LABELS: usize = 6;
/// The most positions whose points are marked.
const MOST_DOTS: usize = 60;
/// The number of lines that have a look of their own.
pub(crate) const MOST_SERIES: usize = 7;

impl LinePlot<'_> {
    /// The plot, with a legend where there is more than one line.
    pub(crate) fn svg(&self) -> Markup {
        let (low, high) = self.scale();
        let y = |value: f64| tenths(BOTTOM - (value - low) / (high - low) * (BOTTOM - TOP));
        let ticks: Vec<f64> = (0..=4).map(|at| low + (high - low) * f64::from(at) / 4.0).collect();
        let step = self.places.len().div_ceil(MOST_LABELS).max(1);
        let title = format!("{}-alt", self.id);
        html! {
            svg.plot viewBox="0 0 640 222" role="img" aria-labelledby=(title) {
                title id=(title) { (self.alt) }
                @for tick in &ticks {
                    line x1=(LEFT) x2=(RIGHT) y1=(y(*tick)) y2=(y(*tick)) {}
                    text x=(LEFT - 6.0) y=(y(*tick)) dy="4" text-anchor="end" { ((self.written)(*tick)) }
                }
                @for (at, name) in self.places.iter().enumerate().step_by(step) {
                    text x=(self.x(at)) y=(BOTTOM + 18.0) text-anchor=(self.anchor(at)) { (name) }
                }
                @for (number, series) in self.series.iter().enumerate().rev() {
                    g class=(look(number)) {
                        path.curve d=(self.path(series, &y)) {}
                        @if self.places.len() <= MOST_DOTS {
                            @for (at, value) in series.values.iter().enumerate() {
                                @if let Some(value) = value.filter(|value| value.is_finite()) {
                                    circle.dot cx=(self.x(at)) cy=(y(value)) r="3.5" {
                                        title { (self.places.get(at).map_or("", String::as_str)) ": " ((self.written)(value)) }
                                    }
                                }
                            }
                        }
                    }
                }
                // The label is above everything that is drawn: beside the bound it would cover lines near it.
                @if let Some((bound, label)) = &self.bound {
                    line.bound x1=(LEFT) x2=(RIGHT) y1=(y(*bound)) y2=(y(*bound)) {}
                    text.bound-label x=(RIGHT) y=(TOP - 8.0) text-anchor="end" { (label) }
                }
            }
            @if self.series.len() > 1 {
                ul.legend {
                    @for (number, series) in self.series.iter().enumerate() {
                        li {
                            svg.swatch.plot-key viewBox="0 0 24 10" aria-hidden="true" {
                                g class=(look(number)) { path.curve d="M0 5 L24 5" {} }
                            }
                            (series.name)
                        }
                    }
                }
            }
        }
    }

    /// The least and the greatest value that are shown.
    fn scale(&self) -> (f64, f64) {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten().copied());
        let values =
            values.chain(self.bound.iter().map(|(bound, _)| *bound)).filter(|value| value.is_finite());
        let (low, high) = values.fold(self.range, |(low, high), value| (low.min(value), high.max(value)));
        let high = if high > self.range.1 { round_up(high) } else { high };
        let low = if low < self.range.0 { -round_up(-low) } else { low };
        if high > low { (low, high) } else { (low, low + 1.0) }
    }

    fn x(&self, at: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "some places")]
        let (at, last) = (at as f64, self.places.len().saturating_sub(1) as f64);
        if last == 0.0 {
            tenths(f64::midpoint(LEFT, RIGHT))
        } else {
            tenths(LEFT + 12.0 + at / last * (RIGHT - LEFT - 24.0))
        }
    }

    /// In the middle, except where that would be cut off.
    fn anchor(&self, at: usize) -> &'static str {
        if self.places.len() > 1 && self.x(at) > RIGHT - 30.0 { "end" } else { "middle" }
    }

    fn path(&self, series: &Series, y: &impl Fn(f64) -> f64) -> String {
        let mut path = String::new();
        let mut is_on = false;
        for (at, value) in series.values.iter().enumerate() {
            let value = value.filter(|value| value.is_finite());
            if let Some(value) = value {
                let _ = write!(path, "{}{} {}", if is_on { " L" } else { " M" }, self.x(at), y(value));
            }
            is_on = value.is_some();
        }
        path.trim_start().to_owned()
    }
}

fn look(number: usize) -> String {
    format!("series-{}", number.min(MOST_SERIES - 1))
}

/// A length with one decimal: pages stay short, and the same on every machine.
fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

/// The next number that is easy to read: 1, 2, 4, 6, 8, 10, 20 and so on, and the same below 1.
fn round_up(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 0.0;
    }
    let unit = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * unit).find(|step| *step >= value * (1.0 - 1e-9)).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(values: Vec<Option<f64>>, bound: Option<f64>) -> String {
        let plot = LinePlot {
            id: "p",
            alt: "scores".to_owned(),
            places: (0..values.len()).map(|at| at.to_string()).collect(),
            series: vec![Series { name: "overall".to_owned(), values }],
            bound: bound.map(|bound| (bound, "asked for".to_owned())),
            range: (0.0, 1.0),
            written: |value| format!("{value:.2}"),
        };
        plot.svg().into_string()
    }

    #[test]
    fn a_line_is_broken_where_there_is_nothing() {
        let svg = plot(vec![Some(0.5), None, Some(1.0)], Some(0.9));
        assert!(svg.contains(r#"d="M68 105 M614 20""#), "{svg}");
        assert!(svg.contains("asked for"));
    }

    #[test]
    fn nothing_at_all_is_drawn_without_a_mistake() {
        for values in [vec![], vec![None], vec![Some(f64::NAN)], vec![Some(f64::INFINITY)]] {
            let svg = plot(values, None);
            assert!(svg.starts_with("<svg"));
        }
    }

    #[test]
    fn the_axis_reaches_as_far_as_the_values() {
        let svg = plot(vec![Some(3.2), Some(-0.3)], None);
        assert!(svg.contains(">4.00<") && svg.contains(">-0.40<"), "{svg}");
    }
}

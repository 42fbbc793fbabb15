//! Plots of lines over steps that have names, such as days or candidates, with the bound that the first line is compared with.

use super::page::safe;
use super::plot::levels;
use crate::experiment::statistics::real;
use crate::report::page::Axis;
use maud::{Markup, html};
use std::fmt::Write as _;

/// A line of a plot.
#[derive(Debug)]
pub struct Series {
    /// The name of the line.
    pub name: String,
    /// A value for each step; the line is broken where there is none.
    pub values: Vec<Option<f64>>,
}

/// Lines over steps.
pub struct LinePlot<'a> {
    /// Its id among the plots of the page.
    pub id: &'a str,
    /// A sentence about what it shows, for those who don't see it.
    pub alt: String,
    /// The names of the steps.
    pub steps: Vec<String>,
    /// The lines, of which the first is the one that counts.
    pub series: Vec<Series>,
    /// The bound that the first line is compared with, and its label.
    pub bound: Option<(f64, String)>,
    /// The range that is shown at least.
    pub range: (f64, f64),
    /// Writes a value.
    pub written: &'a dyn Fn(f64) -> String,
    /// A sentence below the plot; may be empty.
    pub caption: &'a str,
}

/// The plot, in units of its own.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 626.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 190.0;
/// The most names below the plot.
const MOST_LABELS: usize = 6;
/// The most steps whose points are marked.
const MOST_DOTS: usize = 60;
/// The number of lines that have a look of their own.
pub const MOST_SERIES: usize = 7;

impl LinePlot<'_> {
    /// The plot as a figure, with a legend where there is more than one line.
    #[must_use]
    pub fn figure(&self) -> Markup {
        let up = Axis::new(self.ends(), [BOTTOM, TOP]);
        let across = Axis::new([0.0, real(self.steps.len().max(2) as u64 - 1)], [LEFT + 12.0, RIGHT - 12.0]);
        let x = |at: usize| across.place(if self.steps.len() == 1 { 0.5 } else { real(at as u64) });
        // In the middle below its step, except where that would be cut off.
        let anchor = |x: f64| if self.steps.len() > 1 && x > RIGHT - 30.0 { "end" } else { "middle" };
        let each = self.steps.len().div_ceil(MOST_LABELS).max(1);
        let title = format!("{}-alt", self.id);
        html! {
            figure {
                svg.plot viewBox="0 0 640 222" role="img" aria-labelledby=(title) {
                    title id=(title) { (safe(&self.alt)) }
                    (levels((LEFT, RIGHT), &up.round(|value, _| (self.written)(value))))
                    @for (at, name) in self.steps.iter().enumerate().step_by(each) {
                        text x=(x(at)) y=(BOTTOM + 18.0) text-anchor=(anchor(x(at))) { (safe(name)) }
                    }
                    @for (number, series) in self.series.iter().enumerate().rev() {
                        g class=(look(number)) {
                            path.curve d=(path(series, x, &up)) {}
                            @if self.steps.len() <= MOST_DOTS {
                                @for (at, (value, step)) in series.values.iter().zip(&self.steps).enumerate() {
                                    @if let Some(value) = value.filter(|value| value.is_finite()) {
                                        circle.dot cx=(x(at)) cy=(up.place(value)) r="3.5" {
                                            title { (safe(step)) ": " ((self.written)(value)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                    // The label is above everything that is drawn: beside the bound it would cover lines near it.
                    @if let Some((bound, label)) = &self.bound {
                        line.bound x1=(LEFT) x2=(RIGHT) y1=(up.place(*bound)) y2=(up.place(*bound)) {}
                        text.bound-label x=(RIGHT) y=(TOP - 8.0) text-anchor="end" { (safe(label)) }
                    }
                }
                @if self.series.len() > 1 { (self.legend()) }
                @if !self.caption.is_empty() { figcaption { (safe(self.caption)) } }
            }
        }
    }

    fn legend(&self) -> Markup {
        html! {
            ul.legend {
                @for (number, series) in self.series.iter().enumerate() {
                    li {
                        svg.swatch.plot-key viewBox="0 0 24 10" aria-hidden="true" {
                            g class=(look(number)) { path.curve d="M0 5 L24 5" {} }
                        }
                        bdi { (safe(&series.name)) }
                    }
                }
            }
        }
    }

    /// The least and the greatest value that are shown.
    fn ends(&self) -> [f64; 2] {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten().copied());
        let values =
            values.chain(self.bound.iter().map(|(bound, _)| *bound)).filter(|value| value.is_finite());
        let (low, high) = values.fold(self.range, |(low, high), value| (low.min(value), high.max(value)));
        [low, if high > low { high } else { low + 1.0 }]
    }
}

fn path(series: &Series, x: impl Fn(usize) -> f64, up: &Axis) -> String {
    let mut path = String::new();
    let mut is_on = false;
    for (at, value) in series.values.iter().enumerate() {
        let value = value.filter(|value| value.is_finite());
        if let Some(value) = value {
            let _ = write!(path, "{}{} {}", if is_on { " L" } else { " M" }, x(at), up.place(value));
        }
        is_on = value.is_some();
    }
    path.trim_start().to_owned()
}

fn look(number: usize) -> String {
    format!("series-{}", number.min(MOST_SERIES - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(values: Vec<Option<f64>>, bound: Option<f64>) -> String {
        let plot = LinePlot {
            id: "p",
            alt: "scores".to_owned(),
            steps: (0..values.len()).map(|at| at.to_string()).collect(),
            series: vec![Series { name: "overall".to_owned(), values }],
            bound: bound.map(|bound| (bound, "asked for".to_owned())),
            range: (0.0, 1.0),
            written: &|value| format!("{value:.2}"),
            caption: "",
        };
        plot.figure().into_string()
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
            assert!(svg.starts_with("<figure><svg") && !svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn the_axis_reaches_as_far_as_the_values() {
        let svg = plot(vec![Some(3.2), Some(-0.3)], None);
        assert!(svg.contains(">3.00<") && svg.contains(">0.00<"), "{svg}");
        assert!(svg.contains(r#"d="M68 20 L614 190""#), "{svg}");
    }
}

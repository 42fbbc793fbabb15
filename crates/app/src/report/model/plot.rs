//! Plots of pages, as SVG.

use super::page::safe;
use crate::experiment::statistics::real;
use crate::report::figures::thousands;
use crate::report::page::{DotRows, MarkedPoint, RiskAxes, Tick, WIDTH, tenths};
use crate::value::prose;
use maud::{Markup, html};

/// A plot with its caption.
#[derive(Debug)]
pub(in crate::report) enum Plot {
    /// Numbers with their intervals, in rows.
    Dots(DotRows, &'static str),
    /// The share that is wrong, by the share accepted.
    Risk(Box<RiskCurve>, &'static str),
    /// Points, of which some have an interval each way.
    Front(Box<Front>, &'static str),
    /// Numbers of documents by their scores.
    Histogram(Histogram),
    /// All documents, by what became of them.
    Parts(Parts),
}

/// Bars, higher the more documents have such a score.
#[derive(Debug)]
pub(in crate::report) struct Histogram {
    pub(in crate::report) alt: String,
    pub(in crate::report) caption: String,
    /// Position to the right and down, width and height of each bar.
    pub(in crate::report) bars: Vec<[f64; 4]>,
    pub(in crate::report) lines: Vec<Tick>,
    pub(in crate::report) ticks: Vec<Tick>,
    /// The position of a bound, whether its name is at the left of it, and its name.
    pub(in crate::report) bound: Option<(f64, bool, String)>,
}

/// One bar of several parts.
#[derive(Debug)]
pub struct Parts {
    alt: String,
    /// Class, position and width of each part, of 1,000.
    parts: Vec<(&'static str, f64, f64)>,
}

impl Parts {
    /// A bar of all documents: the name, class and number of each part, of which those without any are left out.
    pub fn of_documents(counts: impl IntoIterator<Item = (&'static str, &'static str, u64)>) -> Self {
        let counts: Vec<_> = counts.into_iter().filter(|(.., count)| *count > 0).collect();
        let whole: u64 = counts.iter().map(|(.., count)| count).sum();
        // Every part is visible, however small it is.
        let length = |count: u64| (real(count) / real(whole) * 1_000.0).max(4.0);
        let sum: f64 = counts.iter().map(|(.., count)| length(*count)).sum();
        let (mut x, mut parts, mut said) = (0.0, Vec::new(), Vec::new());
        for (name, class, count) in counts {
            let width = length(count) / sum * 1_000.0;
            parts.push((class, tenths(x), tenths((width - 2.0).max(1.0))));
            x += width;
            said.push(format!("{} {}", name.to_lowercase(), thousands(count)));
        }
        Parts { alt: format!("Of {}: {}", prose::count(whole, "document"), said.join(", ")), parts }
    }

    /// The bar as a figure, of which the title has this id.
    #[must_use]
    pub fn figure(self, id: &str) -> Markup {
        figure(&Plot::Parts(self), id)
    }
}

/// A curve of risk against coverage.
#[derive(Debug)]
pub(in crate::report) struct RiskCurve {
    pub(in crate::report) axes: RiskAxes,
    pub(in crate::report) alt: String,
    /// The name of the axis of coverage.
    pub(in crate::report) across: &'static str,
    /// The line, and the area between the ends of the intervals, as SVG paths.
    pub(in crate::report) line: String,
    pub(in crate::report) band: String,
    /// The class, position and name of a level across the plot.
    pub(in crate::report) level: (&'static str, f64, String),
    /// Points on the curve, with their titles.
    pub(in crate::report) dots: Vec<(f64, f64, String)>,
    pub(in crate::report) marked: Option<MarkedPoint>,
}

/// Points of two numbers.
#[derive(Debug)]
pub(in crate::report) struct Front {
    pub(in crate::report) alt: String,
    /// The name of the axis below; may be empty.
    pub(in crate::report) x_name: String,
    pub(in crate::report) height: f64,
    pub(in crate::report) left: f64,
    pub(in crate::report) right: f64,
    pub(in crate::report) label_y: f64,
    pub(in crate::report) x_ticks: Vec<Tick>,
    pub(in crate::report) y_ticks: Vec<Tick>,
    pub(in crate::report) points: Vec<[f64; 2]>,
    pub(in crate::report) shown: Vec<Cross>,
}

/// A point with an interval each way.
#[derive(Debug)]
pub(in crate::report) struct Cross {
    pub(in crate::report) class: &'static str,
    /// Its name in the plot; empty where there is no room.
    pub(in crate::report) label: String,
    pub(in crate::report) title: String,
    pub(in crate::report) x: f64,
    pub(in crate::report) y: f64,
    pub(in crate::report) low_x: f64,
    pub(in crate::report) high_x: f64,
    pub(in crate::report) low_y: f64,
    pub(in crate::report) high_y: f64,
    pub(in crate::report) label_x: f64,
    pub(in crate::report) label_y: f64,
}

/// A plot as a figure, of which the title has this id.
pub(super) fn figure(plot: &Plot, id: &str) -> Markup {
    let (class, alt, size, drawn, caption) = match plot {
        Plot::Dots(rows, caption) => ("plot compact", &rows.alt, (WIDTH, rows.height), dots(rows), *caption),
        Plot::Risk(curve, caption) => {
            ("plot compact", &curve.alt, (WIDTH, curve.axes.height), risk(curve), *caption)
        }
        Plot::Front(plot, caption) => {
            ("plot compact", &plot.alt, (WIDTH, plot.height), front(plot), *caption)
        }
        Plot::Histogram(plot) => ("plot", &plot.alt, (640.0, 204.0), histogram(plot), plot.caption.as_str()),
        Plot::Parts(plot) => ("status", &plot.alt, (1_000.0, 28.0), parts(plot), ""),
    };
    // A bar of everything is as wide as the page.
    let stretched = matches!(plot, Plot::Parts(_)).then_some("none");
    html! {
        figure {
            svg class=(class) viewBox={ "0 0 " (size.0) " " (size.1) } preserveAspectRatio=[stretched] role="img" aria-labelledby=(id) {
                title id=(id) { (safe(alt)) }
                (drawn)
            }
            @if !caption.is_empty() { figcaption { (safe(caption)) } }
        }
    }
}

fn histogram(plot: &Histogram) -> Markup {
    html! {
        (levels((52.0, 632.0), &plot.lines))
        @for [x, y, width, height] in &plot.bars { rect x=(x) y=(y) width=(width) height=(height) {} }
        @for at in &plot.ticks { (tick(at.at, 194.0, at)) }
        @if let Some((at, is_left, name)) = &plot.bound {
            line.bound x1=(at) x2=(at) y1="8" y2="176" {}
            text.bound-label x=(at) dx=(if *is_left { -4 } else { 4 }) y="16" text-anchor=(if *is_left { "end" } else { "start" }) {
                (safe(name))
            }
        }
    }
}

fn parts(plot: &Parts) -> Markup {
    html! { @for (class, x, width) in &plot.parts { rect class=(class) x=(x) y="0" width=(width) height="28" {} } }
}

fn tick(x: f64, y: f64, tick: &Tick) -> Markup {
    html! { text x=(x) y=(y) text-anchor="middle" { (safe(&tick.label)) } }
}

/// Lines across a plot at numbers of the axis at its left.
pub(super) fn levels((left, right): (f64, f64), ticks: &[Tick]) -> Markup {
    html! {
        @for tick in ticks {
            line x1=(left) x2=(right) y1=(tick.at) y2=(tick.at) {}
            text x=(left) y=(tick.at) dx="-6" dy="4" text-anchor="end" { (safe(&tick.label)) }
        }
    }
}

fn dots(plot: &DotRows) -> Markup {
    html! {
        @for at in &plot.ticks {
            line x1=(at.at) x2=(at.at) y1="6" y2=(plot.bottom) {}
            (tick(at.at, plot.label_y, at))
        }
        @if let Some(zero) = plot.zero {
            line.reference x1=(zero) x2=(zero) y1="6" y2=(plot.bottom) {}
        }
        @for row in &plot.rows {
            g {
                title { (safe(&row.title)) }
                text.name x=(plot.name_x) y=(row.name_y) text-anchor=(plot.anchor) { (safe(&row.name)) }
                line.range x1=(row.low) x2=(row.high) y1=(row.y) y2=(row.y) {}
                circle.dot cx=(row.at) cy=(row.y) r="4.5" {}
            }
        }
    }
}

fn risk(plot: &RiskCurve) -> Markup {
    let axes = &plot.axes;
    let (class, level, name) = &plot.level;
    html! {
        path.band d=(plot.band) {}
        (levels((axes.left, axes.right), &axes.y_ticks))
        @for at in &axes.x_ticks { (tick(at.at, axes.label_y, at)) }
        text x=(axes.right) y=(axes.name_y) text-anchor="end" { (plot.across) }
        line class=(class) x1=(axes.left) x2=(axes.right) y1=(level) y2=(level) {}
        line class=(class) x1=(axes.left) x2=(axes.left + 24.0) y1=(axes.legend_y) y2=(axes.legend_y) {}
        text x=(axes.left + 30.0) y=(axes.legend_y) dy="4" { (safe(name)) }
        path.curve d=(plot.line) {}
        @for (x, y, title) in &plot.dots {
            circle.dot cx=(x) cy=(y) r="3.5" { title { (safe(title)) } }
        }
        @if let Some(point) = &plot.marked {
            g.passed {
                title { (safe(&point.title)) }
                line.range x1=(point.x) x2=(point.x) y1=(point.low) y2=(point.high) {}
                circle.dot cx=(point.x) cy=(point.y) r="4.5" {}
                text x=(point.label_x) y=(point.label_y) text-anchor=(point.anchor) { (safe(&point.label)) }
            }
        }
    }
}

fn front(plot: &Front) -> Markup {
    html! {
        (levels((plot.left, plot.right), &plot.y_ticks))
        @for at in &plot.x_ticks { (tick(at.at, plot.label_y, at)) }
        @if !plot.x_name.is_empty() {
            text x=(plot.right) y=(plot.label_y) dy="18" text-anchor="end" { (safe(&plot.x_name)) }
        }
        @for [x, y] in &plot.points {
            circle cx=(x) cy=(y) r="2.2" fill="currentColor" fill-opacity=".28" {}
        }
        @for cross in &plot.shown {
            g class=(cross.class) {
                title { (safe(&cross.title)) }
                line.range x1=(cross.low_x) x2=(cross.high_x) y1=(cross.y) y2=(cross.y) {}
                line.range x1=(cross.x) x2=(cross.x) y1=(cross.low_y) y2=(cross.high_y) {}
                circle.dot cx=(cross.x) cy=(cross.y) r="4.5" {}
                @if !cross.label.is_empty() {
                    text.name x=(cross.label_x) y=(cross.label_y) { (safe(&cross.label)) }
                }
            }
        }
    }
}

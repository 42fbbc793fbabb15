//! Plots of pages, as SVG.

use super::page::safe;
use crate::report::page::{DotRows, MarkedPoint, RiskAxes, Tick, WIDTH};
use maud::{Markup, html};

/// A plot with its caption.
#[derive(Debug)]
pub(in crate::report) enum Plot {
    /// Numbers with their intervals, in rows.
    Dots(DotRows, &'static str),
    /// The share that is wrong, by the share accepted.
    Risk(RiskCurve, &'static str),
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

/// A plot as a figure, of which the title has this id.
pub(super) fn figure(plot: &Plot, id: &str) -> Markup {
    let (alt, height, drawn, caption) = match plot {
        Plot::Dots(rows, caption) => (&rows.alt, rows.height, dots(rows), caption),
        Plot::Risk(curve, caption) => (&curve.alt, curve.axes.height, risk(curve), caption),
    };
    html! {
        figure {
            svg class="plot compact" viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-labelledby=(id) {
                title id=(id) { (safe(alt)) }
                (drawn)
            }
            figcaption { (caption) }
        }
    }
}

fn tick(x: f64, y: f64, tick: &Tick) -> Markup {
    html! { text x=(x) y=(y) text-anchor="middle" { (safe(&tick.label)) } }
}

fn dots(plot: &DotRows) -> Markup {
    html! {
        @for at in &plot.ticks {
            line x1=(at.at) x2=(at.at) y1="6" y2=(plot.bottom) {}
            (tick(at.at, plot.label_y, at))
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
        @for tick in &axes.y_ticks {
            line x1=(axes.left) x2=(axes.right) y1=(tick.at) y2=(tick.at) {}
            text x=(axes.left) y=(tick.at) dx="-6" dy="4" text-anchor="end" { (safe(&tick.label)) }
        }
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

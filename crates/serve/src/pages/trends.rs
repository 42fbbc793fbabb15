//! Trends: the five numbers over time, each with its bound.

use super::alerts_form::alerts_form;
use super::parts::outside;
use crate::access::{AccessRole, Identity};
use crate::report::{LinePlot, Series, Tile, Tone, figures, page_table, thousands, tile, tile_list, word};
use crate::trends::{BoundSide, MeasureUnit, SECTION, TimeStep, TrendMeasure, TrendsView};
use crate::value::prose;
use maud::{Markup, html};

/// The page.
pub(crate) fn trends(identity: &Identity, view: &TrendsView) -> Markup {
    let alerts = &view.alerts;
    SECTION.page(
        "Trends",
        identity,
        &[],
        &html! {
            h1 { "Trends" }
            div role="status" { @if view.is_saved { p.good { "The alerts were saved." } } }
            form.filter method="get" action="/trends" {
                div {
                    label for="by" { "Group by" }
                    select id="by" name="by" {
                        @for step in TimeStep::ALL { option value=(step.key()) selected[step == view.step] { (step.key()) } }
                    }
                }
                div {
                    label for="profile" { "Profile" }
                    select id="profile" name="profile" {
                        option value="" selected[view.profile.is_none()] { "all" }
                        @for name in &view.profiles { option value=(name) selected[view.profile.as_ref() == Some(name)] { (name) } }
                    }
                }
                button type="submit" { "Show" }
            }
            h2 { "The last " (alerts.hours) " hours" }
            (tile_list(&TrendMeasure::ALL.map(|measure| now(view, measure))))
            p.soft {
                (prose::count(view.recent.counted, "document")) ". An alert needs at least " (prose::count(alerts.least_documents, "document")) " of a profile."
            }
            @if view.points.is_empty() {
                p.empty { "No documents ended in this period." }
            } @else {
                @for measure in TrendMeasure::ALL { (trend(view, measure)) }
            }
            @if identity.may(AccessRole::Admin) {
                section aria-labelledby="alerts" {
                    h2 #alerts { "Alerts" }
                    (alerts_form(alerts, "trends"))
                }
            }
        },
    )
}

fn now(view: &TrendsView, measure: TrendMeasure) -> Tile {
    let (value, bound) = (measure.of(&view.recent), view.alerts.bound(measure));
    let is_crossed = value.is_some_and(|value| measure.is_crossed(value, bound));
    let bound = written(measure, bound);
    let note = match value {
        None => format!("no value yet; bound {bound}"),
        Some(_) if !is_crossed => format!("within its bound of {bound}"),
        Some(_) if measure.side() == BoundSide::Above => format!("over its bound of {bound}"),
        Some(_) => format!("under its bound of {bound}"),
    };
    let tone = match value {
        None => Tone::Plain,
        Some(_) if is_crossed => Tone::Bad,
        Some(_) => Tone::Good,
    };
    let value = value.map_or_else(|| "–".to_owned(), |value| written(measure, value));
    tile(measure.title(), value, note, tone)
}

/// `alert above 3`, `alert below 90 %`.
fn bound_words(measure: TrendMeasure, bound: f64) -> String {
    let side = match measure.side() {
        BoundSide::Above => "above",
        BoundSide::Below => "below",
    };
    format!("alert {side} {}", written(measure, bound))
}

/// A value with its unit.
fn written(measure: TrendMeasure, value: f64) -> String {
    match measure.unit() {
        MeasureUnit::Iterations => trimmed(format!("{value:.2}")),
        MeasureUnit::Score => trimmed(format!("{value:.3}")),
        MeasureUnit::Share => format!("{} %", trimmed(format!("{:.1}", value * 100.0))),
        MeasureUnit::Seconds => format!("{} s", trimmed(format!("{value:.2}"))),
    }
}

fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn trend(view: &TrendsView, measure: TrendMeasure) -> Markup {
    let bound = view.alerts.bound(measure);
    let values: Vec<Option<f64>> = view.points.iter().map(|point| measure.of(&point.totals)).collect();
    let crossed = values.iter().flatten().filter(|value| measure.is_crossed(**value, bound)).count();
    let (first, last) = (view.points.first(), view.points.last());
    let label =
        |point: Option<&crate::trends::Point>| point.map_or(String::new(), |point| point.label.clone());
    let range = match measure.unit() {
        MeasureUnit::Share => (0.0, 1.0),
        MeasureUnit::Score if measure == TrendMeasure::FinalScore => (0.0, 1.0),
        _ => (0.0, bound),
    };
    let plot = LinePlot {
        id: measure.key(),
        alt: format!(
            "{} from {} to {}: {crossed} of {} steps on the wrong side of {}.",
            measure.title(),
            label(first),
            label(last),
            values.iter().flatten().count(),
            written(measure, bound)
        ),
        steps: view.points.iter().map(|point| short(&point.label)).collect(),
        series: vec![Series { name: measure.title().to_owned(), values: values.clone() }],
        bound: Some((bound, bound_words(measure, bound))),
        range,
        written: &|value| written(measure, value),
        caption: "",
    };
    let rows: Vec<Vec<Markup>> = (view.points.iter().zip(&values).rev())
        .filter(|(point, _)| point.totals.counted > 0)
        .map(|(point, value)| {
            let is_crossed = value.is_some_and(|value| measure.is_crossed(value, bound));
            vec![
                match &point.run {
                    Some(run) => html! { a href=(format!("/runs/{run}")) { (point.label) } },
                    None => outside(&point.label),
                },
                html! { (thousands(point.totals.counted)) },
                html! { (value.map_or_else(|| "–".to_owned(), |value| written(measure, value))) },
                html! { @if is_crossed { span.bad { "alert" } } },
            ]
        })
        .collect();
    let heading = format!("{}-heading", measure.key());
    html! {
        section aria-labelledby=(heading) {
            h2 id=(heading) { (measure.title()) }
            p.soft { (measure.meaning()) }
            div.beside-plot {
                (plot.figure())
                (page_table(measure.title(), &[vec![word(view.step.title())], figures("Documents | Value"), vec![word("Alert")]].concat(), rows))
            }
        }
    }
}

/// A short label: the end of a run's id identifies it.
fn short(label: &str) -> String {
    match label.rsplit_once("Z-") {
        Some((_, number)) => format!("run {}", number.trim_start_matches('0')),
        None => label.to_owned(),
    }
}

//! The geometry of the plots of an evaluation. Each has a table beside it, with the same numbers.

use super::words::{interval, share};
use crate::experiment::evaluate::{Evaluation, FieldFigures};
use crate::report::page::{MarkedPoint, RiskAxes, Tick, WIDTH, percent_tick, tenths};
use serde::Serialize;

/// The plots, in units of their own.
const LEFT: f64 = 152.0;
const RIGHT: f64 = 20.0;
const ROW: f64 = 24.0;
const TOP: f64 = 10.0;

/// Most fields in a plot, longest names beside it, and longest ones above their rows, in characters.
const MOST_FIELDS: usize = 40;
const LONGEST_BESIDE: usize = 20;
const LONGEST_ABOVE: usize = 50;

/// The exact agreement of each field, as a dot with its interval.
#[derive(Debug, Serialize)]
pub(super) struct AgreementPlot {
    height: f64,
    /// The position of the axis.
    bottom: f64,
    label_y: f64,
    alt: String,
    ticks: Vec<Tick>,
    rows: Vec<AgreementRow>,
}

#[derive(Debug, Serialize)]
struct AgreementRow {
    name: String,
    name_x: f64,
    name_y: f64,
    anchor: &'static str,
    y: f64,
    low: f64,
    high: f64,
    at: f64,
    title: String,
}

impl AgreementPlot {
    /// `None` without fields.
    pub(super) fn of(evaluation: &Evaluation) -> Option<Self> {
        let fields: Vec<&FieldFigures> = evaluation.fields.iter().take(MOST_FIELDS).collect();
        // Names are beside their rows, or above them where one is too long for that.
        let is_above = fields.iter().any(|field| field.field.chars().count() > LONGEST_BESIDE);
        let (left, row) = if is_above { (RIGHT, ROW + 12.0) } else { (LEFT, ROW) };
        let x = |share: f64| tenths(left + share * (WIDTH - left - RIGHT));
        let mut rows = Vec::new();
        let mut y = TOP + row - ROW / 2.0;
        for field in &fields {
            let (Some(exact), Some(range)) = (field.exact_agreement, field.exact_interval) else { continue };
            rows.push(AgreementRow {
                name: cut(&field.field),
                name_x: if is_above { 2.0 } else { left - 12.0 },
                name_y: if is_above { y - 10.0 } else { y + 4.0 },
                anchor: if is_above { "start" } else { "end" },
                y,
                low: x(range.low),
                high: x(range.high),
                at: x(exact),
                title: format!(
                    "{}: {} of {} exactly right, {}",
                    field.field,
                    field.exact,
                    field.documents,
                    interval(Some(range))
                ),
            });
            y += row;
        }
        (!rows.is_empty()).then(|| {
            let bottom = y - row + ROW / 2.0 + 4.0;
            let said: Vec<String> = fields
                .iter()
                .take(12)
                .map(|field| format!("{} {}", field.field, share(field.exact_agreement)))
                .collect();
            AgreementPlot {
                bottom,
                label_y: bottom + 16.0,
                height: bottom + 24.0,
                alt: format!("Exact agreement by field: {}", said.join(", ")),
                ticks: (0..=5).map(|fifth| percent_tick(f64::from(fifth) / 5.0, x)).collect(),
                rows,
            }
        })
    }
}

/// Risk against coverage, with the interval of each point.
#[derive(Debug, Serialize)]
pub(super) struct RiskPlot {
    axes: RiskAxes,
    alt: String,
    /// The line, and the area between the ends of the intervals, as SVG paths.
    line: String,
    band: String,
    /// The share of all that is wrong: the position of the line if scores were meaningless.
    reference: f64,
    reference_label: String,
    /// The point of the passed documents, which need not have the highest scores.
    passed: Option<MarkedPoint>,
}

impl RiskPlot {
    /// `None` without documents.
    pub(super) fn of(evaluation: &Evaluation) -> Option<Self> {
        let curve = &evaluation.risk_coverage;
        let share_wrong = curve.share_wrong?;
        let highs = curve.points.iter().map(|point| point.interval).chain(evaluation.passed.interval);
        let axes = RiskAxes::reaching(highs.map(|range| range.high).fold(0.0, f64::max));
        let passed = &evaluation.passed;
        #[expect(clippy::cast_precision_loss, reason = "drawn in pixels")]
        let coverage = passed.documents as f64 / evaluation.documents.evaluated.max(1) as f64;
        let marked = passed.share_wrong.zip(passed.interval).map(|(wrong, range)| {
            let title =
                format!("passed: {} of {} wrong, {}", passed.wrong, passed.documents, interval(Some(range)));
            axes.marked(coverage, wrong, (range.low, range.high), "passed".to_owned(), title)
        });
        let points = || curve.points.iter();
        Some(RiskPlot {
            alt: format!(
                "The share of wrong documents among those with the highest scores, by how many of all they are. Among all it is {}; the area under the curve is {:.3}.",
                share(Some(share_wrong)),
                curve.area.unwrap_or_default()
            ),
            line: axes.line(points().map(|point| (point.coverage, point.risk))),
            band: axes.band(points().map(|point| (point.coverage, point.interval.low, point.interval.high))),
            reference: axes.y(share_wrong),
            reference_label: format!("all documents: {}", share(Some(share_wrong))),
            passed: marked,
            axes,
        })
    }
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(LONGEST_ABOVE) {
        None => name.to_owned(),
        Some(_) => name.chars().take(LONGEST_ABOVE - 1).chain(['…']).collect(),
    }
}

//! The geometry of the plots of an evaluation. Each has a table beside it, which says the same in numbers.

use super::words::{interval, share};
use crate::experiment::evaluate::{Evaluation, FieldFigures};
use crate::report::page::tenths;
use serde::Serialize;

/// The plots, in units of their own.
const WIDTH: f64 = 640.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 20.0;
const ROW: f64 = 24.0;
const TOP: f64 = 10.0;
const CURVE_LEFT: f64 = 56.0;
const CURVE_TOP: f64 = 14.0;
const CURVE_HEIGHT: f64 = 220.0;

/// Most fields in a plot, and longest names beside it, in characters.
const MOST_FIELDS: usize = 40;
const LONGEST_NAME: usize = 22;

/// The exact agreement of each field, as a dot with its interval.
#[derive(Debug, Serialize)]
pub(super) struct AgreementPlot {
    height: f64,
    /// Where the axis is.
    bottom: f64,
    label_y: f64,
    alt: String,
    ticks: Vec<Tick>,
    rows: Vec<AgreementRow>,
}

#[derive(Debug, Serialize)]
struct Tick {
    at: f64,
    label: String,
}

#[derive(Debug, Serialize)]
struct AgreementRow {
    name: String,
    name_x: f64,
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
        let x = |share: f64| tenths(LEFT + share * (WIDTH - LEFT - RIGHT));
        let mut rows = Vec::new();
        let mut y = TOP + ROW / 2.0;
        for field in &fields {
            let (Some(exact), Some(range)) = (field.exact_agreement, field.exact_interval) else { continue };
            rows.push(AgreementRow {
                name: cut(&field.field),
                name_x: LEFT - 12.0,
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
            y += ROW;
        }
        (!rows.is_empty()).then(|| {
            let bottom = y - ROW / 2.0 + 4.0;
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
    height: f64,
    left: f64,
    right: f64,
    bottom: f64,
    label_y: f64,
    alt: String,
    /// The line, and the area between the ends of the intervals, as SVG paths.
    line: String,
    band: String,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    /// The share of all that is wrong: where the line would be if scores said nothing.
    reference: f64,
    /// Where it is explained.
    legend_y: f64,
    reference_label: String,
    /// What passed, which need not be what has the highest scores.
    passed: Option<Passed>,
}

#[derive(Debug, Serialize)]
struct Passed {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
    title: String,
}

impl RiskPlot {
    /// `None` without documents.
    pub(super) fn of(evaluation: &Evaluation) -> Option<Self> {
        let curve = &evaluation.risk_coverage;
        let share_wrong = curve.share_wrong?;
        let bottom = CURVE_TOP + CURVE_HEIGHT;
        let x = |coverage: f64| tenths(CURVE_LEFT + coverage * (WIDTH - CURVE_LEFT - RIGHT));
        let highs = curve.points.iter().map(|point| point.interval).chain(evaluation.passed.interval);
        let highest = highs.map(|range| range.high).fold(0.0, f64::max);
        let top = if highest <= 0.2 {
            0.2
        } else if highest <= 0.4 {
            0.4
        } else {
            1.0
        };
        let y = |risk: f64| tenths(bottom - risk / top * CURVE_HEIGHT);
        let mut line = String::new();
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (number, point) in curve.points.iter().enumerate() {
            let pen = if number == 0 { 'M' } else { 'L' };
            line.push_str(&format!("{pen}{} {} ", x(point.coverage), y(point.risk)));
            above.push(format!("{} {}", x(point.coverage), y(point.interval.high)));
            below.push(format!("{} {}", x(point.coverage), y(point.interval.low)));
        }
        below.reverse();
        above.extend(below);
        let passed = &evaluation.passed;
        #[expect(clippy::cast_precision_loss, reason = "drawn in pixels")]
        let coverage = passed.documents as f64 / evaluation.documents.evaluated.max(1) as f64;
        let marked = passed.share_wrong.zip(passed.interval).map(|(wrong, range)| Passed {
            x: x(coverage),
            y: y(wrong),
            low: y(range.low),
            high: y(range.high),
            title: format!(
                "passed: {} of {} wrong, {}",
                passed.wrong,
                passed.documents,
                interval(Some(range))
            ),
        });
        Some(RiskPlot {
            height: bottom + 42.0,
            left: CURVE_LEFT,
            right: WIDTH - RIGHT,
            bottom,
            label_y: bottom + 16.0,
            alt: format!(
                "The share of wrong documents among those with the highest scores, by how many of all they are. Among all it is {}; the area under the curve is {:.3}.",
                share(Some(share_wrong)),
                curve.area.unwrap_or_default()
            ),
            line: line.trim_end().to_owned(),
            band: format!("M{} Z", above.join(" L")),
            x_ticks: (0..=5).map(|fifth| percent_tick(f64::from(fifth) / 5.0, x)).collect(),
            y_ticks: (0..=4).map(|fourth| percent_tick(f64::from(fourth) / 4.0 * top, y)).collect(),
            reference: y(share_wrong),
            legend_y: bottom + 30.0,
            reference_label: format!("all documents: {}", share(Some(share_wrong))),
            passed: marked,
        })
    }
}

fn percent_tick(at: f64, scale: impl Fn(f64) -> f64) -> Tick {
    Tick { at: scale(at), label: format!("{:.0} %", at * 100.0) }
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        None => name.to_owned(),
        Some(_) => name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
    }
}

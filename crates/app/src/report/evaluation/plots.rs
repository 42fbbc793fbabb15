//! The geometry of the plots of an evaluation. Each has a table beside it, with the same numbers.

use super::words::{interval, share};
use crate::experiment::evaluate::{Evaluation, FieldFigures};
use crate::experiment::statistics::real;
use crate::report::model::RiskCurve;
use crate::report::page::{Axis, DotRow, DotRows, Names, RiskAxes, WIDTH, percent_label};
use crate::value::prose::cut;

/// The plots, in units of their own.
const LEFT: f64 = 152.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 10.0;

/// Most fields in a plot, longest names beside it, and longest ones above their rows, in characters.
const MOST_FIELDS: usize = 40;
const LONGEST_BESIDE: usize = 20;
const LONGEST_ABOVE: usize = 50;

/// The exact agreement of each field, as a dot with its interval; `None` without fields.
pub(super) fn agreement(evaluation: &Evaluation) -> Option<DotRows> {
    let fields: Vec<&FieldFigures> = evaluation.fields.iter().take(MOST_FIELDS).collect();
    // Names are beside their rows, or above them where one is too long for that.
    let is_above = fields.iter().any(|field| field.field.chars().count() > LONGEST_BESIDE);
    let (left, names) = if is_above { (RIGHT, Names::Above) } else { (LEFT, Names::Beside(LEFT)) };
    let axis = Axis::new([0.0, 1.0], [left, WIDTH - RIGHT]);
    let row = |field: &&FieldFigures| {
        let (exact, range) = (field.exact_agreement?, field.exact_interval?);
        let FieldFigures { field: name, exact: right, documents, .. } = field;
        let title = format!("{name}: {right} of {documents} exactly right, {}", interval(Some(range)));
        Some(DotRow::new(
            cut(name, LONGEST_ABOVE),
            title,
            [range.low, exact, range.high].map(|share| axis.place(share)),
        ))
    };
    let rows: Vec<DotRow> = fields.iter().filter_map(row).collect();
    let said = fields.iter().map(|field| format!("{} {}", field.field, share(field.exact_agreement)));
    let alt = format!("Exact agreement by field: {}", said.take(12).collect::<Vec<_>>().join(", "));
    (!rows.is_empty()).then(|| DotRows::new(alt, TOP, names, axis.parts(5, percent_label), rows))
}

/// Risk against coverage, with the interval of each point; `None` without documents.
pub(super) fn risk(evaluation: &Evaluation) -> Option<RiskCurve> {
    let curve = &evaluation.risk_coverage;
    let share_wrong = curve.share_wrong?;
    let highs = curve.points.iter().map(|point| point.interval).chain(evaluation.passed.interval);
    let axes = RiskAxes::reaching(highs.map(|range| range.high).fold(0.0, f64::max));
    let passed = &evaluation.passed;
    let coverage = real(passed.documents) / real(evaluation.documents.evaluated.max(1));
    // The point of the passed documents, which need not have the highest scores.
    let marked = passed.share_wrong.zip(passed.interval).map(|(wrong, range)| {
        let title =
            format!("passed: {} of {} wrong, {}", passed.wrong, passed.documents, interval(Some(range)));
        axes.marked(coverage, wrong, (range.low, range.high), "passed".to_owned(), title)
    });
    let points = || curve.points.iter();
    Some(RiskCurve {
        alt: format!(
            "The share of wrong documents among those with the highest scores, by how many of all they are. Among all it is {}; the area under the curve is {:.3}.",
            share(Some(share_wrong)),
            curve.area.unwrap_or_default()
        ),
        across: "coverage: documents taken, the highest scores first",
        line: axes.line(points().map(|point| (point.coverage, point.risk))),
        band: axes.band(points().map(|point| (point.coverage, point.interval.low, point.interval.high))),
        // The share if scores were meaningless.
        level: ("reference", axes.y(share_wrong), format!("all documents: {}", share(Some(share_wrong)))),
        dots: Vec::new(),
        marked,
        axes,
    })
}

//! The plot of a calibration: the share of accepted documents that are wrong at each threshold, by the share accepted.
//! The table beside it has the same numbers.

use super::words::{share, verdict};
use crate::experiment::calibrate::{Calibration, Group, TestedThreshold, Threshold, Verdict};
use crate::report::figures::percent_of;
use crate::report::model::RiskCurve;
use crate::report::page::RiskAxes;

/// The plot of one group of documents; `None` where no document reaches any threshold.
pub(super) fn thresholds(calibration: &Calibration, group: &Group) -> Option<RiskCurve> {
    let reached: Vec<&TestedThreshold> =
        group.thresholds.iter().filter(|tested| tested.accepted > 0).collect();
    let coverage = |tested: &TestedThreshold| share(tested.accepted, group.reviewed);
    let risk = |tested: &TestedThreshold| share(tested.wrong, tested.accepted);
    let promised = calibration.wrong_documents.get();
    // For few documents the bound means little, and would take all the height.
    let is_tested = |tested: &&&TestedThreshold| tested.verdict != Verdict::TooFew;
    let bounds = reached.iter().filter(is_tested).map(|tested| tested.upper_bound);
    let highest = reached.iter().map(|tested| risk(tested)).chain(bounds).fold(promised * 1.5, f64::max);
    reached.first()?;
    let axes = RiskAxes::reaching(highest);
    let certified = group.certified.and_then(|found| {
        let is_it = |tested: &&&TestedThreshold| (tested.threshold - found.threshold).abs() < 1e-9;
        reached.iter().find(is_it).copied()
    });
    let said = |tested: &TestedThreshold| {
        format!(
            "{} ≥ {}: {} of {} reviewed documents accepted, {} wrong ({}), at most {}: {}",
            calibration.score,
            Threshold(tested.threshold),
            tested.accepted,
            group.reviewed,
            tested.wrong,
            percent_of(risk(tested)),
            percent_of(tested.upper_bound),
            verdict(tested)
        )
    };
    Some(RiskCurve {
        across: "coverage: reviewed documents that are accepted",
        alt: format!(
            "The share of wrong documents among those that {} thresholds accept, by how many of the reviewed ones these are. {}.",
            reached.len(),
            certified.map_or_else(
                || "None is certified".to_owned(),
                |tested| format!("Certified: {}", said(tested))
            )
        ),
        line: axes.line(reached.iter().map(|tested| (coverage(tested), risk(tested)))),
        band: axes.band(reached.iter().map(|tested| (coverage(tested), risk(tested), tested.upper_bound))),
        dots: reached
            .iter()
            .map(|tested| (axes.x(coverage(tested)), axes.y(risk(tested)), said(tested)))
            .collect(),
        level: ("bound", axes.y(promised), format!("promised: at most {}", calibration.wrong_documents)),
        marked: certified.map(|tested| {
            let label =
                format!("≥ {} (at most {})", Threshold(tested.threshold), percent_of(tested.upper_bound));
            let range = (risk(tested), tested.upper_bound);
            axes.marked(coverage(tested), tested.upper_bound, range, label, said(tested))
        }),
        axes,
    })
}

//! The number of reviews that it takes, computed before there is any label: from the scores of a run alone.

use super::calibration::reaches;
use super::distribution::{real, whole};
use super::sample::ScoredDocument;
use super::sequence::Promise;
use crate::profile::{Certify, Looks, Per};
use serde::Serialize;
use std::collections::BTreeSet;

/// The reviews that it takes to certify something about a group of documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeededReviews {
    /// Their type; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
    /// The number of documents of the group in the run.
    pub in_run: u64,
    /// The reviews needed at each threshold of the grid.
    pub thresholds: Vec<NeededAtThreshold>,
}

/// The reviews that it takes to certify one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NeededAtThreshold {
    /// The least score.
    pub threshold: f64,
    /// Documents of the run that reach it.
    pub accepted_in_run: u64,
    /// Documents of the group to draw at random so that, on average, enough of them reach it to certify it with none of
    /// these wrong. `None` if no number does.
    pub to_draw_if_none_is_wrong: Option<u64>,
    /// Like `to_draw_if_none_is_wrong`, with one of these wrong.
    pub to_draw_if_one_is_wrong: Option<u64>,
}

/// The numbers of documents to draw for each threshold of the grid. With `only_this_run`, the promise is about the
/// documents of the run alone.
#[must_use]
pub fn needed_reviews(settings: &Certify, run: &[ScoredDocument], only_this_run: bool) -> Vec<NeededReviews> {
    let counted: Vec<&ScoredDocument> =
        run.iter().filter(|document| !settings.exclude.contains(&document.id)).collect();
    let types: BTreeSet<Option<&str>> = match settings.per {
        Per::DocumentType => counted.iter().map(|document| Some(document.document_type.as_str())).collect(),
        _ => BTreeSet::from([None]),
    };
    let delta = settings.delta() / real(types.len().max(1) as u64);
    let promise = Promise { share: settings.wrong_documents.get(), delta };
    // A batch is complete: no documents are added to it.
    let looks = if only_this_run { Looks::Once } else { settings.looks };
    types
        .into_iter()
        .map(|of_type| {
            let documents: Vec<&&ScoredDocument> = counted
                .iter()
                .filter(|document| of_type.is_none_or(|of_type| of_type == document.document_type))
                .collect();
            let in_run = documents.len() as u64;
            let at = |threshold: &f64| {
                let reached = documents.iter().filter(|document| reaches(document.score, *threshold));
                let accepted_in_run = reached.count() as u64;
                let batch = only_this_run.then_some(accepted_in_run);
                let to_draw = |wrong: u64| {
                    let fewest = promise.fewest(looks, wrong, batch).filter(|_| accepted_in_run > 0)?;
                    Some(whole((real(fewest) * real(in_run) / real(accepted_in_run)).ceil()))
                };
                NeededAtThreshold {
                    threshold: *threshold,
                    accepted_in_run,
                    to_draw_if_none_is_wrong: to_draw(0),
                    to_draw_if_one_is_wrong: to_draw(1),
                }
            };
            let thresholds = settings.grid.thresholds().iter().map(at).collect();
            NeededReviews { document_type: of_type.map(str::to_owned), in_run, thresholds }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Grid;
    use crate::value::Score;

    fn run() -> Vec<ScoredDocument> {
        let document = |k: u32| ScoredDocument {
            id: format!("d{k}"),
            document_type: if k < 200 { "pathology" } else { "radiology" }.to_owned(),
            score: if k.is_multiple_of(2) { Score::new(0.95) } else { None },
        };
        (0..400).map(document).collect()
    }

    fn settings(per: Per, looks: Looks) -> Certify {
        let grid = Grid::new(vec![0.98, 0.9]).unwrap();
        Certify { grid, per, looks, ..Certify::default() }
    }

    fn draws(settings: &Certify, only_this_run: bool) -> Vec<(Option<u64>, Option<u64>)> {
        let needed = needed_reviews(settings, &run(), only_this_run);
        let pair = |at: &NeededAtThreshold| (at.to_draw_if_none_is_wrong, at.to_draw_if_one_is_wrong);
        needed.iter().flat_map(|group| group.thresholds.iter().map(pair)).collect()
    }

    #[test]
    fn as_many_are_drawn_as_reach_the_threshold_often_enough() {
        let nothing = (None, None);
        // 149 and 236 accepted ones, and every second document is accepted.
        assert_eq!(draws(&settings(Per::All, Looks::Once), false), [nothing, (Some(298), Some(472))]);
        assert_eq!(draws(&settings(Per::All, Looks::AnyTime), false)[1].0, Some(440));
        // Two types share the chance to err: 183 where 149 would do.
        let each = draws(&settings(Per::DocumentType, Looks::Once), false);
        assert_eq!((each[1].0, each.len()), (Some(366), 4));
        assert_eq!(each[1], each[3]);
    }

    #[test]
    fn a_run_by_itself_takes_no_more_than_all_of_it() {
        let [nothing, (Some(none), Some(one))] = draws(&settings(Per::All, Looks::Once), true)[..] else {
            panic!("two thresholds")
        };
        assert_eq!(nothing, (None, None));
        assert!(none < 298 && none < one && one <= 400, "{none} {one}");
    }
}

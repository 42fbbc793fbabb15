//! A row of the columns as decisions read it.

use super::Columns;
use crate::policy::{CandidateFacts, IssueCounts};
use crate::profile::{AcceptCondition, ConditionSet, LoopPolicy};
use crate::value::{Digest, Score};
use serde_json::Value;
use std::sync::Arc;

/// One recorded candidate under a policy. What depends on the policy is computed once, when the row is decided on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'c> {
    columns: &'c Columns,
    row: usize,
    overall: f64,
    gated: f64,
    issues: IssueCounts,
    broken_conditions: ConditionSet,
}

impl<'c> Row<'c> {
    /// A row as a policy sees it.
    pub(super) fn of(columns: &'c Columns, row: usize, policy: &LoopPolicy) -> Self {
        let scores = columns.scores_of(row);
        let gated =
            policy.gate.as_ref().and_then(|gate| columns.score_among(columns.tier1_of(row), &gate.dimension));
        let mut seen = Row {
            columns,
            row,
            overall: policy.overall.of(|name| columns.score_among(scores, name)).get(),
            gated: gated.map_or(0.0, Score::get),
            issues: IssueCounts::default(),
            broken_conditions: ConditionSet::default(),
        };
        for issue in columns.issues_of(row) {
            seen.issues.add(issue.severity, columns.disposition(issue, policy));
            AcceptCondition::note(&mut seen.broken_conditions, |code| {
                columns.codes.is_named(issue.code, code)
            });
        }
        seen
    }
}

impl CandidateFacts for Row<'_> {
    fn score(&self, dimension: &str) -> f64 {
        let scores = self.columns.scores_of(self.row);
        self.columns.score_among(scores, dimension).map_or(0.0, Score::get)
    }

    fn scores(&self) -> impl Iterator<Item = (&str, f64)> {
        let scores = self.columns.scores_of(self.row).iter();
        scores.filter_map(|(number, score)| Some((self.columns.dimensions.name(*number)?, score.get())))
    }

    fn gated(&self) -> f64 {
        self.gated
    }

    fn overall(&self) -> f64 {
        self.overall
    }

    fn issues(&self) -> IssueCounts {
        self.issues
    }

    fn broken_conditions(&self) -> ConditionSet {
        self.broken_conditions
    }

    fn candidate(&self) -> Option<&Arc<Value>> {
        self.columns.candidate_of(self.row).map(|kept| &kept.value)
    }

    fn digest(&self) -> Option<Digest> {
        self.columns.candidate_of(self.row).map(|kept| kept.digest)
    }
}

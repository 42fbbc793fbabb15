//! A recorded candidate as decisions read it.

use super::trajectories::{RecordedCandidate, score_among};
use crate::policy::{CandidateFacts, IssueCounts};
use crate::profile::{AcceptCondition, ConditionSet, LoopPolicy};
use crate::value::{Digest, Score};
use serde_json::Value;
use std::sync::Arc;

/// One recorded candidate under a policy. What depends on the policy is computed once, when the candidate is decided on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'r> {
    recorded: &'r RecordedCandidate,
    overall: f64,
    gated: f64,
    issues: IssueCounts,
    broken_conditions: ConditionSet,
}

impl<'r> Row<'r> {
    /// A recorded candidate as a policy sees it.
    pub(super) fn of(recorded: &'r RecordedCandidate, policy: &LoopPolicy) -> Self {
        let record = &recorded.record;
        let tier1 = record.tier1.as_ref().unwrap_or(&record.scores);
        let gated = policy.gate.as_ref().and_then(|gate| score_among(tier1, &gate.dimension));
        let mut seen = Row {
            recorded,
            overall: policy.overall.of(|name| score_among(&record.scores, name)).get(),
            gated: gated.map_or(0.0, Score::get),
            issues: IssueCounts::default(),
            broken_conditions: ConditionSet::default(),
        };
        for issue in &record.issues {
            seen.issues.add(issue.severity, issue.disposition_under(policy));
            AcceptCondition::note(&mut seen.broken_conditions, |code| issue.code == code);
        }
        seen
    }
}

impl CandidateFacts for Row<'_> {
    fn score(&self, dimension: &str) -> f64 {
        score_among(&self.recorded.record.scores, dimension).map_or(0.0, Score::get)
    }

    fn scores(&self) -> impl Iterator<Item = (&str, f64)> {
        self.recorded.record.scores.iter().map(|(name, score)| (name.as_str(), score.get()))
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
        self.recorded.record.candidate.as_ref()
    }

    fn digest(&self) -> Option<Digest> {
        self.recorded.digest
    }
}

//! The facts about an assessed candidate that decisions read, whoever holds them.

use super::{IssueCounts, IterationSummary};
use crate::profile::ConditionSet;
use crate::value::{Digest, Score};
use serde_json::Value;
use std::sync::Arc;

/// The facts about an assessed candidate that decisions read.
///
/// A run keeps an [`IterationSummary`], which owns all of it. Many recorded candidates are decided on through rows that
/// borrow it, so that deciding copies nothing.
pub trait CandidateFacts {
    /// The score of a dimension, from 0 to 1; one that was not measured counts as 0.
    fn score(&self, dimension: &str) -> f64;

    /// The dimensions that were measured, for scripts.
    fn scores(&self) -> impl Iterator<Item = (&str, f64)>;

    /// The gated dimension, if the policy has a gate; 0 if it was not measured.
    fn gated(&self) -> f64;

    /// The overall score.
    fn overall(&self) -> f64;

    /// Issues by kind.
    fn issues(&self) -> IssueCounts;

    /// The conditions of `accept` that its issues break.
    fn broken_conditions(&self) -> ConditionSet;

    /// The candidate itself, if it is known and a criterion looks into it.
    fn candidate(&self) -> Option<&Arc<Value>>;

    /// Its content, if a criterion compares it.
    fn digest(&self) -> Option<Digest>;
}

impl CandidateFacts for IterationSummary {
    fn score(&self, dimension: &str) -> f64 {
        IterationSummary::score(self, dimension)
    }

    fn scores(&self) -> impl Iterator<Item = (&str, f64)> {
        self.scores.iter().map(|(name, score)| (name, Score::get(score)))
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
        self.candidate.as_ref()
    }

    fn digest(&self) -> Option<Digest> {
        self.digest
    }
}

//! The facts about an assessed candidate that decisions read, whoever holds them.

use super::{IssueCounts, IterationSummary};
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

    /// Returns whether no one but a stage has seen the document.
    fn is_unseen(&self) -> bool;

    /// Returns whether the type of the document was not recognised.
    fn is_of_unknown_type(&self) -> bool;

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

    fn is_unseen(&self) -> bool {
        self.unseen
    }

    fn is_of_unknown_type(&self) -> bool {
        self.unknown_type
    }

    fn candidate(&self) -> Option<&Arc<Value>> {
        self.candidate.as_ref()
    }

    fn digest(&self) -> Option<Digest> {
        self.digest
    }
}

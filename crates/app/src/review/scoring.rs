//! The profile's assessment of an extraction that a person has corrected.

use crate::plan::{DocumentContext, Given, Plan};
use crate::policy::{IterationSummary, acceptance};
use crate::score::Assessment;
use serde_json::Value;

/// Scores of a corrected extraction.
#[derive(Debug, Clone)]
pub struct ReviewedScore {
    /// Scores and issues.
    pub assessment: Assessment,
    /// `true` if every line of `accept` holds.
    pub accepted: bool,
    /// The lines that do not hold.
    pub missed: Vec<String>,
}

/// Assesses an extraction as `validate` does: without judges or programs.
pub fn score_extraction(plan: &Plan, context: &DocumentContext, extraction: &Value) -> ReviewedScore {
    let mut assessment = Assessment::default();
    context.assess(&mut context.assessor(), extraction, Given::default(), &mut assessment);
    let measured = assessment.scores.clone();
    context.conclude_alone(&mut assessment);
    let facts = IterationSummary::of(&plan.policy, &assessment, None).gated_by(&plan.policy, &measured);
    let (accepted, checks) = acceptance(&plan.policy, &facts);
    let missed = checks.iter().filter(|check| !check.holds);
    let missed = missed.map(|check| format!("{}: {:.3} against {}", check.line, check.value, check.bound));
    ReviewedScore { assessment, accepted, missed: missed.collect() }
}

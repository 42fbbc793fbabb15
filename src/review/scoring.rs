//! What the profile says of an extraction that a person has corrected.

use crate::exchange::attached;
use crate::ingest::Document;
use crate::plan::{Plan, TypedAs};
use crate::policy::{IterationSummary, acceptance, refusal};
use crate::profile::Mask;
use crate::score::{Assessment, Assessor, Beside};
use serde_json::Value;
use std::sync::Arc;

/// Scores of a corrected extraction.
#[derive(Debug, Clone)]
pub(crate) struct ReviewedScore {
    /// Scores and issues.
    pub(crate) assessment: Assessment,
    /// Whether every line of `accept` holds.
    pub(crate) accepted: bool,
    /// The lines that do not hold.
    pub(crate) missed: Vec<String>,
}

/// Assesses an extraction as `validate` does: nobody is asked, neither judges nor programs. The type is that of the run.
pub(crate) fn score_extraction(
    plan: &Plan,
    document: &Document,
    typed: &TypedAs,
    extraction: &Value,
) -> ReviewedScore {
    let text = document.text.as_ref().map(|text| text.as_str()).unwrap_or_default();
    let is_attached = attached(plan, document).is_some();
    let source = (!is_attached).then(|| plan.scoring.source(&Mask::apply(&plan.profile.mask, text)));
    let mut assessment = Assessment::default();
    let beside = Beside { source: source.as_ref(), ..Beside::default() };
    Assessor::new(Arc::clone(&plan.scoring)).assess_beside(&typed.name, extraction, beside, &mut assessment);
    if source.is_none() {
        assessment.say_unseen();
    }
    typed.say(plan, &mut assessment);
    let measured = assessment.scores.clone();
    assessment.issues.extend(refusal(&plan.policy, &measured, &assessment));
    let facts = IterationSummary::of(&plan.policy, &assessment, None).gated_by(&plan.policy, &measured);
    let (accepted, checks) = acceptance(&plan.policy, &facts);
    let missed = checks.iter().filter(|check| !check.holds);
    let missed = missed.map(|check| format!("{}: {:.3} against {}", check.line, check.value, check.bound));
    ReviewedScore { assessment, accepted, missed: missed.collect() }
}

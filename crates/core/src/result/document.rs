//! The result of a run for one document.

use super::explanation::Explanation;
use crate::engine::{DocumentState, Outcome};
use crate::plan::Plan;
use crate::policy::{FinalStatus, SelectionReason, StopReason, misses_gate};
use crate::profile::LoopPolicy;
use crate::repair::RepairStep;
use crate::score::{Assessment, Issue, Scores};
use crate::value::{Disposition, DocumentId, Millis, Severity, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Providers and models that answered, by the stage or member of the panel that asked: `ollama:llama3`.
pub type AnsweredBy = BTreeMap<String, BTreeSet<String>>;

/// Returns whether some JSON is the result of a document, by members that no extraction has together.
pub fn is_result(value: &Value) -> bool {
    ["final_status", "stop_reason", "best_extraction"].iter().all(|member| value.get(member).is_some())
}

/// The result of one document, as `-result.json` and `--format json` write it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DocumentResult {
    /// The document.
    pub id: DocumentId,
    /// Its type, given or found.
    pub document_type: String,
    /// The profile that decided.
    pub profile: String,
    /// The final status of the run.
    pub final_status: FinalStatus,
    /// The reason why it ended.
    pub stop_reason: StopReason,
    /// The number of candidates that were assessed.
    pub iteration_count: usize,
    /// The iteration of the selected candidate.
    pub best_iteration: Option<usize>,
    /// The reason for its selection.
    pub selection_reason: Option<SelectionReason>,
    /// The selected candidate.
    pub best_extraction: Option<Arc<Value>>,
    /// Its assessment.
    pub best_validation: Option<Assessment>,
    /// Every iteration in numbers.
    pub iterations: Vec<IterationResult>,
    /// The overall score of every candidate.
    pub improvement_trajectory: Vec<f64>,
    /// Rollbacks of the whole run.
    pub rollbacks: u64,
    /// The usage of the run.
    pub usage: Usage,
    /// Calls that the cache answered: not in `usage`, because they cost nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_calls: usize,
    /// The services and models that answered, by the stage, judge or validator that asked.
    #[serde(default, skip_serializing_if = "AnsweredBy::is_empty")]
    pub answered_by: AnsweredBy,
    /// The time that it took.
    pub elapsed_ms: Millis,
    /// `true` if it needs review: by the profile's `review.when`, or because an issue is for a person to decide.
    pub review: bool,
    /// The decisions that a person must make about the selected candidate, or about the one whose issue ended the run:
    /// one line for each issue with disposition `escalate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Further warnings for a person.
    pub warnings: Vec<String>,
    /// A description of what went wrong, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The data that `loopctl explain` needs besides; only for runs that were carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// One iteration in numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IterationResult {
    /// Its number, from 0.
    pub iteration: usize,
    /// The dimensions.
    pub scores: Scores,
    /// The overall score.
    pub overall: f64,
    /// The number of critical issues.
    pub critical: usize,
    /// The number of major issues.
    pub major: usize,
    /// The number of minor issues.
    pub minor: usize,
    /// `true` if it missed the gate.
    pub missed_gate: bool,
    /// `true` if the loop went back to the best candidate after it.
    pub rolled_back: bool,
    /// The repairs of the answers before they were assessed; their patches are in the journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<RepairStep>,
}

/// The most issues named in a message.
const MOST_DECISIONS: usize = 20;

/// The decisions that a person must make, issue by issue; `None` if there are none. They are about the selected
/// candidate, or about the latest when its issue ended the run: that one is seldom the best.
pub fn message_for_a_person(document: &DocumentState, outcome: &Outcome) -> Option<String> {
    let latest = outcome.iteration_count.checked_sub(1);
    let about = match outcome.stop_reason {
        StopReason::CriticalIssue => latest,
        _ => outcome.best_iteration,
    }?;
    let assessment = document.assessment(about)?;
    let whose = if outcome.best_iteration == Some(about) {
        String::new()
    } else {
        format!(" of candidate {about}, which is not the one returned")
    };
    let escalated = || assessment.issues.iter().filter(|issue| is_for_a_person(issue));
    let count = escalated().count();
    let head = match count {
        0 => return None,
        1 => format!("A person must decide about this issue{whose}:"),
        more => format!("A person must decide about these {more} issues{whose}:"),
    };
    let mut lines = vec![head];
    lines.extend(escalated().take(MOST_DECISIONS).map(|issue| {
        let place = if issue.path.is_empty() { "the whole answer" } else { issue.path.as_str() };
        format!("{} at {place}: {}", issue.code, issue.message)
    }));
    if count > MOST_DECISIONS {
        lines.push(format!("and {} more", count - MOST_DECISIONS));
    }
    Some(lines.join("\n"))
}

impl DocumentResult {
    /// The result of a run that is over.
    #[must_use]
    pub fn of(
        plan: &Plan,
        id: DocumentId,
        document_type: String,
        document: &DocumentState,
        outcome: &Outcome,
        mut warnings: Vec<String>,
    ) -> Self {
        let best_validation = outcome.best_iteration.and_then(|best| document.assessment(best)).cloned();
        let review = wants_review(plan, outcome, best_validation.as_ref());
        let mut iterations = IterationResult::all(&plan.policy, document);
        for (result, of) in iterations.iter_mut().zip(document.assessed()) {
            let without_patch = |step: &RepairStep| RepairStep { patch: Vec::new(), ..step.clone() };
            result.repairs = of.repairs().map(without_patch).collect();
        }
        add_warnings(document, outcome.best_iteration, &mut warnings);
        let message = message_for_a_person(document, outcome);
        DocumentResult {
            id,
            document_type,
            profile: plan.profile.name.clone(),
            final_status: outcome.final_status,
            stop_reason: outcome.stop_reason.clone(),
            iteration_count: outcome.iteration_count,
            best_iteration: outcome.best_iteration,
            selection_reason: outcome.selection_reason,
            best_extraction: outcome.best_iteration.and_then(|best| document.candidate(best)).cloned(),
            best_validation,
            iterations,
            improvement_trajectory: outcome.improvement_trajectory.clone(),
            rollbacks: outcome.rollbacks,
            usage: outcome.usage,
            cached_calls: 0,
            answered_by: AnsweredBy::new(),
            elapsed_ms: outcome.elapsed_ms,
            review,
            message,
            warnings,
            detail: outcome.detail.clone(),
            explanation: None,
        }
    }
}

/// Adds what went wrong in the loop, in its order, and the notes about the candidate that is returned: those about
/// others would only confuse.
fn add_warnings(document: &DocumentState, returned: Option<usize>, warnings: &mut Vec<String>) {
    fn once(warnings: &mut Vec<String>, notes: &[String]) {
        for note in notes {
            // Several calls of one candidate may have the same to say, and several decisions.
            if !warnings.contains(note) {
                warnings.push(note.clone());
            }
        }
    }
    for of in document.iterations() {
        warnings.extend(of.failures.iter().map(|failed| failed.failure.message.clone()));
        once(warnings, of.decision.as_ref().map_or(&[], |decision| &decision.notes));
    }
    let Some(of) = returned.and_then(|best| document.iteration(best)) else { return };
    for answer in &of.stage_answers {
        once(warnings, &answer.notes);
        let lossy = answer.repairs.iter().filter(|step| step.kind.loses());
        let told: Vec<String> =
            lossy.map(|step| format!("the answer was repaired: {}", step.reason)).collect();
        once(warnings, &told);
    }
    for member in of.panel.values() {
        once(warnings, &member.notes);
    }
}

impl IterationResult {
    /// Every assessed candidate of a run.
    #[must_use]
    pub fn all(policy: &LoopPolicy, document: &DocumentState) -> Vec<Self> {
        let assessed = document.assessed().filter_map(|of| Some((of, of.assessment()?)));
        assessed
            .enumerate()
            .map(|(iteration, (of, assessment))| IterationResult {
                iteration,
                scores: assessment.scores.clone(),
                overall: assessment.overall,
                critical: assessment.count_severity(Severity::Critical),
                major: assessment.count_severity(Severity::Major),
                minor: assessment.count_severity(Severity::Minor),
                missed_gate: of.measured.as_ref().is_some_and(|tier1| misses_gate(policy, &tier1.scores)),
                rolled_back: of.rolled_back(),
                repairs: Vec::new(),
            })
            .collect()
    }
}

/// Returns whether only a person may decide about an issue.
pub fn is_for_a_person(issue: &Issue) -> bool {
    issue.disposition == Disposition::Escalate && issue.severity != Severity::Info
}

/// Returns whether the result needs review: by the profile's `review.when`, or because an issue is for a person to
/// decide; `best` is the assessment of the selected candidate.
#[must_use]
pub fn wants_review(plan: &Plan, outcome: &Outcome, best: Option<&Assessment>) -> bool {
    // A person who must decide about an issue must get to see it.
    let decides = |best: &Assessment| best.issues.iter().any(is_for_a_person);
    if best.is_some_and(decides) {
        return true;
    }
    plan.review.as_ref().is_some_and(|review| {
        let (overall, scores) = best.map(|best| (best.overall, best.scores.clone())).unwrap_or_default();
        review.applies(outcome.final_status, overall, &scores, &plan.dimensions())
    })
}

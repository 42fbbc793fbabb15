//! The answer of `next`.

use crate::engine::{DocumentState, IterationState, Outcome, Work};
use crate::exchange::PageRequest;
use crate::exchange::protocol::{CompletionRequest, Message, RequestFeedback, RequestOptions};
use crate::plan::Plan;
use crate::policy::{Decision, FinalStatus, SelectionReason, StopReason};
use crate::result::{IterationResult, message_for_a_person, wants_review};
use crate::score::Assessment;
use crate::value::{DocumentId, Millis, Usd};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The verdict of the policy on a history, and what it asks next: either `outcome` or `request` is set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NextAnswer {
    /// The document.
    pub id: DocumentId,
    /// Its type, given or found.
    pub document_type: String,
    /// The profile that decides.
    pub profile: String,
    /// Every assessed candidate in numbers.
    pub iterations: Vec<IterationResult>,
    /// The assessment of the latest assessed candidate.
    pub assessment: Option<Assessment>,
    /// The decision about it, with the numbers of every line that was checked.
    pub decision: Option<Arc<Decision>>,
    /// The end of the loop, if it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<NextOutcome>,
    /// The next request to the model, if the loop continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<NextRequest>,
    /// Further warnings for a person.
    pub warnings: Vec<String>,
}

/// The end of a loop: the fields that `simulate` writes, and the selected candidate.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NextOutcome {
    /// The document.
    pub id: DocumentId,
    /// Its final status.
    pub final_status: FinalStatus,
    /// The reason why it ended.
    pub stop_reason: StopReason,
    /// The number of candidates that were assessed.
    pub iteration_count: usize,
    /// The iteration of the selected candidate.
    pub best_iteration: Option<usize>,
    /// The reason for its selection.
    pub selection_reason: Option<SelectionReason>,
    /// The overall score of every candidate.
    pub improvement_trajectory: Vec<f64>,
    /// Rollbacks of the whole run.
    pub rollbacks: u64,
    /// The cost by the history; `null` when the history says that the cost of an entry is unknown.
    pub cost_usd: Option<Usd>,
    /// The known part of the cost, if not all is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_cost_usd: Option<Usd>,
    /// Tokens that the history says were used.
    pub tokens: u64,
    /// The selected candidate.
    pub best_extraction: Option<Arc<Value>>,
    /// `true` if it needs review: by the profile's `review.when`, or because an issue is for a person to decide.
    pub review: bool,
    /// The decisions that a person must make about the selected candidate, or about the one whose issue ended the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// A description of what went wrong, if anything did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The request to the model: all that a provider would get, except what the caller already has.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NextRequest {
    /// The stage that asks; its answer is the next entry of the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The judge that is asked about the latest candidate; its answer belongs to the `answers` of the latest entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The iteration to be produced, or judged, from 0.
    pub iteration: u32,
    /// The number of the try within the iteration, from 1: more after a text that was no answer.
    pub attempt: u32,
    /// The iteration that the correction starts from; `null` for candidate 0 and for judges.
    pub base: Option<usize>,
    /// The time to wait before asking, after a text that was no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<Millis>,
    /// The prompt.
    pub messages: Vec<Message>,
    /// The pages of the document of which pictures go with the prompt (`attach: pages`). The caller draws them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<PageRequest>,
    /// The JSON Schema that the answer is to follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The sampling options.
    pub options: RequestOptions,
    /// The problems of the base, as data: what the prompt says in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<RequestFeedback>,
}

impl NextRequest {
    pub(super) fn of(request: CompletionRequest, work: &Work, wait_ms: Option<Millis>) -> Self {
        let base = match work {
            Work::Correct { base, .. } => Some(*base),
            Work::Generate { .. } | Work::Assess { .. } | Work::Consult { .. } => None,
        };
        let (stage, judge) = match work {
            Work::Consult { .. } => (None, Some(request.stage)),
            _ => (Some(request.stage), None),
        };
        NextRequest {
            stage,
            judge,
            iteration: request.iteration,
            attempt: request.attempt,
            base,
            wait_ms,
            messages: request.messages,
            pages: Vec::new(),
            schema: request.schema,
            options: request.options,
            feedback: request.feedback,
        }
    }
}

impl NextAnswer {
    pub(super) fn of(
        plan: &Plan,
        id: DocumentId,
        document_type: String,
        document: &DocumentState,
        outcome: Option<Outcome>,
        request: Option<NextRequest>,
        warnings: Vec<String>,
    ) -> Self {
        let latest = document.assessed().next_back();
        NextAnswer {
            outcome: outcome.map(|outcome| NextOutcome::of(plan, &id, document, outcome)),
            id,
            document_type,
            profile: plan.profile.name.clone(),
            iterations: IterationResult::all(&plan.policy, document),
            assessment: latest.and_then(IterationState::assessment).cloned(),
            decision: latest.and_then(|latest| latest.decision.clone()),
            request,
            warnings,
        }
    }
}

impl NextOutcome {
    fn of(plan: &Plan, id: &DocumentId, document: &DocumentState, outcome: Outcome) -> Self {
        let best = outcome.best_iteration;
        let assessment = best.and_then(|best| document.assessment(best));
        let review = wants_review(plan, &outcome, assessment);
        let message = message_for_a_person(document, &outcome);
        let cost = outcome.usage.cost_usd();
        NextOutcome {
            id: id.clone(),
            final_status: outcome.final_status,
            stop_reason: outcome.stop_reason,
            iteration_count: outcome.iteration_count,
            best_iteration: best,
            selection_reason: outcome.selection_reason,
            improvement_trajectory: outcome.improvement_trajectory,
            rollbacks: outcome.rollbacks,
            cost_usd: cost,
            known_cost_usd: cost.is_none().then_some(outcome.usage.known_cost_usd),
            tokens: outcome.usage.tokens,
            best_extraction: best.and_then(|best| document.candidate(best).cloned()),
            review,
            message,
            detail: outcome.detail,
        }
    }
}

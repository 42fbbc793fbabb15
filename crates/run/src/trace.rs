//! The telemetry of a run: spans for the run, its documents and their iterations, and events with the fields of the
//! reliability loop. It has names of fields, but no text of a document, and no value that was found in one.

use super::batch_end::BatchEnd;
use crate::engine::{DocumentState, Event, WakeReason};
use crate::result::DocumentResult;
use crate::store::RunId;
use crate::telemetry::names::MEASURES;
use crate::value::{DocumentId, Severity, Usage};
use serde_json::{Map, Value, json};
use tracing::field::{Empty, display};
use tracing::{Level, Span, debug, enabled, info, info_span, warn};

/// The span of a session over documents.
pub(super) fn run_span(run: &RunId, profile: &str) -> Span {
    info_span!(
        target: "loopctl",
        "run",
        run = run.as_str(),
        profile,
        finished = Empty,
        passed = Empty,
        unusable = Empty,
        provider_errors = Empty,
        not_tried = Empty,
        cancelled = Empty,
        calls = Empty,
        tokens = Empty,
        cost_usd = Empty,
    )
}

/// Fills in how a session ended.
pub(super) fn end_run(span: &Span, end: &BatchEnd, usage: Usage) {
    span.record("finished", end.finished).record("passed", end.passed).record("unusable", end.unusable);
    span.record("provider_errors", end.provider_errors).record("not_tried", end.not_tried);
    span.record("cancelled", end.cancelled);
    record_usage(span, usage);
}

/// The span of a document.
pub(super) fn document_span(id: &DocumentId) -> Span {
    info_span!(
        target: "loopctl",
        "document",
        documentId = id.as_str(),
        document_type = Empty,
        final_status = Empty,
        final_score = Empty,
        stop_reason = Empty,
        iteration_count = Empty,
        calls = Empty,
        tokens = Empty,
        cost_usd = Empty,
    )
}

/// Fills in how a document ended.
pub(super) fn end_document(span: &Span, result: &DocumentResult) {
    span.record("document_type", result.document_type.as_str());
    span.record("final_status", result.final_status.as_str());
    if let Some(best) = &result.best_validation {
        span.record("final_score", short(best.overall));
    }
    span.record("stop_reason", result.stop_reason.to_string());
    span.record("iteration_count", result.iteration_count);
    record_usage(span, result.usage);
}

/// An unknown cost is `null`, not left out.
fn record_usage(span: &Span, usage: Usage) {
    span.record("calls", usage.calls).record("tokens", usage.tokens);
    match usage.cost_usd() {
        Some(cost) => span.record("cost_usd", cost.get()),
        None => span.record("cost_usd", display("null")),
    };
}

/// Traces the loop of one document.
#[derive(Debug, Default)]
pub(super) struct DocumentTrace {
    iteration: Option<(usize, Span)>,
}

impl DocumentTrace {
    /// The span of an iteration, within the current one.
    pub(super) fn iteration(&mut self, iteration: usize) -> Span {
        match &self.iteration {
            Some((same, span)) if *same == iteration => span.clone(),
            _ => {
                let span = info_span!(target: "loopctl", "iteration", iteration);
                self.iteration = Some((iteration, span.clone()));
                span
            }
        }
    }

    /// The span of the current iteration.
    fn span(&self) -> Span {
        self.iteration.as_ref().map_or_else(Span::current, |(_, span)| span.clone())
    }

    /// Traces an event of a document. `document` is its state after the event.
    pub(super) fn see(&self, id: &DocumentId, event: &Event, document: &DocumentState) {
        if !enabled!(target: "loopctl", Level::INFO) {
            return;
        }
        let id = id.as_str();
        match event {
            Event::Produced { .. } | Event::Assembled { .. } => {
                debug!(target: MEASURES, parent: self.span(), event = "produced");
            }
            Event::Decided(decision) => tell(&self.span(), id, document, decision.iteration),
            Event::Stopped { .. } => {
                // A candidate whose judges were still being asked counts as it was measured.
                let latest = document.assessed().enumerate().last();
                if let Some((iteration, _)) = latest.filter(|(_, of)| of.decision.is_none()) {
                    tell(&self.span(), id, document, iteration);
                }
                warn!(target: "loopctl", event = "stopped", documentId = id);
            }
            Event::Failed { iteration, failure } | Event::Unanswered { iteration, failure, .. } => {
                let transient = failure.transient;
                warn!(target: "loopctl", event = "attempt_failed", documentId = id, iteration, transient);
            }
            Event::Waiting { until, reason } => {
                let reason = match reason {
                    WakeReason::RetryAfter => "retry_after",
                    WakeReason::Backoff => "backoff",
                };
                info!(target: "loopctl", event = "waiting", documentId = id, until_ms = until.0, reason);
            }
            Event::Unreadable { .. } => warn!(target: "loopctl", event = "unreadable", documentId = id),
            Event::Started
            | Event::Called(_)
            | Event::Supplied { .. }
            | Event::Staged { .. }
            | Event::Woke
            | Event::Assessed { .. }
            | Event::Consulted { .. }
            | Event::Concluded { .. }
            | Event::Finished(_) => {}
        }
    }
}

/// One event for each iteration, in the reliability loop's words.
fn tell(span: &Span, id: &str, document: &DocumentState, iteration: usize) {
    let Some(assessment) = document.assessment(iteration) else { return };
    let before = iteration.checked_sub(1).and_then(|before| document.assessment(before));
    let improvement = before.map(|before| short(assessment.overall - before.overall));
    let mut score = Map::new();
    score.insert("overall".to_owned(), short(assessment.overall).into());
    for (name, value) in assessment.scores.iter().filter(|(name, _)| *name != "overall") {
        score.insert(name.to_owned(), short(value.get()).into());
    }
    let score = Value::Object(score);
    let missing: Vec<&str> = assessment.missing.iter().map(AsRef::as_ref).collect();
    let feedback = json!({
        "issueCount": assessment.issues.len(),
        "criticalCount": assessment.count_severity(Severity::Critical),
        "missingFields": missing,
    });
    info!(
        target: "loopctl",
        parent: span,
        event = "marc_iteration",
        documentId = id,
        iteration,
        score = %score,
        feedback = %feedback,
        improvement = %json!(improvement),
    );
    if enabled!(target: MEASURES, Level::DEBUG) {
        let issues: Vec<[&str; 2]> =
            assessment.issues.iter().map(|issue| [issue.code.as_str(), issue.severity.as_str()]).collect();
        debug!(target: MEASURES, parent: span, event = "issues", issues = %json!(issues));
    }
}

/// Rounds off the errors of addition: twelve decimals, a thousandth of what comparisons of scores allow.
fn short(score: f64) -> f64 {
    (score * 1e12).round() / 1e12
}

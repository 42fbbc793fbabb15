//! A value that was typed in, checked and scored before it is kept.

use super::decide::DecisionForm;
use super::open_document::OpenDocument;
use crate::review::{Decision, FieldPath, ReviewedScore, ShownIssue};
use serde_json::Value;

/// The result of checking a value that was typed in.
pub(super) enum ValueCheck {
    /// It can't be one of the field's; the member of the form that is wrong, and why.
    Invalid(Option<String>, String),
    /// It can be kept.
    Checked(Box<CheckedValue>),
}

/// A value that can be kept, with the profile's verdict on the extraction with it.
pub(super) struct CheckedValue {
    pub(super) value: Option<Value>,
    /// The overall score with the decisions before.
    pub(super) before: Option<f64>,
    /// The score with this value, or the reason why there is none.
    pub(super) score: Result<ReviewedScore, String>,
    /// Issues about the field that would be left.
    pub(super) issues: Vec<ShownIssue>,
}

/// A form that was sent and is shown again.
pub(super) struct RedisplayedForm {
    pub(super) submitted: DecisionForm,
    pub(super) typed: ValueCheck,
}

/// Scores the document as it would be with a decision, and takes the decision out again.
pub(super) fn check(open: &mut OpenDocument, decision: Decision) -> CheckedValue {
    let before = open.document.reviewed();
    let before = if before.is_corrected(&open.document) {
        open.score(&before.extraction).ok().map(|score| score.assessment.overall)
    } else {
        open.document.result.best_validation.as_ref().map(|validation| validation.overall)
    };
    let (value, field) = (decision.value().cloned(), decision.content.field.clone());
    open.document.decisions.push(decision);
    let score = open.score(&open.document.reviewed().extraction);
    open.document.decisions.pop();
    let about = |path: &FieldPath, score: &ReviewedScore| -> Vec<ShownIssue> {
        let issues = score.assessment.issues.iter().filter(|issue| {
            issue
                .path
                .strip_prefix(path.pointer())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        issues.map(ShownIssue::of).collect()
    };
    let issues = field.zip(score.as_ref().ok()).map(|(path, score)| about(&path, score)).unwrap_or_default();
    CheckedValue { value, before, score, issues }
}

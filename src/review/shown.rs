//! A document as a reviewer is shown it: each field with its value, where the document says it, what else the document says, and what
//! was decided.

use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::fields::ReviewField;
use super::passage::Passage;
use super::queue::Reason;
use super::reviewed::{FieldReview, ReviewState, Reviewed};
use super::source_text::SourceText;
use crate::plan::Plan;
use crate::rules::Assertion;
use crate::score::{Issue, Support, read_mentions};
use serde::Serialize;
use serde_json::Value;

/// A document as it is shown.
#[derive(Serialize)]
pub(crate) struct ShownDocument<'a> {
    pub(crate) document: &'a str,
    pub(crate) document_type: &'a str,
    pub(crate) run: String,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) final_status: &'static str,
    pub(crate) stop_reason: String,
    pub(crate) overall: Option<f64>,
    pub(crate) state: ReviewState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decided_by: Option<String>,
    pub(crate) fields: Vec<ShownField>,
    /// Issues that are at none of the fields.
    pub(crate) issues: Vec<ShownIssue>,
    pub(crate) comments: Vec<ShownComment>,
    /// Decisions about another result, which do not count.
    pub(crate) outdated: usize,
    /// Why nothing of the document's text is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) without_text: Option<String>,
    /// What tells this result from others.
    pub(crate) shown: &'a str,
}

/// A field of it.
#[derive(Serialize)]
pub(crate) struct ShownField {
    pub(crate) field: String,
    /// What was extracted.
    pub(crate) value: Option<Value>,
    pub(crate) support: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<Passage>,
    /// What the document says of the field elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rivals: Vec<Rival>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) issues: Vec<ShownIssue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) decisions: Vec<ShownDecision>,
    /// Whether reviewers say different things.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) disputed: bool,
}

/// Another value that the document says.
#[derive(Serialize)]
pub(crate) struct Rival {
    pub(crate) value: String,
    pub(crate) place: Passage,
}

/// What is wrong with a field or with the whole.
#[derive(Serialize)]
pub(crate) struct ShownIssue {
    pub(crate) code: String,
    pub(crate) severity: &'static str,
    pub(crate) path: String,
    pub(crate) message: String,
}

/// What a reviewer says of a field.
#[derive(Serialize)]
pub(crate) struct ShownDecision {
    pub(crate) reviewer: String,
    pub(crate) at: String,
    pub(crate) action: &'static str,
    pub(crate) value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) comment: Option<String>,
}

/// What a reviewer says of the whole.
#[derive(Serialize)]
pub(crate) struct ShownComment {
    pub(crate) reviewer: String,
    pub(crate) at: String,
    pub(crate) comment: String,
}

impl<'a> ShownDocument<'a> {
    pub(crate) fn of(
        document: &'a ReviewDocument,
        run: &str,
        source: &SourceText,
        plan: Option<&Plan>,
    ) -> Self {
        let (result, reviewed) = (&document.result, document.reviewed());
        let issues = || result.best_validation.iter().flat_map(|validation| &validation.issues);
        // What others decided was there is a field, too.
        let mut rows = document.fields(document.extraction());
        for (path, _) in reviewed.fields() {
            if !rows.iter().any(|row| row.path == *path) {
                let value = path.of(document.extraction()).cloned();
                rows.push(ReviewField { path: path.clone(), value });
            }
        }
        let fields: Vec<ShownField> = rows
            .iter()
            .map(|row| ShownField::of(&row.path, row.value.clone(), document, &reviewed, source, plan))
            .collect();
        let is_elsewhere = |issue: &&Issue| !rows.iter().any(|row| is_at(issue, &row.path));
        ShownDocument {
            document: document.id(),
            document_type: &result.document_type,
            run: run.to_owned(),
            reasons: document.reasons(),
            final_status: result.final_status.as_str(),
            stop_reason: result.stop_reason.to_string(),
            overall: result.best_validation.as_ref().map(|validation| validation.overall),
            state: reviewed.state,
            fields,
            issues: issues().filter(is_elsewhere).map(ShownIssue::of).collect(),
            comments: reviewed
                .comments
                .iter()
                .map(|(reviewer, at, comment)| ShownComment {
                    reviewer: reviewer.clone(),
                    at: at.to_string(),
                    comment: comment.clone(),
                })
                .collect(),
            outdated: reviewed.outdated,
            decided_by: reviewed.decided_by,
            without_text: match source {
                SourceText::Unchanged(document) => document.text.as_ref().err().map(ToString::to_string),
                SourceText::NotThere(why) => Some(why.clone()),
            },
            shown: &document.shown,
        }
    }
}

impl ShownField {
    /// Whether the value needs review: the document does not verify it, has conflicting mentions of it, or an issue is about it.
    pub(crate) fn is_doubtful(&self) -> bool {
        let is_unverified =
            matches!(self.support, Some("quoted" | "unsupported" | "contradicted" | "conflicting"));
        let is_wrong = |issue: &ShownIssue| matches!(issue.severity, "major" | "critical");
        is_unverified || self.issues.iter().any(is_wrong)
    }

    fn of(
        path: &FieldPath,
        value: Option<Value>,
        document: &ReviewDocument,
        reviewed: &Reviewed,
        source: &SourceText,
        plan: Option<&Plan>,
    ) -> Self {
        let validation = document.result.best_validation.as_ref();
        let leaf = validation.and_then(|validation| {
            validation.evidence.iter().find(|(at, _)| *at == path.pointer()).map(|(_, leaf)| leaf)
        });
        let place = leaf.and_then(|leaf| leaf.span).zip(source.text());
        let place = place.map(|(span, text)| Passage::of(text, span));
        let is_rivalled =
            leaf.is_some_and(|leaf| matches!(leaf.support, Support::Conflicting | Support::Contradicted));
        let rivals = match (plan, source.text(), &value) {
            (Some(plan), Some(text), Some(value)) if is_rivalled => rivals(plan, path, value, text),
            _ => Vec::new(),
        };
        let issues = validation.iter().flat_map(|validation| &validation.issues);
        let field = reviewed.field(path);
        let decisions = field.iter().flat_map(|field| field.positions());
        ShownField {
            field: path.to_string(),
            value,
            support: leaf.map(|leaf| leaf.support.as_str()),
            quote: leaf.and_then(|leaf| leaf.quote.map(str::to_owned)),
            place,
            rivals,
            issues: issues.filter(|issue| is_at(issue, path)).map(ShownIssue::of).collect(),
            decisions: decisions
                .map(|position| ShownDecision {
                    reviewer: position.reviewer.clone(),
                    at: position.at.to_string(),
                    action: position.action.as_str(),
                    value: position.value.clone(),
                    comment: position.comment.clone(),
                })
                .collect(),
            disputed: field.is_some_and(FieldReview::is_disputed),
        }
    }
}

impl ShownIssue {
    /// An issue as people read it.
    pub(crate) fn of(issue: &Issue) -> Self {
        ShownIssue {
            code: issue.code.to_string(),
            severity: issue.severity.as_str(),
            path: issue.path.to_string(),
            message: issue.message.to_string(),
        }
    }
}

/// Whether an issue is about a field: at it, or within it.
fn is_at(issue: &Issue, path: &FieldPath) -> bool {
    issue.path.strip_prefix(path.pointer()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a document affirms of a field besides its value.
fn rivals(plan: &Plan, path: &FieldPath, value: &Value, text: &str) -> Vec<Rival> {
    let name = path.last();
    let mentions = read_mentions(plan.scoring.rules().evidence(), &name, text).unwrap_or_default();
    let read = plan.scoring.comparison().shown(&name, value);
    mentions
        .into_iter()
        .filter(|mention| mention.context == Assertion::Affirmed && mention.value != read)
        .map(|mention| Rival { place: Passage::of(text, mention.span), value: mention.value })
        .collect()
}

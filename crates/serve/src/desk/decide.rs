//! Decisions of a reviewer: checked as rows of a worksheet are, and kept if the document is theirs and as they saw it.

use super::lease;
use super::open_document::OpenDocument;
use crate::api::ApiError;
use crate::review::{
    Action, Decision, Entry, EntryContext, FieldInput, FieldPath, Written, checked_entries, standing,
};
use crate::state::Service;
use crate::store::{LeasedAppend, LeasedDocument, NewReview};
use crate::value::{DocumentId, MAX_CANDIDATE_DEPTH, is_blank, is_present};
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The longest name of a field, in bytes.
const LONGEST_FIELD: usize = 4 << 10;

/// The most steps down to a field: an extraction is no deeper.
const MOST_STEPS: usize = MAX_CANDIDATE_DEPTH;

/// A form of the desk, as it is sent. Members that were left empty are empty.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct DecisionForm {
    /// The word for the action.
    pub(super) decision: String,
    /// The field; empty of the document as a whole.
    pub(super) field: String,
    /// The right value, as it was typed in.
    pub(super) after: String,
    pub(super) comment: String,
    /// The time it took, in milliseconds.
    pub(super) spent_ms: String,
    /// The digest of the result that was shown.
    pub(super) shown: String,
    /// The number of the latest decision when the page was made.
    pub(super) seen: String,
    /// Not empty if the reviewer was asked about fields in doubt.
    pub(super) confirmed: String,
    /// The issue of the document as a whole that is answered.
    pub(super) issue: String,
    /// Not empty if it is the last word where reviewers differ.
    pub(super) settles: String,
}

impl DecisionForm {
    /// Returns whether it is meant as the last word where reviewers differ.
    pub(super) fn settles(&self) -> bool {
        !self.settles.is_empty() || self.decision.starts_with(TAKE)
    }
}

/// The reason why nothing was kept.
pub(super) enum DecisionError {
    /// The document is another reviewer's, or has changed since.
    Conflict(ApiError),
    /// The form can't be a decision; the member that is wrong, and why.
    Invalid(Option<String>, String),
    /// The journal failed.
    Failed(ApiError),
}

impl From<ApiError> for DecisionError {
    fn from(error: ApiError) -> Self {
        DecisionError::Failed(error)
    }
}

/// The prefix of an answer that another reviewer gave before: that reviewer's name follows.
const TAKE: &str = "take:";

/// The action that was sent.
fn action_of(submitted: &DecisionForm) -> Result<Action, DecisionError> {
    Action::written(&submitted.decision).ok_or_else(|| {
        let known = Action::ALL.map(|action| format!("`{}`", action.as_str())).join(", ");
        DecisionError::Invalid(Some("decision".to_owned()), format!("expected one of {known}"))
    })
}

/// The decision that a form makes, if it can be one.
pub(super) fn decision_of(
    open: &OpenDocument,
    submitted: &DecisionForm,
    reviewer: &str,
) -> Result<Decision, DecisionError> {
    let id = open.document.id();
    if submitted.shown != open.document.shown {
        return Err(DecisionError::Conflict(lease::changed(id, "there is another result")));
    }
    let entry = entry_of(open, submitted)?;
    if Action::written(&submitted.decision) == Some(Action::Undo) && to_undo(open, reviewer).is_none() {
        let why = "you have no decision here that could be undone".to_owned();
        return Err(DecisionError::Invalid(Some("decision".to_owned()), why));
    }
    let context = EntryContext {
        documents: &BTreeMap::from([(id.to_owned(), &open.document)]),
        known: &[id.to_owned()],
        reviewer: Some(reviewer),
        now: Timestamp::now(),
        comparison: open.profile.plan.as_deref().map(|plan| plan.scoring.comparison()),
    };
    let checked = checked_entries(&[entry], &context);
    match (checked.decisions.into_iter().next(), checked.errors.into_iter().next()) {
        (Some(mut decision), None) => {
            decision.content.blind = open.is_blind;
            // Two decisions of one moment are two.
            decision.content.entry = None;
            Ok(decision)
        }
        (_, Some(error)) => Err(DecisionError::Invalid(error.column, error.message)),
        (None, None) => Err(DecisionError::Invalid(None, "this has already been decided".to_owned())),
    }
}

/// The latest decision of a reviewer that was not taken back, which `undo` takes back.
pub(super) fn to_undo<'a>(open: &'a OpenDocument, reviewer: &str) -> Option<&'a Decision> {
    standing(&open.document).into_iter().rfind(|one| one.reviewer == reviewer)
}

fn entry_of(open: &OpenDocument, submitted: &DecisionForm) -> Result<Entry, DecisionError> {
    let field = Some(submitted.field.trim()).filter(|field| !field.is_empty());
    if field.is_some_and(|field| field.len() > LONGEST_FIELD || field.matches('/').count() > MOST_STEPS) {
        let why = "the name of the field is too long".to_owned();
        return Err(DecisionError::Invalid(Some("field".to_owned()), why));
    }
    let comment = Some(submitted.comment.trim()).filter(|text| !is_blank(text)).map(str::to_owned);
    if let (Some(whose), Some(field)) = (submitted.decision.strip_prefix(TAKE), field) {
        return Ok(taken(open, field, whose)?.with_notes(comment, submitted.spent_ms.parse().ok()));
    }
    let action = action_of(submitted)?;
    let issue = Some(submitted.issue.trim()).filter(|issue| !issue.is_empty()).map(str::to_owned);
    let entry = Entry::decided(open.document.id(), field, action, Timestamp::now())
        .with_issue(issue)
        .with_settles(!submitted.settles.is_empty());
    if action == Action::Reject && comment.is_none() {
        let why = "say why, so that others know".to_owned();
        return Err(DecisionError::Invalid(Some("comment".to_owned()), why));
    }
    let entry = entry.with_notes(comment, submitted.spent_ms.parse().ok());
    if action == Action::Retype {
        return Ok(entry.with_after(Written::Json(known_type(open, submitted.after.trim())?.into())));
    }
    if !matches!(action, Action::Edit | Action::Missed) || is_blank(&submitted.after) {
        return Ok(entry);
    }
    let path = FieldPath::named(field.unwrap_or_default());
    let input = FieldInput::of(&open.document, &path, open.profile.plan.as_deref());
    let after =
        input.read(&submitted.after).map_err(|why| DecisionError::Invalid(Some("after".to_owned()), why))?;
    Ok(entry.with_after(after))
}

/// A type that the profile of the run has.
fn known_type<'t>(open: &OpenDocument, named: &'t str) -> Result<&'t str, DecisionError> {
    let invalid = |why: String| DecisionError::Invalid(Some("after".to_owned()), why);
    if named.is_empty() {
        return Err(invalid("choose the right type".to_owned()));
    }
    match open.profile.plan.as_deref() {
        Some(plan) if !plan.document_types().any(|known| known == named) => {
            let known: Vec<&str> = plan.document_types().collect();
            Err(invalid(format!("the profile has no such type; expected one of {}", known.join(", "))))
        }
        _ => Ok(named),
    }
}

/// The answer of another reviewer, as the last word.
fn taken(open: &OpenDocument, field: &str, whose: &str) -> Result<Entry, DecisionError> {
    let path = FieldPath::named(field);
    let reviewed = open.document.reviewed();
    let Some(position) = reviewed.field(&path).and_then(|said| said.of(whose)) else {
        let why = "that reviewer no longer has a decision on this field".to_owned();
        return Err(DecisionError::Invalid(Some("decision".to_owned()), why));
    };
    let extracted = path.of(open.document.extraction()).filter(|value| is_present(value));
    let decided = |action: Action| {
        Entry::decided(open.document.id(), Some(field), action, Timestamp::now()).with_settles(true)
    };
    Ok(match (&position.value, extracted) {
        (None, _) => decided(Action::NotPresent),
        (Some(value), Some(extracted)) if value == extracted => {
            decided(Action::Accept).with_before(value.clone())
        }
        (Some(value), Some(_)) => decided(Action::Edit).with_after(Written::Json(value.clone())),
        (Some(value), None) => decided(Action::Missed).with_after(Written::Json(value.clone())),
    })
}

/// Keeps a decision.
pub(super) fn keep(
    service: &Service,
    open: &OpenDocument,
    submitted: &DecisionForm,
    decision: &Decision,
) -> Result<(), DecisionError> {
    let content = serde_json::to_value(&decision.content)
        .map_err(|_| ApiError::broken("a mistake in loopctl itself, please report it"))?;
    let review = NewReview {
        document: DocumentId::new(decision.document.clone()),
        at: decision.at.to_string(),
        reviewer: decision.reviewer.clone(),
        decision: content,
    };
    let held = LeasedDocument {
        document: open.stored.key,
        reviewer: &decision.reviewer,
        now_ms: lease::now_ms(),
        seen: submitted.seen.parse().unwrap_or(u64::MAX),
    };
    match service.journal.append_held_reviews(&held, &[review]).map_err(ApiError::from)? {
        LeasedAppend::Kept => Ok(()),
        LeasedAppend::NotHeld(lease) => {
            Err(DecisionError::Conflict(lease::not_held(open.document.id(), lease.as_ref())))
        }
        LeasedAppend::Changed => Err(DecisionError::Conflict(lease::changed(
            open.document.id(),
            "something was decided about the result",
        ))),
    }
}

//! The review of a document, in short, for pages and answers beside the desk.

use crate::result::DocumentResult;
use crate::review::{Decision, DeclaredFields, ReviewDocument, ReviewState};
use crate::store::{Journal, RunId, StoreError};
use crate::value::DocumentId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// The review of a document so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct Decided {
    /// `in_review`, `accepted`, `rejected`, or `disputed` while reviewers differ and nothing settles it.
    pub(super) state: String,
    /// The reviewer who accepted or rejected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<String>,
}

impl Decided {
    /// The outcome of the decisions about a document; `None` while there are none about its result.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub(super) fn of(
        journal: &Journal,
        run: &RunId,
        document: &DocumentId,
    ) -> Result<Option<Self>, StoreError> {
        let kept = journal.reviews_of(run, document)?;
        if kept.is_empty() {
            return Ok(None);
        }
        let Some((stored, Some(outcome))) = journal.document(run, document)? else { return Ok(None) };
        let Ok(result) = DocumentResult::deserialize(outcome) else { return Ok(None) };
        let decisions = kept.iter().filter_map(|kept| {
            Decision::read(kept.document.as_str(), &kept.reviewer, &kept.at, &kept.decision)
        });
        let digest = &stored.record.source_digest;
        let declared = Arc::new(DeclaredFields::default());
        let reviewed = ReviewDocument::new(result, digest, declared, decisions.collect()).reviewed();
        let is_begun = reviewed.state != ReviewState::Waiting;
        Ok(is_begun.then(|| Decided { state: reviewed.state.as_str().to_owned(), by: reviewed.decided_by }))
    }

    /// Returns whether a reviewer accepted or rejected it.
    pub(super) fn is_settled(&self) -> bool {
        [ReviewState::Accepted, ReviewState::Rejected].iter().any(|state| self.state == state.as_str())
    }

    /// In words: `accepted by a.meyer`.
    pub(super) fn words(&self) -> String {
        let state = self.state.replace('_', " ");
        match &self.by {
            Some(by) => format!("{state} by {by}"),
            None => state,
        }
    }
}

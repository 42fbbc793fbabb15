//! The exported data of one document.

use super::corrections::Applied;
use crate::policy::FinalStatus;
use crate::result::DocumentResult;
use crate::review::ReviewState;
use serde_json::Value;

/// The decision about a document, in the words of a run's summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentDecision {
    /// Accepted, or there was nothing to do.
    Passed,
    /// A person must review it, whether it was accepted or not.
    NeedsReview,
    /// Carried to an end without being accepted.
    NotPassed,
    /// It could not be handled.
    Failed,
    /// Tried as often as it may be.
    GivenUp,
    /// A user stopped it.
    Stopped,
    /// Not run yet, or to be run again.
    Waiting,
}

impl DocumentDecision {
    /// Of a document that has a result.
    pub(crate) fn of(result: &DocumentResult) -> Self {
        match result.final_status {
            FinalStatus::Cancelled => DocumentDecision::Stopped,
            _ if result.review => DocumentDecision::NeedsReview,
            status if status.passes() => DocumentDecision::Passed,
            FinalStatus::Failed => DocumentDecision::Failed,
            _ => DocumentDecision::NotPassed,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            DocumentDecision::Passed => "passed",
            DocumentDecision::NeedsReview => "needs review",
            DocumentDecision::NotPassed => "not passed",
            DocumentDecision::Failed => "failed",
            DocumentDecision::GivenUp => "given up",
            DocumentDecision::Stopped => "stopped",
            DocumentDecision::Waiting => "waiting",
        }
    }
}

/// A document of a run.
#[derive(Debug)]
pub(crate) struct ExportedDocument {
    pub(crate) id: String,
    pub(crate) document_type: String,
    /// SHA-256 of its bytes.
    pub(crate) source_digest: String,
    pub(crate) decision: DocumentDecision,
    /// The state of its review; `None` where no one has decided anything about this result.
    pub(crate) reviewed: Option<ReviewState>,
    /// The subjects that reviewers differ about while nothing settles them.
    pub(crate) disputed: Vec<String>,
    /// `true` if reviewers corrected it, and the extracted values are exported all the same.
    pub(crate) is_uncorrected: bool,
    /// With reviewers' corrections applied.
    pub(crate) result: Option<DocumentResult>,
    /// The reason why there is no result, or the error.
    pub(crate) detail: Option<String>,
    /// Reviewers' corrections that were applied.
    pub(crate) corrected: Vec<Applied>,
}

impl ExportedDocument {
    /// Returns whether it may be relied on: it passed, does not need review, and was accepted if it was reviewed all
    /// the same, with the values that were accepted.
    pub(crate) fn is_final(&self) -> bool {
        self.decision == DocumentDecision::Passed
            && !self.is_uncorrected
            && matches!(self.reviewed, None | Some(ReviewState::Accepted))
    }

    /// The members at the top of its extraction.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        let extraction = self.result.as_ref().and_then(|result| result.best_extraction.as_deref());
        let members = extraction.and_then(Value::as_object);
        members.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }

    /// The latest correction of a field, or of something within it, that changed it.
    pub(crate) fn correction_of(&self, field: &str) -> Option<&Applied> {
        self.corrected.iter().rfind(|applied| applied.top == field && !applied.confirms())
    }

    /// The latest decision that a field, or something within it, is right as it was extracted.
    pub(crate) fn confirmation_of(&self, field: &str) -> Option<&Applied> {
        self.corrected.iter().rfind(|applied| applied.top == field && applied.confirms())
    }
}

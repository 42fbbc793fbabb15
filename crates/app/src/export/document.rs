//! The exported data of one document.

use super::corrections::Applied;
use crate::policy::FinalStatus;
use crate::result::DocumentResult;
use crate::review::ReviewState;
use crate::score::{Assessment, LeafEvidence};
use serde_json::Value;

/// The decision about a document, in the words of a run's summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentDecision {
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
    pub fn of(result: &DocumentResult) -> Self {
        let unreviewed = match result.final_status {
            FinalStatus::Cancelled => return DocumentDecision::Stopped,
            FinalStatus::Passed | FinalStatus::Skipped => DocumentDecision::Passed,
            FinalStatus::Failed => DocumentDecision::Failed,
            FinalStatus::MaxIterationsReached | FinalStatus::StoppedEarly | FinalStatus::Incomplete => {
                DocumentDecision::NotPassed
            }
        };
        if result.review { DocumentDecision::NeedsReview } else { unreviewed }
    }

    /// Returns the word for the decision in exports, such as `needs review`.
    pub fn as_str(self) -> &'static str {
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
pub struct ExportedDocument {
    /// The id of the document, unique in the run.
    pub id: String,
    /// The type of the document, given or found; empty until it is known.
    pub document_type: String,
    /// SHA-256 of its bytes.
    pub source_digest: String,
    /// The decision about the document: passed, failed, still waiting, and so on.
    pub decision: DocumentDecision,
    /// The state of its review; `None` where no one has decided anything about this result.
    pub reviewed: Option<ReviewState>,
    /// The subjects that reviewers differ about while nothing settles them.
    pub disputed: Vec<String>,
    /// The type that it has by the decision of a reviewer, if it was run with another one.
    pub corrected_type: Option<String>,
    /// `true` if reviewers corrected it, and the extracted values are exported all the same.
    pub is_uncorrected: bool,
    /// With reviewers' corrections applied.
    pub result: Option<DocumentResult>,
    /// The reason why there is no result, or the error.
    pub detail: Option<String>,
    /// Reviewers' corrections that were applied.
    pub corrected: Vec<Applied>,
}

impl ExportedDocument {
    /// Returns whether it may be relied on: it passed, does not need review, and was accepted if it was reviewed all
    /// the same, with the values that were accepted, as of the type that it has.
    pub fn is_final(&self) -> bool {
        self.decision == DocumentDecision::Passed
            && !self.is_uncorrected
            && self.corrected_type.is_none()
            && matches!(self.reviewed, None | Some(ReviewState::Accepted))
    }

    /// The members at the top of its extraction.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        let extraction = self.result.as_ref().and_then(|result| result.best_extraction.as_deref());
        let members = extraction.and_then(Value::as_object);
        members.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }

    /// The assessment of its extraction.
    pub(super) fn validation(&self) -> Option<&Assessment> {
        self.result.as_ref()?.best_validation.as_ref()
    }

    /// The evidence of its values, each with its path. A reviewer's value has none.
    pub(super) fn evidence(&self) -> impl Iterator<Item = (&str, LeafEvidence<'_>)> {
        let all = self.validation().into_iter().flat_map(|validation| validation.evidence.iter());
        all.filter(|(path, _)| !self.corrected.iter().any(|applied| applied.replaces(path)))
    }

    /// The latest correction of a field, or of something within it, that changed it.
    pub fn correction_of(&self, field: &str) -> Option<&Applied> {
        self.corrected.iter().rfind(|applied| applied.top == field && !applied.confirms())
    }

    /// The latest decision that a field, or something within it, is right as it was extracted.
    pub fn confirmation_of(&self, field: &str) -> Option<&Applied> {
        self.corrected.iter().rfind(|applied| applied.top == field && applied.confirms())
    }
}

//! What is exported of one document.

use super::corrections::Applied;
use crate::policy::FinalStatus;
use crate::result::DocumentResult;
use crate::review::ReviewState;
use serde_json::Value;

/// What became of a document, in the words of a run's summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Accepted, or there was nothing to do.
    Passed,
    /// A person must look at it, whether it was accepted or not.
    NeedsReview,
    /// Carried to an end without being accepted.
    NotPassed,
    /// It could not be handled.
    Failed,
    /// Tried as often as it may be.
    GivenUp,
    /// Somebody stopped it.
    Stopped,
    /// Not run yet, or to be run again.
    Waiting,
}

impl Decision {
    /// Of a document that has a result.
    pub(crate) fn of(result: &DocumentResult) -> Self {
        match result.final_status {
            FinalStatus::Cancelled => Decision::Stopped,
            _ if result.review => Decision::NeedsReview,
            status if status.passes() => Decision::Passed,
            FinalStatus::Failed => Decision::Failed,
            _ => Decision::NotPassed,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Decision::Passed => "passed",
            Decision::NeedsReview => "needs review",
            Decision::NotPassed => "not passed",
            Decision::Failed => "failed",
            Decision::GivenUp => "given up",
            Decision::Stopped => "stopped",
            Decision::Waiting => "waiting",
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
    pub(crate) decision: Decision,
    /// What reviewers made of it; `None` where nobody has decided anything about this result.
    pub(crate) reviewed: Option<ReviewState>,
    /// With what reviewers put right.
    pub(crate) result: Option<DocumentResult>,
    /// Why there is no result, or what went wrong.
    pub(crate) detail: Option<String>,
    /// What reviewers put right.
    pub(crate) corrected: Vec<Applied>,
}

impl ExportedDocument {
    /// Whether it may be relied on: it passed, nobody has to look at it, and whoever did so all the same accepted it.
    pub(crate) fn is_final(&self) -> bool {
        self.decision == Decision::Passed && matches!(self.reviewed, None | Some(ReviewState::Accepted))
    }

    /// The members at the top of its extraction.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        let extraction = self.result.as_ref().and_then(|result| result.best_extraction.as_deref());
        let members = extraction.and_then(Value::as_object);
        members.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }

    /// The latest correction of a field, or of something within it.
    pub(crate) fn correction_of(&self, field: &str) -> Option<&Applied> {
        self.corrected.iter().rfind(|applied| applied.top == field)
    }
}

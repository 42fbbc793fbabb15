//! What the journal holds, as its callers see it.

#[cfg(feature = "journal")]
use super::{ArtifactName, DocumentKey, DocumentStage, RunStage};
use crate::value::{DocumentId, Millis};
use serde_json::Value;
use std::fmt;
use std::path::PathBuf;

/// The kind of the row that says that a document was gone on with: `keeps` is how many of the events before it count.
/// What follows them, such as that someone stopped it, does not count any more.
pub(crate) const RESUMED: &str = "resumed";

/// The name of a run: its time of start (UTC) and a number, unique in the journal. Ids sort by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// An id from outside, such as an argument of the command line.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        RunId(id.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is known when a run begins, and needed to go on with it. Secrets have no place here.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// When, as RFC 3339.
    pub started_at: String,
    /// Name of the profile.
    pub profile: String,
    /// Digest of the checked profile: a resumed run must have the same.
    pub profile_digest: String,
    /// Version of loopctl.
    pub loopctl_version: String,
    /// Names, versions and digests of the plugins, as JSON.
    pub plugins: Value,
    /// Whatever else the caller needs to go on: overrides, output folder.
    pub settings: Value,
}

#[cfg(feature = "journal")]
/// A run in the journal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// Its id.
    pub id: RunId,
    /// What was recorded at its beginning.
    pub record: RunRecord,
    /// When it ended, as RFC 3339; `None` while it goes on and after a crash.
    pub finished_at: Option<String>,
    /// How many documents it began.
    pub documents: u64,
    /// How many of them are over: finished, or failed.
    pub finished_documents: u64,
    /// How far it has come.
    pub stage: RunStage,
    /// Whether every input is among its documents.
    pub listed: bool,
}

/// What is known when a document begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its id, unique in the run.
    pub id: DocumentId,
    /// Its type.
    pub document_type: String,
    /// SHA-256 of its bytes, in hexadecimal: a resumed document must have the same.
    pub source_digest: String,
    /// Its file, if it has one.
    pub path: Option<PathBuf>,
}

#[cfg(feature = "journal")]
/// A document in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredDocument {
    /// Where it is in the journal.
    pub key: DocumentKey,
    /// What was recorded at its beginning. A path that is not Unicode comes back with replacement characters.
    pub record: DocumentRecord,
    /// How many events it has.
    pub events: u64,
    /// Whether it is over: finished, or failed.
    pub finished: bool,
    /// How far it has come.
    pub stage: DocumentStage,
    /// How often somebody began to work on it.
    pub attempts: u32,
    /// Why it has no result of its own.
    pub reason: Option<String>,
    /// Its files in the folder of artifacts.
    pub artifact: Option<ArtifactName>,
}

/// An answer that came and was not looked at before its process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Which call of the document.
    pub call: String,
    /// SHA-256 of what was asked.
    pub question: Vec<u8>,
    /// What came back, as it came.
    pub answer: Vec<u8>,
}

/// One event of a document.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredEvent {
    /// Its place among the document's events: 0, 1, 2, …
    pub seq: u64,
    /// When, counted from the start of the run.
    pub at: Millis,
    /// What kind of event.
    pub kind: String,
    /// The event.
    pub payload: Value,
}

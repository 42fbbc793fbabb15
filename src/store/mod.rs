//! What a run leaves behind: the journal of every event (SQLite; feature `journal`), and the artifacts that people read.

mod artifact;
mod error;
mod event_log;
#[cfg(feature = "journal")]
mod history;
#[cfg(feature = "journal")]
mod journal;
mod record;
#[cfg(feature = "journal")]
mod schema;

pub use artifact::{Artifact, Artifacts};
pub use error::StoreError;
pub use event_log::EventLog;
pub(crate) use event_log::NoJournal;
#[cfg(feature = "journal")]
pub use journal::Journal;
pub use record::{DocumentRecord, RunId, RunRecord, StoredDocument, StoredEvent, StoredRun};

//! What a run leaves behind: the journal of every event (SQLite), and the artifacts that people read.

mod artifact;
mod error;
mod history;
mod journal;
mod record;
mod schema;

pub use artifact::{Artifact, Artifacts};
pub use error::StoreError;
pub use journal::Journal;
pub use record::{DocumentRecord, RunId, RunRecord, StoredDocument, StoredEvent, StoredRun};
pub use schema::FORMAT_VERSION;

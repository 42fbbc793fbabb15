//! The records of a run: the journal of every event and of what people decided (SQLite; feature `journal`), and the
//! artifacts that people read.

#[cfg(feature = "journal")]
mod access;
mod artifact;
#[cfg(feature = "journal")]
mod entries;
mod error;
mod event_log;
#[cfg(feature = "journal")]
mod figures;
#[cfg(feature = "journal")]
mod history;
#[cfg(feature = "journal")]
mod jobs;
#[cfg(feature = "journal")]
mod journal;
#[cfg(feature = "journal")]
mod leases;
#[cfg(feature = "journal")]
mod marks;
#[cfg(feature = "journal")]
mod names;
#[cfg(feature = "journal")]
mod progress;
#[cfg(feature = "journal")]
mod queue;
mod receipt;
mod record;
#[cfg(feature = "journal")]
mod review_shares;
#[cfg(feature = "journal")]
mod reviews;
#[cfg(feature = "journal")]
mod runs;
#[cfg(feature = "journal")]
mod schema;
#[cfg(feature = "journal")]
mod splits;
#[cfg(feature = "journal")]
mod waves;
#[cfg(feature = "journal")]
mod worker;

#[cfg(feature = "journal")]
pub use access::{AccessRecord, AccessRetention, NewToken, StoredToken};
pub use artifact::{Artifact, Artifacts};
#[cfg(feature = "journal")]
pub use entries::WorkerLog;
pub use error::StoreError;
#[doc(hidden)]
pub use event_log::NoJournal;
pub use event_log::{DocumentKey, DocumentStage, EventLog, LogEntry, PostponedCall};
#[cfg(feature = "journal")]
pub use figures::{
    DocumentDetail, DocumentFigures, DocumentFilter, FigureSums, FigureTotals, FiguresMark, RunFigures,
    SumsBy,
};
#[cfg(feature = "journal")]
pub use jobs::{NewJob, StoredJob, SubmitOutcome};
#[cfg(feature = "journal")]
pub use journal::Journal;
#[cfg(feature = "journal")]
pub use leases::{Lease, LeasedAppend, LeasedDocument};
#[cfg(feature = "journal")]
pub use marks::JournalMark;
#[cfg(feature = "journal")]
pub use names::ArtifactName;
#[cfg(feature = "journal")]
pub use progress::{QueueLength, StageCounts};
#[cfg(feature = "journal")]
pub use queue::{
    ClaimedDocument, EnqueueOutcome, HEARTBEAT, MOST_CRASHES, QueuedDocument, RunPulse, SILENCE, WorkerId,
    folder_key,
};
pub use receipt::Receipt;
#[doc(hidden)]
pub use record::RESUMED;
pub use record::{DocumentRecord, RunId, RunRecord, StoredAnswer, StoredEvent};
#[cfg(feature = "journal")]
pub use record::{StoredDocument, StoredRun};
#[cfg(feature = "journal")]
pub use review_shares::ReviewShares;
#[cfg(feature = "journal")]
pub use reviews::{NewReview, StoredReview};
#[cfg(feature = "journal")]
pub use runs::RunStage;
#[cfg(feature = "journal")]
pub use splits::{KnownSection, SplitFile, SplitRecord};
#[cfg(feature = "journal")]
pub use waves::{
    BatchKey, BatchSavings, IntendedBatch, LineAnswer, LineState, StoredBatch, WaitingLines, custom_id,
};
#[cfg(feature = "journal")]
pub use worker::ProcessId;

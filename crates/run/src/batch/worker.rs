//! One document of the queue, worked on in a task of its own.

use super::super::asked::Asked;
use super::super::batches::BatchNews;
use super::super::document::Assignment;
use super::super::document_log::DocumentLog;
use super::super::earlier::Earlier;
use super::super::observer::Observer;
use super::super::off_thread::on_blocking_thread;
use super::super::session::Session;
use super::queued;
use super::waves::WaveRoom;
use crate::engine::Event;
use crate::ingest::{Document, InputError};
use crate::result::DocumentResult;
use crate::store::{Claimed, DocumentKey, DocumentStage, Entry, EventLog, Journal, StoreError};
use crate::value::{DocumentId, Millis};
use serde_json::Value;
use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// A report of a task about its document. There are no more at a time than documents in flight have events.
pub(super) enum Notice {
    Read(Document),
    Started(DocumentId, String),
    Event(DocumentId, Millis, Event),
    Batch(BatchNews),
}

/// The reports that the observer wants while a document is in progress.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) documents: bool,
    pub(super) events: bool,
}

/// The end of a document's task.
pub(super) enum Ended {
    /// Its result, and the providers that it asked.
    Result(Box<DocumentResult>, Asked),
    /// It waits for a batch.
    Parked,
    /// It can't be read.
    Unusable(InputError),
    /// It can't be worked on, for this reason.
    SetAside(String),
    /// The session was stopped before it was read.
    Left,
    /// An event can't be stored.
    Broken(StoreError),
}

/// Reports about a document from its task.
struct Teller {
    notices: UnboundedSender<Notice>,
    wanted: Wanted,
}

impl Teller {
    fn tell(&self, notice: Notice) {
        // No one listens any more when the batch is aborted.
        let _ = self.notices.send(notice);
    }
}

impl Observer for Teller {
    fn read(&mut self, document: &Document) {
        if self.wanted.documents {
            self.tell(Notice::Read(document.clone()));
        }
    }

    fn started(&mut self, id: &DocumentId, document_type: &str) {
        if self.wanted.events {
            self.tell(Notice::Started(id.clone(), document_type.to_owned()));
        }
    }

    fn event(&mut self, id: &DocumentId, at: Millis, event: &Event) {
        if self.wanted.events {
            self.tell(Notice::Event(id.clone(), at, event.clone()));
        }
    }

    /// Does nothing: the batch reports it, with the result.
    fn finished(&mut self, _: &DocumentResult) {}

    fn unusable(&mut self, _: &InputError) {}
}

/// The state that the tasks of a batch share.
pub(super) struct Shared {
    pub(super) session: Arc<Session>,
    pub(super) journal: Arc<Journal>,
    pub(super) document_type: Option<String>,
    pub(super) supplied: Option<Arc<Value>>,
    pub(super) within: Option<Vec<PathBuf>>,
    pub(super) wanted: Wanted,
    pub(super) waves: Arc<WaveRoom>,
}

/// Works on a document until it has its result.
pub(super) async fn work_on(
    shared: Arc<Shared>,
    claimed: Claimed,
    notices: UnboundedSender<Notice>,
) -> Ended {
    match work(&shared, claimed, notices).await {
        Ok(ended) => ended,
        Err(error) => Ended::Broken(error),
    }
}

async fn work(
    shared: &Shared,
    claimed: Claimed,
    notices: UnboundedSender<Notice>,
) -> Result<Ended, StoreError> {
    let session = &shared.session;
    let log = DocumentLog::new(Arc::clone(&session.store.journal), claimed.document);
    // Standard input comes when it is written, and is waited for on a thread that may.
    let mut stops = session.stops();
    let (input, within) = (queued::input_of(&claimed), shared.within.clone());
    let reading = on_blocking_thread(move || {
        Ok(input.and_then(|input| queued::allowed(input, within.as_deref())).and_then(|input| input.read()))
    });
    let read = tokio::select! {
        biased;
        read = reading => read?,
        () = stops.no_more_calls() => {
            log.end(DocumentStage::Waiting, None, None).await?;
            return Ok(Ended::Left);
        }
    };
    let document = match read {
        Ok(document) => document,
        Err(error) => {
            log.end(DocumentStage::Failed, Some(error.to_string()), None).await?;
            return Ok(Ended::Unusable(error));
        }
    };
    let mut earlier = Earlier::default();
    if claimed.attempts > 0 {
        let (journal, key) = (Arc::clone(&shared.journal), claimed.document);
        let known = on_blocking_thread(move || Ok((journal.events_of(key)?, journal.answers(key)?))).await?;
        earlier = match Earlier::of(known.0, known.1) {
            Ok(known) => known,
            Err(why) => {
                log.end(DocumentStage::Failed, Some(why.clone()), None).await?;
                return Ok(Ended::SetAside(why));
            }
        };
        if claimed.source_digest != document.digest {
            // The text has changed: nothing that was found in the one before counts.
            earlier.forget();
        }
    }
    let mut teller = Teller { notices, wanted: shared.wanted };
    teller.read(&document);
    let artifacts = match (&session.store.artifacts, &claimed.artifact) {
        (Some(artifacts), Some(name)) => Some(artifacts.within(name.shard().as_deref())?),
        (artifacts, _) => artifacts.clone(),
    };
    let later = shared.waves.later(claimed.document, &log, &earlier, claimed.attempts > 0).await?;
    let asked = session.asked_anew();
    let assignment = Assignment {
        document: &document,
        document_type: document.document_type.as_deref().or(shared.document_type.as_deref()),
        supplied: shared.supplied.clone(),
        log,
        artifacts,
        earlier,
        later,
    };
    let result = session.run_asking(&asked, assignment, &mut teller).await?;
    Ok(result.map_or(Ended::Parked, |result| Ended::Result(Box::new(result), asked)))
}

/// The reason that a cancelled document has no result.
pub(super) const CANCELLED: &str = "it was cancelled";

/// Quarantines a document that was cancelled in flight.
pub(super) async fn cancelled(log: &dyn EventLog, document: DocumentKey) -> Result<(), StoreError> {
    let reason = Some(CANCELLED.to_owned());
    log.write(document, vec![Entry::Ended { stage: DocumentStage::Failed, reason, outcome: None }]).await
}

/// Quarantines a document whose task panicked. Returns the reason, for people.
pub(super) async fn set_aside(
    log: &dyn EventLog,
    document: DocumentKey,
    panic: Box<dyn Any + Send>,
) -> Result<String, StoreError> {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a word");
    let why = format!("a mistake in loopctl itself, please report it: it panicked ({said})");
    let ended = Entry::Ended { stage: DocumentStage::Failed, reason: Some(why.clone()), outcome: None };
    log.write(document, vec![ended]).await?;
    Ok(why)
}

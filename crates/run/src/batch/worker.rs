//! One document of the queue, worked on in a task of its own.

use super::super::batches::BatchNews;
use super::super::consultants::ConsultedProviders;
use super::super::document::Assignment;
use super::super::document_log::DocumentLog;
use super::super::off_thread::on_blocking_thread;
use super::super::prior_work::PriorWork;
use super::super::run_observer::RunObserver;
use super::super::session::Session;
use super::super::split_files::{split_rules, stored};
use super::reading::Reading;
use super::waves::WaveContext;
use crate::engine::Event;
use crate::ingest::{Document, InputError, ReadingProgress};
use crate::result::DocumentResult;
use crate::store::{
    ClaimedDocument, DocumentKey, DocumentStage, EventLog, Journal, LogEntry, QueuedDocument, StoreError,
    WorkerId,
};
use crate::value::{DocumentId, Millis};
use serde_json::Value;
use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// A report of a task about its document. There are no more at a time than documents in flight have events.
pub(super) enum WorkerEvent {
    /// OCR begins a page of the document of this id.
    Reading(DocumentId, ReadingProgress),
    Read(Document),
    Started(DocumentId, String),
    Event(DocumentId, Millis, Event),
    Batch(BatchNews),
}

/// The reports that the observer wants while a document is in progress.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObserverInterest {
    pub(super) documents: bool,
    pub(super) events: bool,
}

/// The end of a document's task.
pub(super) enum TaskEnd {
    /// Its result, and the providers that it asked.
    Result(Box<DocumentResult>, ConsultedProviders),
    /// It waits for a batch.
    Parked,
    /// It was a file of several documents: so many sections are documents in its place, of which this process has claimed
    /// these.
    Split(usize, Vec<ClaimedDocument>),
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
struct EventReporter {
    events: UnboundedSender<WorkerEvent>,
    interest: ObserverInterest,
}

impl EventReporter {
    fn tell(&self, event: WorkerEvent) {
        // No one listens any more when the batch is aborted.
        let _ = self.events.send(event);
    }
}

impl RunObserver for EventReporter {
    fn read(&mut self, document: &Document) {
        if self.interest.documents {
            self.tell(WorkerEvent::Read(document.clone()));
        }
    }

    fn started(&mut self, id: &DocumentId, document_type: &str) {
        if self.interest.events {
            self.tell(WorkerEvent::Started(id.clone(), document_type.to_owned()));
        }
    }

    fn event(&mut self, id: &DocumentId, at: Millis, event: &Event) {
        if self.interest.events {
            self.tell(WorkerEvent::Event(id.clone(), at, event.clone()));
        }
    }

    /// Does nothing: the batch reports it, with the result.
    fn finished(&mut self, _: &DocumentResult) {}

    fn unusable(&mut self, _: &InputError) {}
}

/// The state that the tasks of a batch share.
pub(super) struct BatchContext {
    pub(super) session: Arc<Session>,
    pub(super) journal: Arc<Journal>,
    pub(super) document_type: Option<String>,
    pub(super) supplied: Option<Arc<Value>>,
    pub(super) within: Option<Vec<PathBuf>>,
    /// The folder of artifacts, as the journal knows it.
    pub(super) folder: Option<String>,
    pub(super) worker: WorkerId,
    pub(super) interest: ObserverInterest,
    pub(super) waves: Arc<WaveContext>,
}

/// Works on a document until it has its result.
pub(super) async fn work_on(
    shared: Arc<BatchContext>,
    claimed: ClaimedDocument,
    events: UnboundedSender<WorkerEvent>,
) -> TaskEnd {
    match work(&shared, claimed, events).await {
        Ok(ended) => ended,
        Err(error) => TaskEnd::Broken(error),
    }
}

async fn work(
    shared: &Arc<BatchContext>,
    claimed: ClaimedDocument,
    events: UnboundedSender<WorkerEvent>,
) -> Result<TaskEnd, StoreError> {
    let session = &shared.session;
    let log = DocumentLog::new(Arc::clone(&session.store.journal), claimed.document);
    // Standard input comes when it is written, and is waited for on a thread that may.
    let mut stops = session.stops();
    let (context, document) = (Arc::clone(shared), claimed.clone());
    let (told, id) = (events.clone(), claimed.id.clone());
    let tell = move |progress| {
        // No one listens any more when the batch is aborted.
        let _ = told.send(WorkerEvent::Reading(id.clone(), progress));
    };
    let reading = on_blocking_thread(move || {
        let reader = context.session.reader.clone().observed(tell);
        Ok(Reading::of(&document, &context, &reader))
    });
    let read = tokio::select! {
        biased;
        read = reading => read?,
        () = stops.no_more_calls() => {
            log.end(DocumentStage::Waiting, None, None).await?;
            return Ok(TaskEnd::Left);
        }
    };
    let (document, reader) = match read {
        Ok(Reading::Document { document, reader }) => (document, reader),
        Ok(Reading::Sections { digest, sections }) => return split(shared, claimed, digest, sections).await,
        Err(error) => {
            log.end(DocumentStage::Failed, Some(error.to_string()), None).await?;
            return Ok(TaskEnd::Unusable(error));
        }
    };
    let mut prior = PriorWork::default();
    if claimed.attempts > 0 {
        let (journal, key) = (Arc::clone(&shared.journal), claimed.document);
        let known = on_blocking_thread(move || Ok((journal.events_of(key)?, journal.answers(key)?))).await?;
        prior = match PriorWork::of(known.0, known.1) {
            Ok(known) => known,
            Err(why) => {
                log.end(DocumentStage::Failed, Some(why.clone()), None).await?;
                return Ok(TaskEnd::SetAside(why));
            }
        };
        if claimed.source_digest != document.digest {
            // The text has changed: nothing that was found in the one before counts.
            prior.forget();
        }
    }
    let mut reporter = EventReporter { events, interest: shared.interest };
    reporter.read(&document);
    let artifacts = match (&session.store.artifacts, &claimed.artifact) {
        (Some(artifacts), Some(name)) => Some(artifacts.within(name.shard().as_deref())?),
        (artifacts, _) => artifacts.clone(),
    };
    let postponer = shared.waves.postponer(claimed.document, &log, &prior, claimed.attempts > 0).await?;
    let consulted = session.consulted_anew();
    let assignment = Assignment {
        document: &document,
        reader: &reader,
        document_type: document.document_type.as_deref().or(shared.document_type.as_deref()),
        supplied: shared.supplied.clone(),
        log,
        artifacts,
        prior,
        postponer,
    };
    let result = session.run_consulting(&consulted, assignment, &mut reporter).await?;
    Ok(result.map_or(TaskEnd::Parked, |result| TaskEnd::Result(Box::new(result), consulted)))
}

/// Puts the sections of a file in its place.
async fn split(
    shared: &Arc<BatchContext>,
    claimed: ClaimedDocument,
    digest: String,
    sections: Vec<QueuedDocument>,
) -> Result<TaskEnd, StoreError> {
    let shared = Arc::clone(shared);
    on_blocking_thread(move || {
        let merge = split_rules(&shared.session.plan).map(|(_, merge)| stored(merge)).unwrap_or_default();
        let (file, folder) = ((claimed.document, shared.worker), shared.folder.as_deref());
        let taken = shared.journal.split_document(file, &digest, folder, &sections, &merge)?;
        Ok(TaskEnd::Split(sections.len(), taken))
    })
    .await
}

/// The reason that a cancelled document has no result.
pub(super) const CANCELLED: &str = "it was cancelled";

/// Quarantines a document that was cancelled in flight.
pub(super) async fn cancelled(log: &dyn EventLog, document: DocumentKey) -> Result<(), StoreError> {
    let reason = Some(CANCELLED.to_owned());
    log.write(document, vec![LogEntry::Ended { stage: DocumentStage::Failed, reason, outcome: None }]).await
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
    let ended = LogEntry::Ended { stage: DocumentStage::Failed, reason: Some(why.clone()), outcome: None };
    log.write(document, vec![ended]).await?;
    Ok(why)
}

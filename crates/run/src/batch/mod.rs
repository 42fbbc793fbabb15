//! Many documents at once: those of a run, which wait in the journal.

mod listing;
mod lost_worker_watch;
mod provider_watch;
mod queued;
mod reading;
mod steering;
#[cfg(feature = "network")]
mod waves;
#[cfg(not(feature = "network"))]
#[path = "without_network.rs"]
mod waves;
mod worker;

use self::listing::Listing;
use self::lost_worker_watch::LostWorkerWatch;
use self::provider_watch::ProviderWatch;
pub use self::steering::Steering;
use self::waves::Waves;
use self::worker::{BatchContext, ObserverInterest, TaskEnd, WorkerEvent, work_on};
use super::Session;
use super::batch_end::BatchEnd;
use super::batches::BatchSettings;
use super::budget::RunBudget;
use super::run_observer::RunObserver;
use super::trace::{end_run, run_span};
use crate::ingest::{Input, InputError};
use crate::policy::{FinalStatus, StopReason};
use crate::result::DocumentResult;
use crate::store::{ClaimedDocument, DocumentStage, Journal, Receipt, RunId, RunStage, StoreError, WorkerId};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::Instrument;

/// The maximum number of untried documents that are named.
const MOST_NAMED: usize = 10;

/// The interval at which the queue is checked for documents that other processes had.
const POLL: Duration = Duration::from_millis(500);

/// Like [`POLL`], for a batch that is notified of new documents.
const STEERED_POLL: Duration = Duration::from_secs(5);

/// The inputs of a run as they are found, with those that can't be used.
pub type Inputs = Box<dyn Iterator<Item = Result<Input, InputError>> + Send>;

/// Documents to be run.
pub struct Batch {
    /// The run's journal.
    pub journal: Arc<Journal>,
    /// This process among those at work on the run.
    pub worker: WorkerId,
    /// The inputs that join the run's documents; `None` if all have.
    pub inputs: Option<Inputs>,
    /// `true` if the run had documents before: finished ones of the inputs are left out, and others that were begun are
    /// tried again.
    pub goes_on: bool,
    /// The folder of artifacts, as the journal knows it.
    pub folder: Option<String>,
    /// The number of documents at the same time.
    pub jobs: usize,
    /// The type of all of them; `None` to classify each.
    pub document_type: Option<String>,
    /// Candidate 0 of the only document.
    pub supplied: Option<Arc<Value>>,
    /// `true` if every document is tried, however often the provider fails.
    pub keep_going: bool,
    /// The settings for calls of providers that have batches.
    pub batches: BatchSettings,
    /// Folders in which documents must lie; `None` if the caller has named them. A journal may come from someone else.
    pub within: Option<Vec<PathBuf>>,
    /// The source of documents while it runs: it then continues until its session drains.
    pub steering: Option<Arc<Steering>>,
}

impl Batch {
    /// Runs every waiting document of the run, at most `jobs` at the same time, beside the other processes that work on
    /// it. A document that can't be read is reported and the others continue; a panic ends only its own document. A
    /// provider that is plainly gone ends the batch (without `keep_going`): when its key is missing or refused or its
    /// account has nothing left, and when `MOST_PROVIDER_ERRORS_IN_A_ROW` documents in a row ended by its failures. So
    /// does a judge's, if nothing replaces it.
    ///
    /// # Errors
    /// When the journal or an artifact can't be written; what is finished stays.
    pub async fn run<O: RunObserver + ?Sized>(
        self,
        session: &Arc<Session>,
        observer: &mut O,
    ) -> Result<BatchEnd, StoreError> {
        let span = run_span(session.id(), &session.plan().profile.name);
        let end = self.work_through(session, observer).instrument(span.clone()).await?;
        end_run(&span, &end, session.budget().used());
        Ok(end)
    }

    async fn work_through<O: RunObserver + ?Sized>(
        mut self,
        session: &Arc<Session>,
        observer: &mut O,
    ) -> Result<BatchEnd, StoreError> {
        let (run, journal) = (session.id().clone(), Arc::clone(&self.journal));
        let mut listing =
            Listing::begin(&journal, &run, self.inputs.take(), (self.folder.clone(), self.goes_on));
        let mut worker_watch = LostWorkerWatch::new(Arc::clone(&journal), run.clone(), self.worker);
        // Documents of a process that has died come first.
        worker_watch.others_at_work()?;
        let mut driver = Driver::new(self, session, observer)?;
        let worked = driver.turn(&mut listing, &mut worker_watch, observer).await;
        listing.stop();
        // Whatever went wrong, documents in flight are in the journal.
        driver.under_way.shutdown().await;
        let ended = worker_watch.close(session.budget().used()).await;
        worked?;
        ended?;
        let stages = journal.stages(&run)?;
        let count = |stage| usize::try_from(stages.of(stage)).unwrap_or(usize::MAX);
        let end = &mut driver.end;
        end.over_budget = session.budget().is_spent();
        end.cancelled |= journal.run(&run)?.is_some_and(|run| run.stage == RunStage::Cancelled);
        end.broken = journal.broken_in(&run)?;
        end.given_up = count(DocumentStage::GivenUp);
        end.not_tried = count(DocumentStage::Waiting) + count(DocumentStage::Parked);
        let waiting = end.not_tried;
        // Earlier processes, and others, took part in it: what counts is the run.
        let over = count(DocumentStage::Finished) + count(DocumentStage::Failed);
        if over > end.finished {
            end.finished = over;
            end.passed = journal.passed_in(&run)?;
        }
        if driver.watch.gave_up() && waiting > 0 {
            let named = journal.waiting(&run, MOST_NAMED)?;
            driver.watch.say(observer, driver.end.not_tried, &named);
        }
        Ok(driver.end)
    }
}

/// A batch at work.
struct Driver {
    run: RunId,
    worker: WorkerId,
    shared: Arc<BatchContext>,
    budget: Arc<RunBudget>,
    jobs: usize,
    keep_going: bool,
    events: UnboundedSender<WorkerEvent>,
    told: UnboundedReceiver<WorkerEvent>,
    under_way: JoinSet<TaskEnd>,
    /// Sections of files that this process has split: they are worked on before other documents, while what was read of
    /// their file is at hand.
    sections: VecDeque<ClaimedDocument>,
    /// The document of each task, and the handle by which it is given up.
    working: HashMap<Id, (ClaimedDocument, AbortHandle)>,
    end: BatchEnd,
    watch: ProviderWatch,
    /// The request to the journal for documents, and whether every input was in its queue by then.
    claiming: Option<(Receipt<Vec<ClaimedDocument>>, bool)>,
    waves: Waves,
    steering: Option<Arc<Steering>>,
}

/// The situation at the beginning of a turn.
enum QueueState {
    /// There is room and nothing waits, nor will unless others give it back.
    Nothing,
    /// Something is in flight, or may come.
    Something,
    /// Something waits.
    Again,
}

impl Driver {
    fn new<O: RunObserver + ?Sized>(
        batch: Batch,
        session: &Arc<Session>,
        observer: &O,
    ) -> Result<Self, StoreError> {
        let (events, told) = unbounded_channel();
        let interest =
            ObserverInterest { documents: observer.wants_documents(), events: observer.wants_events() };
        let by = (&batch.journal, batch.worker);
        let waves = Waves::new(batch.batches, session, by, events.clone())?;
        Ok(Driver {
            run: session.id().clone(),
            worker: batch.worker,
            shared: Arc::new(BatchContext {
                session: Arc::clone(session),
                journal: batch.journal,
                document_type: batch.document_type,
                supplied: batch.supplied,
                within: batch.within,
                folder: batch.folder,
                worker: batch.worker,
                interest,
                waves: Arc::clone(waves.context()),
            }),
            budget: Arc::clone(session.budget()),
            jobs: batch.jobs.max(1),
            keep_going: batch.keep_going,
            events,
            told,
            under_way: JoinSet::new(),
            sections: VecDeque::new(),
            working: HashMap::new(),
            end: BatchEnd::default(),
            watch: ProviderWatch::default(),
            claiming: None,
            waves,
            steering: batch.steering,
        })
    }

    /// Claims, begins and ends documents until none is left.
    async fn turn<O: RunObserver + ?Sized>(
        &mut self,
        listing: &mut Listing,
        worker_watch: &mut LostWorkerWatch,
        observer: &mut O,
    ) -> Result<(), StoreError> {
        let mut stops = self.shared.session.stops();
        let mut cancelled = stops.clone();
        let poll = if self.steering.is_some() { STEERED_POLL } else { POLL };
        let mut all_listed = false;
        // Whether a document may wait that could be begun.
        let mut look = true;
        let mut next = QueueState::Something;
        loop {
            if listing.is_over() && !all_listed {
                all_listed = true;
                let stages = self.shared.journal.stages(&self.run)?;
                let over = stages.of(DocumentStage::Finished) + stages.of(DocumentStage::Failed);
                let own = u64::try_from(self.end.finished - self.end.skipped).unwrap_or_default();
                observer.listed(stages.sum(), over.saturating_sub(own));
            }
            let closed = stops.takes_no_calls()
                || worker_watch.is_cancelled()
                || self.watch.gave_up()
                || self.budget.is_spent();
            let pause = self.watch.pauses_until();
            if closed {
                // They wait again when this process ends its work.
                self.sections.clear();
            } else if pause.is_none() {
                self.begin_sections();
            }
            if !closed && self.claiming.is_none() && std::mem::take(&mut look) {
                let waits =
                    pause.is_some() && self.shared.journal.stages(&self.run)?.of(DocumentStage::Waiting) > 0;
                if waits {
                    self.watch.say_pause(observer);
                }
                // A pause is for the next document: without one, there is nothing to wait for.
                if pause.is_none() || (listing.is_over() && !waits) {
                    self.claim(listing.is_over());
                }
            }
            let has_room = self.under_way.len() < self.jobs && self.claiming.is_none();
            let idle = self.under_way.is_empty() && self.claiming.is_none() && self.sections.is_empty();
            let leaves = idle && closed && !self.waves.is_idle() && !stops.is_cancelled();
            if leaves {
                // They come to an end within a request.
                self.waves.leave();
            } else if idle && (closed || matches!(next, QueueState::Nothing) && self.steering.is_none()) {
                while let Ok(event) = self.told.try_recv() {
                    tell(event, observer);
                }
                self.end.cancelled |= stops.takes_no_calls() || worker_watch.is_cancelled();
                return Ok(());
            }
            tokio::select! {
                Some(event) = self.told.recv() => tell(event, observer),
                (claimed, all_listed) = answer(&mut self.claiming) => {
                    // Documents claimed when no more is to be begun wait again when this process ends its work.
                    if !closed {
                        next = self.begin(claimed?, all_listed, worker_watch).await?;
                        look |= matches!(next, QueueState::Again);
                    }
                }
                Some(ended) = self.under_way.join_next_with_id(), if !self.under_way.is_empty() => {
                    // Everything that it reported comes before its end.
                    while let Ok(event) = self.told.try_recv() {
                        tell(event, observer);
                    }
                    self.ended(ended, observer).await?;
                    look = true;
                }
                listed = listing.more() => {
                    self.listed(listed?, observer)?;
                    look = true;
                }
                ended = self.waves.ended() => {
                    self.waves.take_in(ended)?;
                    look = true;
                }
                () = worker_watch.due() => {
                    worker_watch.beat(self.budget.used()).await?;
                    if let Some(pulse) = worker_watch.pulse() {
                        self.budget.others_used(&pulse);
                    }
                }
                () = changed(self.steering.as_deref()) => {
                    self.give_up_cancelled();
                    look = true;
                }
                () = sleep(poll), if has_room && !closed && pause.is_none() => look = true,
                () = sleep_until(pause.unwrap_or_else(Instant::now)), if pause.is_some() => look = true,
                () = stops.no_more_calls(), if !closed => {}
                () = cancelled.give_up(), if leaves => {}
            }
        }
    }

    /// Asks for as many documents as there is room for.
    fn claim(&mut self, all_listed: bool) {
        let room = self.jobs.saturating_sub(self.under_way.len());
        if room > 0 && self.sections.is_empty() {
            self.claiming = Some((self.shared.journal.claim(&self.run, self.worker, room), all_listed));
        }
    }

    /// Begins the claimed documents. Without any, returns whether there is more to come.
    async fn begin(
        &mut self,
        claimed: Vec<ClaimedDocument>,
        all_listed: bool,
        worker_watch: &mut LostWorkerWatch,
    ) -> Result<QueueState, StoreError> {
        let journal = &self.shared.journal;
        if claimed.is_empty() && all_listed && self.under_way.is_empty() {
            let others = worker_watch.others_at_work()?;
            let stages = journal.stages(&self.run)?;
            let left = stages.of(DocumentStage::Waiting) + stages.of(DocumentStage::Running);
            if others && left > 0 {
                return Ok(QueueState::Something);
            }
            // One process handles the batches of a run.
            let parked = stages.of(DocumentStage::Parked) > 0;
            return match parked {
                true if worker_watch.is_first() => self.waves.go_on().await,
                true => Ok(QueueState::Something),
                // Answers may have come since documents were claimed: the end of their batch has not been noticed then.
                false if !self.waves.is_idle() => Ok(QueueState::Something),
                false => Ok(QueueState::Nothing),
            };
        }
        for claimed in claimed {
            self.begin_one(claimed);
        }
        // One may have been cancelled after it was claimed.
        self.give_up_cancelled();
        Ok(QueueState::Something)
    }

    /// Begins as many sections of files that this process has split as there is room for.
    fn begin_sections(&mut self) {
        while self.under_way.len() < self.jobs
            && let Some(section) = self.sections.pop_front()
        {
            self.begin_one(section);
        }
        self.give_up_cancelled();
    }

    fn begin_one(&mut self, claimed: ClaimedDocument) {
        // On the heap, so that no more than its address moves through the executor.
        let work = Box::pin(work_on(Arc::clone(&self.shared), claimed.clone(), self.events.clone()));
        let task = self.under_way.spawn(work.in_current_span());
        self.working.insert(task.id(), (claimed, task));
    }

    /// Counts inputs that were listed.
    fn listed<O: RunObserver + ?Sized>(
        &mut self,
        listed: listing::ListedInputs,
        observer: &mut O,
    ) -> Result<(), StoreError> {
        self.end.unusable += listed.unusable.len();
        self.end.repeated += listed.repeated;
        listed.unusable.iter().for_each(|error| observer.unusable(error));
        for document in listed.finished {
            self.end.skipped += 1;
            self.end.finished += 1;
            if self.shared.journal.passed(document)? {
                self.end.passed += 1;
            }
        }
        Ok(())
    }

    /// Counts a document that has ended.
    async fn ended<O: RunObserver + ?Sized>(
        &mut self,
        ended: Result<(Id, TaskEnd), JoinError>,
        observer: &mut O,
    ) -> Result<(), StoreError> {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let claimed = self.working.remove(&id).map(|(claimed, _)| claimed);
        if let (Some(steering), Some(claimed)) = (&self.steering, &claimed) {
            steering.forget(claimed.document);
        }
        match ended {
            Ok((_, TaskEnd::Result(result, consulted))) => {
                observer.finished(&result);
                self.count(&result);
                self.watch.see(&result, &consulted, &self.shared.session, self.keep_going);
            }
            Ok((_, TaskEnd::Parked)) => {
                if let Some(claimed) = claimed {
                    observer.parked(&claimed.id);
                }
            }
            Ok((_, TaskEnd::Split(sections, taken))) => {
                self.sections.extend(taken);
                if let Some(claimed) = claimed {
                    observer.split(&claimed.id, sections);
                }
            }
            Ok((_, TaskEnd::Unusable(error))) => {
                observer.unusable(&error);
                self.end.unusable += 1;
            }
            Ok((_, TaskEnd::SetAside(why))) => self.set_aside(claimed, &why, observer),
            Ok((_, TaskEnd::Left)) => {}
            Ok((_, TaskEnd::Broken(error))) => return Err(error),
            Err(error) => {
                let log = self.shared.session.log();
                match (claimed, error.try_into_panic()) {
                    (Some(claimed), Ok(panic)) => {
                        let why = worker::set_aside(log, claimed.document, panic).await?;
                        self.set_aside(Some(claimed), &why, observer);
                    }
                    (Some(claimed), Err(_)) => {
                        worker::cancelled(log, claimed.document).await?;
                        self.set_aside(Some(claimed), worker::CANCELLED, observer);
                    }
                    (None, _) => {}
                }
            }
        }
        Ok(())
    }

    /// Gives up the documents in flight that were cancelled.
    fn give_up_cancelled(&self) {
        let Some(steering) = &self.steering else { return };
        let cancelled = self.working.values().filter(|(claimed, _)| steering.is_cancelled(claimed.document));
        cancelled.for_each(|(_, task)| task.abort());
    }

    fn set_aside<O: RunObserver + ?Sized>(
        &mut self,
        claimed: Option<ClaimedDocument>,
        why: &str,
        observer: &mut O,
    ) {
        if let Some(claimed) = claimed {
            observer.set_aside(&claimed.id, why);
            self.end.set_aside += 1;
        }
    }

    fn count(&mut self, result: &DocumentResult) {
        self.end.finished += 1;
        if result.final_status.passes() && is_unrecognised(self.shared.session.plan(), result) {
            self.end.of_unknown_type += 1;
        }
        match result.final_status {
            FinalStatus::Passed | FinalStatus::Skipped => self.end.passed += 1,
            // An interrupt may cut the last assessment short, after which there was nothing more to ask.
            _ if self.shared.session.stops().is_cancelled() => self.end.cancelled = true,
            FinalStatus::Cancelled => self.end.cancelled |= !self.budget.is_spent(),
            FinalStatus::Failed if result.stop_reason == StopReason::ProviderError => {
                self.end.provider_errors += 1;
            }
            _ => {}
        }
    }
}

/// Waits for the claimed documents, with whether every input was in the queue when the journal was asked.
async fn answer(
    claiming: &mut Option<(Receipt<Vec<ClaimedDocument>>, bool)>,
) -> (Result<Vec<ClaimedDocument>, StoreError>, bool) {
    let Some((receipt, all_listed)) = claiming else { return std::future::pending().await };
    let answer = (receipt.await, *all_listed);
    *claiming = None;
    answer
}

/// Waits until the steering has something for the batch.
async fn changed(steering: Option<&Steering>) {
    match steering {
        Some(steering) => steering.changed().await,
        None => std::future::pending().await,
    }
}

fn tell<O: RunObserver + ?Sized>(event: WorkerEvent, observer: &mut O) {
    match event {
        WorkerEvent::Reading(id, progress) => observer.reading(&id, progress),
        WorkerEvent::Read(document) => observer.read(&document),
        WorkerEvent::Started(id, document_type) => observer.started(&id, &document_type),
        WorkerEvent::Event(id, at, event) => observer.event(&id, at, &event),
        WorkerEvent::Batch(news) => observer.batch(&news),
    }
}

/// Returns whether the profile tells types apart and did not know this document's.
#[must_use]
pub fn is_unrecognised(plan: &crate::plan::Plan, result: &DocumentResult) -> bool {
    plan.classifier.is_some() && result.document_type == loopctl_core::rules::UNKNOWN_TYPE
}

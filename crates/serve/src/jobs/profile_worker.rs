//! One profile with its settings at work on the documents of one run.

use super::profile_errors::ProfileErrors;
use super::readings::Readings;
use crate::engine::Event;
use crate::feed::Feed;
use crate::ingest::{InputError, ReadingProgress};
use crate::metrics::Metrics;
use crate::plan::Plan;
use crate::profiles::ServedProfiles;
use crate::result::DocumentResult;
use crate::run::{Batch, BatchEnd, BatchSettings, RunObserver, RunStore, Session, Steering, usual_jobs};
use crate::store::{DocumentKey, DocumentStage, Journal, ProcessId, RunId, StoreError, WorkerLog};
use crate::value::{DocumentId, Millis};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// The pause before another try, after a failure of all providers that are asked, or of the journal.
const PAUSE: Duration = Duration::from_secs(30);

/// The context that a worker needs.
pub(super) struct WorkerContext {
    /// The profile's name.
    pub(super) name: String,
    pub(super) run: RunId,
    pub(super) plan: Arc<Plan>,
    pub(super) journal: Arc<Journal>,
    pub(super) profiles: Arc<ServedProfiles>,
    pub(super) feed: Arc<Feed>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) profile_errors: Arc<ProfileErrors>,
    pub(super) readings: Arc<Readings>,
    /// The folder of uploads: no other document is read.
    pub(super) uploads: PathBuf,
    /// The number of documents at the same time, if set.
    pub(super) jobs: Option<usize>,
    pub(super) stopping: watch::Receiver<bool>,
    pub(super) giving_up: watch::Receiver<bool>,
}

/// One profile with its settings at work on the documents of one run, until it is closed or the service stops.
pub(super) struct ProfileWorker {
    run: RunId,
    plan: Arc<Plan>,
    journal: Arc<Journal>,
    steering: Arc<Steering>,
    /// Wakes a worker that pauses.
    again: Arc<Notify>,
    closing: watch::Sender<bool>,
    ended: watch::Receiver<bool>,
}

impl ProfileWorker {
    /// Begins to work, in the runtime of the caller.
    pub(super) fn open(context: WorkerContext) -> Self {
        let (steering, again) = (Arc::new(Steering::default()), Arc::new(Notify::new()));
        let (closing, closed) = watch::channel(false);
        let (end, ended) = watch::channel(false);
        let worker = ProfileWorker {
            run: context.run.clone(),
            plan: Arc::clone(&context.plan),
            journal: Arc::clone(&context.journal),
            steering: Arc::clone(&steering),
            again: Arc::clone(&again),
            closing,
            ended,
        };
        let work = WorkerLoop { context, steering, again, closed };
        tokio::spawn(async move {
            work.run_until_closed().await;
            end.send_replace(true);
        });
        worker
    }

    /// The run whose documents it works on.
    pub(super) fn run(&self) -> &RunId {
        &self.run
    }

    /// The profile.
    pub(super) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Announces documents that did not wait before.
    pub(super) fn look(&self) {
        self.steering.look();
        self.again.notify_one();
    }

    /// Gives up a document.
    pub(super) fn cancel(&self, document: DocumentKey) {
        self.steering.cancel(document);
    }

    /// Has a document tried again that was given up.
    pub(super) fn forget(&self, document: DocumentKey) {
        self.steering.forget(document);
    }

    /// Begins no other document.
    pub(super) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Waits until nothing is in flight.
    pub(super) async fn ended(&self) {
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
    }

    /// Returns whether none of its documents is left to be worked on.
    pub(super) fn is_idle(&self) -> bool {
        let is_left = |stages: crate::store::StageCounts| {
            [DocumentStage::Waiting, DocumentStage::Running, DocumentStage::Parked]
                .iter()
                .any(|stage| stages.of(*stage) > 0)
        };
        !self.journal.stages(&self.run).is_ok_and(is_left)
    }
}

struct WorkerLoop {
    context: WorkerContext,
    steering: Arc<Steering>,
    again: Arc<Notify>,
    closed: watch::Receiver<bool>,
}

/// The reason why no document is begun for a while.
enum HaltReason {
    /// The service stops, or the worker was closed.
    Over,
    /// No provider can be asked, or nothing can be kept.
    Blocked(String),
}

impl WorkerLoop {
    async fn run_until_closed(mut self) {
        loop {
            match self.work().await {
                HaltReason::Over => return self.context.profile_errors.clear(&self.context.name),
                HaltReason::Blocked(why) => self.context.profile_errors.set(&self.context.name, why),
            }
            let mut stopping = self.context.stopping.clone();
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = self.again.notified() => {}
                _ = stopping.wait_for(|stop| *stop) => return,
                _ = self.closed.wait_for(|closed| *closed) => return,
            }
        }
    }

    /// Works until it is over or blocked.
    async fn work(&self) -> HaltReason {
        let mut gave_up = None;
        match self.run_batch(&mut gave_up).await {
            Ok(_) if *self.context.stopping.borrow() || *self.closed.borrow() => HaltReason::Over,
            Ok(end) if end.over_budget => HaltReason::Blocked("the budget of its run is spent".to_owned()),
            Ok(end) if end.cancelled => HaltReason::Blocked("its run was cancelled".to_owned()),
            Ok(_) => {
                HaltReason::Blocked(gave_up.unwrap_or_else(|| "its provider can't be reached".to_owned()))
            }
            Err(why) => HaltReason::Blocked(why),
        }
    }

    async fn run_batch(&self, gave_up: &mut Option<String>) -> Result<BatchEnd, String> {
        let WorkerContext { run, plan, journal, profiles, jobs, .. } = &self.context;
        let (opened_plan, opener) = (Arc::clone(plan), Arc::clone(profiles));
        let opened = tokio::task::spawn_blocking(move || {
            let (candidates, consultants) = opener.open(&opened_plan)?;
            let usual = usual_jobs(&opened_plan, &candidates, &consultants, None);
            Ok::<_, crate::run::OpenError>((candidates, consultants, usual))
        });
        let opened = opened.await.map_err(|_| "a mistake in loopctl itself".to_owned())?;
        let (candidates, consultants, usual) = opened.map_err(|error| error.to_string())?;
        let (begun_in, begun_run) = (Arc::clone(journal), run.clone());
        let begun = tokio::task::spawn_blocking(move || begun_in.begin_work(&begun_run, &ProcessId::own()));
        let begun = begun.await.map_err(|_| "a mistake in loopctl itself".to_owned())?;
        let worker = begun.map_err(|error: StoreError| error.to_string())?;
        let log = Arc::new(WorkerLog::new(Arc::clone(journal), worker));
        let store = RunStore { journal: log, run: run.clone(), artifacts: None };
        let session =
            Session::new(Arc::clone(plan), candidates, consultants, store, self.context.giving_up.clone())
                .with_reader(profiles.context.reader().clone());
        let session = Arc::new(session.draining_on(self.draining()));
        let batch = Batch {
            journal: Arc::clone(journal),
            worker,
            inputs: None,
            goes_on: false,
            folder: None,
            jobs: jobs.unwrap_or(usual),
            document_type: None,
            supplied: None,
            within: Some(vec![self.context.uploads.clone()]),
            keep_going: false,
            batches: BatchSettings::default(),
            steering: Some(Arc::clone(&self.steering)),
        };
        let mut observer = WorkerObserver { context: &self.context, gave_up };
        let ended = batch.run(&session, &mut observer).await.map_err(|error| error.to_string());
        self.context.readings.end_all(run);
        ended
    }

    /// Becomes true when the service stops, or the worker is closed.
    fn draining(&self) -> watch::Receiver<bool> {
        let (drain, draining) = watch::channel(false);
        let (mut stopping, mut closed) = (self.context.stopping.clone(), self.closed.clone());
        tokio::spawn(async move {
            tokio::select! {
                _ = stopping.wait_for(|stop| *stop) => {}
                _ = closed.wait_for(|closed| *closed) => {}
                () = drain.closed() => return,
            }
            drain.send_replace(true);
        });
        draining
    }
}

/// Announces to listeners that there is something to read.
struct WorkerObserver<'a> {
    context: &'a WorkerContext,
    /// The reason why all providers that are asked are plainly unavailable.
    gave_up: &'a mut Option<String>,
}

impl RunObserver for WorkerObserver<'_> {
    fn wants_documents(&self) -> bool {
        false
    }

    fn reading(&mut self, id: &DocumentId, page: ReadingProgress) {
        self.context.readings.set(&self.context.run, id, page);
        self.context.feed.written();
    }

    fn split(&mut self, file: &DocumentId, _: usize) {
        self.context.readings.end(&self.context.run, file);
        self.context.feed.written();
    }

    fn started(&mut self, id: &DocumentId, _: &str) {
        self.context.readings.end(&self.context.run, id);
        self.context.profile_errors.clear(&self.context.name);
        self.context.feed.written();
    }

    fn event(&mut self, _: &DocumentId, _: Millis, _: &Event) {
        self.context.feed.written();
    }

    fn finished(&mut self, result: &DocumentResult) {
        self.context.metrics.document_finished(result);
        self.context.feed.written();
    }

    fn unusable(&mut self, _: &InputError) {
        self.context.metrics.document_set_aside(&self.context.plan.profile.name);
        self.context.feed.written();
    }

    fn set_aside(&mut self, id: &DocumentId, _: &str) {
        self.context.readings.end(&self.context.run, id);
        self.context.metrics.document_set_aside(&self.context.plan.profile.name);
        self.context.feed.written();
    }

    fn gave_up(&mut self, why: &str, _: usize, _: (usize, &[DocumentId])) {
        *self.gave_up = Some(why.to_owned());
    }
}

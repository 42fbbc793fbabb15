//! Submitted documents, and the work on them.
//!
//! A submission is on the disk, and its document in the queue of a run, before it is answered. There is one run for
//! each profile with its settings; a run continues as long as the profile is unchanged, whichever process serves it.
//! Work that an earlier process left resumes when the service starts.

mod intake;
mod profile_errors;
mod profile_worker;
mod readings;
mod submission;
mod uploads;

pub(super) use intake::AcceptedJob;
pub(super) use submission::{DuplicateRule, Submission, SubmissionContent, SubmitError};

use self::profile_errors::ProfileErrors;
use self::profile_worker::ProfileWorker;
use self::readings::Readings;
use self::uploads::Uploads;
use super::feed::Feed;
use super::metrics::Metrics;
use super::profiles::{CompiledProfile, ProfileRequest, ServedProfiles};
use super::request_settings::RequestSettings;
use super::settings::ServiceSettings;
use crate::diag::nearest;
use crate::ingest::{DocumentReader, ReadingProgress};
use crate::plan::Plan;
use crate::requests::RunIdentity;
use crate::run::{asked_of, plan_ids, plugins_of};
use crate::store::{DocumentStage, Journal, RunId, RunRecord, RunStage, StoreError, StoredJob, StoredRun};
use crate::value::{DocumentId, sanitize_line};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The key in a run's settings for the profile and settings that its documents ask for.
const REQUEST: &str = "service";

/// The most profiles with different settings at work at the same time: each holds its providers open.
const MOST_WORKERS: usize = 64;

/// The time without work after which a worker is closed.
const IDLE: Duration = Duration::from_secs(600);

/// The most idle workers: each holds a compiled profile.
const MOST_IDLE: usize = 8;

/// The documents of the service, and the work on them.
pub struct Jobs {
    journal: Arc<Journal>,
    profiles: Arc<ServedProfiles>,
    feed: Arc<Feed>,
    metrics: Arc<Metrics>,
    uploads: Uploads,
    /// The profile of documents that name none.
    usual_profile: String,
    most_waiting: u64,
    jobs: Option<usize>,
    workers: Mutex<BTreeMap<ProfileRequest, ActiveWorker>>,
    /// Held while a worker is opened, so that one profile does not begin two runs.
    opening: Mutex<()>,
    /// Held while a password is tried.
    trying: Mutex<()>,
    profile_errors: Arc<ProfileErrors>,
    readings: Arc<Readings>,
    /// `true` once the service is stopping.
    stopping: watch::Sender<bool>,
    /// `true` once work in flight is given up.
    giving_up: watch::Sender<bool>,
}

/// A profile at work, with what tells whether it has changed.
struct ActiveWorker {
    compiled: CompiledProfile,
    worker: Arc<ProfileWorker>,
    used: Instant,
}

impl ActiveWorker {
    /// Returns whether nothing is left to do, and no document is about to come: a submission holds the worker until its
    /// document waits.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.worker) == 1 && self.worker.is_idle()
    }
}

impl Jobs {
    /// Nothing is begun before [`Jobs::take_up`] or the first submission.
    pub(super) fn new(
        journal: Arc<Journal>,
        profiles: Arc<ServedProfiles>,
        feed: Arc<Feed>,
        metrics: Arc<Metrics>,
        settings: &ServiceSettings,
    ) -> Self {
        Jobs {
            journal,
            profiles,
            feed,
            metrics,
            uploads: Uploads::new(settings),
            usual_profile: settings.profile.clone(),
            most_waiting: settings.most_waiting,
            jobs: settings.jobs,
            workers: Mutex::default(),
            opening: Mutex::default(),
            trying: Mutex::default(),
            profile_errors: Arc::default(),
            readings: Arc::default(),
            stopping: watch::channel(false).0,
            giving_up: watch::channel(false).0,
        }
    }

    /// Resumes the documents that an earlier process left. A profile that can't be used any more keeps its documents
    /// waiting, which is reported.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn take_up(&self) -> Result<(), StoreError> {
        for run in self.journal.runs()? {
            let Some(request) = request_of(&run) else { continue };
            let stages = self.journal.stages(&run.id)?;
            let left = DocumentStage::LEFT.iter().any(|stage| stages.of(*stage) > 0);
            if run.stage == RunStage::Open && left {
                // Documents that were given up when the service was stopped resume.
                self.journal.requeue_all(&run.id, &[DocumentStage::GivenUp])?;
                match self.check_request(&request).and_then(|()| self.worker(&request)) {
                    Ok(worker) => worker.look(),
                    Err(error) => self.profile_errors.set(&request.name, error.to_string()),
                }
            }
        }
        Ok(())
    }

    /// Refuses a name that is not a profile's. A path is not one, so that no client makes the service read arbitrary
    /// files: except the one that the service was started with.
    ///
    /// # Errors
    /// That there is no such profile.
    pub(super) fn check_profile(&self, name: &str) -> Result<(), SubmitError> {
        let names = self.profiles.names();
        if name == self.usual_profile || names.iter().any(|known| known == name) {
            return Ok(());
        }
        let guess = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        Err(SubmitError::UnknownProfile { given: sanitize_line(name), guess })
    }

    /// Refuses a request from the journal that no submission may make: the journal may come from elsewhere.
    fn check_request(&self, request: &ProfileRequest) -> Result<(), SubmitError> {
        self.check_profile(&request.name)?;
        let mut settings = RequestSettings::default();
        for setting in &request.settings {
            settings.add(setting)?;
        }
        Ok(())
    }

    /// The page of a document that OCR has come to, while its file is read.
    pub(crate) fn reading_page(&self, run: &RunId, document: &DocumentId) -> Option<ReadingProgress> {
        self.readings.of(run, document)
    }

    /// The obstacles to work on documents: profile and reason.
    pub fn profile_errors(&self) -> Vec<(String, String)> {
        self.profile_errors.all()
    }

    /// Begins no other document, and brings work in flight to the end of its call.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Gives up work in flight.
    pub fn give_up(&self) {
        self.giving_up.send_replace(true);
    }

    /// Becomes true when the service stops.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Waits until nothing is in flight.
    pub async fn ended(&self) {
        let workers: Vec<_> = {
            let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
            workers.values().map(|open| Arc::clone(&open.worker)).collect()
        };
        for worker in workers {
            worker.ended().await;
        }
    }

    /// Cancels a job. One in flight is given up.
    ///
    /// # Errors
    /// When the journal can't be written.
    pub fn cancel(&self, job: &str, by: &str) -> Result<Option<StoredJob>, StoreError> {
        let reason = format!("it was cancelled by {by}");
        let cancelled = self.journal.cancel_job(job, &Timestamp::now().to_string(), &reason)?;
        if let Some(job) = &cancelled
            && let Some(worker) = self.worker_of(&job.run)
        {
            for document in self.journal.documents_of_job(&job.id)? {
                worker.cancel(document);
            }
        }
        self.feed.written();
        Ok(cancelled)
    }

    /// Tries a job again that ended without a result, or was cancelled. Returns whether it waits then.
    ///
    /// # Errors When the journal can't be written, or its profile can't be used.
    pub(crate) fn retry(&self, job: &StoredJob) -> Result<bool, SubmitError> {
        let run = self.journal.run(&job.run)?;
        if let Some(worker) = self.worker_of(&job.run) {
            for document in self.journal.documents_of_job(&job.id)? {
                worker.forget(document);
            }
        }
        let waits = self.journal.retry_job(&job.id)?;
        if waits && let Some(request) = run.as_ref().and_then(request_of) {
            self.check_request(&request)?;
            self.journal.reopen_run(&job.run)?;
            let worker = self.worker(&request)?;
            if *worker.run() != job.run {
                // The profile has changed since.
                self.journal.move_waiting(&job.run, worker.run())?;
            }
            worker.look();
        }
        self.feed.written();
        Ok(waits)
    }

    /// Closes idle workers, except those used last, to free their compiled profiles and providers.
    pub(crate) fn close_idle(&self) {
        close_idle(&mut self.workers.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The jobs whose uploads were kept before a time.
    pub(crate) fn uploads_before(&self, time: Timestamp) -> Vec<String> {
        self.uploads.before(time)
    }

    /// Removes what was uploaded for a job, and its password.
    pub(crate) fn discard_upload(&self, job: &str) {
        self.uploads.discard(job);
        self.reader().forget_passwords_below(&self.uploads.folder_of(job));
    }

    fn reader(&self) -> &DocumentReader {
        self.profiles.context.reader()
    }

    /// The worker of a run.
    fn worker_of(&self, run: &RunId) -> Option<Arc<ProfileWorker>> {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.values().map(|open| &open.worker).find(|worker| worker.run() == run).map(Arc::clone)
    }

    /// The worker of a profile with its settings, which is opened if there is none, and anew if the profile has changed.
    fn worker(&self, request: &ProfileRequest) -> Result<Arc<ProfileWorker>, SubmitError> {
        if let Some(worker) = self.active_worker(request) {
            return Ok(worker);
        }
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = self.active_worker(request) {
            // Another request was faster.
            return Ok(worker);
        }
        let compiled = self.profiles.compile(request).map_err(SubmitError::Profile)?;
        let run = self.run_for(request, &compiled)?;
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = workers.get_mut(request)
            && *open.worker.run() == run
        {
            // A file was saved as it was.
            open.compiled = compiled;
            open.used = Instant::now();
            return Ok(Arc::clone(&open.worker));
        }
        if let Some(before) = workers.remove(request) {
            before.worker.close();
        }
        close_idle(&mut workers);
        if workers.len() >= MOST_WORKERS {
            return Err(SubmitError::TooManySettings { most: MOST_WORKERS });
        }
        let worker =
            Arc::new(ProfileWorker::open(self.worker_context(request, run, Arc::clone(&compiled.plan))));
        let open = ActiveWorker { compiled, worker: Arc::clone(&worker), used: Instant::now() };
        workers.insert(request.clone(), open);
        Ok(worker)
    }

    fn active_worker(&self, request: &ProfileRequest) -> Option<Arc<ProfileWorker>> {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let open = workers.get_mut(request).filter(|open| !open.compiled.has_changed())?;
        open.used = Instant::now();
        Some(Arc::clone(&open.worker))
    }

    fn worker_context(
        &self,
        request: &ProfileRequest,
        run: RunId,
        plan: Arc<Plan>,
    ) -> profile_worker::WorkerContext {
        profile_worker::WorkerContext {
            name: request.name.clone(),
            run,
            plan,
            journal: Arc::clone(&self.journal),
            profiles: Arc::clone(&self.profiles),
            feed: Arc::clone(&self.feed),
            metrics: Arc::clone(&self.metrics),
            profile_errors: Arc::clone(&self.profile_errors),
            readings: Arc::clone(&self.readings),
            uploads: self.uploads.folder().to_path_buf(),
            jobs: self.jobs,
            stopping: self.stopping.subscribe(),
            giving_up: self.giving_up.subscribe(),
        }
    }

    /// The run that the documents of a profile belong to: the latest that is open and was decided by the same,
    /// otherwise a new one. Documents left in one that was decided by something else begin anew.
    fn run_for(&self, request: &ProfileRequest, compiled: &CompiledProfile) -> Result<RunId, SubmitError> {
        let of_request = self.journal.open_runs_for(&json!(request))?;
        let is_alike = |run: &&StoredRun| {
            let identity = RunIdentity {
                profile_digest: &compiled.plan.profile.digest,
                files_digest: Some(&compiled.files_digest),
                texts_digest: None,
            };
            identity.decides_as(&RunIdentity::of_record(&run.record.profile_digest, &run.record.settings))
        };
        if let Some(run) = of_request.iter().rev().find(is_alike) {
            return Ok(run.id.clone());
        }
        let run = self.begin_run(request, compiled)?;
        for earlier in of_request {
            self.journal.move_waiting(&earlier.id, &run)?;
        }
        Ok(run)
    }

    fn begin_run(&self, request: &ProfileRequest, compiled: &CompiledProfile) -> Result<RunId, SubmitError> {
        // The providers are a part of the record, and whether they can be asked is reported before a document is taken.
        let (candidates, consultants) = self.profiles.open(&compiled.plan).map_err(SubmitError::Provider)?;
        let mut settings = compiled.settings.clone();
        if let Value::Object(settings) = &mut settings {
            settings.insert(REQUEST.to_owned(), json!(request));
            let asked = asked_of(&plan_ids(&compiled.plan), &candidates, &consultants);
            settings.insert("providers".to_owned(), asked);
        }
        let run = self.journal.begin_run(&RunRecord {
            started_at: Timestamp::now().to_string(),
            profile: compiled.plan.profile.name.clone(),
            profile_digest: compiled.plan.profile.digest.clone(),
            loopctl_version: env!("CARGO_PKG_VERSION").to_owned(),
            plugins: plugins_of(&candidates, &consultants),
            settings,
        })?;
        self.journal.set_listed(&run)?;
        Ok(run)
    }
}

/// Closes idle workers: those that have been idle for long, and all but the [`MOST_IDLE`] that were used last. Each holds
/// a compiled profile and its providers.
fn close_idle(workers: &mut BTreeMap<ProfileRequest, ActiveWorker>) {
    let mut idle: Vec<(Instant, ProfileRequest)> = workers
        .iter()
        .filter(|(_, open)| open.is_idle())
        .map(|(request, open)| (open.used, request.clone()))
        .collect();
    idle.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
    for (at, (used, request)) in idle.into_iter().enumerate() {
        if (at >= MOST_IDLE || used.elapsed() >= IDLE)
            && let Some(open) = workers.remove(&request)
        {
            open.worker.close();
        }
    }
}

/// The profile and settings that the documents of a run ask for; `None` for a run that the service did not begin.
pub(super) fn request_of(run: &StoredRun) -> Option<ProfileRequest> {
    ProfileRequest::deserialize(run.record.settings.get(REQUEST)?).ok()
}

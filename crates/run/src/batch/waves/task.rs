//! One batch: it is submitted or found again, waited for, and its answers are kept.

use super::super::super::batches::{BatchAnswers, BatchNews, BatchSettings};
use super::super::super::off_thread::on_blocking_thread;
use super::super::worker::WorkerEvent;
use super::pause::Pauses;
use crate::disk;
use crate::provider::protocol::HttpResponse;
use crate::provider::protocol::batch::{BatchResult, BatchState, BatchStatus, LineOutcome};
use crate::provider::{
    BatchGroup, BatchHandle, BatchSearchOutcome, CallFailure, LostBatch, Provider, ResultDisposition,
    SubmitFailure, without_result,
};
use crate::store::{Journal, LineAnswer, StoreError, StoredBatch, WorkerId};
use crate::value::Millis;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

/// The time that a vendor may take over a request.
const LOOK: Duration = Duration::from_secs(120);
/// The time that it may take over a file of lines, or over one of results.
const TRANSFER: Duration = Duration::from_secs(30 * 60);
/// The number of times, each a pause later, that a vendor must deny having a batch before it is submitted again: none
/// documents how soon it lists a new one.
const LOOKS: u32 = 3;
/// The number of times that a file of results is asked for.
const DOWNLOADS: u32 = 10;
/// The time for which a vendor may continue a batch that it was asked to end.
const ENDING: Millis = Millis(3_600_000);
/// The number of answers that are kept together.
const TOGETHER: usize = 128;

/// The end of a batch.
#[derive(Debug)]
pub(in super::super) enum BatchFate {
    /// Every line of it is done.
    Over,
    /// It is left as it is, because the run ends.
    Left,
    /// The vendor has no room for so many lines; they wait for another batch.
    NoRoom { lines: u64, why: String },
    /// The vendor does not make it, or its answers are not available.
    Refused(String),
}

/// A batch with all that it takes to handle it.
pub(super) struct BatchTask {
    pub(super) journal: Arc<Journal>,
    pub(super) worker: WorkerId,
    pub(super) provider: Provider,
    pub(super) batch: StoredBatch,
    pub(super) group: BatchGroup,
    pub(super) settings: BatchSettings,
    pub(super) leave: watch::Receiver<bool>,
    pub(super) events: UnboundedSender<WorkerEvent>,
    /// The number of batches whose answers are coming in.
    pub(super) collecting: Arc<AtomicUsize>,
}

/// The result of a step, or the end of the batch with it.
type StepResult<T> = Result<Result<T, BatchFate>, StoreError>;

impl BatchTask {
    /// Handles it until it is over. One that is not `fresh` may be at the vendor, whatever the journal says.
    pub(super) async fn see_to(mut self, fresh: bool) -> Result<BatchFate, StoreError> {
        let handle = match self.batch.handle.clone() {
            Some(handle) => BatchHandle(handle),
            None => match self.submitted(fresh).await? {
                Ok(handle) => handle,
                Err(outcome) => return Ok(outcome),
            },
        };
        let state = match self.waited_for(&handle).await? {
            Ok(state) => state,
            Err(outcome) => return Ok(outcome),
        };
        if state.status == BatchStatus::Failed {
            self.journal.take_back(self.worker, self.batch.key)?;
            let why = state.reason.unwrap_or_else(|| "the vendor does not say why".to_owned());
            let why = format!("the batch `{handle}` failed: {why}");
            self.delete(&handle).await;
            return Ok(if state.may_pass {
                BatchFate::NoRoom { lines: self.batch.lines, why }
            } else {
                BatchFate::Refused(why)
            });
        }
        let _counted = CountGuard::new(Arc::clone(&self.collecting));
        self.collected(&handle).await
    }

    fn pauses(&self) -> Pauses {
        Pauses::new(self.settings.longest_pause, self.leave.clone())
    }

    /// Submits it, unless the vendor has it already.
    async fn submitted(&mut self, fresh: bool) -> StepResult<BatchHandle> {
        let mut looks = if fresh { 0 } else { LOOKS };
        let since = jiff::Timestamp::now();
        let mut pauses = self.pauses();
        loop {
            if looks > 0 {
                match self.look_for_it().await? {
                    Ok(BatchSearchOutcome::Found(handle)) => {
                        // The process that sent it may have had no time to.
                        disk::remove(&self.file());
                        return self.has_handle(handle, true).map(Ok);
                    }
                    Ok(BatchSearchOutcome::NotThere) => looks -= 1,
                    // Known only when that one has ended.
                    Ok(BatchSearchOutcome::Unknown(_)) => looks = LOOKS,
                    Err(failure) if failure.may_pass() => self.trouble(&failure, &pauses),
                    Err(failure) => return Ok(Err(self.refused(&failure))),
                }
                if looks > 0 {
                    if !pauses.wait().await {
                        return Ok(Err(BatchFate::Left));
                    }
                    continue;
                }
            }
            let failure = match self.submit().await? {
                Ok(handle) => return self.has_handle(handle, false).map(Ok),
                Err(SubmitFailure { failure, may_exist: true }) => {
                    looks = LOOKS;
                    failure
                }
                Err(SubmitFailure { failure, .. }) => {
                    if !failure.may_pass() || elapsed(since) >= self.settings.wait {
                        self.journal.take_back(self.worker, self.batch.key)?;
                        return Ok(Err(self.refused(&failure)));
                    }
                    failure
                }
            };
            self.trouble(&failure, &pauses);
            if !pauses.wait().await {
                return Ok(Err(BatchFate::Left));
            }
        }
    }

    async fn look_for_it(&self) -> Result<Result<BatchSearchOutcome, CallFailure>, StoreError> {
        let custom_ids: HashSet<String> = self.journal.line_ids(self.batch.key)?.into_keys().collect();
        let known = self.journal.known_handles(self.batch.key)?;
        let known: Vec<BatchHandle> = known.into_iter().map(BatchHandle).collect();
        let sought = LostBatch {
            own_id: &self.batch.own_id,
            custom_ids: &custom_ids,
            since: self.batch.intended_at.parse().ok(),
            known: &known,
        };
        Ok(self.provider.batch_find(sought, LOOK).await)
    }

    /// The file of its lines while they are sent: beside the journal, which is as private as they are.
    fn file(&self) -> PathBuf {
        self.journal.path().with_file_name(format!("{}.jsonl", self.batch.own_id))
    }

    async fn submit(&self) -> Result<Result<BatchHandle, SubmitFailure>, StoreError> {
        let path = self.file();
        let (journal, key, file) = (Arc::clone(&self.journal), self.batch.key, path.clone());
        on_blocking_thread(move || {
            let mut begun = false;
            disk::write_private(&file, |write| {
                journal.each_line(key, |line| {
                    let between: &[u8] = if std::mem::replace(&mut begun, true) { b"\n" } else { b"" };
                    let written = write(between).and_then(|()| write(line));
                    written.map_err(|source| StoreError::Artifact { path: file.clone(), source })
                })
            })
            .map_err(|source| StoreError::Artifact { path: file.clone(), source })?
        })
        .await?;
        let submitted = self.provider.batch_submit(&self.batch.own_id, &self.group, &path, TRANSFER).await;
        disk::remove(&path);
        Ok(submitted)
    }

    fn has_handle(&mut self, handle: BatchHandle, found: bool) -> Result<BatchHandle, StoreError> {
        let at = jiff::Timestamp::now().to_string();
        self.journal.batch_submitted(self.worker, self.batch.key, &handle.0, &at)?;
        self.batch.submitted_at = Some(at);
        self.batch.handle = Some(handle.0.clone());
        let (calls, named) = (self.batch.lines, handle.0.clone());
        self.tell(if found {
            BatchNews::Found { handle: named, calls }
        } else {
            let provider = self.provider.provider_label().to_owned();
            BatchNews::Submitted { handle: named, provider, calls }
        });
        Ok(handle)
    }

    /// Waits until it is over. It is cancelled when that takes too long.
    async fn waited_for(&mut self, handle: &BatchHandle) -> StepResult<BatchState> {
        let mut pauses = self.pauses();
        loop {
            match self.provider.batch_poll(handle, LOOK).await {
                Ok(state) if state.status.is_over() => return Ok(Ok(state)),
                Ok(_) => {}
                Err(failure) if failure.may_pass() => self.trouble(&failure, &pauses),
                // With all calls online, unavailable answers are done without.
                Err(_) if !self.settings.used => return self.done_without().map(Err),
                Err(failure) => return Ok(Err(self.refused(&failure))),
            }
            let waited = self.batch.submitted_at.as_deref().map(since).unwrap_or_default();
            match self.batch.cancelled_at.as_deref().map(since) {
                Some(ending) if ending >= ENDING => return self.done_without().map(Err),
                None if waited >= self.settings.wait => {
                    match self.provider.batch_cancel(handle, LOOK).await {
                        Ok(()) => {
                            let at = jiff::Timestamp::now().to_string();
                            self.journal.batch_cancelled(self.worker, self.batch.key, &at)?;
                            self.batch.cancelled_at = Some(at);
                            self.tell(BatchNews::TooLate { handle: handle.0.clone(), waited });
                            pauses.again();
                            continue;
                        }
                        Err(failure) => self.trouble(&failure, &pauses),
                    }
                }
                _ => {}
            }
            if !pauses.wait().await {
                return Ok(Err(BatchFate::Left));
            }
        }
    }

    /// Makes its unanswered calls online.
    fn done_without(&self) -> Result<BatchFate, StoreError> {
        let calls = self.journal.end_batch(self.worker, self.batch.key, None)?;
        self.tell(BatchNews::Online { calls });
        Ok(BatchFate::Over)
    }

    /// Keeps its answers.
    async fn collected(&self, handle: &BatchHandle) -> Result<BatchFate, StoreError> {
        let mut pauses = self.pauses();
        let mut sink = ResultSink {
            task: self,
            lines: self.journal.line_ids(self.batch.key)?,
            online: self.batch.cancelled_at.is_some(),
            together: Vec::new(),
            counts: BatchAnswers { handle: handle.0.clone(), ..BatchAnswers::default() },
            failed: None,
        };
        let mut downloads = 0;
        let read = loop {
            downloads += 1;
            let read = self.provider.batch_results(handle, TRANSFER, |result| sink.take(result)).await;
            sink.keep();
            if let Some(error) = sink.failed.take() {
                return Err(error);
            }
            match read {
                Ok(read) => break read,
                Err(failure) if failure.may_pass() && downloads < DOWNLOADS => {
                    self.trouble(&failure, &pauses);
                    if !pauses.wait().await {
                        return Ok(BatchFate::Left);
                    }
                }
                Err(_) if !self.settings.used => return self.done_without(),
                Err(failure) => return Ok(self.refused(&failure)),
            }
        };
        let mut counts = sink.counts;
        // A line that can't be read may be the answer to a missing call, which must not be asked online as if it were
        // new.
        let online = sink.online && read.unreadable == 0;
        let otherwise = if online { None } else { Some(kept(&without_result())?) };
        counts.missing = self.journal.end_batch(self.worker, self.batch.key, otherwise.as_deref())?;
        counts.online += if online { counts.missing } else { 0 };
        (counts.again, counts.unreadable) = (read.again, read.unreadable);
        (counts.unknown, counts.unknown_ids) = (read.unknown, read.unknown_ids);
        self.tell(BatchNews::Answered(counts));
        self.delete(handle).await;
        Ok(BatchFate::Over)
    }

    /// Deletes it: documents are at the vendor for no longer than they must be.
    async fn delete(&self, handle: &BatchHandle) {
        if let Err(failure) = self.provider.batch_delete(handle, LOOK).await {
            let (handle, why) = (handle.0.clone(), failure.to_string());
            self.tell(BatchNews::NotDeleted { handle, why });
        }
    }

    fn refused(&self, failure: &CallFailure) -> BatchFate {
        let help = failure.help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
        BatchFate::Refused(format!("{failure}{help}"))
    }

    fn trouble(&self, failure: &CallFailure, pauses: &Pauses) {
        let pause = Millis(u64::try_from(pauses.next().as_millis()).unwrap_or(u64::MAX));
        let batch = self.batch.handle.clone().unwrap_or_else(|| self.batch.own_id.clone());
        self.tell(BatchNews::Trouble { batch, why: failure.to_string(), pause });
    }

    fn tell(&self, news: BatchNews) {
        // No one listens any more when the run is aborted.
        let _ = self.events.send(WorkerEvent::Batch(news));
    }
}

/// Counts itself until it is dropped.
struct CountGuard(Arc<AtomicUsize>);

impl CountGuard {
    fn new(count: Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        CountGuard(count)
    }
}

impl Drop for CountGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Takes the results as they come.
struct ResultSink<'a> {
    task: &'a BatchTask,
    /// Each line, and whether it is done.
    lines: HashMap<String, bool>,
    /// `true` if calls that were not carried out are made online.
    online: bool,
    together: Vec<LineAnswer>,
    counts: BatchAnswers,
    failed: Option<StoreError>,
}

impl ResultSink<'_> {
    fn take(&mut self, result: BatchResult) -> ResultDisposition {
        if self.failed.is_some() {
            return ResultDisposition::Enough;
        }
        match self.lines.get_mut(&result.custom_id) {
            None => return ResultDisposition::Unknown,
            Some(true) => return ResultDisposition::Again,
            Some(done) => *done = true,
        }
        let undone = matches!(result.outcome, LineOutcome::Expired | LineOutcome::Canceled);
        let online = undone && self.online;
        if result.outcome == LineOutcome::Answered {
            self.counts.answered += 1;
        } else {
            self.counts.failed += 1;
            self.counts.online += u64::from(online);
        }
        let answer = if online { Ok(None) } else { kept(&result.response).map(Some) };
        match answer {
            Ok(answer) => self.together.push(LineAnswer { custom_id: result.custom_id, answer }),
            Err(error) => self.failed = Some(error),
        }
        if self.together.len() >= TOGETHER {
            self.keep();
        }
        ResultDisposition::Taken
    }

    fn keep(&mut self) {
        let together = std::mem::take(&mut self.together);
        if !together.is_empty() {
            let task = self.task;
            let kept = task.journal.keep_answers(task.worker, task.batch.key, &together);
            self.failed = kept.err().or(self.failed.take());
        }
    }
}

/// An answer as the journal keeps it.
fn kept(answer: &HttpResponse) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(answer).map_err(|source| StoreError::Json { what: "an answer".to_owned(), source })
}

/// The time elapsed since then; 0 if it can't be read, or lies ahead.
fn since(time: &str) -> Millis {
    time.parse().map(elapsed).unwrap_or_default()
}

fn elapsed(since: jiff::Timestamp) -> Millis {
    let millis = jiff::Timestamp::now().as_millisecond().saturating_sub(since.as_millisecond());
    Millis(u64::try_from(millis).unwrap_or_default())
}

//! Group commit: what many documents have to keep at the same time goes to the disk together.
//!
//! The cost of a write is waiting for the disk. One thread takes all that has been requested by then, writes it in one
//! transaction, and notifies every caller when it is on the disk.

use super::SharedConnection;
use crate::store::{Receipt, StoreError};
use rusqlite::{Connection, TransactionBehavior};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Most jobs of one transaction: those that come meanwhile wait for no more than these.
const MOST_JOBS: usize = 1_024;

/// The time that a transaction waits for more when the one before was shared: waiting for the disk twice takes longer,
/// and calls take a hundred times as long.
const GATHERED: Duration = Duration::from_millis(4);

/// The time that a deferred job waits for an awaited one.
const DEFERRED: Duration = Duration::from_millis(20);

/// From so many jobs on, a transaction was shared.
const SHARED: usize = 8;

/// The urgency with which a job must be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Urgency {
    /// A caller waits for it.
    AwaitedNow,
    /// No caller waits yet, so that it goes with what is awaited next, or after [`DEFERRED`].
    Deferred,
}

/// Something to be written. It may be tried twice: alone, after the transaction that it was part of failed.
trait Job: Send {
    fn attempt(&mut self, connection: &Connection) -> Result<(), StoreError>;
    fn done(self: Box<Self>, result: Result<(), StoreError>);
}

struct WriteJob<T, F> {
    work: F,
    made: Option<T>,
    told: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnMut(&Connection) -> Result<T, StoreError> + Send> Job for WriteJob<T, F> {
    fn attempt(&mut self, connection: &Connection) -> Result<(), StoreError> {
        self.made = Some((self.work)(connection)?);
        Ok(())
    }

    fn done(self: Box<Self>, result: Result<(), StoreError>) {
        let made = self.made;
        // The receiver may be gone.
        let _ = self.told.send(result.and_then(|()| made.ok_or(StoreError::ShuttingDown)));
    }
}

/// The thread that writes. It begins with the first job and ends when this is dropped and all requests are done.
#[derive(Debug, Default)]
pub(super) struct Committer {
    thread: OnceLock<Option<WriterThread>>,
}

#[derive(Debug)]
struct WriterThread {
    queue: Arc<JobQueue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Committer {
    /// Has `work` done in a transaction that it shares with others. Jobs are done in the order in which they were given.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        connected: &Arc<SharedConnection>,
        urgency: Urgency,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Receipt<T> {
        let (told, receiver) = oneshot::channel();
        let job: Box<dyn Job> = Box::new(WriteJob { work, made: None, told });
        match self.thread.get_or_init(|| WriterThread::start(Arc::clone(connected))) {
            Some(writing) => writing.queue.push(urgency, job),
            None => run_alone(connected, job),
        }
        Receipt::awaited(receiver)
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        let Some(Some(writing)) = self.thread.get() else { return };
        writing.queue.close();
        let thread = writing.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl WriterThread {
    fn start(connected: Arc<SharedConnection>) -> Option<Self> {
        let queue = Arc::<JobQueue>::default();
        let asked = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write_all(&connected, &asked))
            .ok()?;
        Some(WriterThread { queue, thread: Mutex::new(Some(thread)) })
    }
}

/// The queue of jobs, in the order in which they were given. The thread is woken only for what it waits for.
#[derive(Default)]
struct JobQueue {
    jobs: Mutex<PendingJobs>,
    changed: Condvar,
}

#[derive(Default)]
struct PendingJobs {
    waiting: Vec<Box<dyn Job>>,
    /// `true` if a caller waits for one of these.
    awaited: bool,
    /// The event that the thread sleeps until, if it does.
    sleeps_until: Option<WakeCondition>,
    closed: bool,
}

/// The event that wakes the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WakeCondition {
    AnyJob,
    AwaitedJob,
}

impl std::fmt::Debug for JobQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobQueue").field("waiting", &self.jobs().waiting.len()).finish_non_exhaustive()
    }
}

impl JobQueue {
    fn jobs(&self) -> MutexGuard<'_, PendingJobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, urgency: Urgency, job: Box<dyn Job>) {
        let mut jobs = self.jobs();
        jobs.waiting.push(job);
        jobs.awaited |= urgency == Urgency::AwaitedNow;
        let wakes = match jobs.sleeps_until {
            Some(WakeCondition::AnyJob) => true,
            Some(WakeCondition::AwaitedJob) => jobs.awaited,
            None => false,
        };
        if wakes {
            jobs.sleeps_until = None;
            drop(jobs);
            self.changed.notify_one();
        }
    }

    /// Closes the queue: what was given is done, and no more.
    fn close(&self) {
        self.jobs().closed = true;
        self.changed.notify_one();
    }

    /// The next jobs; none when it is closed and all are done. `before` is their number the last time.
    fn next(&self, before: usize) -> Vec<Box<dyn Job>> {
        let mut jobs = self.jobs();
        while jobs.waiting.is_empty() && !jobs.closed {
            jobs.sleeps_until = Some(WakeCondition::AnyJob);
            jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
        let until = Instant::now() + DEFERRED;
        while !jobs.awaited && !jobs.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            jobs.sleeps_until = Some(WakeCondition::AwaitedJob);
            jobs = self.changed.wait_timeout(jobs, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        jobs.sleeps_until = None;
        if before >= SHARED && !jobs.closed {
            drop(jobs);
            std::thread::sleep(GATHERED);
            jobs = self.jobs();
        }
        if jobs.waiting.len() <= MOST_JOBS {
            jobs.awaited = false;
            return std::mem::take(&mut jobs.waiting);
        }
        let rest = jobs.waiting.split_off(MOST_JOBS);
        std::mem::replace(&mut jobs.waiting, rest)
    }
}

fn write_all(connected: &SharedConnection, queue: &JobQueue) {
    let mut before = 0;
    loop {
        let mut jobs = queue.next(before);
        before = jobs.len();
        if before == 0 {
            return;
        }
        match together(connected, &mut jobs) {
            Ok(()) => jobs.into_iter().for_each(|job| job.done(Ok(()))),
            // One that fails does not affect the others.
            Err(_) if jobs.len() > 1 => jobs.into_iter().for_each(|job| run_alone(connected, job)),
            Err(error) => {
                if let Some(only) = jobs.pop() {
                    only.done(Err(error));
                }
            }
        }
    }
}

fn together(connected: &SharedConnection, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    connected.transact(|connection| jobs.iter_mut().try_for_each(|job| job.attempt(connection)))
}

fn run_alone(connected: &SharedConnection, mut job: Box<dyn Job>) {
    let result = connected.transact(|connection| job.attempt(connection));
    job.done(result);
}

impl SharedConnection {
    /// Does `work` in one transaction. While another process has the journal locked, it waits without limit.
    pub(super) fn transact<T>(
        &self,
        mut work: impl FnMut(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let began = Instant::now();
        loop {
            match self.attempt(&mut work) {
                Err(StoreError::Locked { .. }) => self.waiting(began.elapsed()),
                done => return done,
            }
        }
    }

    fn attempt<T>(
        &self,
        work: &mut impl FnMut(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let sqlite = |error: rusqlite::Error| StoreError::sqlite(&self.path, &error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sqlite)?;
        let made = work(&transaction)?;
        transaction.commit().map_err(sqlite)?;
        Ok(made)
    }
}

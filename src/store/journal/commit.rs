//! Group commit: what many documents have to keep at the same time goes to the disk together.
//!
//! Waiting for the disk is what a write costs. One thread takes all that has been asked for by then, writes it in one
//! transaction, and tells everybody when the disk has it.

use super::Connected;
use crate::store::{Receipt, StoreError};
use rusqlite::{Connection, TransactionBehavior};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Most jobs of one transaction: those that come meanwhile wait for no more than these.
const MOST_JOBS: usize = 1_024;

/// How long a transaction waits for more when the one before was shared: waiting for the disk twice takes longer.
const GATHERED: Duration = Duration::from_millis(1);

/// From so many jobs on, a transaction was shared.
const SHARED: usize = 4;

/// Something to be written. It may be tried twice: alone, after the transaction that it was part of failed.
trait Job: Send {
    fn attempt(&mut self, connection: &Connection) -> Result<(), StoreError>;
    fn done(self: Box<Self>, result: Result<(), StoreError>);
}

struct Typed<T, F> {
    work: F,
    made: Option<T>,
    told: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnMut(&Connection) -> Result<T, StoreError> + Send> Job for Typed<T, F> {
    fn attempt(&mut self, connection: &Connection) -> Result<(), StoreError> {
        self.made = Some((self.work)(connection)?);
        Ok(())
    }

    fn done(self: Box<Self>, result: Result<(), StoreError>) {
        let made = self.made;
        // Nobody may wait for it.
        let _ = self.told.send(result.and_then(|()| made.ok_or(StoreError::ShuttingDown)));
    }
}

/// The thread that writes. It begins with the first job and ends when this is dropped, after what was asked for by then.
#[derive(Debug, Default)]
pub(super) struct Committer {
    thread: OnceLock<Option<Writing>>,
}

#[derive(Debug)]
struct Writing {
    jobs: Mutex<Option<Sender<Box<dyn Job>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Committer {
    /// Has `work` done in a transaction that it shares with others. Jobs are done in the order in which they were given.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        connected: &Arc<Connected>,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Receipt<T> {
        let (told, receiver) = oneshot::channel();
        let writing = self.thread.get_or_init(|| Writing::start(Arc::clone(connected)));
        let jobs =
            writing.as_ref().map(|writing| writing.jobs.lock().unwrap_or_else(PoisonError::into_inner));
        let job: Box<dyn Job> = Box::new(Typed { work, made: None, told });
        if let Some(Some(jobs)) = jobs.as_deref() {
            // The thread outlives every sender.
            let _ = jobs.send(job);
        } else {
            run_alone(connected, job);
        }
        Receipt::awaited(receiver)
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        let Some(Some(writing)) = self.thread.get() else { return };
        drop(writing.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = writing.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Writing {
    fn start(connected: Arc<Connected>) -> Option<Self> {
        let (jobs, asked) = channel();
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write_all(&connected, &asked))
            .ok()?;
        Some(Writing { jobs: Mutex::new(Some(jobs)), thread: Mutex::new(Some(thread)) })
    }
}

fn write_all(connected: &Connected, asked: &Receiver<Box<dyn Job>>) {
    let mut before = 0;
    while let Ok(first) = asked.recv() {
        let mut jobs = vec![first];
        if before >= SHARED {
            let until = Instant::now() + GATHERED;
            while jobs.len() < MOST_JOBS
                && let Ok(job) = asked.recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                jobs.push(job);
            }
        }
        jobs.extend(asked.try_iter().take(MOST_JOBS.saturating_sub(jobs.len())));
        before = jobs.len();
        match together(connected, &mut jobs) {
            Ok(()) => jobs.into_iter().for_each(|job| job.done(Ok(()))),
            // One that can't be done takes only itself.
            Err(_) if jobs.len() > 1 => jobs.into_iter().for_each(|job| run_alone(connected, job)),
            Err(error) => {
                if let Some(only) = jobs.pop() {
                    only.done(Err(error));
                }
            }
        }
    }
}

fn together(connected: &Connected, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    connected.transact(|connection| jobs.iter_mut().try_for_each(|job| job.attempt(connection)))
}

fn run_alone(connected: &Connected, mut job: Box<dyn Job>) {
    let result = connected.transact(|connection| job.attempt(connection));
    job.done(result);
}

impl Connected {
    /// Does `work` in one transaction. While another process has the journal locked, it waits, however long that is.
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

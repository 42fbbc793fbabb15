//! Calls in waves: those of all waiting documents become vendor batches, and documents resume when these are answered.
//!
//! | file | its one job |
//! | --- | --- |
//! | `postponer` | has a document's call wait, or reads its answer |
//! | `task` | one batch, from its intention to its answers |
//! | `pause` | the time to wait before the next look |

mod pause;
mod postponer;
mod task;

pub(super) use self::postponer::WaveContext;
use self::task::{BatchFate, BatchTask};
use super::super::batches::{BatchNews, BatchSettings};
use super::super::consultants::{Candidates, Consultant};
use super::super::fallback::FallbackChain;
use super::super::off_thread::on_blocking_thread;
use super::super::session::Session;
use super::QueueState;
use super::worker::WorkerEvent;
use crate::provider::protocol::batch::BatchLimits;
use crate::provider::{BatchGroup, Provider};
use crate::store::{
    BatchKey, IntendedBatch, Journal, ProcessId, RunId, StoreError, StoredBatch, WaitingLines, WorkerId,
};
use crate::value::{Millis, digest_bytes};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;

/// The number of times in a row that a batch for which the vendor has no room is made smaller and tried again.
const MOST_WITHOUT_ROOM: u32 = 8;

/// The first pause after that; each further one is twice as long, up to the longest between two polls.
const WITHOUT_ROOM: Duration = Duration::from_secs(30);

/// The batches of a run, as far as this process sees to them.
pub(super) struct Waves {
    context: Arc<WaveContext>,
    journal: Arc<Journal>,
    run: RunId,
    worker: WorkerId,
    settings: BatchSettings,
    providers: HashMap<String, Provider>,
    at_work: JoinSet<Result<BatchFate, StoreError>>,
    /// The number of these that take in answers.
    collecting: Arc<AtomicUsize>,
    seen: HashSet<BatchKey>,
    leave: watch::Sender<bool>,
    events: UnboundedSender<WorkerEvent>,
    /// `true` if no other batch is made.
    refused: bool,
    /// The number of times in a row that the vendor had no room, and the most lines since.
    without_room: u32,
    most_lines: u64,
    /// No batch is submitted before this time.
    until: Option<Instant>,
}

impl Waves {
    pub(super) fn new(
        settings: BatchSettings,
        session: &Session,
        (journal, worker): (&Arc<Journal>, WorkerId),
        events: UnboundedSender<WorkerEvent>,
    ) -> Result<Self, StoreError> {
        let run = session.id().clone();
        let began = journal.run(&run)?.map(|run| run.record.started_at).unwrap_or_default();
        Ok(Waves {
            context: Arc::new(WaveContext::new(Arc::clone(journal), run.clone(), began, settings.used)),
            journal: Arc::clone(journal),
            run,
            worker,
            settings,
            providers: providers_of(session),
            at_work: JoinSet::new(),
            collecting: Arc::default(),
            seen: HashSet::new(),
            leave: watch::Sender::new(false),
            events,
            refused: false,
            without_room: 0,
            most_lines: u64::MAX,
            until: None,
        })
    }

    /// The state that has the calls of documents wait.
    pub(super) fn context(&self) -> &Arc<WaveContext> {
        &self.context
    }

    /// Returns whether no batch is in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.at_work.is_empty()
    }

    /// Brings batches in flight to a point from which they can be resumed. They continue at the vendor.
    pub(super) fn leave(&self) {
        self.leave.send_replace(true);
    }

    /// Waits for the end of a batch; forever when none is in flight. Can be dropped.
    pub(super) async fn ended(&mut self) -> Result<Result<BatchFate, StoreError>, JoinError> {
        match self.at_work.join_next().await {
            Some(ended) => ended,
            None => std::future::pending().await,
        }
    }

    /// Takes in the end of a batch.
    pub(super) fn take_in(
        &mut self,
        ended: Result<Result<BatchFate, StoreError>, JoinError>,
    ) -> Result<(), StoreError> {
        let outcome = match ended {
            Ok(outcome) => outcome?,
            Err(lost) => match lost.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => return Ok(()),
            },
        };
        match outcome {
            BatchFate::Left => {}
            BatchFate::Over => (self.without_room, self.until) = (0, None),
            BatchFate::NoRoom { lines, why } => {
                self.without_room += 1;
                if self.without_room >= MOST_WITHOUT_ROOM {
                    self.refuse(why);
                    return Ok(());
                }
                self.most_lines = self.most_lines.min(lines.div_ceil(2)).max(1);
                let pause = WITHOUT_ROOM.saturating_mul(1 << self.without_room.min(6));
                let pause = pause.min(self.settings.longest_pause);
                self.until = Some(Instant::now() + pause);
                let pause = Millis(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
                self.tell(BatchNews::Trouble { batch: "the next".to_owned(), why, pause });
            }
            BatchFate::Refused(why) => self.refuse(why),
        }
        Ok(())
    }

    /// Handles batches that were made before, and makes others of the waiting calls. Called when nothing else is to be
    /// done. Returns whether anything comes of it.
    pub(super) async fn go_on(&mut self) -> Result<QueueState, StoreError> {
        for batch in self.journal.open_batches(&self.run)? {
            if self.seen.insert(batch.key) && !self.refused {
                self.begin(batch, false);
            }
        }
        let waiting = self.journal.waiting_lines(&self.run)?;
        let count: u64 = waiting.iter().map(|lines| lines.lines).sum();
        if count == 0 || self.refused {
            return Ok(if self.at_work.is_empty() { QueueState::Nothing } else { QueueState::Something });
        }
        let few = count < self.settings.tail && self.journal.has_batches(&self.run)?;
        if !self.settings.used || (few && self.at_work.is_empty()) {
            self.context.make_online();
            let calls = self.journal.ask_alone(&self.run, self.worker, None)?;
            self.tell(BatchNews::Online { calls });
            return Ok(QueueState::Again);
        }
        // Where answers are coming in, their documents are about to wait for the next batch.
        let more = self.collecting.load(Ordering::Relaxed) > 0;
        if few || more || self.until.is_some_and(|until| until > Instant::now()) {
            // With what comes of the others there may be enough.
            return Ok(QueueState::Something);
        }
        let mut next = QueueState::Something;
        for lines in waiting {
            if !self.submit(lines).await? {
                next = QueueState::Again;
            }
        }
        Ok(next)
    }

    /// Makes batches of lines that may be in one; `false` if their documents are resumed instead.
    async fn submit(&mut self, lines: WaitingLines) -> Result<bool, StoreError> {
        let Some(provider) = self.providers.get(&lines.provider).cloned() else {
            self.journal.forget_lines(&self.run, self.worker, &lines.provider)?;
            return Ok(false);
        };
        let Some(BatchLimits { max_lines, max_bytes, .. }) = self.context.limits(&provider).await else {
            self.journal.ask_alone(&self.run, self.worker, Some(&lines.provider))?;
            return Ok(false);
        };
        loop {
            let own_id = self.own_id();
            let (journal, run, worker) = (Arc::clone(&self.journal), self.run.clone(), self.worker);
            let (lines, most_lines) = (lines.clone(), max_lines.min(self.most_lines));
            let intended = on_blocking_thread(move || {
                let at = jiff::Timestamp::now().to_string();
                // Room for the text around the lines.
                let most_bytes = max_bytes.saturating_sub(1_024);
                let intended = IntendedBatch { own_id: &own_id, at: &at, most_lines, most_bytes };
                journal.intend_batch(&run, worker, &lines, intended)
            });
            let Some(batch) = intended.await? else { return Ok(true) };
            self.seen.insert(batch.key);
            self.begin(batch, true);
        }
    }

    /// A name that no other batch has, on any machine.
    fn own_id(&self) -> String {
        let process = ProcessId::own();
        let now = jiff::Timestamp::now().as_nanosecond();
        let (machine, process) = (process.machine, process.process);
        let seen = self.seen.len();
        let digest = digest_bytes(format!("{machine}\n{process}\n{}\n{now}\n{seen}", self.run).as_bytes());
        format!("loopctl-{}", digest.get(..32).unwrap_or(&digest))
    }

    fn begin(&mut self, batch: StoredBatch, fresh: bool) {
        let group = serde_json::from_str::<BatchGroup>(&batch.group).ok();
        let (Some(provider), Some(group)) = (self.providers.get(&batch.provider).cloned(), group) else {
            let own = &batch.own_id;
            let why = format!(
                "the batch `{own}` is of a provider that this run has no more; was its base URL or its configuration changed?"
            );
            self.refuse(why);
            return;
        };
        let task = BatchTask {
            journal: Arc::clone(&self.journal),
            worker: self.worker,
            provider,
            batch,
            group,
            settings: self.settings,
            leave: self.leave.subscribe(),
            events: self.events.clone(),
            collecting: Arc::clone(&self.collecting),
        };
        self.at_work.spawn(task.see_to(fresh));
    }

    fn refuse(&mut self, why: String) {
        self.refused = true;
        self.tell(BatchNews::Refused { why });
    }

    fn tell(&self, news: BatchNews) {
        // No one listens any more when the run is aborted.
        let _ = self.events.send(WorkerEvent::Batch(news));
    }
}

/// All providers that are asked, by their batch keys.
fn providers_of(session: &Session) -> HashMap<String, Provider> {
    let consulted = session.consulted_anew();
    let stages: &[FallbackChain] = match &consulted.candidates {
        Candidates::Providers(chains) => chains,
        Candidates::Supplied => &[],
    };
    let judges = consulted.consultants.iter().filter_map(|consultant| match consultant {
        Consultant::Judge(chain) => Some(chain),
        Consultant::Service(_) | Consultant::Validator | Consultant::NotRun(_) => None,
    });
    let links = stages.iter().chain(judges).flat_map(FallbackChain::links);
    links.map(|provider| (provider.batch_key(), provider.clone())).collect()
}

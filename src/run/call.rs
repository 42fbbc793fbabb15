//! The calls of one document's loop, and the time that they take.

use super::bill::CostTracker;
use super::clock::{Clock, Time};
use crate::profile::Waiting;
use crate::provider::protocol::CompletionRequest;
use crate::provider::{Called, Progress, Provider};
use crate::result::AnsweredBy;
use crate::value::Millis;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// Makes the calls of a document.
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) clock: Clock,
    pub(super) bill: CostTracker,
    /// How many the cache answered.
    cached: AtomicUsize,
    /// Who answered, by stage or member of the panel.
    answered: Mutex<AnsweredBy>,
}

impl Calls {
    /// Calls that go by this time.
    pub(super) fn new(time: Time, waiting: Waiting) -> Self {
        Calls {
            clock: Clock::start(time, waiting),
            bill: CostTracker::default(),
            cached: AtomicUsize::new(0),
            answered: Mutex::default(),
        }
    }

    /// Who has answered.
    pub(super) fn answered(&self) -> AnsweredBy {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many the cache has answered.
    pub(super) fn cached(&self) -> usize {
        self.cached.load(Ordering::Relaxed)
    }

    /// Makes a call that began at `since`; `None` when someone stopped the run meanwhile.
    pub(super) async fn make(
        &self,
        since: Millis,
        provider: &Provider,
        request: &CompletionRequest,
        deadline: Millis,
        cancelled: watch::Receiver<bool>,
    ) -> Option<Called> {
        let progress = Progress::default();
        let begun = self.bill.begin(provider, request, &progress);
        let called = self.carry_out(since, provider, request, deadline, cancelled, &progress).await?;
        self.bill.end(&begun, provider, request, &called.outcome);
        Some(called)
    }

    /// The same of a call that nobody pays for.
    pub(super) async fn make_unbilled(
        &self,
        since: Millis,
        provider: &Provider,
        request: &CompletionRequest,
        deadline: Millis,
        cancelled: watch::Receiver<bool>,
    ) -> Option<Called> {
        self.carry_out(since, provider, request, deadline, cancelled, &Progress::default()).await
    }

    async fn carry_out(
        &self,
        since: Millis,
        provider: &Provider,
        request: &CompletionRequest,
        deadline: Millis,
        mut cancelled: watch::Receiver<bool>,
        progress: &Progress,
    ) -> Option<Called> {
        let mut unsent = cancelled.clone();
        let given_up_unsent = async {
            stopped(&mut unsent).await;
            if progress.is_sent() {
                std::future::pending::<()>().await;
            }
        };
        let called = tokio::select! {
            // A call whose turn comes because others are given up is not sent any more; but a finished answer is never
            // thrown away for a cancellation that came at the same moment.
            biased;
            () = given_up_unsent => return None,
            called = provider.call(request, deadline.duration(), progress) => called,
            () = stopped(&mut cancelled) => return None,
        };
        // The time of a document is what is done for it: what is slowed down by limits would be late otherwise, and what has
        // been paid for by then lost.
        if let Some(waited) = progress.waited() {
            self.clock.leave_out(waited);
        }
        if let Some(took) = called.took {
            self.clock.reach(since.saturating_add(took));
        }
        if let Ok(completion) = &called.outcome {
            let by = provider.answered(request, completion);
            let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            answered.entry(request.stage.clone()).or_default().insert(by);
        }
        if called.cached {
            self.cached.fetch_add(1, Ordering::Relaxed);
        }
        Some(called)
    }
}

/// Waits until someone stops the session. Where nobody can any more, because the sender is gone, it waits for ever.
pub(super) async fn stopped(cancelled: &mut watch::Receiver<bool>) {
    if cancelled.wait_for(|cancelled| *cancelled).await.is_err() {
        std::future::pending::<()>().await;
    }
}

//! The calls of one document's loop, and the time that they take.

use super::clock::{Clock, Time};
use super::cost_tracker::CostTracker;
use super::stop_signals::StopSignals;
use crate::profile::Waiting;
use crate::provider::protocol::CompletionRequest;
use crate::provider::{AnswerStore, CallOutcome, CallProgress, Provider};
use crate::result::{AnsweredBy, add_member};
use crate::value::Millis;
use serde::Deserialize;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Makes the calls of a document.
#[derive(Debug)]
pub(super) struct CallRunner {
    pub(super) clock: Clock,
    pub(super) cost_tracker: CostTracker,
    /// The handler that has calls wait for a batch, if any.
    postponer: Option<Arc<dyn CallPostponer>>,
    /// The number of calls that the cache answered.
    cached: AtomicUsize,
    /// The providers that answered, by stage or member of the panel.
    answered: Mutex<AnsweredBy>,
}

/// The reason that there is no answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SkippedCall {
    /// The run was stopped.
    Stopped,
    /// It waits for a batch.
    Postponed,
}

/// Has the calls of a document wait for a batch, whose answers come later.
pub(super) trait CallPostponer: std::fmt::Debug + Send + Sync {
    /// Decides about a call, by its name in the journal.
    fn ask<'a>(
        &'a self,
        call: &'a str,
        provider: &'a Provider,
        request: &'a CompletionRequest,
        answers: Option<&'a Arc<dyn AnswerStore>>,
    ) -> Pin<Box<dyn Future<Output = PostponeDecision> + Send + 'a>>;
}

/// The decision about a call that may wait for a batch.
#[cfg_attr(
    not(all(feature = "journal", feature = "network")),
    expect(dead_code, reason = "batches are kept in the journal, and are of the network")
)]
pub(super) enum PostponeDecision {
    /// It is made now.
    No,
    /// It waits.
    Yes,
    /// A batch has answered it.
    Answered(Box<CallOutcome>),
}

/// The terms of a call.
#[derive(Debug)]
pub(super) struct CallTerms {
    /// Its name in the journal.
    pub(super) call: String,
    /// The time at which it began.
    pub(super) since: Millis,
    /// The longest time that it may take.
    pub(super) deadline: Millis,
    /// The store of its answer.
    pub(super) answers: Option<Arc<dyn AnswerStore>>,
    pub(super) stops: StopSignals,
}

/// The member of an event's record that names the providers that have answered by then.
const ANSWERED_BY: &str = "answered_by";

impl CallRunner {
    /// A runner whose clock starts at this time, which begins at `from`.
    pub(super) fn new(
        time: Time,
        waiting: Waiting,
        from: Millis,
        postponer: Option<Arc<dyn CallPostponer>>,
    ) -> Self {
        CallRunner {
            clock: Clock::start(time, waiting, from),
            cost_tracker: CostTracker::default(),
            postponer,
            cached: AtomicUsize::new(0),
            answered: Mutex::default(),
        }
    }

    /// Notes in the record of an event which providers have answered.
    pub(super) fn note(&self, payload: &mut String) -> Result<(), serde_json::Error> {
        let answered = self.answered();
        if answered.is_empty() { Ok(()) } else { add_member(payload, ANSWERED_BY, &answered) }
    }

    /// Restores them from such a record.
    pub(super) fn recall(&self, payload: &Value) {
        if let Some(answered) = payload.get(ANSWERED_BY).and_then(|one| AnsweredBy::deserialize(one).ok()) {
            *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = answered;
        }
    }

    /// The providers that have answered.
    pub(super) fn answered(&self) -> AnsweredBy {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of calls that the cache has answered.
    pub(super) fn cached(&self) -> usize {
        self.cached.load(Ordering::Relaxed)
    }

    /// Makes a call, unless the run is stopped meanwhile, or it waits for a batch.
    pub(super) async fn make(
        &self,
        terms: CallTerms,
        provider: &Provider,
        request: &CompletionRequest,
    ) -> Result<CallOutcome, SkippedCall> {
        if let Some(postponer) = &self.postponer {
            match postponer.ask(&terms.call, provider, request, terms.answers.as_ref()).await {
                PostponeDecision::No => {}
                PostponeDecision::Yes => return Err(SkippedCall::Postponed),
                PostponeDecision::Answered(called) => {
                    let begun = self.cost_tracker.begin(provider, request, &CallProgress::default());
                    self.cost_tracker.end(&begun, provider, request, &called.outcome);
                    self.note_who_answered(provider, request, &called);
                    return Ok(*called);
                }
            }
        }
        let progress = CallProgress::keeping(terms.answers.clone());
        let begun = self.cost_tracker.begin(provider, request, &progress);
        let called = self.carry_out(terms, provider, request, &progress).await.ok_or(SkippedCall::Stopped)?;
        self.cost_tracker.end(&begun, provider, request, &called.outcome);
        Ok(called)
    }

    /// Like [`Self::make`], for a call that is not billed.
    pub(super) async fn make_unbilled(
        &self,
        terms: CallTerms,
        provider: &Provider,
        request: &CompletionRequest,
    ) -> Result<CallOutcome, SkippedCall> {
        let progress = CallProgress::keeping(terms.answers.clone());
        self.carry_out(terms, provider, request, &progress).await.ok_or(SkippedCall::Stopped)
    }

    async fn carry_out(
        &self,
        terms: CallTerms,
        provider: &Provider,
        request: &CompletionRequest,
        progress: &CallProgress,
    ) -> Option<CallOutcome> {
        let CallTerms { since, deadline, mut stops, .. } = terms;
        let mut unsent = stops.clone();
        let given_up_unsent = async {
            unsent.no_more_calls().await;
            if progress.is_sent() {
                std::future::pending::<()>().await;
            }
        };
        let calling = Box::pin(provider.call(request, deadline.duration(), progress));
        let called = tokio::select! {
            // A call whose turn comes because others are given up is not sent any more; but a finished answer is never
            // thrown away for a cancellation that came at the same moment.
            biased;
            () = given_up_unsent => return None,
            called = calling => called,
            () = stops.give_up() => return None,
        };
        // The time of a document is that of the work on it: documents slowed down by limits would be late otherwise,
        // and what has been paid for by then lost.
        if let Some(waited) = progress.waited() {
            self.clock.leave_out(waited);
        }
        if let Some(took) = called.took {
            self.clock.reach(since.saturating_add(took));
        }
        self.note_who_answered(provider, request, &called);
        if called.cached {
            self.cached.fetch_add(1, Ordering::Relaxed);
        }
        Some(called)
    }

    fn note_who_answered(&self, provider: &Provider, request: &CompletionRequest, called: &CallOutcome) {
        if let Ok(completion) = &called.outcome {
            let by = provider.answered(request, completion);
            let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            answered.entry(request.stage.clone()).or_default().insert(by);
        }
    }
}

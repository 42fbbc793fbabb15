//! The state machine of one document's loop.

use super::event::{CallFailed, Event, Input, Output, Produced, WakeReason, Work};
use super::outcome::Outcome;
use crate::policy::{Facts, History, ScriptCriteria, Spent, StopReason, Verdict, decide};
use crate::profile::LoopPolicy;
use crate::score::Assessment;
use crate::value::{Millis, Usage};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// How often a call that failed for a passing reason is made again, and how long the first pause is. Each further
/// pause is twice as long, at most [`Retry::LONGEST_PAUSE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Attempts after the first.
    pub attempts: u32,
    /// The first pause.
    pub pause: Millis,
}

impl Retry {
    /// Longest pause, whatever a provider asks for.
    pub const LONGEST_PAUSE: Millis = Millis(60_000);

    fn pause_before(&self, attempt: u32) -> Millis {
        let doubled = self.pause.0.saturating_mul(1_u64.checked_shl(attempt).unwrap_or(u64::MAX));
        Millis(doubled.min(Self::LONGEST_PAUSE.0))
    }
}

/// The driver did something that makes no sense now: a mistake in our own code, never a provider's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the run was {state} and can't take `{input}`")]
pub struct Misuse {
    state: &'static str,
    input: &'static str,
}

/// One document's loop.
///
/// Two runs that are given the same policy, inputs and times hand out the same outputs.
#[derive(Debug)]
pub struct Run {
    policy: Arc<LoopPolicy>,
    criteria: Arc<ScriptCriteria>,
    retry: Retry,
    state: State,
    history: History,
    candidates: Vec<Arc<Value>>,
    assessments: Vec<Assessment>,
    usage: Usage,
    pub(super) outputs: VecDeque<Output>,
}

#[derive(Debug, Clone, PartialEq)]
enum State {
    Fresh,
    Producing { work: Work },
    Waiting { work: Work },
    Assessing { candidate: Arc<Value> },
    Over,
}

impl State {
    fn name(&self) -> &'static str {
        match self {
            State::Fresh => "not started",
            State::Producing { .. } => "waiting for a candidate",
            State::Waiting { .. } => "pausing before another attempt",
            State::Assessing { .. } => "waiting for an assessment",
            State::Over => "over",
        }
    }
}

impl Run {
    /// A run that has not started.
    #[must_use]
    pub fn new(policy: Arc<LoopPolicy>, retry: Retry) -> Self {
        Run {
            policy,
            criteria: Arc::default(),
            retry,
            state: State::Fresh,
            history: History::new(),
            candidates: Vec::new(),
            assessments: Vec::new(),
            usage: Usage::default(),
            outputs: VecDeque::new(),
        }
    }

    /// With the compiled functions of the policy's script criteria.
    #[must_use]
    pub fn with_criteria(mut self, criteria: Arc<ScriptCriteria>) -> Self {
        self.criteria = criteria;
        self
    }

    /// Takes what happened at `now` (time since the run began) and prepares what follows, to be taken with
    /// [`Run::poll`].
    ///
    /// # Errors
    /// [`Misuse`] when the input does not answer what the run asked for; the state is unchanged.
    pub fn handle(&mut self, now: Millis, input: Input) -> Result<(), Misuse> {
        let misuse = |state: &State, input: &'static str| Err(Misuse { state: state.name(), input });
        match (self.state.clone(), input) {
            (State::Fresh, Input::Started) => {
                self.record(Event::Started);
                self.produce(Work::Generate { attempt: 0 });
            }
            (State::Fresh, Input::Unreadable { reason }) => {
                self.record(Event::Unreadable { reason: reason.clone() });
                self.finish(now, StopReason::UnreadableInput, Some(reason));
            }
            (State::Producing { .. }, Input::Produced(produced)) => self.produced(produced),
            (State::Producing { work }, Input::Failed(failure)) => self.failed(now, &work, failure),
            (State::Waiting { work }, Input::Woke) => {
                self.record(Event::Woke);
                self.produce(work);
            }
            (State::Assessing { candidate }, Input::Assessed(assessment)) => {
                self.assessed(now, candidate, *assessment);
            }
            (State::Over, Input::Stop) => return misuse(&self.state, "stop"),
            (_, Input::Stop) => {
                self.record(Event::Stopped);
                self.finish(now, StopReason::Cancelled, None);
            }
            (state, Input::Started) => return misuse(&state, "started"),
            (state, Input::Unreadable { .. }) => return misuse(&state, "unreadable"),
            (state, Input::Produced(_)) => return misuse(&state, "produced"),
            (state, Input::Failed(_)) => return misuse(&state, "failed"),
            (state, Input::Woke) => return misuse(&state, "woke"),
            (state, Input::Assessed(_)) => return misuse(&state, "assessed"),
        }
        Ok(())
    }

    /// The next thing to do; `None` when there is nothing before the next input.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Every candidate assessed so far, by iteration.
    #[must_use]
    pub fn candidates(&self) -> &[Arc<Value>] {
        &self.candidates
    }

    /// The candidate that [`Work::Assess`] is about.
    #[must_use]
    pub fn pending_candidate(&self) -> Option<&Arc<Value>> {
        match &self.state {
            State::Assessing { candidate } => Some(candidate),
            _ => None,
        }
    }

    /// The assessments of [`Run::candidates`].
    #[must_use]
    pub fn assessments(&self) -> &[Assessment] {
        &self.assessments
    }

    /// Standing of every assessed candidate.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Whether the run has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state == State::Over
    }

    fn record(&mut self, event: Event) {
        self.outputs.push_back(Output::Record(event));
    }

    fn call(&mut self, work: Work) {
        self.record(Event::Called(work.clone()));
        self.outputs.push_back(Output::Call(work));
    }

    fn produce(&mut self, work: Work) {
        self.state = State::Producing { work: work.clone() };
        self.call(work);
    }

    fn produced(&mut self, produced: Produced) {
        let iteration = self.candidates.len();
        self.usage += produced.usage;
        let candidate = Arc::clone(&produced.candidate);
        self.record(Event::Produced { iteration, produced });
        self.state = State::Assessing { candidate };
        self.call(Work::Assess { iteration });
    }

    fn failed(&mut self, now: Millis, work: &Work, failure: CallFailed) {
        self.usage += failure.usage;
        let (attempt, next) = match *work {
            Work::Generate { attempt } => (attempt, Work::Generate { attempt: attempt + 1 }),
            Work::Correct { iteration, base, attempt } => {
                (attempt, Work::Correct { iteration, base, attempt: attempt + 1 })
            }
            // Assessing is pure and can't fail; there is no input that says so.
            Work::Assess { .. } => return,
        };
        self.record(Event::Failed { iteration: self.candidates.len(), failure: failure.clone() });
        if !failure.transient || attempt >= self.retry.attempts {
            self.finish(now, StopReason::ProviderError, Some(failure.message));
            return;
        }
        let (pause, reason) = match failure.retry_after {
            Some(pause) => (pause.min(Retry::LONGEST_PAUSE), WakeReason::RetryAfter),
            None => (self.retry.pause_before(attempt), WakeReason::Backoff),
        };
        let until = now.saturating_add(pause);
        if let Some(limit) = self.spent_before_retry(until) {
            self.finish(
                now,
                StopReason::ProviderError,
                Some(format!("{}; no attempt is left within {limit}", failure.message)),
            );
            return;
        }
        self.record(Event::Waiting { until, reason });
        self.state = State::Waiting { work: next };
        self.outputs.push_back(Output::Wake { at: until, reason });
    }

    /// The limit that another attempt at `until` would go over. The table looks at time and budget only after an
    /// assessment, so without this a failing provider could be waited for, and paid, long past them.
    fn spent_before_retry(&self, until: Millis) -> Option<&'static str> {
        let stop = &self.policy.stop;
        if stop.timeout.is_some_and(|limit| until > limit) {
            return Some("the timeout");
        }
        stop.budget.calls.is_some_and(|limit| self.usage.calls >= limit).then_some("the budget of calls")
    }

    fn assessed(&mut self, now: Millis, candidate: Arc<Value>, assessment: Assessment) {
        let iteration = self.candidates.len();
        let facts = Facts::of(&self.policy, &assessment, Some(Arc::clone(&candidate)));
        self.record(Event::Assessed { iteration, assessment: Box::new(assessment.clone()) });
        self.candidates.push(candidate);
        self.assessments.push(assessment);
        self.history.push(&self.policy, facts);
        let spent = Spent { elapsed: now, usage: self.usage };
        let decision = decide(&self.policy, &mut self.history, spent, &self.criteria);
        let verdict = decision.verdict.clone();
        self.record(Event::Decided(decision));
        match verdict {
            Verdict::Continue { base } => {
                self.produce(Work::Correct { iteration: iteration + 1, base, attempt: 0 })
            }
            Verdict::Stop { reason } => self.finish(now, reason, None),
        }
    }

    fn finish(&mut self, now: Millis, stop_reason: StopReason, detail: Option<String>) {
        let selection = self.history.selection(&self.policy, stop_reason == StopReason::Accepted);
        let outcome = Box::new(Outcome {
            final_status: stop_reason.status(),
            stop_reason,
            iteration_count: self.history.iterations().len(),
            best_iteration: selection.map(|s| s.iteration),
            selection_reason: selection.map(|s| s.reason),
            improvement_trajectory: self.history.overalls().collect(),
            rollbacks: self.history.rollbacks(),
            usage: self.usage,
            elapsed_ms: now,
            detail,
        });
        self.state = State::Over;
        self.record(Event::Finished(outcome.clone()));
        self.outputs.push_back(Output::Finished(outcome));
    }
}

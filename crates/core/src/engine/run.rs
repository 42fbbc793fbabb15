//! The state machine of one document's loop.

use super::conclude::{Conclusion, Measured};
use super::document_state::{DocumentState, IterationState};
use super::event::{CallFailed, Event, Input, Output, Produced, WakeReason, Work};
use super::outcome::Outcome;
use super::pending_panel::PendingPanel;
use super::pipeline::{Outputs, Pipeline};
use super::retry::Retry;
use crate::feedback::Correction;
use crate::policy::{
    History, IterationSummary, ScriptCriteria, Spent, StopReason, Verdict, decide, misses_gate,
};
use crate::profile::{Lock, LoopPolicy};
use crate::score::{Answer, Assessment, Judged, Panel, Quotes, Scores, Unavailable};
use crate::value::{Millis, at_least};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// An input that the run can't take in its present state: a mistake in our own code, never a provider's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the run was {state} and can't take `{input}`")]
#[non_exhaustive]
pub struct Misuse {
    state: &'static str,
    input: &'static str,
}

impl Misuse {
    pub(super) fn new(state: &State, input: &'static str) -> Self {
        Misuse { state: state.name(), input }
    }
}

/// One document's loop.
///
/// Two runs that are given the same policy, inputs and times hand out the same outputs.
#[derive(Debug)]
pub struct Run {
    policy: Arc<LoopPolicy>,
    scripts: Arc<ScriptCriteria>,
    pub(super) retry: Retry,
    pipeline: Arc<Pipeline>,
    panel: Arc<Panel>,
    lock: Lock,
    pub(super) state: State,
    history: History,
    /// The latest answer of each stage.
    stage_outputs: Outputs,
    /// The quotes that came with the outputs of several stages for the candidate that is being made.
    stage_quotes: Vec<(usize, Quotes)>,
    /// The verdicts on single values of the document.
    pub(super) judged: Arc<Judged>,
    /// The number of questions to the judge of single values about the document.
    pub(super) questions_about_values: u32,
    /// Everything that was recorded.
    document: DocumentState,
    /// The time of the latest input.
    now: Millis,
    pub(super) outputs: VecDeque<Output>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum State {
    Fresh,
    Producing {
        work: Work,
    },
    Assessing {
        candidate: Arc<Value>,
    },
    Consulting {
        pending: Box<PendingPanel>,
    },
    /// The panel was heard, and its verdicts on single values are being put in.
    Reassessing {
        pending: Box<PendingPanel>,
    },
    Waiting {
        what: Waiting,
    },
    Over,
}

/// The action to take when a pause is over.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Waiting {
    /// A stage is asked again.
    Stage(Work),
    /// Members of the panel are asked again.
    Panel(Box<PendingPanel>),
}

impl State {
    fn name(&self) -> &'static str {
        match self {
            State::Fresh => "not started",
            State::Producing { .. } => "waiting for a candidate",
            State::Waiting { .. } => "pausing before another attempt",
            State::Assessing { .. } | State::Reassessing { .. } => "waiting for an assessment",
            State::Consulting { .. } => "waiting for a judge or validator",
            State::Over => "over",
        }
    }
}

impl Run {
    /// A run that has not started, of one stage and without judges and validators.
    #[must_use]
    pub fn new(policy: Arc<LoopPolicy>, retry: Retry) -> Self {
        Run {
            policy,
            scripts: Arc::default(),
            retry,
            pipeline: Arc::default(),
            panel: Arc::default(),
            lock: Lock::None,
            state: State::Fresh,
            stage_outputs: Vec::new(),
            stage_quotes: Vec::new(),
            history: History::new(),
            judged: Arc::default(),
            questions_about_values: 0,
            document: DocumentState::default(),
            now: Millis::default(),
            outputs: VecDeque::new(),
        }
    }

    /// Sets the stages that make a candidate, the panel that inspects it after the gate, and the fields that a
    /// correction must leave as they are.
    #[must_use]
    pub fn with(self, pipeline: Arc<Pipeline>, panel: Arc<Panel>, lock: Lock) -> Self {
        let stage_outputs = vec![None; pipeline.steps().len()];
        Run { pipeline, panel, lock, stage_outputs, ..self }
    }

    /// Sets the compiled functions of the policy's script criteria.
    #[must_use]
    pub fn with_scripts(mut self, scripts: Arc<ScriptCriteria>) -> Self {
        self.scripts = scripts;
        self
    }

    /// Takes what happened at `now` (time since the run began) and prepares what follows, to be taken with
    /// [`Run::poll`].
    ///
    /// # Errors
    /// [`Misuse`] when the input does not answer what the run asked for; the state is unchanged.
    pub fn handle(&mut self, now: Millis, input: Input) -> Result<(), Misuse> {
        let before = std::mem::replace(&mut self.now, now);
        let handled = self.take(now, input);
        if handled.is_err() {
            self.now = before;
        }
        handled
    }

    fn take(&mut self, now: Millis, input: Input) -> Result<(), Misuse> {
        // The state moves into what follows from it; a misuse puts it back.
        match (std::mem::replace(&mut self.state, State::Over), input) {
            (State::Fresh, Input::Started) => {
                self.record(Event::Started);
                self.produce(Work::Generate { stage: 0, attempt: 0 });
            }
            (State::Fresh, Input::Unreadable { reason }) => {
                self.record(Event::Unreadable { reason: reason.clone() });
                self.finish(now, StopReason::UnreadableInput, Some(reason));
            }
            (State::Producing { work: Work::Generate { stage: 0, .. } }, Input::Supplied(produced)) => {
                self.supplied(produced);
            }
            (State::Producing { work }, Input::Produced(produced)) => self.produced(now, &work, produced),
            (State::Producing { work }, Input::Failed(failure)) => self.failed(now, work, failure),
            (State::Waiting { what }, Input::Woke) => {
                self.record(Event::Woke);
                match what {
                    Waiting::Panel(pending) => self.ask_panel(pending),
                    Waiting::Stage(work) => self.produce(work),
                }
            }
            (State::Assessing { candidate }, Input::Assessed(assessment)) => {
                self.assessed(now, candidate, assessment);
            }
            (State::Reassessing { pending }, Input::Assessed(assessment)) => {
                self.reassessed(now, pending, assessment);
            }
            (State::Consulting { pending }, Input::Consulted { member, consulted }) => {
                return self.on_answer(now, pending, member, Ok(consulted));
            }
            (State::Consulting { pending }, Input::Unanswered { member, failure }) => {
                return self.on_answer(now, pending, member, Err(failure));
            }
            (State::Over, Input::Stop { .. }) => return Err(Misuse::new(&self.state, "stop")),
            (state, Input::Stop { in_flight }) => {
                self.record(Event::Stopped { in_flight });
                // A candidate that waits for a judge has been paid for: it counts as tier 1 measured it.
                if let State::Consulting { pending }
                | State::Reassessing { pending }
                | State::Waiting { what: Waiting::Panel(pending) } = state
                {
                    let facts = IterationSummary::of(&self.policy, &pending.tier1, Some(pending.candidate));
                    self.history.push(&self.policy, facts);
                }
                self.finish(now, StopReason::Cancelled, None);
            }
            (state, Input::Started) => return Err(self.misused(state, "started")),
            (state, Input::Unreadable { .. }) => return Err(self.misused(state, "unreadable")),
            (state, Input::Supplied(_)) => return Err(self.misused(state, "supplied")),
            (state, Input::Produced(_)) => return Err(self.misused(state, "produced")),
            (state, Input::Failed(_)) => return Err(self.misused(state, "failed")),
            (state, Input::Woke) => return Err(self.misused(state, "woke")),
            (state, Input::Assessed(_)) => return Err(self.misused(state, "assessed")),
            (state, Input::Consulted { .. }) => return Err(self.misused(state, "consulted")),
            (state, Input::Unanswered { .. }) => return Err(self.misused(state, "unanswered")),
        }
        Ok(())
    }

    /// Restores the state, and describes the misuse.
    fn misused(&mut self, state: State, input: &'static str) -> Misuse {
        self.state = state;
        Misuse::new(&self.state, input)
    }

    /// The next thing to do; `None` when there is nothing before the next input.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The known state of the document's loop so far. While outputs wait to be polled, it is ahead of them.
    #[must_use]
    pub fn document(&self) -> &DocumentState {
        &self.document
    }

    /// The iteration that is being made or assessed; for a run that is over, the number of assessed ones.
    #[must_use]
    pub fn iteration(&self) -> usize {
        self.history.iterations().len()
    }

    /// The starting point of the correction that makes candidate `iteration` from candidate `base`.
    #[must_use]
    pub fn correction(&self, iteration: usize, base: usize) -> Correction<'_> {
        Correction {
            iteration,
            base,
            tried: self.document.assessed().filter_map(IterationState::assessed).collect(),
            rolled_back: self.history.rolled_back(),
        }
    }

    /// The candidate that [`Work::Assess`] or [`Work::Consult`] is about.
    #[must_use]
    pub fn pending_candidate(&self) -> Option<&Arc<Value>> {
        match &self.state {
            State::Assessing { candidate } => Some(candidate),
            State::Consulting { pending } | State::Reassessing { pending } => Some(&pending.candidate),
            _ => None,
        }
    }

    /// Passages of the document that were offered for its leaves.
    #[must_use]
    pub fn pending_quotes(&self) -> Option<&Quotes> {
        self.document.iteration(self.iteration()).map(|pending| &pending.quotes)
    }

    /// The judges and validators.
    pub(super) fn panel(&self) -> &Arc<Panel> {
        &self.panel
    }

    /// The stages that make a candidate.
    #[must_use]
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// The latest answer of each stage.
    #[must_use]
    pub fn stage_outputs(&self) -> &Outputs {
        &self.stage_outputs
    }

    /// The assessed candidates, as the policy compares them.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns whether the run has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state == State::Over
    }

    pub(super) fn record(&mut self, event: Event) {
        self.document.apply(self.now, &event);
        self.outputs.push_back(Output::Record(event));
    }

    pub(super) fn call(&mut self, work: Work) {
        self.record(Event::Called(work.clone()));
        self.outputs.push_back(Output::Call(work));
    }

    fn produce(&mut self, work: Work) {
        self.state = State::Producing { work: work.clone() };
        self.call(work);
    }

    fn supplied(&mut self, produced: Produced) {
        let candidate = Arc::clone(&produced.candidate);
        self.stage_outputs = self.pipeline.take_apart(&candidate);
        self.record(Event::Supplied { produced });
        self.assess(candidate);
    }

    /// Takes the output of a stage and continues with the next, or with the candidate when it was the last.
    fn produced(&mut self, now: Millis, work: &Work, produced: Produced) {
        let iteration = self.iteration();
        let (stage, base) = match *work {
            Work::Generate { stage, .. } => (stage, None),
            Work::Correct { stage, base, .. } => (stage, Some(base)),
            Work::Assess { .. } | Work::Consult { .. } => (0, None),
        };
        let output = Arc::clone(&produced.candidate);
        if let Some(known) = self.stage_outputs.get_mut(stage) {
            *known = Some(Arc::clone(&output));
        }
        // A repair may have removed what was there: then nothing may be concluded from what is missing.
        let lossy = produced.repairs.iter().any(|step| step.kind.loses());
        let plain = self.pipeline.is_plain();
        if !plain {
            self.stage_quotes.push((stage, produced.quotes.clone()));
        }
        self.record(if plain {
            Event::Produced { iteration, produced }
        } else {
            Event::Staged { iteration, stage, produced }
        });
        if iteration == 0 && !lossy && self.pipeline.skips(stage, &self.stage_outputs) {
            let id = self.pipeline.steps().get(stage).map(|step| Arc::clone(&step.id)).unwrap_or_default();
            self.finish(now, StopReason::Skip(id), None);
            return;
        }
        let Some(next) = self.pipeline.next(stage + 1, iteration, &self.stage_outputs) else {
            let candidate = if plain { output } else { self.pipeline.assemble(&self.stage_outputs) };
            if !plain {
                let said = std::mem::take(&mut self.stage_quotes);
                let quotes = self.pipeline.place_quotes(&said, &self.stage_outputs);
                self.record(Event::Assembled { iteration, candidate: Arc::clone(&candidate), quotes });
            }
            self.assess(candidate);
            return;
        };
        self.produce(match base {
            None => Work::Generate { stage: next, attempt: 0 },
            Some(base) => Work::Correct { iteration, base, stage: next, attempt: 0 },
        });
    }

    fn assess(&mut self, candidate: Arc<Value>) {
        self.state = State::Assessing { candidate };
        self.call(Work::Assess { iteration: self.iteration() });
    }

    fn failed(&mut self, now: Millis, work: Work, failure: CallFailed) {
        self.record(Event::Failed { iteration: self.iteration(), failure: failure.clone() });
        let (stage, attempt) = match work {
            Work::Generate { stage, attempt } | Work::Correct { stage, attempt, .. } => (stage, attempt),
            // Only stages are produced.
            Work::Assess { .. } | Work::Consult { .. } => return,
        };
        let attempts = self.pipeline.steps().get(stage).and_then(|step| step.retries);
        if !failure.transient || attempt >= attempts.unwrap_or(self.retry.attempts) {
            self.finish(now, StopReason::ProviderError, Some(failure.message));
            return;
        }
        let (pause, reason) = self.retry.pause_after(attempt, &failure);
        let until = now.saturating_add(pause);
        match self.check_limits(1, until) {
            Ok(()) => self.wait(until, reason, Waiting::Stage(work.again())),
            Err(limit) => {
                let detail = format!("{}; no attempt is left within {limit}", failure.message);
                self.finish(now, StopReason::ProviderError, Some(detail));
            }
        }
    }

    /// The limit that `calls` more calls at `until` would exceed, if there is one. The table checks time and budget
    /// only after an assessment, so without this a failing provider could be waited for, and paid, long past them.
    pub(super) fn check_limits(&self, calls: usize, until: Millis) -> Result<(), &'static str> {
        let stop = &self.policy.stop;
        if stop.timeout().is_some_and(|limit| until > limit) {
            return Err("the timeout");
        }
        let (budget, used) = (stop.budget(), self.document.usage());
        let with_these = used.calls.saturating_add(u64::try_from(calls).unwrap_or(u64::MAX));
        if budget.calls.is_some_and(|limit| with_these > limit) {
            return Err("the budget of calls");
        }
        if budget.tokens.is_some_and(|limit| used.tokens >= limit) {
            return Err("the budget of tokens");
        }
        let cost = used.known_cost_usd.get();
        if budget.cost_usd.is_some_and(|limit| at_least(cost, limit.get())) {
            return Err("the budget of money");
        }
        Ok(())
    }

    /// Asks to be woken.
    pub(super) fn wait(&mut self, until: Millis, reason: WakeReason, what: Waiting) {
        self.record(Event::Waiting { until, reason });
        self.outputs.push_back(Output::Wake { at: until, reason });
        self.state = State::Waiting { what };
    }

    /// Takes the assessment of tier 1. The panel is asked only when the gate lets it (step 4 of an iteration).
    fn assessed(&mut self, now: Millis, candidate: Arc<Value>, mut tier1: Arc<Assessment>) {
        let iteration = self.iteration();
        let alone = misses_gate(&self.policy, &tier1.scores) || !self.has_to_consult(&tier1);
        let measured = tier1.scores.clone();
        if alone {
            self.conclusion().alone(&measured, &mut tier1);
        }
        self.record(Event::Assessed { iteration, assessment: Arc::clone(&tier1) });
        if alone {
            self.conclude(now, candidate, tier1, &measured, &[], None);
        } else {
            self.consult(candidate, tier1, measured);
        }
    }

    /// Makes the whole assessment from the results of the tiers, and decides. The gate inspects the scores `measured`
    /// before anyone was asked. `unavailable` is a judge that is needed and will not answer about any other candidate
    /// either.
    pub(super) fn conclude(
        &mut self,
        now: Millis,
        candidate: Arc<Value>,
        tier1: Arc<Assessment>,
        measured: &Scores,
        answers: &[Answer],
        unavailable: Option<Unavailable>,
    ) {
        let iteration = self.iteration();
        let base = self.document.iteration(self.history.base()).filter(|base| base.counts);
        let base = base.and_then(IterationState::assessed);
        let made = Measured { candidate: &candidate, scores: measured, assessment: tier1 };
        let base = base.map(|(before, known)| (&**before, known));
        let (assessment, concluded) = self.conclusion().of(made, answers, base);
        if concluded {
            self.record(Event::Concluded { iteration, assessment: Arc::clone(&assessment) });
        }
        let facts =
            IterationSummary::of(&self.policy, &assessment, Some(candidate)).gated_by(&self.policy, measured);
        self.history.push(&self.policy, facts);
        let spent = Spent { elapsed: now, usage: self.document.usage() };
        let mut decision = decide(&self.policy, &mut self.history, spent, &self.scripts);
        let mut detail = None;
        // Without that judge no candidate can be accepted, so another one would be paid for in vain.
        if let (Verdict::Continue { .. }, Some(judge)) = (&decision.verdict, unavailable) {
            let reason = if judge.escalates { StopReason::CriticalIssue } else { StopReason::ProviderError };
            decision.verdict = Verdict::Stop { reason };
            detail = Some(judge.why);
        }
        let verdict = decision.verdict.clone();
        self.record(Event::Decided(Arc::new(decision)));
        match verdict {
            Verdict::Continue { base } => self.correct(now, iteration + 1, base),
            Verdict::Stop { reason } => self.finish(now, reason, detail),
        }
    }

    fn conclusion(&self) -> Conclusion<'_> {
        Conclusion { policy: &self.policy, panel: &self.panel, lock: self.lock }
    }

    fn correct(&mut self, now: Millis, iteration: usize, base: usize) {
        // Outputs that are part of the base are taken from it; all others stay as they were.
        if let Some(candidate) = self.document.candidate(base) {
            let parts = self.pipeline.take_apart(candidate);
            for (known, part) in self.stage_outputs.iter_mut().zip(parts) {
                *known = part.or_else(|| known.take());
            }
        }
        match self.pipeline.next(0, iteration, &self.stage_outputs) {
            Some(stage) => self.produce(Work::Correct { iteration, base, stage, attempt: 0 }),
            // A profile is checked for this when it is loaded.
            None => {
                self.finish(now, StopReason::ProviderError, Some("no stage corrects candidates".to_owned()))
            }
        }
    }

    fn finish(&mut self, now: Millis, stop_reason: StopReason, detail: Option<String>) {
        let spent = Spent { elapsed: now, usage: self.document.usage() };
        let outcome = Box::new(Outcome::of(&self.policy, &self.history, stop_reason, spent, detail));
        self.state = State::Over;
        self.record(Event::Finished(outcome.clone()));
        self.outputs.push_back(Output::Finished(outcome));
    }
}

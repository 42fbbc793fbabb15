//! The known state of one document's loop: its events, folded.
//!
//! The only fold of events. A run keeps one while it is in progress, so that its driver, its display and the writer of
//! its result read the same; a reader of a journal rebuilds it. Anything that needs a policy (ranks, what a criterion
//! looks back at) belongs to [`crate::policy::History`].

use super::{CallFailed, Event, Outcome, Produced, Work};
use crate::policy::{Decision, Spent};
use crate::repair::RepairStep;
use crate::score::{Assessment, Quotes};
use crate::value::{Millis, Usage};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// More candidates than any profile allows: an event about a later one is damage, not a reason to fill the memory.
pub const MOST_ITERATIONS: usize = 10_000;

/// The known state of one document's loop.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentState {
    iterations: Vec<IterationState>,
    usage: Usage,
    outcome: Option<Outcome>,
    /// The time until which the run waits, or last waited.
    pause: Millis,
}

/// The known state of one candidate, or of one that never came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IterationState {
    /// The iteration that it is corrected from; `None` for candidate 0.
    pub base: Option<usize>,
    /// `true` if it was supplied instead of generated.
    pub supplied: bool,
    /// The candidate, once all its stages have answered.
    pub candidate: Option<Arc<Value>>,
    /// Passages of the document that were offered for its leaves, with it or, for those that are as they were, with the
    /// candidate that it is corrected from.
    pub quotes: Quotes,
    /// The notes and repairs that came with the answers of its stages, in order.
    pub stage_answers: Vec<StageAnswer>,
    /// Calls that gave nothing, in their order; those of one round of the panel in the order of the panel.
    pub failures: Vec<FailedCall>,
    /// The tier 1 assessment from before anyone was asked, which the gate inspects.
    pub measured: Option<Arc<Assessment>>,
    /// The tier 1 assessment that includes a judge's verdicts on single values.
    reassessed: Option<Arc<Assessment>>,
    concluded: Option<Arc<Assessment>>,
    /// The last answers of judges and validators, by position in the panel.
    pub panel: BTreeMap<usize, MemberAnswer>,
    /// The decision about it.
    pub decision: Option<Arc<Decision>>,
    /// The time and usage that the run had spent when it was decided upon.
    pub spent: Spent,
    /// `true` if it is among the assessed candidates of the run: it was decided upon, or had been measured when someone
    /// stopped the run.
    pub counts: bool,
    /// The stage that was asked last.
    stage: usize,
    /// The number of failures before the current round of the panel.
    round: usize,
}

/// The notes and repairs that came with the answer of a stage.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct StageAnswer {
    /// The provider's notes about it.
    pub notes: Vec<String>,
    /// The repairs made to it.
    pub repairs: Vec<RepairStep>,
}

/// The answer of a judge or validator.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MemberAnswer {
    /// Its latest answer, or why it gave none. The answer may be one that can't be read.
    pub answer: Result<Arc<Value>, String>,
    /// The providers' notes about this and earlier answers.
    pub notes: Vec<String>,
}

/// A call that gave nothing.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FailedCall {
    /// The stage or member that it asked.
    pub callee: Callee,
    /// The failure.
    pub failure: CallFailed,
    /// The time at which the call was made again; `None` if it was not.
    pub retried_at: Option<Millis>,
}

/// The target of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// A stage, from 0.
    Stage(usize),
    /// A judge or validator, by its position in the panel.
    Member(usize),
}

impl IterationState {
    /// The assessment that is decided on, or what there is of it.
    #[must_use]
    pub fn assessment(&self) -> Option<&Assessment> {
        self.concluded.as_deref().or(self.measured.as_deref())
    }

    /// The tier 1 assessment as judges and validators see it.
    #[must_use]
    pub fn tier1(&self) -> Option<&Assessment> {
        self.reassessed.as_deref().or(self.measured.as_deref())
    }

    /// The candidate with its assessment.
    #[must_use]
    pub fn assessed(&self) -> Option<(&Arc<Value>, &Assessment)> {
        self.candidate.as_ref().zip(self.assessment())
    }

    /// Returns whether the run went back to the best candidate after it.
    #[must_use]
    pub fn rolled_back(&self) -> bool {
        self.decision.as_ref().is_some_and(|decision| decision.rolled_back)
    }

    /// The last answer of a panel member, or why it gave none; `None` if it was not asked.
    #[must_use]
    pub fn said_by(&self, member: usize) -> Option<Result<&Arc<Value>, &str>> {
        Some(self.panel.get(&member)?.answer.as_ref().map_err(String::as_str))
    }

    /// The repairs made to the answers that it was made of.
    pub fn repairs(&self) -> impl Iterator<Item = &RepairStep> {
        self.stage_answers.iter().flat_map(|answer| &answer.repairs)
    }

    fn called(&mut self, callee: Callee, attempt: u32, pause: Millis) {
        match callee {
            Callee::Stage(stage) => self.stage = stage,
            Callee::Member(_) => self.round = self.failures.len(),
        }
        if attempt > 0
            && let Some(last) = self.failures.iter_mut().rev().find(|failed| failed.callee == callee)
        {
            last.retried_at.get_or_insert(pause);
        }
    }

    fn answered(&mut self, produced: &Produced) {
        self.stage_answers
            .push(StageAnswer { notes: produced.notes.clone(), repairs: produced.repairs.clone() });
    }

    fn member(&mut self, member: usize, answer: Result<Arc<Value>, String>, notes: &[String]) {
        let said = self
            .panel
            .entry(member)
            .or_insert_with(|| MemberAnswer { answer: Err(String::new()), notes: Vec::new() });
        said.answer = answer;
        said.notes.extend_from_slice(notes);
    }

    fn failed(&mut self, callee: Callee, failure: &CallFailed) {
        let at = match callee {
            Callee::Stage(_) => self.failures.len(),
            // The panel answers in any order.
            Callee::Member(member) => {
                let later =
                    |failed: &FailedCall| matches!(failed.callee, Callee::Member(other) if other > member);
                let round = self.failures.iter().skip(self.round);
                self.round + round.take_while(|failed| !later(failed)).count()
            }
        };
        self.failures.insert(at, FailedCall { callee, failure: failure.clone(), retried_at: None });
    }
}

impl DocumentState {
    /// The state after all of these events.
    #[must_use]
    pub fn of<'e>(events: impl IntoIterator<Item = (Millis, &'e Event)>) -> Self {
        let mut state = DocumentState::default();
        for (at, event) in events {
            state.apply(at, event);
        }
        state
    }

    /// Every candidate, and the one that is being made or never came.
    #[must_use]
    pub fn iterations(&self) -> &[IterationState] {
        &self.iterations
    }

    /// One of them.
    #[must_use]
    pub fn iteration(&self, iteration: usize) -> Option<&IterationState> {
        self.iterations.get(iteration)
    }

    /// The assessed candidates.
    pub fn assessed(&self) -> impl DoubleEndedIterator<Item = &IterationState> {
        self.iterations.iter().filter(|iteration| iteration.counts)
    }

    /// The candidate of an iteration.
    #[must_use]
    pub fn candidate(&self, iteration: usize) -> Option<&Arc<Value>> {
        self.iteration(iteration)?.candidate.as_ref()
    }

    /// Its assessment.
    #[must_use]
    pub fn assessment(&self, iteration: usize) -> Option<&Assessment> {
        self.iteration(iteration)?.assessment()
    }

    /// The usage of its calls so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The outcome of the run; `None` while it is in progress, and for one that was interrupted.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Takes in what happened next, `at` after the run began.
    pub fn apply(&mut self, at: Millis, event: &Event) {
        match event {
            Event::Called(work) => self.called(work),
            Event::Supplied { produced } => {
                self.usage += produced.usage;
                self.with(0, |of| {
                    of.supplied = true;
                    of.answered(produced);
                });
                self.made(0, &produced.candidate, &produced.quotes);
            }
            Event::Staged { iteration, produced, .. } => {
                self.usage += produced.usage;
                self.with(*iteration, |of| of.answered(produced));
            }
            Event::Assembled { iteration, candidate, quotes } => self.made(*iteration, candidate, quotes),
            Event::Produced { iteration, produced } => {
                self.usage += produced.usage;
                self.with(*iteration, |of| of.answered(produced));
                self.made(*iteration, &produced.candidate, &produced.quotes);
            }
            Event::Failed { iteration, failure } => {
                self.usage += failure.usage;
                self.with(*iteration, |of| of.failed(Callee::Stage(of.stage), failure));
            }
            Event::Consulted { iteration, member, consulted } => {
                self.usage += consulted.usage;
                let answer = Ok(Arc::clone(&consulted.answer));
                self.with(*iteration, |of| of.member(*member, answer, &consulted.notes));
            }
            Event::Unanswered { iteration, member, failure } => {
                self.usage += failure.usage;
                self.with(*iteration, |of| {
                    of.member(*member, Err(failure.message.clone()), &[]);
                    of.failed(Callee::Member(*member), failure);
                });
            }
            Event::Waiting { until, .. } => self.pause = *until,
            Event::Assessed { iteration, assessment } => {
                let assessment = Some(Arc::clone(assessment));
                self.with(*iteration, |of| match of.measured {
                    None => of.measured = assessment,
                    Some(_) => of.reassessed = assessment,
                });
            }
            Event::Concluded { iteration, assessment } => {
                self.with(*iteration, |of| of.concluded = Some(Arc::clone(assessment)));
            }
            Event::Decided(decision) => {
                let spent = Spent { elapsed: at, usage: self.usage };
                self.with(decision.iteration, |of| {
                    of.decision = Some(Arc::clone(decision));
                    of.spent = spent;
                    of.counts = true;
                });
            }
            Event::Stopped { in_flight } => {
                self.usage += *in_flight;
                // A candidate that waits for a judge has been paid for: it counts as tier 1 measured it.
                if let Some(latest) = self.iterations.last_mut() {
                    latest.counts |= latest.measured.is_some();
                }
            }
            Event::Finished(outcome) => self.outcome = Some(outcome.as_ref().clone()),
            Event::Started | Event::Unreadable { .. } | Event::Woke => {}
        }
    }

    /// Takes a candidate with what is offered for it.
    fn made(&mut self, iteration: usize, candidate: &Arc<Value>, quotes: &Quotes) {
        let mut quotes = quotes.clone();
        let base = self.iteration(iteration).and_then(|of| self.iteration(of.base?));
        if let Some((base, before)) = base.and_then(|base| Some((base, base.candidate.as_ref()?))) {
            quotes.keep(&base.quotes, before, candidate);
        }
        self.with(iteration, |of| {
            of.candidate = Some(Arc::clone(candidate));
            of.quotes = quotes;
        });
    }

    fn called(&mut self, work: &Work) {
        let pause = self.pause;
        match *work {
            Work::Generate { stage, attempt } => {
                self.with(0, |of| of.called(Callee::Stage(stage), attempt, pause));
            }
            Work::Correct { iteration, base, stage, attempt } => self.with(iteration, |of| {
                of.base = Some(base);
                of.called(Callee::Stage(stage), attempt, pause);
            }),
            Work::Consult { iteration, member, attempt } => {
                self.with(iteration, |of| of.called(Callee::Member(member), attempt, pause));
            }
            Work::Assess { .. } => {}
        }
    }

    /// Changes an iteration, which is created if it does not exist.
    fn with(&mut self, iteration: usize, change: impl FnOnce(&mut IterationState)) {
        if iteration > MOST_ITERATIONS {
            return;
        }
        if self.iterations.len() <= iteration {
            self.iterations.resize_with(iteration + 1, IterationState::default);
        }
        if let Some(of) = self.iterations.get_mut(iteration) {
            change(of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::WakeReason;

    fn fails(member: usize) -> Event {
        let failure = CallFailed { message: format!("member {member}"), ..CallFailed::default() };
        Event::Unanswered { iteration: 0, member, failure }
    }

    fn asks(member: usize, attempt: u32) -> Event {
        Event::Called(Work::Consult { iteration: 0, member, attempt })
    }

    fn after(events: &[Event]) -> DocumentState {
        DocumentState::of(events.iter().map(|event| (Millis(1), event)))
    }

    #[test]
    fn only_a_call_that_was_made_again_is_said_to_be_so() {
        let waiting = Event::Waiting { until: Millis(70), reason: WakeReason::Backoff };
        let events = [asks(0, 0), asks(1, 0), fails(1), fails(0), waiting, Event::Woke, asks(1, 1), fails(1)];
        let told = |events: &[Event]| -> Vec<(String, Option<Millis>)> {
            let state = after(events);
            let failures = state.iterations()[0].failures.iter();
            failures.map(|failed| (failed.failure.message.clone(), failed.retried_at)).collect()
        };
        let (first, second) = ("member 0".to_owned(), "member 1".to_owned());
        // Stopped or killed while it waited.
        assert_eq!(told(&events[..5]), [(first.clone(), None), (second.clone(), None)]);
        let again = Some(Millis(70));
        assert_eq!(told(&events), [(first, None), (second.clone(), again), (second, None)]);
    }

    #[test]
    fn damage_does_not_fill_the_memory() {
        let state = after(&[Event::Assembled {
            iteration: usize::MAX,
            candidate: Arc::default(),
            quotes: Quotes::default(),
        }]);
        assert!(state.iterations().is_empty());
    }
}

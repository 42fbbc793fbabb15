//! Tier 2 of a candidate: every judge and validator is asked at once, and those that gave no answer are asked again
//! together.

use super::event::{CallFailed, Consulted, Event, Input, Output, WakeReason, Work};
use super::pending_panel::{MemberState, PendingPanel};
use super::run::{Misuse, Run, State, Waiting};
use crate::score::{Answer, Assessment, Judged, Member, Scores, has_undecided, joined_verdicts};
use crate::value::Millis;
use serde_json::Value;
use std::sync::Arc;

impl Run {
    /// The tier 1 assessment of the candidate that [`Work::Consult`] is about.
    #[must_use]
    pub fn pending_assessment(&self) -> Option<&Assessment> {
        match &self.state {
            State::Consulting { pending } => Some(&pending.tier1),
            _ => None,
        }
    }

    /// The number of answered questions about single values of the candidate before the current one.
    #[must_use]
    pub fn questions_before(&self) -> usize {
        match &self.state {
            State::Consulting { pending } => pending.questions,
            State::Fresh
            | State::Producing { .. }
            | State::Assessing { .. }
            | State::Reassessing { .. }
            | State::Waiting { .. }
            | State::Over => 0,
        }
    }

    /// The judge's verdicts so far on single values of the document.
    #[must_use]
    pub fn judged(&self) -> &Arc<Judged> {
        &self.judged
    }

    /// Returns whether any member has something to say about a candidate that tier 1 has measured.
    pub(super) fn has_to_consult(&self, tier1: &Assessment) -> bool {
        self.panel().members().iter().any(|member| self.is_needed(member, tier1))
    }

    /// Returns whether there is something to ask a member: the judge of single values only where some are undecided,
    /// and as often as its profile allows; all others always.
    fn is_needed(&self, member: &Member, tier1: &Assessment) -> bool {
        !member.is_value_judge()
            || has_undecided(tier1) && member.may_be_asked_after(self.questions_about_values)
    }

    /// Asks the panel about a candidate that tier 1 has measured.
    pub(super) fn consult(&mut self, candidate: Arc<Value>, tier1: Arc<Assessment>, measured: Scores) {
        let state = |member: &Member| {
            if self.is_needed(member, &tier1) {
                MemberState::Pending { attempt: 0, failure: None }
            } else {
                MemberState::NotNeeded
            }
        };
        let states = self.panel().members().iter().map(state).collect();
        let (permanent, verdicts, questions) = (Vec::new(), None, 0);
        let pending = PendingPanel { candidate, tier1, measured, states, permanent, verdicts, questions };
        self.ask_panel(Box::new(pending));
    }

    /// Asks every member that is to be asked (again).
    pub(super) fn ask_panel(&mut self, mut pending: Box<PendingPanel>) {
        let iteration = self.iteration();
        let value_judge = self.panel().value_judge();
        for (member, state) in pending.states.iter_mut().enumerate() {
            if let MemberState::Pending { attempt, .. } = *state {
                if attempt == 0 && value_judge == Some(member) {
                    self.questions_about_values = self.questions_about_values.saturating_add(1);
                }
                *state = MemberState::Asked { attempt };
                self.call(Work::Consult { iteration, member, attempt });
            }
        }
        self.state = State::Consulting { pending };
    }

    /// Hands out again the calls that are still unanswered.
    pub(super) fn call_again_in_flight(&mut self) {
        let State::Consulting { pending } = &self.state else { return };
        let iteration = self.iteration();
        let asked = |(member, state): (usize, &MemberState)| match *state {
            MemberState::Asked { attempt } => {
                Some(Output::Call(Work::Consult { iteration, member, attempt }))
            }
            MemberState::Pending { .. } | MemberState::Answered(_) | MemberState::NotNeeded => None,
        };
        let calls: Vec<Output> = pending.states.iter().enumerate().filter_map(asked).collect();
        self.outputs.retain(|output| !matches!(output, Output::Call(Work::Consult { .. })));
        self.outputs.extend(calls);
    }

    /// Takes the answer of a member that is being asked, or its failure to give one.
    pub(super) fn on_answer(
        &mut self,
        now: Millis,
        mut pending: Box<PendingPanel>,
        member: usize,
        said: Result<Consulted, CallFailed>,
    ) -> Result<(), Misuse> {
        let iteration = self.iteration();
        let Some(&MemberState::Asked { attempt }) = pending.states.get(member) else {
            self.state = State::Consulting { pending };
            return Err(Misuse::new(&self.state, "an answer of a member that is not being asked"));
        };
        let failure = match said {
            Ok(mut consulted) => {
                // Verdicts from earlier calls about the same candidate are part of its answer.
                if let Some(earlier) = &pending.verdicts
                    && self.panel().value_judge() == Some(member)
                {
                    consulted.answer = Arc::new(joined_verdicts(earlier, &consulted.answer));
                }
                let answer = Arc::clone(&consulted.answer);
                self.record(Event::Consulted { iteration, member, consulted });
                match self.panel().read(member, &answer) {
                    Ok(()) => Ok(Answer::Given(answer)),
                    Err(message) => Err(CallFailed { message, transient: true, ..CallFailed::default() }),
                }
            }
            Err(failure) => {
                self.record(Event::Unanswered { iteration, member, failure: failure.clone() });
                Err(failure)
            }
        };
        let retries = self.panel().members().get(member).map_or(0, |member| member.retries);
        let state = match failure {
            Ok(answer) => MemberState::Answered(answer),
            Err(failure) if failure.transient && attempt < retries => {
                MemberState::Pending { attempt: attempt + 1, failure: Some(failure) }
            }
            Err(failure) => {
                if failure.permanent {
                    pending.permanent.push(member);
                }
                MemberState::Answered(Answer::Failed(failure.message))
            }
        };
        if let Some(place) = pending.states.get_mut(member) {
            *place = state;
        }
        if pending.in_flight() == 0 {
            self.round_over(now, pending);
        } else {
            self.state = State::Consulting { pending };
        }
        Ok(())
    }

    /// All members have answered or failed: those that failed are asked again, as far as the limits allow.
    fn round_over(&mut self, now: Millis, mut pending: Box<PendingPanel>) {
        let mut due: Vec<(usize, Millis, WakeReason)> = Vec::new();
        for (member, state) in pending.states.iter().enumerate() {
            if let MemberState::Pending { attempt, failure: Some(failure) } = state {
                let (pause, reason) = self.retry.pause_after(attempt.saturating_sub(1), failure);
                due.push((member, now.saturating_add(pause), reason));
            }
        }
        // The member with the longest wait is the first to be given up.
        due.sort_by_key(|(_, until, _)| *until);
        let (mut calls, mut wake) = (0, None);
        for (member, until, reason) in due {
            let validator = self.panel().members().get(member).is_some_and(Member::is_validator);
            let own = usize::from(!validator);
            match self.check_limits(calls + own, until) {
                Ok(()) => {
                    calls += own;
                    wake = Some((until, reason));
                }
                Err(limit) => pending.give_up(member, limit),
            }
        }
        match wake {
            Some((until, reason)) => self.wait(until, reason, Waiting::Panel(pending)),
            None => self.panel_over(now, pending),
        }
    }

    /// All members were heard. If single values were judged, tier 1 assesses the candidate again: their verdicts enter
    /// its measurements.
    fn panel_over(&mut self, now: Millis, pending: Box<PendingPanel>) {
        let at = self.panel().value_judge();
        let member = at.and_then(|at| Some((at, self.panel().members().get(at)?.values_at_once()?)));
        let answer = member.and_then(|(at, at_once)| Some((at_once, pending.answer(at)?.clone())));
        let Some((at_once, answer)) = answer else {
            self.panel_concluded(now, pending);
            return;
        };
        let mut pending = pending;
        Arc::make_mut(&mut self.judged).learn(&pending.candidate, &pending.tier1, at_once, &answer);
        pending.verdicts = Some(answer);
        pending.questions += 1;
        self.state = State::Reassessing { pending };
        self.call(Work::Assess { iteration: self.iteration() });
    }

    /// Takes the tier 1 assessment made once single values were judged.
    pub(super) fn reassessed(&mut self, now: Millis, mut pending: Box<PendingPanel>, tier1: Arc<Assessment>) {
        let assessment = Arc::clone(&tier1);
        self.record(Event::Assessed { iteration: self.iteration(), assessment });
        pending.tier1 = tier1;
        // One call asks about a limited number of values: the rest is asked about in the next, as far as the limits
        // allow.
        let more = self.panel().value_judge().filter(|at| {
            let member = self.panel().members().get(*at);
            member.is_some_and(|member| {
                self.is_needed(member, &pending.tier1) && member.may_ask_more_after(pending.questions)
            }) && self.check_limits(1, now).is_ok()
        });
        if let Some(state) = more.and_then(|at| pending.states.get_mut(at)) {
            *state = MemberState::Pending { attempt: 0, failure: None };
            self.ask_panel(pending);
        } else {
            self.panel_concluded(now, pending);
        }
    }

    fn panel_concluded(&mut self, now: Millis, pending: Box<PendingPanel>) {
        let PendingPanel { candidate, tier1, measured, states, permanent, .. } = *pending;
        let answers: Vec<Answer> = states.into_iter().map(MemberState::into_answer).collect();
        let unavailable = self.panel().unavailable(&tier1, &answers, &permanent);
        self.conclude(now, candidate, tier1, &measured, &answers, unavailable);
    }
}

impl Input {
    /// The input that results from asking a member of the panel.
    #[must_use]
    pub fn on_answer(member: usize, said: Result<Consulted, CallFailed>) -> Input {
        match said {
            Ok(consulted) => Input::Consulted { member, consulted },
            Err(failure) => Input::Unanswered { member, failure },
        }
    }
}

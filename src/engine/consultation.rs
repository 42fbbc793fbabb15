//! Tier 2 of a candidate: every judge and validator is asked at once, and those that gave no answer are asked again
//! together.

use super::event::{CallFailed, Consulted, Event, Input, Output, WakeReason, Work};
use super::run::{Misuse, Run, State, Waiting};
use crate::score::{Answer, Assessment, Member};
use crate::value::Millis;
use serde_json::Value;
use std::sync::Arc;

/// A candidate between its two tiers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Examined {
    pub(super) candidate: Arc<Value>,
    pub(super) tier1: Assessment,
    /// One for each member of the panel.
    seats: Vec<Seat>,
    /// Who would fail about any other candidate, too.
    gone: Vec<usize>,
}

/// Where a member of the panel stands.
#[derive(Debug, Clone, PartialEq)]
enum Seat {
    /// It is being asked, after so many attempts.
    Asked { attempt: u32 },
    /// It is to be asked, after so many attempts; the latest failed.
    Due { attempt: u32, failure: Option<CallFailed> },
    /// It has been heard, for good.
    Heard(Answer),
}

impl Examined {
    /// The answers. Who has not been heard has failed.
    fn answers(&self) -> Vec<Answer> {
        let heard = |seat: &Seat| match seat {
            Seat::Heard(answer) => answer.clone(),
            Seat::Asked { .. } | Seat::Due { .. } => Answer::Failed("it was not heard".to_owned()),
        };
        self.seats.iter().map(heard).collect()
    }

    /// A member is not asked again, because that would go over a limit.
    fn give_up(&mut self, member: usize, limit: &str) {
        if let Some(seat) = self.seats.get_mut(member)
            && let Seat::Due { failure, .. } = seat
        {
            let why = failure.take().map(|failure| failure.message).unwrap_or_default();
            *seat = Seat::Heard(Answer::Failed(format!("{why}; no attempt is left within {limit}")));
        }
    }

    /// How many calls are out.
    pub(super) fn in_flight(&self) -> usize {
        self.seats.iter().filter(|seat| matches!(seat, Seat::Asked { .. })).count()
    }
}

impl Run {
    /// Asks the whole panel about a candidate that tier 1 has measured.
    pub(super) fn consult(&mut self, candidate: Arc<Value>, tier1: Assessment) {
        let seats = vec![Seat::Due { attempt: 0, failure: None }; self.panel().members().len()];
        self.ask_panel(Box::new(Examined { candidate, tier1, seats, gone: Vec::new() }));
    }

    /// Asks every member that is to be asked (again).
    pub(super) fn ask_panel(&mut self, mut examined: Box<Examined>) {
        let iteration = self.candidates().len();
        for (member, seat) in examined.seats.iter_mut().enumerate() {
            if let Seat::Due { attempt, .. } = *seat {
                *seat = Seat::Asked { attempt };
                self.call(Work::Consult { iteration, member, attempt });
            }
        }
        self.state = State::Consulting { examined };
    }

    /// Hands out once more what nobody has answered yet.
    pub(super) fn call_again_in_flight(&mut self) {
        let State::Consulting { examined } = &self.state else { return };
        let iteration = self.candidates().len();
        let asked = |(member, seat): (usize, &Seat)| match *seat {
            Seat::Asked { attempt } => Some(Output::Call(Work::Consult { iteration, member, attempt })),
            Seat::Due { .. } | Seat::Heard(_) => None,
        };
        let calls: Vec<Output> = examined.seats.iter().enumerate().filter_map(asked).collect();
        self.outputs.retain(|output| !matches!(output, Output::Call(Work::Consult { .. })));
        self.outputs.extend(calls);
    }

    /// Takes what a member that is being asked said, or that it gave no answer.
    pub(super) fn heard(
        &mut self,
        now: Millis,
        mut examined: Box<Examined>,
        member: usize,
        said: Result<Consulted, CallFailed>,
    ) -> Result<(), Misuse> {
        let iteration = self.candidates().len();
        let Some(Seat::Asked { attempt }) = examined.seats.get(member).cloned() else {
            return Err(Misuse::new(&self.state, "an answer of a member that is not being asked"));
        };
        let failure = match said {
            Ok(consulted) => {
                self.spend(consulted.usage);
                let answer = Arc::clone(&consulted.answer);
                self.record(Event::Consulted { iteration, member, consulted });
                match self.panel().read(member, &answer) {
                    Ok(()) => Ok(Answer::Given(answer.as_ref().clone())),
                    Err(message) => Err(CallFailed { message, transient: true, ..CallFailed::default() }),
                }
            }
            Err(failure) => {
                self.spend(failure.usage);
                self.record(Event::Unanswered { iteration, member, failure: failure.clone() });
                Err(failure)
            }
        };
        let retries = self.panel().members().get(member).map_or(0, |member| member.retries);
        let seat = match failure {
            Ok(answer) => Seat::Heard(answer),
            Err(failure) if failure.transient && attempt < retries => {
                Seat::Due { attempt: attempt + 1, failure: Some(failure) }
            }
            Err(failure) => {
                if failure.gone {
                    examined.gone.push(member);
                }
                Seat::Heard(Answer::Failed(failure.message))
            }
        };
        if let Some(place) = examined.seats.get_mut(member) {
            *place = seat;
        }
        if examined.in_flight() == 0 {
            self.round_over(now, examined);
        } else {
            self.state = State::Consulting { examined };
        }
        Ok(())
    }

    /// Everybody has answered or failed: those that failed are asked again, as far as the limits let them.
    fn round_over(&mut self, now: Millis, mut examined: Box<Examined>) {
        let mut due: Vec<(usize, Millis, WakeReason)> = Vec::new();
        for (member, seat) in examined.seats.iter().enumerate() {
            if let Seat::Due { attempt, failure: Some(failure) } = seat {
                let (pause, reason) = self.retry.pause_after(attempt.saturating_sub(1), failure);
                due.push((member, now.saturating_add(pause), reason));
            }
        }
        // Who has the longest to wait is the first to be given up.
        due.sort_by_key(|(_, until, _)| *until);
        let (mut calls, mut wake) = (0, None);
        for (member, until, reason) in due {
            let validator = self.panel().members().get(member).is_some_and(Member::is_validator);
            let own = usize::from(!validator);
            match self.room_for(calls + own, until) {
                Ok(()) => {
                    calls += own;
                    wake = Some((until, reason));
                }
                Err(limit) => examined.give_up(member, limit),
            }
        }
        match wake {
            Some((until, reason)) => self.wait(until, reason, Waiting::Panel(examined)),
            None => {
                let answers = examined.answers();
                let silent = self.panel().silent(&examined.tier1, &answers, &examined.gone);
                self.conclude(now, examined.candidate, examined.tier1, &answers, silent);
            }
        }
    }
}

impl Input {
    /// What came of asking a member of the panel.
    #[must_use]
    pub fn heard(member: usize, said: Result<Consulted, CallFailed>) -> Input {
        match said {
            Ok(consulted) => Input::Consulted { member, consulted },
            Err(failure) => Input::Unanswered { member, failure },
        }
    }
}

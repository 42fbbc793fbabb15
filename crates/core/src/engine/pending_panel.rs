//! A candidate between its two tiers: which members of the panel are asked, are to be asked again, or have been heard.

use super::event::CallFailed;
use crate::score::{Answer, Assessment, Scores};
use serde_json::Value;
use std::sync::Arc;

/// A candidate between its two tiers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PendingPanel {
    pub(super) candidate: Arc<Value>,
    pub(super) tier1: Arc<Assessment>,
    /// The scores from before anyone was asked, which the gate inspects.
    pub(super) measured: Scores,
    /// One for each member of the panel.
    pub(super) states: Vec<MemberState>,
    /// The members that would fail about any other candidate, too.
    pub(super) permanent: Vec<usize>,
    /// The verdicts so far of the judge of single values on the candidate.
    pub(super) verdicts: Option<Value>,
    /// The number of its answers about the candidate.
    pub(super) questions: usize,
}

/// The state of a member of the panel.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MemberState {
    /// It is being asked, after so many attempts.
    Asked { attempt: u32 },
    /// It is to be asked, after so many attempts; the latest failed.
    Pending { attempt: u32, failure: Option<CallFailed> },
    /// It has been heard, for good.
    Answered(Answer),
    /// There is nothing to ask it.
    NotNeeded,
}

impl MemberState {
    /// Its answer. A member that has not been heard has failed.
    pub(super) fn into_answer(self) -> Answer {
        match self {
            MemberState::Answered(answer) => answer,
            MemberState::NotNeeded => Answer::NotNeeded,
            MemberState::Asked { .. } | MemberState::Pending { .. } => {
                Answer::Failed("it was not heard".to_owned())
            }
        }
    }
}

impl PendingPanel {
    /// The answer that a member gave.
    pub(super) fn answer(&self, member: usize) -> Option<&Value> {
        match self.states.get(member) {
            Some(MemberState::Answered(Answer::Given(answer))) => Some(answer),
            _ => None,
        }
    }

    /// Gives up on a member: asking it again would exceed a limit.
    pub(super) fn give_up(&mut self, member: usize, limit: &str) {
        if let Some(state) = self.states.get_mut(member)
            && let MemberState::Pending { failure, .. } = state
        {
            let why = failure.take().map(|failure| failure.message).unwrap_or_default();
            *state =
                MemberState::Answered(Answer::Failed(format!("{why}; no attempt is left within {limit}")));
        }
    }

    /// The number of calls in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.states.iter().filter(|state| matches!(state, MemberState::Asked { .. })).count()
    }
}

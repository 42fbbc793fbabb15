//! A candidate between its two tiers: who of the panel is asked, is to be asked again, or has been heard.

use super::event::CallFailed;
use crate::score::{Answer, Assessment, Scores};
use serde_json::Value;
use std::sync::Arc;

/// A candidate between its two tiers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PendingPanel {
    pub(super) candidate: Arc<Value>,
    pub(super) tier1: Arc<Assessment>,
    /// What the gate looks at: what was measured before anybody was asked.
    pub(super) measured: Scores,
    /// One for each member of the panel.
    pub(super) states: Vec<MemberState>,
    /// Who would fail about any other candidate, too.
    pub(super) permanent: Vec<usize>,
    /// What the judge of single values has said of the candidate so far.
    pub(super) verdicts: Option<Value>,
    /// How often it has answered about the candidate.
    pub(super) questions: usize,
}

/// Where a member of the panel stands.
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
    /// Its answer. Who has not been heard has failed.
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
    /// What a member said that has been heard.
    pub(super) fn answer(&self, member: usize) -> Option<&Value> {
        match self.states.get(member) {
            Some(MemberState::Answered(Answer::Given(answer))) => Some(answer),
            _ => None,
        }
    }

    /// A member is not asked again, because that would go over a limit.
    pub(super) fn give_up(&mut self, member: usize, limit: &str) {
        if let Some(state) = self.states.get_mut(member)
            && let MemberState::Pending { failure, .. } = state
        {
            let why = failure.take().map(|failure| failure.message).unwrap_or_default();
            *state =
                MemberState::Answered(Answer::Failed(format!("{why}; no attempt is left within {limit}")));
        }
    }

    /// How many calls are out.
    pub(super) fn in_flight(&self) -> usize {
        self.states.iter().filter(|state| matches!(state, MemberState::Asked { .. })).count()
    }
}

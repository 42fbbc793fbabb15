//! What all documents of a run may use up together.

use crate::profile::Budget;
#[cfg(feature = "journal")]
use crate::store::RunPulse;
use crate::value::{Usage, at_least};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts what calls have used up, and says when a run may make no more.
#[derive(Debug, Default)]
pub(super) struct RunBudget {
    limit: Budget,
    spent: Mutex<Spent>,
}

#[derive(Debug, Default)]
struct Spent {
    own: Usage,
    /// Of other processes, and of those before this one.
    others: Usage,
}

impl RunBudget {
    pub(super) fn new(limit: Budget) -> Self {
        RunBudget { limit, spent: Mutex::default() }
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what a call used up.
    pub(super) fn add(&self, usage: Usage) {
        self.spent().own += usage;
    }

    /// What the calls of this process have used up.
    pub(super) fn used(&self) -> Usage {
        self.spent().own
    }

    /// Takes in what the others have used up.
    #[cfg(feature = "journal")]
    pub(super) fn others_used(&self, pulse: &RunPulse) {
        self.spent().others = Usage {
            calls: pulse.calls_of_others,
            tokens: pulse.tokens_of_others,
            known_cost_usd: crate::value::Usd::new(pulse.cost_of_others).unwrap_or_default(),
            ..Usage::default()
        };
    }

    /// Whether no other call is to be made. Calls that are under way may go beyond it.
    pub(super) fn is_spent(&self) -> bool {
        let Budget { calls, tokens, cost_usd, .. } = self.limit;
        if calls.is_none() && tokens.is_none() && cost_usd.is_none() {
            return false;
        }
        let spent = self.spent();
        let (own, others) = (spent.own, spent.others);
        calls.is_some_and(|limit| own.calls.saturating_add(others.calls) >= limit)
            || tokens.is_some_and(|limit| own.tokens.saturating_add(others.tokens) >= limit)
            || cost_usd.is_some_and(|limit| {
                at_least(own.known_cost_usd.get() + others.known_cost_usd.get(), limit.get())
            })
    }
}

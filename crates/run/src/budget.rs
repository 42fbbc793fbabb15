//! The budget that all documents of a run share.

use crate::profile::Budget;
#[cfg(feature = "journal")]
use crate::store::RunPulse;
use crate::value::{Usage, at_least};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts what calls have used up, and tells when a run may make no more.
#[derive(Debug, Default)]
pub(super) struct RunBudget {
    limit: Budget,
    spent: Mutex<SpentUsage>,
}

#[derive(Debug, Default)]
struct SpentUsage {
    own: Usage,
    /// The usage of other processes, and of those before this one.
    others: Usage,
}

impl RunBudget {
    pub(super) fn new(limit: Budget) -> Self {
        RunBudget { limit, spent: Mutex::default() }
    }

    fn spent(&self) -> MutexGuard<'_, SpentUsage> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the usage of a call.
    pub(super) fn add(&self, usage: Usage) {
        self.spent().own += usage;
    }

    /// The usage of the calls of this process.
    pub(super) fn used(&self) -> Usage {
        self.spent().own
    }

    /// Takes in the usage of the others.
    #[cfg(feature = "journal")]
    pub(super) fn others_used(&self, pulse: &RunPulse) {
        self.spent().others = Usage {
            calls: pulse.calls_of_others,
            tokens: pulse.tokens_of_others,
            known_cost_usd: crate::value::Usd::new(pulse.cost_of_others).unwrap_or_default(),
            ..Usage::default()
        };
    }

    /// Returns whether no other call is to be made. Calls in flight may exceed the budget.
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

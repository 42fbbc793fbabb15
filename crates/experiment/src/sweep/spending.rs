//! The cost of fresh documents so far, and whether another one may be begun.

use crate::profile::Budget;
use crate::statistics::real;
use crate::value::{Usage, Usd};

/// The number of equal parts of the budget, of which a race may use up one; judging has the rest.
const PARTS: u64 = 2;

/// Keeps a budget. What is begun has its calls reserved until it has ended, so that `calls` is never exceeded. The cost
/// of a document in money and tokens is known only after its run: it is taken to be that of the dearest one before it.
#[derive(Debug, Clone)]
pub struct Spending {
    budget: Budget,
    used: Usage,
    /// Calls that documents in flight may make.
    set_aside: u64,
    under_way: u64,
    /// The tokens and the money of the dearest documents.
    dearest: Option<(u64, Usd)>,
}

impl Spending {
    /// Creates a budget of which nothing is spent.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Spending { budget, used: Usage::default(), set_aside: 0, under_way: 0, dearest: None }
    }

    /// The usage of what has ended.
    #[must_use]
    pub fn used(&self) -> Usage {
        self.used
    }

    /// Returns whether a document that makes at most so many calls may be begun; while policies race, as long as half
    /// of the budget is left for judging the one that wins.
    #[must_use]
    pub fn admits(&self, most_calls: u64, is_race: bool) -> bool {
        let Budget { calls, tokens, cost_usd } = self.budget;
        let share = if is_race { PARTS } else { 1 };
        let wanted = self.used.calls.saturating_add(self.set_aside).saturating_add(most_calls);
        if calls.is_some_and(|limit| wanted > limit / share) {
            return false;
        }
        if tokens.is_none() && cost_usd.is_none() {
            return true;
        }
        // The price of the first one is unknown, so it runs alone.
        let Some((most_tokens, most_usd)) = self.dearest else { return self.under_way == 0 };
        let begun = self.under_way.saturating_add(1);
        let tokens_wanted = self.used.tokens.saturating_add(most_tokens.saturating_mul(begun));
        let usd_wanted = self.used.known_cost_usd.get() + most_usd.get() * real(begun);
        tokens.is_none_or(|limit| tokens_wanted <= limit / share)
            && cost_usd.is_none_or(|limit| usd_wanted <= limit.get() / real(share))
    }

    /// Begins a document that makes at most so many calls.
    pub fn begin(&mut self, most_calls: u64) {
        self.set_aside = self.set_aside.saturating_add(most_calls);
        self.under_way = self.under_way.saturating_add(1);
    }

    /// Ends a document with its usage.
    pub fn end(&mut self, most_calls: u64, usage: Usage) {
        self.set_aside = self.set_aside.saturating_sub(most_calls);
        self.under_way = self.under_way.saturating_sub(1);
        self.used += usage;
        let (tokens, usd) = self.dearest.unwrap_or_default();
        let usd = if usage.known_cost_usd.get() > usd.get() { usage.known_cost_usd } else { usd };
        self.dearest = Some((tokens.max(usage.tokens), usd));
    }

    /// Returns whether money is limited and the cost of some calls is unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.budget.cost_usd.is_some() && self.used.calls_of_unknown_cost > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn usage(calls: u64, usd: f64) -> Usage {
        Usage { calls, known_cost_usd: Usd::new(usd).unwrap(), ..Usage::default() }
    }

    #[test]
    fn half_is_left_for_judging() {
        let mut spending = Spending::new(Budget { calls: Some(10), ..Budget::default() });
        assert!(spending.admits(5, true) && !spending.admits(6, true) && spending.admits(10, false));
        spending.begin(5);
        assert!(!spending.admits(1, true) && spending.admits(5, false) && !spending.admits(6, false));
        spending.end(5, usage(2, 0.0));
        assert!(spending.admits(3, true) && !spending.admits(4, true));
    }

    #[test]
    fn the_price_of_a_document_is_that_of_the_dearest_one() {
        let mut spending = Spending::new(Budget { cost_usd: Usd::new(1.0), ..Budget::default() });
        assert!(spending.admits(9, false));
        spending.begin(9);
        assert!(!spending.admits(9, false), "nothing is known of the price yet");
        spending.end(9, usage(3, 0.3));
        assert!(spending.admits(9, false) && !spending.admits(9, true));
        spending.begin(9);
        assert!(spending.admits(9, false));
        spending.begin(9);
        assert!(!spending.admits(9, false));
        spending.end(9, Usage { calls_of_unknown_cost: 1, ..usage(1, 0.1) });
        assert!(spending.is_unknown());
    }

    proptest! {
        /// Documents begin and end in any order.
        #[test]
        fn no_more_calls_are_made_than_the_budget_has(
            limit in 1..200_u64, runs in prop::collection::vec((1..20_u64, 0..20_u64, any::<bool>()), 0..100),
        ) {
            let mut spending = Spending::new(Budget { calls: Some(limit), ..Budget::default() });
            let mut under_way: Vec<(u64, u64)> = Vec::new();
            for (most, made, ends) in runs {
                if spending.admits(most, false) {
                    spending.begin(most);
                    under_way.push((most, made.min(most)));
                }
                if ends && let Some((most, made)) = under_way.pop() {
                    spending.end(most, usage(made, 0.0));
                }
            }
            for (most, made) in under_way {
                spending.end(most, usage(made, 0.0));
            }
            prop_assert!(spending.used().calls <= limit);
        }
    }
}

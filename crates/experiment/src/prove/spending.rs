//! The usage of the iterations that are tried.

use super::grid::Richness;
use crate::policy::PromiseCondition;
use crate::profile::{Criterion, LoopPolicy};
use crate::statistics::real;
use crate::stop::{Constant, Kind};

/// The usage of one iteration, besides one call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spending {
    pub elapsed_ms: f64,
    pub cost_usd: f64,
    pub tokens: u64,
}

/// The values of each that are tried, besides nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SpendingValues {
    elapsed_ms: Vec<f64>,
    cost_usd: Vec<f64>,
    tokens: Vec<u64>,
    /// `true` if something may depend on two of them at once.
    together: bool,
}

/// Two costs that are closer than this are the same to every reader.
const CENT_PART: f64 = 1e-6;

impl SpendingValues {
    /// Adds what uses up the limits of a policy, and with [`Richness::Full`] what stays just below them.
    pub(super) fn of_policy(&mut self, policy: &LoopPolicy, richness: Richness) {
        let full = richness == Richness::Full;
        for constant in policy.stop.iter().flat_map(Criterion::constants) {
            match constant {
                Constant::Elapsed(after) => {
                    let limit = real(after.0);
                    self.elapsed_ms.push(limit + 1.0);
                    self.elapsed_ms.extend(full.then_some(limit));
                }
                Constant::Cost(limit) => {
                    self.cost_usd.push(limit.get());
                    self.cost_usd.extend(full.then_some(limit.get() * 0.9));
                }
                Constant::Tokens(limit) => {
                    self.tokens.push(limit);
                    self.tokens.extend(full.then_some(limit.saturating_sub(1)));
                }
                // Each candidate takes one call.
                Constant::Calls(_) => {}
                Constant::Gain(_) | Constant::Falls(_) | Constant::Count(_) | Constant::Unknown => {}
            }
        }
        self.together |= policy.stop.iter().any(asks_for_two);
    }

    /// Adds what is at, just below and just above each constant that a promise may compare them with.
    pub(super) fn of_condition(&mut self, condition: &PromiseCondition) {
        let used = ["elapsed_ms", "cost_usd", "tokens"].map(|name| condition.uses(name));
        self.together |= used.iter().filter(|used| **used).count() > 1;
        let [elapsed, cost, tokens] = used;
        // A promise may ask whether there was anything at all.
        let numbers: Vec<f64> = std::iter::once(0.0).chain(condition.numbers().iter().copied()).collect();
        let whole = || numbers.iter().flat_map(|number| around_whole(*number));
        if elapsed {
            self.elapsed_ms.extend(whole().map(real));
        }
        if tokens {
            self.tokens.extend(whole());
        }
        if cost {
            let mut sorted: Vec<f64> = numbers.into_iter().filter(|number| *number >= 0.0).collect();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            let gaps =
                sorted.windows(2).filter_map(|pair| if let [a, b] = pair { Some(b - a) } else { None });
            let step = gaps.fold(0.01, f64::min) / 4.0;
            let step = step.max(CENT_PART);
            self.cost_usd.extend(sorted.iter().flat_map(|number| [*number - step, *number, *number + step]));
        }
    }

    /// The usages of one iteration that are tried, nothing first.
    pub(super) fn all(&self) -> Vec<Spending> {
        let elapsed = positive(&self.elapsed_ms);
        let costs = positive(&self.cost_usd);
        let mut tokens: Vec<u64> = self.tokens.iter().copied().filter(|tokens| *tokens > 0).collect();
        tokens.sort_unstable();
        tokens.dedup();
        let nothing = Spending::default();
        let mut all = vec![nothing];
        if self.together {
            all.clear();
            for elapsed_ms in std::iter::once(0.0).chain(elapsed) {
                for cost_usd in std::iter::once(0.0).chain(costs.iter().copied()) {
                    let each = std::iter::once(0).chain(tokens.iter().copied());
                    all.extend(each.map(|tokens| Spending { elapsed_ms, cost_usd, tokens }));
                }
            }
            return all;
        }
        all.extend(elapsed.into_iter().map(|elapsed_ms| Spending { elapsed_ms, ..nothing }));
        all.extend(costs.into_iter().map(|cost_usd| Spending { cost_usd, ..nothing }));
        all.extend(tokens.into_iter().map(|tokens| Spending { tokens, ..nothing }));
        all
    }
}

/// Returns whether a group asks that two things are used up at once.
fn asks_for_two(criterion: &Criterion) -> bool {
    match criterion.kind() {
        Kind::All(members) => {
            members.iter().filter(|one| spends(one)).count() > 1 || members.iter().any(asks_for_two)
        }
        Kind::Any(members) => members.iter().any(asks_for_two),
        Kind::Rule(_) => false,
    }
}

/// Returns whether a criterion, or any member of it, depends on what is used up.
fn spends(criterion: &Criterion) -> bool {
    criterion.constants().into_iter().any(|constant| match constant {
        Constant::Elapsed(_) | Constant::Cost(_) | Constant::Tokens(_) | Constant::Calls(_) => true,
        Constant::Gain(_) | Constant::Falls(_) | Constant::Count(_) | Constant::Unknown => false,
    })
}

/// Ascending, each once, without zero.
fn positive(values: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| *value > 1e-9).collect();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    values
}

/// The whole numbers that a comparison with a constant tells apart: those just below, at and just above it.
pub(super) fn around_whole(number: f64) -> Vec<u64> {
    if !(0.0..1e15).contains(&number) {
        return Vec::new();
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and below 2^53"
    )]
    let floor = number.floor() as u64;
    vec![floor.saturating_sub(1), floor, floor + 1]
}

//! An independent reading of LOOP: policies as plain data, and what must come of them, computed afresh and naively
//! from the whole trajectory at every candidate. Shares nothing with `src/policy`.

use super::harness::{Step, q};
use loopctl::value::{Disposition, Severity};
use proptest::prelude::*;
use serde_json::json;

/// "Every comparison of scores allows 1e-9."
pub(crate) fn lt(a: f64, b: f64) -> bool {
    a < b - 1e-9
}

/// One invented candidate.
#[derive(Debug, Clone)]
pub(crate) struct Tried {
    /// Of the dimensions `q`, `a` and `b`; `None` where the assessment lacks it.
    pub(crate) scores: [Option<f64>; 3],
    pub(crate) critical: u64,
    pub(crate) escalate: u64,
    pub(crate) warn: u64,
    /// Equal numbers are equal candidates.
    pub(crate) content: u8,
    pub(crate) takes: u64,
    pub(crate) cents: u32,
    pub(crate) tokens: u64,
    pub(crate) calls: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Key {
    NoCritical,
    Overall,
    Dimension(usize),
    FewestEscalate,
    FewestMajor,
}

const NAMES: [&str; 3] = ["q", "a", "b"];

/// A policy as LOOP speaks of it.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) weights: [f64; 3],
    pub(crate) accept_overall: Option<f64>,
    pub(crate) accept_a: Option<f64>,
    pub(crate) accept_critical: Option<u64>,
    /// Bound on `b`, and whether a correction that misses it stops the loop.
    pub(crate) gate: Option<(f64, bool)>,
    pub(crate) stop_on_escalate: bool,
    pub(crate) rollback: bool,
    pub(crate) max_iterations: Option<usize>,
    pub(crate) max_corrections: Option<usize>,
    pub(crate) unchanged: bool,
    pub(crate) rollbacks: Option<usize>,
    pub(crate) stagnation: Option<(usize, f64)>,
    /// Delta, patience, whether the baseline is the best.
    pub(crate) min_improvement: Option<(f64, usize, bool)>,
    pub(crate) decline: Option<usize>,
    pub(crate) oscillation: Option<(usize, usize, f64)>,
    pub(crate) timeout: Option<u64>,
    pub(crate) cents: Option<u32>,
    pub(crate) tokens: Option<u64>,
    pub(crate) calls: Option<u64>,
    pub(crate) order: Vec<Key>,
    pub(crate) ties_last: bool,
    pub(crate) return_last: bool,
}

/// What LOOP says of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expected {
    pub(crate) status: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) iteration_count: usize,
    pub(crate) best_iteration: usize,
    pub(crate) selection_reason: String,
    pub(crate) rollbacks: u64,
    /// The base of each correction.
    pub(crate) bases: Vec<usize>,
}

impl Policy {
    /// As an extract of a profile.
    pub(crate) fn yaml(&self) -> String {
        let mut top = Vec::new();
        let weights: Vec<String> = NAMES
            .iter()
            .zip(self.weights)
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(name, weight)| format!("{name}: {weight}"))
            .collect();
        top.push(format!("overall: {{ from: null, {} }}", weights.join(", ")));
        let show = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
        let limit = self.accept_critical.map_or("null".to_owned(), |limit| limit.to_string());
        top.push(format!(
            "accept: {{ overall: {}, a: {}, critical_issues: {limit} }}",
            show(self.accept_overall),
            show(self.accept_a)
        ));
        if let Some((bound, stops)) = self.gate {
            let action = if stops { "stop" } else { "rollback" };
            top.push(format!("gate: {{ b: {bound}, on_correction: {action} }}"));
        }
        top.push(format!("on_escalate: {}", if self.stop_on_escalate { "stop" } else { "continue" }));
        top.push(format!("on_regression: {}", if self.rollback { "rollback" } else { "keep" }));
        let keys: Vec<String> = self
            .order
            .iter()
            .map(|key| match key {
                Key::NoCritical => "no_critical".to_owned(),
                Key::Overall => "overall".to_owned(),
                Key::Dimension(at) => NAMES[*at].to_owned(),
                Key::FewestEscalate => "{ fewest: escalate }".to_owned(),
                Key::FewestMajor => "{ fewest: major }".to_owned(),
            })
            .collect();
        top.push(format!(
            "select: {{ order: [{}], ties: {}, return: {} }}",
            keys.join(", "),
            if self.ties_last { "last" } else { "first" },
            if self.return_last { "last" } else { "best" }
        ));
        top.push(format!("stop: {{ {} }}", self.stop_lines().join(", ")));
        top.join("\n")
    }

    fn stop_lines(&self) -> Vec<String> {
        let number = |key: &str, value: Option<usize>| {
            format!("{key}: {}", value.map_or("null".to_owned(), |value| value.to_string()))
        };
        let mut stop = vec![
            number("max_iterations", self.max_iterations),
            number("max_corrections", self.max_corrections),
            number("rollbacks", self.rollbacks),
            format!("unchanged: {}", self.unchanged),
        ];
        stop.extend(self.stagnation.map(|(w, e)| format!("stagnation: {{ window: {w}, epsilon: {e} }}")));
        stop.extend(self.min_improvement.map(|(delta, patience, best)| {
            let baseline = if best { "best" } else { "previous" };
            format!("min_improvement: {{ delta: {delta}, patience: {patience}, baseline: {baseline} }}")
        }));
        stop.extend(self.decline.map(|length| format!("decline: {{ length: {length} }}")));
        stop.extend(self.oscillation.map(|(window, flips, amplitude)| {
            format!("oscillation: {{ window: {window}, flips: {flips}, amplitude: {amplitude} }}")
        }));
        stop.extend(self.timeout.map(|millis| format!("timeout: {millis}ms")));
        let budget: Vec<String> = [
            self.cents.map(|cents| format!("cost_usd: {}", f64::from(cents) / 100.0)),
            self.tokens.map(|tokens| format!("tokens: {tokens}")),
            self.calls.map(|calls| format!("calls: {calls}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !budget.is_empty() {
            stop.push(format!("budget: {{ {} }}", budget.join(", ")));
        }
        stop
    }

    pub(crate) fn overall(&self, tried: &Tried) -> f64 {
        (0..3).map(|at| self.weights[at] * tried.scores[at].unwrap_or(0.0)).sum()
    }

    pub(crate) fn misses_gate(&self, tried: &Tried) -> bool {
        self.gate.is_some_and(|(bound, _)| lt(tried.scores[2].unwrap_or(0.0), bound))
    }

    /// "Gate not missed and every line of `accept` holds."
    pub(crate) fn accepts(&self, tried: &Tried) -> bool {
        !self.misses_gate(tried)
            && self.accept_overall.is_none_or(|bound| !lt(self.overall(tried), bound))
            && self.accept_a.is_none_or(|bound| !lt(tried.scores[1].unwrap_or(0.0), bound))
            && self.accept_critical.is_none_or(|limit| tried.critical <= limit)
    }

    /// Whether `x` ranks strictly below `y`.
    pub(crate) fn ranks_below(&self, x: &Tried, y: &Tried) -> bool {
        let flag = |yes: bool| if yes { 1.0 } else { 0.0 };
        let value = |key: Key, tried: &Tried| match key {
            Key::NoCritical => flag(tried.critical == 0),
            Key::Overall => self.overall(tried),
            Key::Dimension(at) => tried.scores[at].unwrap_or(0.0),
            Key::FewestEscalate => -(tried.escalate as f64),
            // What `step` makes of a candidate's issues: those that escalate and those that warn are major.
            Key::FewestMajor => -((tried.escalate + tried.warn) as f64),
        };
        for key in &self.order {
            let (a, b) = (value(*key, x), value(*key, y));
            if lt(a, b) || lt(b, a) {
                return lt(a, b);
            }
        }
        false
    }

    /// The top one of these candidates.
    pub(crate) fn best(&self, tried: &[Tried]) -> usize {
        let mut best = 0;
        for (at, one) in tried.iter().enumerate().skip(1) {
            let tie = !self.ranks_below(one, &tried[best]) && !self.ranks_below(&tried[best], one);
            if self.ranks_below(&tried[best], one) || (tie && self.ties_last) {
                best = at;
            }
        }
        best
    }

    /// Whether the last of these candidates is a rollback, if the loop gets as far as counting it.
    fn is_rollback(&self, tried: &[Tried]) -> bool {
        let (latest, before) = tried.split_last().unwrap();
        self.rollback
            && (self.misses_gate(latest)
                || (!before.is_empty() && self.ranks_below(latest, &before[self.best(before)])))
    }

    /// The line of the table that ends the loop after these candidates.
    fn line(&self, tried: &[Tried]) -> Option<(&'static str, &'static str)> {
        let (latest, before) = tried.split_last().unwrap();
        let count = tried.len();
        let overalls: Vec<f64> = tried.iter().map(|one| self.overall(one)).collect();
        let early = |reason| Some(("stopped_early", reason));
        if self.stop_on_escalate && latest.escalate > 0 {
            return Some(("failed", "critical_issue"));
        }
        if self.misses_gate(latest) && (count == 1 || self.gate.unwrap().1) {
            return Some(("failed", "gate"));
        }
        if self.accepts(latest) {
            return Some(("passed", "accepted"));
        }
        if self.max_iterations.is_some_and(|most| count >= most)
            || self.max_corrections.is_some_and(|most| count > most)
        {
            return Some(("max_iterations_reached", "max_iterations"));
        }
        if self.unchanged && before.iter().any(|one| one.content == latest.content) {
            return early("unchanged");
        }
        let in_a_row = (1..=count).rev().take_while(|upto| self.is_rollback(&tried[..*upto])).count();
        if self.rollbacks.is_some_and(|most| in_a_row >= most) {
            return early("rollbacks");
        }
        if let Some((window, epsilon)) = self.stagnation
            && count >= window
        {
            let mut last = overalls[count - window..].to_vec();
            last.sort_by(f64::total_cmp);
            if lt(last[window - 1] - last[0], epsilon) {
                return early("stagnation");
            }
        }
        if let Some((delta, patience, best)) = self.min_improvement {
            let missed = |at: usize| {
                let highest = overalls[..at].iter().copied().fold(f64::MIN, f64::max);
                lt(overalls[at] - if best { highest } else { overalls[at - 1] }, delta)
            };
            if count > patience && (count - patience..count).all(missed) {
                return early("min_improvement");
            }
        }
        if let Some(length) = self.decline
            && count >= length
            && (count - length + 1..count).all(|at| lt(overalls[at], overalls[at - 1]))
        {
            return early("decline");
        }
        if let Some((window, flips, amplitude)) = self.oscillation {
            let from = count.saturating_sub(window);
            let sign = |at: usize| {
                let difference = overalls[at] - overalls[at - 1];
                if lt(difference.abs(), amplitude) || !lt(0.0, difference.abs()) {
                    0
                } else if difference > 0.0 {
                    1
                } else {
                    -1
                }
            };
            let changes = (from + 2..count).filter(|at| sign(*at) * sign(*at - 1) == -1).count();
            if changes >= flips {
                return early("oscillation");
            }
        }
        if self.timeout.is_some_and(|most| tried.iter().map(|one| one.takes).sum::<u64>() > most) {
            return early("timeout");
        }
        let spent = self.cents.is_some_and(|most| tried.iter().map(|one| one.cents).sum::<u32>() >= most)
            || self.tokens.is_some_and(|most| tried.iter().map(|one| one.tokens).sum::<u64>() >= most)
            || self.calls.is_some_and(|most| tried.iter().map(|one| one.calls).sum::<u64>() >= most);
        if spent { early("budget") } else { None }
    }

    /// What comes of a trajectory that is long enough.
    pub(crate) fn expected(&self, tried: &[Tried]) -> Expected {
        let (mut bases, mut rollbacks) = (Vec::new(), 0);
        for count in 1..=tried.len() {
            let seen = &tried[..count];
            let line = self.line(seen);
            let uncounted = matches!(
                line,
                Some((_, "critical_issue" | "gate" | "accepted" | "max_iterations" | "unchanged"))
            );
            let rolled_back = !uncounted && self.is_rollback(seen);
            rollbacks += u64::from(rolled_back);
            if let Some((status, reason)) = line {
                let last = count - 1;
                let accepted = reason == "accepted";
                let best = if accepted || self.return_last { last } else { self.best(seen) };
                let selection_reason = match best {
                    _ if count == 1 => "only_iteration".to_owned(),
                    _ if best == last => "final_iteration_best".to_owned(),
                    _ => format!("quality_peaked_at_iteration_{best}"),
                };
                return Expected {
                    status,
                    reason,
                    iteration_count: count,
                    best_iteration: best,
                    selection_reason,
                    rollbacks,
                    bases,
                };
            }
            bases.push(if rolled_back { self.best(&seen[..count - 1]) } else { count - 1 });
        }
        panic!("{self:?} goes on after {} candidates", tried.len());
    }
}

impl Tried {
    pub(crate) fn step(&self) -> Step {
        let mut step = q(0.0);
        step.assessment.scores = NAMES
            .iter()
            .zip(self.scores)
            .filter_map(|(name, score)| Some((*name, loopctl::value::Score::clamped(score?))))
            .collect();
        for _ in 0..self.critical {
            step = step.critical();
        }
        for _ in 0..self.escalate {
            step = step.escalate();
        }
        for _ in 0..self.warn {
            step = step.issue(Severity::Major, Disposition::Warn);
        }
        step.is(json!({"content": self.content})).takes(self.takes).uses(
            f64::from(self.cents) / 100.0,
            self.tokens,
            self.calls,
        )
    }
}

/// Longer than any policy of [`policies`] goes on.
pub(crate) const LONG_ENOUGH: usize = 9;

/// Multiples of 0.05, so that ties and bounds are met, some of them off by less or by more than a comparison allows.
fn grid() -> impl Strategy<Value = f64> {
    let off =
        prop_oneof![8 => Just(0.0), 1 => Just(1e-10), 1 => Just(-1e-10), 1 => Just(1e-8), 1 => Just(-1e-8)];
    (0..=20_u8, off).prop_map(|(at, off)| (f64::from(at) / 20.0 + off).clamp(0.0, 1.0))
}

pub(crate) fn trajectories() -> impl Strategy<Value = Vec<Tried>> {
    let score = || prop::option::weighted(0.95, grid());
    let few = || prop_oneof![4 => Just(0_u64), 1 => 1..=2_u64];
    let content = prop_oneof![1 => 0..=2_u8, 1 => 3..=u8::MAX];
    let spent = (prop::sample::select(vec![0_u64, 100, 500, 1000]), 0..=20_u32, 0..=300_u64, 0..=3_u64);
    let tried = ([score(), score(), score()], few(), few(), few(), content, spent).prop_map(
        |(scores, critical, escalate, warn, content, (takes, cents, tokens, calls))| Tried {
            scores,
            critical,
            escalate,
            warn,
            content,
            takes,
            cents,
            tokens,
            calls,
        },
    );
    prop::collection::vec(tried, LONG_ENOUGH)
}

pub(crate) fn policies() -> impl Strategy<Value = Policy> {
    let step = || prop::sample::select(vec![0.0, 0.01, 0.05, 0.1, 0.2]);
    let rare = 0.3;
    let weights =
        prop::sample::select(vec![[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.4, 0.4, 0.2], [0.0, 0.5, 0.5]]);
    let high = || (13..=20_u8).prop_map(|at| f64::from(at) / 20.0);
    let accept = (high(), prop::option::weighted(rare, high()), prop::option::weighted(rare, 0..=1_u64))
        .prop_flat_map(|(overall, a, critical)| {
            // One line at least.
            let overall = if a.is_some() {
                prop::option::of(Just(overall)).boxed()
            } else {
                Just(Some(overall)).boxed()
            };
            (overall, Just(a), Just(critical))
        });
    let gate = prop::option::weighted(rare, ((1..=8_u8).prop_map(|at| f64::from(at) / 20.0), any::<bool>()));
    let limits = prop_oneof![
        (1..LONG_ENOUGH).prop_map(|most| (Some(most), None)),
        (0..LONG_ENOUGH - 1).prop_map(|most| (None, Some(most))),
        (1..LONG_ENOUGH, 0..LONG_ENOUGH).prop_map(|(i, c)| (Some(i), Some(c))),
    ];
    let flags = (prop::bool::weighted(rare), any::<bool>(), prop::bool::weighted(rare));
    let criteria = (
        prop::option::weighted(rare, 1..=3_usize),
        prop::option::weighted(rare, (2..=4_usize, step())),
        prop::option::weighted(rare, (step(), 1..=3_usize, any::<bool>())),
        prop::option::weighted(rare, 2..=4_usize),
        prop::option::weighted(rare, (3..=6_usize, 1..=3_usize, step())),
    );
    let spending = (
        prop::option::weighted(0.15, prop::sample::select(vec![100_u64, 1000, 2000])),
        prop::option::weighted(0.15, 1..=60_u32),
        prop::option::weighted(0.15, 1..=900_u64),
        prop::option::weighted(0.15, 1..=9_u64),
    );
    let key = prop_oneof![
        Just(Key::NoCritical),
        Just(Key::Overall),
        (0..3_usize).prop_map(Key::Dimension),
        Just(Key::FewestEscalate),
        Just(Key::FewestMajor),
    ];
    let select = (prop::collection::vec(key, 1..=3), any::<bool>(), prop::bool::weighted(0.15));
    (weights, accept, gate, limits, flags, criteria, spending, select).prop_map(
        |(weights, accept, gate, limits, flags, criteria, spending, select)| Policy {
            weights,
            accept_overall: accept.0,
            accept_a: accept.1,
            accept_critical: accept.2,
            gate,
            stop_on_escalate: flags.0,
            rollback: flags.1,
            unchanged: flags.2,
            max_iterations: limits.0,
            max_corrections: limits.1,
            rollbacks: criteria.0,
            stagnation: criteria.1,
            min_improvement: criteria.2,
            decline: criteria.3,
            oscillation: criteria.4,
            timeout: spending.0,
            cents: spending.1,
            tokens: spending.2,
            calls: spending.3,
            order: select.0,
            ties_last: select.1,
            return_last: select.2,
        },
    )
}

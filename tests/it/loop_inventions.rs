//! Random policies and trajectories, for [`super::loop_model`], and their forms as profiles and candidates.

use super::harness::{Step, q};
use super::loop_model::{Criterion, Key, Policy, Script, Tried};
use loopctl::value::{Disposition, Severity};
use proptest::prelude::*;
use serde_json::{Value, json};

const NAMES: [&str; 3] = ["q", "a", "b"];

/// `rules/tried.rhai`: script criteria that inspect all that they are shown.
pub(crate) const SCRIPT: &str = "
fn flat(run) {
    let n = run.iterations.len();
    n >= 3 && run.iterations[n - 1].overall < run.iterations[n - 3].overall + 0.003
}
fn stuck(run) { run.iterations[-1].rolled_back && run.best == 0 }
fn dear(run) {
    run.tokens >= 400 && run.elapsed_ms >= 500 || run.calls >= 7 && run.cost_usd > 0.305 || run.rollbacks >= 3
}
fn torn(run) {
    let last = run.iterations[-1];
    last.issues.critical == 0 && last.issues.warn >= 1 && !last.missed_gate && \"a\" in last.scores && last.scores.a < 0.43
}
fn fifth(run) { run.iterations.len() >= 5 }
fn broken(run) { throw \"no idea\" }
";

impl Script {
    pub(crate) const ALL: [Script; 5] =
        [Script::Flat, Script::Stuck, Script::Dear, Script::Torn, Script::Broken];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Script::Flat => "flat",
            Script::Stuck => "stuck",
            Script::Dear => "dear",
            Script::Torn => "torn",
            Script::Broken => "broken",
        }
    }
}

impl Criterion {
    /// Its key in YAML.
    pub(crate) fn key(&self) -> String {
        self.yaml().split(':').next().unwrap().to_owned()
    }

    /// As a key of `stop`, or a member of a group.
    pub(crate) fn yaml(&self) -> String {
        let group = |name: &str, members: &[Criterion]| {
            let members: Vec<String> = members.iter().map(|m| format!("{{ {} }}", m.yaml())).collect();
            format!("{name}: [{}]", members.join(", "))
        };
        match self {
            Criterion::MaxIterations(most) => format!("max_iterations: {most}"),
            Criterion::MaxCorrections(most) => format!("max_corrections: {most}"),
            Criterion::Unchanged => "unchanged: true".to_owned(),
            Criterion::Rollbacks(most) => format!("rollbacks: {most}"),
            Criterion::Stagnation(w, e) => format!("stagnation: {{ window: {w}, epsilon: {e} }}"),
            Criterion::MinImprovement(delta, patience, best) => {
                let baseline = if *best { "best" } else { "previous" };
                format!("min_improvement: {{ delta: {delta}, patience: {patience}, baseline: {baseline} }}")
            }
            Criterion::Decline(length) => format!("decline: {{ length: {length} }}"),
            Criterion::Oscillation(window, flips, amplitude) => {
                format!("oscillation: {{ window: {window}, flips: {flips}, amplitude: {amplitude} }}")
            }
            Criterion::FlipFlop(times) => format!("flip_flop: {{ times: {times} }}"),
            Criterion::Script(script) => format!("script: {{ {0}: tried.rhai#{0} }}", script.name()),
            Criterion::Timeout(millis) => format!("timeout: {millis}ms"),
            Criterion::Cents(cents) => format!("budget: {{ cost_usd: {} }}", f64::from(*cents) / 100.0),
            Criterion::Tokens(tokens) => format!("budget: {{ tokens: {tokens} }}"),
            Criterion::Calls(calls) => format!("budget: {{ calls: {calls} }}"),
            Criterion::Any(members) => group("any", members),
            Criterion::All(members) => group("all", members),
        }
    }
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
        // Scripts and the parts of a budget share a mapping each; what the parent sets must be taken away.
        let inside = |line: String| line.split_once("{ ").unwrap().1.trim_end_matches(" }").to_owned();
        let (mut lines, mut scripts, mut budget) = (Vec::new(), Vec::new(), Vec::new());
        for criterion in self.plain() {
            match criterion {
                Criterion::Script(_) => scripts.push(inside(criterion.yaml())),
                Criterion::Cents(_) | Criterion::Tokens(_) | Criterion::Calls(_) => {
                    budget.push(inside(criterion.yaml()));
                }
                other => lines.push(other.yaml()),
            }
        }
        if self.max_iterations.is_none() {
            lines.push("max_iterations: null".to_owned());
        }
        for (key, parts) in [("script", scripts), ("budget", budget)] {
            if !parts.is_empty() {
                lines.push(format!("{key}: {{ {} }}", parts.join(", ")));
            }
        }
        for (group, members) in
            [(Criterion::Any(self.any.clone()), &self.any), (Criterion::All(self.all.clone()), &self.all)]
        {
            if !members.is_empty() {
                lines.push(group.yaml());
            }
        }
        lines
    }
}

impl Tried {
    pub(crate) fn candidate(&self) -> Value {
        match self.content {
            (content, None) => json!({"content": content}),
            (content, Some(more)) => json!({"more": more, "content": content}),
        }
    }

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
        step.is(self.candidate()).takes(self.takes).uses(
            f64::from(self.cents) / 100.0,
            self.tokens,
            self.calls,
        )
    }

    /// Like [`Tried::step`], as an iteration of a line for `simulate`.
    pub(crate) fn recorded(&self) -> Value {
        let step = self.step();
        json!({
            "scores": step.assessment.scores,
            "issues": step.assessment.issues,
            "elapsed_ms": step.takes,
            "cost_usd": step.usage.known_cost_usd,
            "tokens": step.usage.tokens,
            "candidate": step.candidate,
        })
    }
}

/// Longer than any policy of [`policies`] continues.
pub(crate) const LONG_ENOUGH: usize = 9;

/// Multiples of 0.05, so that ties and bounds are met, some of them off by less than a comparison allows, by exactly
/// what it allows, or by more.
fn grid() -> impl Strategy<Value = f64> {
    let off = prop_oneof![
        16 => Just(0.0),
        1 => Just(1e-10),
        1 => Just(-1e-10),
        2 => Just(1e-9),
        2 => Just(-1e-9),
        1 => Just(1e-8),
        1 => Just(-1e-8),
    ];
    (0..=20_u8, off).prop_map(|(at, off)| (f64::from(at) / 20.0 + off).clamp(0.0, 1.0))
}

pub(crate) fn trajectories() -> impl Strategy<Value = Vec<Tried>> {
    let score = || prop::option::weighted(0.95, grid());
    let few = || prop_oneof![4 => Just(0_u64), 1 => 1..=2_u64];
    // Some trajectories turn in circles, others never come back to where they were.
    let content = (prop_oneof![1 => 0..=2_u8, 1 => 3..=u8::MAX], prop::option::of(0..=1_u8));
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

fn step() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.0, 0.01, 0.05, 0.1, 0.2])
}

fn stagnation() -> impl Strategy<Value = (usize, f64)> {
    (2..=4_usize, step())
}

fn min_improvement() -> impl Strategy<Value = (f64, usize, bool)> {
    (step(), 1..=3_usize, any::<bool>())
}

fn oscillation() -> impl Strategy<Value = (usize, usize, f64)> {
    (3..=6_usize, 1..=3_usize, step())
}

fn script() -> impl Strategy<Value = Script> {
    prop::sample::select(Script::ALL.to_vec())
}

/// One criterion that is no group.
pub(crate) fn criterion() -> impl Strategy<Value = Criterion> {
    prop_oneof![
        (1..=6_usize).prop_map(Criterion::MaxIterations),
        (0..=5_usize).prop_map(Criterion::MaxCorrections),
        Just(Criterion::Unchanged),
        (1..=3_usize).prop_map(Criterion::Rollbacks),
        stagnation().prop_map(|(window, epsilon)| Criterion::Stagnation(window, epsilon)),
        min_improvement().prop_map(|(delta, times, best)| Criterion::MinImprovement(delta, times, best)),
        (2..=4_usize).prop_map(Criterion::Decline),
        oscillation().prop_map(|(window, flips, least)| Criterion::Oscillation(window, flips, least)),
        (1..=2_usize).prop_map(Criterion::FlipFlop),
        script().prop_map(Criterion::Script),
        prop::sample::select(vec![100_u64, 1000, 2000]).prop_map(Criterion::Timeout),
        (1..=60_u32).prop_map(Criterion::Cents),
        (1..=900_u64).prop_map(Criterion::Tokens),
        (1..=9_u64).prop_map(Criterion::Calls),
    ]
}

/// Members of a group, seldom any, some of them groups themselves.
fn members() -> impl Strategy<Value = Vec<Criterion>> {
    let member = criterion().prop_recursive(2, 6, 3, |inner| {
        let members = prop::collection::vec(inner, 1..=3);
        prop_oneof![members.clone().prop_map(Criterion::Any), members.prop_map(Criterion::All)]
    });
    prop_oneof![4 => Just(Vec::new()), 1 => prop::collection::vec(member, 1..=3)]
}

pub(crate) fn policies() -> impl Strategy<Value = Policy> {
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
    let flags = (prop::bool::weighted(rare), any::<bool>(), prop::bool::weighted(0.2));
    let scripts = prop_oneof![
        4 => Just(Vec::new()),
        1 => prop::sample::subsequence(Script::ALL.to_vec(), 1..=2),
    ];
    let criteria = (
        prop::option::weighted(rare, 1..=3_usize),
        prop::option::weighted(rare, stagnation()),
        prop::option::weighted(rare, min_improvement()),
        prop::option::weighted(rare, 2..=4_usize),
        prop::option::weighted(rare, oscillation()),
        prop::option::weighted(rare, 1..=2_usize),
        scripts,
    );
    let spending = (
        prop::option::weighted(0.15, prop::sample::select(vec![100_u64, 1000, 2000])),
        prop::option::weighted(0.15, 1..=60_u32),
        prop::option::weighted(0.15, 1..=900_u64),
        prop::option::weighted(0.15, 1..=9_u64),
        members(),
        members(),
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
            flip_flop: criteria.5,
            scripts: criteria.6,
            timeout: spending.0,
            cents: spending.1,
            tokens: spending.2,
            calls: spending.3,
            any: spending.4,
            all: spending.5,
            order: select.0,
            ties_last: select.1,
            return_last: select.2,
        },
    )
}

//! `stop`: reasons to end the loop without having been accepted.

use super::keys;
use super::stop_group::{Criterion, GroupMember, decode_members};
use crate::decode_words;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Count, Decode, Fields, Spanned, number_in, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::value::{Millis, Usd};
use std::sync::Arc;

/// Reasons to stop. One that is not configured never applies.
#[derive(Debug, Clone, Default)]
pub struct StopCriteria {
    /// Most candidates assessed.
    pub max_iterations: Option<u64>,
    /// Most corrections made.
    pub max_corrections: Option<u64>,
    /// Stop at a candidate that equals one assessed before.
    pub unchanged: bool,
    /// Consecutive rollbacks.
    pub rollbacks: Option<u64>,
    /// Scores that hardly move.
    pub stagnation: Option<Stagnation>,
    /// Too little gain.
    pub min_improvement: Option<MinImprovement>,
    /// This many overalls in a row, each lower than the one before.
    pub decline: Option<usize>,
    /// Scores that go up and down.
    pub oscillation: Option<Oscillation>,
    /// How often one path of the candidate may go back and forth between the same two values.
    pub flip_flop: Option<u64>,
    /// Functions of the author's own, in file order.
    pub script: Vec<Arc<ScriptCriterion>>,
    /// Longest time from the start of the run to a decision to go on.
    pub timeout: Option<Millis>,
    /// Whether waiting for a rate limit's turn is part of the run's time.
    pub waiting: Waiting,
    /// Most that may be spent.
    pub budget: Budget,
    /// A group that fires when one of its members does.
    pub any: Vec<GroupMember>,
    /// A group that fires when all of its members do.
    pub all: Vec<GroupMember>,
}

/// Whether waiting for a rate limit's turn is part of a run's time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Waiting {
    /// It is not: a run that limits slow down would be late otherwise, and what has been paid for by then lost.
    #[default]
    LeftOut,
    /// It is: somebody waits for the answer.
    Counts,
}

decode_words!(Waiting, "word", {
    "left_out": "It is no part of the run's time, so that limits make no run late." => Waiting::LeftOut,
    "counts": "It is part of the run's time: somebody waits for the answer." => Waiting::Counts,
});

/// A criterion of the author's own.
#[derive(Debug, Clone)]
pub struct ScriptCriterion {
    /// Its name; the reason to stop is `script:NAME`.
    pub name: Arc<str>,
    /// `file.rhai#function`, under `rules/`.
    pub function: Spanned<String>,
}

/// Stops when the last `window` overalls lie within `epsilon`.
#[derive(Debug, Clone, Copy)]
pub struct Stagnation {
    /// How many overalls.
    pub window: usize,
    /// Their spread must be below this.
    pub epsilon: f64,
}

/// Stops when the gain over the baseline was below `delta`, `patience` times in a row.
#[derive(Debug, Clone, Copy)]
pub struct MinImprovement {
    /// The least gain that counts.
    pub delta: f64,
    /// How often in a row it may be missed, counting the one that stops.
    pub patience: usize,
    /// What the gain is measured against.
    pub baseline: Baseline,
}

/// What a gain is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// The candidate before.
    Previous,
    /// The highest overall before this candidate.
    Best,
}

decode_words!(Baseline, "baseline", {
    "previous": "The candidate before." => Baseline::Previous,
    "best": "The highest overall score before this candidate." => Baseline::Best,
});

/// Stops when the overalls go up and down.
#[derive(Debug, Clone, Copy)]
pub struct Oscillation {
    /// Among how many of the last overalls.
    pub window: usize,
    /// How many changes of direction.
    pub flips: usize,
    /// A difference smaller than this does not count.
    pub amplitude: f64,
}

/// Most that may be spent on one document.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Money.
    pub cost_usd: Option<Usd>,
    /// Tokens.
    pub tokens: Option<u64>,
    /// Provider calls.
    pub calls: Option<u64>,
}

/// Largest number of iterations that a profile may allow: a bound on what a typo can cost.
const MOST_ITERATIONS: u64 = 1_000;

impl StopCriteria {
    /// The plain criteria that are looked at before a rollback is settled (lines 4 and 5 of the decision table), in order.
    pub fn before_rollback(&self) -> impl Iterator<Item = Criterion> {
        let limits = [
            self.max_iterations.map(Criterion::MaxIterations),
            self.max_corrections.map(Criterion::MaxCorrections),
            self.unchanged.then_some(Criterion::Unchanged),
        ];
        limits.into_iter().flatten()
    }

    /// The plain criteria that are looked at after it (lines 6 to 13), in order.
    pub fn after_rollback(&self) -> impl Iterator<Item = Criterion> {
        let courses = [
            self.rollbacks.map(Criterion::Rollbacks),
            self.stagnation.map(Criterion::Stagnation),
            self.min_improvement.map(Criterion::MinImprovement),
            self.decline.map(Criterion::Decline),
            self.oscillation.map(Criterion::Oscillation),
            self.flip_flop.map(Criterion::FlipFlop),
        ];
        let scripts = self.script.iter().cloned().map(Criterion::Script);
        let spent = [self.timeout.map(Criterion::Timeout), Some(Criterion::Budget(self.budget))];
        courses.into_iter().flatten().chain(scripts).chain(spent.into_iter().flatten())
    }

    /// Shows every criterion, the plain ones and those in groups.
    pub fn visit(&self, see: &mut dyn FnMut(&Criterion)) {
        self.before_rollback().chain(self.after_rollback()).for_each(|criterion| see(&criterion));
        self.any.iter().chain(&self.all).for_each(|member| member.visit(see));
    }
}

impl Decode for StopCriteria {
    const EXPECTED: &'static str = "a mapping of stop criteria";

    fn shape() -> Shape {
        Shape::Mapping(&keys::STOP)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::STOP, problems)?;
        let max_iterations = fields.optional::<Count>("max_iterations", problems).map(|c| u64::from(c.0));
        let max_corrections = fields.optional::<u64>("max_corrections", problems);
        for (key, value) in [("max_iterations", max_iterations), ("max_corrections", max_corrections)] {
            if let (Some(value), Some(span)) = (value, fields.key_span(key))
                && value > MOST_ITERATIONS
            {
                problems.push(Problem::error(
                    Code::OutOfRange,
                    span,
                    format!("`{key}` is at most {MOST_ITERATIONS}, found {value}"),
                ));
            }
        }
        if fields.node("max_iterations").is_none() && fields.node("max_corrections").is_none() {
            problems.push(
                Problem::error(Code::NoLimit, fields.span(), "nothing limits how often the loop goes round")
                    .help("set `max_iterations` or `max_corrections`"),
            );
        }
        let (timeout, waiting) =
            fields.node("timeout").map_or((None, Waiting::default()), |node| decode_timeout(node, problems));
        let criteria = StopCriteria {
            max_iterations,
            max_corrections,
            unchanged: fields.or("unchanged", false, problems),
            rollbacks: fields.optional::<Count>("rollbacks", problems).map(|c| u64::from(c.0)),
            stagnation: fields.node("stagnation").and_then(|n| Stagnation::decode(n, problems)),
            min_improvement: fields.node("min_improvement").and_then(|n| MinImprovement::decode(n, problems)),
            decline: fields.node("decline").and_then(|n| decode_decline(n, problems)),
            oscillation: fields.node("oscillation").and_then(|n| Oscillation::decode(n, problems)),
            flip_flop: fields.node("flip_flop").and_then(|n| decode_flip_flop(n, problems)),
            script: fields.node("script").map(|n| decode_scripts(n, problems)).unwrap_or_default(),
            timeout,
            waiting,
            budget: fields.node("budget").and_then(|n| Budget::decode(n, problems)).unwrap_or_default(),
            any: fields.node("any").map(|n| decode_members(n, problems)).unwrap_or_default(),
            all: fields.node("all").map(|n| decode_members(n, problems)).unwrap_or_default(),
        };
        fields.finish(problems);
        Some(criteria)
    }
}

/// A window of at least `least` overalls.
fn window(
    fields: &mut Fields<'_>,
    key: &'static str,
    least: usize,
    problems: &mut Problems,
) -> Option<usize> {
    let value = fields.required::<Count>(key, problems)?.0 as usize;
    if value >= least {
        return Some(value);
    }
    let span = fields.key_span(key).unwrap_or(fields.span());
    problems.push(Problem::error(
        Code::OutOfRange,
        span,
        format!("`{key}` is at least {least}, found {value}"),
    ));
    None
}

fn positive_step(fields: &mut Fields<'_>, key: &'static str, problems: &mut Problems) -> Option<f64> {
    match fields.node(key) {
        Some(node) => number_in(node, 0.0, 1.0, problems),
        None => fields.required::<f64>(key, problems),
    }
}

impl Decode for Stagnation {
    const EXPECTED: &'static str = "`{ window: 2, epsilon: 0.05 }`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::STAGNATION)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::STAGNATION, problems)?;
        let window = window(&mut fields, "window", 2, problems);
        let epsilon = positive_step(&mut fields, "epsilon", problems);
        fields.finish(problems);
        Some(Stagnation { window: window?, epsilon: epsilon? })
    }
}

impl Decode for MinImprovement {
    const EXPECTED: &'static str = "`{ delta: 0.05, patience: 1, baseline: previous }`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::MIN_IMPROVEMENT)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::MIN_IMPROVEMENT, problems)?;
        let delta = positive_step(&mut fields, "delta", problems);
        let patience = fields.or("patience", Count(1), problems).0 as usize;
        let baseline = fields.or("baseline", Baseline::Previous, problems);
        fields.finish(problems);
        Some(MinImprovement { delta: delta?, patience, baseline })
    }
}

/// Reads a duration, or `{ after: DURATION, waiting: counts }`.
fn decode_timeout(node: &Node, problems: &mut Problems) -> (Option<Millis>, Waiting) {
    if !matches!(node.data, Data::Map(_)) {
        return (Millis::decode(node, problems), Waiting::default());
    }
    let Some(mut fields) = Fields::open(node, &keys::TIMEOUT, problems) else {
        return (None, Waiting::default());
    };
    let after = fields.required("after", problems);
    let waiting = fields.or("waiting", Waiting::default(), problems);
    fields.finish(problems);
    (after, waiting)
}

pub(super) fn decode_decline(node: &Node, problems: &mut Problems) -> Option<usize> {
    let mut fields = Fields::open(node, &keys::DECLINE, problems)?;
    let length = window(&mut fields, "length", 2, problems);
    fields.finish(problems);
    length
}

pub(super) fn decode_flip_flop(node: &Node, problems: &mut Problems) -> Option<u64> {
    let mut fields = Fields::open(node, &keys::FLIP_FLOP, problems)?;
    let times = fields.required::<Count>("times", problems);
    fields.finish(problems);
    times.map(|times| u64::from(times.0))
}

/// Reads `{ NAME: file.rhai#function }`.
pub(super) fn decode_scripts(node: &Node, problems: &mut Problems) -> Vec<Arc<ScriptCriterion>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping such as `{ plateau: stop.rhai#plateau }`", problems)
            .unwrap_or_default();
    };
    let mut criteria = Vec::new();
    for entry in entries.iter().filter(|entry| !matches!(entry.value.data, Data::Null)) {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if entry.key.is_empty() || !entry.key.chars().all(is_word) {
            problems.push(
                Problem::error(
                    Code::UnknownWord,
                    &entry.key_span,
                    format!(
                        "the name of a criterion is made of letters, digits, `_` and `-`, found `{}`",
                        entry.key
                    ),
                )
                .help("it stands in results, as in `script:plateau`"),
            );
        }
        if let Some(function) = Spanned::decode(&entry.value, problems) {
            criteria.push(Arc::new(ScriptCriterion { name: entry.key.as_str().into(), function }));
        }
    }
    criteria
}

impl Decode for Oscillation {
    const EXPECTED: &'static str = "`{ window: 4, flips: 2, amplitude: 0.05 }`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::OSCILLATION)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::OSCILLATION, problems)?;
        let window = window(&mut fields, "window", 3, problems);
        let flips = fields.required::<Count>("flips", problems).map(|c| c.0 as usize);
        let amplitude = fields.node("amplitude").map_or(Some(0.0), |n| number_in(n, 0.0, 1.0, problems));
        fields.finish(problems);
        Some(Oscillation { window: window?, flips: flips?, amplitude: amplitude? })
    }
}

impl Decode for Budget {
    const EXPECTED: &'static str = "`{ cost_usd: 0.10, tokens: 100000, calls: 10 }`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::BUDGET)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::BUDGET, problems)?;
        let budget = Budget {
            cost_usd: fields.optional("cost_usd", problems),
            tokens: fields.optional::<Count>("tokens", problems).map(|c| u64::from(c.0)),
            calls: fields.optional::<Count>("calls", problems).map(|c| u64::from(c.0)),
        };
        fields.finish(problems);
        Some(budget)
    }
}

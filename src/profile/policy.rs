//! The part of a profile that decides: acceptance, gate, criteria, selection.

use super::{Overall, Ties};
use crate::decode_words;
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::value::decode::{Count, Decode, Fields, number_in, wrong_type};
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Millis, Score, Severity, Usd};

/// Everything that the decision table (LOOP, The decision) reads.
#[derive(Debug, Clone)]
pub struct LoopPolicy {
    /// How the overall score follows from the dimensions.
    pub overall: Overall,
    /// Every line must hold for a candidate to be accepted.
    pub accept: Accept,
    /// A bound below which a candidate is hopeless.
    pub gate: Option<Gate>,
    /// What an issue does that a person must decide.
    pub on_escalate: OnEscalate,
    /// What a candidate worse than the best does to the base.
    pub on_regression: OnRegression,
    /// When to stop without having been accepted.
    pub stop: StopCriteria,
    /// Which candidate is the best, and which is returned.
    pub select: Select,
}

/// The lines of `accept`.
#[derive(Debug, Clone, Default)]
pub struct Accept {
    /// Lower bounds.
    pub thresholds: Vec<(Target, Score)>,
    /// Upper bounds.
    pub issue_limits: Vec<(IssueKind, u64)>,
}

/// A number that an assessment has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The overall score.
    Overall,
    /// One dimension.
    Dimension(String),
}

impl Target {
    /// The name in YAML and JSON.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Target::Overall => "overall",
            Target::Dimension(name) => name,
        }
    }
}

/// A kind of issue that can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueKind {
    /// By how bad they are.
    Severity(Severity),
    /// By who handles them.
    Disposition(Disposition),
}

impl IssueKind {
    const ALL: [IssueKind; 6] = [
        IssueKind::Severity(Severity::Critical),
        IssueKind::Severity(Severity::Major),
        IssueKind::Severity(Severity::Minor),
        IssueKind::Disposition(Disposition::Correct),
        IssueKind::Disposition(Disposition::Escalate),
        IssueKind::Disposition(Disposition::Warn),
    ];

    /// The word in YAML and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            IssueKind::Severity(severity) => severity.as_str(),
            IssueKind::Disposition(disposition) => disposition.as_str(),
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A dimension that must reach a bound before anything expensive looks at the candidate.
#[derive(Debug, Clone)]
pub struct Gate {
    /// The gated dimension.
    pub dimension: String,
    /// Its lower bound.
    pub bound: Score,
    /// What a correction that misses the gate does. Candidate 0 always ends the loop.
    pub on_correction: OnGateMiss,
}

/// What a correction does that misses the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnGateMiss {
    /// It ends the loop.
    Stop,
    /// It counts as a rollback, if the profile has those.
    Rollback,
}

decode_words!(OnGateMiss, "action", { "stop" => OnGateMiss::Stop, "rollback" => OnGateMiss::Rollback });

/// What an issue with disposition `escalate` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnEscalate {
    /// The loop ends; a person decides.
    Stop,
    /// The loop goes on; the issue is shown.
    Continue,
}

decode_words!(OnEscalate, "action", { "stop" => OnEscalate::Stop, "continue" => OnEscalate::Continue });

/// What a candidate does that ranks below the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnRegression {
    /// It becomes the base like any other.
    Keep,
    /// The base returns to the best.
    Rollback,
}

decode_words!(OnRegression, "action", { "keep" => OnRegression::Keep, "rollback" => OnRegression::Rollback });

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
    /// Longest time from the start of the run to a decision to go on.
    pub timeout: Option<Millis>,
    /// Most that may be spent.
    pub budget: Budget,
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

decode_words!(Baseline, "baseline", { "previous" => Baseline::Previous, "best" => Baseline::Best });

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
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// Money.
    pub cost_usd: Option<Usd>,
    /// Tokens.
    pub tokens: Option<u64>,
    /// Provider calls.
    pub calls: Option<u64>,
}

/// Which candidate is the best, and which is handed back.
#[derive(Debug, Clone)]
pub struct Select {
    /// Compared from left to right.
    pub order: Vec<SelectKey>,
    /// Which of two equal candidates is the better.
    pub ties: Ties,
    /// Which one is handed back.
    pub returned: Returned,
}

/// One key of the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectKey {
    /// Candidates without critical issues first.
    NoCritical,
    /// Higher score first.
    Score(Target),
    /// Fewer issues first.
    Fewest(IssueKind),
}

/// Which candidate a run that was not accepted hands back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returned {
    /// The top one under the order.
    Best,
    /// The latest, whatever it scored.
    Last,
}

decode_words!(Returned, "candidate", { "best" => Returned::Best, "last" => Returned::Last });

/// Largest number of iterations that a profile may allow: a bound on what a typo can cost.
const MOST_ITERATIONS: u64 = 1_000;

impl Accept {
    /// Reads `accept`; `known` are the dimensions of the profile.
    pub fn decode(node: &Node, known: &[&str], problems: &mut Problems) -> Option<Self> {
        let Data::Map(entries) = &node.data else {
            return wrong_type(node, "a mapping of bounds", problems);
        };
        let mut accept = Accept::default();
        for entry in entries {
            if matches!(entry.value.data, Data::Null) {
                continue;
            }
            if let Some(kind) = entry.key.strip_suffix("_issues").and_then(IssueKind::from_word) {
                accept.issue_limits.extend(u64::decode(&entry.value, problems).map(|limit| (kind, limit)));
            } else if let Some(target) =
                target(&entry.key, &entry.key_span, known, &issue_limit_names(), problems)
            {
                accept.thresholds.extend(Score::decode(&entry.value, problems).map(|bound| (target, bound)));
            }
        }
        if entries.iter().all(|e| matches!(e.value.data, Data::Null)) {
            problems.push(
                Problem::error(
                    Code::Empty,
                    &node.span,
                    "`accept` has no line, so every candidate would pass",
                )
                .help("add `overall: 0.95`, say"),
            );
        }
        Some(accept)
    }
}

fn issue_limit_names() -> Vec<String> {
    IssueKind::ALL.iter().map(|kind| format!("{}_issues", kind.as_str())).collect()
}

/// The score that a name stands for, reported when there is no such dimension.
fn target(
    name: &str,
    span: &Span,
    known: &[&str],
    others: &[String],
    problems: &mut Problems,
) -> Option<Target> {
    if name == "overall" {
        return Some(Target::Overall);
    }
    if known.contains(&name) {
        return Some(Target::Dimension(name.to_owned()));
    }
    let candidates = || known.iter().copied().chain(["overall"]).chain(others.iter().map(String::as_str));
    let help = match nearest(name, candidates()) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("known: {}", candidates().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ")),
    };
    problems
        .push(Problem::error(Code::UnknownName, span, format!("no dimension is called `{name}`")).help(help));
    None
}

impl Gate {
    /// Reads `gate: { DIMENSION: BOUND, on_correction: … }`.
    pub fn decode(node: &Node, known: &[&str], problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "gate", problems)?;
        let on_correction = fields.or("on_correction", OnGateMiss::Stop, problems);
        let rest = fields.rest();
        let [entry] = rest.as_slice() else {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &node.span,
                    format!("a gate has one dimension, found {}", rest.len()),
                )
                .help("write `gate: { schema_compliance: 0.5 }`"),
            );
            return None;
        };
        match target(&entry.key, &entry.key_span, known, &[], problems)? {
            Target::Dimension(dimension) => {
                Some(Gate { dimension, bound: Score::decode(&entry.value, problems)?, on_correction })
            }
            Target::Overall => {
                problems.push(
                    Problem::error(Code::Conflict, &entry.key_span, "the overall score can't be gated")
                        .help("a gate looks at one dimension before the others are measured"),
                );
                None
            }
        }
    }
}

impl Decode for StopCriteria {
    const EXPECTED: &'static str = "a mapping of stop criteria";

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "list of stop criteria", problems)?;
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
        let criteria = StopCriteria {
            max_iterations,
            max_corrections,
            unchanged: fields.or("unchanged", false, problems),
            rollbacks: fields.optional::<Count>("rollbacks", problems).map(|c| u64::from(c.0)),
            stagnation: fields.node("stagnation").and_then(|n| Stagnation::decode(n, problems)),
            min_improvement: fields.node("min_improvement").and_then(|n| MinImprovement::decode(n, problems)),
            decline: fields.node("decline").and_then(|n| decode_decline(n, problems)),
            oscillation: fields.node("oscillation").and_then(|n| Oscillation::decode(n, problems)),
            timeout: fields.optional("timeout", problems),
            budget: fields.node("budget").and_then(|n| Budget::decode(n, problems)).unwrap_or_default(),
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

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "stagnation criterion", problems)?;
        let window = window(&mut fields, "window", 2, problems);
        let epsilon = positive_step(&mut fields, "epsilon", problems);
        fields.finish(problems);
        Some(Stagnation { window: window?, epsilon: epsilon? })
    }
}

impl Decode for MinImprovement {
    const EXPECTED: &'static str = "`{ delta: 0.05, patience: 1, baseline: previous }`";

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "min_improvement criterion", problems)?;
        let delta = positive_step(&mut fields, "delta", problems);
        let patience = fields.or("patience", Count(1), problems).0 as usize;
        let baseline = fields.or("baseline", Baseline::Previous, problems);
        fields.finish(problems);
        Some(MinImprovement { delta: delta?, patience, baseline })
    }
}

fn decode_decline(node: &Node, problems: &mut Problems) -> Option<usize> {
    let mut fields = Fields::open(node, "decline criterion", problems)?;
    let length = window(&mut fields, "length", 2, problems);
    fields.finish(problems);
    length
}

impl Decode for Oscillation {
    const EXPECTED: &'static str = "`{ window: 4, flips: 2, amplitude: 0.05 }`";

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "oscillation criterion", problems)?;
        let window = window(&mut fields, "window", 3, problems);
        let flips = fields.required::<Count>("flips", problems).map(|c| c.0 as usize);
        let amplitude = fields.node("amplitude").map_or(Some(0.0), |n| number_in(n, 0.0, 1.0, problems));
        fields.finish(problems);
        Some(Oscillation { window: window?, flips: flips?, amplitude: amplitude? })
    }
}

impl Decode for Budget {
    const EXPECTED: &'static str = "`{ cost_usd: 0.10, tokens: 100000, calls: 10 }`";

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "budget", problems)?;
        let budget = Budget {
            cost_usd: fields.optional("cost_usd", problems),
            tokens: fields.optional::<Count>("tokens", problems).map(|c| u64::from(c.0)),
            calls: fields.optional::<Count>("calls", problems).map(|c| u64::from(c.0)),
        };
        fields.finish(problems);
        Some(budget)
    }
}

impl Default for Select {
    /// The highest overall score; of equal candidates, the later.
    fn default() -> Self {
        Select { order: vec![SelectKey::Score(Target::Overall)], ties: Ties::Last, returned: Returned::Best }
    }
}

impl Select {
    /// Reads `select`; `known` are the dimensions of the profile.
    pub fn decode(node: &Node, known: &[&str], problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "selection", problems)?;
        let order = match fields.node("order") {
            Some(Node { data: Data::List(items), span }) => {
                if items.is_empty() {
                    problems.push(
                        Problem::error(Code::Empty, span, "`order` has no key").help("write `[overall]`"),
                    );
                }
                items.iter().filter_map(|item| SelectKey::decode(item, known, problems)).collect()
            }
            Some(other) => wrong_type(other, "a list of keys such as `[no_critical, overall]`", problems)?,
            None => Select::default().order,
        };
        let select = Select {
            order,
            ties: fields.or("ties", Ties::Last, problems),
            returned: fields.or("return", Returned::Best, problems),
        };
        fields.finish(problems);
        Some(select)
    }
}

impl SelectKey {
    fn decode(node: &Node, known: &[&str], problems: &mut Problems) -> Option<Self> {
        if let Some(word) = node.as_text() {
            if word == "no_critical" {
                return Some(SelectKey::NoCritical);
            }
            return target(word, &node.span, known, &["no_critical".to_owned()], problems)
                .map(SelectKey::Score);
        }
        let mut fields = Fields::open(node, "selection key", problems)?;
        let word = fields.required::<String>("fewest", problems);
        fields.finish(problems);
        let word = word?;
        let kind = IssueKind::from_word(&word);
        if kind.is_none() {
            let words = IssueKind::ALL.map(IssueKind::as_str);
            return crate::value::decode::unknown_word(&node.span, "kind of issue", &word, &words, problems);
        }
        kind.map(SelectKey::Fewest)
    }
}

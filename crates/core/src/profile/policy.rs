//! The part of a profile that decides: acceptance, gate, criteria, selection.

use super::accept::{ACCEPT, Accept};
use super::{Dispositions, Overall, StopCriteria, Ties};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::value::decode::{Decode, Fields, wrong_type};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Score, Severity};
use crate::{decode_words, mapping};
use serde_json::Value;

mapping! {
    /// Everything that the decision table (`docs/how-the-loop-decides.md`) reads.
    "policy" is "policy";
    #[derive(Debug, Clone)]
    pub struct LoopPolicy {
        /// The derivation of the overall score from the dimensions: weights, or one dimension.
        #[key(
            required,
            missing("give each dimension its weight: `overall: { completeness: 0.5, accuracy: 0.5 }`"),
            examples(&["{ completeness: 0.5, validity: 0.5 }", "{ from: completeness }"])
        )]
        pub overall: Overall => |_| Overall::default(),
        /// The conditions under which a candidate is good enough. Every line must hold; then the loop ends as passed.
        #[key(
            required,
            missing("say when a candidate is good enough: `accept: { overall: 0.95 }`"),
            shaped(|| Shape::Mapping(&ACCEPT)),
            examples(&["{ overall: 0.95, critical_issues: 0 }"])
        )]
        // Read when the dimensions are known.
        pub accept: Accept as Value = |_, _| None => |_| Accept::default(),
        /// One dimension that must reach a bound before judges and validators are asked. A first candidate below it ends the
        /// loop as failed. Without it there is no gate.
        #[key(examples(&["{ schema_compliance: 0.5, on_correction: stop }"]))]
        pub gate: Option<Gate>,
        /// The handling of an issue that has no disposition of its own, by its code. Without it the loop corrects them
        /// all.
        #[key(examples(&[
            "{ TYPE_MISMATCH: correct, CONSTRAINT_VIOLATION: { auto_fixable: correct, otherwise: escalate }, otherwise: escalate }"
        ]))]
        pub dispositions: Dispositions => |_| Dispositions::default(),
        /// The reaction to an issue that a person must decide (disposition `escalate`).
        #[key(default("continue"), examples(&["stop"]))]
        pub on_escalate: OnEscalate,
        /// The reaction to a correction that is worse than the best candidate so far.
        #[key(default("keep"), examples(&["rollback"]))]
        pub on_regression: OnRegression,
        /// The criteria for giving up without a candidate that is good enough. `max_iterations` or `max_corrections`
        /// must be set; every other criterion applies only if it is.
        #[key(required, always, examples(&["{ max_iterations: 3, timeout: 2m, budget: { cost_usd: 0.10 } }"]))]
        pub stop: StopCriteria => |_| StopCriteria::default(),
        /// The choice of the best candidate, and of the returned one. Without it: the highest overall score, of equal
        /// candidates the later.
        #[key(always, examples(&["{ order: [no_critical, overall], ties: last, return: best }"]))]
        pub select: Select => |_| Select::default(),
    }
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
    /// By severity.
    Severity(Severity),
    /// By handling.
    Disposition(Disposition),
}

impl IssueKind {
    /// Every kind: severities from the worst down, then dispositions.
    pub const ALL: [IssueKind; 6] = [
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

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

decode_words!(IssueKind, "kind of issue", {
    "critical": "By severity: critical issues." => IssueKind::Severity(Severity::Critical),
    "major": "By severity: major issues." => IssueKind::Severity(Severity::Major),
    "minor": "By severity: minor issues." => IssueKind::Severity(Severity::Minor),
    "correct": "By disposition: issues that the loop is to correct." => IssueKind::Disposition(Disposition::Correct),
    "escalate": "By disposition: issues that a person must decide." => IssueKind::Disposition(Disposition::Escalate),
    "warn": "By disposition: issues that are only shown." => IssueKind::Disposition(Disposition::Warn),
});

mapping! {
    /// A dimension that must reach a bound before anything expensive inspects the candidate: one dimension, and
    /// `on_correction`.
    "gate" is "gate", expects "`{ schema_compliance: 0.5 }`", open GATED;
    #[derive(Debug, Clone)]
    pub struct Gate {
        /// The reaction to a correction that misses the gate. A first candidate that misses it always ends the loop.
        #[key(default("stop"), examples(&["rollback"]))]
        pub on_correction: OnGateMiss,
        /// The gated dimension.
        #[key(skip)]
        pub dimension: String = gated,
        /// Its lower bound.
        #[key(skip)]
        pub bound: Score = |fields: &mut Fields<'_>, problems| match fields.rest().as_slice() {
            [entry] => Score::decode(&entry.value, problems),
            _ => None,
        },
    }
}

const GATED: Open = Open {
    key: "DIMENSION",
    names: Names::Any,
    doc: "The dimension's lower bound, from 0 to 1. It must be measured before judges and validators are asked.",
    shape: Score::shape,
    null: Null::Mistake,
};

/// The reaction to a correction that misses the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnGateMiss {
    /// It ends the loop.
    Stop,
    /// It counts as a rollback, if the profile has those.
    Rollback,
}

decode_words!(OnGateMiss, "action", {
    "stop": "The loop ends." => OnGateMiss::Stop,
    "rollback": "It counts as a rollback: the next correction starts from the best candidate again." => OnGateMiss::Rollback,
});

/// The reaction to an issue with disposition `escalate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnEscalate {
    /// The loop ends; a person decides.
    Stop,
    /// The loop continues; the issue is shown.
    Continue,
}

decode_words!(OnEscalate, "action", {
    "stop": "The loop ends as failed, with the reason `critical_issue`." => OnEscalate::Stop,
    "continue": "The loop continues, and the issue is shown in the result." => OnEscalate::Continue,
});

/// The reaction to a candidate that ranks below the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnRegression {
    /// It becomes the base like any other.
    Keep,
    /// The base returns to the best.
    Rollback,
}

decode_words!(OnRegression, "action", {
    "keep": "The next correction builds on it like on any other." => OnRegression::Keep,
    "rollback": "The next correction starts from the best candidate again, and is told what failed." => OnRegression::Rollback,
});

mapping! {
    /// The choice of the best candidate, and of the returned one. One that missed the gate is below every one that did
    /// not.
    "select" is "selection", expects "a mapping such as `{ order: [overall] }`", all default;
    #[derive(Debug, Clone)]
    pub struct Select {
        /// The keys that candidates are compared by, the first that differs deciding: `no_critical` (those without
        /// critical issues first), `overall` or a dimension (higher first), `{ fewest: … }` (fewer issues first).
        #[key(default("[overall]"), examples(&["[no_critical, overall]", "[{ fewest: escalate }, overall]"]))]
        pub order: Vec<SelectKey> = order,
        /// The better of two candidates that are equal in all of `order`.
        #[key(default("last"), examples(&["first"]))]
        pub ties: Ties,
        /// The candidate that is returned when none was accepted.
        #[key(name("return"), default("best"), examples(&["last"]))]
        pub returned: Returned,
    }
}

mapping! {
    /// Compares candidates by their number of issues: fewer first.
    "fewest" is "selection key";
    struct Fewest {
        /// The issues that are counted: a severity or a disposition.
        #[key(required, examples(&["critical"]))]
        fewest: IssueKind,
    }
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

/// The candidate that a run without an accepted one returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Returned {
    /// The top one under the order.
    Best,
    /// The latest, whatever it scored.
    Last,
}

decode_words!(Returned, "candidate", {
    "best": "The first one under `order`." => Returned::Best,
    "last": "The latest, whatever it scored." => Returned::Last,
});

/// The score that a name means; an unknown dimension is reported.
pub(super) fn target(
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

fn gated(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<String> {
    let rest = fields.rest();
    if let [entry] = rest.as_slice() {
        return Some(entry.key.clone());
    }
    let message = format!("a gate has one dimension, found {}", rest.len());
    let problem = Problem::error(Code::Conflict, fields.span(), message);
    problems.push(problem.help("write `gate: { schema_compliance: 0.5 }`"));
    None
}

impl Gate {
    /// Returns whether there is such a dimension; reported in `node`, which it was read from, if not.
    pub(super) fn check_name(&self, node: &Node, known: &[&str], problems: &mut Problems) -> bool {
        let Data::Map(entries) = &node.data else { return false };
        let Some(entry) = entries.iter().find(|entry| entry.key == self.dimension) else { return false };
        // A dimension may be called `overall` when the overall score is that dimension.
        if entry.key == "overall" && !known.contains(&"overall") {
            let message = "the overall score can't be gated";
            let problem = Problem::error(Code::Conflict, &entry.key_span, message);
            problems.push(problem.help("a gate looks at one dimension before the others are measured"));
            return false;
        }
        target(&entry.key, &entry.key_span, known, &[], problems).is_some()
    }
}

fn order(node: &Node, problems: &mut Problems) -> Option<Vec<SelectKey>> {
    if !matches!(node.data, Data::List(_)) {
        return wrong_type(node, "a list of keys such as `[no_critical, overall]`", problems);
    }
    let order = Vec::decode(node, problems)?;
    if matches!(&node.data, Data::List(items) if items.is_empty()) {
        problems
            .push(Problem::error(Code::Empty, &node.span, "`order` has no key").help("write `[overall]`"));
    }
    Some(order)
}

impl Select {
    /// Reports the unknown dimensions that `node`, which it was read from, compares by.
    pub(super) fn check_names(node: &Node, known: &[&str], problems: &mut Problems) {
        let Some(Node { data: Data::List(items), .. }) = node.get("order") else { return };
        for item in items {
            if let Some(name) = item.as_text().filter(|name| *name != NO_CRITICAL) {
                target(name, &item.span, known, &[NO_CRITICAL.to_owned()], problems);
            }
        }
    }
}

/// The key of the order that looks for critical issues.
const NO_CRITICAL: &str = "no_critical";

impl Decode for SelectKey {
    const EXPECTED: &'static str = "`no_critical`, `overall`, the name of a dimension or `{ fewest: … }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![
            Shape::text("`no_critical`, `overall` or the name of a dimension"),
            Shape::Mapping(Fewest::mapping()),
        ])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.as_text() {
            Some(NO_CRITICAL) => Some(SelectKey::NoCritical),
            Some("overall") => Some(SelectKey::Score(Target::Overall)),
            Some(name) => Some(SelectKey::Score(Target::Dimension(name.to_owned()))),
            None => Fewest::read_mapping(node, problems).map(|read| SelectKey::Fewest(read.fewest)),
        }
    }
}

//! The part of a profile that decides: acceptance, gate, criteria, selection.

use super::keys;
use super::{Dispositions, Overall, StopCriteria, Ties};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::value::decode::{Decode, Fields, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Entry, Node};
use crate::value::{Disposition, Score, Severity};
use crate::{decode_words, mapping};

/// Everything that the decision table (`docs/how-the-loop-decides.md`) reads.
#[derive(Debug, Clone)]
pub struct LoopPolicy {
    /// How the overall score follows from the dimensions.
    pub overall: Overall,
    /// Every line must hold for a candidate to be accepted.
    pub accept: Accept,
    /// A bound below which a candidate is hopeless.
    pub gate: Option<Gate>,
    /// Who handles an issue that does not say so.
    pub dispositions: Dispositions,
    /// What an issue does that a person must decide.
    pub on_escalate: OnEscalate,
    /// What a candidate worse than the best does to the base.
    pub on_regression: OnRegression,
    /// When to stop without having been accepted.
    pub stop: StopCriteria,
    /// Which candidate is the best, and which is returned.
    pub select: Select,
}

/// The line of `accept` about documents that nobody but a stage has seen.
const UNSEEN: &str = "unseen";

/// The line of `accept` about documents whose type was not recognised.
const UNKNOWN_TYPE: &str = "unknown_type";

/// The lines of `accept`.
#[derive(Debug, Clone, Default)]
pub struct Accept {
    /// Lower bounds.
    pub thresholds: Vec<(Target, Score)>,
    /// Upper bounds.
    pub issue_limits: Vec<(IssueKind, u64)>,
    /// Whether a candidate is good enough though nobody but a stage has seen its document.
    pub unseen: bool,
    /// Whether a candidate is good enough though the type of its document was not recognised.
    pub unknown_type: bool,
}

/// A number that an assessment has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum IssueKind {
    /// By how bad they are.
    Severity(Severity),
    /// By who handles them.
    Disposition(Disposition),
}

impl IssueKind {
    /// Every kind: severities from the worst down, then dispositions.
    pub(crate) const ALL: [IssueKind; 6] = [
        IssueKind::Severity(Severity::Critical),
        IssueKind::Severity(Severity::Major),
        IssueKind::Severity(Severity::Minor),
        IssueKind::Disposition(Disposition::Correct),
        IssueKind::Disposition(Disposition::Escalate),
        IssueKind::Disposition(Disposition::Warn),
    ];

    /// The word in YAML and JSON.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            IssueKind::Severity(severity) => severity.as_str(),
            IssueKind::Disposition(disposition) => disposition.as_str(),
        }
    }

    fn from_word(word: &str) -> Option<Self> {
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

/// What an issue with disposition `escalate` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnEscalate {
    /// The loop ends; a person decides.
    Stop,
    /// The loop goes on; the issue is shown.
    Continue,
}

decode_words!(OnEscalate, "action", {
    "stop": "The loop ends as failed, with the reason `critical_issue`." => OnEscalate::Stop,
    "continue": "The loop goes on, and the issue is shown in the result." => OnEscalate::Continue,
});

/// What a candidate does that ranks below the best.
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
    /// Which candidate is the best, and which is returned. One that missed the gate is below every one that did not.
    "select" is "selection", expects "a mapping such as `{ order: [overall] }`", all default;
    #[derive(Debug, Clone)]
    pub struct Select {
        /// What candidates are compared by, the first that differs deciding: `no_critical` (those without critical issues
        /// first), `overall` or a dimension (higher first), `{ fewest: … }` (fewer issues first).
        #[key(default("[overall]"), examples(&["[no_critical, overall]", "[{ fewest: escalate }, overall]"]))]
        pub order: Vec<SelectKey> = order,
        /// Which of two candidates is the better that are equal in all of `order`.
        #[key(default("last"), examples(&["first"]))]
        pub ties: Ties,
        /// Which candidate is returned when none was accepted.
        #[key(name("return"), default("best"), examples(&["last"]))]
        pub returned: Returned,
    }
}

mapping! {
    /// Compares candidates by how many issues they have: fewer first.
    "fewest" is "selection key";
    struct Fewest {
        /// Which issues are counted: a severity or a disposition.
        #[key(required, examples(&["critical"]))]
        fewest: IssueKind,
    }
}

/// One key of the order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectKey {
    /// Candidates without critical issues first.
    NoCritical,
    /// Higher score first.
    Score(Target),
    /// Fewer issues first.
    Fewest(IssueKind),
}

/// Which candidate a run that was not accepted returns.
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

impl Accept {
    /// Reads `accept`; `known` are the dimensions of the profile.
    pub(crate) fn decode(node: &Node, known: &[&str], problems: &mut Problems) -> Option<Self> {
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
            } else if is_default_line(entry, known) {
                let taken_away = bool::decode(&entry.value, problems).unwrap_or_default();
                if entry.key == UNSEEN {
                    accept.unseen = taken_away;
                } else {
                    accept.unknown_type = taken_away;
                }
            } else if let Some(target) = target(&entry.key, &entry.key_span, known, &other_lines(), problems)
            {
                accept.thresholds.extend(Score::decode(&entry.value, problems).map(|bound| (target, bound)));
            }
        }
        let no_line = |entry: &Entry| matches!(entry.value.data, Data::Null) || is_default_line(entry, known);
        if entries.iter().all(no_line) {
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

/// Whether this is one of the lines that are there unless the profile takes them away. A dimension of that name goes first.
fn is_default_line(entry: &Entry, known: &[&str]) -> bool {
    [UNSEEN, UNKNOWN_TYPE].contains(&entry.key.as_str()) && !known.contains(&entry.key.as_str())
}

/// Lines of `accept` that are no lower bounds.
fn other_lines() -> Vec<String> {
    let limits = IssueKind::ALL.iter().map(|kind| format!("{}_issues", kind.as_str()));
    limits.chain([UNSEEN, UNKNOWN_TYPE].map(str::to_owned)).collect()
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
    pub(crate) fn decode(node: &Node, known: &[&str], problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::GATE, problems)?;
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
            // A dimension may be called `overall` when the overall score is that dimension.
            Target::Overall if known.contains(&"overall") => Some(Gate {
                dimension: "overall".to_owned(),
                bound: Score::decode(&entry.value, problems)?,
                on_correction,
            }),
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
    /// Reports what `node`, which it was read from, is compared by and no dimension is called.
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

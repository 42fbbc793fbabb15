//! `accept`: the conditions under which a candidate is good enough.

use super::policy::{IssueKind, Target, target};
use crate::diag::{Code, Problem, Problems};
use crate::value::Score;
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::{Key, Mapping, Names, Null, Open};
use crate::value::yaml::{Data, Entry, Node};
use std::sync::Arc;

/// The code of the issue that nothing was held against the document, because only a stage has seen it.
pub const DOCUMENT_UNSEEN: &str = "DOCUMENT_UNSEEN";

/// The code of an issue about a placeholder.
pub const PLACEHOLDER_VALUE: &str = "PLACEHOLDER_VALUE";

/// The code of the issue that the profile tells document types apart and did not recognise this one's.
pub const DOCUMENT_TYPE_UNKNOWN: &str = "DOCUMENT_TYPE_UNKNOWN";

/// A line that every profile has unless it takes it away with `true`: an accepted candidate has no issue of these codes.
/// Decisions, proofs and explanations go through [`CONDITIONS`].
#[derive(Debug)]
pub struct AcceptCondition {
    /// Its key in `accept`.
    pub key: Key,
    /// The codes. The first of them is about the document, and is what a proof tries.
    pub codes: &'static [&'static str],
    /// The profiles in which it can matter.
    pub concerns: Concerns,
    /// A document that has such an issue, in a word or two.
    pub document: &'static str,
    /// The reason why a candidate with such an issue is not accepted.
    pub refused: &'static str,
}

/// The profiles in which a condition can matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concerns {
    /// Those that pass documents on as they are, which may have no text.
    Attachments,
    /// Those that tell document types apart.
    DocumentTypes,
}

/// A member for each of [`CONDITIONS`], in their order.
pub type ConditionSet = [bool; CONDITIONS.len()];

/// The lines that every profile has unless it takes them away, in the order in which they are looked at.
pub const CONDITIONS: &[AcceptCondition] = &[
    AcceptCondition {
        key: condition(
            "unseen",
            "Whether a candidate may pass that nothing supports. A document that only a stage has seen: an image or PDF, which \
             has no text, while no judge that is shown it (`attach: document`), or that holds candidates against a `reference`, has \
             answered. Or a placeholder where a value should be (`N/A`, the name of the field): `PLACEHOLDER_VALUE`.",
        ),
        codes: &[DOCUMENT_UNSEEN, PLACEHOLDER_VALUE],
        concerns: Concerns::Attachments,
        document: "unseen",
        refused: "nothing supports the candidate or a part of it (no judge has seen the document, or a placeholder is in the place of a value)",
    },
    AcceptCondition {
        key: condition(
            "unknown_type",
            "Whether a document may pass whose type `classify` did not recognise. A type that is named (`--type`) counts as \
             recognised; in a profile without `classify` every type is.",
        ),
        codes: &[DOCUMENT_TYPE_UNKNOWN],
        concerns: Concerns::DocumentTypes,
        document: "of an unknown type",
        refused: "the document's type was not recognised",
    },
];

const fn condition(name: &'static str, doc: &'static str) -> Key {
    Key::new(name, bool::shape, doc).default("false").examples(&["true"])
}

/// The keys of the conditions.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which refuses an index out of bounds"
)]
const CONDITION_KEYS: &[Key] = &{
    let mut keys = [CONDITIONS[0].key; CONDITIONS.len()];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = CONDITIONS[at].key;
        at += 1;
    }
    keys
};

impl AcceptCondition {
    /// Its line, as decisions name it: `accept.unseen`.
    #[must_use]
    pub fn line(&self) -> String {
        format!("accept.{}", self.key.name)
    }

    /// Notes the conditions that an issue breaks; `is` compares its code.
    pub fn note(broken: &mut ConditionSet, is: impl Fn(&str) -> bool) {
        for (broken, condition) in broken.iter_mut().zip(CONDITIONS) {
            *broken |= condition.codes.iter().any(|code| is(code));
        }
    }
}

/// The lines of `accept`.
#[derive(Debug, Clone, Default)]
pub struct Accept {
    /// Lower bounds.
    pub thresholds: Vec<Threshold>,
    /// Upper bounds.
    pub issue_limits: Vec<(IssueKind, u64)>,
    /// `true` for each condition that the profile takes away.
    pub waived: ConditionSet,
}

/// A lower bound of a score.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Threshold {
    /// The score.
    pub target: Target,
    /// The least that it may be.
    pub bound: Score,
    line: Arc<str>,
}

impl Threshold {
    fn new(target: Target, bound: Score) -> Self {
        let line = format!("accept.{}", target.name()).into();
        Threshold { target, bound, line }
    }

    /// The line of the profile, as decisions name it: `accept.overall`.
    #[must_use]
    pub fn line(&self) -> &Arc<str> {
        &self.line
    }
}

const fn limit(name: &'static str, doc: &'static str) -> Key {
    Key::new(name, u64::shape, doc).examples(&["0"])
}

pub(super) static ACCEPT: Mapping = Mapping {
    name: "accept",
    what: "mapping of bounds",
    doc: "When a candidate is good enough: every line must hold, and there must be at least one. Scores are lower bounds, \
          numbers of issues upper bounds. `unseen` and `unknown_type` are lines that every profile has unless it takes them away.",
    keys: &[
        &[
            Key::new("overall", Score::shape, "The least overall score, from 0 to 1.").examples(&["0.95"]),
            limit("critical_issues", "The most issues of severity `critical`."),
            limit("major_issues", "The most issues of severity `major`."),
            limit("minor_issues", "The most issues of severity `minor`."),
            limit("correct_issues", "The most issues that the loop is to correct (disposition `correct`)."),
            limit("escalate_issues", "The most issues that a person must decide (disposition `escalate`)."),
            limit("warn_issues", "The most issues that are only shown (disposition `warn`)."),
        ],
        CONDITION_KEYS,
    ],
    open: Some(Open {
        key: "DIMENSION",
        names: Names::Any,
        doc: "The least score of this dimension, from 0 to 1.",
        shape: Score::shape,
        null: Null::Absent,
    }),
};

impl Accept {
    /// The lower bound of a score, if it has one.
    #[must_use]
    pub fn bound(&self, target: &Target) -> Option<Score> {
        self.thresholds.iter().find(|threshold| threshold.target == *target).map(|threshold| threshold.bound)
    }

    /// Each condition, and whether the profile takes it away.
    pub fn conditions(&self) -> impl Iterator<Item = (&'static AcceptCondition, bool)> {
        CONDITIONS.iter().zip(self.waived)
    }

    /// The conditions that the profile has, and a candidate breaks.
    pub fn refusing(&self, broken: ConditionSet) -> impl Iterator<Item = &'static AcceptCondition> {
        let held = self.conditions().zip(broken).filter(|((_, waived), broken)| *broken && !waived);
        held.map(|((condition, _), _)| condition)
    }

    /// Returns whether no condition refuses a candidate with an issue of this code.
    #[must_use]
    pub fn allows(&self, code: &str) -> bool {
        self.conditions().all(|(condition, waived)| waived || !condition.codes.contains(&code))
    }

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
            } else if let Some(waived) = condition_of(entry, known).and_then(|at| accept.waived.get_mut(at)) {
                *waived = bool::decode(&entry.value, problems).unwrap_or_default();
            } else if let Some(target) = target(&entry.key, &entry.key_span, known, &other_lines(), problems)
            {
                let bound = Score::decode(&entry.value, problems);
                accept.thresholds.extend(bound.map(|bound| Threshold::new(target, bound)));
            }
        }
        let no_line =
            |entry: &Entry| matches!(entry.value.data, Data::Null) || condition_of(entry, known).is_some();
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

/// The condition of this name. A dimension of that name takes precedence.
fn condition_of(entry: &Entry, known: &[&str]) -> Option<usize> {
    let at = CONDITIONS.iter().position(|condition| condition.key.name == entry.key)?;
    (!known.contains(&entry.key.as_str())).then_some(at)
}

/// Lines of `accept` that are not lower bounds.
fn other_lines() -> Vec<String> {
    let limits = IssueKind::ALL.iter().map(|kind| format!("{}_issues", kind.as_str()));
    limits.chain(CONDITIONS.iter().map(|condition| condition.key.name.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::shape::Shape;

    #[test]
    fn the_kinds_of_issues_are_those_that_can_be_counted() {
        let Shape::Words(words) = IssueKind::shape() else { panic!() };
        let kinds = IssueKind::ALL.map(IssueKind::as_str);
        assert_eq!(words.iter().map(|word| word.word).collect::<Vec<_>>(), kinds);
        for kind in kinds {
            assert!(ACCEPT.key(&format!("{kind}_issues")).is_some(), "{kind}");
        }
    }
}

//! `accept`: the conditions under which a candidate is good enough.

use super::policy::{IssueKind, Target, target};
use crate::diag::{Code, Problem, Problems};
use crate::value::Score;
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::{Key, Mapping, Names, Null, Open};
use crate::value::yaml::{Data, Entry, Node};
use std::sync::Arc;

/// The line of `accept` about documents that only a stage has seen.
const UNSEEN: &str = "unseen";

/// The line of `accept` about documents whose type was not recognised.
const UNKNOWN_TYPE: &str = "unknown_type";

/// The lines that exist unless the profile removes them, each with its place.
const DEFAULT_LINES: [(&str, DefaultLine); 2] =
    [(UNSEEN, |accept| &mut accept.unseen), (UNKNOWN_TYPE, |accept| &mut accept.unknown_type)];

type DefaultLine = fn(&mut Accept) -> &mut bool;

/// The lines of `accept`.
#[derive(Debug, Clone, Default)]
pub struct Accept {
    /// Lower bounds.
    pub thresholds: Vec<Threshold>,
    /// Upper bounds.
    pub issue_limits: Vec<(IssueKind, u64)>,
    /// `true` if a candidate is good enough though only a stage has seen its document.
    pub unseen: bool,
    /// `true` if a candidate is good enough though the type of its document was not recognised.
    pub unknown_type: bool,
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
    keys: &[&[
        Key::new("overall", Score::shape, "The least overall score, from 0 to 1.").examples(&["0.95"]),
        limit("critical_issues", "The most issues of severity `critical`."),
        limit("major_issues", "The most issues of severity `major`."),
        limit("minor_issues", "The most issues of severity `minor`."),
        limit("correct_issues", "The most issues that the loop is to correct (disposition `correct`)."),
        limit("escalate_issues", "The most issues that a person must decide (disposition `escalate`)."),
        limit("warn_issues", "The most issues that are only shown (disposition `warn`)."),
        Key::new(
            "unseen",
            bool::shape,
            "Whether a candidate may pass that nothing supports. A document that nobody but a stage has seen: an image or PDF, which \
             has no text, while no judge that is shown it (`attach: document`), or that holds candidates against a `reference`, has \
             answered. Or a placeholder where a value should be (`N/A`, the name of the field): `PLACEHOLDER_VALUE`.",
        )
        .default("false")
        .examples(&["true"]),
        Key::new(
            "unknown_type",
            bool::shape,
            "Whether a document may pass whose type `classify` did not recognise. A type that is named (`--type`) counts as \
             recognised; in a profile without `classify` every type is.",
        )
        .default("false")
        .examples(&["true"]),
    ]],
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
            } else if let Some(line) = default_line(entry, known) {
                *line(&mut accept) = bool::decode(&entry.value, problems).unwrap_or_default();
            } else if let Some(target) = target(&entry.key, &entry.key_span, known, &other_lines(), problems)
            {
                let bound = Score::decode(&entry.value, problems);
                accept.thresholds.extend(bound.map(|bound| Threshold::new(target, bound)));
            }
        }
        let no_line =
            |entry: &Entry| matches!(entry.value.data, Data::Null) || default_line(entry, known).is_some();
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

/// The default line of this name. A dimension of that name takes precedence.
fn default_line(entry: &Entry, known: &[&str]) -> Option<DefaultLine> {
    let (_, line) = DEFAULT_LINES.into_iter().find(|(name, _)| *name == entry.key)?;
    (!known.contains(&entry.key.as_str())).then_some(line)
}

/// Lines of `accept` that are no lower bounds.
fn other_lines() -> Vec<String> {
    let limits = IssueKind::ALL.iter().map(|kind| format!("{}_issues", kind.as_str()));
    limits.chain(DEFAULT_LINES.map(|(name, _)| name.to_owned())).collect()
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

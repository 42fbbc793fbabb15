//! Checks and conditions as people write them, read into trees of tests.

use super::checks::{CHECKS, Test};
use super::keys;
use super::reference::{Reference, reference};
use crate::diag::{Code, Problem, Problems, Span};
use crate::value::decode::{Fields, wrong_type};
use crate::value::yaml::{Data, Node};
use smallvec::SmallVec;
use std::ops::Range;

/// The subject of a test.
#[derive(Debug, Clone)]
pub enum Operand {
    /// The value of the rule's target.
    Value,
    /// The key (or index) of the target's value.
    Key,
    /// The text of the document that the candidate was made from; a test of it does not hold where there is none.
    Source,
    /// Something else in the candidate; the test holds when it holds for one of the values there.
    At(Reference),
}

/// Tests joined by all, any and not.
#[derive(Debug, Clone)]
pub enum Condition {
    /// One test.
    Test {
        /// The subject of the test.
        subject: Operand,
        /// The test itself.
        test: Test,
    },
    /// All hold. Never empty.
    All(Vec<Condition>),
    /// At least one holds. Never empty.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

impl Condition {
    /// The first passage that it forbids the document's text to have, in bytes; `None` if it forbids none that is
    /// there.
    pub fn forbidden_in(&self, text: &str) -> Option<Range<usize>> {
        match self {
            Condition::Not(inner) => match &**inner {
                Condition::Any(each) => {
                    let passages = each.iter().filter_map(|one| one.found_in(text));
                    passages.min_by_key(|passage| passage.start)
                }
                one => one.found_in(text),
            },
            Condition::All(inner) => inner.iter().find_map(|inner| inner.forbidden_in(text)),
            Condition::Test { .. } | Condition::Any(_) => None,
        }
    }

    /// The passage of the document's text that a test asks for, in bytes.
    fn found_in(&self, text: &str) -> Option<Range<usize>> {
        match self {
            Condition::Test { subject: Operand::Source, test: Test::Matches(pattern) } => {
                pattern.0.automaton(text)?.find(text).map(|found| found.range())
            }
            Condition::Test { .. } | Condition::All(_) | Condition::Any(_) | Condition::Not(_) => None,
        }
    }

    /// Returns whether a test in it must be asked even when the rule's target is absent.
    #[must_use]
    pub fn asks_presence(&self) -> bool {
        match self {
            Condition::Test { test, .. } => test.asks_absent(),
            Condition::All(inner) | Condition::Any(inner) => inner.iter().any(Condition::asks_presence),
            Condition::Not(inner) => inner.asks_presence(),
        }
    }

    /// Everything that a test in it requires to be present.
    pub fn required(&self) -> SmallVec<[&Reference; 8]> {
        match self {
            Condition::Test { test: Test::Others(others), .. } => others.required().iter().collect(),
            Condition::Test { .. } => SmallVec::new(),
            Condition::All(inner) | Condition::Any(inner) => {
                inner.iter().flat_map(Condition::required).collect()
            }
            Condition::Not(inner) => inner.required(),
        }
    }

    /// Returns whether something in it inspects what is around a target.
    #[must_use]
    pub fn looks_around(&self) -> bool {
        match self {
            Condition::Test { subject, test } => {
                matches!(subject, Operand::At(at) if at.looks_around())
                    || test.references().iter().any(Reference::looks_around)
            }
            Condition::All(inner) | Condition::Any(inner) => inner.iter().any(Condition::looks_around),
            Condition::Not(inner) => inner.looks_around(),
        }
    }

    /// A description of what passes, in words that follow "expected".
    #[must_use]
    pub fn expectation(&self) -> String {
        let join = |inner: &[Condition], word: &str| {
            inner.iter().map(Condition::expectation).collect::<Vec<_>>().join(word)
        };
        match self {
            Condition::Test { subject: Operand::Value, test } => test.to_string(),
            Condition::Test { subject: Operand::Key, test } => format!("a key that is {test}"),
            Condition::Test { subject: Operand::Source, test } => format!("a document that is {test}"),
            Condition::Test { subject: Operand::At(reference), test } => {
                format!("`{reference}` to be {test}")
            }
            Condition::All(inner) => join(inner, ", and "),
            Condition::Any(inner) => join(inner, ", or "),
            Condition::Not(inner) => format!("not {}", inner.expectation()),
        }
    }
}

/// The position of a condition in a rule.
#[derive(Debug, Clone)]
pub(super) struct ConditionContext {
    /// The subject of tests unless they say otherwise.
    pub subject: Operand,
    /// `true` if there is a key: the rule has a target.
    pub has_key: bool,
}

/// Reads a condition: a mapping of checks, optionally about a `field`, or `key:`, `value:` and `source:` with checks
/// below them.
pub(super) fn condition(node: &Node, place: &ConditionContext, problems: &mut Problems) -> Option<Condition> {
    if let Some(problem) = written_as_text(node) {
        problems.push(problem);
        return None;
    }
    let mut fields = Fields::open(node, &keys::CONDITION, problems)?;
    let errors_before = problems.error_count();
    let mut found = Vec::new();
    let mut place = place.clone();
    if let Some(field) = fields.node("field") {
        place.subject = Operand::At(reference(field, problems)?);
    }
    for (word, subject) in [("key", Operand::Key), ("value", Operand::Value), ("source", Operand::Source)] {
        let Some(inner) = fields.node(word) else { continue };
        if word == "key" && !place.has_key {
            problems.push(
                Problem::error(Code::InertRule, &inner.span, "there is no `key` in this rule")
                    .help("`key` is the name under which a value of `each` or `field` is found"),
            );
            continue;
        }
        let inside = ConditionContext { subject, has_key: place.has_key };
        found.extend(condition(inner, &inside, problems));
    }
    found.extend(checks(&mut fields, &place, problems).into_iter().map(|(condition, _)| condition));
    fields.finish(problems);
    if found.is_empty() {
        if problems.error_count() == errors_before {
            problems.push(
                Problem::error(Code::Empty, &node.span, "this condition asks nothing")
                    .help("add a check such as `matches`, `contains` or `required: true`"),
            );
        }
        return None;
    }
    Some(joined(found))
}

/// A condition that was written as in a profile: `urgency = urgent`.
fn written_as_text(node: &Node) -> Option<Problem> {
    let text = node.as_text()?;
    let problem = Problem::error(
        Code::WrongType,
        &node.span,
        "expected a condition of a rule, which is a mapping, found text",
    );
    let (field, value) = text.split_once("==").or_else(|| text.split_once('=')).unwrap_or((text, ""));
    let (field, value) = (field.trim(), value.trim().trim_matches(['"', '\'']));
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    Some(problem.help(if is_name(field) && is_name(value) {
        format!("write `{{ field: {field}, equals: {value} }}`")
    } else {
        "write it as `{ field: NAME, equals: VALUE }`, say".to_owned()
    }))
}

fn joined(mut all: Vec<Condition>) -> Condition {
    match all.pop() {
        Some(only) if all.is_empty() => only,
        Some(last) => {
            all.push(last);
            Condition::All(all)
        }
        None => Condition::All(all),
    }
}

/// Reads every check in a mapping, each with its location.
pub(super) fn checks(
    fields: &mut Fields<'_>,
    place: &ConditionContext,
    problems: &mut Problems,
) -> Vec<(Condition, Span)> {
    let mut found = Vec::new();
    if let (Some(unit), Some(range)) = (fields.node("unit"), fields.node("range")) {
        let message = "`unit` and `range` can't both hold: one asks for a number with a unit, the other for a number alone";
        problems.push(
            Problem::warning(Code::DecidedCondition, &unit.span, message)
                .related(&range.span, "the range")
                .help("write both as `quantity: { units: [mm, cm], min: 1, max: 500, in: mm }`"),
        );
    }
    let mut add = |condition: Condition, span: &Span| found.push((condition, span.clone()));
    for check in CHECKS {
        let Some(node) = fields.node(check.key.name) else { continue };
        if let Some(test) = (check.read)(node, problems) {
            add(Condition::Test { subject: place.subject.clone(), test }, &node.span);
        }
    }
    for (key, join) in [("all", Condition::All as fn(Vec<Condition>) -> Condition), ("any", Condition::Any)] {
        let Some(node) = fields.node(key) else { continue };
        let Data::List(items) = &node.data else {
            wrong_type::<()>(node, "a list of conditions", problems);
            continue;
        };
        if items.is_empty() {
            problems.push(Problem::error(
                Code::Empty,
                &node.span,
                format!("`{key}` needs at least one condition"),
            ));
        }
        let inner: Vec<Condition> =
            items.iter().filter_map(|item| condition(item, place, problems)).collect();
        if !inner.is_empty() {
            add(join(inner), &node.span);
        }
    }
    if let Some(node) = fields.node("not")
        && let Some(inner) = condition(node, place, problems)
    {
        add(Condition::Not(Box::new(inner)), &node.span);
    }
    found
}

//! Checked rules, placed: what they inspect has its slot, and what must be kept of a candidate is noted.

use super::condition::{Condition, Operand};
use super::field_trie::{FieldTrie, Slots};
use super::program::Index;
use super::rule::{IssueText, Rule, Target};
use super::schema::SchemaCheck;
use super::test::{Moment, Reference, Test};
use crate::script::FunctionId;
use crate::value::{JsonPath, PathStep};
use serde_json::Value;
use std::sync::Arc;

/// A rule of a program.
#[derive(Debug)]
pub struct CompiledRule {
    /// The target that it inspects.
    pub target: CompiledTarget,
    /// The condition under which it applies; always, if absent.
    pub when: Option<Condition>,
    /// `true` if it finds issues by checks alone.
    pub is_plain: bool,
    /// The checks that are asked of absent values, too. The first that fails is the rule's issue with its target.
    pub presence: Vec<Check>,
    /// The checks that are asked of values that are present.
    pub checks: Vec<Check>,
    /// A schema that finds issues in the target.
    pub schema: Option<SchemaCheck>,
    /// A function that finds the issues.
    pub script: Option<FunctionId>,
    /// The properties of its issues.
    pub issue: Arc<IssueText>,
}

/// The target of a rule.
#[derive(Debug)]
pub enum CompiledTarget {
    /// The whole candidate.
    Candidate,
    /// One top-level field, also when it is absent.
    Field {
        /// Its slot.
        slot: Index,
        /// Its name.
        name: Arc<str>,
        /// The JSON Pointer to it.
        pointer: Arc<str>,
    },
    /// Each value that a path selects.
    Each {
        /// The path.
        path: JsonPath,
        /// The slots of the fields that the path begins with, if it begins with names.
        slots: Slots,
    },
}

/// Something that must hold, and the message when it does not and its rule has none.
#[derive(Debug)]
pub struct Check {
    /// The condition that must hold.
    pub condition: Condition,
    /// A description of what would have passed, in words that follow "expected".
    pub expected: Arc<str>,
    /// `true` if it fails because the target is absent.
    pub is_presence: bool,
}

impl Check {
    /// The test that can say what exactly made it fail; else it is the target.
    pub fn blames(&self) -> Option<&Test> {
        match &self.condition {
            Condition::Test { subject: Operand::Value, test } if test.says_where() => Some(test),
            _ => None,
        }
    }
}

impl CompiledRule {
    /// Gives what a rule inspects its slots among the fields of a program.
    pub(super) fn new(rule: &Rule, fields: &mut FieldTrie) -> Self {
        let (target, steps) = match &rule.target {
            Target::Candidate => (CompiledTarget::Candidate, Some(Vec::new())),
            Target::Field(name) => {
                let slot = fields.add_field(name);
                let pointer = pointer(name);
                let target = CompiledTarget::Field { slot, name: Arc::from(name.as_str()), pointer };
                (target, Some(vec![PathStep::Key(name.clone())]))
            }
            Target::Each(path) => {
                let steps = path.steps().map(<[PathStep]>::to_vec);
                let slots = steps.as_ref().map(|steps| fields.add(steps, false)).unwrap_or_default();
                (CompiledTarget::Each { path: path.clone(), slots }, steps)
            }
        };
        let mut placing = Placing { fields, target: steps };
        if !matches!(target, CompiledTarget::Candidate) && rule.issue.shows_value() {
            placing.below(&[], true);
        }
        if placing.target.is_none() || rule.schema.is_some() || rule.script.is_some() {
            placing.fields.needs_tree();
        }
        let when = rule.when.clone().map(|mut when| {
            placing.condition(&mut when);
            when
        });
        let check = |condition: &Condition| {
            let mut condition = condition.clone();
            let expected = condition.expectation().into();
            placing.condition(&mut condition);
            let is_presence = matches!(condition, Condition::Test { test: Test::Present, .. });
            Check { condition, expected, is_presence }
        };
        let (presence, checks): (Vec<_>, Vec<_>) =
            rule.checks.iter().map(check).partition(|check| check.condition.asks_presence());
        let is_plain = rule.schema.is_none() && rule.script.is_none();
        CompiledRule {
            target,
            when,
            is_plain,
            presence,
            checks,
            schema: rule.schema.clone(),
            script: rule.script,
            issue: Arc::new(rule.issue.clone()),
        }
    }

    /// Returns whether anything is asked of a target that is absent.
    #[must_use]
    pub fn asks_absent(&self) -> bool {
        !self.presence.is_empty()
    }

    /// Its checks, in the order in which they are asked.
    pub fn all_checks(&self) -> impl Iterator<Item = &Check> {
        self.presence.iter().chain(&self.checks)
    }
}

/// The JSON Pointer to a top-level field.
pub(super) fn pointer(field: &str) -> Arc<str> {
    format!("/{}", crate::value::escape(field)).into()
}

/// A condition about the candidate as a whole, with slots for what it inspects among the fields of a program.
pub(super) fn placed(condition: &Condition, fields: &mut FieldTrie) -> Condition {
    let mut condition = condition.clone();
    Placing { fields, target: Some(Vec::new()) }.condition(&mut condition);
    condition
}

/// Finds the slots of what conditions inspect.
struct Placing<'f> {
    fields: &'f mut FieldTrie,
    /// The steps to the rule's target; `None` if it is not found by steps.
    target: Option<Vec<PathStep>>,
}

impl Placing<'_> {
    fn condition(&mut self, condition: &mut Condition) {
        match condition {
            Condition::Test { subject, test } => {
                let whole = looks_inside(test);
                match subject {
                    Operand::Value => self.below(&[], whole),
                    Operand::Key | Operand::Source => {}
                    Operand::At(reference) => self.reference(reference, whole),
                }
                self.test(test);
            }
            Condition::All(inner) | Condition::Any(inner) => {
                inner.iter_mut().for_each(|inner| self.condition(inner));
            }
            Condition::Not(inner) => self.condition(inner),
        }
    }

    /// Finds the slots of what a test inspects besides its subject.
    fn test(&mut self, test: &mut Test) {
        match test {
            Test::Require(all) | Test::RequireWith(all) => {
                all.iter_mut().for_each(|one| self.reference(one, true));
            }
            Test::Forbid(all) => all.iter_mut().for_each(|one| self.reference(one, false)),
            Test::FormatNamedAt(one)
            | Test::AtMost(one)
            | Test::AtLeast(one)
            | Test::Before(Moment::At(one))
            | Test::After(Moment::At(one)) => self.reference(one, false),
            Test::SameAs(one) | Test::Distinct(one) => self.reference(one, true),
            Test::Resolves(path) => self.path(path),
            Test::PathResolves(chain) => self.path(&chain.start),
            Test::Present
            | Test::Type(_)
            | Test::Matches(_)
            | Test::OneOf { .. }
            | Test::Range { .. }
            | Test::Quantity(_)
            | Test::Length { .. }
            | Test::Format(_)
            | Test::Unique { .. }
            | Test::Uniform { .. }
            | Test::Equals(_)
            | Test::Contains { .. }
            | Test::Before(_)
            | Test::After(_)
            | Test::SumTo { .. } => {}
        }
    }

    fn reference(&mut self, reference: &mut Reference, whole: bool) {
        match reference {
            Reference::Field { name, slot } => {
                *slot = Some(self.fields.add_field(name));
                self.fields.add(&[PathStep::Key(name.clone())], whole);
            }
            Reference::Root { path, slots } => match path.steps() {
                Some(steps) => *slots = self.fields.add(steps, whole),
                None => self.fields.needs_tree(),
            },
            Reference::Target(path) => match path.steps() {
                Some(steps) => self.below(steps, whole),
                None => self.fields.needs_tree(),
            },
            Reference::Holder { .. } | Reference::Before(_) => self.fields.needs_tree(),
        }
    }

    /// Adds all that a path from the candidate selects.
    fn path(&mut self, path: &JsonPath) {
        match path.steps() {
            Some(steps) => _ = self.fields.add(steps, true),
            None => self.fields.needs_tree(),
        }
    }

    /// Adds what some steps from the target lead to.
    fn below(&mut self, steps: &[PathStep], whole: bool) {
        if let Some(target) = &self.target {
            let steps: Vec<PathStep> = target.iter().chain(steps).cloned().collect();
            self.fields.add(&steps, whole);
        }
    }
}

/// Returns whether a test inspects what is in a list or mapping, and not only its length.
fn looks_inside(test: &Test) -> bool {
    let holds_others = |value: &Value| value.is_array() || value.is_object();
    match test {
        // Members with the same name count once, and of what must be present every text may be a placeholder.
        Test::Length { .. }
        | Test::Present
        | Test::Unique { .. }
        | Test::Uniform { .. }
        | Test::SumTo { .. }
        | Test::SameAs(_)
        | Test::Contains { .. }
        | Test::Resolves(_)
        | Test::PathResolves(_) => true,
        Test::Equals(value) => holds_others(value),
        Test::OneOf { values, .. } => values.iter().any(holds_others),
        Test::Require(_)
        | Test::RequireWith(_)
        | Test::Forbid(_)
        | Test::Type(_)
        | Test::Matches(_)
        | Test::Range { .. }
        | Test::Quantity(_)
        | Test::Format(_)
        | Test::FormatNamedAt(_)
        | Test::Distinct(_)
        | Test::AtMost(_)
        | Test::AtLeast(_)
        | Test::Before(_)
        | Test::After(_) => false,
    }
}

//! Checked rules, placed: what they inspect has its slot, and what must be kept of a candidate is noted.

use super::checks::{Blame, Test};
use super::condition::{Condition, Operand};
use super::field_trie::{FieldTrie, Slots};
use super::placing::Placing;
use super::program::Index;
use super::rule::{IssueText, Rule, Target};
use super::rule_scope::RuleScope;
use super::schema::SchemaCheck;
use crate::script::FunctionId;
use crate::value::{JsonPath, PathStep};
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
    pub presence: Vec<Requirement>,
    /// The checks that are asked of values that are present.
    pub checks: Vec<Requirement>,
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
pub struct Requirement {
    /// The condition that must hold.
    pub condition: Condition,
    /// A description of what would have passed, in words that follow "expected".
    pub expected: Arc<str>,
    /// `true` if it fails because the target is absent.
    pub is_presence: bool,
}

impl Requirement {
    /// The exact parts that made it fail for the target of a scope; none when the target as a whole is to blame.
    pub(crate) fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        match &self.condition {
            Condition::Test { subject: Operand::Value, test } => test.blame(scope),
            Condition::Test { .. } | Condition::All(_) | Condition::Any(_) | Condition::Not(_) => Vec::new(),
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
            let is_presence = matches!(condition, Condition::Test { test: Test::Present(_), .. });
            Requirement { condition, expected, is_presence }
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
    pub fn all_checks(&self) -> impl Iterator<Item = &Requirement> {
        self.presence.iter().chain(&self.checks)
    }
}

/// The JSON Pointer to a top-level field.
pub(super) fn pointer(field: &str) -> Arc<str> {
    format!("/{}", crate::value::escape(field)).into()
}

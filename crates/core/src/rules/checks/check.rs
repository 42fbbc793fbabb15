//! The parts of a check: how it is written, what it inspects, when it holds, and what it blames.

use super::Test;
use crate::diag::Problems;
use crate::rules::placing::Placing;
use crate::rules::reference::Reference;
use crate::rules::rule_scope::RuleScope;
use crate::value::Item;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use std::fmt;

/// A check as people write it.
#[derive(Debug)]
pub struct Definition {
    /// Its key in rules and conditions.
    pub key: Key,
    /// The reader of its value. `None` for one that asks nothing, or that is wrong, which is reported.
    pub(in crate::rules) read: fn(&Node, &mut Problems) -> Option<Test>,
    /// The part of its value that names fields or paths, if it has one.
    pub named: fn(&Node) -> Option<&Node>,
    /// Ways to write it, each with values that pass and values that fail.
    #[cfg(test)]
    pub(crate) cases: fn() -> Vec<Case>,
}

/// A check as YAML, values that pass it, and values that fail it.
#[cfg(test)]
pub(crate) type Case = (&'static str, serde_json::Value, serde_json::Value);

/// The question that a check asks, answered with yes or no, or not at all without a scope that it needs. Its text describes what passes, in words that follow
/// "expected".
pub(super) trait Check: fmt::Display {
    /// The absent values that it is asked of.
    fn asks_absent(&self) -> AsksAbsent;

    /// Returns whether it inspects what is in a list or mapping, and not only its length.
    fn looks_inside(&self) -> bool;

    /// The locations besides its value that it inspects.
    fn references(&self) -> &[Reference];

    /// Finds the slots of what it inspects besides its value.
    fn place(&mut self, placing: &mut Placing<'_>);

    /// Returns whether it holds for a value; `None` if that takes a scope, and there is none. `room` is for writing
    /// numbers in.
    fn holds(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, room: &mut String) -> Option<bool>;

    /// The exact parts that made it fail for the value of a scope; none when that value as a whole is to blame.
    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame>;
}

/// A question about a value that inspects nothing else, and that the value as a whole fails.
pub(super) trait CheckOfValue: fmt::Display {
    /// Returns whether it inspects what is in a list or mapping, and not only its length.
    fn looks_inside(&self) -> bool;

    /// Returns whether it holds for a value that is present. `room` is for writing numbers in.
    fn holds(&self, item: Item<'_>, room: &mut String) -> bool;
}

impl<C: CheckOfValue> Check for C {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        CheckOfValue::looks_inside(self)
    }

    fn references(&self) -> &[Reference] {
        &[]
    }

    fn place(&mut self, _placing: &mut Placing<'_>) {}

    #[inline]
    fn holds(&self, item: Item<'_>, _scope: Option<&RuleScope<'_, '_>>, room: &mut String) -> Option<bool> {
        Some(CheckOfValue::holds(self, item, room))
    }

    fn blame(&self, _scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        Vec::new()
    }
}

/// The absent values that a check is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AsksAbsent {
    /// None: it holds for none.
    Never,
    /// Those that a condition names; it is not asked of the absent target of a rule.
    InConditions,
    /// All, so that the absent target of a rule can fail it.
    Always,
}

/// The exact part of a candidate that made a check fail.
#[derive(Debug)]
pub(crate) struct Blame {
    /// The JSON Pointer to it.
    pub path: String,
    /// The message about it.
    pub message: String,
}

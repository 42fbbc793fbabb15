//! The slots of what conditions inspect among the fields of a program.

use super::condition::{Condition, Operand};
use super::field_trie::FieldTrie;
use super::reference::Reference;
use crate::value::{JsonPath, PathStep};

/// A condition about the candidate as a whole, with slots for what it inspects among the fields of a program.
pub(super) fn placed(condition: &Condition, fields: &mut FieldTrie) -> Condition {
    let mut condition = condition.clone();
    Placing { fields, target: Some(Vec::new()) }.condition(&mut condition);
    condition
}

/// Finds the slots of what conditions inspect.
#[derive(Debug)]
pub(super) struct Placing<'f> {
    pub(super) fields: &'f mut FieldTrie,
    /// The steps to the rule's target; `None` if it is not found by steps.
    pub(super) target: Option<Vec<PathStep>>,
}

impl Placing<'_> {
    pub(super) fn condition(&mut self, condition: &mut Condition) {
        match condition {
            Condition::Test { subject, test } => {
                let whole = test.looks_inside();
                match subject {
                    Operand::Value => self.below(&[], whole),
                    Operand::Key | Operand::Source => {}
                    Operand::At(reference) => self.reference(reference, whole),
                }
                test.place(self);
            }
            Condition::All(inner) | Condition::Any(inner) => {
                inner.iter_mut().for_each(|inner| self.condition(inner));
            }
            Condition::Not(inner) => self.condition(inner),
        }
    }

    /// Adds what a reference leads to, or only its kind and length.
    pub(super) fn reference(&mut self, reference: &mut Reference, whole: bool) {
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
    pub(super) fn path(&mut self, path: &JsonPath) {
        match path.steps() {
            Some(steps) => _ = self.fields.add(steps, true),
            None => self.fields.needs_tree(),
        }
    }

    /// Adds what some steps from the target lead to.
    pub(super) fn below(&mut self, steps: &[PathStep], whole: bool) {
        if let Some(target) = &self.target {
            let steps: Vec<PathStep> = target.iter().chain(steps).cloned().collect();
            self.fields.add(&steps, whole);
        }
    }
}

//! A value closer to its schema.
//!
//! The validator says what is wrong; for each error the changes that may help are tried, in a fixed order, and the
//! first that leaves less wrong is kept. So no change can make a value worse, whatever the schema is made of, and a
//! value that no change helps is left alone.

mod applicable;
mod errors;
mod proposals;

use super::patch::index;
use super::{Operation, RepairKind, RepairStep, apply};
use crate::profile::Repair;
use crate::rules::Schema;
use crate::value::{MAX_CANDIDATE_DEPTH, is_deeper, is_present};
pub use errors::Remaining;
use errors::{ErrorCount, Wrong};
use proposals::Proposal;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Most changes tried on one value. Whatever was kept by then stays.
const MAX_TRIALS: usize = 4_000;
/// How many changes may build on each other before less is wrong: a value in a list, then the parts of the value.
const MAX_LEVELS: usize = 3;
/// From this many errors on, all of them are first tried at once.
const MANY: usize = 16;

/// Says whether a change, from the first value to the second, must not be.
pub type Veto<'a> = &'a mut dyn FnMut(&Value, &Value) -> bool;

/// A schema at work on values.
#[derive(Debug)]
pub struct SchemaRepairer {
    schema: Schema,
    /// As it was read: to find what is required, and defaults.
    source: Value,
}

/// A value and what was done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shaped {
    /// The value.
    pub value: Value,
    /// What was done, in order; the patches of all of them, applied to the value as it was, give this one.
    pub steps: Vec<RepairStep>,
}

impl SchemaRepairer {
    /// Compiles a schema as scoring does: formats are asserted, nothing is fetched.
    ///
    /// # Errors
    /// One line that says what is wrong with it.
    pub fn new(name: &str, schema: &Value) -> Result<Self, String> {
        Ok(SchemaRepairer { schema: Schema::compile(name, schema)?, source: schema.clone() })
    }

    /// How much is wrong with a value: errors, and behind the comma those in the branches of `anyOf` and `oneOf`.
    pub(super) fn error_count(&self, value: &Value) -> ErrorCount {
        ErrorCount::of(&self.schema.validator, value)
    }

    /// Of the schema errors of a value the first ones, at most so many.
    #[must_use]
    pub fn remaining(&self, value: &Value, most: usize) -> Vec<Remaining> {
        Remaining::of(&self.schema.validator, value, most)
    }

    /// Changes a value by the passes that `settings` allows. `veto` is asked before each change that is kept.
    ///
    /// The number of schema errors never rises, and required values never disappear. What comes out is left as it is
    /// when it is put in again, unless more than `MAX_TRIALS` changes had to be tried.
    #[must_use]
    pub fn shape(&self, value: Value, settings: Repair, mut veto: Option<Veto<'_>>) -> Shaped {
        let mut work = RepairRun {
            schema_repairer: self,
            settings,
            error_count: self.error_count(&value),
            value,
            steps: Vec::new(),
            trials: 0,
            level: 0,
            vain: HashMap::new(),
        };
        work.run("", &mut veto);
        Shaped { value: work.value, steps: work.steps }
    }
}

/// What a change comes to.
struct Outcome {
    value: Value,
    steps: Vec<RepairStep>,
    error_count: ErrorCount,
}

struct RepairRun<'a> {
    schema_repairer: &'a SchemaRepairer,
    settings: Repair,
    value: Value,
    error_count: ErrorCount,
    steps: Vec<RepairStep>,
    trials: usize,
    level: usize,
    /// What was tried in vain on the value as it is, by the place of the error: the branches of an `anyOf` propose
    /// the same changes over and over.
    vain: HashMap<String, Vec<FailedAttempt>>,
}

/// A change that did not help, alone or with what it uncovers.
#[derive(PartialEq)]
struct FailedAttempt {
    kind: RepairKind,
    patch: Vec<Operation>,
    deeper: bool,
}

impl RepairRun<'_> {
    /// Mends what is wrong below a place until nothing helps any more.
    fn run(&mut self, below: &str, veto: &mut Option<Veto<'_>>) {
        while self.error_count.is_bad() && self.trials < MAX_TRIALS {
            let before = self.steps.len();
            let mut wrong = errors::collect(&self.schema_repairer.schema.validator, &self.value);
            wrong.retain(|one| {
                one.path.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            if wrong.len() < MANY || !self.many_at_once(&wrong, veto) {
                for one in &wrong {
                    self.mend(one, veto);
                }
            }
            if self.steps.len() == before {
                break;
            }
        }
    }

    fn proposals(&self, wrong: &Wrong, value: &Value) -> Vec<Proposal> {
        proposals::of(wrong, value, self.settings, &self.schema_repairer.source)
    }

    /// Tries what may help with one error, and keeps the first that does: at once, or else with what it uncovers.
    fn mend(&mut self, wrong: &Wrong, veto: &mut Option<Veto<'_>>) {
        let proposals = self.proposals(wrong, &self.value);
        let again = if self.level < MAX_LEVELS { proposals.clone() } else { Vec::new() };
        for (proposal, deeper) in
            proposals.into_iter().map(|p| (p, false)).chain(again.into_iter().map(|p| (p, true)))
        {
            if self.trials >= MAX_TRIALS {
                return;
            }
            if deeper && !proposal.uncovers() {
                continue;
            }
            let attempt = FailedAttempt { kind: proposal.kind, patch: proposal.patch.clone(), deeper };
            if self.vain.get(&wrong.path).is_some_and(|vain| vain.contains(&attempt)) {
                continue;
            }
            self.trials += 1;
            let mut tried = self.value.clone();
            if apply(&mut tried, &proposal.patch).is_err() || is_deeper(&tried, MAX_CANDIDATE_DEPTH) {
                continue;
            }
            let tried = if deeper {
                self.with_what_it_uncovers(tried, proposal, wrong)
            } else {
                self.outcome(tried, proposal, wrong)
            };
            if tried.error_count < self.error_count
                && !veto.as_mut().is_some_and(|veto| veto(&self.value, &tried.value))
            {
                self.value = tried.value;
                self.error_count = tried.error_count;
                self.steps.extend(tried.steps);
                self.vain.clear();
                return;
            }
            self.vain.entry(wrong.path.clone()).or_default().push(attempt);
        }
    }

    fn outcome(&self, value: Value, proposal: Proposal, wrong: &Wrong) -> Outcome {
        Outcome {
            error_count: self.schema_repairer.error_count(&value),
            value,
            steps: vec![proposal.step(wrong)],
        }
    }

    /// What is inside a value was not looked at as long as its type was wrong: a change of the type is judged with the
    /// changes that follow from it.
    fn with_what_it_uncovers(&mut self, value: Value, proposal: Proposal, wrong: &Wrong) -> Outcome {
        let Outcome { value, steps, error_count } = self.outcome(value, proposal, wrong);
        let mut inner = RepairRun {
            schema_repairer: self.schema_repairer,
            settings: self.settings,
            value,
            error_count,
            steps,
            trials: self.trials,
            level: self.level + 1,
            vain: HashMap::new(),
        };
        inner.run(&wrong.path, &mut None);
        self.trials = inner.trials;
        let holds_something = |value: &Value| value.pointer(&wrong.path).is_some_and(is_present);
        // A change of type that leaves nothing of the value is none.
        let error_count = if holds_something(&self.value) && !holds_something(&inner.value) {
            self.error_count
        } else {
            inner.error_count
        };
        Outcome { value: inner.value, steps: inner.steps, error_count }
    }

    /// Mends many errors in one go; `false` when that does not help. Where changes may be refused, a bad one must not
    /// hide behind good ones: only the same mistake in many places is corrected at once.
    fn many_at_once(&mut self, wrong: &[Wrong], veto: &mut Option<Veto<'_>>) -> bool {
        if veto.is_none() {
            return self.all_at_once(&wrong.iter().collect::<Vec<_>>(), veto);
        }
        let mut alike: BTreeMap<(String, &str, Option<RepairKind>), Vec<&Wrong>> = BTreeMap::new();
        for one in wrong {
            let first = self.proposals(one, &self.value).first().map(|proposal| proposal.kind);
            alike.entry((without_indices(&one.path), &one.keyword, first)).or_default().push(one);
        }
        alike.values().any(|group| group.len() >= MANY && self.all_at_once(group, veto))
    }

    /// Makes the first change proposed for every error, and keeps them all if each of them made something better.
    fn all_at_once(&mut self, wrong: &[&Wrong], veto: &mut Option<Veto<'_>>) -> bool {
        let mut tried = self.value.clone();
        let mut steps: Vec<RepairStep> = Vec::new();
        // From the end, so that what is taken out of a list does not move what is still to be changed.
        for one in wrong.iter().rev() {
            let forbidden = one.unexpected.len().max(1);
            for proposal in self.proposals(one, &tried).into_iter().take(forbidden) {
                // One operation that does not fit changes nothing.
                if apply(&mut tried, &proposal.patch).is_ok() {
                    steps.push(proposal.step(one));
                }
            }
        }
        self.trials += 1;
        let error_count = self.schema_repairer.error_count(&tried);
        let kept = !steps.is_empty()
            && error_count.errors <= self.error_count.errors
            && error_count.total() + steps.len() <= self.error_count.total()
            && !is_deeper(&tried, MAX_CANDIDATE_DEPTH)
            && !veto.as_mut().is_some_and(|veto| veto(&self.value, &tried));
        if kept {
            self.value = tried;
            self.error_count = error_count;
            self.steps.append(&mut steps);
            self.vain.clear();
        }
        kept
    }
}

/// A path with `*` for every position in a list.
fn without_indices(path: &str) -> String {
    let steps = path.split('/').map(|step| if index(step).is_some() { "*" } else { step });
    steps.collect::<Vec<_>>().join("/")
}

impl Proposal {
    /// Whether a change lets the validator see what it did not look at before.
    fn uncovers(&self) -> bool {
        matches!(self.kind, RepairKind::Wrap | RepairKind::Unwrap | RepairKind::Coerce)
    }

    fn step(self, wrong: &Wrong) -> RepairStep {
        let place = if self.place.is_empty() { "the whole value" } else { self.place.as_str() };
        RepairStep::on_value(self.kind, &format!("`{}` at {place}", wrong.keyword), self.patch)
    }
}

/// An operation that puts a value in another's place.
fn replace(path: &str, value: Value) -> Vec<Operation> {
    vec![Operation::Replace { path: path.to_owned(), value }]
}

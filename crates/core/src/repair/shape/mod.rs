//! A value closer to its schema.
//!
//! The validator reports the errors; for each error the changes that may help are tried, in a fixed order, and the
//! first that leaves less wrong is kept. So no change can make a value worse, whatever the schema is made of, and a
//! value that no change helps is left alone.
//!
//! If no branch of an `anyOf` or `oneOf` fits, one branch after the other is tried, and the changes are kept only if
//! the value fits it in the end: a value that came closer to a branch without reaching it would have been changed in
//! vain, and a wrong type hides all errors after it.
//!
//! Inspections are counted (schemas times values at each check, and those of a veto). The same mistake in many
//! locations of one field is corrected at once, so that the work grows with the value and not with its square; errors
//! that remain when the fuel is spent stay.

mod applicable;
mod errors;
mod proposals;

use super::{Operation, RepairKind, RepairStep, apply};
use crate::profile::Repair;
use crate::rules::Schema;
use crate::value::{Fuel, MAX_CANDIDATE_DEPTH, index_of, is_deeper, is_present, unescape};
pub use errors::Remaining;
use errors::{Branch, ErrorCount, Wrong};
use proposals::Proposal;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most changes tried on one value. Changes kept by then stay.
const MAX_TRIALS: usize = 4_000;
/// Most changes that may build on each other before less is wrong: a value in a list, then the parts of the value.
const MAX_LEVELS: usize = 3;
/// Most branches within branches that are tried.
const MAX_NESTED_BRANCHES: usize = 4;
/// From this many errors on, all of them are first tried at once.
const MANY: usize = 16;

/// Decides whether a change, from the first value to the second, must be refused.
pub type Veto<'a> = &'a mut dyn FnMut(&Value, &Value) -> bool;

/// A schema at work on values.
#[derive(Debug)]
pub struct SchemaRepairer {
    schema: Schema,
    /// The schema as it was read: to find required members, and defaults.
    source: Value,
}

/// A value and the steps that led to it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Shaped {
    /// The value.
    pub value: Value,
    /// The steps that were taken, in order; the patches of all of them, applied to the original value, give this one.
    pub steps: Vec<RepairStep>,
}

impl SchemaRepairer {
    /// Compiles a schema as scoring does: formats are asserted, nothing is fetched.
    ///
    /// # Errors
    /// One line that describes the error in it.
    pub fn new(name: &str, schema: &Value) -> Result<Self, String> {
        Ok(SchemaRepairer { schema: Schema::compile(name, schema)?, source: schema.clone() })
    }

    /// The errors of a value, and within them those in the branches of `anyOf` and `oneOf`.
    pub(super) fn error_count(&self, value: &Value, fuel: &Fuel) -> ErrorCount {
        ErrorCount::of(&self.schema, value, fuel)
    }

    /// The number of errors of a value; 1 when checking it would take too many steps.
    pub(super) fn errors(&self, value: &Value) -> usize {
        self.schema.for_value(value).map_or(1, |validator| validator.iter_errors(value).count())
    }

    /// The first schema errors of a value, at most `most`.
    #[must_use]
    pub fn remaining(&self, value: &Value, most: usize) -> Vec<Remaining> {
        Remaining::of(&self.schema, value, most)
    }

    /// Changes a value by the passes that `settings` allows. `veto` is asked before each change that is kept.
    ///
    /// The number of schema errors never rises, and required values never disappear. The result is left as it is when
    /// it is put in again, unless more than `MAX_TRIALS` changes had to be tried, or the fuel was spent.
    #[must_use]
    pub fn shape(&self, value: Value, settings: Repair, mut veto: Option<Veto<'_>>, fuel: &Fuel) -> Shaped {
        let mut work = RepairRun {
            schema_repairer: self,
            settings,
            fuel,
            branches: Vec::new(),
            error_count: ErrorCount::of_wrong(errors::collect(&self.schema, &value, &[], fuel).as_deref()),
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

/// The result of a change.
struct AppliedChange {
    value: Value,
    steps: Vec<RepairStep>,
    error_count: ErrorCount,
}

struct RepairRun<'a> {
    schema_repairer: &'a SchemaRepairer,
    settings: Repair,
    fuel: &'a Fuel,
    /// The branches that the value must fit, each within the one before; none for the whole schema.
    branches: Vec<Branch>,
    value: Value,
    /// The errors by that branch.
    error_count: ErrorCount,
    steps: Vec<RepairStep>,
    trials: usize,
    level: usize,
    /// The attempts that failed on the value as it is, by the location of the error: several errors at one location
    /// propose the same changes.
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
    /// Mends the errors below a location until nothing helps any more.
    fn run(&mut self, below: &str, veto: &mut Option<Veto<'_>>) {
        while self.error_count.is_bad() && self.may_go_on() {
            let before = self.steps.len();
            let Some(mut wrong) = self.wrong(&self.value) else { return };
            wrong.retain(|one| {
                one.path.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            if changes(wrong.iter()) < MANY || !self.many_at_once(&wrong, veto) {
                for one in wrong.iter().take_while(|_| !self.fuel.is_spent()) {
                    self.mend_one(one, veto);
                }
            }
            if self.steps.len() == before {
                break;
            }
        }
    }

    fn may_go_on(&self) -> bool {
        self.trials < MAX_TRIALS && !self.fuel.is_spent()
    }

    /// The errors of a value by the current branch.
    fn wrong(&self, value: &Value) -> Option<Vec<Wrong>> {
        errors::collect(&self.schema_repairer.schema, value, &self.branches, self.fuel)
    }

    fn count(&self, value: &Value) -> ErrorCount {
        ErrorCount::of_wrong(self.wrong(value).as_deref())
    }

    /// Returns whether values at these locations have types that the schema allows. One of two types that contradict
    /// each other is none.
    fn have_their_types(&self, value: &Value, places: &[String]) -> bool {
        let is_of_one = |wrong: &Wrong| wrong.is_of_type() && places.contains(&wrong.path);
        places.is_empty() || self.wrong(value).is_some_and(|all| !all.iter().any(is_of_one))
    }

    fn proposals(&self, wrong: &Wrong, value: &Value) -> Vec<Proposal> {
        let mut found = proposals::of(wrong, value, self.settings, &self.schema_repairer.source, self.fuel);
        if let Some(branch) = self.branches.last() {
            // A value that is left out fits any branch, and one that names its own branch is right about it.
            let says_which = matches!(wrong.keyword.as_str(), "const" | "enum");
            found.retain(|one| {
                one.kind != RepairKind::DropInvalid || !says_which && wrong.path.len() > branch.path.len()
            });
        }
        found
    }

    /// Mends one error: by a change of the value itself, or by making it fit a branch, or else by leaving it out.
    fn mend_one(&mut self, wrong: &Wrong, veto: &mut Option<Veto<'_>>) {
        let (last, first): (Vec<Proposal>, Vec<Proposal>) = self
            .proposals(wrong, &self.value)
            .into_iter()
            .partition(|one| one.kind == RepairKind::DropInvalid);
        if self.mend(wrong, first, veto) || self.fit_a_branch(wrong, veto) {
            return;
        }
        self.mend(wrong, last, veto);
    }

    /// Makes the value fit a branch of the `anyOf` or `oneOf` of which no branch fits; the one that lacks least first.
    fn fit_a_branch(&mut self, wrong: &Wrong, veto: &mut Option<Veto<'_>>) -> bool {
        if self.branches.len() >= MAX_NESTED_BRANCHES {
            return false;
        }
        let mut order: Vec<(ErrorCount, usize)> =
            wrong.branches.iter().map(|one| ErrorCount::of_wrong(Some(one))).zip(0..).collect();
        order.sort();
        for (error_count, index) in order {
            if !self.may_go_on() {
                return false;
            }
            let branches = self.branches.iter().cloned().chain([wrong.branch(index)]).collect();
            let mut inner = RepairRun {
                schema_repairer: self.schema_repairer,
                settings: self.settings,
                fuel: self.fuel,
                branches,
                value: self.value.clone(),
                error_count,
                steps: Vec::new(),
                trials: self.trials,
                level: self.level,
                vain: HashMap::new(),
            };
            inner.run(&wrong.path, &mut None);
            let RepairRun { value, steps, trials, error_count: left, .. } = inner;
            self.trials = trials;
            if left.is_bad() || steps.is_empty() {
                continue;
            }
            // A value that fits the branch must not be refused because of its siblings.
            let fits = self.have_their_types(&value, &retyped(&steps));
            let tried = AppliedChange { error_count: self.count(&value), value, steps };
            if fits && self.keep(tried, veto) {
                return true;
            }
        }
        false
    }

    /// Keeps the result of a change, if less is wrong with it and nothing refuses it.
    fn keep(&mut self, tried: AppliedChange, veto: &mut Option<Veto<'_>>) -> bool {
        let is_kept = tried.error_count < self.error_count
            && !veto.as_mut().is_some_and(|veto| veto(&self.value, &tried.value));
        if is_kept {
            self.value = tried.value;
            self.error_count = tried.error_count;
            self.steps.extend(tried.steps);
            self.vain.clear();
        }
        is_kept
    }

    /// Tries the changes that may help with one error, and keeps the first that does: at once, or else with what it
    /// uncovers.
    fn mend(&mut self, wrong: &Wrong, proposals: Vec<Proposal>, veto: &mut Option<Veto<'_>>) -> bool {
        let again = if self.level < MAX_LEVELS { proposals.clone() } else { Vec::new() };
        for (proposal, deeper) in
            proposals.into_iter().map(|p| (p, false)).chain(again.into_iter().map(|p| (p, true)))
        {
            if !self.may_go_on() {
                return false;
            }
            if deeper && !proposal.uncovers() {
                continue;
            }
            let attempt = FailedAttempt { kind: proposal.kind, patch: proposal.patch.clone(), deeper };
            let retyped = proposal.uncovers().then(|| proposal.place.clone());
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
            let helps = tried.error_count < self.error_count
                && self.have_their_types(&tried.value, retyped.as_slice());
            if helps && self.keep(tried, veto) {
                return true;
            }
            self.vain.entry(wrong.path.clone()).or_default().push(attempt);
        }
        false
    }

    fn outcome(&self, value: Value, proposal: Proposal, wrong: &Wrong) -> AppliedChange {
        AppliedChange { error_count: self.count(&value), value, steps: vec![proposal.step(wrong)] }
    }

    /// Judges a change of type with the changes that follow from it: the inside of a value was not inspected as long as
    /// its type was wrong.
    fn with_what_it_uncovers(&mut self, value: Value, proposal: Proposal, wrong: &Wrong) -> AppliedChange {
        let AppliedChange { value, steps, error_count } = self.outcome(value, proposal, wrong);
        let mut inner = RepairRun {
            schema_repairer: self.schema_repairer,
            settings: self.settings,
            fuel: self.fuel,
            branches: self.branches.clone(),
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
        // A change of type that leaves nothing of the value doesn't count.
        let error_count = if holds_something(&self.value) && !holds_something(&inner.value) {
            self.error_count
        } else {
            inner.error_count
        };
        AppliedChange { value: inner.value, steps: inner.steps, error_count }
    }

    /// Mends many errors in one go; `false` when that does not help. Where changes may be refused, a bad one must not
    /// hide behind good ones: only the same mistake in many locations of one field is corrected at once.
    fn many_at_once(&mut self, wrong: &[Wrong], veto: &mut Option<Veto<'_>>) -> bool {
        if veto.is_none() {
            return self.all_at_once(&wrong.iter().collect::<Vec<_>>(), veto);
        }
        let mut alike: BTreeMap<(String, &str, Option<RepairKind>), Vec<&Wrong>> = BTreeMap::new();
        for one in wrong.iter().take_while(|_| !self.fuel.is_spent()) {
            let first = self.proposals(one, &self.value).first().map(|proposal| proposal.kind);
            alike.entry((self.field_of(&one.path), &one.keyword, first)).or_default().push(one);
        }
        // A refused group must not keep the others from being tried; a kept change moves locations.
        alike.values().any(|group| changes(group.iter().copied()) >= MANY && self.all_at_once(group, veto))
    }

    /// The field that a path belongs to: any position of a list, and any name in a map, are one field; a map is an
    /// object in a field with more members than a schema names.
    fn field_of(&self, path: &str) -> String {
        let mut field = String::new();
        let mut here = Some(&self.value);
        for (level, step) in path.split('/').skip(1).enumerate() {
            let any = match here {
                Some(Value::Object(members)) => level > 0 && members.len() >= MANY,
                _ => index_of(step).is_some(),
            };
            field.push('/');
            field.push_str(if any { "*" } else { step });
            here = match here {
                Some(Value::Object(members)) => members.get(unescape(step).as_ref()),
                Some(Value::Array(items)) => index_of(step).and_then(|at| items.get(at)),
                _ => None,
            };
        }
        field
    }

    /// Makes the first change proposed for every error, and keeps them all if each of them made something better.
    fn all_at_once(&mut self, wrong: &[&Wrong], veto: &mut Option<Veto<'_>>) -> bool {
        let mut tried = self.value.clone();
        let mut steps: Vec<RepairStep> = Vec::new();
        let mut retyped: HashSet<String> = HashSet::new();
        // From the end, so that removals from a list do not move later changes.
        for one in wrong.iter().rev() {
            let forbidden = one.unexpected.len().max(1);
            let mut proposals = self.proposals(one, &tried);
            // A value that may yet fit a branch is not left out.
            proposals.retain(|change| one.branches.is_empty() || change.kind != RepairKind::DropInvalid);
            proposals.truncate(forbidden);
            for proposal in proposals.into_iter().rev() {
                // One operation that does not fit changes nothing.
                if apply(&mut tried, &proposal.patch).is_ok() {
                    retyped.extend(proposal.uncovers().then(|| proposal.place.clone()));
                    steps.push(proposal.step(one));
                }
            }
        }
        self.trials += 1;
        let left = self.wrong(&tried);
        let error_count = ErrorCount::of_wrong(left.as_deref());
        let is_mistyped = |wrong: &Wrong| wrong.is_of_type() && retyped.contains(&wrong.path);
        let kept = !steps.is_empty()
            && !left.iter().flatten().any(is_mistyped)
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

/// The locations of values whose types were changed.
fn retyped(steps: &[RepairStep]) -> Vec<String> {
    let changed = steps
        .iter()
        .filter(|step| matches!(step.kind, RepairKind::Wrap | RepairKind::Unwrap | RepairKind::Coerce));
    let places = changed.flat_map(|step| &step.patch).filter_map(|operation| match operation {
        Operation::Replace { path, .. } => Some(path.clone()),
        Operation::Add { .. } | Operation::Remove { .. } => None,
    });
    places.collect()
}

/// The number of changes that errors ask for: one each, and for one about several members, one for each of them.
fn changes<'w>(wrong: impl Iterator<Item = &'w Wrong>) -> usize {
    wrong.map(|one| one.unexpected.len().max(1)).sum()
}

impl Proposal {
    /// Returns whether a change lets the validator see values that it did not inspect before.
    fn uncovers(&self) -> bool {
        matches!(self.kind, RepairKind::Wrap | RepairKind::Unwrap | RepairKind::Coerce)
    }

    fn step(self, wrong: &Wrong) -> RepairStep {
        let place = if self.place.is_empty() { "the whole value" } else { self.place.as_str() };
        RepairStep::on_value(self.kind, &format!("`{}` at {place}", wrong.keyword), self.patch)
    }
}

/// An operation that replaces a value.
fn replace(path: &str, value: Value) -> Vec<Operation> {
    vec![Operation::Replace { path: path.to_owned(), value }]
}

//! A value closer to its schema.
//!
//! The validator says what is wrong; for each error the changes that may help are tried, in a fixed order, and the
//! first that leaves less wrong is kept. So no change can make a value worse, whatever the schema is made of, and a
//! value that no change helps is left alone.
//!
//! Where no branch of an `anyOf` or `oneOf` fits, one branch after the other is tried, and what was changed is kept only if
//! the value fits it in the end: a value that came closer to a branch without reaching it would have been changed in vain, and
//! a wrong type hides all that would be wrong after it.
//!
//! What is looked at is counted (schemas times values at each check, and what a veto looked at). The same mistake in
//! many places of one field is corrected at once, so that the work grows with the value and not with its square; what
//! is still wrong when the fuel is spent stays as it is.

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

/// Most changes tried on one value. Whatever was kept by then stays.
const MAX_TRIALS: usize = 4_000;
/// How many changes may build on each other before less is wrong: a value in a list, then the parts of the value.
const MAX_LEVELS: usize = 3;
/// How many branches within branches are tried.
const MAX_NESTED_BRANCHES: usize = 4;
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
#[non_exhaustive]
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
    pub(super) fn error_count(&self, value: &Value, fuel: &Fuel) -> ErrorCount {
        ErrorCount::of(&self.schema, value, fuel)
    }

    /// How many errors a value has; 1 when checking it would take too many steps.
    pub(super) fn errors(&self, value: &Value) -> usize {
        self.schema.for_value(value).map_or(1, |validator| validator.iter_errors(value).count())
    }

    /// Of the schema errors of a value the first ones, at most so many.
    #[must_use]
    pub fn remaining(&self, value: &Value, most: usize) -> Vec<Remaining> {
        Remaining::of(&self.schema, value, most)
    }

    /// Changes a value by the passes that `settings` allows. `veto` is asked before each change that is kept.
    ///
    /// The number of schema errors never rises, and required values never disappear. What comes out is left as it is
    /// when it is put in again, unless more than `MAX_TRIALS` changes had to be tried, or the fuel was spent.
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

/// What a change comes to.
struct Outcome {
    value: Value,
    steps: Vec<RepairStep>,
    error_count: ErrorCount,
}

struct RepairRun<'a> {
    schema_repairer: &'a SchemaRepairer,
    settings: Repair,
    fuel: &'a Fuel,
    /// The branches that the value is to fit, each within the one before; none when the whole schema is in hand.
    branches: Vec<Branch>,
    value: Value,
    /// How much is wrong by that branch.
    error_count: ErrorCount,
    steps: Vec<RepairStep>,
    trials: usize,
    level: usize,
    /// What was tried in vain on the value as it is, by the place of the error: several errors at one place propose the
    /// same changes.
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

    /// What is wrong with a value by the branch in hand.
    fn wrong(&self, value: &Value) -> Option<Vec<Wrong>> {
        errors::collect(&self.schema_repairer.schema, value, &self.branches, self.fuel)
    }

    fn count(&self, value: &Value) -> ErrorCount {
        ErrorCount::of_wrong(self.wrong(value).as_deref())
    }

    /// Whether values at these places have types that the schema allows. One of two types that contradict each other is none.
    fn have_their_types(&self, value: &Value, places: &[String]) -> bool {
        let is_of_one = |wrong: &Wrong| wrong.is_of_type() && places.contains(&wrong.path);
        places.is_empty() || self.wrong(value).is_some_and(|all| !all.iter().any(is_of_one))
    }

    fn proposals(&self, wrong: &Wrong, value: &Value) -> Vec<Proposal> {
        let mut found = proposals::of(wrong, value, self.settings, &self.schema_repairer.source, self.fuel);
        if let Some(branch) = self.branches.last() {
            // A value that is left out fits any branch, and one that says of itself which branch it is of says so rightly.
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

    /// Makes the value fit a branch of the `anyOf` or `oneOf` that no branch of fits; the one that lacks least first.
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
            // What fits the branch must not be refused by what stands beside it.
            let fits = self.have_their_types(&value, &retyped(&steps));
            let tried = Outcome { error_count: self.count(&value), value, steps };
            if fits && self.keep(tried, veto) {
                return true;
            }
        }
        false
    }

    /// Keeps what a change comes to, if less is wrong with it and nobody refuses it.
    fn keep(&mut self, tried: Outcome, veto: &mut Option<Veto<'_>>) -> bool {
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

    /// Tries what may help with one error, and keeps the first that does: at once, or else with what it uncovers.
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

    fn outcome(&self, value: Value, proposal: Proposal, wrong: &Wrong) -> Outcome {
        Outcome { error_count: self.count(&value), value, steps: vec![proposal.step(wrong)] }
    }

    /// What is inside a value was not looked at as long as its type was wrong: a change of the type is judged with the
    /// changes that follow from it.
    fn with_what_it_uncovers(&mut self, value: Value, proposal: Proposal, wrong: &Wrong) -> Outcome {
        let Outcome { value, steps, error_count } = self.outcome(value, proposal, wrong);
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
        // A change of type that leaves nothing of the value is none.
        let error_count = if holds_something(&self.value) && !holds_something(&inner.value) {
            self.error_count
        } else {
            inner.error_count
        };
        Outcome { value: inner.value, steps: inner.steps, error_count }
    }

    /// Mends many errors in one go; `false` when that does not help. Where changes may be refused, a bad one must not
    /// hide behind good ones: only the same mistake in many places of one field is corrected at once.
    fn many_at_once(&mut self, wrong: &[Wrong], veto: &mut Option<Veto<'_>>) -> bool {
        if veto.is_none() {
            return self.all_at_once(&wrong.iter().collect::<Vec<_>>(), veto);
        }
        let mut alike: BTreeMap<(String, &str, Option<RepairKind>), Vec<&Wrong>> = BTreeMap::new();
        for one in wrong.iter().take_while(|_| !self.fuel.is_spent()) {
            let first = self.proposals(one, &self.value).first().map(|proposal| proposal.kind);
            alike.entry((self.field_of(&one.path), &one.keyword, first)).or_default().push(one);
        }
        // A group that is refused must not keep the others from being tried; what is kept changes where things are.
        alike.values().any(|group| changes(group.iter().copied()) >= MANY && self.all_at_once(group, veto))
    }

    /// Which places are one field: what is at any position of a list, and under any name in a map, which is an object
    /// in a field with more members than a schema names.
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
        // From the end, so that what is taken out of a list does not move what is still to be changed.
        for one in wrong.iter().rev() {
            let forbidden = one.unexpected.len().max(1);
            let mut proposals = self.proposals(one, &tried);
            // What may yet fit a branch is not left out.
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

/// The places of values whose types were changed.
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

/// How many changes errors ask for: one each, and of one about several members, one for each of them.
fn changes<'w>(wrong: impl Iterator<Item = &'w Wrong>) -> usize {
    wrong.map(|one| one.unexpected.len().max(1)).sum()
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

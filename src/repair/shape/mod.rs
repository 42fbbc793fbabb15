//! A value closer to its schema.
//!
//! The validator says what is wrong; for each error the changes that may help are tried, in a fixed order, and the
//! first that leaves less wrong is kept. So no change can make a value worse, whatever the schema is made of, and a
//! value that no change helps is left alone.

mod applicable;
mod errors;
mod proposals;

use super::{Kind, Operation, Step, apply};
use crate::profile::Repair;
use crate::rules::Schema;
use crate::value::{MAX_CANDIDATE_DEPTH, is_deeper};
use errors::{Badness, Wrong};
use proposals::Proposal;
use serde_json::Value;

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
pub struct Shaper {
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
    pub steps: Vec<Step>,
}

impl Shaper {
    /// Compiles a schema as scoring does: formats are asserted, nothing is fetched.
    ///
    /// # Errors
    /// One line that says what is wrong with it.
    pub fn new(name: &str, schema: &Value) -> Result<Self, String> {
        Ok(Shaper { schema: Schema::compile(name, schema)?, source: schema.clone() })
    }

    /// How much is wrong with a value: errors, and behind the comma those in the branches of `anyOf` and `oneOf`.
    pub(super) fn badness(&self, value: &Value) -> Badness {
        Badness::of(&self.schema.validator, value)
    }

    /// Changes a value by the passes that `settings` allows. `veto` is asked before each change that is kept.
    ///
    /// The number of schema errors never rises, and required values never disappear. What comes out is left as it is
    /// when it is put in again, unless more than [`MAX_TRIALS`] changes had to be tried.
    #[must_use]
    pub fn shape(&self, value: Value, settings: Repair, mut veto: Option<Veto<'_>>) -> Shaped {
        let mut work = Work {
            shaper: self,
            settings,
            badness: self.badness(&value),
            value,
            steps: Vec::new(),
            trials: 0,
            level: 0,
        };
        work.run("", &mut veto);
        Shaped { value: work.value, steps: work.steps }
    }
}

struct Work<'a> {
    shaper: &'a Shaper,
    settings: Repair,
    value: Value,
    badness: Badness,
    steps: Vec<Step>,
    trials: usize,
    level: usize,
}

impl Work<'_> {
    /// Mends what is wrong below a place until nothing helps any more.
    fn run(&mut self, below: &str, veto: &mut Option<Veto<'_>>) {
        while self.badness.is_bad() && self.trials < MAX_TRIALS {
            let before = self.steps.len();
            let mut wrong = errors::collect(&self.shaper.schema.validator, &self.value);
            wrong.retain(|one| one.path.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
            if veto.is_some() || wrong.len() < MANY || !self.all_at_once(&wrong) {
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
        proposals::of(wrong, value, self.settings, &self.shaper.source)
    }

    /// Tries what may help with one error, and keeps the first that does.
    fn mend(&mut self, wrong: &Wrong, veto: &mut Option<Veto<'_>>) {
        for proposal in self.proposals(wrong, &self.value) {
            if self.trials >= MAX_TRIALS {
                return;
            }
            self.trials += 1;
            let mut tried = self.value.clone();
            if apply(&mut tried, &proposal.patch).is_err() || is_deeper(&tried, MAX_CANDIDATE_DEPTH) {
                continue;
            }
            let mut badness = self.shaper.badness(&tried);
            let uncovers = proposal.uncovers();
            let mut steps = vec![proposal.step(wrong)];
            if badness >= self.badness && uncovers && self.level < MAX_LEVELS {
                // What is inside was not looked at as long as the outside was wrong.
                let mut inner = Work {
                    shaper: self.shaper,
                    settings: self.settings,
                    value: tried,
                    badness,
                    steps,
                    trials: self.trials,
                    level: self.level + 1,
                };
                inner.run(&wrong.path, &mut None);
                self.trials = inner.trials;
                (tried, badness, steps) = (inner.value, inner.badness, inner.steps);
            }
            if badness < self.badness && !veto.as_mut().is_some_and(|veto| veto(&self.value, &tried)) {
                self.value = tried;
                self.badness = badness;
                self.steps.append(&mut steps);
                return;
            }
        }
    }

    /// Makes the first change proposed for every error, and keeps them all if each of them took an error away.
    fn all_at_once(&mut self, wrong: &[Wrong]) -> bool {
        let mut tried = self.value.clone();
        let mut steps: Vec<Step> = Vec::new();
        // From the end, so that what is taken out of a list does not move what is still to be changed.
        for one in wrong.iter().rev() {
            let Some(proposal) = self.proposals(one, &tried).into_iter().next() else { continue };
            let mut changed = tried.clone();
            if apply(&mut changed, &proposal.patch).is_ok() {
                tried = changed;
                steps.push(proposal.step(one));
            }
        }
        self.trials += 1;
        let badness = self.shaper.badness(&tried);
        let kept = !steps.is_empty()
            && badness.errors + steps.len() <= self.badness.errors
            && !is_deeper(&tried, MAX_CANDIDATE_DEPTH);
        if kept {
            self.value = tried;
            self.badness = badness;
            self.steps.append(&mut steps);
        }
        kept
    }
}

impl Proposal {
    /// Whether a change lets the validator see what it did not look at before.
    fn uncovers(&self) -> bool {
        matches!(self.kind, Kind::Wrap | Kind::Unwrap | Kind::Coerce)
    }

    fn step(self, wrong: &Wrong) -> Step {
        let place = if self.place.is_empty() { "the whole value" } else { self.place.as_str() };
        Step::on_value(self.kind, &format!("`{}` at {place}", wrong.keyword), self.patch)
    }
}

/// An operation that puts a value in another's place.
fn replace(path: &str, value: Value) -> Vec<Operation> {
    vec![Operation::Replace { path: path.to_owned(), value }]
}

//! Reads the answer of a stage or a judge: which of its values counts, and whether it is whole.

use super::quoted::{QuotedAnswer, quotes_in};
use crate::repair::{
    Answer, Expects, Fit, RepairKind, RepairStep, Repaired, Repairer, Salvaged, decide, has_a_key_twice,
};
use crate::value::{Fuel, MAX_CANDIDATE_DEPTH, is_deeper};
use serde_json::Value;

/// An answer as it came: a value, or a text that holds one.
#[derive(Debug, Clone, Copy)]
pub enum RawAnswer<'a> {
    /// The value.
    Value(&'a Value),
    /// The text.
    Text(&'a str),
}

/// The extraction in an answer, and its quotes where they were asked for; or what the answer is instead.
pub(super) fn extraction(
    repairer: &Repairer,
    told: RawAnswer<'_>,
    asks_for_quotes: bool,
    fuel: &Fuel,
) -> Result<QuotedAnswer, String> {
    let expects = ByStage { repairer, asks_for_quotes, fuel };
    let Answer { value, steps, evidence } = decided(repairer, told, &expects)?;
    whole(&steps, RepairKind::cuts)?;
    let quotes = quotes_in(&evidence, &value, asks_for_quotes);
    Ok(QuotedAnswer { repaired: Repaired { value, steps }, quotes })
}

/// The patch in an answer; or what the answer is instead. One that lacks a part is none: the operations that it does not
/// name would pass for none.
pub(super) fn patch(repairer: &Repairer, told: RawAnswer<'_>) -> Result<Repaired, String> {
    whole_answer(repairer, told, &Patch)
}

/// The verdict in an answer of a judge, which `read` can read; or what the answer is instead. One that lacks a part is
/// none, because the issues that a cut list does not name would pass for none at all; and of what it says twice, either
/// could be meant.
pub fn verdict(
    repairer: &Repairer,
    told: RawAnswer<'_>,
    read: &dyn Fn(&Value) -> Result<(), String>,
) -> Result<Repaired, String> {
    whole_answer(repairer, told, &VerdictExpectation { read })
}

fn whole_answer(repairer: &Repairer, told: RawAnswer<'_>, expects: &dyn Expects) -> Result<Repaired, String> {
    if let RawAnswer::Text(text) = told
        && has_a_key_twice(text.as_bytes())
    {
        return Err("JSON that has a key twice in one object".to_owned());
    }
    let Answer { value, steps, .. } = decided(repairer, told, expects)?;
    whole(&steps, |kind| kind.misses_something() || kind == RepairKind::DuplicateKey)?;
    Ok(Repaired { value, steps })
}

/// Refuses an answer that had to be completed.
fn whole(steps: &[RepairStep], spoilt: impl Fn(RepairKind) -> bool) -> Result<(), String> {
    match steps.iter().find(|step| spoilt(step.kind)) {
        Some(step) => Err(not_whole(&step.reason)),
        None => Ok(()),
    }
}

fn not_whole(reason: &str) -> String {
    format!("JSON that is not whole: {reason}")
}

/// The value that is the answer, with its evidence.
fn decided(repairer: &Repairer, told: RawAnswer<'_>, expects: &dyn Expects) -> Result<Answer, String> {
    let said = read(repairer, told)?;
    if said.is_cut {
        return Err(not_whole(RepairKind::Truncated.reason()));
    }
    decide(said, expects).map_err(|why| format!("text that can't be used: {why}"))
}

/// The values of an answer as they are; or what it is instead.
fn read(repairer: &Repairer, told: RawAnswer<'_>) -> Result<Salvaged, String> {
    let text = match told {
        RawAnswer::Value(value) if is_deeper(value, MAX_CANDIDATE_DEPTH) => {
            return Err(format!("JSON that is nested more than {MAX_CANDIDATE_DEPTH} deep"));
        }
        RawAnswer::Value(value) => return Ok(Salvaged::of_value(value.clone())),
        RawAnswer::Text(text) => text.trim(),
    };
    let read = repairer.read(text).map_err(|why| format!("text that can't be used: {why}"))?;
    // A word or a number that was only made out in a text is not an answer.
    let is_whole = read.steps.is_empty() || read.value.is_object() || read.value.is_array();
    if !is_whole {
        return Err("text in which there is no JSON object or list".to_owned());
    }
    Ok(read)
}

/// The expectation of a stage: its schema, if it has one.
struct ByStage<'a> {
    repairer: &'a Repairer,
    asks_for_quotes: bool,
    fuel: &'a Fuel,
}

impl Expects for ByStage<'_> {
    fn fit(&self, value: &Value) -> Fit {
        self.repairer.fit(&self.plain(value), self.fuel)
    }

    fn plain(&self, value: &Value) -> Value {
        self.repairer.plain(value, self.fuel)
    }

    fn opens(&self) -> bool {
        self.asks_for_quotes || self.repairer.has_schema()
    }

    fn takes_rows(&self) -> bool {
        !self.repairer.has_schema()
    }

    fn asks_for_evidence(&self) -> bool {
        self.asks_for_quotes
    }
}

/// The expectation of a patch: a list of operations.
struct Patch;

impl Expects for Patch {
    fn fit(&self, value: &Value) -> Fit {
        let is_operation = |item: &Value| item.get("op").is_some_and(Value::is_string);
        match value.as_array() {
            Some(items) if items.iter().all(is_operation) => Fit::Whole,
            Some(_) => Fit::Flawed,
            None => Fit::Foreign,
        }
    }
}

/// The expectation of a judge: a verdict that can be read.
struct VerdictExpectation<'a> {
    read: &'a dyn Fn(&Value) -> Result<(), String>,
}

impl Expects for VerdictExpectation<'_> {
    fn fit(&self, value: &Value) -> Fit {
        match (self.read)(value) {
            Ok(()) => Fit::Whole,
            Err(_) => Fit::Foreign,
        }
    }
}

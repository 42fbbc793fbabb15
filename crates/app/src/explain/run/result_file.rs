//! A record from a result: the file that `run --out` writes, or the output of `run --format json`.

use super::record::Record;
use crate::engine::{MOST_ITERATIONS, Outcome};
use crate::result::{EXPLANATION_VERSION, Explanation};
use crate::score::{Assessment, Scores};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// The candidates and assessments that lie beside a result.
pub trait Siblings {
    /// The candidate of an iteration.
    fn extraction(&self, iteration: usize) -> Option<Value>;
    /// Its assessment.
    fn validation(&self, iteration: usize) -> Option<Assessment>;
}

/// A result without siblings.
impl Siblings for () {
    fn extraction(&self, _: usize) -> Option<Value> {
        None
    }

    fn validation(&self, _: usize) -> Option<Assessment> {
        None
    }
}

/// The reason why a value is not a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NoResult {
    /// Its actual kind, or what it lacks.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl NoResult {
    fn new(message: impl Into<String>, help: &str) -> Self {
        NoResult { message: message.into(), help: help.to_owned() }
    }
}

/// The facts of one iteration in a result.
#[derive(Deserialize)]
struct Iteration {
    scores: Scores,
    overall: f64,
    critical: u64,
    #[serde(default)]
    rolled_back: bool,
    #[serde(default)]
    repairs: Vec<crate::repair::RepairStep>,
}

const NAME_A_RESULT: &str =
    "name a file `…-result.json` of `loopctl run --out`, or pipe `loopctl run --format json`";

impl Record {
    /// The record of a result, with the files beside it.
    ///
    /// # Errors
    /// When the value is not a result of a run.
    pub fn of_result(result: &Value, siblings: &dyn Siblings) -> Result<Self, NoResult> {
        let Some(members) = result.as_object() else {
            return Err(NoResult::new("this is JSON, but no result of a run", NAME_A_RESULT));
        };
        let text = |key: &str| members.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        if !members.contains_key("final_status") {
            let what = if members.contains_key("scores") && members.contains_key("overall") {
                "this is the assessment of one candidate, not the result of a run"
            } else {
                "this is JSON, but no result of a run: it has no `final_status`"
            };
            return Err(NoResult::new(what, NAME_A_RESULT));
        }
        let outcome = Outcome::deserialize(result).map_err(|error| {
            NoResult::new(
                format!("this result can't be read: {error}"),
                "was it edited, or written by a later loopctl? Explain it with the loopctl that wrote it",
            )
        })?;
        let mut record = Record {
            document: text("id"),
            document_type: text("document_type"),
            profile: text("profile"),
            review: members.get("review").and_then(Value::as_bool),
            message: members.get("message").and_then(Value::as_str).map(str::to_owned),
            warnings: members.get("warnings").and_then(|w| Vec::deserialize(w).ok()).unwrap_or_default(),
            ..Record::default()
        };
        let iterations = members.get("iterations").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (at, iteration) in iterations.iter().take(MOST_ITERATIONS).enumerate() {
            let Some(candidate) = record.at(at) else { continue };
            candidate.value = siblings.extraction(at).map(Arc::new);
            if let Ok(found) = Iteration::deserialize(iteration) {
                candidate.scores = Some(found.scores);
                candidate.overall = Some(found.overall);
                candidate.critical = Some(found.critical);
                candidate.rolled_back = found.rolled_back;
                candidate.repairs = found.repairs;
            }
            if let Some(assessment) = siblings.validation(at) {
                candidate.assessed(assessment);
            }
        }
        if let Some(best) = outcome.best_iteration.and_then(|best| record.at(best)) {
            if let Some(value) = members.get("best_extraction").filter(|value| !value.is_null()) {
                best.value = Some(Arc::new(value.clone()));
            }
            if let Some(assessment) =
                members.get("best_validation").and_then(|v| Assessment::deserialize(v).ok())
            {
                best.assessed(assessment);
            }
        }
        record.outcome = Some(outcome);
        record.take_explanation(members.get("explanation"));
        record.lacks(
            "failed calls that were made again, and judges that were asked again, are in the journal only",
        );
        if record.candidates.iter().any(|one| one.overall.is_some() && one.value.is_none()) {
            record.lacks(
                "a result holds only the chosen candidate: what changed between candidates needs the files beside it \
                 (`run --out`) or the journal",
            );
        }
        record.note_gaps();
        Ok(record)
    }

    fn take_explanation(&mut self, explanation: Option<&Value>) {
        let Some(explanation) = explanation else {
            self.lacks("this result was written by a loopctl that did not yet keep what explains it");
            return;
        };
        let version = explanation.get("version").and_then(Value::as_u64);
        if version.is_some_and(|version| version > u64::from(EXPLANATION_VERSION)) {
            self.lacks("this result was written by a later loopctl, which explains it better");
            return;
        }
        let Ok(explanation) = Explanation::deserialize(explanation) else {
            self.lacks("the part `explanation` of this result can't be read");
            return;
        };
        self.terms = Some(explanation.terms);
        self.take_explained(explanation.iterations);
    }
}

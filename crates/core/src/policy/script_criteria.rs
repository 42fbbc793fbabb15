//! Criteria of the author's own: `script`.

use super::{CandidateFacts, History, Spent};
use crate::diag::Problems;
use crate::profile::{Criterion, Files, IssueKind, ScriptCriterion, StopCriteria};
use crate::script::{Arguments, FunctionId, ScriptSet};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A script criterion is a function of one value: the run so far.
const PARAMETERS: usize = 1;

/// The compiled functions behind a policy's script criteria; by default none.
#[derive(Debug, Default)]
pub struct ScriptCriteria {
    compiled: Option<(ScriptSet, BTreeMap<String, FunctionId>)>,
}

impl ScriptCriteria {
    /// Compiles every function that the criteria name, including those in groups. Mistakes in them go to `problems`.
    pub fn compile(stop: &StopCriteria, files: &dyn Files, problems: &mut Problems) -> Self {
        let mut named = Vec::new();
        stop.visit(&mut |criterion| {
            if let Criterion::Script(script) = criterion {
                named.push(script.function.clone());
            }
        });
        if named.is_empty() {
            return Self::default();
        }
        let (mut scripts, mut functions) = (ScriptSet::new(), BTreeMap::new());
        for reference in named {
            if let Some(function) = scripts.function(&reference, PARAMETERS, files, problems) {
                functions.insert(reference.value, function);
            }
        }
        ScriptCriteria { compiled: Some((scripts, functions)) }
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.compiled.is_none()
    }

    /// Returns whether the criterion returns true for the run so far. The error says why there is no answer.
    pub(super) fn holds(
        &self,
        criterion: &ScriptCriterion,
        history: &History<impl CandidateFacts>,
        spent: Spent,
    ) -> Result<bool, String> {
        let function = self
            .compiled
            .as_ref()
            .and_then(|(scripts, f)| Some((scripts, *f.get(&criterion.function.value)?)));
        let Some((scripts, function)) = function else {
            return Err(format!("`{}` is not compiled", criterion.function.value));
        };
        scripts.truth(function, &Arguments::one(&so_far(history, spent))).map_err(|error| error.to_string())
    }
}

/// The argument of a criterion's function.
pub(super) fn so_far(history: &History<impl CandidateFacts>, spent: Spent) -> Value {
    let iterations: Vec<Value> = history
        .iterations()
        .iter()
        .map(|iteration| {
            let facts = &iteration.facts;
            let counts = facts.issues();
            let scores: Map<String, Value> =
                facts.scores().map(|(name, score)| (name.to_owned(), score.into())).collect();
            let issues: Map<String, Value> = IssueKind::ALL
                .iter()
                .map(|kind| (kind.as_str().to_owned(), counts.get(*kind).into()))
                .collect();
            json!({
                "overall": facts.overall(),
                "scores": scores,
                "issues": issues,
                "missed_gate": iteration.missed_gate,
                "rolled_back": iteration.rolled_back,
            })
        })
        .collect();
    json!({
        "iterations": iterations,
        "best": history.best(),
        "rollbacks": history.rollbacks(),
        "elapsed_ms": spent.elapsed,
        "cost_usd": spent.usage.known_cost_usd,
        "calls_of_unknown_cost": spent.usage.calls_of_unknown_cost,
        "tokens": spent.usage.tokens,
        "calls": spent.usage.calls,
    })
}

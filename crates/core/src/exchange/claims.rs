//! The view of a candidate that a judge gets: all but the claims that a stage makes about its own work.

use crate::plan::{Plan, StagePlan};
use crate::profile::Judge;
use serde_json::{Map, Value};

/// The candidate without the members that the judge withholds. A member that the schema of the answering stage declares
/// stays: it belongs to the document.
pub(super) fn without_claims(plan: &Plan, judge: &Judge, document_type: &str, candidate: &Value) -> Value {
    let schema_of = |stage: &StagePlan| stage.schemas.get(document_type).cloned();
    let last = plan.stages.last().and_then(schema_of);
    let Value::Object(members) = candidate else { return without(candidate, judge, last.as_ref()) };
    let mut shown = Map::new();
    for (name, inner) in members {
        let into = |stage: &&StagePlan| stage.stage.into.as_ref().is_some_and(|into| into.value == *name);
        if let Some(stage) = plan.stages.iter().find(into) {
            shown.insert(name.clone(), without(inner, judge, schema_of(stage).as_ref()));
        } else if !is_claim(name, judge, last.as_ref()) {
            shown.insert(name.clone(), without(inner, judge, last.as_ref()));
        }
    }
    Value::Object(shown)
}

fn is_claim(name: &str, judge: &Judge, schema: Option<&Value>) -> bool {
    judge.withholds(name) && !declares(schema, name)
}

fn without(value: &Value, judge: &Judge, schema: Option<&Value>) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !is_claim(name, judge, schema))
            .map(|(name, inner)| (name.clone(), without(inner, judge, schema)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| without(item, judge, schema)).collect(),
        plain => plain.clone(),
    }
}

/// Returns whether a schema has a property of this name anywhere.
fn declares(schema: Option<&Value>, name: &str) -> bool {
    let inner = |value: &Value| declares(Some(value), name);
    match schema {
        Some(Value::Object(members)) => {
            let properties = members.get("properties").and_then(Value::as_object);
            properties.is_some_and(|properties| properties.contains_key(name)) || members.values().any(inner)
        }
        Some(Value::Array(items)) => items.iter().any(inner),
        _ => false,
    }
}

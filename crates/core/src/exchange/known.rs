//! Facts about a document that the host knows itself (`from:` of a rubric's field): no model is asked for them.

use crate::plan::{Plan, StagePlan};
use crate::profile::CandidateKind;
use crate::rules::KnownFrom;
use crate::value::is_blank;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The facts known about a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentFacts<'a> {
    /// Its type.
    pub document_type: &'a str,
    /// Its text, as the stages may see it; empty where there is none.
    pub text: &'a str,
    /// The name of its file, if it is one.
    pub file_name: Option<&'a str>,
}

impl DocumentFacts<'_> {
    /// The fields that are filled into the answer of `stage`, with their values: those for which the rubric names a
    /// source, as far as it has something, and the schema of the stage has room for them.
    pub(super) fn fields(&self, plan: &Plan, stage: &StagePlan) -> Map<String, Value> {
        let mut fields = Map::new();
        if !is_candidate(plan, stage) {
            return fields;
        }
        let schema = stage.schemas.get(self.document_type);
        for field in plan.scoring.rules().program(self.document_type).rubric_fields() {
            let value = match field.from {
                Some(KnownFrom::Source) => Some(self.text).filter(|text| !is_blank(text)),
                Some(KnownFrom::FileName) => self.file_name,
                Some(KnownFrom::DocumentType) => Some(self.document_type),
                None => None,
            };
            if let Some(value) = value.filter(|_| schema.is_none_or(|schema| admits(schema, &field.name))) {
                fields.insert(field.name.to_string(), Value::String(value.to_owned()));
            }
        }
        fields
    }
}

/// Returns whether the members of the stage's output are those of the candidate.
fn is_candidate(plan: &Plan, stage: &StagePlan) -> bool {
    let last = plan.stages.last().is_some_and(|last| last.stage.id.value == stage.stage.id.value);
    last && stage.stage.into.is_none() && plan.scoring.kind() == CandidateKind::Value
}

fn admits(schema: &Value, field: &str) -> bool {
    let declared = schema.get("properties").is_some_and(|properties| properties.get(field).is_some());
    declared || schema.get("additionalProperties") != Some(&Value::Bool(false))
}

/// Fills the fields in.
pub(super) fn fill_in(candidate: &mut Value, fields: Map<String, Value>) {
    let Value::Object(members) = candidate else { return };
    for (name, value) in fields {
        members.shift_remove(&status_of(&name));
        members.insert(name, value);
    }
}

/// The names of the fields that may be filled into the answer of the stage of this id, for any document.
pub(super) fn names<'p>(plan: &'p Plan, stage: &str) -> BTreeSet<&'p str> {
    let stage = plan.stages.iter().find(|planned| planned.stage.id.value == stage);
    if !stage.is_some_and(|stage| is_candidate(plan, stage)) {
        return BTreeSet::new();
    }
    let rules = plan.scoring.rules();
    let fields =
        rules.document_types().flat_map(|document_type| rules.program(document_type).rubric_fields());
    fields.filter(|field| field.from.is_some()).map(|field| field.name.as_ref()).collect()
}

/// A candidate without the top-level members that `is_known`.
pub(super) fn without(candidate: &Value, is_known: impl Fn(&str, &Value) -> bool) -> Value {
    match candidate {
        Value::Object(members) => {
            let asked = members.iter().filter(|(name, value)| !is_known(name, value));
            asked.map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        other => other.clone(),
    }
}

/// The schema of an answer in which the fields are not asked for.
pub(super) fn schema_without(schema: &Value, fields: &Map<String, Value>) -> Value {
    let mut schema = schema.clone();
    let asked = |name: &str| !fields.keys().any(|field| name == field || name == status_of(field));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| asked(name));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(asked));
    }
    schema
}

fn status_of(field: &str) -> String {
    format!("{field}_status")
}

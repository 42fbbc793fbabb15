//! Schemas for `responseJsonSchema`, which takes a part of JSON Schema
//! ([reference](https://ai.google.dev/api/generate-content#generationconfig)).
//!
//! Keywords that only narrow values and aren't supported (`pattern`, `minLength`, `not`, …) are dropped; the engine checks
//! every answer against the whole schema. Where leaving something out would forbid a right answer, or the API would refuse
//! the schema (`allOf`, `then`, values of any type, recursion through required properties), there is no form for it,
//! and the schema goes into the prompt.

use std::collections::{BTreeMap, BTreeSet};

use loopctl_plugin_sdk::Value;
use loopctl_plugin_sdk::codec::schema::{
    children, gathered, keep, type_of, types_of, types_value, values_of,
};
use serde_json::Map;

/// Keywords that the API knows and that stay as they are.
const KEPT: &[&str] = &["title", "description", "minItems", "maxItems", "minimum", "maximum"];
const FORMATS: &[&str] = &["date-time", "date", "time", "float", "double", "int32", "int64"];
/// Keywords that may declare properties, which would be lost.
const NO_FORM: &[&str] = &["allOf", "dependencies", "dependentSchemas", "else", "patternProperties", "then"];

/// The schema as the API takes it; none when there is no such form that takes every right answer.
pub fn adapted(schema: &Value) -> Option<Value> {
    let schema = gathered(schema)?;
    if is_endless(&schema) { None } else { adapt(&schema) }
}

fn adapt(schema: &Value) -> Option<Value> {
    let from = schema.as_object()?;
    let mut to = Map::new();
    if let Some(definitions) = from.get("$defs").and_then(Value::as_object) {
        to.insert("$defs".to_owned(), adapt_all(definitions)?);
    }
    if let Some(reference) = from.get("$ref") {
        // No other keyword may be beside it.
        const SAID_ALOUD: &[&str] =
            &["$ref", "$defs", "$comment", "description", "title", "default", "examples"];
        if from.keys().any(|keyword| !SAID_ALOUD.contains(&keyword.as_str())) {
            return None;
        }
        to.insert("$ref".to_owned(), reference.clone());
        return Some(Value::Object(to));
    }
    if NO_FORM.iter().any(|keyword| from.contains_key(*keyword)) {
        return None;
    }
    keep(from, KEPT, FORMATS, &mut to);
    let alternatives: Vec<&Vec<Value>> =
        ["anyOf", "oneOf"].iter().filter_map(|keyword| from.get(*keyword)?.as_array()).collect();
    // `anyOf` of nothing but `required` only narrows.
    let choices: Vec<&&Vec<Value>> =
        alternatives.iter().filter(|list| !list.iter().all(only_requires)).collect();
    if let Some((choice, others)) = choices.split_first() {
        const BESIDE: &[&str] =
            &["$defs", "anyOf", "oneOf", "$comment", "default", "description", "examples", "title"];
        if !others.is_empty() || from.keys().any(|keyword| !BESIDE.contains(&keyword.as_str())) {
            return None;
        }
        to.insert("anyOf".to_owned(), Value::Array(choice.iter().map(adapt).collect::<Option<_>>()?));
        return Some(Value::Object(to));
    }

    let values = values_of(from)?;
    if !values.as_deref().is_none_or(can_be_told) {
        return None;
    }
    let mut types = types_of(from, values.as_deref())?;
    // `type: [string, null]` with an enum of texts alone doesn't allow null.
    if values.as_ref().is_some_and(|values| !values.contains(&Value::Null)) && types.len() > 1 {
        types.remove("null");
    }
    to.insert("type".to_owned(), types_value(&types));
    // Enums are of texts and numbers; true and false need none, and null is a type.
    let named: Vec<Value> =
        values.into_iter().flatten().filter(|value| value.is_string() || value.is_number()).collect();
    if !named.is_empty() {
        to.insert("enum".to_owned(), Value::Array(named));
    }
    if types.contains("object") {
        object(from, &mut to)?;
    }
    if types.contains("array") {
        array(from, &mut to)?;
    }
    Some(Value::Object(to))
}

fn only_requires(schema: &Value) -> bool {
    schema.as_object().is_some_and(|keywords| keywords.keys().all(|keyword| keyword == "required"))
}

fn adapt_all(named: &Map<String, Value>) -> Option<Value> {
    let adapted = named.iter().map(|(name, schema)| Some((name.clone(), adapt(schema)?)));
    adapted.collect::<Option<Map<_, _>>>().map(Value::Object)
}

fn object(from: &Map<String, Value>, to: &mut Map<String, Value>) -> Option<()> {
    let properties = from.get("properties").and_then(Value::as_object);
    if let Some(properties) = properties {
        to.insert("properties".to_owned(), adapt_all(properties)?);
    }
    if let Some(required) = from.get("required").and_then(Value::as_array) {
        let known =
            |name: &&Value| name.as_str().is_some_and(|n| properties.is_some_and(|p| p.contains_key(n)));
        let required: Vec<Value> = required.iter().filter(known).cloned().collect();
        if !required.is_empty() {
            to.insert("required".to_owned(), Value::Array(required));
        }
    }
    let nothing_listed = properties.is_none_or(Map::is_empty);
    match from.get("additionalProperties") {
        Some(Value::Bool(open)) => {
            to.insert("additionalProperties".to_owned(), Value::Bool(*open));
        }
        Some(schema) => {
            to.insert("additionalProperties".to_owned(), adapt(schema)?);
        }
        // The API would take an object without properties for an empty one.
        None if nothing_listed => {
            to.insert("additionalProperties".to_owned(), Value::Bool(true));
        }
        None => {}
    }
    Some(())
}

fn array(from: &Map<String, Value>, to: &mut Map<String, Value>) -> Option<()> {
    let (first, rest) = match from.get("items") {
        Some(Value::Array(items)) => (Some(items), from.get("additionalItems")),
        rest => (from.get("prefixItems").and_then(Value::as_array), rest),
    };
    if let Some(first) = first {
        let first = first.iter().map(adapt).collect::<Option<_>>()?;
        to.insert("prefixItems".to_owned(), Value::Array(first));
    }
    match rest {
        Some(Value::Bool(false)) if first.is_some() => {}
        Some(rest) => {
            to.insert("items".to_owned(), adapt(rest)?);
        }
        // Elements of any kind have no form.
        None => return None,
    }
    Some(())
}

/// Returns whether an enum can express these values. As enums are of texts and numbers, it couldn't express a boolean
/// beside a text.
fn can_be_told(values: &[Value]) -> bool {
    let kinds: BTreeSet<&str> = values.iter().map(type_of).filter(|kind| *kind != "null").collect();
    match kinds.first() {
        None => !values.is_empty(),
        Some(kind) => kinds.len() == 1 && !matches!(*kind, "object" | "array"),
    }
}

/// Returns whether a definition needs itself. The API unrolls recursion so far, and only where it may stop: in
/// properties that aren't required.
fn is_endless(root: &Value) -> bool {
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut found = BTreeSet::new();
    needed(root, &mut found);
    needs.insert("#".to_owned(), found);
    for (name, definition) in root.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        let mut found = BTreeSet::new();
        needed(definition, &mut found);
        needs.insert(format!("#/$defs/{name}"), found);
    }
    // Definitions that need no remaining one are removed, until only cycles remain.
    while let Some(done) = needs
        .iter()
        .find(|(_, on)| !on.iter().any(|name| needs.contains_key(name)))
        .map(|(name, _)| name.clone())
    {
        needs.remove(&done);
    }
    !needs.is_empty()
}

/// The references in a schema that aren't in a property that may be left out.
fn needed(schema: &Value, found: &mut BTreeSet<String>) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        found.insert(reference.to_owned());
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut here = schema.clone();
    if let Some(keywords) = here.as_object_mut() {
        keywords.shift_remove("$defs");
        if let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| required.contains(&name.as_str()));
        }
    }
    for child in children(&here) {
        needed(child, found);
    }
}

//! Schemas for `strict: true`, where the API only lets the model write what the schema allows, and takes a part of JSON
//! Schema only ([Structured Outputs](https://platform.openai.com/docs/guides/structured-outputs#supported-schemas)).
//!
//! Every object must be closed and all its properties required, so optional ones may be null instead: the engine leaves
//! out a null that the original schema refuses (`repair.drop_invalid`). What only narrows values and isn't supported
//! (`minLength`, `minProperties`, `uniqueItems`, …) is dropped; the engine checks every answer against the whole
//! schema. Where leaving something out or closing an object would forbid a right answer (maps, `allOf`, `then`, values
//! of any type), there is no strict form, and the schema goes as it is with `strict: false`.

use std::collections::BTreeSet;

use loopctl_plugin_sdk::Value;
use loopctl_plugin_sdk::codec::schema::{
    any, children, gathered, is_plain_object, keep, type_of, types_of, types_value, values_of, wrapped,
};
use serde_json::{Map, json};

/// Keywords that the API knows and that stay as they are.
const KEPT: &[&str] = &[
    "description",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "title",
];
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// Keywords that may declare properties or whose loss could make what remains too narrow or too wide to be of use.
const NO_STRICT_FORM: &[&str] = &[
    "allOf",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "not",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
];

const MAX_PROPERTIES: usize = 5_000;
const MAX_DEPTH: usize = 10;
const MAX_ENUM_VALUES: usize = 1_000;
const MAX_NAME_CHARS: usize = 120_000;
/// An enum of more values than this may have only so many characters.
const LONG_ENUM: usize = 250;
const MAX_LONG_ENUM_CHARS: usize = 15_000;

/// The schema in the form that `strict: true` asks for, wrapped when it isn't an object's; none when there is no such
/// form that takes every right answer.
pub fn adapted(schema: &Value) -> Option<Value> {
    let schema = gathered(schema)?;
    if nulls_might_stay(&schema) {
        return None;
    }
    let schema = if is_plain_object(&schema) { schema } else { wrapped(schema) };
    let adapted = strict(&schema)?;
    within_limits(&adapted).then_some(adapted)
}

/// Returns whether a property is optional in one position and required in another, in a schema with alternatives: the
/// engine leaves a null there, because it can't tell which alternative was meant.
fn nulls_might_stay(schema: &Value) -> bool {
    let (mut alternatives, mut optional, mut required) = (false, BTreeSet::new(), BTreeSet::new());
    any(schema, &mut |part| {
        for keyword in ["anyOf", "oneOf"] {
            let branches = part.get(keyword).and_then(Value::as_array).into_iter().flatten();
            alternatives |= branches.filter(|branch| *branch != &json!({ "type": "null" })).count() > 1;
        }
        let named: BTreeSet<String> = names(part.get("required")).map(str::to_owned).collect();
        for name in part.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            if !named.contains(name) {
                optional.insert(name.clone());
            }
        }
        required.extend(named);
        false
    });
    alternatives && !optional.is_disjoint(&required)
}

fn names(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn strict(schema: &Value) -> Option<Value> {
    let from = schema.as_object()?;
    let mut to = Map::new();
    if let Some(reference) = from.get("$ref") {
        // No other keyword may be beside it.
        const SAID_ALOUD: &[&str] = &["$ref", "$comment", "description", "title", "default", "examples"];
        return from
            .keys()
            .all(|keyword| SAID_ALOUD.contains(&keyword.as_str()))
            .then(|| json!({ "$ref": reference }));
    }
    if NO_STRICT_FORM.iter().any(|keyword| from.contains_key(*keyword)) {
        return None;
    }
    keep(from, KEPT, FORMATS, &mut to);
    // A pattern in the dialect of another engine would make the whole request invalid.
    if from.get("pattern").and_then(Value::as_str).is_some_and(|pattern| !is_plain_pattern(pattern)) {
        to.shift_remove("pattern");
    }

    if let Some(alternatives) = from.get("anyOf").or_else(|| from.get("oneOf")) {
        if from.contains_key("anyOf") && from.contains_key("oneOf") {
            return None;
        }
        // `oneOf` allows less than `anyOf`, which is all that is supported. Beside either, only words: `type` and
        // `properties` would bind every alternative, which has them of its own.
        const BESIDE: &[&str] =
            &["$defs", "anyOf", "oneOf", "$comment", "default", "description", "examples", "title"];
        if from.keys().any(|keyword| !BESIDE.contains(&keyword.as_str())) {
            return None;
        }
        let alternatives: Vec<Value> = alternatives.as_array()?.iter().map(strict).collect::<Option<_>>()?;
        if alternatives.is_empty() || begin_alike(&alternatives) {
            return None;
        }
        to.insert("anyOf".to_owned(), Value::Array(alternatives));
    } else {
        let values = values_of(from)?;
        let types = types_of(from, values.as_deref())?;
        to.insert("type".to_owned(), types_value(&types));
        if let Some(values) = values {
            to.insert("enum".to_owned(), told(values, &types)?);
        }
        if types.contains("object") {
            object(from, &mut to)?;
        }
        if types.contains("array") {
            to.insert("items".to_owned(), strict(from.get("items")?)?);
        }
    }
    if let Some(definitions) = from.get("$defs").and_then(Value::as_object) {
        let definitions: Map<String, Value> = definitions
            .iter()
            .map(|(name, definition)| Some((name.clone(), strict(definition)?)))
            .collect::<Option<_>>()?;
        to.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Some(Value::Object(to))
}

/// Returns whether two alternatives are objects with the same first property, which the API refuses: it chooses by
/// that.
fn begin_alike(alternatives: &[Value]) -> bool {
    let mut first: Vec<&str> = alternatives
        .iter()
        .filter_map(|schema| schema.get("properties")?.as_object()?.keys().next().map(String::as_str))
        .collect();
    let objects = first.len();
    first.sort_unstable();
    first.dedup();
    first.len() < objects
}

fn object(from: &Map<String, Value>, to: &mut Map<String, Value>) -> Option<()> {
    let no_properties = Map::new();
    let properties = from.get("properties").map_or(Some(&no_properties), Value::as_object)?;
    let closed = [from.get("additionalProperties"), from.get("unevaluatedProperties")];
    match closed {
        [Some(Value::Bool(false)), _] | [None, Some(Value::Bool(false))] => {}
        // Open by omission, as most schemas are that list what they want. Without a list, anything goes.
        [None, None] if !properties.is_empty() => {}
        _ => return None,
    }
    let required: Vec<&str> = names(from.get("required")).collect();
    if required.iter().any(|name| !properties.contains_key(*name)) {
        return None;
    }
    // With every property present, an upper bound on their number would not bound the answer.
    if from.contains_key("maxProperties") {
        return None;
    }
    let mut strict_properties = Map::new();
    for (name, property) in properties {
        let property = strict(property)?;
        let property = if required.contains(&name.as_str()) { property } else { nullable(property) };
        strict_properties.insert(name.clone(), property);
    }
    let names: Vec<Value> = strict_properties.keys().cloned().map(Value::String).collect();
    to.insert("properties".to_owned(), Value::Object(strict_properties));
    to.insert("required".to_owned(), Value::Array(names));
    to.insert("additionalProperties".to_owned(), Value::Bool(false));
    Some(())
}

/// The schema, with null allowed besides.
fn nullable(mut schema: Value) -> Value {
    let nothing = json!({ "type": "null" });
    if let Some(alternatives) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        if !alternatives.contains(&nothing) {
            alternatives.push(nothing);
        }
        return schema;
    }
    let Some(fields) = schema.as_object_mut().filter(|fields| fields.contains_key("type")) else {
        return json!({ "anyOf": [schema, nothing] });
    };
    let mut types: Vec<Value> = match fields.get("type") {
        Some(Value::Array(types)) => types.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    if !types.contains(&json!("null")) {
        types.push(json!("null"));
        fields.insert("type".to_owned(), Value::Array(types));
    }
    if let Some(values) = fields.get_mut("enum").and_then(Value::as_array_mut)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    schema
}

/// Those of the values that are of the types, as an enum; none when the API would refuse it.
fn told(mut values: Vec<Value>, types: &BTreeSet<&str>) -> Option<Value> {
    values.retain(|value| {
        types.contains(type_of(value)) || (types.contains("integer") && (value.is_i64() || value.is_u64()))
    });
    let told = !values.is_empty() && !values.iter().any(|value| value.is_array() || value.is_object());
    told.then_some(Value::Array(values))
}

/// Returns whether any engine reads this pattern alike: no groups with `?`, no classes by name, no references
/// back.
fn is_plain_pattern(pattern: &str) -> bool {
    !pattern.contains("(?") && !pattern.contains("[[") && !pattern.contains("&&") && {
        let mut rest = pattern.chars();
        let mut plain = true;
        while let Some(c) = rest.next() {
            if c == '\\' {
                plain &= rest.next().is_some_and(|c| "dDwWsS.*+?()[]{}|^$/-\\".contains(c));
            }
        }
        plain
    }
}

fn within_limits(schema: &Value) -> bool {
    let (mut properties, mut values, mut chars, mut long) = (0_usize, 0_usize, 0_usize, false);
    any(schema, &mut |part| {
        for keyword in ["properties", "$defs"] {
            let Some(named) = part.get(keyword).and_then(Value::as_object) else { continue };
            if keyword == "properties" {
                properties += named.len();
            }
            chars += named.keys().map(|name| name.chars().count()).sum::<usize>();
        }
        if let Some(list) = part.get("enum").and_then(Value::as_array) {
            let size: usize = list.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
            values += list.len();
            chars += size;
            long |= list.len() > LONG_ENUM && size > MAX_LONG_ENUM_CHARS;
        }
        false
    });
    properties <= MAX_PROPERTIES
        && values <= MAX_ENUM_VALUES
        && chars <= MAX_NAME_CHARS
        && !long
        && depth(schema) <= MAX_DEPTH
}

/// The depth to which objects and lists are nested, definitions counted where they are.
fn depth(schema: &Value) -> usize {
    let below = children(schema).into_iter().map(depth).max().unwrap_or(0);
    below + usize::from(schema.get("properties").is_some() || schema.get("items").is_some())
}

//! Labels as JSON: our own, corrections made by reviewers, and foreign ones by a map.

use super::label::{FieldLabel, LabelError, LabelRecord, Standing, field_name, moment};
use super::label_map::LabelMap;
use crate::diag::nearest;
use crate::value::is_blank;
use serde_json::{Map, Value};

/// Members of a label and of a correction.
const LABEL_KEYS: [&str; 9] =
    ["document", "document_type", "cluster", "fields", "reviewer", "at", "how", "settles", "disputed"];
const CORRECTION_KEYS: [&str; 11] = [
    "document",
    "document_type",
    "cluster",
    "field",
    "before",
    "after",
    "reviewer",
    "at",
    "how",
    "settles",
    "disputed",
];

/// Reads a file that holds one label, or a list of them. `document` is the document's name if a label does not give it,
/// as for `X.labels.json`.
///
/// # Errors
/// The problem of each label that can't be used; the others are returned.
pub fn read_json(
    bytes: &[u8],
    map: Option<&LabelMap>,
    document: Option<&str>,
    place: &str,
) -> (Vec<LabelRecord>, Vec<LabelError>) {
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    let mut take = |value: &Value, place: &str| match read_value(value, map, document, place) {
        Ok(record) => records.extend(record),
        Err(error) => errors.push(error),
    };
    match serde_json::from_slice::<Value>(without_mark(bytes)) {
        Ok(Value::Array(items)) => {
            (1..).zip(&items).for_each(|(number, item)| take(item, &format!("{place}, item {number}")));
        }
        Ok(value) => take(&value, place),
        Err(error) => errors.push(not_json(place, &error)),
    }
    (records, errors)
}

/// Reads the label of a line. `None` if a map leaves the document out.
///
/// # Errors
/// The problem of the label.
pub fn read_json_line(
    bytes: &[u8],
    map: Option<&LabelMap>,
    place: &str,
) -> Result<Option<LabelRecord>, LabelError> {
    let value = serde_json::from_slice(without_mark(bytes)).map_err(|error| not_json(place, &error))?;
    read_value(&value, map, None, place)
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn not_json(place: &str, error: &serde_json::Error) -> LabelError {
    let text = error.to_string();
    let why = text.split_once(" at line ").map_or(text.as_str(), |(why, _)| why);
    LabelError::new(place, format!("no JSON, at line {} column {}: {why}", error.line(), error.column()))
}

fn read_value(
    value: &Value,
    map: Option<&LabelMap>,
    document: Option<&str>,
    place: &str,
) -> Result<Option<LabelRecord>, LabelError> {
    let Value::Object(members) = value else {
        let found = kind(value);
        return Err(LabelError::new(
            place,
            format!("expected an object with `document` and `fields`, found {found}"),
        ));
    };
    match map {
        Some(map) => map.read_json(value, document, place),
        None if members.contains_key("field") || members.contains_key("after") => {
            correction(members, place).map(Some)
        }
        None => label(members, document, place).map(Some),
    }
}

/// `{document, document_type?, fields: {…}, reviewer?, at?}`.
fn label(
    members: &Map<String, Value>,
    document: Option<&str>,
    place: &str,
) -> Result<LabelRecord, LabelError> {
    refuse_slips(members, &LABEL_KEYS, place)?;
    let mut record = head(members, document, place)?;
    let Some(Value::Object(fields)) = members.get("fields") else {
        let found = members.get("fields").map_or("nothing", kind);
        return Err(LabelError::new(
            place,
            format!("`fields`: expected an object of right values by field, found {found}"),
        ));
    };
    for (name, value) in fields {
        record.fields.push((field_name(name), field(name, value, place)?));
    }
    Ok(record)
}

/// `{document, field, before, after, reviewer, at}`: `after` is the right value.
fn correction(members: &Map<String, Value>, place: &str) -> Result<LabelRecord, LabelError> {
    refuse_slips(members, &CORRECTION_KEYS, place)?;
    let mut record = head(members, None, place)?;
    let name = required_text(members, "field", "the name of a field or a JSON Pointer to it", place)?;
    let Some(after) = members.get("after") else {
        return Err(LabelError::new(
            place,
            "`after`: expected the right value, or `null` where the field is not present; found nothing",
        ));
    };
    record.fields.push((field_name(&name), FieldLabel::of(after.clone())));
    Ok(record)
}

/// Reads what a label and a correction have in common.
fn head(
    members: &Map<String, Value>,
    document: Option<&str>,
    place: &str,
) -> Result<LabelRecord, LabelError> {
    let document = match (members.get("document"), document) {
        (None, Some(document)) => document.to_owned(),
        _ => required_text(members, "document", "the name of a document", place)?,
    };
    let at = optional_text(members, "at", place)?.map(|text| moment(&text, place)).transpose()?;
    let is_swept = match members.get("how") {
        None | Some(Value::Null) => false,
        Some(Value::String(how)) if how == "each" => false,
        Some(Value::String(how)) if how == "swept" => true,
        Some(other) => {
            return Err(LabelError::new(
                place,
                format!("`how`: expected `each` or `swept`, found {}", kind(other)),
            ));
        }
    };
    let standing = match (flag(members, "settles", place)?, flag(members, "disputed", place)?) {
        (true, _) => Standing::Settles,
        (false, true) => Standing::Disputed,
        (false, false) => Standing::Plain,
    };
    Ok(LabelRecord {
        is_swept,
        standing,
        document,
        document_type: optional_text(members, "document_type", place)?,
        cluster: cluster(members, place)?,
        reviewer: optional_text(members, "reviewer", place)?,
        at,
        fields: Vec::new(),
        place: place.to_owned(),
    })
}

/// A right value; `null` or `{"present": false}` if there is none; `{"any_of": [...]}`, of which each is right.
fn field(name: &str, value: &Value, place: &str) -> Result<FieldLabel, LabelError> {
    let Value::Object(members) = value else { return Ok(FieldLabel::of(value.clone())) };
    let mut only = members.iter();
    match (only.next(), only.next()) {
        (Some((key, Value::Bool(false))), None) if key == "present" => Ok(FieldLabel::of(Value::Null)),
        (Some((key, Value::Array(accepted))), None) if key == "any_of" && !accepted.is_empty() => {
            Ok(FieldLabel { accepted: accepted.clone(), ..FieldLabel::of(Value::Null) })
        }
        (Some((key, other)), None) if key == "any_of" => Err(LabelError::new(
            place,
            format!(
                "`{name}`: expected a list of right values as `any_of`, found {}",
                if other.is_array() { "an empty list" } else { kind(other) }
            ),
        )),
        (Some((key, Value::Array(_))), None) if nearest(key, ["any_of"]).is_some() => {
            Err(LabelError::new(place, format!("`{name}`: unknown key `{key}`; did you mean `any_of`?")))
        }
        _ => Ok(FieldLabel::of(value.clone())),
    }
}

/// Refuses a member that is nearly one of ours: it may hold what is right, and would be ignored.
fn refuse_slips(members: &Map<String, Value>, known: &[&str], place: &str) -> Result<(), LabelError> {
    let slip = members.keys().find_map(|key| {
        let is_known = known.contains(&key.as_str());
        let guess = nearest(key, known.iter().copied()).filter(|_| !is_known)?;
        (!members.contains_key(guess)).then_some((key, guess))
    });
    match slip {
        Some((key, guess)) => {
            Err(LabelError::new(place, format!("unknown key `{key}`; did you mean `{guess}`?")))
        }
        None => Ok(()),
    }
}

fn required_text(
    members: &Map<String, Value>,
    key: &str,
    what: &str,
    place: &str,
) -> Result<String, LabelError> {
    match members.get(key) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        other => {
            let found = match other {
                None => "nothing",
                Some(Value::String(_)) => "an empty text",
                Some(other) => kind(other),
            };
            Err(LabelError::new(place, format!("`{key}`: expected {what}, found {found}")))
        }
    }
}

fn flag(members: &Map<String, Value>, key: &str, place: &str) -> Result<bool, LabelError> {
    match members.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => {
            Err(LabelError::new(place, format!("`{key}`: expected `true` or `false`, found {}", kind(other))))
        }
    }
}

/// Ids of patients and cases are often numbers.
fn cluster(members: &Map<String, Value>, place: &str) -> Result<Option<String>, LabelError> {
    if let Some(Value::Number(number)) = members.get("cluster") {
        return Ok(Some(number.to_string()));
    }
    let cluster = optional_text(members, "cluster", place)?;
    Ok(cluster.filter(|cluster| !is_blank(cluster)))
}

fn optional_text(members: &Map<String, Value>, key: &str, place: &str) -> Result<Option<String>, LabelError> {
    match members.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(LabelError::new(place, format!("`{key}`: expected text, found {}", kind(other)))),
    }
}

/// The kind of a JSON value, for people.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "`null`",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

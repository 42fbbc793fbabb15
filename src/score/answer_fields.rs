//! The fields that the schema of an answer has, by what they hold.

use super::grounded::Names;
use crate::rules::AnswerSchema;
use loopctl_ground::{FieldNames, Sort, SoughtField};
use serde_json::Value;

/// Deepest nesting that is followed, and most fields that are read.
const DEPTH: usize = 12;
const MOST: usize = 300;

/// The texts, numbers and dates that an answer may hold.
pub(super) fn answer_fields(answer: &AnswerSchema) -> Vec<SoughtField> {
    let mut found = Vec::new();
    let at = answer.into.as_ref().map_or_else(String::new, |field| format!("/{}", escaped(field)));
    read(&answer.schema, &answer.schema, &at, 0, &mut found);
    found
}

fn read(root: &Value, schema: &Value, at: &str, depth: usize, into: &mut Vec<SoughtField>) {
    if depth > DEPTH || into.len() >= MOST {
        return;
    }
    if let Some(Value::String(reference)) = schema.get("$ref") {
        if let Some(schema) = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) {
            read(root, schema, at, depth + 1, into);
        }
        return;
    }
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        read(root, part, at, depth + 1, into);
    }
    // A value or none.
    let forms = ["anyOf", "oneOf"].into_iter().find_map(|key| schema.get(key)?.as_array());
    let mut forms =
        forms.into_iter().flatten().filter(|form| form.get("type").is_none_or(|kind| kind != "null"));
    if let (Some(form), None) = (forms.next(), forms.next()) {
        read(root, form, at, depth + 1, into);
    }
    if let Some(Value::Object(members)) = schema.get("properties") {
        for (key, member) in members.iter().filter(|(key, _)| !key.ends_with("_status")) {
            read(root, member, &format!("{at}/{}", escaped(key)), depth + 1, into);
        }
    } else if let Some(items) = schema.get("items") {
        read(root, items, &format!("{at}/*"), depth + 1, into);
    } else if let Some(sort) = sort(schema).filter(|_| !at.is_empty()) {
        into.push(SoughtField { pointer: at.to_owned(), sort, synonyms: titles(schema) });
    }
}

/// The most words of a description that is another name and no explanation.
const NAME: usize = 6;

/// What a schema calls a field besides its key: the title, and a description of a few words.
fn titles(schema: &Value) -> Vec<String> {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    let short = |text: &&str| text.split_whitespace().count() <= NAME;
    [text("title"), text("description")].into_iter().flatten().filter(short).map(str::to_owned).collect()
}

/// The other names of fields: those of the schemas, and at the top of candidates those of the rubric.
pub(super) fn field_names(answers: &[AnswerSchema], names: &Names) -> FieldNames {
    let fields = answers.iter().flat_map(answer_fields);
    let mut found: FieldNames = fields.map(|field| (field.pointer, field.synonyms)).collect();
    for (key, known) in &names.fields {
        found.entry(format!("/{}", escaped(key))).or_default().extend(known.synonyms.iter().cloned());
    }
    found
}

fn sort(schema: &Value) -> Option<Sort> {
    let kind = schema.get("type")?;
    let is = |name: &str| {
        kind == name || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == name))
    };
    let is_date = schema.get("format").is_some_and(|format| format == "date");
    match (is("string"), is("number") || is("integer")) {
        (true, _) => Some(if is_date { Sort::Date } else { Sort::Text }),
        (false, true) => Some(Sort::Number),
        (false, false) => None,
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

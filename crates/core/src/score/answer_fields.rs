//! The fields that the schema of an answer has, by their content.

use super::source::Names;
use crate::rules::AnswerSchema;
use crate::value::{escape, unescape};
use loopctl_ground::{FieldNames, Sort, SoughtField};
use serde_json::Value;

/// Deepest nesting that is followed, most fields that are read, and most parts of a schema that are inspected for them.
const DEPTH: usize = 12;
const MOST: usize = 300;
const VISITED: usize = 20_000;

/// The texts, numbers and dates that answers may hold, with their other names: titles of the schemas and, at the top of candidates,
/// synonyms of the rubric.
pub(super) fn answer_fields(answers: &[AnswerSchema], names: &Names) -> Vec<SoughtField> {
    let mut fields = Vec::new();
    for answer in answers {
        fields.extend(Walk::over(answer).found);
    }
    for field in &mut fields {
        let key = field.pointer.strip_prefix('/').filter(|key| !key.contains('/')).map(unescape);
        let known = key.and_then(|key| names.fields.get(&*key));
        field.synonyms.extend(known.into_iter().flat_map(|known| known.synonyms.iter().cloned()));
    }
    fields
}

/// A walk over a schema, of which each part may refer to any other.
struct Walk<'a> {
    root: &'a Value,
    left: usize,
    found: Vec<SoughtField>,
    item_keys: Vec<(String, String)>,
}

/// The keyword of a list's schema, or of its items', that has the name of the member whose text names each item.
pub const ITEM_KEY: &str = "x-key";

impl<'a> Walk<'a> {
    fn over(answer: &'a AnswerSchema) -> Self {
        let at = answer.into.as_ref().map_or_else(String::new, |field| format!("/{}", escape(field)));
        let mut walk = Walk { root: &answer.schema, left: VISITED, found: Vec::new(), item_keys: Vec::new() };
        walk.read(&answer.schema, &at, 0);
        walk
    }

    fn read(&mut self, schema: &Value, at: &str, depth: usize) {
        if depth > DEPTH || self.found.len() >= MOST || self.left == 0 {
            return;
        }
        self.left -= 1;
        if let Some(Value::String(member)) = schema.get(ITEM_KEY) {
            let of_item = at.strip_suffix("/*").filter(|_| schema.get("items").is_none());
            let list = of_item.unwrap_or(at);
            self.item_keys.push((list.to_owned(), member.clone()));
        }
        if let Some(Value::String(reference)) = schema.get("$ref") {
            if let Some(schema) = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                self.read(schema, at, depth + 1);
            }
            return;
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.read(part, at, depth + 1);
        }
        // A value or none.
        let forms = ["anyOf", "oneOf"].into_iter().find_map(|key| schema.get(key)?.as_array());
        let mut forms =
            forms.into_iter().flatten().filter(|form| form.get("type").is_none_or(|kind| kind != "null"));
        if let (Some(form), None) = (forms.next(), forms.next()) {
            self.read(form, at, depth + 1);
        }
        if let Some(Value::Object(members)) = schema.get("properties") {
            for (key, member) in members.iter().filter(|(key, _)| !key.ends_with("_status")) {
                self.read(member, &format!("{at}/{}", escape(key)), depth + 1);
            }
        } else if let Some(items) = schema.get("items") {
            self.read(items, &format!("{at}/*"), depth + 1);
        } else if let Some(sort) = sort(schema).filter(|_| !at.is_empty()) {
            self.found.push(SoughtField { pointer: at.to_owned(), sort, synonyms: titles(schema) });
        }
    }
}

/// The most words of a description that is another name and no explanation.
const NAME: usize = 6;

/// The names that a schema gives a field besides its key: the title, and a description of a few words.
fn titles(schema: &Value) -> Vec<String> {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    let short = |text: &&str| text.split_whitespace().count() <= NAME;
    [text("title"), text("description")].into_iter().flatten().filter(short).map(str::to_owned).collect()
}

/// The other names of fields, also of those of the rubric that no schema has, and the members that name items: as the rubric says,
/// else a schema.
pub(super) fn field_names(answers: &[AnswerSchema], names: &Names) -> FieldNames {
    let mut found = FieldNames::default();
    for (key, known) in &names.fields {
        let pointer = format!("/{}", escape(key));
        if let Some(member) = &known.item_key {
            found.name_items(pointer.clone(), member.clone());
        }
        if !known.synonyms.is_empty() {
            found.add(pointer, known.synonyms.iter().cloned());
        }
    }
    for answer in answers {
        let walk = Walk::over(answer);
        walk.item_keys.into_iter().for_each(|(list, member)| found.name_items(list, member));
        let named = walk.found.into_iter().filter(|field| !field.synonyms.is_empty());
        named.for_each(|field| found.add(field.pointer, field.synonyms));
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

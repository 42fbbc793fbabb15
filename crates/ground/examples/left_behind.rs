//! Left rows and mentions on labelled documents: how many are reported with the right record, with an item dropped,
//! with a field emptied.
//!
//! usage: left_behind FOLDER [--list] [--whole]    (FOLDER has text/ID.*, labels/ID.json and schemas/ID.json, or ID.* beside ID.json)
#![expect(clippy::print_stdout, reason = "a program for developers")]

use loopctl_ground::{Document, Sort, SoughtField, is_used, left_rows, mentions};
use serde_json::Value;
use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = PathBuf::from(arguments.first().ok_or("usage: left_behind FOLDER [--list] [--whole]")?);
    let shows = arguments.iter().any(|argument| argument == "--list");
    let (mut documents, mut false_rows, mut false_values) = (0, 0, 0);
    let (mut dropped, mut told, mut emptied, mut named) = (0, 0, 0, 0);
    for (text, label, schema) in files(&folder)? {
        let (Ok(source), Ok(record)) = (std::fs::read_to_string(&text), std::fs::read_to_string(&label))
        else {
            continue;
        };
        let record: Value = parsed(&label, &record)?;
        let document = Document::read(&source);
        let fields = schema.map_or_else(|| of_record(&record), |schema| of_schema(&schema));
        let name = text.file_name().unwrap_or_default().to_string_lossy().into_owned();
        documents += 1;
        let rows = left_rows(&document, &record, |_| std::env::args().any(|one| one == "--whole"));
        let mentioned = mentions(&document, &fields);
        let at = |bytes: &std::ops::Range<usize>| {
            source.get(bytes.clone()).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for row in &rows {
            println!("FALSE {name} {}: {}", row.list, at(&row.bytes));
        }
        false_rows += rows.len();
        for mention in mentioned
            .iter()
            .filter(|one| is_missing(&record, &one.field) && !is_used(&document, &record, &one.bytes))
        {
            false_values += 1;
            println!("FALSE {name} {}: {}", mention.field, at(&mention.bytes));
        }
        for (pointer, index) in items(&record, "") {
            let mut less = record.clone();
            if let Some(Value::Array(items)) = less.pointer_mut(&pointer) {
                items.remove(index);
            }
            dropped += 1;
            let left = left_rows(&document, &less, |_| std::env::args().any(|one| one == "--whole"));
            let is_told = left.len() == rows.len() + 1;
            told += usize::from(is_told);
            if shows && !is_told {
                println!(
                    "silent {name} {pointer}/{index}: {:?}",
                    record.pointer(&format!("{pointer}/{index}"))
                );
            }
        }
        for field in fields.iter().filter(|field| !field.pointer.contains('*')) {
            let mut less = record.clone();
            let Some(value) = less.pointer_mut(&field.pointer).filter(|value| !value.is_null()) else {
                continue;
            };
            let was = value.take();
            emptied += 1;
            let is_told = mentioned
                .iter()
                .any(|one| one.field == field.pointer && !is_used(&document, &less, &one.bytes));
            named += usize::from(is_told);
            if shows {
                let said = mentioned.iter().find(|one| one.field == field.pointer).map(|one| at(&one.bytes));
                println!(
                    "{} {name} {} {was}: {said:?}",
                    if is_told { "told" } else { "silent" },
                    field.pointer
                );
            }
        }
    }
    println!("{documents} documents with right records: {false_rows} rows and {false_values} values told");
    println!("items dropped: {told} of {dropped} told; fields emptied: {named} of {emptied} told");
    Ok(())
}

fn parsed(path: &Path, text: &str) -> Result<Value, Box<dyn Error>> {
    serde_json::from_str(text).map_err(|error| format!("{}: no JSON: {error}", path.to_string_lossy()).into())
}

/// A text, its record, and the schema of it, if there is one.
type LabelledFile = (PathBuf, PathBuf, Option<Value>);

fn files(folder: &Path) -> Result<Vec<LabelledFile>, Box<dyn Error>> {
    let texts = if folder.join("text").is_dir() { folder.join("text") } else { folder.to_owned() };
    let listed =
        std::fs::read_dir(&texts).map_err(|error| format!("{}: {error}", texts.to_string_lossy()))?;
    let mut found = Vec::new();
    for entry in listed {
        let text = entry?.path();
        if text.extension().is_some_and(|ending| ending == "json") {
            continue;
        }
        let beside = |name: &str| {
            let stem = text.file_stem().unwrap_or_default();
            folder.join(name).join(stem).with_extension("json")
        };
        let (label, schema) = if folder.join("labels").is_dir() {
            (beside("labels"), beside("schemas"))
        } else {
            (text.with_extension("json"), PathBuf::new())
        };
        let schema = match std::fs::read_to_string(&schema) {
            Ok(read) => Some(parsed(&schema, &read)?),
            Err(_) => None,
        };
        found.push((text, label, schema));
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

fn is_missing(record: &Value, pointer: &str) -> bool {
    record.pointer(pointer).is_none_or(Value::is_null)
}

fn items(record: &Value, at: &str) -> Vec<(String, usize)> {
    match record {
        Value::Object(members) => {
            members.iter().flat_map(|(key, member)| items(member, &format!("{at}/{key}"))).collect()
        }
        Value::Array(list) if list.iter().all(Value::is_object) => {
            let inner = list.iter().enumerate().flat_map(|(nth, item)| items(item, &format!("{at}/{nth}")));
            (0..list.len()).map(|nth| (at.to_owned(), nth)).chain(inner).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Vec::new(),
    }
}

fn of_schema(schema: &Value) -> Vec<SoughtField> {
    let mut found = Vec::new();
    schema_fields(schema, "", &mut found);
    found
}

fn schema_fields(schema: &Value, at: &str, into: &mut Vec<SoughtField>) {
    if let Some(Value::Object(members)) = schema.get("properties") {
        members.iter().for_each(|(key, member)| schema_fields(member, &format!("{at}/{key}"), into));
    } else if let Some(items) = schema.get("items") {
        schema_fields(items, &format!("{at}/*"), into);
    } else {
        let is = |kind: &str| {
            schema.get("type").is_some_and(|one| {
                one == kind || one.as_array().is_some_and(|all| all.iter().any(|one| one == kind))
            })
        };
        let sort = if is("number") || is("integer") {
            Sort::Number
        } else if schema.get("format").is_some_and(|format| format == "date") {
            Sort::Date
        } else if is("string") {
            Sort::Text
        } else {
            return;
        };
        into.push(SoughtField { pointer: at.to_owned(), sort, synonyms: Vec::new() });
    }
}

/// The fields that a record has.
fn of_record(record: &Value) -> Vec<SoughtField> {
    let mut found = Vec::new();
    record_fields(record, "", &mut found);
    found.dedup();
    found
}

fn record_fields(record: &Value, at: &str, into: &mut Vec<SoughtField>) {
    let sort = match record {
        Value::Object(members) => {
            return members
                .iter()
                .for_each(|(key, member)| record_fields(member, &format!("{at}/{key}"), into));
        }
        Value::Array(items) => {
            return items.iter().take(1).for_each(|item| record_fields(item, &format!("{at}/*"), into));
        }
        Value::Null | Value::Bool(_) => return,
        Value::Number(_) => Sort::Number,
        Value::String(_) => Sort::Text,
    };
    into.push(SoughtField { pointer: at.to_owned(), sort, synonyms: Vec::new() });
}

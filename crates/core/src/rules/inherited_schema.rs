//! `extends` in JSON Schemas: anything that a schema does not set is its parent's.

use super::inherit::hidden_by;
use super::schema::not_json;
use crate::diag::{Code, Problem, SourceFile, Span};
use crate::profile::Files;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The key, at the root of a schema. JSON Schema gives it no meaning.
const EXTENDS: &str = "extends";

/// Longest chain of `extends`.
const LONGEST_CHAIN: usize = 16;

/// Reads a schema and lays it over all that it extends: `"extends": "pathology"` is `schemas/pathology.schema.json`, in
/// a file of that name the one that ships with loopctl. Objects merge key by key, `required` lists are joined, `null`
/// takes a key away, and everything else replaces.
///
/// # Errors
/// Returns what is wrong with the file, or with one that it extends.
pub fn whole_schema(file: &Arc<SourceFile>, files: &dyn Files) -> Result<Value, Problem> {
    let mut schemas = vec![parsed(file)?];
    let mut seen = vec![Arc::clone(file)];
    while let (Some(Value::Object(last)), Some(from)) = (schemas.last_mut(), seen.last()) {
        let Some(parent) = last.remove(EXTENDS) else { break };
        let parent = parent_of(&parent, from, &seen, files)?;
        schemas.push(parsed(&parent)?);
        seen.push(parent);
    }
    Ok(schemas.into_iter().rev().reduce(laid_over).unwrap_or_default())
}

fn parsed(file: &Arc<SourceFile>) -> Result<Value, Problem> {
    serde_json::from_str(file.without_mark()).map_err(|error| not_json(file, &error))
}

fn parent_of(
    named: &Value,
    from: &Arc<SourceFile>,
    seen: &[Arc<SourceFile>],
    files: &dyn Files,
) -> Result<Arc<SourceFile>, Problem> {
    let at = from.text().find("\"extends\"").unwrap_or_default();
    let place = Span::new(from, at, at + EXTENDS.len() + 2);
    let help = "write the name of a file in `schemas`, without `.schema.json`: `\"extends\": \"pathology\"`";
    let Some(name) = named.as_str() else {
        return Err(Problem::error(Code::BadSchema, &place, "`extends` names one schema").help(help));
    };
    let path = format!("schemas/{name}.schema.json");
    let found = files.read(&path).map_err(|problem| problem.related(&place, "named here"))?;
    let found = match found {
        Some(found) if found.name() == from.name() => hidden_by(&path, from.name()).unwrap_or(found),
        Some(found) => found,
        None => {
            let message = format!("there is no schema `{path}`");
            return Err(Problem::error(Code::MissingFile, &place, message).help(help));
        }
    };
    if seen.len() >= LONGEST_CHAIN || seen.iter().any(|known| known.name() == found.name()) {
        let message = format!("the schema `{name}` extends itself, or too many others");
        return Err(Problem::error(Code::InheritanceCycle, &place, message).help("take one of the links out"));
    }
    Ok(found)
}

fn laid_over(base: Value, child: Value) -> Value {
    match (base, child) {
        (Value::Object(base), Value::Object(child)) => Value::Object(merged(base, child)),
        (_, child) => child,
    }
}

fn merged(mut base: Map<String, Value>, child: Map<String, Value>) -> Map<String, Value> {
    for (key, value) in child {
        let value = match (base.remove(&key), value) {
            (_, Value::Null) => continue,
            (Some(Value::Array(mut inherited)), Value::Array(own)) if key == "required" => {
                let new: Vec<Value> = own.into_iter().filter(|name| !inherited.contains(name)).collect();
                inherited.extend(new);
                Value::Array(inherited)
            }
            (Some(inherited), value) => laid_over(inherited, value),
            (None, value) => value,
        };
        base.insert(key, value);
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::memory::Memory;
    use serde_json::json;

    fn read(files: &Memory, name: &str) -> Result<Value, Problem> {
        let file = files.read(&format!("schemas/{name}.schema.json")).unwrap().unwrap();
        whole_schema(&file, files)
    }

    #[test]
    fn a_schema_says_what_its_parent_does_not() {
        let files = Memory::default()
            .with(
                "schemas/a.schema.json",
                r#"{"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}, "y": {}}}"#,
            )
            .with(
                "schemas/b.schema.json",
                r#"{"extends": "a", "required": ["z"], "properties": {"y": null, "z": {"type": "number"}}}"#,
            );
        let expected = json!({
            "type": "object", "required": ["x", "z"],
            "properties": {"x": {"type": "string"}, "z": {"type": "number"}},
        });
        assert_eq!(read(&files, "b").unwrap(), expected);
    }

    #[test]
    fn a_schema_extends_the_shipped_one_that_it_hides() {
        let files = Memory::default().with(
            "schemas/pathology.schema.json",
            r#"{"extends": "pathology", "properties": {"laterality": {}}}"#,
        );
        let schema = read(&files, "pathology").unwrap();
        assert!(schema["properties"]["laterality"].is_object() && schema["properties"]["grade"].is_object());
    }

    #[test]
    fn what_can_not_be_extended_is_named() {
        for (text, says) in [
            (r#"{"extends": "none"}"#, "there is no schema `schemas/none.schema.json`"),
            (r#"{"extends": "own"}"#, "extends itself"),
            (r#"{"extends": ["a"]}"#, "`extends` names one schema"),
        ] {
            let files = Memory::default().with("schemas/own.schema.json", text);
            assert!(read(&files, "own").unwrap_err().message.contains(says), "{text}");
        }
    }
}

//! A schema's word on the outermost value, as far as it tells answers from other values.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Most parts of a schema that are inspected.
const MAX_PARTS: usize = 256;
/// Deepest nesting of references and branches.
const MAX_DEPTH: usize = 16;

/// The kinds of value that a schema can want, and the members that it names.
#[derive(Debug, Default)]
pub(super) struct Expected {
    names: BTreeSet<String>,
    kinds: BTreeSet<&'static str>,
    /// Members of any name may be wanted.
    any_name: bool,
    /// Values of any kind may be wanted.
    any_kind: bool,
    parts: usize,
}

/// The words by which each part of a schema is combined with others.
const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const CONDITIONS: [&str; 2] = ["then", "else"];

impl Expected {
    pub(super) fn of(schema: &Value) -> Self {
        let mut expected = Expected::default();
        expected.read(schema, schema, 0);
        expected
    }

    /// Checks that a value is of a kind that is wanted.
    pub(super) fn takes_kind_of(&self, value: &Value) -> bool {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.any_kind || self.kinds.is_empty() || self.kinds.contains(kind)
    }

    /// Checks that an object has a member that is wanted; without members it has none that is not.
    pub(super) fn knows_a_member_of(&self, members: &Map<String, Value>) -> bool {
        self.any_name
            || self.names.is_empty()
            || members.is_empty()
            || members.keys().any(|name| self.names.contains(name))
    }

    fn read(&mut self, root: &Value, part: &Value, depth: usize) {
        self.parts += 1;
        let Value::Object(words) = part else {
            (self.any_kind, self.any_name) = (true, true);
            return;
        };
        if depth > MAX_DEPTH || self.parts > MAX_PARTS {
            (self.any_kind, self.any_name) = (true, true);
            return;
        }
        self.read_kinds(words);
        if let Some(Value::Object(properties)) = words.get("properties") {
            self.names.extend(properties.keys().cloned());
        }
        let named = |word: &str| words.get(word).is_some_and(|schema| !matches!(schema, Value::Bool(_)));
        self.any_name |= named("patternProperties") || named("additionalProperties");
        if let Some(reference) = words.get("$ref").or_else(|| words.get("$dynamicRef")) {
            let target = reference.as_str().and_then(|to| root.pointer(to.strip_prefix('#')?));
            match target {
                Some(target) => self.read(root, target, depth + 1),
                None => (self.any_kind, self.any_name) = (true, true),
            }
        }
        let branches = BRANCHES.iter().filter_map(|word| words.get(*word)?.as_array()).flatten();
        let conditions = CONDITIONS.iter().filter_map(|word| words.get(*word));
        for branch in branches.chain(conditions) {
            self.read(root, branch, depth + 1);
        }
    }

    fn read_kinds(&mut self, words: &Map<String, Value>) {
        let mut known = |name: &str| {
            const KINDS: [&str; 6] = ["null", "boolean", "number", "string", "array", "object"];
            let name = if name == "integer" { "number" } else { name };
            self.kinds.extend(KINDS.into_iter().find(|kind| *kind == name));
        };
        match words.get("type") {
            Some(Value::String(name)) => known(name),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).for_each(known),
            _ => {
                if words.contains_key("properties") || words.contains_key("required") {
                    known("object");
                }
                if words.contains_key("items") || words.contains_key("prefixItems") {
                    known("array");
                }
                self.any_kind |= words.contains_key("enum") || words.contains_key("const");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn kinds_and_members_are_found_behind_references_and_in_branches() {
        let schema = json!({ "$ref": "#/$defs/a", "$defs": {
            "a": { "anyOf": [{ "type": "object", "properties": { "x": {} } }, { "allOf": [{ "properties": { "y": {} } }] }] },
        }});
        let expected = Expected::of(&schema);
        let knows = |value: Value| expected.knows_a_member_of(value.as_object().unwrap());
        assert!(knows(json!({ "x": 1 })) && knows(json!({ "y": 1, "z": 2 })) && knows(json!({})));
        assert!(!knows(json!({ "z": 1 })));
        assert!(expected.takes_kind_of(&json!({})) && !expected.takes_kind_of(&json!([])));
        let list = Expected::of(&json!({ "items": { "type": "object" } }));
        assert!(list.takes_kind_of(&json!([])) && !list.takes_kind_of(&json!({})));
        for open in [json!(true), json!({}), json!({ "$ref": "other.json" }), json!({ "$ref": "#" })] {
            let expected = Expected::of(&open);
            assert!(expected.takes_kind_of(&json!(1)), "{open}");
            assert!(expected.knows_a_member_of(json!({ "z": 1 }).as_object().unwrap()), "{open}");
        }
    }
}

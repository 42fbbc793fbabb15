//! The parts of a schema that may apply to a location in a value: more than do in the end, never fewer.

use crate::value::{Fuel, index_of, unescape, unescape_fragment};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Most schemas inspected for one location.
const MAX_SCHEMAS: usize = 2_000;

/// The schemas that may apply to one location.
pub(super) struct Applicable<'s> {
    root: &'s Value,
    schemas: Vec<&'s Map<String, Value>>,
    /// Their identities.
    known: HashSet<usize>,
    /// `true` if there may be others: a reference that was not followed, or too many of them.
    partial: bool,
}

impl<'s> Applicable<'s> {
    fn nothing(root: &'s Value) -> Self {
        Applicable { root, schemas: Vec::new(), known: HashSet::new(), partial: false }
    }

    /// Those for the location that a JSON Pointer names. Each inspected schema is counted; without fuel, others may be
    /// left out.
    pub(super) fn at(root: &'s Value, pointer: &str, fuel: &Fuel) -> Self {
        let mut here = Applicable::nothing(root);
        here.add(root);
        for step in pointer.split('/').skip(1) {
            let mut below = Applicable { partial: here.partial, ..Applicable::nothing(root) };
            let (key, at) = (unescape(step), index_of(step));
            for schema in &here.schemas {
                for part in parts_below(schema, &key, at) {
                    below.add(part);
                }
            }
            if !fuel.spend_on(1 + below.schemas.len()) {
                here.partial = true;
                return here;
            }
            here = below;
        }
        here
    }

    fn add(&mut self, schema: &'s Value) {
        let Value::Object(members) = schema else { return };
        if self.schemas.len() >= MAX_SCHEMAS {
            self.partial = true;
            return;
        }
        if !self.known.insert(std::ptr::from_ref(members) as usize) {
            return;
        }
        self.schemas.push(members);
        for key in ["allOf", "anyOf", "oneOf"] {
            members.get(key).and_then(Value::as_array).into_iter().flatten().for_each(|part| self.add(part));
        }
        for key in ["if", "then", "else"] {
            members.get(key).into_iter().for_each(|part| self.add(part));
        }
        for key in ["dependentSchemas", "dependencies"] {
            members
                .get(key)
                .and_then(Value::as_object)
                .into_iter()
                .flat_map(Map::values)
                .for_each(|part| self.add(part));
        }
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            match reference
                .strip_prefix('#')
                .and_then(|pointer| self.root.pointer(&unescape_fragment(pointer)))
            {
                Some(target) => self.add(target),
                None => self.partial = true,
            }
        }
        if members.contains_key("$dynamicRef") || members.contains_key("$recursiveRef") {
            self.partial = true;
        }
    }

    /// Returns whether a member of the object here may be required, under whatever condition.
    pub(super) fn may_require(&self, name: &str) -> bool {
        let named = |list: &Value| list.as_array().is_some_and(|names| names.iter().any(|n| n == name));
        self.partial
            || self.schemas.iter().any(|schema| {
                schema.get("required").is_some_and(named)
                    || ["dependentRequired", "dependencies"]
                        .iter()
                        .filter_map(|key| schema.get(*key).and_then(Value::as_object))
                        .any(|lists| lists.values().any(named))
            })
    }

    /// Returns whether a schema here asks for a list.
    pub(super) fn may_be_list(&self) -> bool {
        let is_list = |schema: &&Map<String, Value>| {
            let named = match schema.get("type") {
                Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
                Some(name) => name == "array",
                None => ["items", "prefixItems"].iter().any(|key| schema.contains_key(*key)),
            };
            let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            named || listed.chain(schema.get("const")).any(Value::is_array)
        };
        self.schemas.iter().any(is_list)
    }

    /// Returns whether the schemas here declare an object with these members: most of them by name, and all of them
    /// where other names would be those of a map.
    pub(super) fn declares(&self, members: &Map<String, Value>) -> bool {
        let is_map = |schema: &&Map<String, Value>| {
            schema.contains_key("patternProperties")
                || ["additionalProperties", "unevaluatedProperties"]
                    .iter()
                    .any(|key| schema.get(*key).is_some_and(Value::is_object))
        };
        let is_named = |name: &&String| {
            self.schemas.iter().any(|schema| {
                schema.get("properties").is_some_and(|named| named.get(name.as_str()).is_some())
            })
        };
        let named = members.keys().filter(is_named).count();
        let others = members.len() - named;
        !self.partial && named > others && (others == 0 || !self.schemas.iter().any(is_map))
    }

    /// The default declared for a value here.
    pub(super) fn default(&self) -> Option<&'s Value> {
        self.schemas.iter().find_map(|schema| schema.get("default"))
    }
}

/// The parts of a schema for a member or an element.
fn parts_below<'s>(schema: &'s Map<String, Value>, key: &str, at: Option<usize>) -> Vec<&'s Value> {
    let mut parts = Vec::new();
    let mut take = |name: &str| parts.extend(schema.get(name));
    for name in [
        "additionalProperties",
        "unevaluatedProperties",
        "items",
        "additionalItems",
        "unevaluatedItems",
        "contains",
    ] {
        take(name);
    }
    parts.extend(schema.get("properties").and_then(|named| named.get(key)));
    parts
        .extend(schema.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::values));
    for name in ["prefixItems", "items"] {
        parts.extend(at.and_then(|at| schema.get(name)?.get(at)));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_may_be_required_is_found_through_references_and_branches() {
        let schema = json!({
            "$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}, "required": ["id"]}, "a/b c": {"required": ["odd"]}},
            "properties": {
                "tree": {"$ref": "#/$defs/n"},
                "odd": {"$ref": "#/$defs/a~1b%20c"},
                "list": {"items": {"anyOf": [{"required": ["x"]}, {"dependentRequired": {"y": ["z"]}}]}},
                "far": {"$ref": "https://example.com/s"},
            },
            "patternProperties": {"^p": {"if": {"required": ["q"]}}},
        });
        for (at, name, expected) in [
            ("", "tree", false),
            ("/tree", "id", true),
            ("/tree/next/next", "id", true),
            ("/tree/next", "other", false),
            ("/odd", "odd", true),
            ("/list/3", "x", true),
            ("/list/3", "z", true),
            ("/list/3", "y", false),
            ("/anything", "q", true),
            ("/far", "whatever", true),
        ] {
            assert_eq!(
                Applicable::at(&schema, at, &Fuel::of(1_000)).may_require(name),
                expected,
                "{at} {name}"
            );
        }
    }
}

//! The values that a JSON Schema allows at a path.
//!
//! If a schema leaves a location open, or says things that are not followed here, the answer is "unknown": only a path
//! that a schema rules out is worth reporting.

use crate::value::{PathStep, unescape};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Deepest chain of references and combinations that is followed.
const DEEPEST: usize = 16;

/// A location in a schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaNode<'v> {
    root: &'v Value,
    at: &'v Value,
}

/// The known locations that a path leads to.
#[derive(Debug)]
pub(super) enum Reach<'v> {
    /// Nothing.
    Unknown,
    /// These.
    Places(Vec<SchemaNode<'v>>),
    /// There are none: `holder` has no member or element for the step.
    Nothing {
        /// The number of steps that lead to the holder that lacks the next.
        steps: usize,
        /// The members that are declared there.
        known: Vec<String>,
    },
}

impl<'v> SchemaNode<'v> {
    /// The location that a whole schema describes.
    pub(super) fn whole(schema: &'v Value) -> Self {
        SchemaNode { root: schema, at: schema }
    }

    fn at(self, at: &'v Value) -> Self {
        SchemaNode { root: self.root, at }
    }

    /// The words under `type` and the values under `enum` and `const`, when every branch agrees to have only those.
    pub(super) fn values(self) -> Option<Vec<&'v Value>> {
        let branches = self.branches()?;
        branches.iter().find_map(|branch| {
            let listed = branch.get("enum").and_then(Value::as_array).map(|list| list.iter().collect());
            listed.or_else(|| branch.get("const").map(|only| vec![only]))
        })
    }

    /// Returns whether a number that this JSON Pointer leads to lies within these bounds, as far as can be determined:
    /// where a schema says nothing, it may be any number.
    pub(super) fn keeps_within(self, pointer: &str, (low, high): (f64, f64)) -> bool {
        let names = pointer.split('/').skip(1).map(|name| unescape(name).into_owned());
        let steps: Vec<PathStep> =
            names.map(|name| name.parse().map_or_else(|_| PathStep::Key(name), PathStep::Index)).collect();
        match self.reach(&steps) {
            Reach::Places(places) => places.into_iter().any(|place| place.is_within(low, high)),
            // A missing location is another mistake.
            Reach::Nothing { .. } => true,
            Reach::Unknown => false,
        }
    }

    fn is_within(self, low: f64, high: f64) -> bool {
        let within = |value: &Value| value.as_f64().is_some_and(|number| (low..=high).contains(&number));
        if let Some(values) = self.values() {
            return values.into_iter().all(|value| !value.is_number() || within(value));
        }
        let branches = self.branches().unwrap_or_default();
        let bounded = |keys: [&str; 2]| {
            branches.iter().any(|branch| keys.iter().any(|key| branch.get(*key).is_some_and(within)))
        };
        bounded(["minimum", "exclusiveMinimum"]) && bounded(["maximum", "exclusiveMaximum"])
    }

    /// Every part of the schema that applies to this location; `None` when one can't be followed.
    fn branches(self) -> Option<Vec<&'v Map<String, Value>>> {
        let mut found = Vec::new();
        self.gather(&mut found, &mut HashSet::new(), 0).then_some(found)
    }

    /// Each part once, however many references lead to it.
    fn gather(
        self,
        found: &mut Vec<&'v Map<String, Value>>,
        seen: &mut HashSet<*const Value>,
        depth: usize,
    ) -> bool {
        let members = match self.at {
            Value::Object(members) if depth <= DEEPEST => members,
            Value::Bool(false) => return true,
            _ => return false,
        };
        if !seen.insert(std::ptr::from_ref(self.at)) {
            return true;
        }
        found.push(members);
        let combined = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| members.get(key)?.as_array());
        let chosen = ["then", "else"].into_iter().filter_map(|key| members.get(key));
        if !combined.flatten().chain(chosen).all(|inner| self.at(inner).gather(found, seen, depth + 1)) {
            return false;
        }
        if members.contains_key("$dynamicRef") {
            return false;
        }
        match members.get("$ref").and_then(Value::as_str) {
            None => true,
            Some(reference) => {
                let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
                target.is_some_and(|target| self.at(target).gather(found, seen, depth + 1))
            }
        }
    }

    /// The declared members, with the schemas of their values.
    pub(super) fn members(self) -> Vec<(&'v str, SchemaNode<'v>)> {
        let branches = self.branches().unwrap_or_default();
        let declared = branches.iter().filter_map(|branch| branch.get("properties")?.as_object()).flatten();
        declared
            .filter(|(_, at)| **at != Value::Bool(false))
            .map(|(name, at)| (name.as_str(), self.at(at)))
            .collect()
    }

    /// The locations that one step leads to; `None` when anything may be there.
    fn step(self, step: &PathStep) -> Option<Vec<SchemaNode<'v>>> {
        let branches = self.branches()?;
        let mut found = Vec::new();
        let mut others = Vec::new();
        let (mut is_declared, mut holds_members, mut holds_elements) = (false, false, false);
        for branch in &branches {
            if let Some(properties) = branch.get("properties").and_then(Value::as_object) {
                (is_declared, holds_members) = (true, true);
                let wanted = properties.iter().filter(|(name, at)| {
                    **at != Value::Bool(false)
                        && match step {
                            PathStep::Key(key) => *name == key,
                            PathStep::Keys(keys) => keys.contains(name),
                            PathStep::Wildcard => true,
                            PathStep::Index(_) => false,
                        }
                });
                found.extend(wanted.map(|(_, at)| self.at(at)));
            }
            match branch.get("additionalProperties") {
                Some(Value::Bool(false)) => is_declared = true,
                Some(Value::Bool(true)) if !matches!(step, PathStep::Index(_)) => return None,
                Some(at @ Value::Object(_)) => {
                    holds_members = true;
                    others.push(self.at(at));
                }
                _ => {}
            }
            if branch.contains_key("patternProperties") || branch.contains_key("unevaluatedProperties") {
                return None;
            }
            if matches!(step, PathStep::Index(_) | PathStep::Wildcard) {
                let items = branch.get("items").into_iter().filter(|items| items.is_object());
                let first = branch.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
                found.extend(items.chain(first).map(|at| self.at(at)));
            }
            holds_elements |= branch.contains_key("items") || branch.contains_key("prefixItems");
            let types = match branch.get("type") {
                Some(Value::Array(types)) => types.iter().collect(),
                Some(one) => vec![one],
                None => Vec::new(),
            };
            is_declared |= !types.is_empty();
            holds_members |= types.iter().any(|kind| *kind == "object");
            holds_elements |= types.iter().any(|kind| *kind == "array");
        }
        if !matches!(step, PathStep::Index(_)) && (found.is_empty() || matches!(step, PathStep::Wildcard)) {
            found.append(&mut others);
        }
        if !found.is_empty() {
            return Some(found);
        }
        let has_names = branches.iter().any(|branch| branch.contains_key("properties"))
            || branches.iter().any(|branch| branch.get("additionalProperties") == Some(&Value::Bool(false)));
        let is_open = match step {
            PathStep::Key(_) | PathStep::Keys(_) => holds_members && !has_names,
            PathStep::Index(_) => holds_elements,
            PathStep::Wildcard => (holds_members && !has_names) || holds_elements,
        };
        if is_open || !is_declared { None } else { Some(Vec::new()) }
    }

    /// Follows a path.
    pub(super) fn reach(self, steps: &[PathStep]) -> Reach<'v> {
        let mut places = vec![self];
        for (at, step) in steps.iter().enumerate() {
            let mut next = Vec::new();
            for place in &places {
                match place.step(step) {
                    Some(found) => next.extend(found),
                    None => return Reach::Unknown,
                }
            }
            if next.is_empty() {
                let mut known: Vec<String> = places
                    .iter()
                    .flat_map(|place| place.members())
                    .map(|(name, _)| name.to_owned())
                    .collect();
                known.sort();
                known.dedup();
                return Reach::Nothing { steps: at, known };
            }
            let mut seen = HashSet::new();
            next.retain(|place| seen.insert(std::ptr::from_ref(place.at)));
            places = next;
        }
        Reach::Places(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::JsonPath;
    use serde_json::json;

    fn reach(schema: &Value, path: &str) -> String {
        let path = JsonPath::parse(path).unwrap();
        match SchemaNode::whole(schema).reach(path.steps().unwrap()) {
            Reach::Unknown => "unknown".to_owned(),
            Reach::Places(places) => format!("{} places", places.len()),
            Reach::Nothing { steps, known } => format!("nothing after {steps}: {}", known.join(" ")),
        }
    }

    #[test]
    fn what_a_schema_rules_out_is_found_and_what_it_leaves_open_is_not() {
        let schema = json!({
            "type": "object",
            "properties": {
                "grade": { "type": "string" },
                "markers": { "type": "object", "additionalProperties": { "type": "string" } },
                "sizes": { "type": "array", "items": { "$ref": "#/$defs/size" } },
                "notes": {},
                "anything": { "type": "object" },
                "either": { "anyOf": [{ "type": "string" }, { "properties": { "a": true } }] },
                "elsewhere": { "$ref": "https://example.org/x.json" },
            },
            "$defs": { "size": { "type": "object", "properties": { "mm": { "type": "number" } } } },
        });
        for (path, expected) in [
            ("$.grade", "1 places"),
            ("$.grad", "nothing after 0: anything either elsewhere grade markers notes sizes"),
            ("$.grade.value", "nothing after 1: "),
            ("$.markers.ER", "1 places"),
            ("$.markers.*", "1 places"),
            ("$.markers.ER.value", "nothing after 2: "),
            ("$.sizes[*].mm", "1 places"),
            ("$.sizes[0].cm", "nothing after 2: mm"),
            ("$.sizes.mm", "nothing after 1: "),
            ("$.notes.a.b", "unknown"),
            ("$.anything.a", "unknown"),
            ("$.either.a", "1 places"),
            ("$.either.b", "nothing after 1: a"),
            ("$.elsewhere.a", "unknown"),
            ("$.*", "7 places"),
        ] {
            assert_eq!(reach(&schema, path), expected, "{path}");
        }
    }

    #[test]
    fn scores_are_bounded_where_a_schema_says_so() {
        let schema = json!({
            "type": "object",
            "properties": {
                "plain": { "type": "number" },
                "half": { "type": "number", "maximum": 1 },
                "percent": { "type": "number", "minimum": 0, "maximum": 100 },
                "whole": { "type": "number", "minimum": 0, "maximum": 1 },
                "steps": { "enum": [0, 0.5, 1] },
                "stars": { "enum": [1, 2, 3] },
                "named": { "$ref": "#/$defs/share" },
                "inner": { "type": "object", "properties": { "a/b": { "$ref": "#/$defs/share" } } },
                "open": { "type": "object" },
            },
            "$defs": { "share": { "type": "number", "exclusiveMinimum": 0, "maximum": 1.0 } },
        });
        let open = ["/plain", "/half", "/percent", "/stars", "/open/score"];
        let kept = ["/whole", "/steps", "/named", "/inner/a~1b"];
        for (pointer, expected) in open.map(|at| (at, false)).into_iter().chain(kept.map(|at| (at, true))) {
            assert_eq!(SchemaNode::whole(&schema).keeps_within(pointer, (0.0, 1.0)), expected, "{pointer}");
        }
    }
}

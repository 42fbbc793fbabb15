//! Lists and objects at locations where the answer's schema has none: their content may be right, and no one would find
//! it there.
//!
//! Only the structure is inspected, not how single values are written, and without an allocation if there is no issue.

use super::issue::Issue;
use super::wording::plain_issue;
use crate::rules::AnswerSchema;
use crate::value::{Fuel, Item, Segment, Severity, push_segment, unescape_fragment};
use serde_json::{Map, Value};

/// The code of an issue about a list or an object in the wrong place.
const SCHEMA_TYPE: &str = "SCHEMA_TYPE";
/// Deepest nesting of schemas that is inspected.
const MAX_DEPTH: usize = 64;

/// Types as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kinds {
    list: bool,
    object: bool,
    scalar: bool,
}

/// A value whose structure its schema does not have.
#[derive(Debug)]
struct Misfit {
    found: &'static str,
    wanted: Kinds,
    /// The way to it, from its end.
    way: Vec<String>,
}

/// The issue about the structure of a field of a candidate, if its schemas have another one.
pub(super) fn issue(schemas: &[AnswerSchema], name: &str, item: Item<'_>, fuel: &Fuel) -> Option<Issue> {
    let misfit = |one: &AnswerSchema| {
        let look = Look { root: &one.schema, fuel };
        match &one.into {
            None => look.member(&one.schema, name, item, 0).err(),
            Some(field) if *field == name => look.value(&one.schema, item, 0).err(),
            Some(_) => None,
        }
    };
    let misfit = schemas.iter().find_map(misfit)?;
    let mut pointer = String::new();
    push_segment(&mut pointer, Segment::Key(name));
    for step in misfit.way.iter().rev() {
        push_segment(&mut pointer, Segment::Key(step));
    }
    let message = format!("`{pointer}` is {}; expected {}", misfit.found, misfit.wanted.in_words());
    Some(plain_issue(SCHEMA_TYPE, Severity::Critical, pointer, message))
}

/// The issue about a whole candidate that is a list where its schemas have an object.
pub(super) fn issue_of_whole(schemas: &[AnswerSchema], item: Item<'_>, fuel: &Fuel) -> Option<Issue> {
    let whole = schemas.iter().filter(|one| one.into.is_none());
    let mut misfits =
        whole.filter_map(|one| Look { root: &one.schema, fuel }.value(&one.schema, item, 0).err());
    let misfit = misfits.find(|misfit| misfit.way.is_empty())?;
    let message = format!("the answer is {}; expected {}", misfit.found, misfit.wanted.in_words());
    Some(plain_issue(SCHEMA_TYPE, Severity::Critical, "", message))
}

impl Kinds {
    const ANY: Kinds = Kinds { list: true, object: true, scalar: true };

    fn of(schema: &Map<String, Value>) -> Self {
        let names = match schema.get("type") {
            Some(Value::Array(names)) => names.as_slice(),
            Some(name @ Value::String(_)) => std::slice::from_ref(name),
            _ => return Kinds::ANY,
        };
        let has = |name: &str| names.iter().any(|known| known == name);
        let scalars = ["string", "number", "integer", "boolean"];
        Kinds { list: has("array"), object: has("object"), scalar: scalars.into_iter().any(has) }
    }

    fn in_words(self) -> String {
        let words = [(self.object, "an object"), (self.list, "a list"), (self.scalar, "a single value")];
        words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect::<Vec<_>>().join(" or ")
    }

    /// Returns the kind of a value, if these have no room for it.
    fn refuse(self, item: Item<'_>) -> Option<&'static str> {
        match item {
            Item::Map(_) if !self.object => Some("an object"),
            // One plain value in a list is that value.
            Item::List(branch) if !self.list => {
                let is_plain = |child: Item<'_>| !matches!(child, Item::List(_) | Item::Map(_));
                let is_one = branch.len() == 1 && self.scalar && item.elements().all(is_plain);
                (!is_one).then_some("a list")
            }
            Item::Null | Item::Bool(_) | Item::Number(_) | Item::Text(_) | Item::Map(_) | Item::List(_) => {
                None
            }
        }
    }
}

struct Look<'s> {
    root: &'s Value,
    fuel: &'s Fuel,
}

impl Look<'_> {
    /// Inspects a value.
    fn value(&self, schema: &Value, item: Item<'_>, depth: usize) -> Result<(), Misfit> {
        let Value::Object(members) = schema else { return Ok(()) };
        // A value with nothing in it is missing, wherever it is.
        if depth > MAX_DEPTH || !self.fuel.spend(1) || !item.is_present() {
            return Ok(());
        }
        let wanted = Kinds::of(members);
        if let Some(found) = wanted.refuse(item) {
            return Err(Misfit { found, wanted, way: Vec::new() });
        }
        if let Item::List(branch) | Item::Map(branch) = item {
            for (segment, child) in branch.children() {
                let (below, step) = match segment {
                    Segment::Key(name) => (part_for(members, name), name),
                    Segment::Index(_) => {
                        (members.get("items").filter(|_| !members.contains_key("prefixItems")), "")
                    }
                };
                let Some(below) = below else { continue };
                self.value(below, child, depth + 1).map_err(|mut misfit| {
                    misfit.way.push(match segment {
                        Segment::Key(_) => step.to_owned(),
                        Segment::Index(at) => at.to_string(),
                    });
                    misfit
                })?;
            }
        }
        self.others(members, depth, &|part, depth| self.value(part, item, depth))
    }

    /// Inspects a member of the value that a schema describes.
    fn member(&self, schema: &Value, name: &str, item: Item<'_>, depth: usize) -> Result<(), Misfit> {
        let Value::Object(members) = schema else { return Ok(()) };
        if depth > MAX_DEPTH {
            return Ok(());
        }
        if let Some(part) = part_for(members, name) {
            self.value(part, item, depth + 1)?;
        }
        self.others(members, depth, &|part, depth| self.member(part, name, item, depth))
    }

    /// Inspects the schemas that a schema is made of in the same way.
    fn others(
        &self,
        members: &Map<String, Value>,
        depth: usize,
        look: &dyn Fn(&Value, usize) -> Result<(), Misfit>,
    ) -> Result<(), Misfit> {
        let parts = |key: &str| members.get(key).and_then(Value::as_array).into_iter().flatten();
        for part in parts("allOf") {
            look(part, depth + 1)?;
        }
        let target = members
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|pointer| self.root.pointer(&unescape_fragment(pointer)));
        if let Some(target) = target {
            look(target, depth + 1)?;
        }
        for key in ["anyOf", "oneOf"] {
            let mut nearest: Option<Misfit> = None;
            for part in parts(key) {
                match look(part, depth + 1) {
                    Ok(()) => {
                        nearest = None;
                        break;
                    }
                    Err(misfit)
                        if nearest.as_ref().is_none_or(|known| known.way.len() < misfit.way.len()) =>
                    {
                        nearest = Some(misfit);
                    }
                    Err(_) => {}
                }
            }
            if let Some(misfit) = nearest {
                return Err(misfit);
            }
        }
        Ok(())
    }
}

/// The schema of a member: by its name, or of any other.
fn part_for<'s>(members: &'s Map<String, Value>, name: &str) -> Option<&'s Value> {
    let named = members.get("properties").and_then(|named| named.get(name));
    named.or_else(|| {
        members.get("additionalProperties").filter(|_| !members.contains_key("patternProperties"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn only_lists_and_objects_in_the_wrong_place_are_told() {
        let schema = json!({"properties": {
            "text": {"type": "string"},
            "map": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
            "list": {"type": "array", "items": {"$ref": "#/$defs/record"}},
            "either": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/record"}]},
            "any": {},
        }, "$defs": {"record": {"type": "object", "properties": {"name": {"type": "string"}, "sizes": {"type": "array"}}}}});
        let schemas = [AnswerSchema { into: None, schema: Arc::new(schema) }];
        let whole = |value: &Value| issue_of_whole(&schemas, Item::from(value), &Fuel::of(1_000)).is_some();
        assert!(!whole(&json!({"text": ["x", "y"]})));
        for (name, value, expected) in [
            ("text", json!("x"), None),
            ("text", json!(5), None),
            ("text", json!(["x"]), None),
            ("text", json!([]), None),
            ("text", json!(null), None),
            ("text", json!(["x", "y"]), Some("`/text` is a list; expected a single value")),
            ("text", json!({"a": 1}), Some("`/text` is an object; expected a single value")),
            ("map", json!({"ER": "positive", "PR": null}), None),
            (
                "map",
                json!({"ER": {"result": "positive"}}),
                Some("`/map/ER` is an object; expected a single value"),
            ),
            ("map", json!([{"marker": "ER"}]), Some("`/map` is a list; expected an object")),
            (
                "map",
                json!([{"marker": "ER"}, {"marker": "PR"}]),
                Some("`/map` is a list; expected an object"),
            ),
            ("list", json!([{"name": "x", "sizes": [1]}]), None),
            ("list", json!({"name": "x"}), Some("`/list` is an object; expected a list")),
            (
                "list",
                json!([{"name": {"text": "x"}}]),
                Some("`/list/0/name` is an object; expected a single value"),
            ),
            ("list", json!([["x", "y"]]), Some("`/list/0` is a list; expected an object")),
            ("either", json!("x"), None),
            ("either", json!({"name": "x"}), None),
            (
                "either",
                json!({"name": ["x", "y"]}),
                Some("`/either/name` is a list; expected a single value"),
            ),
            ("any", json!([{"a": [1, 2]}]), None),
            ("other", json!({"a": 1}), None),
        ] {
            let found = issue(&schemas, name, Item::from(&value), &Fuel::of(1_000));
            assert_eq!(found.as_ref().map(|issue| issue.message.as_str()), expected, "{name} {value}");
        }
    }
}

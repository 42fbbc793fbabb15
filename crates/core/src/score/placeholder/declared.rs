//! The parts of answer schemas that apply to one location of a candidate.

use crate::rules::AnswerSchema;
use crate::value::unescape_fragment;
use serde_json::{Map, Value};

/// Most parts that are inspected for one location.
const MAX_PARTS: usize = 200;

/// The parts of schemas that apply to one location; none where nothing is known about it.
#[derive(Clone, Default)]
pub(super) struct Declared<'s>(Vec<Part<'s>>);

#[derive(Clone, Copy)]
struct Part<'s> {
    root: &'s Value,
    schema: &'s Map<String, Value>,
}

impl<'s> Declared<'s> {
    /// The location of the candidate itself.
    pub(super) fn top(schemas: &'s [AnswerSchema]) -> Self {
        let mut found = Declared::default();
        for one in schemas.iter().filter(|one| one.into.is_none()) {
            found.add(&one.schema, &one.schema);
        }
        found
    }

    /// The location of a member of the candidate.
    pub(super) fn field(&self, name: &str, schemas: &'s [AnswerSchema]) -> Self {
        let mut found = self.member(name);
        for one in schemas.iter().filter(|one| one.into.as_deref() == Some(name)) {
            found.add(&one.schema, &one.schema);
        }
        found
    }

    fn add(&mut self, root: &'s Value, schema: &'s Value) {
        let Value::Object(members) = schema else { return };
        if self.0.len() >= MAX_PARTS || self.0.iter().any(|known| std::ptr::eq(known.schema, members)) {
            return;
        }
        self.0.push(Part { root, schema: members });
        for key in ["allOf", "anyOf", "oneOf"] {
            let parts = members.get(key).and_then(Value::as_array);
            parts.into_iter().flatten().for_each(|part| self.add(root, part));
        }
        for key in ["then", "else"] {
            members.get(key).into_iter().for_each(|part| self.add(root, part));
        }
        let target = members
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|pointer| root.pointer(&unescape_fragment(pointer)));
        target.into_iter().for_each(|target| self.add(root, target));
    }

    /// The location of a member.
    pub(super) fn member(&self, name: &str) -> Self {
        let mut found = Declared::default();
        for Part { root, schema } in &self.0 {
            let named = schema.get("properties").and_then(|named| named.get(name));
            let other = schema.get("additionalProperties").filter(|_| named.is_none());
            named.into_iter().chain(other).for_each(|part| found.add(root, part));
        }
        found
    }

    /// The location of an element.
    pub(super) fn element(&self) -> Self {
        let mut found = Declared::default();
        for Part { root, schema } in &self.0 {
            let items = schema.get("items").into_iter();
            let first = schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
            items.chain(first).for_each(|part| found.add(root, part));
        }
        found
    }

    /// Returns whether nothing is known about the location.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a member of this name is a field: declared by name, or of an object without declarations. The
    /// names in a map are data.
    pub(super) fn is_field(&self, name: &str) -> bool {
        let is_named =
            |part: &Part<'_>| part.schema.get("properties").is_some_and(|named| named.get(name).is_some());
        let takes_any = |part: &Part<'_>| {
            part.schema.contains_key("patternProperties")
                || part.schema.get("additionalProperties").is_some_and(Value::is_object)
        };
        self.0.iter().any(is_named) || !self.0.iter().any(takes_any)
    }

    /// Returns whether the schema allows this text by name.
    pub(super) fn allows(&self, text: &str) -> bool {
        self.0.iter().any(|part| {
            let listed = part.schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            listed.chain(part.schema.get("const")).any(|one| one.as_str() == Some(text))
        })
    }

    /// The titles that the schema gives the location.
    pub(super) fn titles(&self) -> impl Iterator<Item = &'s str> {
        self.texts("title")
    }

    /// The descriptions that the schema gives the location.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = &'s str> {
        self.texts("description")
    }

    /// The values that the schema gives as examples.
    pub(super) fn examples(&self) -> impl Iterator<Item = &'s Value> {
        self.0
            .iter()
            .flat_map(|part| part.schema.get("examples").and_then(Value::as_array).into_iter().flatten())
    }

    /// The names of types and formats that the schema has for the location.
    pub(super) fn types(&self) -> impl Iterator<Item = &'s str> {
        self.0.iter().flat_map(|part| {
            let types = match part.schema.get("type") {
                Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
                Some(Value::String(one)) => vec![one.as_str()],
                _ => Vec::new(),
            };
            types.into_iter().chain(part.schema.get("format").and_then(Value::as_str))
        })
    }

    fn texts(&self, key: &'static str) -> impl Iterator<Item = &'s str> {
        self.0.iter().filter_map(move |part| part.schema.get(key).and_then(Value::as_str))
    }

    /// The names of the members that the location has, if it has no others.
    pub(super) fn closed(&self) -> Option<Vec<&'s str>> {
        let others = |part: &Part<'s>| part.schema.get("additionalProperties");
        let takes_more = |part: &Part<'s>| {
            others(part).is_some_and(|others| *others != Value::Bool(false))
                || part.schema.contains_key("patternProperties")
        };
        let is_closed = self.0.iter().any(|part| others(part) == Some(&Value::Bool(false)))
            && !self.0.iter().any(takes_more);
        let named = self.0.iter().flat_map(|part| part.schema.get("properties").and_then(Value::as_object));
        is_closed.then(|| named.flat_map(Map::keys).map(String::as_str).collect())
    }
}

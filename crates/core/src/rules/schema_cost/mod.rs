//! The cost of a JSON Schema, before it is compiled and before a value is checked against it.
//!
//! A reference is one line and may lead to everything: ten `$ref`s in a row, ten definitions deep, are 10^10 schemas
//! for one value. The validator visits each of them. So the schemas that apply to one value are counted first, each
//! definition once however often it is referred to ([`Limits::of`]); and where several of them lead on to the same
//! member, so that every level of a value multiplies them, the visits of that value are counted, too
//! ([`Limits::admits`]). Anything that is too much is refused with its location, instead of being tried.

mod references;
mod visits;

use crate::value::{Segment, push_segment};
use references::Targets;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::fmt;
use visits::Visits;

/// Most schemas that may apply to one value, through all references.
const MAX_FOR_ONE_VALUE: u64 = 20_000;
/// Most parts that compiling may come to: below a keyword `unevaluated…`, parts are compiled again.
const MAX_PARTS: u64 = 250_000;
/// Most schemas that may apply because of each other; each takes room on the stack.
const MAX_CHAIN: usize = 200;
/// Like [`MAX_CHAIN`], times the levels of a value.
const MAX_STACK: usize = 600;
/// Most schemas and copied values for a whole candidate.
const MAX_VISITS: u64 = 5_000_000;
/// Most steps spent on finding that out.
const MAX_STEPS: u64 = 2_000_000;
/// The number of allowed values from which they are worth counting: all of them are copied into the error about a value
/// that is none of them.
const LONG_LIST: u64 = 100;
/// The count for a schema that is not in the document: those that describe schemas.
const ELSEWHERE: u64 = 100;

/// The reason why a schema, or a value checked against it, is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// Too many schemas for one value.
    #[error(
        "at {0} more than {MAX_FOR_ONE_VALUE} schemas apply to one value, counting what its `$ref`s lead to"
    )]
    Wide(SchemaPlace),
    /// Too many references in a row.
    #[error("at {0} more than {MAX_CHAIN} references and branches lead on to each other")]
    Long(SchemaPlace),
    /// Too many parts.
    #[error(
        "at {0} it comes to more than {MAX_PARTS} parts: below `unevaluatedProperties` and `unevaluatedItems` each part counts again"
    )]
    Large(SchemaPlace),
    /// A schema for a value that asks for itself about the same value.
    #[error("at {0} it leads back to itself for the same value, so that checking would never end")]
    Circular(SchemaPlace),
    /// Too many visits of one value.
    #[error(
        "checking this value takes more than {MAX_VISITS} steps, because several branches of the schema check the same members at each level, or many of its values are none of a long `enum`"
    )]
    Value,
}

/// A location in a schema, as a JSON Pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaPlace(String);

impl fmt::Display for SchemaPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("its root") } else { write!(f, "`{}`", self.0) }
    }
}

/// The counts of a schema that is within all limits.
#[derive(Debug, Clone, Default)]
pub(super) struct Limits {
    /// Most schemas for one value.
    wide: u64,
    /// Most schemas for one value that lead on to the same member.
    fan: u64,
    /// Longest chain of schemas for one value.
    chain: usize,
    /// Most values that one schema allows by name.
    allowed: u64,
    /// The schema, if values have to be inspected.
    schema: Option<Value>,
}

impl Limits {
    /// Counts a schema.
    ///
    /// # Errors
    /// Returns what there is too much of, and where.
    pub(super) fn of(schema: &Value) -> Result<Self, TooMuch> {
        let targets = Targets::of(schema);
        let mut known =
            Known { targets: &targets, one: HashMap::new(), parts: HashMap::new(), circular: false };
        let mut limits = Limits::default();
        let mut parts = 0_u64;
        // Anything that is wrong deep down is wrong above it, too: the location of the innermost helps.
        for (schema, place) in reachable(schema, &targets).into_iter().rev() {
            let one = known.one(schema, 0);
            if known.circular {
                return Err(TooMuch::Circular(SchemaPlace(place)));
            }
            if one.chain >= MAX_CHAIN {
                return Err(TooMuch::Long(SchemaPlace(place)));
            }
            if one.wide > MAX_FOR_ONE_VALUE {
                return Err(TooMuch::Wide(SchemaPlace(place)));
            }
            let own = known.parts(schema, 0);
            parts = parts.saturating_add(own.marks).saturating_add(1);
            if parts > MAX_PARTS || own.all > MAX_PARTS {
                return Err(TooMuch::Large(SchemaPlace(place)));
            }
            limits.wide = limits.wide.max(one.wide);
            limits.fan = limits.fan.max(one.fan);
            limits.chain = limits.chain.max(one.chain + 1);
            limits.allowed = limits.allowed.max(allowed(schema));
        }
        if limits.fan > 1 || limits.chain > 4 || limits.allowed > LONG_LIST {
            limits.schema = Some(schema.clone());
        }
        Ok(limits)
    }

    /// The number of steps it takes to check a value against the schema, if each part applies to each value in it. No
    /// bound where levels multiply: those have one of their own.
    pub(super) fn steps(&self, value: &Value) -> u64 {
        size(value).0.saturating_mul(self.wide.clamp(1, 16))
    }

    /// Checks that a value may be validated by the schema.
    ///
    /// # Errors
    /// Returns [`TooMuch::Value`] if that would take too many steps.
    pub(super) fn admits(&self, value: &Value) -> Result<(), TooMuch> {
        let Some(schema) = &self.schema else { return Ok(()) };
        let (nodes, levels) = size(value);
        let deep = u32::try_from(levels).unwrap_or(u32::MAX);
        let each = if self.allowed > LONG_LIST { self.wide.saturating_mul(self.allowed) } else { self.wide };
        let most = nodes.saturating_mul(each).saturating_mul(self.fan.saturating_pow(deep));
        if most <= MAX_VISITS && levels.saturating_add(1).saturating_mul(self.chain) <= MAX_STACK {
            return Ok(());
        }
        let targets = Targets::of(schema);
        let mut visits = Visits { targets: &targets, known: HashMap::new(), sizes: HashMap::new(), steps: 0 };
        let all = visits.of(schema, value, 0).checks;
        if all > MAX_VISITS || visits.steps > MAX_STEPS { Err(TooMuch::Value) } else { Ok(()) }
    }
}

/// The number of values in a value, itself included, and the number of levels below it.
fn size(value: &Value) -> (u64, usize) {
    let below = |all: (u64, usize), item: &Value| {
        let (nodes, levels) = size(item);
        (all.0 + nodes, all.1.max(levels + 1))
    };
    match value {
        Value::Array(items) => items.iter().fold((1, 0), below),
        Value::Object(members) => members.values().fold((1, 0), below),
        _ => (1, 0),
    }
}

/// The number of values in those that a schema allows by name.
fn allowed(schema: &Value) -> u64 {
    ["enum", "const"].into_iter().filter_map(|key| schema.get(key)).map(|values| size(values).0).sum()
}

/// A part of a schema that applies to the same value as the schema itself.
fn in_place(schema: &Map<String, Value>) -> impl Iterator<Item = (&str, Option<Segment<'_>>, &Value)> {
    let lists =
        ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| Some((key, schema.get(key)?.as_array()?)));
    let lists = lists.flat_map(|(key, list)| {
        list.iter().enumerate().map(move |(at, part)| (key, Some(Segment::Index(at)), part))
    });
    let ones =
        ["not", "if", "then", "else"].into_iter().filter_map(|key| Some((key, None, schema.get(key)?)));
    let maps = ["dependentSchemas", "dependencies"]
        .into_iter()
        .filter_map(|key| Some((key, schema.get(key)?.as_object()?)))
        .flat_map(|(key, map)| map.iter().map(move |(name, part)| (key, Some(Segment::Key(name)), part)));
    lists.chain(ones).chain(maps)
}

const FOR_ALL_MEMBERS: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "propertyNames"];
const FOR_ALL_ITEMS: [&str; 4] = ["additionalItems", "contains", "unevaluatedItems", "items"];

/// A part of a schema that applies to members or elements.
fn below(schema: &Map<String, Value>) -> impl Iterator<Item = (&str, Option<Segment<'_>>, &Value)> {
    let maps = ["properties", "patternProperties"]
        .into_iter()
        .filter_map(|key| Some((key, schema.get(key)?.as_object()?)))
        .flat_map(|(key, map)| map.iter().map(move |(name, part)| (key, Some(Segment::Key(name)), part)));
    let ones = FOR_ALL_MEMBERS
        .into_iter()
        .chain(FOR_ALL_ITEMS)
        .filter_map(|key| schema.get(key).filter(|part| part.is_object()).map(|part| (key, None, part)));
    let lists = ["prefixItems", "items"]
        .into_iter()
        .filter_map(|key| Some((key, schema.get(key)?.as_array()?)))
        .flat_map(|(key, list)| {
            list.iter().enumerate().map(move |(at, part)| (key, Some(Segment::Index(at)), part))
        });
    maps.chain(ones).chain(lists)
}

/// Returns whether a schema marks what its parts have evaluated.
fn marks(schema: &Map<String, Value>) -> bool {
    schema.contains_key("unevaluatedProperties") || schema.contains_key("unevaluatedItems")
}

fn id(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

/// Every schema that can be reached, with its location; outer ones first.
fn reachable<'s>(root: &'s Value, targets: &Targets<'s>) -> Vec<(&'s Value, String)> {
    let mut seen = HashSet::new();
    let mut found = vec![(root, String::new())];
    seen.insert(id(root));
    let mut next = 0;
    while let Some((schema, place)) = found.get(next).cloned() {
        next += 1;
        let Value::Object(members) = schema else { continue };
        for (key, step, part) in in_place(members).chain(below(members)) {
            if seen.insert(id(part)) {
                let mut at = format!("{place}/{key}");
                if let Some(step) = step {
                    push_segment(&mut at, step);
                }
                found.push((part, at));
            }
        }
        for (target, at) in targets.named_in(members) {
            if seen.insert(id(target)) {
                found.push((target, at));
            }
        }
    }
    found
}

/// The schemas that apply to one value because of one schema.
#[derive(Debug, Clone, Copy, Default)]
struct One {
    /// Schemas.
    wide: u64,
    /// Those of them that lead on to members and elements.
    fan: u64,
    /// The number of them that lead on to each other.
    chain: usize,
}

/// The number of parts that compiling a schema comes to.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    all: u64,
    /// For marking what has been evaluated.
    marks: u64,
}

/// The counts of schemas that are known, by identity.
struct Known<'t, 's> {
    targets: &'t Targets<'s>,
    /// `None` while it is being determined.
    one: HashMap<usize, Option<One>>,
    circular: bool,
    parts: HashMap<usize, Parts>,
}

impl<'s> Known<'_, 's> {
    fn one(&mut self, schema: &'s Value, depth: usize) -> One {
        let Value::Object(members) = schema else { return One { wide: 1, fan: 0, chain: 0 } };
        if let Some(known) = self.one.get(&id(schema)) {
            self.circular |= known.is_none();
            return known.unwrap_or_default();
        }
        if depth >= MAX_CHAIN {
            return One { wide: 1, fan: 0, chain: MAX_CHAIN };
        }
        self.one.insert(id(schema), None);
        let mut all = One { wide: 1, fan: own_fan(members), chain: 0 };
        let named = self.targets.named_in(members);
        if named.is_empty() && members.contains_key("$ref") {
            all.wide = ELSEWHERE;
        }
        for part in
            in_place(members).map(|(.., part)| part).chain(named.into_iter().map(|(target, _)| target))
        {
            let one = self.one(part, depth + 1);
            all.wide = all.wide.saturating_add(one.wide);
            all.fan = all.fan.saturating_add(one.fan);
            all.chain = all.chain.max(one.chain + 1);
        }
        if marks(members) {
            // Each part is asked once more whether it holds.
            all.wide = all.wide.saturating_mul(2);
            all.fan = all.fan.saturating_mul(2);
        }
        self.one.insert(id(schema), Some(all));
        all
    }

    fn parts(&mut self, schema: &'s Value, depth: usize) -> Parts {
        let Value::Object(members) = schema else { return Parts { all: 1, marks: 0 } };
        if let Some(known) = self.parts.get(&id(schema)) {
            return *known;
        }
        // Deeper than a parser reads.
        if depth >= MAX_CHAIN {
            return Parts { all: u64::MAX, marks: u64::MAX };
        }
        let mut parts = Parts { all: 1, marks: 0 };
        for (.., part) in in_place(members) {
            let part = self.parts(part, depth + 1);
            parts.all = parts.all.saturating_add(part.all);
            parts.marks = parts.marks.saturating_add(part.all).saturating_add(part.marks);
        }
        for (key, _, part) in below(members) {
            let part = self.parts(part, depth + 1);
            parts.all = parts.all.saturating_add(part.all);
            if key.starts_with("unevaluated") || key.starts_with("additional") {
                parts.marks = parts.marks.saturating_add(part.all);
            }
        }
        if marks(members) {
            parts.all = parts.all.saturating_add(parts.marks);
        }
        self.parts.insert(id(schema), parts);
        parts
    }
}

/// The number of a schema's own keywords that may lead to the same member or element.
fn own_fan(members: &Map<String, Value>) -> u64 {
    let patterns = members.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
    let named = ["properties", "additionalProperties"].iter().any(|key| members.contains_key(*key));
    let listed = ["items", "prefixItems", "additionalItems"].iter().any(|key| members.contains_key(*key));
    let more = ["unevaluatedProperties", "unevaluatedItems", "contains"]
        .iter()
        .filter(|key| members.get(**key).is_some_and(Value::is_object))
        .count();
    let objects = u64::from(named).saturating_add(u64::try_from(patterns).unwrap_or(u64::MAX));
    objects.max(u64::from(listed)).saturating_add(u64::try_from(more).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Definitions of ten references each, so many deep; `wrap` says what a definition makes of its references.
    fn chained(deep: usize, wrap: impl Fn(Vec<Value>) -> Value) -> Value {
        let mut defs = Map::new();
        for at in 0..deep {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            defs.insert(format!("d{at}"), wrap(vec![next; 10]));
        }
        defs.insert(format!("d{deep}"), json!({"type": "string"}));
        json!({"$defs": defs, "$ref": "#/$defs/d0"})
    }

    fn refused(schema: &Value) -> String {
        Limits::of(schema).unwrap_err().to_string()
    }

    #[test]
    fn what_references_multiply_is_refused_with_its_place() {
        for key in ["allOf", "anyOf", "oneOf"] {
            let schema = chained(16, |all| json!({key: all}));
            assert!(
                refused(&schema).starts_with("at `/$defs/d12` more than 20000 schemas"),
                "{}",
                refused(&schema)
            );
            assert!(Limits::of(&chained(3, |all| json!({key: all}))).is_ok());
        }
        let marking = chained(12, |all| json!({"allOf": all, "unevaluatedProperties": false}));
        assert!(refused(&marking).contains("schemas apply to one value"));
        let mut nested = json!({"type": "object"});
        for _ in 0..60 {
            nested = json!({"unevaluatedProperties": nested});
        }
        assert!(refused(&nested).contains("parts"), "{}", refused(&nested));
        let hidden = json!({"$id": "https://a.b/root", "$ref": "inner", "$defs": {"inner": {
            "$id": "inner", "$ref": "#/$defs/d0", "$defs": chained(16, |all| json!({"allOf": all}))["$defs"],
        }}});
        assert!(refused(&hidden).contains("/$defs/inner/$defs/d12"), "{}", refused(&hidden));
        assert!(refused(&json!({"allOf": [{"$ref": "#"}]})).contains("leads back to itself"));
        let long: Map<String, Value> =
            (0..400).map(|at| (format!("d{at}"), json!({"$ref": format!("#/$defs/d{}", at + 1)}))).collect();
        assert!(refused(&json!({"$defs": long, "$ref": "#/$defs/d0"})).contains("lead on to each other"));
    }

    #[test]
    fn a_value_that_every_level_multiplies_is_refused_and_a_flat_one_is_not() {
        let schema = chained(
            16,
            |all| json!({"allOf": all.into_iter().map(|one| json!({"properties": {"a": one}})).collect::<Vec<_>>()}),
        );
        let limits = Limits::of(&schema).unwrap();
        let deep = |levels: usize| (0..levels).fold(json!("x"), |value, _| json!({"a": value}));
        assert!(limits.admits(&deep(4)).is_ok());
        assert_eq!(limits.admits(&deep(12)), Err(TooMuch::Value));
        let flat: Map<String, Value> = (0..10_000).map(|at| (format!("f{at}"), json!(at))).collect();
        assert!(limits.admits(&Value::Object(flat)).is_ok());
        // A tree that describes itself, once a level.
        let tree = json!({"properties": {"next": {"$ref": "#"}, "a": {"$ref": "#"}}, "anyOf": [{"required": ["a"]}, {}]});
        assert!(Limits::of(&tree).unwrap().admits(&deep(90)).is_ok());
    }

    #[test]
    fn values_that_are_none_of_a_long_list_are_counted_with_it() {
        let names: Vec<String> = (0..5_000).map(|at| format!("v{at}")).collect();
        for schema in [
            json!({"additionalProperties": {"enum": names}}),
            json!({"additionalProperties": {"$ref": "#/$defs/one"}, "$defs": {"one": {"enum": names}}}),
            json!({"additionalProperties": {"const": names}}),
        ] {
            let limits = Limits::of(&schema).unwrap();
            let wrong = |count: usize| -> Value {
                (0..count).map(|at| (format!("k{at}"), json!(format!("w{at}")))).collect::<Map<_, _>>().into()
            };
            assert_eq!(limits.admits(&wrong(100)), Ok(()));
            assert_eq!(limits.admits(&wrong(4_000)), Err(TooMuch::Value));
        }
        let limits = Limits::of(&json!({"additionalProperties": {"enum": names}})).unwrap();
        let right: Map<String, Value> = names.iter().map(|name| (name.clone(), json!(name))).collect();
        assert_eq!(limits.admits(&right.into()), Ok(()));
    }

    #[test]
    fn what_stands_elsewhere_is_not_taken_for_the_schema_itself() {
        for reference in ["file:///etc/passwd", "https://example.com/other"] {
            assert!(Limits::of(&json!({"$ref": reference})).is_ok(), "{reference}");
        }
        let named = |reference: &str| json!({"$id": "https://example.com/other", "$ref": reference});
        for schema in [named("https://example.com/other"), named("other"), json!({"$ref": "json-schema:///"})]
        {
            assert!(refused(&schema).contains("leads back to itself"), "{schema}");
        }
    }

    #[test]
    fn visits_are_counted_once_for_each_schema_and_value() {
        let steps = |levels: usize| {
            let schema = chained(
                levels,
                |all| json!({"allOf": all.into_iter().map(|one| json!({"properties": {"a": one}})).collect::<Vec<_>>()}),
            );
            let value = (0..levels).fold(json!("x"), |value, _| json!({"a": value}));
            let targets = Targets::of(&schema);
            let mut visits =
                Visits { targets: &targets, known: HashMap::new(), sizes: HashMap::new(), steps: 0 };
            let checks = visits.of(&schema, &value, 0).checks;
            (visits.steps, checks)
        };
        let ((few, checks), (more, multiplied)) = (steps(4), steps(8));
        assert!(more <= few * 5 / 2, "{few} {more}");
        assert!(multiplied > checks * 1_000, "{checks} {multiplied}");
    }
}

//! Extraction itself: patterns and a source text in, fields and notes out. Pure.

use loopctl_plugin_sdk::protocol::{RequestAssertions, RequestParts};
use serde_json::{Map, Value};

use crate::focus::{Focus, Keys};
use crate::patterns::{Absent, FieldKind, Patterns};
pub use crate::search::MAX_MATCHES;
use crate::search::Search;
use crate::sections::SectionSearch;

/// The result of an extraction.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// The fields found, in the pattern file's order. A field that was not found is absent.
    pub fields: Map<String, Value>,
    /// One line for each field that was searched for and not found, or that could not be improved. Names fields, never
    /// quotes the document.
    pub notes: Vec<String>,
    /// The text that a pattern matched, by the JSON Pointer of the value that was read there. A value of `base` has
    /// none, nor has the whole document.
    pub quotes: Vec<(String, String)>,
}

/// The first attempt: the patterns of tier 0 of every field.
#[must_use]
pub fn extract(patterns: &Patterns, source: &str) -> Extraction {
    extract_with(patterns, source, Known::default())
}

/// The host's findings in a document.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Its parts.
    pub parts: &'a [RequestParts],
    /// The assertions in it.
    pub assertions: Option<&'a RequestAssertions>,
}

/// Like [`extract`], for a document in which the host has found something.
#[must_use]
pub fn extract_with(patterns: &Patterns, source: &str, known: Known<'_>) -> Extraction {
    let Known { parts, assertions } = known;
    let sections = SectionSearch::find(patterns, source, assertions);
    let mut fields = Map::new();
    let mut notes = Vec::new();
    let mut quotes = Vec::new();
    for (name, field) in &patterns.fields {
        let search = Search { name, field, source, sections: &sections, tiers: 0..1, within: None };
        if field.kind == FieldKind::Each {
            if let Some(found) = search.each(parts_of(parts, name), &[], &Keys::new()) {
                quotes.extend(found.quotes(name, source));
                fields.insert(name.clone(), found.value);
            }
            continue;
        }
        match search.all(None) {
            Some(found) if found.is_ambiguous => {
                notes.push(format!("{name}: the document says several things"));
                fields.insert(format!("{name}_status"), Value::String(AMBIGUOUS.to_owned()));
            }
            Some(found) => {
                quotes.extend(found.quotes(name, source));
                fields.insert(name.clone(), found.value);
            }
            None => notes.push(format!("{name}: not found by its strict patterns")),
        }
    }
    Extraction { fields, notes, quotes }
}

/// A correction of `base`: the fields in `focus` are searched for again, with patterns up to `tier`; all other fields
/// of `base` stay as they are.
///
/// * A text or number: the first match of the wider patterns (tier 1 to `tier`) that says something other than `base`;
///   for a field that `base` lacks, also of the strict ones. When nothing else is found, the value of `base` stays if
///   the document says it, and goes if it does not.
/// * An object or list: keys and items that were complained about are searched for again, others stay, newly found ones
///   are added.
/// * An item of a part: its members that were complained about are searched for again in its part, and those that it
///   lacks; a part without an item gets one.
#[must_use]
pub fn correct(
    patterns: &Patterns,
    source: &str,
    base: &Map<String, Value>,
    focus: &Focus,
    tier: u32,
) -> Extraction {
    correct_with(patterns, source, Known::default(), base, focus, tier)
}

/// Like [`correct`], for a document in which the host has found something.
#[must_use]
pub fn correct_with(
    patterns: &Patterns,
    source: &str,
    known: Known<'_>,
    base: &Map<String, Value>,
    focus: &Focus,
    tier: u32,
) -> Extraction {
    let Known { parts, assertions } = known;
    let sections = SectionSearch::find(patterns, source, assertions);
    let mut fields = base.clone();
    let mut notes = Vec::new();
    let mut quotes = Vec::new();
    for (name, keys) in focus {
        let status = format!("{name}_status");
        let Some((_, field)) = patterns.fields.iter().find(|(declared, _)| declared == name) else {
            notes.push(format!("{name}: no patterns are declared for it"));
            continue;
        };
        let search = Search {
            name,
            field,
            source,
            sections: &sections,
            tiers: 0..tier.saturating_add(1),
            within: None,
        };
        // Feedback on a field that was said to be not present refutes the claim; it is not made again.
        let refuted = fields.remove(&status).is_some();
        let before = fields.get(name).filter(|value| !is_blank(value)).cloned();
        let found = match (field.kind, before.as_ref()) {
            (FieldKind::Each, before) => {
                let old = before.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                search.each(parts_of(parts, name), old, keys)
            }
            (_, None) => search.all(None),
            (FieldKind::Object, Some(Value::Object(old))) => search.again_object(old, keys),
            (FieldKind::List, Some(Value::Array(old))) => search.again_list(old, keys),
            (_, Some(old)) => search.again(old),
        };
        match found {
            Some(found) if found.is_ambiguous => {
                fields.remove(name);
                notes.push(format!("{name}: the document says several things"));
                fields.insert(status, Value::String(AMBIGUOUS.to_owned()));
            }
            Some(found) => {
                quotes.extend(found.quotes(name, source));
                let value = found.value;
                if before.as_ref() == Some(&value) {
                    notes.push(format!("{name}: nothing better found by patterns up to tier {tier}"));
                }
                fields.insert(name.clone(), value);
            }
            None => {
                fields.remove(name);
                let absent = field.absent.as_ref().filter(|absent| tier >= absent.after && !refuted);
                let is_mentioned =
                    |absent: &Absent| absent.unless.as_ref().is_some_and(|unless| unless.is_match(source));
                if absent.is_some_and(|absent| !is_mentioned(absent)) {
                    fields.insert(status, Value::String("not_present".to_owned()));
                    notes.push(format!("{name}: no pattern finds it, so it is declared absent"));
                } else {
                    notes.push(format!("{name}: not found by patterns up to tier {tier}; left out"));
                }
            }
        }
    }
    Extraction { fields: in_declared_order(patterns, fields), notes, quotes }
}

fn parts_of<'p>(parts: &'p [RequestParts], list: &str) -> Option<&'p RequestParts> {
    parts.iter().find(|parts| parts.list == list)
}

/// The value of `<field>_status` where the document says several things.
const AMBIGUOUS: &str = "ambiguous";

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn in_declared_order(patterns: &Patterns, mut fields: Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for name in patterns.field_names() {
        for name in [name.to_owned(), format!("{name}_status")] {
            if let Some(value) = fields.remove(&name) {
                out.insert(name, value);
            }
        }
    }
    out.extend(fields);
    out
}

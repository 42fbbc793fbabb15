//! Parts of resources: texts, concepts, extensions, absent values, and references.

use super::NAMES;
use crate::rules::{Coding, Concept};
use crate::value::digest_bytes;
use serde_json::{Map, Value, json};

/// Longest text, in bytes: the limit of FHIR is 1 MB.
const LONGEST_TEXT: usize = 1_000_000;

/// Adds a member where there is something to say.
pub(super) fn add(resource: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        resource.insert(name.to_owned(), value);
    }
}

/// Adds a list where it has something in it.
pub(super) fn add_list(
    resource: &mut Map<String, Value>,
    name: &str,
    items: impl IntoIterator<Item = Value>,
) {
    let items: Vec<Value> = items.into_iter().collect();
    add(resource, name, (!items.is_empty()).then(|| items.into()));
}

/// A text as FHIR allows it: not blank, without control characters but tabs and ends of lines, and not too long.
pub(super) fn text(text: &str) -> Option<Value> {
    let clean = |c: char| if c.is_control() && !matches!(c, '\t' | '\r' | '\n') { '\u{fffd}' } else { c };
    let cleaned: String = text.trim().chars().map(clean).collect();
    let end = (0..=cleaned.len().min(LONGEST_TEXT)).rev().find(|at| cleaned.is_char_boundary(*at))?;
    let kept = cleaned.get(..end)?;
    (!kept.is_empty()).then(|| kept.into())
}

/// The concept of something, else its name.
pub(super) fn concept(known: Option<&Concept>, name: &str) -> Value {
    let coding = |coding: &Coding| {
        let mut written = json!({ "system": coding.system, "code": coding.code });
        if let (Value::Object(members), Some(display)) = (&mut written, &coding.display) {
            add(members, "display", text(display));
        }
        written
    };
    let own = known.and_then(|known| known.text.as_deref()).unwrap_or(name);
    let mut written = Map::new();
    add(&mut written, "text", text(own).or_else(|| Some("a field without a name".into())));
    add_list(&mut written, "coding", known.iter().flat_map(|known| &known.coding).map(coding));
    written.into()
}

/// The reason why there is no value: HL7's code for what should be known and is not, and in words what that means here.
pub(super) fn absent(why: &str) -> Value {
    json!({
        "coding": [{
            "system": "http://terminology.hl7.org/CodeSystem/data-absent-reason",
            "code": "unknown",
            "display": "Unknown",
        }],
        "text": why,
    })
}

/// An extension of ours with parts; `None` without any.
pub(super) fn extension(name: &str, parts: Vec<Value>) -> Option<Value> {
    (!parts.is_empty()).then(|| json!({ "url": format!("{NAMES}{name}"), "extension": parts }))
}

/// A part of an extension, or an extension with one value, which is named by a URI.
pub(super) fn part(name: &str, kind: &str, value: Option<Value>) -> Option<Value> {
    value.map(|value| json!({ "url": name, (format!("value{kind}")): value }))
}

/// A count, where FHIR has a number for it.
pub(super) fn count(count: usize) -> Option<Value> {
    i32::try_from(count).ok().map(Value::from)
}

/// A URI made of names (UUID of version 8): the same each time.
pub(super) fn uri(names: &[&str]) -> String {
    let mut whole = Vec::new();
    for name in names {
        whole.extend_from_slice(&(name.len() as u64).to_be_bytes());
        whole.extend_from_slice(name.as_bytes());
    }
    let digest = digest_bytes(&whole);
    let digits = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        digits(0, 8),
        digits(8, 12),
        digits(12, 15),
        digits(15, 18),
        digits(18, 30)
    )
}

/// A moment as FHIR writes it.
pub(super) fn instant(moment: &str) -> Option<Value> {
    moment.parse::<jiff::Timestamp>().ok().map(|moment| moment.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_fhir_allows_them() {
        assert_eq!(text("  a\u{0}b\n"), Some("a\u{fffd}b".into()));
        assert_eq!(text(" \n\t"), None);
        let long = "ß".repeat(LONGEST_TEXT);
        assert_eq!(text(&long).unwrap().as_str().unwrap().len(), LONGEST_TEXT);
    }

    #[test]
    fn a_uri_depends_on_every_name_and_where_it_ends() {
        let one = uri(&["ab", "c"]);
        assert_eq!(one, uri(&["ab", "c"]));
        assert_ne!(one, uri(&["a", "bc"]));
        assert_eq!((one.len(), one.get(23..24)), ("urn:uuid:".len() + 36, Some("8")));
    }
}

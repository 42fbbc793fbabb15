//! The fields of a document as observations.

use super::element::{absent, add_list, concept, count, extension, part, text};
use super::{FhirExport, FhirStatus, Resource};
use crate::export::cell::iso_date;
use crate::export::corrections::is_within;
use crate::export::document::ExportedDocument;
use crate::score::{LeafEvidence, Support, is_name_of_date};
use crate::value::{PagePassage, escape, is_present};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The suffix of the status of a field in an extraction (`grade_status`), and the meaning of statuses without a value.
const STATUS: &str = "_status";
const STATUSES: [(&str, &str); 3] = [
    ("not_present", "the extraction says that the document has nothing about it"),
    ("ambiguous", "the extraction says that the document says several things of it"),
    ("present", "the extraction says that the document has it, and gives no value"),
];
const NULL: &str = "the extraction has no value for it";
const MISSING: &str = "it was not extracted";

/// The observations of a document, each with its status.
pub(super) fn observations(
    export: &FhirExport<'_>,
    document: &ExportedDocument,
    status: FhirStatus,
) -> Vec<(Resource, FhirStatus)> {
    let fields: BTreeMap<&str, &Value> = document.fields().collect();
    let writer = Writer { export, document, status, evidence: document.evidence().collect() };
    let mut observed = Vec::new();
    let mut known = BTreeSet::new();
    for (name, value) in document.fields() {
        let says = |status: &str| STATUSES.iter().find(|(known, _)| *known == status);
        let (name, value) = match name.strip_suffix(STATUS).zip(value.as_str().and_then(says)) {
            // The value itself is present, too.
            Some((of, _)) if fields.get(of).is_some_and(|value| is_present(value)) => continue,
            Some((of, (_, why))) => (of, Err(*why)),
            None if is_present(value) => (name, Ok(value)),
            None if fields.contains_key(format!("{name}{STATUS}").as_str()) => continue,
            None => (name, Err(NULL)),
        };
        if export.terms.filled_in.contains(name) || !known.insert(name.to_owned()) {
            continue;
        }
        match value {
            Ok(value) => observed.extend(writer.field(name, value)),
            Err(why) => observed.push(writer.absent(name, why)),
        }
    }
    for name in document.validation().iter().flat_map(|validation| &validation.missing) {
        // A rubric names what is deeper by a path of its own.
        let is_field = !name.contains(['.', '[', '/', '$']) && !export.terms.filled_in.contains(&**name);
        if is_field && known.insert(name.to_string()) {
            observed.push(writer.absent(name, MISSING));
        }
    }
    observed
}

struct Writer<'w> {
    export: &'w FhirExport<'w>,
    document: &'w ExportedDocument,
    status: FhirStatus,
    evidence: BTreeMap<&'w str, LeafEvidence<'w>>,
}

impl Writer<'_> {
    /// The observations of a field: one, or one for each item of a list.
    fn field(&self, name: &str, value: &Value) -> Vec<(Resource, FhirStatus)> {
        let path = format!("/{}", escape(name));
        match value {
            Value::Array(items) => {
                let items = items.iter().enumerate().filter(|(_, item)| is_present(item));
                items.map(|(at, item)| self.observation(name, &format!("{path}/{at}"), item)).collect()
            }
            value => vec![self.observation(name, &path, value)],
        }
    }

    fn absent(&self, name: &str, why: &str) -> (Resource, FhirStatus) {
        let mut content = self.begin(name, self.status);
        content.insert("dataAbsentReason".to_owned(), absent(why));
        let path = format!("/{}", escape(name));
        add_list(&mut content, "extension", self.correction(&path));
        (self.resource(&path, content), self.status)
    }

    fn observation(&self, name: &str, path: &str, value: &Value) -> (Resource, FhirStatus) {
        let mut leaves = Vec::new();
        leaves_of(value, path, String::new(), &mut leaves);
        let doubtful = leaves.iter().any(|(path, ..)| self.is_doubtful(path));
        let status = if doubtful { FhirStatus::Preliminary } else { self.status };
        let mut content = self.begin(name, status);
        match value {
            Value::Object(_) | Value::Array(_) => {
                add_list(&mut content, "extension", self.correction(path));
                let components: Vec<Value> = leaves
                    .iter()
                    .filter_map(|(path, label, value)| self.component(path, label, value))
                    .collect();
                if components.is_empty() {
                    content.insert("dataAbsentReason".to_owned(), absent(NULL));
                } else {
                    content.insert("component".to_owned(), components.into());
                }
            }
            value => {
                let about = self.evidence(path).into_iter().chain(self.correction(path));
                add_list(&mut content, "extension", about);
                match self.value(name, value) {
                    Some((kind, value)) => content.insert(format!("value{kind}"), value),
                    None => content.insert("dataAbsentReason".to_owned(), absent(NULL)),
                };
            }
        }
        (self.resource(path, content), status)
    }

    fn begin(&self, name: &str, status: FhirStatus) -> Map<String, Value> {
        let mut content = Map::new();
        content.insert("resourceType".to_owned(), "Observation".into());
        content.insert("status".to_owned(), status.as_str().into());
        content.insert("code".to_owned(), concept(self.export.terms.fields.get(name), name));
        content
    }

    fn resource(&self, path: &str, content: Map<String, Value>) -> Resource {
        Resource::new(self.export, self.document, path, content.into())
    }

    fn component(&self, path: &str, label: &str, value: &Value) -> Option<Value> {
        let key = label.rsplit('.').next().unwrap_or(label);
        let (kind, value) = self.value(key, value)?;
        let mut component = Map::new();
        add_list(&mut component, "extension", self.evidence(path));
        component.insert("code".to_owned(), concept(None, label));
        component.insert(format!("value{kind}"), value);
        Some(component.into())
    }

    /// A value, with the type that FHIR knows it by.
    fn value(&self, name: &str, value: &Value) -> Option<(&'static str, Value)> {
        match value {
            Value::Bool(truth) => Some(("Boolean", (*truth).into())),
            Value::Number(number) => {
                let whole = number.as_i64().and_then(|whole| i32::try_from(whole).ok());
                Some(match (self.export.terms.units.get(name), whole) {
                    (Some(unit), _) => ("Quantity", json!({ "value": number, "unit": unit })),
                    (None, Some(whole)) => ("Integer", whole.into()),
                    (None, None) => ("Quantity", json!({ "value": number })),
                })
            }
            Value::String(said) if is_name_of_date(name) && iso_date(said).is_some() => {
                Some(("DateTime", said.as_str().into()))
            }
            Value::String(said) => text(said).map(|said| ("String", said)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Returns whether the document leaves a value in doubt, or also has another.
    fn is_doubtful(&self, path: &str) -> bool {
        self.evidence.get(path).is_some_and(|leaf| leaf.support >= Support::Undecided)
    }

    fn evidence(&self, path: &str) -> Option<Value> {
        let leaf = self.evidence.get(path)?;
        let parts = [
            part("support", "String", Some(leaf.support.as_str().into())),
            part("quote", "String", leaf.quote.and_then(text)),
            part("start", "Integer", leaf.span.and_then(|span| count(span.start))),
            part("end", "Integer", leaf.span.and_then(|span| count(span.end))),
        ];
        let places = leaf.places.iter().filter_map(place);
        extension("evidence", parts.into_iter().flatten().chain(places).collect())
    }

    /// The reviewer who changed the value or confirmed it, the time, and whether they inspected it.
    fn correction(&self, path: &str) -> Option<Value> {
        let about = || {
            let all = self.document.corrected.iter();
            all.filter(|applied| is_within(&applied.path, path) || applied.replaces(path))
        };
        let changed = about().rfind(|applied| !applied.confirms());
        let name = if changed.is_some() { "correction" } else { "confirmation" };
        let applied = changed.or_else(|| about().next_back())?;
        let at = applied.at.map(|at| at.to_string().into());
        let parts = [
            part("reviewer", "String", text(applied.who())),
            part("at", "Instant", at),
            part("how", "String", text(applied.how.as_str())),
        ];
        extension(name, parts.into_iter().flatten().collect())
    }
}

/// A place of a passage: the page, and its boxes as JSON.
fn place(place: &PagePassage) -> Option<Value> {
    let boxes = serde_json::to_string(&place.boxes).ok().map(Value::from);
    let parts = [part("page", "Integer", count(place.page)), part("boxes", "String", boxes)];
    Some(json!({ "url": "places", "extension": parts.into_iter().flatten().collect::<Vec<_>>() }))
}

/// The values within a value that are neither lists nor mappings, each with its path, and a label such as `sizes.0.mm`.
fn leaves_of<'v>(value: &'v Value, path: &str, label: String, leaves: &mut Vec<(String, String, &'v Value)>) {
    let below = |step: &str| if label.is_empty() { step.to_owned() } else { format!("{label}.{step}") };
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                leaves_of(member, &format!("{path}/{}", escape(name)), below(name), leaves);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                leaves_of(item, &format!("{path}/{at}"), below(&at.to_string()), leaves);
            }
        }
        leaf => leaves.push((path.to_owned(), label, leaf)),
    }
}

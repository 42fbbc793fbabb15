//! A document as a bundle.

use super::element::{add, add_list, concept, count, extension, part, text};
use super::observation::observations;
use super::provenance::provenance;
use super::{FhirExport, FhirStatus, NAMES, Resource};
use crate::export::cell::in_decimals;
use crate::export::document::ExportedDocument;
use crate::review::ReviewState;
use serde_json::{Map, Value, json};

/// The bundle of a document that has an extraction, and was not rejected by a reviewer; `None` of any other.
pub fn bundle(export: &FhirExport<'_>, document: &ExportedDocument) -> Option<Value> {
    let extraction = document.result.as_ref()?.best_extraction.as_ref()?;
    extraction.as_object()?;
    if document.reviewed == Some(ReviewState::Rejected) {
        return None;
    }
    let status = FhirStatus::of(document);
    let observed = observations(export, document, status);
    // A report of which some part is preliminary is not final.
    let status = observed.iter().fold(status, |whole, (_, of)| whole.max(*of));
    let observed: Vec<Resource> = observed.into_iter().map(|(resource, _)| resource).collect();
    let report = report(export, document, status, &observed);
    let targets = std::iter::once(&report).chain(&observed).map(Resource::reference).collect();
    let provenance = provenance(export, document, targets);
    let mut bundle = Map::new();
    bundle.insert("resourceType".to_owned(), "Bundle".into());
    bundle
        .insert("identifier".to_owned(), identifier("bundle", &format!("{}/{}", export.run.id, document.id)));
    bundle.insert("type".to_owned(), "collection".into());
    add(&mut bundle, "timestamp", export.ended());
    let entries = std::iter::once(report).chain(observed).chain([provenance]).map(Resource::into_entry);
    bundle.insert("entry".to_owned(), entries.collect());
    Some(bundle.into())
}

fn identifier(what: &str, value: &str) -> Value {
    json!({ "system": format!("{NAMES}{what}"), "value": text(value) })
}

fn report(
    export: &FhirExport<'_>,
    document: &ExportedDocument,
    status: FhirStatus,
    observed: &[Resource],
) -> Resource {
    let mut content = Map::new();
    content.insert("resourceType".to_owned(), "DiagnosticReport".into());
    add_list(&mut content, "extension", decided(document));
    content.insert("identifier".to_owned(), json!([identifier("document", &document.id)]));
    content.insert("status".to_owned(), status.as_str().into());
    let known = export.terms.types.get(&document.document_type);
    content.insert("code".to_owned(), concept(known, &document.document_type));
    add(&mut content, "issued", export.ended());
    add_list(&mut content, "result", observed.iter().map(Resource::reference));
    Resource::new(export, document, "report", content.into())
}

/// The decision about the document.
fn decided(document: &ExportedDocument) -> Option<Value> {
    let result = document.result.as_ref()?;
    let overall = document.validation().and_then(|validation| in_decimals(validation.overall));
    let parts = [
        part("decision", "String", text(document.decision.as_str())),
        part("final-status", "String", text(result.final_status.as_str())),
        part("stop-reason", "String", text(&result.stop_reason.to_string())),
        part("needs-review", "Boolean", Some(result.review.into())),
        part("reviewed", "String", document.reviewed.and_then(|state| text(state.as_str()))),
        part("disputed", "String", text(&document.disputed.join(", "))),
        part("overall", "Decimal", overall.map(Value::Number)),
        part("iterations", "Integer", count(result.iteration_count)),
    ];
    extension("decision", parts.into_iter().flatten().collect())
}

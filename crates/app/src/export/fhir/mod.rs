//! A document as a FHIR R4 bundle: a diagnostic report, an observation for each field, and their provenance.
//!
//! - `bundle`: the whole and the report; `observation`: a field; `provenance`: the run;
//! - `element`: the parts of these.
//!
//! A document that was not accepted, or needs review, is never `final`. Codes are only those of the profile's rubric.

mod bundle;
mod element;
mod observation;
mod provenance;

pub use bundle::bundle;

use super::columns::ExportedRun;
use super::document::ExportedDocument;
use crate::rules::ExportTerms;
use serde_json::{Value, json};

/// The base of the names of our extensions and identifiers. Nothing has to answer there.
const NAMES: &str = "https://github.com/loopctl/loopctl/fhir/";

/// The status of a document or field: whether it may be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FhirStatus {
    /// It passed, does not need review, and no review of it is open or ended in a rejection.
    Final,
    /// Anything else.
    Preliminary,
}

impl FhirStatus {
    fn of(document: &ExportedDocument) -> Self {
        if document.is_final() { FhirStatus::Final } else { FhirStatus::Preliminary }
    }

    fn as_str(self) -> &'static str {
        match self {
            FhirStatus::Final => "final",
            FhirStatus::Preliminary => "preliminary",
        }
    }
}

/// The data that bundles are made from.
#[derive(Debug)]
pub struct FhirExport<'a> {
    /// The run whose documents are exported.
    pub run: &'a ExportedRun,
    /// The codes and units that the profile's rubrics give, and the fields that the host fills in.
    pub terms: &'a ExportTerms,
}

impl FhirExport<'_> {
    /// The time at which the run ended or, while it has not, began.
    fn ended(&self) -> Option<Value> {
        element::instant(self.run.finished_at.as_deref().unwrap_or(&self.run.started_at))
    }
}

/// A resource, and the URI by which others refer to it.
#[derive(Debug)]
struct Resource {
    uri: String,
    content: Value,
}

impl Resource {
    /// A resource of a document; `part` distinguishes it from the others. The same resource has the same URI each time.
    fn new(export: &FhirExport<'_>, document: &ExportedDocument, part: &str, content: Value) -> Self {
        Resource { uri: element::uri(&[&export.run.id, &document.id, part]), content }
    }

    fn reference(&self) -> Value {
        json!({ "reference": self.uri })
    }

    fn into_entry(self) -> Value {
        json!({ "fullUrl": self.uri, "resource": self.content })
    }
}

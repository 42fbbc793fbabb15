//! A document of a run with its result and what was decided about it.

use super::decision::Decision;
use super::fields::{DeclaredFields, ReviewField, fields_of};
use super::reviewed::Reviewed;
use crate::result::DocumentResult;
use crate::value::{canonical, digest_bytes};
use serde_json::Value;
use std::sync::Arc;

/// A document that people decide about.
#[derive(Debug)]
pub(crate) struct ReviewDocument {
    /// What its run came to.
    pub(crate) result: DocumentResult,
    /// Tells the result from any other of the document, and from one of another version of it.
    pub(crate) shown: String,
    /// What the profile declares of its fields.
    pub(crate) declared: Arc<DeclaredFields>,
    /// What was decided, in the order in which it was kept.
    pub(crate) decisions: Vec<Decision>,
}

impl ReviewDocument {
    /// A result of a document whose bytes have this digest.
    pub(crate) fn new(
        result: DocumentResult,
        source_digest: &str,
        declared: Arc<DeclaredFields>,
        decisions: Vec<Decision>,
    ) -> Self {
        let extraction = result.best_extraction.as_deref().map(canonical).unwrap_or_default();
        let shown = digest_bytes(format!("{source_digest}\n{extraction}").as_bytes());
        ReviewDocument { result, shown, declared, decisions }
    }

    /// Its id.
    pub(crate) fn id(&self) -> &str {
        self.result.id.as_str()
    }

    /// What was extracted.
    pub(crate) fn extraction(&self) -> &Value {
        self.result.best_extraction.as_deref().unwrap_or(&Value::Null)
    }

    /// The fields of an extraction of this document.
    pub(crate) fn fields(&self, extraction: &Value) -> Vec<ReviewField> {
        let missing = self.result.best_validation.iter().flat_map(|validation| &validation.missing);
        fields_of(extraction, missing.map(|name| &**name), &self.declared)
    }

    /// What the decisions come to.
    pub(crate) fn reviewed(&self) -> Reviewed {
        Reviewed::of(self)
    }
}

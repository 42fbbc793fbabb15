//! The form that answers of models are to have: the schemas and examples that they are shown. An answer that only gives
//! these back says nothing about a document.

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The schemas that answers must follow, and the examples in prompts.
#[derive(Debug, Default)]
pub struct Answers {
    /// By document type: each schema, and the field of the candidate that the answer goes into, if it is not the candidate.
    pub schemas: BTreeMap<String, Vec<AnswerSchema>>,
    /// Examples of candidates.
    pub examples: Vec<Value>,
}

impl Answers {
    /// The schemas for a document type.
    #[must_use]
    pub fn of(&self, document_type: &str) -> &[AnswerSchema] {
        self.schemas.get(document_type).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The schema of one answer.
#[derive(Debug, Clone)]
pub struct AnswerSchema {
    /// The field that the answer goes into; `None` when the answer is the candidate.
    pub into: Option<String>,
    /// The schema, with all that it extends.
    pub schema: Arc<Value>,
}

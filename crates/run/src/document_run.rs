//! The state for carrying out the loop of one document.

use super::call::CallRunner;
use super::consultants::ConsultedProviders;
use super::document_log::DocumentLog;
use super::trace::DocumentTrace;
use crate::exchange::{Attached, PreparedCorrection, Task};
use crate::ingest::DocumentReader;
use crate::plan::DocumentContext;
use crate::provider::protocol::DocumentRef;
use crate::result::ExplanationBuilder;
use crate::score::{Assessor, Source};
use crate::value::DocumentId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The data that the loop of one document needs.
pub(super) struct DocumentRun<'a> {
    pub(super) reference: DocumentRef,
    pub(super) id: DocumentId,
    /// The name of its file, if it has one.
    pub(super) file_name: Option<String>,
    /// The whole text.
    pub(super) text: &'a str,
    /// The text that the stages see.
    pub(super) masked: String,
    /// Its file and pictures of its pages, as far as calls get them.
    pub(super) attached: Option<Attached>,
    /// The reader of its file.
    pub(super) reader: &'a DocumentReader,
    /// The bytes of its file, if pages of that can be drawn.
    pub(super) file: Option<Arc<Vec<u8>>>,
    /// Variables of prompts that are its own.
    pub(super) variables: &'a BTreeMap<String, String>,
    /// Its references, by judge.
    pub(super) references: BTreeMap<String, String>,
    pub(super) source: Arc<Source>,
    pub(super) context: DocumentContext,
    /// Candidate 0, if it was supplied; taken when it is used.
    pub(super) supplied: Option<Arc<Value>>,
    /// The providers that it asks.
    pub(super) consulted: &'a ConsultedProviders,
    pub(super) assessor: Option<Assessor>,
    pub(super) calls: Arc<CallRunner>,
    /// The log of what happens.
    pub(super) log: DocumentLog,
    /// The feedback of the correction that the document was left with, when its run is resumed; taken when it is used.
    pub(super) prepared: Option<PreparedCorrection>,
    /// The warnings from before the loop began.
    pub(super) warnings: Vec<String>,
    pub(super) trace: DocumentTrace,
    pub(super) explanation: ExplanationBuilder,
}

impl DocumentRun<'_> {
    pub(super) fn task(&self) -> Task<'_> {
        Task {
            document: &self.reference,
            source: &self.masked,
            unmasked: self.text,
            attached: self.attached.as_ref(),
            file_name: self.file_name.as_deref(),
            references: &self.references,
            variables: Some(self.variables),
            feedback: None,
        }
    }
}

//! What carrying out the loop of one document takes.

use super::asked::Asked;
use super::call::Calls;
use super::document_log::DocumentLog;
use super::trace::DocumentTrace;
use crate::exchange::Task;
use crate::plan::TypedAs;
use crate::provider::protocol::{Attachment, DocumentRef};
use crate::result::ExplanationBuilder;
use crate::score::{Assessor, Source};
use crate::value::{DocumentId, Millis};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the loop of one document needs at hand.
pub(super) struct DocumentRun<'a> {
    pub(super) reference: DocumentRef,
    pub(super) typed: TypedAs,
    pub(super) id: DocumentId,
    /// The name of its file, if it is one.
    pub(super) file_name: Option<String>,
    /// The whole text.
    pub(super) text: &'a str,
    /// What the stages see of it.
    pub(super) masked: String,
    pub(super) attached: Option<Attachment>,
    /// Variables of prompts that are its own.
    pub(super) variables: &'a BTreeMap<String, String>,
    /// By judge.
    pub(super) references: BTreeMap<String, String>,
    pub(super) source: Arc<Source>,
    /// Candidate 0, if it was supplied; taken when it is used.
    pub(super) supplied: Option<Arc<Value>>,
    /// Whom it asks.
    pub(super) asked: &'a Asked,
    pub(super) assessor: Option<Assessor>,
    pub(super) calls: Arc<Calls>,
    /// Where what happens is kept.
    pub(super) log: DocumentLog,
    /// When the latest input came in. All that it causes is recorded with this time: replaying the record must give
    /// the run the times that it saw.
    pub(super) at: Millis,
    /// What was to be said before the loop began.
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

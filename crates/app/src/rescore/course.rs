//! The record of a document's run with which its candidates can be scored again without asking anyone.

use crate::engine::{DocumentState, Event, IterationState};
use crate::ingest::Document;
use crate::plan::Plan;
use crate::policy::{Decision, Spent};
use crate::score::{Assessment, Quotes};
use crate::value::{DocumentId, Millis};
use serde_json::Value;
use std::sync::Arc;

/// A document, and what its run made of it.
#[derive(Debug, Clone)]
pub struct RunTrace {
    pub(super) document: Document,
    /// The type that a person named.
    pub(super) given_type: Option<String>,
    /// The type that the run worked with.
    pub(super) document_type: String,
    /// Names of the panel's members, in its order.
    members: Vec<Arc<str>>,
    state: DocumentState,
}

/// One candidate that was decided upon.
#[derive(Debug, Clone, Copy)]
pub(super) struct DecidedCandidate<'a> {
    pub(super) candidate: &'a Arc<Value>,
    pub(super) quotes: &'a Quotes,
    /// The iteration that it was corrected from.
    pub(super) base: Option<usize>,
    /// The time and money that the run had spent when it was decided upon.
    pub(super) spent: Spent,
    pub(super) assessment: &'a Assessment,
    pub(super) decision: &'a Decision,
    of: &'a IterationState,
    members: &'a [Arc<str>],
}

impl<'a> DecidedCandidate<'a> {
    /// Returns the last answer of the judge or validator of this name; `None` if it was not asked.
    pub(super) fn said_by(&self, name: &str) -> Option<Result<&'a Arc<Value>, &'a str>> {
        self.of.said_by(self.members.iter().position(|member| member.as_ref() == name)?)
    }
}

impl RunTrace {
    /// The course of a document whose run begins; `given_type` is the type that a person named.
    #[must_use]
    pub fn new(plan: &Plan, document: Document, given_type: Option<String>) -> Self {
        let members = plan.panel.members().iter().map(|member| Arc::clone(&member.id)).collect();
        let state = DocumentState::default();
        RunTrace { document, given_type, document_type: String::new(), members, state }
    }

    /// The document's name.
    #[must_use]
    pub fn id(&self) -> &DocumentId {
        &self.document.id
    }

    /// Records the type that the run works with.
    pub fn typed(&mut self, document_type: &str) {
        document_type.clone_into(&mut self.document_type);
    }

    /// Records what happened in the run, `at` after it began.
    pub fn see(&mut self, at: Millis, event: &Event) {
        self.state.apply(at, event);
    }

    /// The candidates that were decided upon.
    pub(super) fn decided(&self) -> impl Iterator<Item = DecidedCandidate<'_>> {
        self.state.iterations().iter().filter_map(|of| {
            let (candidate, assessment) = of.assessed()?;
            let decision = of.decision.as_ref()?;
            let (base, spent, members) = (of.base, of.spent, self.members.as_slice());
            let quotes = &of.quotes;
            Some(DecidedCandidate { candidate, quotes, base, spent, assessment, decision, of, members })
        })
    }

    /// The iteration that the run returned.
    pub(super) fn selected(&self) -> Option<usize> {
        self.state.outcome()?.best_iteration
    }

    /// The approximate number of bytes that it takes.
    pub(super) fn size(&self) -> usize {
        let text = self.document.text.as_ref().map_or(0, |text| text.as_str().len());
        let media = self.document.media.as_ref().map_or(0, |media| media.bytes().len());
        let made = self.state.iterations().iter().map(|of| {
            let answers = of.panel.values().map(|said| match &said.answer {
                Ok(answer) => size_of_json(answer),
                Err(why) => why.len(),
            });
            of.candidate.as_deref().map_or(0, size_of_json) + answers.sum::<usize>()
        });
        text + media + made.sum::<usize>()
    }
}

/// Bytes of a value in memory, roughly: nested values are counted, what the allocator adds is not.
fn size_of_json(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(size_of_json).sum(),
            Value::Object(members) => {
                members.iter().map(|(key, value)| key.len() + size_of_json(value)).sum()
            }
        }
}

//! A document of a run with its result and what was decided about it.

use super::decision::{Action, Decision};
use super::draw::Draws;
use super::fields::{DeclaredFields, ReviewField, fields_of};
use super::queue::{Reason, reasons};
use super::reviewed::{Reviewed, standing};
use crate::ingest::Document;
use crate::plan::{DocumentContext, Plan};
use crate::result::DocumentResult;
use crate::score::Assessment;
use crate::value::{canonical, digest_bytes};
use serde_json::Value;
use std::sync::Arc;

/// A document that people decide about.
#[derive(Debug)]
pub struct ReviewDocument {
    /// The result of its run.
    pub result: DocumentResult,
    /// Distinguishes the result from any other of the document, and from one of another version of it.
    pub shown: String,
    /// The fields as its profile declares them.
    pub declared: Arc<DeclaredFields>,
    /// The decisions, in the order in which they were kept.
    pub decisions: Vec<Decision>,
    /// The purposes that it was drawn for.
    pub drawn: Draws,
}

impl ReviewDocument {
    /// A result of a document whose bytes have this digest.
    pub fn new(
        result: DocumentResult,
        source_digest: &str,
        declared: Arc<DeclaredFields>,
        decisions: Vec<Decision>,
    ) -> Self {
        let extraction = result.best_extraction.as_deref().map(canonical).unwrap_or_default();
        let shown = digest_bytes(format!("{source_digest}\n{extraction}").as_bytes());
        ReviewDocument { result, shown, declared, decisions, drawn: Draws::default() }
    }

    /// Returns the document with these draws.
    pub fn with_draws(self, drawn: Draws) -> Self {
        ReviewDocument { drawn, ..self }
    }

    /// The reasons why it waits for a person, the most urgent first.
    pub fn reasons(&self) -> Vec<Reason> {
        let mut found = reasons(&self.result);
        found.extend(self.drawn.audit.then_some(Reason::AuditSample));
        found
    }

    /// The reviewers who decided about it as a whole, the first one first.
    pub fn deciders(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for decision in standing(self) {
            let is_whole = decision.content.field.is_none()
                && matches!(decision.content.action, Action::Accept | Action::Reject);
            if is_whole && !found.contains(&decision.reviewer.as_str()) {
                found.push(&decision.reviewer);
            }
        }
        found
    }

    /// Returns whether a reviewer is the second of a document that was drawn for one, and has not decided about it:
    /// what the first decided is not shown then.
    pub fn is_blind_to(&self, reviewer: &str) -> bool {
        if !self.drawn.second {
            return false;
        }
        let deciders = self.deciders();
        matches!(deciders.as_slice(), [first] if *first != reviewer)
    }

    /// Returns the document as a reviewer sees it who may not see what others decided.
    pub fn seen_blind_by(mut self, reviewer: &str) -> Self {
        self.decisions.retain(|decision| decision.reviewer == reviewer);
        self
    }

    /// Its id.
    pub fn id(&self) -> &str {
        self.result.id.as_str()
    }

    /// The extraction.
    pub fn extraction(&self) -> &Value {
        self.result.best_extraction.as_deref().unwrap_or(&Value::Null)
    }

    /// The fields of an extraction of this document.
    pub fn fields(&self, extraction: &Value) -> Vec<ReviewField> {
        let missing = self.result.best_validation.iter().flat_map(|validation| &validation.missing);
        fields_of(extraction, missing.map(|name| &**name), &self.declared)
    }

    /// The context that extractions of it are assessed in, by this plan: the document of the run, with the type that it had there.
    pub fn context(&self, plan: &Plan, document: &Document) -> DocumentContext {
        let validation = self.result.best_validation.as_ref();
        let unrecognised = validation.is_some_and(Assessment::is_of_unknown_type);
        DocumentContext::found_before(plan, document, &self.result.document_type, unrecognised)
    }

    /// The outcome of the decisions.
    pub fn reviewed(&self) -> Reviewed {
        Reviewed::of(self)
    }
}

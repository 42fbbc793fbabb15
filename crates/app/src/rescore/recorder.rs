//! Documents kept, while they are run, to be scored again.

use super::{RescoreBuffer, RescoreLimits, RunTrace};
use crate::engine::Event;
use crate::ingest::Document;
use crate::plan::Plan;
use crate::value::Millis;
use std::sync::Arc;

/// Keeps, while documents are run one by one, what scoring them again takes.
pub struct RescoreRecorder {
    plan: Arc<Plan>,
    given_type: Option<String>,
    open: Option<RunTrace>,
    kept: RescoreBuffer,
}

impl RescoreRecorder {
    /// A recorder of documents that are run with this plan, and with this type unless they have another.
    #[must_use]
    pub fn new(plan: Arc<Plan>, given_type: Option<String>) -> Self {
        RescoreRecorder { plan, given_type, open: None, kept: RescoreBuffer::new(RescoreLimits::default()) }
    }

    /// Begins a document.
    pub fn read(&mut self, document: &Document) {
        let given = document.document_type.clone().or_else(|| self.given_type.clone());
        self.open = Some(RunTrace::new(&self.plan, document.clone(), given));
    }

    /// Takes in the type of the document.
    pub fn started(&mut self, document_type: &str) {
        if let Some(course) = &mut self.open {
            course.typed(document_type);
        }
    }

    /// Takes in an event of the document.
    pub fn event(&mut self, at: Millis, event: &Event) {
        if let Some(course) = &mut self.open {
            course.see(at, event);
        }
    }

    /// Keeps the document, which is over.
    pub fn finished(&mut self) {
        if let Some(course) = self.open.take() {
            self.kept.keep(&self.plan, course);
        }
    }

    /// The documents.
    #[must_use]
    pub fn kept(self) -> RescoreBuffer {
        self.kept
    }
}

//! Documents kept, while they are run, to be scored again.

use super::{RescoreBuffer, RescoreLimits, RunTrace};
use crate::engine::Event;
use crate::ingest::Document;
use crate::plan::Plan;
use crate::value::Millis;
use std::sync::Arc;

/// Keeps, while documents are run, what scoring them again takes.
pub struct RescoreRecorder {
    plan: Arc<Plan>,
    given_type: Option<String>,
    open: Option<RunTrace>,
    kept: RescoreBuffer,
}

impl RescoreRecorder {
    /// A recorder of runs with this plan, over documents of this type if none is their own.
    pub fn new(plan: Arc<Plan>, given_type: Option<String>) -> Self {
        RescoreRecorder { plan, given_type, open: None, kept: RescoreBuffer::new(RescoreLimits::default()) }
    }

    /// Begins with a document.
    pub fn read(&mut self, document: &Document) {
        let given = document.document_type.clone().or_else(|| self.given_type.clone());
        self.open = Some(RunTrace::new(&self.plan, document.clone(), given));
    }

    /// Records the type of the document.
    pub fn started(&mut self, document_type: &str) {
        if let Some(course) = &mut self.open {
            course.typed(document_type);
        }
    }

    /// Records an event of its run.
    pub fn event(&mut self, at: Millis, event: &Event) {
        if let Some(course) = &mut self.open {
            course.see(at, event);
        }
    }

    /// Keeps the document, whose run is over.
    pub fn finished(&mut self) {
        if let Some(course) = self.open.take() {
            self.kept.keep(&self.plan, course);
        }
    }

    /// The documents that are kept.
    pub fn kept(self) -> RescoreBuffer {
        self.kept
    }
}

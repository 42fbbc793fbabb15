//! A document while its loop runs.

use super::asked::Asked;
use super::call::Calls;
use super::trace::Watch;
use crate::engine::Produced;
use crate::exchange::Task;
use crate::plan::TypedAs;
use crate::provider::protocol::{Attachment, DocumentRef};
use crate::repair::RepairStep;
use crate::result::ExplanationBuilder;
use crate::score::{Assessor, Source};
use crate::value::{DocumentId, Millis};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the loop of one document needs at hand.
pub(super) struct DocumentState<'a> {
    pub(super) reference: DocumentRef,
    pub(super) typed: TypedAs,
    pub(super) id: DocumentId,
    /// The whole text.
    pub(super) text: &'a str,
    /// What the stages see of it.
    pub(super) masked: String,
    pub(super) attached: Option<Attachment>,
    /// By judge.
    pub(super) references: BTreeMap<String, String>,
    pub(super) source: Arc<Source>,
    /// Candidate 0, if it was supplied; taken when it is used.
    pub(super) supplied: Option<Arc<Value>>,
    /// Whom it asks.
    pub(super) asked: &'a Asked,
    pub(super) assessor: Option<Assessor>,
    pub(super) calls: Arc<Calls>,
    /// When the latest input came in. All that it causes is recorded with this time: replaying the record must give
    /// the run the times that it saw.
    pub(super) at: Millis,
    pub(super) warnings: Vec<String>,
    /// What was said about each candidate: its iteration, by whom (0 a stage, then the panel), and the words.
    pub(super) notes: Vec<(usize, usize, String)>,
    /// Members of the panel that failed in the current round, and why. They are heard in any order, but told in theirs.
    pub(super) unanswered: Vec<(usize, String)>,
    /// What was repaired in each candidate, with its iteration.
    pub(super) repairs: Vec<(usize, RepairStep)>,
    pub(super) watch: Watch,
    /// What will explain the run.
    pub(super) chronicle: ExplanationBuilder,
}

impl DocumentState<'_> {
    /// Keeps what was said and done about a candidate. What a repair may have lost is said to people, too.
    pub(super) fn heard(&mut self, iteration: usize, produced: &Produced) {
        self.notes.extend(produced.notes.iter().map(|note| (iteration, 0, note.clone())));
        for step in &produced.repairs {
            if step.kind.loses() {
                self.notes.push((iteration, 0, format!("the answer was repaired: {}", step.reason)));
            }
            self.repairs.push((iteration, step.clone()));
        }
    }

    /// Tells who of the panel failed, in the order of the panel.
    pub(super) fn tell_unanswered(&mut self) {
        self.unanswered.sort_by_key(|(member, _)| *member);
        self.warnings.extend(self.unanswered.drain(..).map(|(_, why)| why));
    }

    pub(super) fn task(&self) -> Task<'_> {
        Task {
            document: &self.reference,
            source: &self.masked,
            unmasked: self.text,
            attached: self.attached.as_ref(),
            references: &self.references,
        }
    }
}

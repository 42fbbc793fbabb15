//! What is kept of a document's run so that its candidates can be scored again without asking anybody.

use crate::engine::{Event, Work};
use crate::ingest::Document;
use crate::plan::Plan;
use crate::policy::{Decision, Spent};
use crate::score::{Answer, Assessment};
use crate::value::{DocumentId, Millis, Usage};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A document, its candidates, and what judges and validators said about them.
#[derive(Debug, Clone)]
pub struct RunTrace {
    pub(super) document: Document,
    /// The type that a person named.
    pub(super) given_type: Option<String>,
    /// The type that the run worked with.
    pub(super) document_type: String,
    pub(super) made: Vec<AssessedCandidate>,
    /// The iteration that the run returned.
    pub(super) selected: Option<usize>,
    /// Names of the panel's members, in its order.
    members: Vec<Arc<str>>,
    open: Open,
    usage: Usage,
}

/// One assessed candidate.
#[derive(Debug, Clone)]
pub(super) struct AssessedCandidate {
    pub(super) candidate: Arc<Value>,
    /// The iteration that it was corrected from.
    pub(super) base: Option<usize>,
    /// What judges and validators said at last, by name. Who was not asked is not here.
    pub(super) answers: BTreeMap<Arc<str>, Answer>,
    /// What the run had spent when it was decided upon.
    pub(super) spent: Spent,
    pub(super) assessment: Assessment,
    pub(super) decision: Decision,
}

/// The candidate that is being made or assessed.
#[derive(Debug, Clone, Default)]
struct Open {
    candidate: Option<Arc<Value>>,
    base: Option<usize>,
    answers: BTreeMap<Arc<str>, Answer>,
    assessment: Option<Assessment>,
}

impl RunTrace {
    /// The course of a document whose run begins; `given_type` is the type that a person named.
    #[must_use]
    pub fn new(plan: &Plan, document: Document, given_type: Option<String>) -> Self {
        let members = plan.panel.members().iter().map(|member| Arc::clone(&member.id)).collect();
        RunTrace {
            document,
            given_type,
            document_type: String::new(),
            made: Vec::new(),
            selected: None,
            members,
            open: Open::default(),
            usage: Usage::default(),
        }
    }

    /// The document's name.
    #[must_use]
    pub fn id(&self) -> &DocumentId {
        &self.document.id
    }

    /// Takes down the type that the run works with.
    pub fn typed(&mut self, document_type: &str) {
        document_type.clone_into(&mut self.document_type);
    }

    /// Takes down what happened in the run, `at` after it began.
    pub fn see(&mut self, at: Millis, event: &Event) {
        match event {
            Event::Called(Work::Correct { base, .. }) => self.open.base = Some(*base),
            Event::Supplied { produced } | Event::Produced { produced, .. } => {
                self.usage += produced.usage;
                self.open.candidate = Some(Arc::clone(&produced.candidate));
            }
            Event::Staged { produced, .. } => self.usage += produced.usage,
            Event::Assembled { candidate, .. } => self.open.candidate = Some(Arc::clone(candidate)),
            Event::Failed { failure, .. } => self.usage += failure.usage,
            Event::Consulted { member, consulted, .. } => {
                self.usage += consulted.usage;
                self.heard(*member, Answer::Given(consulted.answer.as_ref().clone()));
            }
            Event::Unanswered { member, failure, .. } => {
                self.usage += failure.usage;
                self.heard(*member, Answer::Failed(failure.message.clone()));
            }
            Event::Assessed { assessment, .. } | Event::Concluded { assessment, .. } => {
                self.open.assessment = Some(assessment.as_ref().clone());
            }
            Event::Decided(decision) => self.decided(at, decision),
            Event::Finished(outcome) => self.selected = outcome.best_iteration,
            Event::Started
            | Event::Unreadable { .. }
            | Event::Called(_)
            | Event::Waiting { .. }
            | Event::Woke
            | Event::Stopped { .. } => {}
        }
    }

    fn heard(&mut self, member: usize, answer: Answer) {
        if let Some(name) = self.members.get(member) {
            self.open.answers.insert(Arc::clone(name), answer);
        }
    }

    fn decided(&mut self, at: Millis, decision: &Decision) {
        let open = std::mem::take(&mut self.open);
        if let (Some(candidate), Some(assessment)) = (open.candidate, open.assessment) {
            self.made.push(AssessedCandidate {
                candidate,
                base: open.base,
                answers: open.answers,
                spent: Spent { elapsed: at, usage: self.usage },
                assessment,
                decision: decision.clone(),
            });
        }
    }

    /// Whether there is a candidate to be scored again.
    #[must_use]
    pub fn has_candidates(&self) -> bool {
        !self.made.is_empty()
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> usize {
        let text = self.document.text.as_ref().map_or(0, |text| text.as_str().len());
        let media = self.document.media.as_ref().map_or(0, |media| media.bytes().len());
        let made = self.made.iter().map(|made| {
            let answers = made.answers.values().map(|answer| match answer {
                Answer::Given(answer) => size_of_json(answer),
                Answer::Failed(why) => why.len(),
            });
            size_of_json(&made.candidate) + answers.sum::<usize>()
        });
        text + media + made.sum::<usize>()
    }
}

/// Bytes of a value in memory, roughly: what is nested is counted, what the allocator adds is not.
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

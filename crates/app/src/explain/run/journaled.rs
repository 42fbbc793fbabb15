//! A record from the journal.

use super::record::{Candidate, Record, RunFacts, Trouble};
use crate::engine::{Callee, DocumentState, Event, FailedCall, IterationState, Outcome};
use crate::plan::Terms;
use crate::result::ExplanationBuilder;
use crate::store::{StoredEvent, StoredRun};
use crate::value::DocumentId;
use serde::de::DeserializeOwned;
use serde_json::Value;

impl Record {
    /// The record of a document in the journal: its events, and its outcome (`None` while in progress, and after a
    /// crash).
    #[must_use]
    pub fn of_journal(
        run: &StoredRun,
        document: &DocumentId,
        document_type: &str,
        events: &[StoredEvent],
        outcome: Option<&Value>,
    ) -> Self {
        let facts = RunFacts {
            id: run.id.to_string(),
            started_at: run.record.started_at.clone(),
            loopctl_version: run.record.loopctl_version.clone(),
        };
        let mut record = Record {
            document: document.to_string(),
            document_type: document_type.to_owned(),
            profile: run.record.profile.clone(),
            run: Some(facts),
            terms: run.record.settings.get("terms").and_then(read::<Terms>),
            ..Record::default()
        };
        let (mut state, mut beside) = (DocumentState::default(), ExplanationBuilder::default());
        let mut unknown = false;
        for stored in events {
            match read::<Event>(&stored.payload) {
                Some(event) => {
                    beside.read(&event, &stored.payload);
                    state.apply(stored.at, &event);
                }
                None => unknown = true,
            }
        }
        record.candidates =
            state.iterations().iter().map(|of| candidate(of, record.terms.as_ref())).collect();
        record.take_explained(beside.explained(&state));
        record.outcome = state.outcome().cloned();
        if unknown {
            record.lacks("some events of this run are of a kind that this loopctl does not know");
        }
        if let Some(ended) = outcome {
            record.outcome = read::<Outcome>(ended).or(record.outcome.take());
            record.review = ended.get("review").and_then(Value::as_bool);
            record.message = ended.get("message").and_then(Value::as_str).map(str::to_owned);
            record.warnings = ended.get("warnings").and_then(read).unwrap_or_default();
            if record.review.is_none() {
                record.lacks("whether the result needs review was not recorded");
            }
        }
        record.note_gaps();
        record
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// The recorded facts of a candidate.
fn candidate(of: &IterationState, terms: Option<&Terms>) -> Candidate {
    let mut candidate = Candidate {
        value: of.candidate.clone(),
        repairs: of.repairs().cloned().collect(),
        notes: of.stage_answers.iter().flat_map(|answer| answer.notes.clone()).collect(),
        rolled_back: of.rolled_back(),
        ..Candidate::default()
    };
    if let Some(assessment) = of.assessment() {
        candidate.assessed(assessment.clone());
    }
    let trouble = |failed: &FailedCall| Trouble {
        who: who(failed.callee, terms),
        message: failed.failure.message.clone(),
        tried_again_at_ms: failed.retried_at.map(|at| at.0),
    };
    candidate.troubles = of.failures.iter().map(trouble).collect();
    candidate
}

/// The callee that was asked, for people.
fn who(callee: Callee, terms: Option<&Terms>) -> String {
    match callee {
        Callee::Stage(at) => match terms.and_then(|terms| terms.stages.get(at)) {
            Some(name) => format!("stage `{name}`"),
            None => format!("stage `{}`", at + 1),
        },
        Callee::Member(at) => match terms.and_then(|terms| terms.panel.get(at)) {
            Some(member) if member.validator => format!("validator `{}`", member.name),
            Some(member) => format!("judge `{}`", member.name),
            None => format!("judge or validator {}", at + 1),
        },
    }
}

//! A record from the journal.

use super::record::{Candidate, Record, RunFacts, Trouble};
use crate::engine::{CallFailed, Event, Outcome, Produced, Work};
use crate::plan::Terms;
use crate::policy::StopReason;
use crate::result::FeedbackSent;
use crate::score::{Assessment, ScoreBreakdown};
use crate::store::{StoredDocument, StoredEvent, StoredRun};
use serde::de::DeserializeOwned;
use serde_json::Value;

impl Record {
    /// What the journal holds of a document: its events, and how it ended (`None` while it goes on, and after a crash).
    #[must_use]
    pub fn of_journal(
        run: &StoredRun,
        document: &StoredDocument,
        events: &[StoredEvent],
        outcome: Option<&Value>,
    ) -> Self {
        let facts = RunFacts {
            id: run.id.to_string(),
            started_at: run.record.started_at.clone(),
            loopctl_version: run.record.loopctl_version.clone(),
        };
        let mut record = Record {
            document: document.record.id.to_string(),
            document_type: document.record.document_type.clone(),
            profile: run.record.profile.clone(),
            run: Some(facts),
            terms: run.record.settings.get("terms").and_then(read::<Terms>),
            ..Record::default()
        };
        let mut walk = Walk { record: &mut record, asked: String::new() };
        let mut unknown = false;
        for event in events {
            match read::<Event>(&event.payload) {
                Some(what) => walk.see(what, &event.payload),
                None => unknown = true,
            }
        }
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

    /// Says what an older loopctl did not record.
    pub(super) fn note_gaps(&mut self) {
        let assessed: Vec<&Candidate> = self.candidates.iter().filter(|one| one.overall.is_some()).collect();
        let accounts = assessed.iter().all(|one| one.account.is_some());
        let feedback = self.candidates.iter().skip(1).all(|one| !one.feedback.is_empty());
        let decisions = assessed.iter().all(|one| one.decision.is_some());
        if self.terms.is_none() {
            self.lacks("the weights of the dimensions and the order of selection were not recorded");
        }
        if !accounts {
            self.lacks("what each issue costs was not recorded");
        }
        if !decisions
            && self.outcome.as_ref().is_some_and(|outcome| outcome.stop_reason != StopReason::Cancelled)
        {
            self.lacks("the numbers of some decisions were not recorded");
        }
        if !feedback {
            self.lacks("what was fed back was not recorded");
        }
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

struct Walk<'a> {
    record: &'a mut Record,
    /// The stage that was asked last.
    asked: String,
}

impl Walk<'_> {
    fn see(&mut self, event: Event, payload: &Value) {
        let account = || payload.get("account").and_then(read::<ScoreBreakdown>);
        match event {
            Event::Called(Work::Generate { stage, .. }) => {
                self.asked = self.stage(stage);
                self.record.at(0);
            }
            Event::Called(Work::Correct { iteration, base, stage, .. }) => {
                self.asked = self.stage(stage);
                let fed = payload.get("feedback").and_then(read::<FeedbackSent>);
                self.with(iteration, |candidate| {
                    candidate.base = Some(base);
                    candidate.feedback.extend(fed);
                });
            }
            Event::Supplied { produced } => {
                self.with(0, |candidate| {
                    candidate.supplied = true;
                    candidate.value = Some(produced.candidate);
                });
            }
            Event::Produced { iteration, produced } => {
                let value = std::sync::Arc::clone(&produced.candidate);
                self.heard(iteration, produced);
                self.with(iteration, |candidate| candidate.value = Some(value));
            }
            Event::Staged { iteration, produced, .. } => self.heard(iteration, produced),
            Event::Assembled { iteration, candidate: value } => {
                self.with(iteration, |candidate| candidate.value = Some(value));
            }
            Event::Failed { iteration, failure } => {
                let who = format!("stage `{}`", self.asked);
                self.trouble(iteration, who, failure);
            }
            Event::Unanswered { iteration, member, failure } => {
                let who = self.member(member);
                self.trouble(iteration, who, failure);
            }
            Event::Waiting { until, .. } => {
                if let Some(candidate) = self.record.candidates.last_mut() {
                    for trouble in candidate.troubles.iter_mut().rev() {
                        if trouble.tried_again_at_ms.is_some() {
                            break;
                        }
                        trouble.tried_again_at_ms = Some(until.0);
                    }
                }
            }
            Event::Assessed { iteration, assessment } | Event::Concluded { iteration, assessment } => {
                let account = account();
                self.with(iteration, |candidate| candidate.assessed(*assessment, account));
            }
            Event::Decided(decision) => {
                self.with(decision.iteration, |candidate| {
                    candidate.rolled_back = decision.rolled_back;
                    candidate.decision = Some(decision);
                });
            }
            Event::Finished(outcome) => self.record.outcome = Some(*outcome),
            Event::Started
            | Event::Unreadable { .. }
            | Event::Called(_)
            | Event::Consulted { .. }
            | Event::Woke
            | Event::Stopped { .. } => {}
        }
    }

    fn with(&mut self, iteration: usize, change: impl FnOnce(&mut Candidate)) {
        if let Some(candidate) = self.record.at(iteration) {
            change(candidate);
        }
    }

    fn heard(&mut self, iteration: usize, produced: Produced) {
        self.with(iteration, |candidate| {
            candidate.repairs.extend(produced.repairs);
            candidate.notes.extend(produced.notes);
        });
    }

    fn trouble(&mut self, iteration: usize, who: String, failure: CallFailed) {
        let trouble = Trouble { who, message: failure.message, tried_again_at_ms: None };
        self.with(iteration, |candidate| candidate.troubles.push(trouble));
    }

    fn stage(&self, at: usize) -> String {
        let known = self.record.terms.as_ref().and_then(|terms| terms.stages.get(at));
        known.cloned().unwrap_or_else(|| (at + 1).to_string())
    }

    fn member(&self, at: usize) -> String {
        match self.record.terms.as_ref().and_then(|terms| terms.panel.get(at)) {
            Some(member) if member.validator => format!("validator `{}`", member.name),
            Some(member) => format!("judge `{}`", member.name),
            None => format!("judge or validator {}", at + 1),
        }
    }
}

impl Candidate {
    /// Takes an assessment. An account that goes with an earlier one of the same candidate stays unless there is another.
    pub(super) fn assessed(&mut self, assessment: Assessment, account: Option<ScoreBreakdown>) {
        self.scores = Some(assessment.scores.clone());
        self.overall = Some(assessment.overall);
        self.assessment = Some(assessment);
        self.account = account.or(self.account.take());
    }
}

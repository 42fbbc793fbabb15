//! The explanation of a run: the terms it was decided by, where each point went, what was fed back.

use crate::engine::{DocumentState, Event, IterationState, Run, Work};
use crate::exchange::{PreparedCorrection, PreparedFeedback};
use crate::plan::{Plan, Terms};
use crate::policy::Decision;
use crate::score::ScoreBreakdown;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The version of [`Explanation`] that is written. A reader that does not know a version leaves it alone.
pub const EXPLANATION_VERSION: u32 = 1;

/// The explanation of a result, beside what a result holds anyway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// `EXPLANATION_VERSION` when it was written.
    pub version: u32,
    /// The terms that the run was decided by.
    pub terms: Terms,
    /// Every candidate, and the one that never came if a call for it failed.
    pub iterations: Vec<Explained>,
}

/// The explanation of one candidate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explained {
    /// The iteration that it was corrected from; `None` for candidate 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// `true` if it was supplied instead of generated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supplied: bool,
    /// The feedback that was sent to get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<FeedbackSent>,
    /// The account of where each point went; `None` if it was not assessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<ScoreBreakdown>,
    /// The decision, with every number that was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Arc<Decision>>,
}

/// The feedback that was sent to a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeedbackSent {
    /// The stage.
    pub stage: String,
    /// The text, as it followed the task in the request.
    pub text: String,
}

/// The explanation of a run beside its events, which is kept with them: where points went, and what was fed back.
#[derive(Debug, Default)]
pub struct ExplanationBuilder {
    iterations: BTreeMap<usize, RecordedExplanation>,
    /// The account of the latest measurement of tier 1.
    pub account: ScoreBreakdown,
}

/// The explanation that is kept beside the events of an iteration.
#[derive(Debug, Clone, Default)]
struct RecordedExplanation {
    feedback: Vec<FeedbackSent>,
    account: Option<ScoreBreakdown>,
}

/// The keys in an event's record.
const ACCOUNT: &str = "account";
const FEEDBACK: &str = "feedback";

impl ExplanationBuilder {
    /// The explanation of the whole run.
    pub fn close(&self, plan: &Plan, document: &DocumentState) -> Explanation {
        let iterations = self.explained(document);
        Explanation { version: EXPLANATION_VERSION, terms: Terms::of(plan), iterations }
    }

    /// The explanation of each candidate, and of the one that never came.
    pub fn explained(&self, document: &DocumentState) -> Vec<Explained> {
        let iterations = document.iterations();
        // There is nothing to explain about a first candidate that was asked for, and never came or was not wanted.
        if let [only] = iterations
            && !only.supplied
            && only.assessment().is_none()
        {
            return Vec::new();
        }
        let explained = |(at, of): (usize, &IterationState)| {
            let beside = self.iterations.get(&at).cloned().unwrap_or_default();
            Explained {
                base: of.base,
                supplied: of.supplied,
                feedback: beside.feedback,
                account: beside.account,
                decision: of.decision.clone(),
            }
        };
        iterations.iter().enumerate().map(explained).collect()
    }

    /// Reads what is recorded beside an event.
    pub fn read(&mut self, event: &Event, payload: &Value) {
        match event {
            Event::Called(Work::Correct { iteration, .. }) => {
                let fed = payload.get(FEEDBACK).and_then(|fed| FeedbackSent::deserialize(fed).ok());
                self.of(*iteration).feedback.extend(fed);
            }
            // An account of the same candidate stays unless there is another.
            Event::Assessed { iteration, .. } | Event::Concluded { iteration, .. } => {
                if let Some(account) =
                    payload.get(ACCOUNT).and_then(|one| ScoreBreakdown::deserialize(one).ok())
                {
                    self.of(*iteration).account = Some(account);
                }
            }
            Event::Started
            | Event::Unreadable { .. }
            | Event::Called(_)
            | Event::Supplied { .. }
            | Event::Staged { .. }
            | Event::Assembled { .. }
            | Event::Produced { .. }
            | Event::Unanswered { .. }
            | Event::Failed { .. }
            | Event::Waiting { .. }
            | Event::Woke
            | Event::Consulted { .. }
            | Event::Decided(_)
            | Event::Stopped { .. }
            | Event::Finished(_) => {}
        }
    }

    fn of(&mut self, iteration: usize) -> &mut RecordedExplanation {
        self.iterations.entry(iteration).or_default()
    }

    /// Sees an event that is about to be recorded, and the feedback that was prepared for it. The return value is added
    /// to its record: the key and the value as JSON.
    fn see(
        &mut self,
        plan: &Plan,
        run: &Run,
        event: &Event,
        feedback: Option<&PreparedFeedback>,
    ) -> Option<(&'static str, String)> {
        match event {
            Event::Called(Work::Correct { iteration, .. }) => {
                let prepared = feedback?;
                let fed = FeedbackSent { stage: prepared.stage.clone(), text: prepared.text.clone() };
                self.of(*iteration).feedback.push(fed);
                Some((FEEDBACK, serde_json::to_string(prepared).ok()?))
            }
            Event::Assessed { iteration, .. } => self.accounted(*iteration, self.account.clone()),
            Event::Concluded { iteration, assessment } => {
                let of = run.document().iteration(*iteration)?;
                let tier1 = of.tier1().filter(|_| !of.panel.is_empty())?;
                let answers = plan.panel.answers(|at, _| of.said_by(at));
                let account = plan.panel.account(tier1, &self.account, &answers, assessment);
                self.accounted(*iteration, account)
            }
            Event::Started
            | Event::Unreadable { .. }
            | Event::Called(_)
            | Event::Supplied { .. }
            | Event::Staged { .. }
            | Event::Assembled { .. }
            | Event::Produced { .. }
            | Event::Unanswered { .. }
            | Event::Failed { .. }
            | Event::Waiting { .. }
            | Event::Woke
            | Event::Consulted { .. }
            | Event::Decided(_)
            | Event::Stopped { .. }
            | Event::Finished(_) => None,
        }
    }

    fn accounted(&mut self, iteration: usize, account: ScoreBreakdown) -> Option<(&'static str, String)> {
        let json = serde_json::to_string(&account);
        self.of(iteration).account = Some(account);
        Some((ACCOUNT, json.ok()?))
    }
}

/// An event as the journal keeps it: with its explanation.
pub fn explained(
    plan: &Plan,
    run: &Run,
    event: &Event,
    feedback: Option<&PreparedFeedback>,
    explanation: &mut ExplanationBuilder,
) -> Result<String, serde_json::Error> {
    let mut payload = serde_json::to_string(event)?;
    if let Some((key, value)) = explanation.see(plan, run, event, feedback) {
        add_json(&mut payload, key, &value)?;
    }
    Ok(payload)
}

/// The correction that an event asks for, with the feedback that is recorded beside it.
pub fn prepared_in(event: &Event, payload: &Value) -> Option<PreparedCorrection> {
    let Event::Called(work @ Work::Correct { .. }) = event else { return None };
    let feedback = PreparedFeedback::deserialize(payload.get(FEEDBACK)?).ok()?;
    Some(PreparedCorrection { work: work.clone(), feedback })
}

/// Adds a member to an object that is written already, and has members.
pub fn add_member(object: &mut String, key: &str, value: &impl Serialize) -> Result<(), serde_json::Error> {
    add_json(object, key, &serde_json::to_string(value)?)
}

fn add_json(object: &mut String, key: &str, json: &str) -> Result<(), serde_json::Error> {
    object.pop();
    object.push(',');
    object.push_str(&serde_json::to_string(key)?);
    object.push(':');
    object.push_str(json);
    object.push('}');
    Ok(())
}

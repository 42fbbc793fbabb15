//! What a run leaves so that it can be explained: the terms it was decided by, where each point went, what was fed back.

use crate::engine::{Event, Run, Work};
use crate::exchange::feedback_for;
use crate::plan::{Plan, Terms};
use crate::policy::Decision;
use crate::score::{Answer, Assessment, ScoreBreakdown};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of [`Explanation`] that is written. A reader that does not know a version leaves it alone.
pub const EXPLANATION_VERSION: u32 = 1;

/// What explains a result, beside what a result holds anyway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// [`EXPLANATION_VERSION`] when it was written.
    pub version: u32,
    /// What the run was decided by.
    pub terms: Terms,
    /// Every candidate, and the one that never came if a call for it failed.
    pub iterations: Vec<Explained>,
}

/// What explains one candidate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The iteration that it was corrected from; `None` for candidate 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// Whether it was supplied instead of generated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supplied: bool,
    /// What was fed back to get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<FeedbackSent>,
    /// Where each point went; `None` for one that was not assessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<ScoreBreakdown>,
    /// What was decided, with every number that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}

/// What a stage was told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedbackSent {
    /// The stage.
    pub stage: String,
    /// The text, as it followed the task in the request.
    pub text: String,
}

/// What is kept of a document's loop to explain it.
#[derive(Debug, Default)]
pub(crate) struct ExplanationBuilder {
    iterations: BTreeMap<usize, Explained>,
    /// The account of what tier 1 measured last.
    pub(crate) account: ScoreBreakdown,
    tier1: Assessment,
    /// What the panel has said of the candidate in hand, if it was asked.
    answers: Option<Vec<Answer>>,
}

impl ExplanationBuilder {
    fn of(&mut self, iteration: usize) -> &mut Explained {
        self.iterations.entry(iteration).or_default()
    }

    /// What explains the whole run.
    pub(crate) fn close(&mut self, plan: &Plan) -> Explanation {
        let iterations = std::mem::take(&mut self.iterations).into_values().collect();
        Explanation { version: EXPLANATION_VERSION, terms: Terms::of(plan), iterations }
    }

    /// Sees an event that is about to be recorded. What is returned goes into its record besides: the key and the value.
    fn see(&mut self, plan: &Plan, run: &Run, event: &Event) -> Option<(&'static str, Value)> {
        let said = |value| Some(("account", serde_json::to_value(value).ok()?));
        match event {
            Event::Called(work @ Work::Correct { iteration, base, attempt: 0, .. }) => {
                self.of(*iteration).base = Some(*base);
                // A template that can't be rendered ends the run, and the outcome says why.
                let (stage, text) = feedback_for(plan, run, work).ok()??;
                let fed = FeedbackSent { stage, text };
                let value = serde_json::to_value(&fed).ok()?;
                self.of(*iteration).feedback.push(fed);
                Some(("feedback", value))
            }
            Event::Called(Work::Consult { member, .. }) => {
                let members = plan.panel.members().len();
                let answers = self.answers.get_or_insert_with(|| vec![nothing(); members]);
                if let Some(answer) = answers.get_mut(*member) {
                    *answer = nothing();
                }
                None
            }
            Event::Supplied { .. } => {
                self.of(0).supplied = true;
                None
            }
            Event::Assessed { iteration, assessment } => {
                self.tier1 = assessment.as_ref().clone();
                self.answers = None;
                let account = self.account.clone();
                let value = said(&account);
                self.of(*iteration).account = Some(account);
                value
            }
            Event::Consulted { member, consulted, .. } => {
                let readable = plan.panel.read(*member, &consulted.answer).is_ok();
                if let (true, Some(answer)) =
                    (readable, self.answers.as_mut().and_then(|answers| answers.get_mut(*member)))
                {
                    *answer = Answer::Given(consulted.answer.as_ref().clone());
                }
                None
            }
            Event::Concluded { iteration, assessment } => {
                let answers = self.answers.take()?;
                let account = plan.panel.account(&self.tier1, &self.account, &answers, assessment);
                let value = said(&account);
                self.of(*iteration).account = Some(account);
                value
            }
            Event::Decided(decision) => {
                self.of(decision.iteration).decision = Some(decision.clone());
                None
            }
            _ => None,
        }
    }
}

fn nothing() -> Answer {
    Answer::Failed(String::new())
}

/// An event as the journal keeps it: with what explains it.
pub(crate) fn explained(
    plan: &Plan,
    run: &Run,
    event: &Event,
    chronicle: &mut ExplanationBuilder,
) -> Result<Value, serde_json::Error> {
    let mut payload = serde_json::to_value(event)?;
    if let (Some((key, value)), Value::Object(members)) = (chronicle.see(plan, run, event), &mut payload) {
        members.insert(key.to_owned(), value);
    }
    Ok(payload)
}

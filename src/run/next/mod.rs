//! The loop as data, for callers who drive their own model: what the policy makes of a history, and what it asks next.
//!
//! [`next`] gives the same [`Run`] that a live run has the candidates of the history, in virtual time, so the two can't
//! disagree. It keeps nothing: a caller hands over the whole history each time.

mod answer;
mod input;

pub use answer::{Answer, NextOutcome, NextRequest};
pub use input::{Entry, Mistake, NextInput, Said, Text};

use super::request::candidate_of_text;
use super::typing::document_type_of;
use super::{Plan, correction_request, stage_request};
use crate::engine::{CallFailed, Event, Input, Misuse, Outcome, Output, Produced, Run, Work};
use crate::feedback::Correction;
use crate::ingest::Document;
use crate::policy::Decision;
use crate::profile::Stage;
use crate::provider::protocol::DocumentRef;
use crate::score::{Assessment, Assessor, Source};
use crate::value::{Millis, Score};
use std::sync::Arc;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NextError {
    /// The history does not fit the profile: each place where it does not.
    #[error("{}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Input(Vec<Mistake>),
    /// The profile makes no candidates.
    #[error("the profile `{profile}` has no stage that makes a candidate")]
    NoStage {
        /// Its name.
        profile: String,
    },
    /// A template can't be rendered.
    #[error("{0}")]
    Request(String),
    /// A mistake of our own.
    #[error("a mistake in loopctl itself, please report it: {0}")]
    Misuse(#[from] Misuse),
}

/// Decides about the latest candidate of `history` and says what follows: the outcome, or the next request. With an
/// empty history that is the request for candidate 0.
///
/// Time is what the history says (`elapsed_ms`, added up), and the pauses after failed calls.
///
/// # Errors
/// When the history or the document type does not fit the profile, or a template can't be rendered.
pub fn next(
    plan: &Plan,
    document: &Document,
    document_type: Option<&str>,
    history: &[Entry],
) -> Result<Answer, NextError> {
    let Some(stage) = plan.profile.stages.first() else {
        return Err(NextError::NoStage { profile: plan.profile.name.clone() });
    };
    let given = input::checked(plan, document_type, history).map_err(NextError::Input)?;
    let text = document.text.as_ref().map(|text| text.as_str()).unwrap_or_default();
    let mut warnings = Vec::new();
    let document_type = document_type_of(plan, document_type, text, "as `document_type`", &mut warnings);
    let mut drive = Drive {
        plan,
        stage,
        reference: DocumentRef { id: document.id.to_string(), document_type },
        text,
        source: plan.scoring.source(text),
        assessor: Assessor::new(Arc::clone(&plan.scoring)),
        history,
        given,
        run: Run::new(Arc::clone(&plan.policy), plan.retry()),
        now: Millis::default(),
        taken: 0,
        paused: None,
        decision: None,
        warnings,
    };
    let first = match &document.text {
        Ok(_) => Input::Started,
        Err(unreadable) => Input::Unreadable { reason: format!("{unreadable}; {}", unreadable.help()) },
    };
    let end = drive.go(first)?;
    drive.answer(document, end)
}

/// Where the history leads to.
enum End {
    /// The run is over.
    Over(Box<Outcome>),
    /// The run waits for a candidate that the history does not have.
    Asks(Work),
}

struct Drive<'a> {
    plan: &'a Plan,
    stage: &'a Stage,
    reference: DocumentRef,
    text: &'a str,
    source: Source,
    assessor: Assessor,
    history: &'a [Entry],
    /// Scores that are given instead of measured, for each entry.
    given: Vec<Vec<(String, Score)>>,
    run: Run,
    now: Millis,
    /// How many entries have been used.
    taken: usize,
    /// How long the run has waited since the latest entry.
    paused: Option<Millis>,
    decision: Option<Decision>,
    warnings: Vec<String>,
}

impl Drive<'_> {
    fn go(&mut self, first: Input) -> Result<End, NextError> {
        let mut input = first;
        loop {
            self.run.handle(self.now, input)?;
            let (mut following, mut end) = (None, None);
            while let Some(output) = self.run.poll() {
                match output {
                    Output::Record(Event::Decided(decision)) => self.decision = Some(decision),
                    Output::Record(_) => {}
                    Output::Call(Work::Assess { .. }) => following = Some(self.assess()),
                    Output::Call(work @ (Work::Generate { .. } | Work::Correct { .. })) => {
                        match self.history.get(self.taken) {
                            Some(entry) => following = Some(self.take(entry)),
                            None => end = Some(End::Asks(work)),
                        }
                    }
                    Output::Wake { at, .. } => {
                        self.paused = Some(at - self.now);
                        self.now = self.now.max(at);
                        following = Some(Input::Woke);
                    }
                    Output::Finished(outcome) => end = Some(End::Over(outcome)),
                }
            }
            match (end, following) {
                (Some(end), _) => return Ok(end),
                (None, Some(following)) => input = following,
                (None, None) => return Err(NextError::Request("the run stood still".to_owned())),
            }
        }
    }

    /// The next entry, as the answer to a call.
    fn take(&mut self, entry: &Entry) -> Input {
        let at = self.taken;
        self.taken += 1;
        self.paused = None;
        self.now = self.now.saturating_add(entry.elapsed);
        let candidate = match &entry.said {
            Said::Candidate(candidate) => Ok(Arc::clone(candidate)),
            Said::Text(text) => candidate_of_text(text),
        };
        match candidate {
            Ok(candidate) => Input::Produced(Produced { candidate, usage: entry.usage, notes: Vec::new() }),
            Err(why) => {
                let message = format!("/history/{at}: {why}");
                self.warnings.push(format!("{message}; it counts as a failed call"));
                Input::Failed(CallFailed { message, transient: true, retry_after: None, usage: entry.usage })
            }
        }
    }

    fn assess(&mut self) -> Input {
        let mut assessment = Assessment::default();
        if let Some(candidate) = self.run.pending_candidate() {
            let given = self.taken.checked_sub(1).and_then(|latest| self.given.get(latest));
            self.assessor.assess(
                &self.reference.document_type,
                candidate,
                Some(&self.source),
                given.map(Vec::as_slice).unwrap_or_default(),
                &mut assessment,
            );
        }
        Input::Assessed(Box::new(assessment))
    }

    fn answer(mut self, document: &Document, end: End) -> Result<Answer, NextError> {
        let unused = self.history.len() - self.taken;
        if unused > 0 {
            self.warnings.push(format!(
                "/history/{}: the loop was over before it; {unused} of the history's entries were not looked at",
                self.taken
            ));
        }
        let request = match &end {
            End::Over(_) => None,
            End::Asks(work) => Some(self.request(work)?),
        };
        let outcome = match end {
            End::Over(outcome) => Some(*outcome),
            End::Asks(_) => None,
        };
        Ok(Answer::of(
            self.plan,
            document.id.clone(),
            self.reference.document_type,
            &self.run,
            self.decision,
            outcome,
            request,
            self.warnings,
        ))
    }

    fn request(&self, work: &Work) -> Result<NextRequest, NextError> {
        let (base, attempt, request) = match *work {
            Work::Correct { iteration, base, attempt } => {
                let rolled_back = self.run.history().failed_attempts();
                let correction = Correction {
                    iteration,
                    base,
                    candidates: self.run.candidates(),
                    assessments: self.run.assessments(),
                    rolled_back: &rolled_back,
                };
                let request =
                    correction_request(self.plan, self.stage, &self.reference, self.text, correction);
                (Some(base), attempt, request)
            }
            Work::Generate { attempt } => {
                (None, attempt, stage_request(self.plan, self.stage, &self.reference, self.text))
            }
            Work::Assess { .. } => (None, 0, Err("an assessment is no request".to_owned())),
        };
        let mut request = request.map_err(NextError::Request)?;
        request.attempt = attempt.saturating_add(1);
        Ok(NextRequest::of(request, base, self.paused))
    }
}

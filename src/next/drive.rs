//! The history, driven through a run in virtual time.

use super::{Entry, Mistake, ModelOutput, NextAnswer, NextRequest, input};
use crate::engine::{CallFailed, Consulted, Input, Misuse, Outcome, Output, Produced, Run, Work};
use crate::exchange::protocol::DocumentRef;
use crate::exchange::{
    AskedValues, Known, QuotedAnswer, RawAnswer, ReferenceLeakFilter, Task, first_input, request_for,
    stage_answer, verdict,
};
use crate::ingest::Document;
use crate::plan::{Plan, TypedAs, document_type_of};
use crate::profile::Mask;
use crate::repair::{MAX_STEPS, Repairer};
use crate::score::{Assessment, Assessor, Beside, Source};
use crate::value::{Fuel, Millis, Score, Usage};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// A prompt needs a variable of the profile that is not set.
    #[error("the prompt of the profile `{profile}` needs the variable `{variable}`")]
    UnsetVariable {
        /// The profile's name.
        profile: String,
        /// The variable's name.
        variable: String,
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
/// Each entry answers the stage that was asked: the only one, or one of several in their order. A judge is asked by a
/// request of its own, and its answer goes into the entry that it is about.
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
) -> Result<NextAnswer, NextError> {
    if plan.stages.is_empty() {
        return Err(NextError::NoStage { profile: plan.profile.name.clone() });
    }
    if let Some(variable) = plan.unset_variables.first() {
        let (profile, variable) = (plan.profile.name.clone(), variable.clone());
        return Err(NextError::UnsetVariable { profile, variable });
    }
    let mut warnings = Vec::new();
    let given = input::checked(plan, document_type, history, &mut warnings).map_err(NextError::Input)?;
    let text = document.text.as_ref().map(|text| text.as_str()).unwrap_or_default();
    let typed = document_type_of(plan, document_type, text, "as `document_type`", &mut warnings);
    let document_type = typed.name.clone();
    let masked = Mask::apply(&plan.profile.mask, text);
    let mut drive = Drive {
        plan,
        reference: DocumentRef { id: document.id.to_string(), document_type },
        file_name: document.file_name(),
        text,
        source: plan.scoring.source(&masked),
        typed,
        unseen: document.text.is_err(),
        masked,
        assessor: Assessor::new(Arc::clone(&plan.scoring)),
        history,
        given,
        run: plan.engine_run(),
        now: Millis::default(),
        taken: 0,
        paused: None,
        warnings,
    };
    let first = first_input(plan, document, &drive.source);
    let end = drive.go(first)?;
    drive.answer(document, end)
}

/// Where the history leads to.
enum End {
    /// The run is over.
    Over(Box<Outcome>),
    /// The run waits for an answer that the history does not have.
    Asks(Work),
}

struct Drive<'a> {
    plan: &'a Plan,
    reference: DocumentRef,
    /// The name of its file, if it is one.
    file_name: Option<String>,
    /// The whole text.
    text: &'a str,
    /// What the stages see of it.
    masked: String,
    source: Source,
    typed: TypedAs,
    /// Whether the document has no text that anything could be looked up in.
    unseen: bool,
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
    warnings: Vec<String>,
}

impl Drive<'_> {
    fn go(&mut self, first: Input) -> Result<End, NextError> {
        let mut inputs = VecDeque::from([first]);
        // The first call that the history says nothing to. Members of a panel are asked at the same time.
        let mut open = None;
        while let Some(input) = inputs.pop_front() {
            self.run.handle(self.now, input)?;
            while let Some(output) = self.run.poll() {
                match output {
                    Output::Record(_) => {}
                    Output::Call(Work::Assess { .. }) => inputs.push_back(self.assess()),
                    Output::Call(work) => match self.answer_to(&work)? {
                        Some(answered) => inputs.push_back(answered),
                        None => open = open.or(Some(work)),
                    },
                    Output::Wake { at, .. } => {
                        self.paused = Some(at - self.now);
                        self.now = self.now.max(at);
                        inputs.push_back(Input::Woke);
                    }
                    Output::Finished(outcome) => return Ok(End::Over(outcome)),
                }
            }
        }
        open.map(End::Asks).ok_or_else(|| NextError::Request("the run stood still".to_owned()))
    }

    /// What the history says to a call; `None` when it says nothing.
    fn answer_to(&mut self, work: &Work) -> Result<Option<Input>, NextError> {
        match *work {
            Work::Generate { stage, .. } | Work::Correct { stage, .. } => {
                match self.history.get(self.taken) {
                    Some(entry) => self.take(entry, stage).map(Some),
                    None => Ok(None),
                }
            }
            Work::Consult { member, .. } => Ok(self.consulted(member)),
            Work::Assess { .. } => Ok(None),
        }
    }

    /// The next entry, as the answer of a stage.
    fn take(&mut self, entry: &Entry, stage: usize) -> Result<Input, NextError> {
        let at = self.taken;
        let asked =
            self.run.pipeline().steps().get(stage).map(|step| step.id.to_string()).unwrap_or_default();
        if let Some(named) = entry.stage.as_ref().filter(|named| **named != asked) {
            let mistake = Mistake {
                at: format!("/history/{at}/stage"),
                problem: format!("expected the answer of `{asked}`, found that of `{named}`"),
                help: Some("the history holds the answers in the order in which `next` asked".to_owned()),
            };
            return Err(NextError::Input(vec![mistake]));
        }
        self.taken += 1;
        self.paused = None;
        self.now = self.now.saturating_add(entry.elapsed);
        Ok(match self.mended(&entry.said, stage) {
            Ok(mut answer) => {
                answer.quotes.extend(entry.quotes.clone());
                Input::Produced(Produced {
                    candidate: Arc::new(answer.repaired.value),
                    quotes: answer.quotes,
                    usage: entry.usage,
                    notes: Vec::new(),
                    repairs: answer.repaired.steps,
                })
            }
            Err(why) => {
                let message = format!("/history/{at}: {why}");
                self.warnings.push(format!("{message}; it counts as a failed call"));
                Input::Failed(CallFailed {
                    message,
                    transient: true,
                    usage: entry.usage,
                    ..CallFailed::default()
                })
            }
        })
    }

    /// What a stage said, repaired as a run would repair it; or why it is nothing that can be worked with.
    fn mended(&self, said: &ModelOutput, stage: usize) -> Result<QuotedAnswer, String> {
        let told = match said {
            ModelOutput::Candidate(candidate) => RawAnswer::Value(candidate),
            ModelOutput::Text(text) => RawAnswer::Text(text),
        };
        stage_answer(
            self.plan,
            self.run.stage_outputs(),
            stage,
            Known {
                document_type: &self.reference.document_type,
                text: &self.masked,
                file_name: self.file_name.as_deref(),
            },
            &self.source,
            told,
            &Fuel::of(MAX_STEPS),
        )
    }

    /// What a judge or validator says of the latest entry. An answer that can't be read is final: who wants to ask the
    /// judge again puts another in its place.
    fn consulted(&mut self, member: usize) -> Option<Input> {
        let at = self.taken.checked_sub(1)?;
        let asked = self.plan.panel.members().get(member)?;
        let usage = Usage { calls: u64::from(!asked.is_validator()), ..Usage::default() };
        let consulted = |answer: Value| {
            Input::on_answer(
                member,
                Ok(Consulted { answer: Arc::new(answer), usage, notes: Vec::new(), repairs: Vec::new() }),
            )
        };
        let Some(answer) = self.history.get(at).and_then(|entry| entry.answers.get(asked.id.as_ref())) else {
            let why = "`next` runs no programs; its answer can be given under `answers`";
            return asked.is_validator().then(|| consulted(json!({ "unavailable": why })));
        };
        let judge = member.checked_sub(self.plan.validators.len()).and_then(|at| self.plan.judges.get(at));
        let check = |answer: &Value| {
            judge.map_or(Ok(()), |judge| judge.check(&self.reference.document_type, answer))?;
            self.plan.panel.read(member, answer)
        };
        let told = match answer {
            Value::String(text) => RawAnswer::Text(text),
            other => RawAnswer::Value(other),
        };
        let repairer = Repairer::without_schema(self.plan.profile.repair);
        let read = verdict(&repairer, told, &check).map(|read| read.value);
        let discretion = judge.and_then(|judge| {
            let candidate = self.run.pending_candidate()?;
            ReferenceLeakFilter::of(&judge.judge, self.task(&BTreeMap::new()), candidate)
        });
        let check = |answer: Value| {
            check(&answer)?;
            Ok(discretion.as_ref().and_then(|discretion| discretion.kept(&answer)).unwrap_or(answer))
        };
        match read.and_then(check) {
            Ok(answer) => {
                let asked = AskedValues::of(self.plan, &self.run, member);
                self.warnings.extend(asked.and_then(|asked| asked.note(&answer)));
                Some(consulted(answer))
            }
            Err(message) => {
                let place = format!("/history/{at}/answers/{}: {message}", asked.id);
                self.warnings.push(format!("{place}; put another answer in its place to try again"));
                let failure = CallFailed { message, usage, ..CallFailed::default() };
                Some(Input::on_answer(member, Err(failure)))
            }
        }
    }

    fn assess(&mut self) -> Input {
        let mut assessment = Assessment::default();
        if let Some(candidate) = self.run.pending_candidate() {
            let given = self.taken.checked_sub(1).and_then(|latest| self.given.get(latest));
            let beside = Beside {
                source: (!self.unseen).then_some(&self.source),
                given: given.map(Vec::as_slice).unwrap_or_default(),
                quotes: self.run.pending_quotes(),
                judged: Some(self.run.judged()),
            };
            self.assessor.assess_beside(&self.reference.document_type, candidate, beside, &mut assessment);
            if self.unseen {
                assessment.say_unseen();
            }
            self.typed.say(self.plan, &mut assessment);
        }
        Input::Assessed(Arc::new(assessment))
    }

    fn answer(mut self, document: &Document, end: End) -> Result<NextAnswer, NextError> {
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
        Ok(NextAnswer::of(
            self.plan,
            document.id.clone(),
            self.reference.document_type,
            self.run.document(),
            outcome,
            request,
            self.warnings,
        ))
    }

    fn request(&self, work: &Work) -> Result<NextRequest, NextError> {
        let references = BTreeMap::new();
        let request = request_for(self.plan, &self.run, self.task(&references), &self.source, work)
            .map_err(NextError::Request)?;
        Ok(NextRequest::of(request, work, self.paused))
    }

    fn task<'t>(&'t self, references: &'t BTreeMap<String, String>) -> Task<'t> {
        let (document, source, unmasked) = (&self.reference, self.masked.as_str(), self.text);
        let file_name = self.file_name.as_deref();
        Task {
            document,
            source,
            unmasked,
            attached: None,
            file_name,
            references,
            variables: None,
            feedback: None,
        }
    }
}

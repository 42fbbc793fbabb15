//! The history, driven through a run in virtual time.

use super::{Entry, Mistake, ModelOutput, NextAnswer, NextRequest, input};
use crate::document::Document;
use crate::engine::{CallFailed, Consulted, Event, Input, Misuse, Outcome, Produced, Run, Work};
use crate::exchange::protocol::DocumentRef;
use crate::exchange::{
    AskedValues, Host, NotDriven, PendingAssessment, PreparedFeedback, QuotedAnswer, RawAnswer,
    ReferenceLeakFilter, Task, at_once, drive, first_input, request_for, requested, stage_answer, verdict,
};
use crate::plan::{DocumentContext, Plan};
use crate::profile::{Call, Mask};
use crate::repair::{MAX_STEPS, Repairer};
use crate::score::{Assessment, Assessor, Source};
use crate::value::{Fuel, Millis, Score, Usage};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NextError {
    /// The history does not fit the profile: every mistake.
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

/// Decides about the latest candidate of `history` and returns what follows: the outcome, or the next request. With an
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
    let context = DocumentContext::of(plan, document, document_type, "as `document_type`", &mut warnings);
    let source = context.source().cloned().unwrap_or_else(|| Arc::new(plan.scoring.source("")));
    let mut host = Drive {
        plan,
        reference: DocumentRef {
            id: document.id.to_string(),
            document_type: context.document_type().to_owned(),
        },
        file_name: document.file_name(),
        pages: document.drawable_pages(),
        text,
        masked: Mask::apply(&plan.profile.mask, text),
        source,
        assessor: context.assessor(),
        context,
        history,
        given,
        now: Millis::default(),
        taken: 0,
        open: None,
        paused: None,
        warnings,
    };
    let first = first_input(plan, document, &host.source);
    let mut run = plan.engine_run_for(&host.context);
    let end = host.go(&mut run, first)?;
    host.answer(document, &run, end)
}

/// A call that the history has no answer to.
struct OpenCall {
    work: Work,
    feedback: Option<PreparedFeedback>,
}

struct Drive<'a> {
    plan: &'a Plan,
    reference: DocumentRef,
    /// The name of its file, if it is one.
    file_name: Option<String>,
    /// The numbers of its pages that can be drawn.
    pages: Vec<usize>,
    /// The whole text.
    text: &'a str,
    /// The text as the stages see it.
    masked: String,
    source: Arc<Source>,
    context: DocumentContext,
    assessor: Assessor,
    history: &'a [Entry],
    /// Scores that are given instead of measured, for each entry.
    given: Vec<Vec<(String, Score)>>,
    now: Millis,
    /// The number of entries that have been used.
    taken: usize,
    /// The first call that the history has no answer to. Members of a panel are asked at the same time.
    open: Option<OpenCall>,
    /// The time that the run has waited since the latest entry.
    paused: Option<Millis>,
    warnings: Vec<String>,
}

impl Host for Drive<'_> {
    type Error = NextError;

    fn now(&mut self) -> Millis {
        self.now
    }

    fn record(
        &mut self,
        _: &Run,
        _: Millis,
        _: &Event,
        _: Option<&PreparedFeedback>,
    ) -> Result<(), NextError> {
        Ok(())
    }

    /// Only the correction that the history has no answer to is asked for.
    fn needs_feedback(&self, _: &Work) -> bool {
        self.taken >= self.history.len()
    }

    fn assess(&mut self, _: &Run, pending: PendingAssessment) -> impl Future<Output = Assessment> {
        let given = self.taken.checked_sub(1).and_then(|latest| self.given.get(latest));
        ready(pending.assess(&mut self.assessor, given.map(Vec::as_slice).unwrap_or_default()))
    }

    fn ask(
        &mut self,
        run: &Run,
        work: &Work,
        feedback: Option<&PreparedFeedback>,
    ) -> impl Future<Output = Result<Option<Input>, NextError>> {
        let answered = self.answer_to(run, work);
        if matches!(answered, Ok(None)) && self.open.is_none() {
            self.open = Some(OpenCall { work: work.clone(), feedback: feedback.cloned() });
        }
        ready(answered)
    }

    fn without_feedback(&mut self, why: String) -> Result<Input, NextError> {
        Err(NextError::Request(why))
    }

    fn wake(&mut self, at: Millis) -> impl Future<Output = Input> {
        self.paused = Some(at - self.now);
        self.now = self.now.max(at);
        ready(Input::Woke)
    }
}

impl Drive<'_> {
    /// Returns the outcome that the history leads to; `None` when the run waits for an answer that the history does not
    /// have.
    fn go(&mut self, run: &mut Run, first: Input) -> Result<Option<Outcome>, NextError> {
        let (plan, context) = (self.plan, self.context.clone());
        let driven = at_once(drive(plan, &context, run, Some(first), None, self));
        driven.map_err(NextError::Request)?.map_err(|error| match error {
            NotDriven::Misuse(misuse) => NextError::Misuse(misuse),
            NotDriven::Host(error) => error,
        })
    }

    /// Returns the history's answer to a call; `None` when it has none.
    fn answer_to(&mut self, run: &Run, work: &Work) -> Result<Option<Input>, NextError> {
        match *work {
            Work::Generate { stage, .. } | Work::Correct { stage, .. } => {
                match self.history.get(self.taken) {
                    Some(entry) => self.take(run, entry, stage).map(Some),
                    None => Ok(None),
                }
            }
            Work::Consult { member, .. } => Ok(self.consulted(run, member)),
            Work::Assess { .. } => Ok(None),
        }
    }

    /// The next entry, as the answer of a stage.
    fn take(&mut self, run: &Run, entry: &Entry, stage: usize) -> Result<Input, NextError> {
        let at = self.taken;
        let asked = run.pipeline().steps().get(stage).map(|step| step.id.to_string()).unwrap_or_default();
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
        Ok(match self.mended(run, &entry.said, stage) {
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

    /// The answer of a stage, repaired as a run would repair it; or the reason why it can't be worked with.
    fn mended(&self, run: &Run, said: &ModelOutput, stage: usize) -> Result<QuotedAnswer, String> {
        let told = match said {
            ModelOutput::Candidate(candidate) => RawAnswer::Value(candidate),
            ModelOutput::Text(text) => RawAnswer::Text(text),
        };
        stage_answer(
            self.plan,
            run.stage_outputs(),
            stage,
            &self.context,
            self.file_name.as_deref(),
            told,
            &Fuel::of(MAX_STEPS),
        )
    }

    /// The answer of a judge or validator about the latest entry. An answer that can't be read is final: a caller that
    /// wants to ask the judge again puts another in its place.
    fn consulted(&mut self, run: &Run, member: usize) -> Option<Input> {
        let at = self.taken.checked_sub(1)?;
        let asked = self.plan.panel.members().get(member)?;
        let usage = Usage { calls: u64::from(!asked.is_validator()), ..Usage::default() };
        let consulted = |answer: Value| {
            Input::on_answer(
                member,
                Ok(Consulted { answer: Arc::new(answer), usage, notes: Vec::new(), repairs: Vec::new() }),
            )
        };
        let given = self.history.get(at).and_then(|entry| entry.answers.get(asked.id.as_ref()));
        // An answer that is not a list is that to the first of several questions about single values.
        let answer = match (given, run.questions_before()) {
            (Some(Value::Array(answers)), question) if asked.is_value_judge() => answers.get(question),
            (given, 0) => given,
            (_, _) if asked.is_value_judge() => None,
            (given, _) => given,
        };
        let Some(answer) = answer else {
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
        let values = AskedValues::of(self.plan, run, member);
        let in_words = values.as_ref().map(|asked| asked.in_words(told)).transpose();
        let read = match in_words.map(Option::flatten) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => verdict(&repairer, told, &check).map(|read| read.value),
            Err(why) => Err(why),
        };
        let discretion = judge.and_then(|judge| {
            let candidate = run.pending_candidate()?;
            ReferenceLeakFilter::of(&judge.judge, self.task(&BTreeMap::new()), candidate)
        });
        let check = |answer: Value| {
            check(&answer)?;
            Ok(discretion.as_ref().and_then(|discretion| discretion.kept(&answer)).unwrap_or(answer))
        };
        match read.and_then(check) {
            Ok(answer) => {
                self.warnings.extend(values.and_then(|asked| asked.note(&answer)));
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

    fn answer(
        mut self,
        document: &Document,
        run: &Run,
        outcome: Option<Outcome>,
    ) -> Result<NextAnswer, NextError> {
        let unused = self.history.len() - self.taken;
        if unused > 0 {
            self.warnings.push(format!(
                "/history/{}: the loop was over before it; {unused} of the history's entries were not looked at",
                self.taken
            ));
        }
        let request = match (&outcome, &self.open) {
            (Some(_), _) => None,
            (None, Some(open)) => Some(self.request(run, open)?),
            (None, None) => return Err(NextError::Request("the run stood still".to_owned())),
        };
        Ok(NextAnswer::of(
            self.plan,
            document.id.clone(),
            self.reference.document_type,
            run.document(),
            outcome,
            request,
            self.warnings,
        ))
    }

    fn request(&self, run: &Run, open: &OpenCall) -> Result<NextRequest, NextError> {
        let references = BTreeMap::new();
        let task = Task { feedback: open.feedback.as_ref(), ..self.task(&references) };
        let request =
            request_for(self.plan, run, task, &self.source, &open.work).map_err(NextError::Request)?;
        let pages = self.call(&open.work).map_or_else(Vec::new, |call| requested(call, &self.pages));
        Ok(NextRequest { pages, ..NextRequest::of(request, &open.work, self.paused) })
    }

    /// The settings of the stage or judge that a piece of work asks.
    fn call(&self, work: &Work) -> Option<&Call> {
        match *work {
            Work::Generate { stage, .. } | Work::Correct { stage, .. } => {
                self.plan.stages.get(stage).map(|planned| &planned.stage.call)
            }
            Work::Consult { member, .. } => {
                let judge = member.checked_sub(self.plan.validators.len())?;
                self.plan.judges.get(judge).map(|planned| &planned.judge.call)
            }
            Work::Assess { .. } => None,
        }
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

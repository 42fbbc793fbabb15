//! A case played through the engine.

use super::case::{Case, CaseInput, Scored, ScoredStep, by_name};
use crate::engine::{CallFailed, Consulted, Event, Input, IterationState, Outcome, Produced, Run, Work};
use crate::exchange::protocol::DocumentRef;
use crate::exchange::{
    AskedValues, Host, NotDriven, PendingAssessment, PreparedFeedback, RawAnswer, Task, at_once,
    correction_feedback, drive, feedback_for, first_input, request_for, stage_answer,
};
use crate::feedback::Correction;
use crate::ingest::{Document, SourceText};
use crate::plan::{DocumentContext, Plan};
use crate::policy::{Decision, ScriptCriteria, StopReason, Verdict};
use crate::profile::{LoopPolicy, Mask};
use crate::repair::MAX_STEPS;
use crate::rules::UNKNOWN_TYPE;
use crate::score::{Assessment, Assessor, Source};
use crate::simulate::{assessment, simulate};
use crate::stop::UNKNOWN_COST;
use crate::trajectory::{IterationRecord, Trajectory};
use crate::value::{Fuel, Millis, Usage};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;

/// The outcome of a case.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) outcome: Outcome,
    /// The document's type; `None` for a trajectory, which has no document.
    pub(super) document_type: Option<String>,
    pub(super) candidates: Vec<Arc<Value>>,
    /// The assessment of each candidate, including those after the end of the loop; the error says why one could not be
    /// made.
    pub(super) assessments: Vec<Result<Assessment, String>>,
    /// The iteration that the next correction would start from, if the loop continues.
    pub(super) base: Option<usize>,
    /// Feedback of the correction that the loop would ask for next, with the stage that gets it.
    pub(super) feedback: Vec<(String, String)>,
    /// Requests that were made, in order. Those of the correction that the loop would ask for next are last.
    pub(super) requests: Vec<RecordedRequest>,
    /// The number of `requests` that belong to that correction.
    pub(super) next_requests: usize,
    /// The reasons why scripts among the criteria gave no answer.
    pub(super) failed_criteria: Vec<String>,
}

/// A request that was made.
#[derive(Debug)]
pub(super) struct RecordedRequest {
    pub(super) judge: bool,
    /// The id of the stage or judge.
    pub(super) asked: String,
    pub(super) iteration: usize,
    pub(super) text: String,
    pub(super) schema: Option<Value>,
}

/// The steps of a trajectory with the profile's dimensions.
pub(super) fn trajectory(policy_dimensions: &[&str], steps: &[ScoredStep]) -> Trajectory {
    let iterations = steps.iter().map(|given| IterationRecord {
        scores: match &given.scores {
            Scored::Every(score) => {
                policy_dimensions.iter().map(|name| ((*name).to_owned(), *score)).collect()
            }
            Scored::Named(named) => named.iter().map(|(name, score)| (name.value.clone(), *score)).collect(),
        },
        ..given.step.clone()
    });
    Trajectory { id: Value::Null, iterations: iterations.collect(), slips: Vec::new() }
}

/// Plays a trajectory. `plan` is needed only for feedback.
pub(super) fn play_trajectory(
    policy: &LoopPolicy,
    scripts: &ScriptCriteria,
    dimensions: &[&str],
    steps: &[ScoredStep],
    plan: Option<&Plan>,
) -> Result<Played, String> {
    let trajectory = trajectory(dimensions, steps);
    let simulated = simulate(policy, scripts, &trajectory);
    let assessed = simulated.decisions.len();
    let candidates: Vec<Arc<Value>> = trajectory
        .iterations
        .iter()
        .take(assessed)
        .map(|step| step.candidate.clone().unwrap_or_else(|| Arc::new(json!({}))))
        .collect();
    let assessments: Vec<Assessment> =
        trajectory.iterations.iter().take(assessed).map(|step| assessment(policy, step)).collect();
    let base = simulated.decisions.last().and_then(|decision| base_of(&decision.verdict));
    let mut feedback = Vec::new();
    if let (Some(plan), Some(base)) = (plan, base) {
        let correction = Correction {
            iteration: assessed,
            base,
            tried: candidates.iter().zip(&assessments).collect(),
            rolled_back: simulated.rolled_back,
        };
        for (at, step) in plan.pipeline.steps().iter().enumerate() {
            if plan.pipeline.gets_feedback(at) {
                let part = candidates.get(base).and_then(|whole| plan.pipeline.part(whole, at));
                let prepared = correction_feedback(plan, &step.id, part.as_ref(), &correction)?;
                feedback.push((step.id.to_string(), prepared.text));
            }
        }
    }
    Ok(Played {
        outcome: simulated.outcome,
        document_type: None,
        candidates,
        assessments: assessments.into_iter().map(Ok).collect(),
        base,
        feedback,
        requests: Vec::new(),
        next_requests: 0,
        failed_criteria: failed_criteria(&simulated.decisions),
    })
}

/// The notes of the decisions on criteria that could not be evaluated. That some cost is unknown is not a failure.
fn failed_criteria<'d>(decisions: impl IntoIterator<Item = &'d Decision>) -> Vec<String> {
    let notes = decisions.into_iter().flat_map(|decision| &decision.notes);
    notes.filter(|note| *note != UNKNOWN_COST).cloned().collect()
}

fn base_of(verdict: &Verdict) -> Option<usize> {
    match verdict {
        Verdict::Continue { base } => Some(*base),
        Verdict::Stop { .. } => None,
    }
}

/// Plays a case that has a document, or none that can be read.
pub(super) fn play_document(plan: &Plan, case: &Case) -> Result<Played, String> {
    let document =
        case.source.as_ref().map(|text| Document::from_text(case.name.value.as_str(), text.as_str()));
    let text =
        document.as_ref().and_then(|d| d.text.as_ref().ok()).map(SourceText::as_str).unwrap_or_default();
    let given = case.document_type.as_ref().map(|named| named.value.as_str());
    let context = match &document {
        Some(document) => DocumentContext::of(plan, document, given, "in the case", &mut Vec::new()),
        None => DocumentContext::named(plan, given.unwrap_or(UNKNOWN_TYPE), None),
    };
    let document_type = context.document_type().to_owned();
    let source = context.source().cloned().unwrap_or_else(|| Arc::new(plan.scoring.source("")));
    let first = match (&case.course, &document) {
        (CaseInput::Unreadable, _) => Input::Unreadable { reason: "the case says so".to_owned() },
        (_, Some(document)) => first_input(plan, document, &source),
        (_, None) => Input::Started,
    };
    let mut player = Player {
        plan,
        case,
        reference: DocumentRef { id: case.name.value.clone(), document_type: document_type.clone() },
        text,
        source,
        masked: Mask::apply(&plan.profile.mask, text),
        assessor: context.assessor(),
        context,
        exhausted: None,
        now: Millis::default(),
        skipped: 0,
        requests: Vec::new(),
        references: plan
            .judges
            .iter()
            .filter_map(|judge| {
                Some((judge.judge.id.value.clone(), judge.judge.reference.as_ref()?.value.clone()))
            })
            .collect(),
    };
    let mut run = plan.engine_run();
    let Ended { outcome, exhausted } = player.drive(&mut run, first)?;
    let assessed: Vec<_> = run.document().assessed().filter_map(IterationState::assessed).collect();
    let decision = run.document().assessed().filter_map(|of| of.decision.as_deref()).next_back();
    let requests = std::mem::take(&mut player.requests);
    let mut played = Played {
        outcome,
        document_type: Some(document_type),
        candidates: assessed.iter().map(|(candidate, _)| Arc::clone(candidate)).collect(),
        assessments: assessed.iter().map(|(_, assessment)| Ok((*assessment).clone())).collect(),
        base: decision.and_then(|decision| base_of(&decision.verdict)),
        feedback: Vec::new(),
        next_requests: exhausted.as_ref().map_or(0, |next| next.requests),
        requests,
        failed_criteria: failed_criteria(run.document().assessed().filter_map(|of| of.decision.as_deref())),
    };
    played.feedback = exhausted.map(|next| next.feedback).unwrap_or_default();
    player.assess_the_rest(&mut played);
    Ok(played)
}

/// The end of a run over given candidates.
struct Ended {
    outcome: Outcome,
    /// The correction that the run asked for when no candidate was left.
    exhausted: Option<Next>,
}

struct Next {
    feedback: Vec<(String, String)>,
    requests: usize,
}

/// The response to a call.
enum Done {
    Answered(Input),
    /// There is no candidate left.
    Exhausted,
}

/// Drives a run with the candidates of a case.
struct Player<'a> {
    plan: &'a Plan,
    case: &'a Case,
    reference: DocumentRef,
    text: &'a str,
    masked: String,
    source: Arc<Source>,
    context: DocumentContext,
    assessor: Assessor,
    /// The correction that the run asked for when no candidate was left.
    exhausted: Option<Next>,
    /// The time in the case.
    now: Millis,
    /// The number of candidates of the case before the first one of the run.
    skipped: usize,
    requests: Vec<RecordedRequest>,
    /// The references that judges compare candidates with: a case has no such files, so judges see their paths.
    references: BTreeMap<String, String>,
}

impl Host for Player<'_> {
    type Error = String;

    fn now(&mut self) -> Millis {
        self.now
    }

    fn record(&mut self, _: &Run, _: Millis, _: &Event, _: Option<&PreparedFeedback>) -> Result<(), String> {
        Ok(())
    }

    fn needs_feedback(&self, _: &Work) -> bool {
        self.looks_at_feedback()
    }

    fn assess(&mut self, _: &Run, pending: PendingAssessment) -> impl Future<Output = Assessment> {
        ready(pending.assess(&mut self.assessor, &[]))
    }

    fn ask(
        &mut self,
        run: &Run,
        work: &Work,
        feedback: Option<&PreparedFeedback>,
    ) -> impl Future<Output = Result<Option<Input>, String>> {
        ready(self.answer(run, work, feedback).map(Some))
    }

    fn without_feedback(&mut self, why: String) -> Result<Input, String> {
        Err(why)
    }

    fn wake(&mut self, at: Millis) -> impl Future<Output = Input> {
        self.now = at;
        ready(Input::Woke)
    }
}

impl Player<'_> {
    fn drive(&mut self, run: &mut Run, first: Input) -> Result<Ended, String> {
        self.now = Millis::default();
        let (plan, context) = (self.plan, self.context.clone());
        let driven = at_once(drive(plan, &context, run, Some(first), None, self))?;
        let mut outcome = match driven {
            Ok(outcome) => outcome.ok_or("the run stood still")?,
            Err(NotDriven::Misuse(misuse)) => return Err(misuse.to_string()),
            Err(NotDriven::Host(why)) => return Err(why),
        };
        let exhausted = self.exhausted.take();
        if exhausted.is_some() {
            outcome.stop_reason = StopReason::TrajectoryExhausted;
            outcome.final_status = outcome.stop_reason.status();
        }
        Ok(Ended { outcome, exhausted })
    }

    fn answer(
        &mut self,
        run: &Run,
        work: &Work,
        feedback: Option<&PreparedFeedback>,
    ) -> Result<Input, String> {
        Ok(match self.carry_out(work, run, feedback)? {
            Done::Answered(input) => input,
            Done::Exhausted => {
                self.exhausted = Some(self.next_correction(work, run)?);
                Input::Stop { in_flight: Usage::default() }
            }
        })
    }

    /// Returns whether the case checks feedback or requests of corrections.
    fn looks_at_feedback(&self) -> bool {
        self.case.expect.feedback.is_some() || self.case.expect.looks_at_requests()
    }

    fn carry_out(
        &mut self,
        work: &Work,
        run: &Run,
        feedback: Option<&PreparedFeedback>,
    ) -> Result<Done, String> {
        let answered = |input| Ok(Done::Answered(input));
        match *work {
            Work::Generate { stage, .. } => {
                self.note_request(run, work, feedback)?;
                match &self.case.course {
                    CaseInput::Candidates(candidates) => {
                        let Some(candidate) = candidates.get(self.skipped) else {
                            return Ok(Done::Exhausted);
                        };
                        answered(Input::Supplied(produced(Arc::new(candidate.clone()))))
                    }
                    _ => self.output(run, stage, 0),
                }
            }
            Work::Correct { iteration, stage, .. } => {
                if iteration + self.skipped >= self.case.course.len() {
                    return Ok(Done::Exhausted);
                }
                self.note_request(run, work, feedback)?;
                match &self.case.course {
                    CaseInput::Candidates(candidates) => {
                        let whole = candidates.get(iteration + self.skipped).cloned().unwrap_or_default();
                        // A stage whose output is not part of candidates serves prompts only.
                        let part = run.pipeline().part(&Arc::new(whole), stage).unwrap_or_default();
                        answered(Input::Produced(produced(part)))
                    }
                    _ => self.output(run, stage, iteration),
                }
            }
            Work::Assess { .. } => Err("candidates are assessed where the run is driven".to_owned()),
            Work::Consult { iteration, member, .. } => self.consult(run, work, member, iteration),
        }
    }

    /// The answer that the case gives for a stage, repaired as in a run. A text is what a model wrote.
    fn output(&self, run: &Run, stage: usize, iteration: usize) -> Result<Done, String> {
        let CaseInput::Outputs(outputs) = &self.case.course else { return Ok(Done::Exhausted) };
        let Some(outputs) = outputs.get(iteration + self.skipped) else { return Ok(Done::Exhausted) };
        let id = run.pipeline().steps().get(stage).map(|step| step.id.as_ref()).unwrap_or_default();
        let Some(output) = by_name(outputs).get(id).copied() else {
            return Err(format!(
                "stage `{id}` is asked for candidate {iteration}, and `outputs[{iteration}]` has no answer of it"
            ));
        };
        let told = match output {
            Value::String(text) => RawAnswer::Text(text),
            value => RawAnswer::Value(value),
        };
        let usage = Usage { calls: 1, ..Usage::default() };
        let input = match stage_answer(
            self.plan,
            run.stage_outputs(),
            stage,
            &self.context,
            None,
            told,
            &Fuel::of(MAX_STEPS),
        ) {
            Ok(answer) => Input::Produced(Produced {
                quotes: answer.quotes,
                repairs: answer.repaired.steps,
                ..produced(Arc::new(answer.repaired.value))
            }),
            Err(message) => {
                Input::Failed(CallFailed { message, transient: true, usage, ..CallFailed::default() })
            }
        };
        Ok(Done::Answered(input))
    }

    /// The answer that the case gives for a judge or validator. A validator without one is not available.
    fn consult(&mut self, run: &Run, work: &Work, member: usize, iteration: usize) -> Result<Done, String> {
        let Some(asked) = self.plan.panel.members().get(member) else {
            return Err("no one is to be asked".to_owned());
        };
        if !asked.is_validator() {
            self.note_request(run, work, None)?;
        }
        let at = iteration + self.skipped;
        let given =
            self.case.answers.get(at).and_then(|answers| by_name(answers).get(asked.id.as_ref()).copied());
        // Of several questions about single values, each has its answer in a list; an answer that is not a list answers
        // all.
        let given = match given {
            Some(Value::Array(each)) if asked.is_value_judge() => each.get(run.questions_before()),
            given => given,
        };
        let usage = Usage { calls: u64::from(!asked.is_validator()), ..Usage::default() };
        let answer = |answer: Value| Consulted {
            answer: Arc::new(answer),
            usage,
            notes: Vec::new(),
            repairs: Vec::new(),
        };
        let said = match given {
            Some(Value::Null) => Err(CallFailed {
                message: "the case has it fail".to_owned(),
                transient: false,
                usage,
                ..CallFailed::default()
            }),
            Some(given) => match self.in_words(run, member, given) {
                Ok(said) => Ok(answer(said.unwrap_or_else(|| given.clone()))),
                Err(message) => Err(CallFailed {
                    message: format!("it answered with {message}"),
                    transient: false,
                    usage,
                    ..CallFailed::default()
                }),
            },
            None if asked.is_validator() => {
                Ok(answer(json!({ "unavailable": "validators are not run in scenario tests" })))
            }
            None => {
                return Err(format!(
                    "judge `{}` is asked about candidate {at}, and `answers[{at}]` has no answer of it (`{}: null` has it fail)",
                    asked.id, asked.id
                ));
            }
        };
        Ok(Done::Answered(Input::on_answer(member, said)))
    }

    /// The answer of a judge that answers with words, as a verdict; `None` of any other answer.
    fn in_words(&self, run: &Run, member: usize, given: &Value) -> Result<Option<Value>, String> {
        match (AskedValues::of(self.plan, run, member), given.as_str()) {
            (Some(asked), Some(said)) => asked.in_words(RawAnswer::Text(said)),
            _ => Ok(None),
        }
    }

    fn task(&self) -> Task<'_> {
        Task {
            document: &self.reference,
            source: &self.masked,
            unmasked: self.text,
            attached: None,
            file_name: None,
            references: &self.references,
            variables: None,
            feedback: None,
        }
    }

    /// Records the request for a piece of work, if the case checks requests.
    fn note_request(
        &mut self,
        run: &Run,
        work: &Work,
        feedback: Option<&PreparedFeedback>,
    ) -> Result<(), String> {
        if !self.case.expect.looks_at_requests() {
            return Ok(());
        }
        let task = Task { feedback, ..self.task() };
        let request = request_for(self.plan, run, task, &self.source, work)?;
        let judge = matches!(work, Work::Consult { .. });
        let iteration = match *work {
            Work::Generate { .. } => 0,
            Work::Correct { iteration, .. }
            | Work::Assess { iteration }
            | Work::Consult { iteration, .. } => iteration,
        };
        let text =
            request.messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n\n");
        self.requests.push(RecordedRequest {
            judge,
            asked: request.stage,
            iteration,
            text,
            schema: request.schema,
        });
        Ok(())
    }

    /// The feedback and the requests that the stages would get in the correction that the run asks for.
    fn next_correction(&mut self, work: &Work, run: &Run) -> Result<Next, String> {
        let Work::Correct { iteration, base, stage, .. } = *work else {
            return Ok(Next { feedback: Vec::new(), requests: 0 });
        };
        let before = self.requests.len();
        let mut feedback = Vec::new();
        if !self.looks_at_feedback() {
            return Ok(Next { feedback, requests: 0 });
        }
        let stages = run.pipeline().steps().iter().enumerate().skip(stage);
        for (at, step) in stages.filter(|(at, _)| run.pipeline().gets_feedback(*at)) {
            let work = Work::Correct { iteration, base, stage: at, attempt: 0 };
            let prepared = feedback_for(self.plan, run, &work)?;
            self.note_request(run, &work, prepared.as_ref())?;
            feedback.extend(prepared.map(|prepared| (step.id.to_string(), prepared.text)));
        }
        Ok(Next { feedback, requests: self.requests.len() - before })
    }

    /// Assesses the candidates after the end of the loop, each as if it were the first.
    fn assess_the_rest(&mut self, played: &mut Played) {
        let wanted = self.case.expect.assessments.len().min(self.case.course.len());
        for at in played.assessments.len()..wanted {
            self.skipped = at;
            let mut run = self.plan.engine_run();
            let assessed = self.drive(&mut run, Input::Started).and_then(|_| {
                run.document()
                    .assessment(0)
                    .cloned()
                    .ok_or_else(|| "there is no candidate to assess".to_owned())
            });
            played.assessments.push(assessed);
        }
        self.skipped = 0;
    }
}

fn produced(candidate: Arc<Value>) -> Produced {
    Produced { candidate, usage: Usage { calls: 1, ..Usage::default() }, ..Produced::default() }
}

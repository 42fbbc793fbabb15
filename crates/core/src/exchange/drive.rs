//! The one loop between the engine and its hosts. A live run, the loop as data and the player of scenarios all drive a
//! run with it, and differ only in the parties that they ask.

use super::PreparedFeedback;
use super::work::feedback_for;
use crate::engine::{Event, Input, Misuse, Outcome, Output, Run, Work};
use crate::plan::{DocumentContext, Given, Plan};
use crate::score::{Assessment, Assessor, Judged, Quotes, ScoreBreakdown};
use crate::value::{Millis, Score};
use serde_json::Value;
use std::collections::VecDeque;
use std::future::ready;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Carries out the requests of a run: it knows the time, keeps events and has the answers. A host that has all answers
/// at once never waits ([`at_once`]).
pub trait Host {
    /// The error that keeps it from continuing.
    type Error;

    /// The time, from the beginning of the document's loop.
    fn now(&mut self) -> Millis;

    /// Inspects an input before the run gets it.
    fn before(&mut self, input: Input) -> Input {
        input
    }

    /// Keeps an event, before it is acted upon. All that one input causes is recorded with the time `at` which the run got it:
    /// replaying the record must give the run the times that it saw. With the request for a correction comes the feedback that
    /// was prepared for it.
    fn record(
        &mut self,
        run: &Run,
        at: Millis,
        event: &Event,
        feedback: Option<&PreparedFeedback>,
    ) -> Result<(), Self::Error>;

    /// Returns whether a correction will be asked for in words, so that feedback is needed.
    fn needs_feedback(&self, work: &Work) -> bool;

    /// Has tier 1 assess the candidate.
    fn assess(&mut self, run: &Run, pending: PendingAssessment) -> impl Future<Output = Assessment>;

    /// Asks a stage, judge or validator. An answer that is not returned comes later, from [`Host::later`].
    fn ask(
        &mut self,
        run: &Run,
        work: &Work,
        feedback: Option<&PreparedFeedback>,
    ) -> impl Future<Output = Result<Option<Input>, Self::Error>>;

    /// Tells the run of feedback that can't be rendered.
    fn without_feedback(&mut self, why: String) -> Result<Input, Self::Error>;

    /// Waits until this time.
    fn wake(&mut self, at: Millis) -> impl Future<Output = Input>;

    /// Waits for an answer that was asked for; `None` when none will come now.
    fn later(&mut self) -> impl Future<Output = Option<Input>> {
        ready(None)
    }
}

/// The reason that a run could not be driven to its end.
#[derive(Debug)]
pub enum NotDriven<E> {
    /// The run got an input that it did not wait for: a mistake of the host.
    Misuse(Misuse),
    /// The host could not continue.
    Host(E),
}

impl<E> From<E> for NotDriven<E> {
    fn from(error: E) -> Self {
        NotDriven::Host(error)
    }
}

/// A candidate that waits for tier 1, with the data that came with it.
#[derive(Debug)]
pub struct PendingAssessment {
    context: DocumentContext,
    /// The candidate.
    pub candidate: Arc<Value>,
    quotes: Quotes,
    judged: Arc<Judged>,
}

impl PendingAssessment {
    /// Assesses it. Dimensions that `scores` names are not measured.
    pub fn assess(&self, assessor: &mut Assessor, scores: &[(String, Score)]) -> Assessment {
        let mut assessment = Assessment::default();
        self.context.assess(assessor, &self.candidate, self.given(scores), &mut assessment);
        assessment
    }

    /// Assesses it, and accounts for each point.
    pub fn assess_and_account(&self, assessor: &mut Assessor) -> (Assessment, ScoreBreakdown) {
        let mut assessment = Assessment::default();
        let account =
            self.context.assess_and_account(assessor, &self.candidate, self.given(&[]), &mut assessment);
        (assessment, account)
    }

    fn given<'a>(&'a self, scores: &'a [(String, Score)]) -> Given<'a> {
        Given { scores, quotes: Some(&self.quotes), judged: Some(&self.judged) }
    }
}

/// Drives `run` to its outcome, and assesses its candidates in `context`. `first` is its first input, and `prepared`
/// the feedback of the correction that it was waiting for when it was left. Returns `None` when it waits for something
/// that the host does not have yet.
pub async fn drive<H: Host>(
    plan: &Plan,
    context: &DocumentContext,
    run: &mut Run,
    first: Option<Input>,
    prepared: Option<PreparedCorrection>,
    host: &mut H,
) -> Result<Option<Outcome>, NotDriven<H::Error>> {
    let mut inputs: VecDeque<Input> = first.into_iter().collect();
    let mut feedback = LatestFeedback(prepared.map(|one| (one.work, Ok(Some(one.feedback)))));
    // Known before the first step in a run that was already over, and is only to be recorded.
    let mut outcome = run.document().outcome().cloned();
    let mut at = host.now();
    loop {
        while let Some(output) = run.poll() {
            match output {
                Output::Record(event) => {
                    let mut prepared = None;
                    if let Event::Called(work) = &event
                        && host.needs_feedback(work)
                    {
                        prepared = feedback.prepare(plan, run, work);
                    }
                    host.record(run, at, &event, prepared)?;
                }
                Output::Call(Work::Assess { .. }) => {
                    let assessment = match pending(context, run) {
                        Some(pending) => host.assess(run, pending).await,
                        None => Assessment::default(),
                    };
                    inputs.push_back(Input::Assessed(Arc::new(assessment)));
                }
                Output::Call(work) => {
                    let prepared = match host.needs_feedback(&work) {
                        true => feedback.of(plan, run, &work),
                        false => Ok(None),
                    };
                    let told = match prepared {
                        Ok(feedback) => host.ask(run, &work, feedback).await?,
                        Err(why) => Some(host.without_feedback(why)?),
                    };
                    inputs.extend(told);
                }
                Output::Wake { at, .. } => inputs.push_back(host.wake(at).await),
                Output::Finished(finished) => outcome = Some(*finished),
            }
        }
        if outcome.is_some() {
            return Ok(outcome);
        }
        let next = match inputs.pop_front() {
            Some(input) => Some(input),
            None => host.later().await,
        };
        let Some(input) = next else { return Ok(None) };
        let input = host.before(input);
        at = host.now();
        run.handle(at, input).map_err(NotDriven::Misuse)?;
    }
}

fn pending(context: &DocumentContext, run: &Run) -> Option<PendingAssessment> {
    let candidate = Arc::clone(run.pending_candidate()?);
    let quotes = run.pending_quotes().cloned().unwrap_or_default();
    Some(PendingAssessment { context: context.clone(), candidate, quotes, judged: Arc::clone(run.judged()) })
}

/// A correction with the feedback that was prepared when it was asked for.
#[derive(Debug, Clone)]
pub struct PreparedCorrection {
    /// The correction.
    pub work: Work,
    /// Its feedback.
    pub feedback: PreparedFeedback,
}

/// The feedback of the latest correction. It is prepared once, when the run asks for the correction, and is the same in each
/// attempt to get it.
struct LatestFeedback(Option<(Work, Result<Option<PreparedFeedback>, String>)>);

impl LatestFeedback {
    /// Prepares the feedback of a correction that is asked for the first time.
    fn prepare(&mut self, plan: &Plan, run: &Run, work: &Work) -> Option<&PreparedFeedback> {
        if !matches!(work, Work::Correct { attempt: 0, .. }) {
            return None;
        }
        let prepared = feedback_for(plan, run, work);
        let (_, prepared) = self.0.insert((work.clone(), prepared));
        prepared.as_ref().ok()?.as_ref()
    }

    /// The feedback for `work`, prepared now if it was not before: by a host that had no need of it, or in a run whose record
    /// does not have it.
    fn of(&mut self, plan: &Plan, run: &Run, work: &Work) -> Result<Option<&PreparedFeedback>, String> {
        let Work::Correct { .. } = work else { return Ok(None) };
        if !self.0.as_ref().is_some_and(|(prepared, _)| prepared.is_attempt_at(work)) {
            self.0 = None;
        }
        let (_, prepared) = self.0.get_or_insert_with(|| (work.clone(), feedback_for(plan, run, work)));
        prepared.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }
}

/// Polls a future that never waits: the driving of a run whose host has all answers.
///
/// # Errors
/// Fails if it does wait.
pub fn at_once<T>(work: impl Future<Output = T>) -> Result<T, String> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Ok(done),
        Poll::Pending => Err("a host that has all answers was asked to wait".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::engine::{CallFailed, Produced, Recorded};
    use crate::profile::{Library, load};
    use serde_json::json;

    const PROFILE: &str = "
stages: [{ id: extract, provider: x, prompt: extract.md, retries: 3 }]
classify: null
assess: { completeness: { rubric: clinical } }
overall: { from: completeness }
accept: { overall: 1 }
stop: { max_iterations: 3 }
";

    fn plan() -> Plan {
        let library = Library::embedded().holding("profiles/one.yaml", PROFILE);
        let mut problems = Problems::new();
        let loaded = load("one", &library, &[], &|_| None, &mut problems);
        let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
        plan.unwrap_or_else(|| panic!("{problems:?}"))
    }

    /// Answers the first candidate, fails the next few calls, and has no answer after that.
    #[derive(Default)]
    struct Scripted {
        fails: usize,
        record: Vec<Recorded>,
        recorded: Vec<PreparedFeedback>,
        asked_with: Vec<Option<PreparedFeedback>>,
    }

    impl Host for Scripted {
        type Error = String;

        fn now(&mut self) -> Millis {
            Millis(7)
        }

        fn record(
            &mut self,
            _: &Run,
            at: Millis,
            event: &Event,
            feedback: Option<&PreparedFeedback>,
        ) -> Result<(), String> {
            self.record.push(Recorded { at, event: event.clone() });
            self.recorded.extend(feedback.cloned());
            Ok(())
        }

        fn needs_feedback(&self, _: &Work) -> bool {
            true
        }

        async fn assess(&mut self, _: &Run, pending: PendingAssessment) -> Assessment {
            pending.assess(&mut pending.context.assessor(), &[])
        }

        async fn ask(
            &mut self,
            _: &Run,
            work: &Work,
            feedback: Option<&PreparedFeedback>,
        ) -> Result<Option<Input>, String> {
            if matches!(work, Work::Generate { .. }) {
                let candidate = Arc::new(json!({}));
                return Ok(Some(Input::Produced(Produced { candidate, ..Produced::default() })));
            }
            self.asked_with.push(feedback.cloned());
            let failed = CallFailed { transient: true, ..CallFailed::default() };
            Ok((self.asked_with.len() <= self.fails).then_some(Input::Failed(failed)))
        }

        fn without_feedback(&mut self, why: String) -> Result<Input, String> {
            Err(why)
        }

        async fn wake(&mut self, _: Millis) -> Input {
            Input::Woke
        }
    }

    fn driven(
        plan: &Plan,
        run: &mut Run,
        first: Option<Input>,
        prepared: Option<PreparedCorrection>,
        fails: usize,
    ) -> Scripted {
        let mut host = Scripted { fails, ..Scripted::default() };
        let context = DocumentContext::named(plan, "pathology", Some("Histologic grade 2."));
        let end = at_once(drive(plan, &context, run, first, prepared, &mut host)).unwrap().unwrap();
        assert_eq!(end, None, "it waits for a correction");
        host
    }

    #[test]
    fn feedback_is_prepared_once_and_recorded_with_the_event() {
        let plan = plan();
        let host = driven(&plan, &mut plan.engine_run(), Some(Input::Started), None, 2);
        let [recorded] = host.recorded.as_slice() else { panic!("{:?}", host.recorded) };
        assert!(recorded.text.contains("grade"), "{}", recorded.text);
        assert!(recorded.structured.missing.contains(&"grade".to_owned()));
        // Each attempt to get the correction is asked with the same.
        assert_eq!(host.asked_with, vec![Some(recorded.clone()); 3]);
    }

    #[test]
    fn a_resumed_run_asks_with_the_feedback_that_was_recorded() {
        let plan = plan();
        let before = driven(&plan, &mut plan.engine_run(), Some(Input::Started), None, 1);
        let work = before.record.iter().rev().find_map(|recorded| match &recorded.event {
            Event::Called(work) => Some(work.clone()),
            _ => None,
        });
        let recorded =
            PreparedFeedback { text: "as it was said then".to_owned(), ..before.recorded[0].clone() };
        let prepared = PreparedCorrection { work: work.unwrap(), feedback: recorded.clone() };
        let mut again = plan.engine_run().replay(&before.record).unwrap();
        let host = driven(&plan, &mut again, None, Some(prepared.clone()), 1);
        assert_eq!(host.asked_with, vec![Some(recorded); 2]);
        // Of another correction it says nothing, and what is not recorded is prepared anew.
        let other = PreparedCorrection {
            work: Work::Correct { iteration: 2, base: 1, stage: 0, attempt: 0 },
            ..prepared
        };
        let mut again = plan.engine_run().replay(&before.record).unwrap();
        let host = driven(&plan, &mut again, None, Some(other), 0);
        assert_eq!(host.asked_with, vec![Some(before.recorded[0].clone())]);
    }
}

//! The first input of the engine, and the requests for the work that it wants done.

use super::protocol::CompletionRequest;
use super::value_request::value_request;
use super::{PreparedFeedback, Task, correction_feedback, correction_request, judge_request, stage_request};
use crate::document::Document;
use crate::engine::{Input, Run, Work};
use crate::plan::Plan;
use crate::profile::CandidateKind;
use crate::score::Source;

/// The first input of a document's loop: it does not start without text, without anything that a patch could be applied
/// to, or where calls can't be shown what the profile attaches.
pub fn first_input(plan: &Plan, document: &Document, source: &Source) -> Input {
    let is_shown = plan.shows_file_of(document) || plan.shows_pages_of(document);
    if let Some(reason) = plan.unattachable(document) {
        return Input::Unreadable { reason };
    }
    match &document.text {
        _ if (document.text.is_ok() || is_shown)
            && plan.scoring.kind() == CandidateKind::Patch
            && source.document().is_none() =>
        {
            Input::Unreadable { reason: "it is not JSON, so no patch can be applied to it".to_owned() }
        }
        Ok(_) => Input::Started,
        Err(_) if is_shown => Input::Started,
        Err(unreadable) => Input::Unreadable { reason: format!("{unreadable}; {}", unreadable.help()) },
    }
}

/// The feedback that a stage gets about the candidate that it corrects, with the id of the stage; `None` for work that
/// comes without feedback.
///
/// # Errors
/// Fails if the template can't be rendered or the base does not exist.
pub fn feedback_for(plan: &Plan, run: &Run, work: &Work) -> Result<Option<PreparedFeedback>, String> {
    let Work::Correct { iteration, base, stage, .. } = *work else { return Ok(None) };
    let Some(planned) = plan.stages.get(stage).filter(|_| run.pipeline().gets_feedback(stage)) else {
        return Ok(None);
    };
    let part = run.document().candidate(base).and_then(|whole| run.pipeline().part(whole, stage));
    let correction = run.correction(iteration, base);
    correction_feedback(plan, &planned.stage.id.value, part.as_ref(), &correction).map(Some)
}

/// The request that a stage or a judge gets for a piece of work. `source` is the document as stages may see it.
///
/// # Errors
/// Fails if a template can't be rendered, or the work is none that a provider does.
pub fn request_for(
    plan: &Plan,
    run: &Run,
    task: Task<'_>,
    source: &Source,
    work: &Work,
) -> Result<CompletionRequest, String> {
    let (stage, attempt, correction) = match *work {
        Work::Generate { stage, attempt } => (stage, attempt, None),
        Work::Correct { iteration, base, stage, attempt } => (stage, attempt, Some((iteration, base))),
        Work::Consult { iteration, member, attempt } => {
            let candidate = run.pending_candidate().ok_or("there is no candidate to judge")?;
            let judge = member.checked_sub(plan.validators.len()).and_then(|at| plan.judges.get(at));
            let judge = judge.ok_or("there is no such judge")?;
            let mut request = if plan.panel.value_judge() == Some(member) {
                value_request(plan, judge, (task, source), run, iteration)?
            } else {
                judge_request(plan, judge, task, candidate, iteration)?
            };
            request.attempt = attempt.saturating_add(1);
            return Ok(request);
        }
        Work::Assess { .. } => return Err("no provider is asked to assess".to_owned()),
    };
    let planned = plan.stages.get(stage).ok_or("there is no such stage")?;
    let outputs = run.pipeline().known(run.stage_outputs());
    let mut request = match correction.filter(|_| run.pipeline().gets_feedback(stage)) {
        None => stage_request(plan, planned, task, &outputs)?,
        Some((_, base)) => {
            let part = run.document().candidate(base).and_then(|whole| run.pipeline().part(whole, stage));
            correction_request(plan, planned, task, &outputs, part.as_ref())?
        }
    };
    if let Some((iteration, _)) = correction {
        request.iteration = u32::try_from(iteration).unwrap_or(u32::MAX);
    }
    request.attempt = attempt.saturating_add(1);
    Ok(request)
}

//! The first input of the engine, and the requests for the work that it wants done.

use super::protocol::{Attachment, CompletionRequest};
use super::value_request::value_request;
use super::{PreparedFeedback, Task, correction_feedback, correction_request, judge_request, stage_request};
use crate::document::{Document, MOST_ATTACHED_BYTES};
use crate::engine::{Input, Run, Work};
use crate::plan::Plan;
use crate::profile::CandidateKind;
use crate::score::Source;
use crate::value::os_text;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use std::path::Path;

/// The first input of a document's loop: it does not start without text, or without anything that a patch could be
/// applied to.
pub fn first_input(plan: &Plan, document: &Document, source: &Source) -> Input {
    let attached = plan.shows_file_of(document);
    match &document.text {
        _ if attached && document.media.as_ref().is_some_and(|media| !media.can_be_attached()) => {
            let size = document.media.as_ref().map_or(0, |media| media.bytes().len());
            Input::Unreadable {
                reason: format!(
                    "a stage is shown the file itself (`attach: document`), which has {size} bytes, and at most {MOST_ATTACHED_BYTES} are sent to a model; split it, or let stages read its text"
                ),
            }
        }
        _ if (document.text.is_ok() || attached)
            && plan.scoring.kind() == CandidateKind::Patch
            && source.document().is_none() =>
        {
            Input::Unreadable { reason: "it is not JSON, so no patch can be applied to it".to_owned() }
        }
        Ok(_) => Input::Started,
        Err(_) if attached => Input::Started,
        Err(unreadable) => Input::Unreadable { reason: format!("{unreadable}; {}", unreadable.help()) },
    }
}

/// The document itself, where it is an image or PDF and a stage gets to see it so.
pub fn attached(plan: &Plan, document: &Document) -> Option<Attachment> {
    let media = document.media.as_ref().filter(|_| plan.attaches())?;
    let name = document.path.as_deref().and_then(Path::file_name);
    Some(Attachment {
        name: name.map_or_else(|| document.id.to_string(), |name| os_text(name).into_owned()),
        media_type: media.media_type().to_owned(),
        data: BASE64.encode(media.bytes()),
    })
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

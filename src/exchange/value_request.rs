//! What a judge of single values is asked: each value that quotes leave undecided, beside its passage, and nothing else
//! of the document.

use super::protocol::{CompletionRequest, Message, Role};
use super::request::{Task, request_options};
use crate::engine::Run;
use crate::feedback::ValueVariables;
use crate::plan::{JudgePlan, Plan};
use crate::score::{Source, field_of, read_verdicts, undecided};
use crate::value::unescape;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// A value as the judge sees it.
#[derive(Debug, Serialize)]
struct ShownValue<'a> {
    path: &'a str,
    field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    value: &'a Value,
    passage: &'a str,
    sentence: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<&'a str>,
}

/// The one request about all values of a candidate that are undecided.
///
/// # Errors
/// When the prompt can't be rendered, or there is nothing to ask about.
pub(super) fn value_request(
    plan: &Plan,
    judge: &JudgePlan,
    (task, source): (Task<'_>, &Source),
    run: &Run,
    iteration: usize,
) -> Result<CompletionRequest, String> {
    let document_type = &task.document.document_type;
    let (candidate, assessment) =
        run.pending_candidate().zip(run.pending_assessment()).ok_or("there is no candidate to judge")?;
    let shown = undecided(candidate, assessment).into_iter().map(|asked| {
        let passage = source.passage(asked.passage);
        ShownValue {
            path: asked.path,
            field: field_of(candidate, asked.path),
            description: description(plan, document_type, asked.path),
            value: asked.value,
            passage: passage.quote,
            sentence: passage.sentence,
            heading: passage.heading,
        }
    });
    // One value a line: what a document says can't begin a line of its own.
    let lines: Vec<String> = shown.filter_map(|shown| serde_json::to_string(&shown).ok()).collect();
    let mut messages = Vec::new();
    if let Some(template) = &judge.prompt {
        let values = lines.join("\n");
        let content = plan
            .templates
            .value_judge(template, &ValueVariables { document_type, values: &values })
            .map_err(|error| format!("the prompt can't be rendered: {error}"))?;
        messages.push(Message { role: Role::User, content });
    }
    Ok(CompletionRequest {
        document: task.document.clone(),
        stage: judge.judge.id.value.clone(),
        iteration: u32::try_from(iteration).unwrap_or(u32::MAX),
        messages,
        schema: judge.schemas.get(document_type).cloned(),
        options: request_options(&judge.judge.call.options),
        ..CompletionRequest::default()
    })
}

/// The values that a judge is asked about, to hold its answer against.
#[derive(Debug)]
pub(crate) struct AskedValues {
    judge: String,
    paths: BTreeSet<String>,
}

impl AskedValues {
    /// What the member of the panel is asked about, if it is a judge of single values.
    pub(crate) fn of(plan: &Plan, run: &Run, member: usize) -> Option<Self> {
        let judge = plan.panel.members().get(member).filter(|_| plan.panel.value_judge() == Some(member))?;
        let (candidate, assessment) = run.pending_candidate().zip(run.pending_assessment())?;
        let asked = undecided(candidate, assessment);
        let paths = asked.iter().map(|asked| asked.path.to_owned()).collect();
        Some(AskedValues { judge: judge.id.to_string(), paths })
    }

    /// What is to be said of an answer that speaks of other values, which are left out.
    pub(crate) fn note(&self, answer: &Value) -> Option<String> {
        let said = read_verdicts(answer).ok()?;
        let other = said.keys().filter(|path| !self.paths.contains(**path)).count();
        let judge = &self.judge;
        match other {
            0 => None,
            1 => Some(format!(
                "judge `{judge}` spoke of a value that it was not asked about, which is ignored"
            )),
            _ => Some(format!(
                "judge `{judge}` spoke of {other} values that it was not asked about, which are ignored"
            )),
        }
    }
}

/// What the schema of the stage that answers for a value says of it.
fn description<'p>(plan: &'p Plan, document_type: &str, path: &str) -> Option<&'p str> {
    let (first, inner) = path.get(1..)?.split_once('/').unwrap_or((path.get(1..)?, ""));
    let first = unescape(first);
    let into = plan
        .stages
        .iter()
        .find(|stage| stage.stage.into.as_ref().is_some_and(|into| into.value == first.as_ref()));
    let (stage, path) = match into {
        Some(stage) => (stage, format!("/{inner}")),
        None => (plan.stages.last()?, path.to_owned()),
    };
    let root = stage.schemas.get(document_type)?;
    let mut at = resolved(root, root)?;
    for step in path.split('/').skip(1).filter(|step| !step.is_empty()) {
        let step = unescape(step);
        let next = match at.get("properties").and_then(|properties| properties.get(step.as_ref())) {
            Some(property) => property,
            None if step.bytes().all(|byte| byte.is_ascii_digit()) => at.get("items")?,
            None => at.get("additionalProperties")?,
        };
        at = resolved(root, next)?;
    }
    at.get("description")?.as_str()
}

/// Most references in a row that are followed.
const REFERENCES: usize = 16;

/// The place that local references lead to. One that says more beside its reference is looked at itself.
fn resolved<'v>(root: &'v Value, at: &'v Value) -> Option<&'v Value> {
    let mut at = at;
    for _ in 0..REFERENCES {
        let plain = at.get("description").is_none() && at.get("properties").is_none();
        match at.get("$ref").and_then(Value::as_str).filter(|_| plain) {
            None => return Some(at),
            Some(reference) => at = root.pointer(reference.strip_prefix('#')?)?,
        }
    }
    None
}

//! The request to a judge of single values: each value that quotes leave undecided, beside its passage, and nothing
//! else of the document.

use super::answer::RawAnswer;
use super::protocol::{CompletionRequest, Message, Role};
use super::request::{Task, request_options};
use crate::engine::Run;
use crate::feedback::{AskedValue, ValueVariables};
use crate::plan::{JudgePlan, Plan};
use crate::profile::VerdictWords;
use crate::repair::without_thinking;
use crate::score::{Source, field_of, read_verdicts, undecided};
use crate::value::unescape;
use serde::Serialize;
use serde_json::{Value, json};
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
/// Fails if the prompt can't be rendered, or there is nothing to ask about.
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
    let at_once = at_once(judge);
    let shown = undecided(candidate, assessment, at_once).into_iter().map(|asked| {
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
    let shown: Vec<ShownValue<'_>> = shown.collect();
    // One value per line: text of a document can't begin a line of its own.
    let lines: Vec<String> = shown.iter().filter_map(|shown| serde_json::to_string(shown).ok()).collect();
    let asked: Vec<AskedValue> = shown.iter().map(ShownValue::in_lines).collect();
    let mut messages = Vec::new();
    if let Some(template) = &judge.prompt {
        let values = lines.join("\n");
        let content = plan
            .templates
            .value_judge(template, &ValueVariables { document_type, values: &values, asked: &asked })
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

impl ShownValue<'_> {
    /// The value as shown by a template that writes no JSON: each part on one line, so that text of a document can't
    /// begin a line of its own.
    fn in_lines(&self) -> AskedValue {
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let value = self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned);
        AskedValue {
            field: line(&plain_words(&self.field)),
            description: self.description.map(line),
            value: line(&value),
            passage: line(self.passage),
            sentence: line(self.sentence),
            heading: self.heading.map(line),
        }
    }
}

/// The name of a field as words: `closestMarginMm` is `closest margin mm`.
fn plain_words(field: &str) -> String {
    let mut words = String::new();
    let mut was_small = false;
    for c in field.chars() {
        if matches!(c, '_' | '-') {
            words.push(' ');
        } else if c.is_uppercase() && was_small {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else {
            words.push(c);
        }
        was_small = c.is_lowercase();
    }
    words
}

/// The most values that a call of this judge asks about.
fn at_once(judge: &JudgePlan) -> usize {
    usize::try_from(judge.judge.values.at_once).unwrap_or(usize::MAX)
}

/// The values that a judge is asked about, to hold its answer against.
#[derive(Debug)]
pub struct AskedValues {
    judge: String,
    paths: BTreeSet<String>,
    words: VerdictWords,
}

impl AskedValues {
    /// The values that the member of the panel is asked about, if it is a judge of single values.
    pub fn of(plan: &Plan, run: &Run, member: usize) -> Option<Self> {
        let judge = plan.panel.members().get(member).filter(|_| plan.panel.value_judge() == Some(member))?;
        let (candidate, assessment) = run.pending_candidate().zip(run.pending_assessment())?;
        let planned = plan.judges.iter().find(|planned| planned.judge.id.value == *judge.id)?;
        let asked = undecided(candidate, assessment, at_once(planned));
        let paths = asked.iter().map(|asked| asked.path.to_owned()).collect();
        let words = planned.judge.values.words.clone();
        Some(AskedValues { judge: judge.id.to_string(), paths, words })
    }

    /// An answer that is one of the judge's words, as a verdict on the value that it was asked about; any other as it is.
    ///
    /// # Errors
    /// Fails if the judge answers with words, and this text is none of them.
    pub fn in_words(&self, told: RawAnswer<'_>) -> Result<Option<Value>, String> {
        let words = &self.words;
        let RawAnswer::Text(text) = told else { return Ok(None) };
        if words.is_empty() {
            return Ok(None);
        }
        match (words.verdict_of(&without_thinking(text)), self.paths.first()) {
            (Some(verdict), Some(path)) => {
                Ok(Some(json!({ "values": [{ "path": path, "verdict": verdict.as_str() }] })))
            }
            _ => {
                let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
                Err(format!("a text that is not one of the words {} alone", words.join(", ")))
            }
        }
    }

    /// The note about an answer that speaks of other values, which are left out.
    pub fn note(&self, answer: &Value) -> Option<String> {
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

/// The description of a value in the schema of the stage that answers for it.
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

/// The target of local references. One that says more beside its reference is itself inspected.
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

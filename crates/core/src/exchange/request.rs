//! Requests to providers, and what their answers mean.

use super::attached::Attached;
use super::claims::without_claims;
use super::known::{DocumentFacts, names, schema_without, without};
use super::protocol::{
    Attachment, CompletionRequest, DocumentRef, Message, RequestAssertions, RequestFeedback, RequestIssue,
    RequestOptions, RequestPart, RequestParts, RequestScope, RequestSection, Role,
};
use super::quoted::wrapped_schema;
use crate::feedback::{Correction, Guidance, JudgeVariables, StageVariables};
use crate::plan::{JudgePlan, Plan, StagePlan};
use crate::profile::{Call, Options, Sees};
use crate::rules::Assertion;
use crate::score::Scope;
use crate::score::parts::Parts;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The document that requests are about.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The document.
    pub document: &'a DocumentRef,
    /// Its text, as the stages may see it.
    pub source: &'a str,
    /// Its whole text.
    pub unmasked: &'a str,
    /// Its file and pictures of its pages, as far as calls get them. Where its text is not shown, `source` and `unmasked`
    /// only say that it is attached.
    pub attached: Option<&'a Attached>,
    /// The name of its file, if it is one.
    pub file_name: Option<&'a str>,
    /// The references that judges hold a candidate against and stages never see, by judge.
    pub references: &'a BTreeMap<String, String>,
    /// Variables of prompts that belong to the document, and take precedence over the profile's.
    pub variables: Option<&'a BTreeMap<String, String>>,
    /// The feedback of the correction that is asked for.
    pub feedback: Option<&'a PreparedFeedback>,
}

/// The feedback of a correction, rendered. It is prepared when the correction is asked for, and kept with the event
/// that says so: a resumed run asks with the very same feedback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreparedFeedback {
    /// The stage that gets it.
    pub stage: String,
    /// The text, as it follows the task in the prompt.
    pub text: String,
    /// The feedback as data, for providers that read no prompts.
    pub structured: RequestFeedback,
}

impl Task<'_> {
    /// The attachments that go with a prompt.
    fn attachments(&self, call: &Call) -> Vec<Attachment> {
        self.attached.map_or_else(Vec::new, |attached| attached.to(call))
    }

    /// Returns whether `source` is the document's own text.
    fn has_text(&self) -> bool {
        self.attached.is_none_or(|attached| attached.instead_of_text().is_none())
    }

    /// The facts known about the document.
    fn known(&self) -> DocumentFacts<'_> {
        let text = if self.has_text() { self.source } else { "" };
        DocumentFacts { document_type: &self.document.document_type, text, file_name: self.file_name }
    }

    /// A text that belongs to the document.
    fn own(&self, text: &str) -> Option<String> {
        self.has_text().then(|| text.to_owned())
    }
}

/// The request for a stage's part of candidate 0. `outputs` are those of earlier stages, by stage.
///
/// # Errors
/// Fails if the prompt can't be rendered.
pub fn stage_request(
    plan: &Plan,
    stage: &StagePlan,
    task: Task<'_>,
    outputs: &Map<String, Value>,
) -> Result<CompletionRequest, String> {
    let (mut request, quotes) = task_request(plan, stage, task, outputs)?;
    add_to_prompt(&mut request, quotes);
    Ok(request)
}

/// Adds the form that the answer must have, at the end of the prompt.
fn add_to_prompt(request: &mut CompletionRequest, passage: Option<String>) {
    if let (Some(message), Some(passage)) = (request.messages.last_mut(), passage) {
        message.content.push_str("\n\n");
        message.content.push_str(&passage);
    }
}

/// The request without feedback, and what its prompt must end with where quotes are asked for.
fn task_request(
    plan: &Plan,
    stage: &StagePlan,
    task: Task<'_>,
    outputs: &Map<String, Value>,
) -> Result<(CompletionRequest, Option<String>), String> {
    let Task { document, source, .. } = task;
    let schema = stage.schemas.get(&document.document_type);
    let known = task.known().fields(plan, stage);
    let asked = schema.map(|schema| schema_without(schema, &known));
    let wrapped = stage.quotes.as_ref().and(asked.as_ref()).map(wrapped_schema);
    let schema = wrapped.or(asked);
    let mut quotes = None;
    let earlier: BTreeMap<String, Value> = plan
        .stages
        .iter()
        .map(|other| &other.stage.id.value)
        .take_while(|id| **id != stage.stage.id.value)
        .map(|id| (id.clone(), outputs.get(id).cloned().unwrap_or(Value::Null)))
        .collect();
    let messages = match &stage.prompt {
        Some(template) => {
            let schema_text = schema.as_ref().and_then(|schema| serde_json::to_string_pretty(schema).ok());
            let limits = stage.stage.context;
            // The findings of earlier stages say more than the document about what is wanted.
            let query = || earlier.values().fold(String::new(), |query, output| format!("{query}{output}\n"));
            let context = if stage.passages.is_empty() {
                Vec::new()
            } else {
                stage.passages.relevant(&(query() + source), limits.passages, limits.max_bytes)
            };
            let mut own = Cow::Borrowed(&plan.profile.variables);
            for (name, text) in task.variables.into_iter().flatten() {
                own.to_mut().insert(name.clone(), text.as_str().into());
            }
            let variables = StageVariables {
                document_type: &document.document_type,
                source,
                schema: schema_text.as_deref(),
                stage: &stage.stage.id.value,
                stages: &earlier,
                context: &context,
                variables: &own,
            };
            let render = |template| {
                plan.templates
                    .task(template, &variables)
                    .map_err(|error| format!("the prompt can't be rendered: {error}"))
            };
            quotes = stage.quotes.as_ref().map(render).transpose()?;
            let content = render(template)?;
            vec![Message { role: Role::User, content }]
        }
        None => Vec::new(),
    };
    let request = CompletionRequest {
        document: document.clone(),
        stage: stage.stage.id.value.clone(),
        iteration: 0,
        messages,
        schema,
        quotes: stage.quotes.is_some(),
        source: task.own(source),
        attachments: task.attachments(&stage.stage.call),
        patterns: stage.patterns.get(&document.document_type).cloned(),
        parts: parts(plan, stage, task),
        assertions: assertions(plan, stage, task),
        options: request_options(&stage.stage.call.options),
        ..CompletionRequest::default()
    };
    Ok((request, quotes))
}

/// The request to a judge about a candidate. It holds the document, masked or not as the profile says, and none of the
/// claims that a stage made beside the candidate.
///
/// # Errors
/// Fails if the prompt can't be rendered.
pub fn judge_request(
    plan: &Plan,
    judge: &JudgePlan,
    task: Task<'_>,
    candidate: &Value,
    iteration: usize,
) -> Result<CompletionRequest, String> {
    let source = match judge.judge.sees {
        Sees::Masked => task.source,
        Sees::Unmasked => task.unmasked,
    };
    let id = &judge.judge.id.value;
    let attachments = task.attachments(&judge.judge.call);
    if !task.has_text() && attachments.is_empty() && reads_document(plan, judge) {
        return Err(format!(
            "judge `{id}` isn't shown the document, which is an image or PDF: set `judges.{id}.attach` to `document` or `pages`"
        ));
    }
    let reference = task.references.get(id);
    if let (Some(named), None) = (&judge.judge.reference, reference) {
        return Err(format!("the reference of judge `{id}` (`{}`) can't be used", named.value));
    }
    let document_type = &task.document.document_type;
    let last = plan.stages.last();
    let known = last.map(|stage| task.known().fields(plan, stage)).unwrap_or_default();
    let candidate_schema = last.and_then(|stage| stage.schemas.get(document_type));
    let candidate_schema = candidate_schema.map(|schema| schema_without(schema, &known));
    let schema = candidate_schema.and_then(|schema| serde_json::to_string_pretty(&schema).ok());
    let candidate = without_claims(plan, &judge.judge, document_type, candidate);
    // A value from elsewhere in such a field is shown.
    let candidate = &without(&candidate, |name, value| known.get(name) == Some(value));
    let mut messages = Vec::new();
    if let Some(template) = &judge.prompt {
        let variables = JudgeVariables {
            document_type,
            source,
            candidate: &serde_json::to_string_pretty(candidate).unwrap_or_default(),
            schema: schema.as_deref(),
            reference: reference.map(String::as_str),
        };
        let content = plan
            .templates
            .judge(template, &variables)
            .map_err(|error| format!("the prompt can't be rendered: {error}"))?;
        messages.push(Message { role: Role::User, content });
    }
    Ok(CompletionRequest {
        document: task.document.clone(),
        stage: judge.judge.id.value.clone(),
        iteration: u32::try_from(iteration).unwrap_or(u32::MAX),
        messages,
        schema: judge.schemas.get(document_type).cloned(),
        source: task.own(source),
        attachments,
        base: Some(candidate.clone()),
        options: request_options(&judge.judge.call.options),
        ..CompletionRequest::default()
    })
}

/// Returns whether a judge is to read the document's text.
fn reads_document(plan: &Plan, judge: &JudgePlan) -> bool {
    judge.prompt.as_ref().is_none_or(|prompt| plan.templates.uses(prompt, "source"))
}

/// The parts of the document, where the stage's patterns extract something from each.
fn parts(plan: &Plan, stage: &StagePlan, task: Task<'_>) -> Vec<RequestParts> {
    let document_type = &task.document.document_type;
    let fields = stage.patterns.get(document_type).and_then(|patterns| patterns.get("fields"));
    let asks = |list: &str| {
        let kind = fields.and_then(|fields| fields.get(list)).and_then(|field| field.get("kind"));
        kind.and_then(Value::as_str) == Some("each")
    };
    if !task.has_text() {
        return Vec::new();
    }
    let each = plan.scoring.rules().evidence().each.iter().map(|(_, each)| each);
    let each = each.filter(|each| each.is_for(document_type) && asks(&each.list.value));
    let found = each.map(|each| RequestParts {
        list: each.list.value.clone(),
        label: each.label.value.clone(),
        parts: Parts::find(task.source, each)
            .iter()
            .map(|part| RequestPart {
                label: part.label.clone(),
                stretches: part.stretches.iter().map(|stretch| (stretch.start, stretch.end)).collect(),
            })
            .collect(),
    });
    found.filter(|parts| !parts.parts.is_empty()).collect()
}

/// The assertions of the document, such as `negated`, where the stage has patterns for its type.
fn assertions(plan: &Plan, stage: &StagePlan, task: Task<'_>) -> Option<RequestAssertions> {
    let patterns = stage.patterns.get(&task.document.document_type)?;
    let asserted = plan.scoring.asserted(task.source).filter(|_| task.has_text())?;
    let word = |how: Assertion| how.as_str().to_owned();
    let section = |(start, how, finality)| RequestSection { start, finality, assertion: word(how) };
    let scope = |one: Scope| RequestScope {
        start: one.bytes.start,
        end: one.bytes.end,
        ahead: one.is_ahead,
        assertion: word(one.how),
    };
    let accepted = names_of_fields(patterns).filter_map(|name| {
        let words: Vec<String> = plan.scoring.accepted_by(name).iter().copied().map(word).collect();
        (!words.is_empty()).then(|| (name.to_owned(), words))
    });
    Some(RequestAssertions {
        sections: asserted.sections.into_iter().map(section).collect(),
        scopes: asserted.scopes.into_iter().map(scope).collect(),
        accepted: accepted.collect(),
    })
}

/// The names of the fields of some patterns, and of the members of their items.
fn names_of_fields(patterns: &Value) -> impl Iterator<Item = &str> {
    let named = fields_of(patterns).into_iter().flatten();
    named.flat_map(|(name, field)| {
        let members = fields_of(field).into_iter().flat_map(Map::keys);
        std::iter::once(name).chain(members).map(String::as_str)
    })
}

fn fields_of(holder: &Value) -> Option<&Map<String, Value>> {
    holder.get("fields").and_then(Value::as_object)
}

pub(super) fn request_options(options: &Options) -> RequestOptions {
    RequestOptions {
        model: options.model.clone(),
        temperature: options.temperature,
        seed: options.seed,
        max_tokens: options.max_tokens,
        extra_body: options.extra_body.clone(),
        extra_headers: options.extra_headers.clone(),
    }
}

/// The request for a stage's part of a correction: the task again, and the problems of the base. `part` is what the
/// stage answers for in the base.
///
/// The request holds `base` whatever `previous_output` says: providers that read no prompts start from it. A model sees
/// only the messages, which hold as much of the base as the profile says.
///
/// # Errors
/// Fails if a template can't be rendered, or no feedback was prepared.
pub fn correction_request(
    plan: &Plan,
    stage: &StagePlan,
    task: Task<'_>,
    outputs: &Map<String, Value>,
    part: Option<&Arc<Value>>,
) -> Result<CompletionRequest, String> {
    let (mut request, quotes) = task_request(plan, stage, task, outputs)?;
    let id = &stage.stage.id.value;
    let feedback = task.feedback.ok_or_else(|| format!("no feedback was prepared for stage `{id}`"))?;
    let known = names(plan, id);
    request.base = part.map(|part| without(part, |name, _| known.contains(name)));
    request.feedback = Some(feedback.structured.clone());
    match request.messages.last_mut() {
        Some(message) => {
            message.content.push_str("\n\n");
            message.content.push_str(&feedback.text);
        }
        None => request.messages.push(Message { role: Role::User, content: feedback.text.clone() }),
    }
    add_to_prompt(&mut request, quotes);
    Ok(request)
}

/// The feedback of a correction request to a stage. `part` is what the stage answers for in the base; fields that the
/// host fills in are not mentioned to it.
///
/// # Errors
/// Fails if the template can't be rendered or the base does not exist.
pub fn correction_feedback(
    plan: &Plan,
    stage: &str,
    part: Option<&Arc<Value>>,
    correction: &Correction<'_>,
) -> Result<PreparedFeedback, String> {
    let known = names(plan, stage);
    let asked = part.filter(|_| !known.is_empty());
    let asked = asked.map(|part| Arc::new(without(part, |name, _| known.contains(name))));
    let part = asked.as_ref().or(part);
    let mut guidance = Guidance::gather(&plan.policy, &plan.profile.feedback, stage, part, correction)
        .ok_or_else(|| format!("there is no candidate {} to correct", correction.base))?;
    guidance.leave_out(|field| known.contains(field));
    let text = plan
        .templates
        .feedback(&plan.feedback, &mut guidance, plan.profile.feedback.max_bytes)
        .map_err(|error| format!("the feedback can't be rendered: {error}"))?;
    // Providers that read no prompts get what the prompt says, and no more: what was dropped from it is dropped here.
    Ok(PreparedFeedback { stage: stage.to_owned(), text, structured: structured(&guidance) })
}

fn structured(guidance: &Guidance) -> RequestFeedback {
    RequestFeedback {
        missing: guidance.missing.clone(),
        issues: guidance
            .findings()
            .map(|finding| RequestIssue {
                code: finding.code.clone(),
                severity: finding.severity.as_str().to_owned(),
                path: finding.path.clone(),
                message: finding.message.clone(),
                suggested_fix: finding.suggested_fix.clone(),
            })
            .collect(),
        failed_attempts: guidance.failed_attempts.clone(),
    }
}

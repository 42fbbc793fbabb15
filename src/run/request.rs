//! Requests to providers, and what their answers mean.

use super::Plan;
use crate::engine::{CallFailed, Produced};
use crate::feedback::{Correction, Guidance};
use crate::profile::Stage;
use crate::provider::protocol::{
    Completion, CompletionRequest, DocumentRef, Message, RequestFeedback, RequestIssue, RequestOptions, Role,
};
use crate::provider::{CallFailure, Provider};
use crate::value::{MAX_CANDIDATE_DEPTH, Millis, Usage, Usd, is_deeper};
use serde_json::Value;
use std::sync::Arc;

/// What a provider's answer comes to.
pub type Answer = Result<Produced, CallFailed>;

/// The request for candidate 0.
///
/// # Errors
/// When the prompt can't be rendered.
pub fn stage_request(
    plan: &Plan,
    stage: &Stage,
    document: &DocumentRef,
    source: &str,
) -> Result<CompletionRequest, String> {
    let schema = plan.schemas.get(&document.document_type);
    let messages = match &plan.prompt {
        Some(template) => {
            let schema_text = schema.and_then(|schema| serde_json::to_string_pretty(schema).ok());
            let content = plan
                .templates
                .task(
                    template,
                    &document.document_type,
                    source,
                    schema_text.as_deref(),
                    &plan.profile.variables,
                )
                .map_err(|error| format!("the prompt can't be rendered: {error}"))?;
            vec![Message { role: Role::User, content }]
        }
        None => Vec::new(),
    };
    let options = &stage.options;
    Ok(CompletionRequest {
        document: document.clone(),
        stage: stage.id.clone(),
        iteration: 0,
        messages,
        schema: schema.cloned(),
        source: Some(source.to_owned()),
        patterns: plan.patterns.get(&document.document_type).cloned(),
        options: RequestOptions {
            model: options.model.clone(),
            temperature: options.temperature,
            seed: options.seed,
            max_tokens: options.max_tokens,
            ..RequestOptions::default()
        },
        ..CompletionRequest::default()
    })
}

/// The request for a correction: the task again, and what is wrong with the base.
///
/// # Errors
/// When a template can't be rendered or the base does not exist.
pub fn correction_request(
    plan: &Plan,
    stage: &Stage,
    document: &DocumentRef,
    source: &str,
    correction: Correction<'_>,
) -> Result<CompletionRequest, String> {
    let mut request = stage_request(plan, stage, document, source)?;
    let base = correction.candidates.get(correction.base).map(|base| base.as_ref().clone());
    let mut guidance = Guidance::gather(&plan.policy, correction)
        .ok_or_else(|| format!("there is no candidate {} to correct", correction.base))?;
    request.iteration = u32::try_from(correction.iteration).unwrap_or(u32::MAX);
    request.base = base;
    let text = plan
        .templates
        .feedback(&plan.feedback, &mut guidance, plan.profile.feedback.max_bytes)
        .map_err(|error| format!("the feedback can't be rendered: {error}"))?;
    // Providers that read no prompts are told what the prompt says, and no more.
    request.feedback = Some(structured(&guidance));
    match request.messages.last_mut() {
        Some(message) => {
            message.content.push_str("\n\n");
            message.content.push_str(&text);
        }
        None => request.messages.push(Message { role: Role::User, content: text }),
    }
    Ok(request)
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

/// Turns a completion or a failure into what the engine is told. An answer that is text must be JSON and nothing
/// else.
pub fn answer_of(provider: &Provider, completion: Result<Completion, CallFailure>) -> Answer {
    let one_call = |tokens: u64, cost: Option<f64>| Usage {
        calls: 1,
        tokens,
        cost_usd: cost.and_then(Usd::new).unwrap_or_default(),
    };
    let completion = completion.map_err(|failure| CallFailed {
        message: failure.to_string(),
        transient: failure.kind.may_pass(),
        retry_after: failure
            .retry_after
            .map(|pause| Millis(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX))),
        usage: one_call(0, None),
    })?;
    let tokens = completion.usage.input_tokens.saturating_add(completion.usage.output_tokens);
    let usage = one_call(tokens, completion.usage.cost_usd);
    let mut notes = completion.notes;
    if tokens > 0 && completion.usage.cost_usd.is_none() {
        notes.push("the provider does not say what the call cost; cost_usd leaves it out".to_owned());
    }
    let candidate = match (completion.value, completion.text) {
        (Some(value), _) => value,
        (None, Some(text)) => serde_json::from_str::<Value>(text.trim()).map_err(|error| CallFailed {
            message: format!(
                "provider `{}` answered with text that is not JSON (line {}, column {})",
                provider.identity().name,
                error.line(),
                error.column()
            ),
            transient: true,
            retry_after: None,
            usage,
        })?,
        (None, None) => {
            return Err(CallFailed {
                message: format!("provider `{}` answered with nothing", provider.identity().name),
                transient: true,
                retry_after: None,
                usage,
            });
        }
    };
    if is_deeper(&candidate, MAX_CANDIDATE_DEPTH) {
        return Err(CallFailed {
            message: format!(
                "provider `{}` answered with JSON that is nested more than {MAX_CANDIDATE_DEPTH} deep",
                provider.identity().name
            ),
            transient: true,
            retry_after: None,
            usage,
        });
    }
    Ok(Produced { candidate: Arc::new(candidate), usage, notes })
}

//! Turns a completion request into `POST /v1/messages`.

use loopctl_plugin_sdk::codec::{Turn, apart, finish, model_of, not_attachable};
use loopctl_plugin_sdk::protocol::{Attachment, CompletionRequest, HttpRequest, Role};
use loopctl_plugin_sdk::{Failure, Value};
use serde_json::{Map, json};

use crate::model::takes_temperature;
use crate::settings::AnthropicSettings;
use crate::tool;

const CALL_THE_TOOL: &str = "Give your answer by calling the tool `answer` once, with the whole answer as its input. Write nothing else.";

pub(crate) fn encode(
    settings: &AnthropicSettings,
    request: &CompletionRequest,
) -> Result<HttpRequest, Failure> {
    let model = model_of(request, settings.model.as_deref(), "anthropic")?;
    let (mut system, talk) = apart(request)?;
    let messages: Vec<Value> = talk.iter().map(message).collect::<Result<_, _>>()?;

    let options = &request.options;
    let most = options.max_tokens.unwrap_or(settings.max_tokens);
    let mut body = Map::from_iter([
        ("model".to_owned(), json!(model)),
        ("max_tokens".to_owned(), json!(most)),
        ("messages".to_owned(), Value::Array(messages)),
    ]);
    if let Some(schema) = &request.schema {
        body.insert("tools".to_owned(), json!([tool::definition(schema)]));
        let choice = if settings.forces_tool(&model, request) {
            json!({ "type": "tool", "name": tool::NAME, "disable_parallel_tool_use": true })
        } else {
            system.push(CALL_THE_TOOL.to_owned());
            json!({ "type": "auto", "disable_parallel_tool_use": true })
        };
        body.insert("tool_choice".to_owned(), choice);
    }
    if !system.is_empty() {
        body.insert("system".to_owned(), json!(system.join("\n\n")));
    }
    if let Some(temperature) = options.temperature.filter(|_| takes_temperature(&model)) {
        body.insert("temperature".to_owned(), json!(temperature));
    }

    finish(request, settings.path().to_owned(), settings.headers(), body)
}

/// Files come before the text, where the model reads them best.
fn message(turn: &Turn<'_>) -> Result<Value, Failure> {
    let role = if turn.role == Role::Assistant { "assistant" } else { "user" };
    if turn.files.is_empty() {
        return Ok(json!({ "role": role, "content": turn.text }));
    }
    // The API refuses empty texts.
    let said = Some(json!({ "type": "text", "text": turn.text })).filter(|_| !turn.text.trim().is_empty());
    let blocks: Vec<Value> = turn.files.iter().map(block).chain(said.map(Ok)).collect::<Result<_, _>>()?;
    Ok(json!({ "role": role, "content": blocks }))
}

fn block(attachment: &Attachment) -> Result<Value, Failure> {
    let kind = match attachment.media_type.as_str() {
        "application/pdf" => "document",
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => "image",
        _ => return Err(not_attachable(attachment, "PDF, PNG, JPEG, GIF or WebP")),
    };
    let source = json!({ "type": "base64", "media_type": attachment.media_type, "data": attachment.data });
    Ok(json!({ "type": kind, "source": source }))
}

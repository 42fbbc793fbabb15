//! From a completion request to `POST /v1/messages`.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::codec::{finish, model_of, says};
use loopctl_plugin_sdk::protocol::{Attachment, CompletionRequest, HttpRequest, Role};
use loopctl_plugin_sdk::{Failure, Value};
use serde_json::{Map, json};

use crate::model::takes_temperature;
use crate::settings::Settings;
use crate::tool;

/// The API's version: the only one there has been since 2023.
const API_VERSION: &str = "2023-06-01";
const CALL_THE_TOOL: &str = "Give your answer by calling the tool `answer` once, with the whole answer as its input. Write nothing else.";

pub(crate) fn encode(settings: &Settings, request: &CompletionRequest) -> Result<HttpRequest, Failure> {
    let model = model_of(request, settings.model.as_deref(), "anthropic")?;
    let mut system: Vec<&str> = Vec::new();
    let mut messages: Vec<Value> = Vec::new();
    // The API refuses empty texts.
    for message in request.messages.iter().filter(|message| !message.content.trim().is_empty()) {
        match message.role {
            Role::System => system.push(&message.content),
            Role::User => messages.push(json!({ "role": "user", "content": message.content })),
            Role::Assistant => messages.push(json!({ "role": "assistant", "content": message.content })),
        }
    }
    if messages.is_empty() {
        // It wants something to answer to.
        match system.pop() {
            Some(only) => messages.push(json!({ "role": "user", "content": only })),
            None => return Err(Failure::invalid_request("the request has no messages")),
        }
    }
    attach(&mut messages, &request.attachments)?;

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
            system.push(CALL_THE_TOOL);
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

    let mut headers = BTreeMap::from([
        ("x-api-key".to_owned(), settings.key().to_owned()),
        ("anthropic-version".to_owned(), API_VERSION.to_owned()),
    ]);
    if let Some(beta) = &settings.beta {
        headers.insert("anthropic-beta".to_owned(), beta.clone());
    }
    finish(request, settings.path().to_owned(), headers, body)
}

/// Puts the files before the text of the last message of the user, where the model reads them best.
fn attach(messages: &mut Vec<Value>, attachments: &[Attachment]) -> Result<(), Failure> {
    if attachments.is_empty() {
        return Ok(());
    }
    let mut blocks: Vec<Value> = attachments.iter().map(block).collect::<Result<_, _>>()?;
    let last = messages.iter_mut().rev().find(|message| says(message, "role", "user"));
    match last.and_then(|message| message.get_mut("content")) {
        Some(content) => {
            blocks.push(json!({ "type": "text", "text": content }));
            *content = Value::Array(blocks);
        }
        None => messages.push(json!({ "role": "user", "content": blocks })),
    }
    Ok(())
}

fn block(attachment: &Attachment) -> Result<Value, Failure> {
    let kind = match attachment.media_type.as_str() {
        "application/pdf" => "document",
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => "image",
        other => {
            return Err(Failure::invalid_request(format!(
                "files of type `{other}` can't be attached: use PDF, PNG, JPEG, GIF or WebP"
            )));
        }
    };
    let source = json!({ "type": "base64", "media_type": attachment.media_type, "data": attachment.data });
    Ok(json!({ "type": kind, "source": source }))
}

//! From a completion request to `POST …:generateContent`.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::codec::schema::instruction;
use loopctl_plugin_sdk::codec::{finish, model_of, says};
use loopctl_plugin_sdk::protocol::{Attachment, CompletionRequest, HttpRequest, Role};
use loopctl_plugin_sdk::{Failure, Value};
use serde_json::{Map, json};

use crate::response_schema::adapted;
use crate::settings::{JsonMode, Settings};

/// The API takes a signed number of 32 bits.
const SEEDS: u64 = 0x7fff_ffff;

pub(crate) fn encode(settings: &Settings, request: &CompletionRequest) -> Result<HttpRequest, Failure> {
    let model = model_of(request, settings.model.as_deref(), "gemini")?;
    let mut system: Vec<String> = Vec::new();
    let mut contents: Vec<Value> = Vec::new();
    for message in request.messages.iter().filter(|message| !message.content.is_empty()) {
        let role = match message.role {
            Role::System => {
                system.push(message.content.clone());
                continue;
            }
            Role::User => "user",
            Role::Assistant => "model",
        };
        contents.push(json!({ "role": role, "parts": [{ "text": message.content }] }));
    }
    if contents.is_empty() {
        // It wants something to answer to.
        match system.pop() {
            Some(only) => contents.push(json!({ "role": "user", "parts": [{ "text": only }] })),
            None => return Err(Failure::invalid_request("the request has no messages")),
        }
    }
    attach(&mut contents, &request.attachments)?;

    let options = &request.options;
    let mut generation = Map::new();
    if let Some(schema) = &request.schema {
        if settings.json_mode != JsonMode::None {
            generation.insert("responseMimeType".to_owned(), json!("application/json"));
        }
        let adapted = if settings.json_mode == JsonMode::Schema { adapted(schema) } else { None };
        match adapted {
            Some(schema) => {
                generation.insert("responseJsonSchema".to_owned(), schema);
            }
            None => system.push(instruction(schema)),
        }
    }
    if let Some(temperature) = options.temperature {
        generation.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(seed) = options.seed {
        generation.insert("seed".to_owned(), json!(seed & SEEDS));
    }
    if let Some(most) = options.max_tokens.or(settings.max_tokens) {
        generation.insert("maxOutputTokens".to_owned(), json!(most));
    }

    let mut body = Map::from_iter([("contents".to_owned(), Value::Array(contents))]);
    if !system.is_empty() {
        let text = system.join("\n\n");
        body.insert("systemInstruction".to_owned(), json!({ "parts": [{ "text": text }] }));
    }
    if !generation.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(generation));
    }
    let headers = BTreeMap::from([("x-goog-api-key".to_owned(), settings.key().to_owned())]);
    finish(request, settings.path(&model)?, headers, body)
}

/// Puts the files before the text of the last message of the user.
fn attach(contents: &mut Vec<Value>, attachments: &[Attachment]) -> Result<(), Failure> {
    if attachments.is_empty() {
        return Ok(());
    }
    let mut files: Vec<Value> = attachments.iter().map(part).collect::<Result<_, _>>()?;
    let last = contents.iter_mut().rev().find(|content| says(content, "role", "user"));
    match last.and_then(|content| content.get_mut("parts")?.as_array_mut()) {
        Some(parts) => {
            files.append(parts);
            *parts = files;
        }
        None => contents.push(json!({ "role": "user", "parts": files })),
    }
    Ok(())
}

fn part(attachment: &Attachment) -> Result<Value, Failure> {
    match attachment.media_type.as_str() {
        "application/pdf" | "image/png" | "image/jpeg" | "image/webp" => Ok(json!({
            "inlineData": { "mimeType": attachment.media_type, "data": attachment.data }
        })),
        other => Err(Failure::invalid_request(format!(
            "Gemini doesn't take files of type `{other}`: use PDF, PNG, JPEG or WebP"
        ))),
    }
}

//! Turns a completion request into `POST …:generateContent`.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::codec::schema::instruction;
use loopctl_plugin_sdk::codec::{JsonMode, Turn, apart, finish, model_of, not_attachable};
use loopctl_plugin_sdk::protocol::{Attachment, CompletionRequest, HttpRequest, Role};
use loopctl_plugin_sdk::{Failure, Value};
use serde_json::{Map, json};

use crate::response_schema::adapted;
use crate::settings::GeminiSettings;

/// The API takes a signed number of 32 bits.
const SEEDS: u64 = 0x7fff_ffff;

pub(crate) fn encode(settings: &GeminiSettings, request: &CompletionRequest) -> Result<HttpRequest, Failure> {
    let model = model_of(request, settings.model.as_deref(), "gemini")?;
    let (mut system, talk) = apart(request)?;
    let contents: Vec<Value> = talk.iter().map(content).collect::<Result<_, _>>()?;

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
    let headers = BTreeMap::from([("x-goog-api-key".to_owned(), settings.key())]);
    finish(request, settings.path(&model)?, headers, body)
}

/// Files come before the text.
fn content(turn: &Turn<'_>) -> Result<Value, Failure> {
    let role = if turn.role == Role::Assistant { "model" } else { "user" };
    let said = Some(json!({ "text": turn.text })).filter(|_| !turn.text.is_empty());
    let parts: Vec<Value> = turn.files.iter().map(part).chain(said.map(Ok)).collect::<Result<_, _>>()?;
    Ok(json!({ "role": role, "parts": parts }))
}

fn part(attachment: &Attachment) -> Result<Value, Failure> {
    match attachment.media_type.as_str() {
        "application/pdf" | "image/png" | "image/jpeg" | "image/webp" => Ok(json!({
            "inlineData": { "mimeType": attachment.media_type, "data": attachment.data }
        })),
        _ => Err(not_attachable(attachment, "PDF, PNG, JPEG or WebP")),
    }
}

//! Turns a completion request into `POST …/chat/completions`.

use loopctl_plugin_sdk::codec::schema::{gathered, instruction, is_plain_object, wrapped};
use loopctl_plugin_sdk::codec::{
    AdaptedSchemas, JsonMode, Turn, finish, model_of, not_attachable, says, turns,
};
use loopctl_plugin_sdk::protocol::{Attachment, CompletionRequest, HttpRequest, Role};
use loopctl_plugin_sdk::{Failure, Value};
use serde_json::{Map, json};

use crate::model::takes_temperature;
use crate::settings::OpenAiSettings;
use crate::strict;

/// The schema's name in the request; the API wants one and shows it to no one.
const SCHEMA_NAME: &str = "answer";

pub(crate) fn encode(
    settings: &OpenAiSettings,
    schemas: &AdaptedSchemas,
    request: &CompletionRequest,
) -> Result<HttpRequest, Failure> {
    let model = model_of(request, settings.default_model(), &settings.provider)?;
    let mut messages: Vec<Value> = turns(request)?.iter().map(message).collect::<Result<_, _>>()?;

    let mut body = Map::from_iter([("model".to_owned(), json!(model))]);
    if let Some(schema) = &request.schema {
        match settings.json_mode {
            JsonMode::Schema => {
                let format = schemas.get(schema, |schema| response_format(schema, settings.strict));
                body.insert("response_format".to_owned(), format);
            }
            JsonMode::Object => {
                body.insert("response_format".to_owned(), json!({ "type": "json_object" }));
                instruct(&mut messages, &instruction(&object_schema(schema)));
            }
            JsonMode::None => instruct(&mut messages, &instruction(schema)),
        }
    }
    body.insert("messages".to_owned(), Value::Array(messages));

    let options = &request.options;
    if let Some(temperature) = options.temperature.filter(|_| takes_temperature(&model, request)) {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(seed) = options.seed {
        // A signed number of 64 bits, says the API.
        body.insert("seed".to_owned(), json!(seed & (u64::MAX >> 1)));
    }
    if let Some(most) = options.max_tokens.or(settings.max_tokens) {
        body.insert(settings.max_tokens_field(&model).to_owned(), json!(most));
    }

    finish(request, settings.path(&model)?, settings.headers(), body)
}

fn message(turn: &Turn<'_>) -> Result<Value, Failure> {
    let role = match turn.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    if turn.files.is_empty() {
        return Ok(json!({ "role": role, "content": turn.text }));
    }
    let said = Some(json!({ "type": "text", "text": turn.text })).filter(|_| !turn.text.is_empty());
    let files = turn.files.iter().map(part);
    let parts: Vec<Value> = said.map(Ok).into_iter().chain(files).collect::<Result<_, _>>()?;
    Ok(json!({ "role": role, "content": parts }))
}

fn part(attachment: &Attachment) -> Result<Value, Failure> {
    let media_type = attachment.media_type.as_str();
    let url = format!("data:{media_type};base64,{}", attachment.data);
    match media_type {
        "application/pdf" => {
            let name = if attachment.name.is_empty() { "document.pdf" } else { &attachment.name };
            Ok(json!({ "type": "file", "file": { "filename": name, "file_data": url } }))
        }
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => {
            Ok(json!({ "type": "image_url", "image_url": { "url": url } }))
        }
        _ => Err(not_attachable(attachment, "PDF, PNG, JPEG, GIF or WebP")),
    }
}

fn response_format(schema: &Value, may_be_strict: bool) -> Value {
    let adapted = if may_be_strict { strict::adapted(schema) } else { None };
    let strict = adapted.is_some();
    let schema = adapted.unwrap_or_else(|| object_schema(schema));
    json!({
        "type": "json_schema",
        "json_schema": { "name": SCHEMA_NAME, "schema": schema, "strict": strict },
    })
}

/// The schema, wrapped when it isn't an object's: the API refuses others, strict or not. One that refers to other
/// documents stays as it is, and the API reports what it makes of it.
fn object_schema(schema: &Value) -> Value {
    if is_plain_object(schema) || schema.get("type").and_then(Value::as_str) == Some("object") {
        return schema.clone();
    }
    gathered(schema).map_or_else(|| schema.clone(), wrapped)
}

/// Adds standing instructions to those that are there: some servers' templates take a single system message, and only
/// as the first.
fn instruct(messages: &mut Vec<Value>, instruction: &str) {
    let first = messages.iter_mut().find(|message| says(message, "role", "system"));
    match first.and_then(|message| message.get_mut("content")) {
        Some(content) => {
            let before = content.as_str().unwrap_or_default();
            *content = Value::String(format!("{before}\n\n{instruction}"));
        }
        None => messages.insert(0, json!({ "role": "system", "content": instruction })),
    }
}

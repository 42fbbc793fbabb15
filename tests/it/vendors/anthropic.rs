//! Anthropic's messages (`POST /v1/messages`) as platform.claude.com/docs/en/api/messages and its page on errors document
//! them, with tools and structured outputs.

use super::api::{Asked, Manner, Problem, body, request_id, text, tokens};
use super::fields::{Checked, Object, bytes, is_name};
use super::wire::Request;
use serde_json::{Value, json};

const FIELDS: [&str; 17] = [
    "model",
    "messages",
    "max_tokens",
    "cache_control",
    "container",
    "inference_geo",
    "metadata",
    "output_config",
    "service_tier",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
];

pub(super) fn check(request: &Request, key: Option<&str>) -> Result<Asked, Problem> {
    if request.path != "/v1/messages" {
        return Err(Problem::NoSuchPath);
    }
    if request.method != "POST" {
        return Err(Problem::Method);
    }
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    match (key, request.header("x-api-key").or(bearer)) {
        (Some(_), None) | (_, Some("")) => return Err(Problem::NoKey),
        (Some(key), Some(shown)) if key != shown => return Err(Problem::BadKey(shown.to_owned())),
        _ => {}
    }
    match request.header("anthropic-version") {
        Some("2023-06-01" | "2023-01-01") => {}
        Some(other) => {
            return Err(Problem::Malformed(format!("anthropic-version: \"{other}\" is not a valid version")));
        }
        None => return Err(Problem::Malformed("anthropic-version: header is required".to_owned())),
    }
    let body = body(request).map_err(Problem::Malformed)?;
    asked(&body).map_err(Problem::Malformed)
}

fn asked(body: &Value) -> Checked<Asked> {
    let body = Object::of(body, "", false)?;
    let mut known = FIELDS.to_vec();
    known.push("top_p");
    body.only(&known)?;
    let mut asked = Asked { model: body.words("model")?.to_owned(), ..Asked::default() };
    body.required("max_tokens")?;
    body.integer("max_tokens", 1..=1_000_000)?;
    body.number("temperature", 0.0..=1.0)?;
    body.number("top_p", 0.0..=1.0)?;
    body.integer("top_k", 0..=i64::MAX)?;
    body.texts("stop_sequences")?;
    body.one_of("service_tier", &["auto", "standard_only"])?;
    if let Some(metadata) = body.object("metadata")? {
        metadata.only(&["user_id"])?;
        metadata.text("user_id")?;
    }
    if body.boolean("stream")? == Some(true) {
        return body.wrong("stream", "this server does not stream");
    }
    match body.get("system") {
        None => {}
        Some(Value::String(words)) => asked.text.push_str(words),
        Some(_) => {
            for block in body.objects("system")?.unwrap_or_default() {
                block.required("type")?;
                block.one_of("type", &["text"])?;
                self::block(&block, "user", &mut asked)?;
            }
        }
    }
    let messages = body.objects("messages")?.ok_or("messages: field required")?;
    if messages.is_empty() {
        return body.wrong("messages", "at least one message is required");
    }
    for (number, message) in messages.iter().enumerate() {
        self::message(message, number, &mut asked)?;
    }
    output_config(&body, &mut asked)?;
    tools(&body, &mut asked)?;
    no_longer_taken(&body, &asked.model)?;
    Ok(asked)
}

/// Checks for what new models no longer take, according to their pages.
fn no_longer_taken(body: &Object<'_>, model: &str) -> Checked<()> {
    const NO_SAMPLING: &[&str] = &["claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5"];
    const NO_FORCED_TOOL: &[&str] =
        &["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-fable-5", "claude-mythos-5"];
    let is_one = |models: &[&str]| models.iter().any(|known| model.starts_with(known));
    if (is_one(NO_SAMPLING) || is_one(NO_FORCED_TOOL)) && body.get("temperature").is_some() {
        return body.wrong("temperature", "`temperature` is deprecated for this model.");
    }
    let forced = body.get("tool_choice").is_some_and(|choice| choice["type"] != "auto");
    if is_one(NO_FORCED_TOOL) && forced {
        return body.wrong("tool_choice", "tool_choice forces tool use is not compatible with this model.");
    }
    Ok(())
}

fn message(message: &Object<'_>, number: usize, asked: &mut Asked) -> Checked<()> {
    message.only(&["role", "content"])?;
    message.required("role")?;
    let role = message.one_of("role", &["user", "assistant"])?.unwrap_or_default();
    if number == 0 && role != "user" {
        return message.wrong("role", "first message must use the \"user\" role");
    }
    match message.required("content")? {
        Value::String(words) if words.trim().is_empty() => {
            message.wrong("content", "text content blocks must be non-empty")
        }
        Value::String(words) => {
            asked.text.push_str(words);
            asked.text.push('\n');
            Ok(())
        }
        _ => {
            let blocks = message.objects("content")?.unwrap_or_default();
            if blocks.is_empty() {
                return message.wrong("content", "must have non-empty content");
            }
            blocks.iter().try_for_each(|block| self::block(block, role, asked))
        }
    }
}

fn block(block: &Object<'_>, role: &str, asked: &mut Asked) -> Checked<()> {
    let kinds: &[&str] = match role {
        "user" => &["text", "image", "document", "tool_result"],
        _ => &["text", "tool_use", "thinking"],
    };
    block.required("type")?;
    match block.one_of("type", kinds)?.unwrap_or_default() {
        "text" => {
            block.only(&["type", "text", "cache_control", "citations"])?;
            asked.text.push_str(block.words("text")?);
            asked.text.push('\n');
            Ok(())
        }
        kind @ ("image" | "document") => {
            let known: &[&str] = match kind {
                "image" => &["type", "source", "cache_control"],
                _ => &["type", "source", "cache_control", "title", "context", "citations"],
            };
            block.only(known)?;
            block.required("source")?;
            let Some(source) = block.object("source")? else { return Ok(()) };
            source.required("type")?;
            source.one_of("type", &["base64"])?;
            source.only(&["type", "media_type", "data"])?;
            source.required("media_type")?;
            let media: &[&str] = match kind {
                "image" => &["image/jpeg", "image/png", "image/gif", "image/webp"],
                _ => &["application/pdf"],
            };
            let media = source.one_of("media_type", media)?.unwrap_or_default();
            let Some(data) = bytes(source.words("data")?) else {
                return source.wrong("data", "invalid base64 data");
            };
            asked.attached.push((media.to_owned(), data));
            Ok(())
        }
        _ => Ok(()),
    }
}

fn output_config(body: &Object<'_>, asked: &mut Asked) -> Checked<()> {
    let Some(config) = body.object("output_config")? else { return Ok(()) };
    config.only(&["format", "effort"])?;
    config.one_of("effort", &["low", "medium", "high", "max"])?;
    let Some(format) = config.object("format")? else { return Ok(()) };
    format.only(&["type", "schema"])?;
    format.required("type")?;
    format.one_of("type", &["json_schema"])?;
    let schema = format.required("schema")?;
    constrained(schema, "output_config.format.schema")?;
    asked.schema = Some(schema.clone());
    asked.binding = true;
    Ok(())
}

fn tools(body: &Object<'_>, asked: &mut Asked) -> Checked<()> {
    let tools = body.objects("tools")?.unwrap_or_default();
    let mut names = Vec::new();
    for tool in &tools {
        tool.only(&[
            "type",
            "name",
            "description",
            "input_schema",
            "strict",
            "cache_control",
            "input_examples",
        ])?;
        tool.one_of("type", &["custom"])?;
        let name = tool.words("name")?;
        if !is_name(name, 64) {
            return tool.wrong("name", "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'");
        }
        tool.text("description")?;
        let schema = tool.required("input_schema")?;
        if schema.get("type") != Some(&json!("object")) {
            return tool.wrong("input_schema.type", "Input should be 'object'");
        }
        if let Some(key) = ["oneOf", "allOf", "anyOf"].iter().find(|key| schema.get(**key).is_some()) {
            return tool.wrong("input_schema", &format!("does not support {key} at the top level"));
        }
        if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
            return tool.wrong(
                "input_schema",
                &format!("JSON schema is invalid. It must match draft 2020-12: {error}"),
            );
        }
        property_keys(schema, &tool.at)?;
        if tool.boolean("strict")? == Some(true) {
            constrained(schema, &tool.at)?;
        }
        names.push(name);
    }
    let Some(choice) = body.object("tool_choice")? else { return Ok(()) };
    if tools.is_empty() {
        return body.wrong("tool_choice", "may only be specified while providing tools");
    }
    choice.required("type")?;
    let kind = choice.one_of("type", &["auto", "any", "tool", "none"])?.unwrap_or_default();
    choice.only(match kind {
        "tool" => &["type", "name", "disable_parallel_tool_use"],
        "none" => &["type"],
        _ => &["type", "disable_parallel_tool_use"],
    })?;
    choice.boolean("disable_parallel_tool_use")?;
    if ["any", "tool"].contains(&kind) && body.has("thinking") {
        return Err("Thinking may not be enabled when tool_choice forces tool use.".to_owned());
    }
    let forced = match kind {
        "tool" => Some(choice.words("name")?),
        "any" => names.first().copied(),
        _ => None,
    };
    let Some(forced) = forced else { return Ok(()) };
    let Some(tool) = tools.iter().find(|tool| tool.text("name").ok().flatten() == Some(forced)) else {
        return Err(format!("Tool '{forced}' not found in provided tools"));
    };
    asked.tool = Some(forced.to_owned());
    asked.schema = tool.get("input_schema").cloned();
    asked.binding = tool.boolean("strict")? == Some(true);
    Ok(())
}

/// The names that a tool's parameters may have.
fn property_keys(schema: &Value, at: &str) -> Checked<()> {
    let allowed = |key: &str| {
        (1..=64).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
    };
    match schema {
        Value::Object(map) => {
            let properties = map.get("properties").and_then(Value::as_object);
            if let Some((key, _)) = properties.into_iter().flatten().find(|(key, _)| !allowed(key)) {
                return Err(format!(
                    "{at}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$': {key}"
                ));
            }
            map.values().try_for_each(|value| property_keys(value, at))
        }
        Value::Array(items) => items.iter().try_for_each(|item| property_keys(item, at)),
        _ => Ok(()),
    }
}

/// The subset of JSON Schema for answers that must follow it (guide to structured outputs, "JSON Schema limitations").
fn constrained(schema: &Value, at: &str) -> Checked<()> {
    const FORBIDDEN: [&str; 13] = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "oneOf",
        "patternProperties",
    ];
    let Some(map) = schema.as_object() else { return Ok(()) };
    if let Some(key) = FORBIDDEN.iter().find(|key| map.contains_key(**key)) {
        return Err(format!("{at}: property '{key}' is not supported"));
    }
    if map.get("minItems").is_some_and(|least| least.as_u64().is_none_or(|least| least > 1)) {
        return Err(format!("{at}: for 'array' type, 'minItems' values other than 0 or 1 are not supported"));
    }
    let is_object = map.get("type").is_some_and(|kind| {
        kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object")))
    });
    if is_object && map.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Err(format!(
            "{at}: for 'object' type, 'additionalProperties' must be explicitly set to false"
        ));
    }
    if map.get("$ref").is_some_and(|to| !to.as_str().is_some_and(|to| to.starts_with("#/"))) {
        return Err(format!("{at}: external and recursive '$ref' are not supported"));
    }
    for key in ["properties", "$defs", "definitions"] {
        for (name, inner) in map.get(key).and_then(Value::as_object).into_iter().flatten() {
            constrained(inner, &format!("{at}.{key}.{name}"))?;
        }
    }
    for key in ["anyOf", "allOf"] {
        for inner in map.get(key).and_then(Value::as_array).into_iter().flatten() {
            constrained(inner, &format!("{at}.{key}"))?;
        }
    }
    map.get("items").map_or(Ok(()), |items| constrained(items, &format!("{at}.items")))
}

fn message_of(call: usize, asked: &Asked, content: Value, reason: &str, written: usize) -> Value {
    json!({
        "id": format!("msg_{call:04}"),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": {
            "input_tokens": tokens(&asked.text),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": { "ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0 },
            "output_tokens": written,
            "service_tier": "standard",
        },
    })
}

pub(super) fn answer(call: usize, asked: &Asked, value: &Value, manner: Manner) -> Value {
    let said = text(value, manner);
    let written = tokens(&said);
    let (block, reason) = match &asked.tool {
        Some(name) => {
            let block = json!({ "type": "tool_use", "id": format!("toolu_{call:04}"), "name": name, "input": input(value, manner) });
            (block, "tool_use")
        }
        None => (json!({ "type": "text", "text": said }), "end_turn"),
    };
    let reason = if manner == Manner::Cut { "max_tokens" } else { reason };
    message_of(call, asked, json!([block]), reason, written)
}

/// The input of a tool's use; what was cut has only the first of its members.
fn input(value: &Value, manner: Manner) -> Value {
    match (value, manner) {
        (Value::Object(map), Manner::Cut) => map.clone().into_iter().take(map.len() / 2).collect(),
        _ => value.clone(),
    }
}

pub(super) fn refusal(call: usize, asked: &Asked) -> Value {
    message_of(call, asked, json!([]), "refusal", 1)
}

pub(super) fn nothing(call: usize, asked: &Asked) -> Value {
    message_of(call, asked, json!([]), "end_turn", 2)
}

pub(super) fn error(call: usize, problem: &Problem) -> (u16, Value) {
    let (status, kind, message) = match problem {
        Problem::NoSuchPath => (404, "not_found_error", "Not found".to_owned()),
        Problem::Method => (405, "invalid_request_error", "Method Not Allowed".to_owned()),
        Problem::Malformed(why) => (400, "invalid_request_error", why.clone()),
        Problem::NoKey => (401, "authentication_error", "x-api-key header is required".to_owned()),
        Problem::BadKey(key) => (401, "authentication_error", format!("invalid x-api-key: {key}")),
        Problem::Forbidden => {
            (403, "permission_error", "Your API key does not have permission to use the specified resource.".to_owned())
        }
        Problem::NoSuchModel(model) => (404, "not_found_error", format!("model: {model}")),
        Problem::TooMany { quota: false } => (
            429,
            "rate_limit_error",
            "This request would exceed your organization's rate limit of 50 requests per minute.".to_owned(),
        ),
        Problem::TooMany { quota: true } => (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
                .to_owned(),
        ),
        Problem::Broken => (500, "api_error", "Internal server error".to_owned()),
        Problem::Overloaded => (529, "overloaded_error", "Overloaded".to_owned()),
    };
    let body = json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": request_id(call) });
    (status, body)
}

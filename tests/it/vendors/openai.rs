//! OpenAI's chat completions (`POST /v1/chat/completions`) as platform.openai.com/docs/api-reference/chat and the guide to
//! structured outputs document them, and Azure's paths and errors (learn.microsoft.com/azure/ai-services/openai/reference).

use super::api::{Asked, Manner, Problem, body, text, tokens};
use super::fields::{Checked, Object, bytes, is_name};
use super::strict_schema;
use super::wire::Request;
use serde_json::{Value, json};

const FIELDS: [&str; 39] = [
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "moderation",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
    // Azure's own.
    "data_sources",
    "user_security_context",
];

pub(super) fn check(request: &Request, key: Option<&str>, azure: bool) -> Result<Asked, Problem> {
    let deployment = if azure { deployment(request)? } else { None };
    if !azure && request.path != "/v1/chat/completions" {
        return Err(Problem::NoSuchPath);
    }
    if request.method != "POST" {
        return Err(Problem::Method);
    }
    let bearer =
        request.header("authorization").map(|value| value.strip_prefix("Bearer ").unwrap_or("").trim());
    let shown = if azure { request.header("api-key").or(bearer) } else { bearer };
    match (key, shown) {
        (Some(_), None) => return Err(Problem::NoKey),
        (_, Some("")) => return Err(Problem::NoKey),
        (Some(key), Some(shown)) if key != shown => return Err(Problem::BadKey(shown.to_owned())),
        _ => {}
    }
    let body = body(request).map_err(Problem::Malformed)?;
    asked(&body, deployment).map_err(Problem::Malformed)
}

/// The deployment of Azure's older path; `None` for the newer, where the body names the model.
fn deployment(request: &Request) -> Result<Option<&str>, Problem> {
    let is_date = |version: &str| {
        let day = version.strip_suffix("-preview").unwrap_or(version);
        day.len() == 10
            && day
                .bytes()
                .enumerate()
                .all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() })
    };
    let version = request.query("api-version");
    if request.path == "/openai/v1/chat/completions" {
        let known =
            version.is_none_or(|version| ["v1", "latest", "preview"].contains(&version) || is_date(version));
        return if known { Ok(None) } else { Err(Problem::NoSuchPath) };
    }
    let rest = request.path.strip_prefix("/openai/deployments/").ok_or(Problem::NoSuchPath)?;
    let name = rest.strip_suffix("/chat/completions").ok_or(Problem::NoSuchPath)?;
    if name.is_empty() || name.contains('/') || !version.is_some_and(is_date) {
        return Err(Problem::NoSuchPath);
    }
    Ok(Some(name))
}

fn asked(body: &Value, deployment: Option<&str>) -> Checked<Asked> {
    let body = Object::of(body, "", true)?;
    body.only(&FIELDS)?;
    let model = match deployment {
        Some(name) => body.text("model")?.map_or(name, |_| name),
        None => body.words("model")?,
    };
    let mut asked = Asked { model: model.to_owned(), ..Asked::default() };
    sampling(&body, model)?;
    for message in
        body.objects("messages")?.filter(|list| !list.is_empty()).ok_or("messages: field required")?
    {
        self::message(&message, &mut asked)?;
    }
    match body.object("response_format")? {
        Some(format) => response_format(&format, &mut asked)?,
        None => {}
    }
    tools(&body, &mut asked)?;
    Ok(asked)
}

fn sampling(body: &Object<'_>, model: &str) -> Checked<()> {
    for key in ["frequency_penalty", "presence_penalty"] {
        body.number(key, -2.0..=2.0)?;
    }
    let temperature = body.number("temperature", 0.0..=2.0)?;
    body.number("top_p", 0.0..=1.0)?;
    for key in ["logprobs", "parallel_tool_calls", "store", "stream"] {
        body.boolean(key)?;
    }
    body.integer("max_completion_tokens", 1..=i64::MAX)?;
    body.integer("max_tokens", 1..=i64::MAX)?;
    if body.has("max_tokens") && body.has("max_completion_tokens") {
        return body.wrong("max_tokens", "can't be set together with max_completion_tokens");
    }
    body.integer("n", 1..=128)?;
    body.integer("seed", i64::MIN..=i64::MAX)?;
    body.integer("top_logprobs", 0..=20)?;
    if body.has("top_logprobs") && body.boolean("logprobs")? != Some(true) {
        return body.wrong("top_logprobs", "needs logprobs");
    }
    body.one_of("service_tier", &["auto", "default", "flex", "scale", "priority"])?;
    body.one_of("reasoning_effort", &["none", "minimal", "low", "medium", "high", "xhigh"])?;
    body.one_of("verbosity", &["low", "medium", "high"])?;
    for key in ["user", "safety_identifier", "prompt_cache_key"] {
        body.text(key)?;
    }
    if let Some(metadata) = body.get("metadata") {
        let pairs = metadata.as_object().filter(|pairs| pairs.len() <= 16);
        if !pairs.is_some_and(|pairs| pairs.values().all(Value::is_string)) {
            return body.wrong("metadata", "expected at most 16 strings by name");
        }
    }
    if body.boolean("stream")? == Some(true) {
        return body.wrong("stream", "this server does not stream");
    }
    if body.has("stream_options") {
        return body.wrong("stream_options", "only allowed when stream is true");
    }
    let reasons = ["o1", "o3", "o4", "gpt-5"].iter().any(|prefix| model.starts_with(prefix));
    if reasons && body.has("max_tokens") {
        return body.wrong("max_tokens", "not supported with this model; use max_completion_tokens instead");
    }
    if reasons && temperature.is_some_and(|temperature| temperature != 1.0) {
        return body.wrong("temperature", "only the default (1) is supported with this model");
    }
    Ok(())
}

fn message(message: &Object<'_>, asked: &mut Asked) -> Checked<()> {
    message.required("role")?;
    let role =
        message.one_of("role", &["developer", "system", "user", "assistant", "tool"])?.unwrap_or_default();
    message.only(match role {
        "assistant" => &["role", "content", "name", "refusal", "tool_calls", "audio"],
        "tool" => &["role", "content", "tool_call_id"],
        _ => &["role", "content", "name"],
    })?;
    match message.get("content") {
        Some(Value::String(text)) => {
            asked.text.push_str(text);
            asked.text.push('\n');
        }
        Some(Value::Array(_)) => {
            for part in
                message.objects("content")?.filter(|parts| !parts.is_empty()).ok_or("content: empty array")?
            {
                self::part(&part, role, asked)?;
            }
        }
        None if role == "assistant" && message.has("tool_calls") => {}
        _ => return message.wrong("content", "expected a string or an array of parts"),
    }
    Ok(())
}

fn part(part: &Object<'_>, role: &str, asked: &mut Asked) -> Checked<()> {
    let kinds: &[&str] = if role == "user" { &["text", "image_url", "file"] } else { &["text"] };
    part.required("type")?;
    match part.one_of("type", kinds)?.unwrap_or_default() {
        "text" => {
            part.only(&["type", "text"])?;
            asked.text.push_str(part.words("text")?);
            asked.text.push('\n');
        }
        "image_url" => {
            part.only(&["type", "image_url"])?;
            part.required("image_url")?;
            let Some(image) = part.object("image_url")? else { return Ok(()) };
            image.only(&["url", "detail"])?;
            image.one_of("detail", &["auto", "low", "high"])?;
            let url = image.words("url")?;
            if !url.starts_with("https://") {
                let allowed = ["image/png", "image/jpeg", "image/webp", "image/gif"];
                let (kind, bytes) = data_url(url).ok_or("image_url.url: expected an https or a data URL")?;
                if !allowed.contains(&kind.as_str()) {
                    return image.wrong("url", "you uploaded an unsupported image");
                }
                asked.attached.push((kind, bytes));
            }
        }
        _ => {
            part.only(&["type", "file"])?;
            part.required("file")?;
            let Some(file) = part.object("file")? else { return Ok(()) };
            file.only(&["filename", "file_data", "file_id"])?;
            if !file.has("file_id") {
                file.words("filename")?;
                let (kind, bytes) =
                    data_url(file.words("file_data")?).ok_or("file.file_data: expected a data URL")?;
                if kind != "application/pdf" {
                    return file.wrong(
                        "file_data",
                        "expected a base64-encoded data URL with an application/pdf MIME type",
                    );
                }
                asked.attached.push((kind, bytes));
            }
        }
    }
    Ok(())
}

/// The media type and the bytes of `data:TYPE;base64,…`.
fn data_url(url: &str) -> Option<(String, Vec<u8>)> {
    let (kind, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    Some((kind.to_owned(), bytes(data)?))
}

fn response_format(format: &Object<'_>, asked: &mut Asked) -> Checked<()> {
    format.required("type")?;
    match format.one_of("type", &["text", "json_object", "json_schema"])?.unwrap_or_default() {
        "text" => format.only(&["type"]),
        "json_object" => {
            format.only(&["type"])?;
            if asked.text.to_ascii_lowercase().contains("json") {
                Ok(())
            } else {
                Err("'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'".to_owned())
            }
        }
        _ => {
            format.only(&["type", "json_schema"])?;
            format.required("json_schema")?;
            let Some(given) = format.object("json_schema")? else { return Ok(()) };
            given.only(&["name", "description", "schema", "strict"])?;
            let name = given.words("name")?;
            if !is_name(name, 64) {
                return given.wrong("name", "expected at most 64 of a-z, A-Z, 0-9, _ and -");
            }
            given.text("description")?;
            schema(&given, "schema", &format!("response_format '{name}'"), asked)
        }
    }
}

/// A schema beside a `strict`.
fn schema(holder: &Object<'_>, key: &str, of: &str, asked: &mut Asked) -> Checked<()> {
    let strict = holder.boolean("strict")? == Some(true);
    match holder.get(key) {
        Some(schema) if strict => {
            strict_schema::check(schema).map_err(|wrong| format!("Invalid schema for {of}: {wrong}"))?;
        }
        Some(schema) if !schema.is_object() => return holder.wrong(key, "expected an object"),
        None if strict => return holder.wrong(key, "field required"),
        _ => {}
    }
    asked.schema = holder.get(key).cloned();
    asked.binding = strict;
    Ok(())
}

fn tools(body: &Object<'_>, asked: &mut Asked) -> Checked<()> {
    let tools = body.objects("tools")?.unwrap_or_default();
    if body.has("parallel_tool_calls") && tools.is_empty() {
        return body.wrong("parallel_tool_calls", "only allowed when 'tools' are specified");
    }
    let forced = match body.get("tool_choice") {
        None => None,
        Some(Value::String(word)) if ["none", "auto"].contains(&word.as_str()) => None,
        Some(Value::String(word)) if word == "required" => Some(None),
        Some(Value::Object(_)) => {
            let choice = body.object("tool_choice")?.ok_or("tool_choice: field required")?;
            choice.only(&["type", "function"])?;
            choice.required("type")?;
            choice.one_of("type", &["function"])?;
            choice.required("function")?;
            Some(
                choice
                    .object("function")?
                    .map(|function| function.words("name").map(str::to_owned))
                    .transpose()?,
            )
        }
        Some(_) => return body.wrong("tool_choice", "expected none, auto, required or a function"),
    };
    if forced.is_some() && tools.is_empty() {
        return body.wrong("tool_choice", "only allowed when 'tools' are specified");
    }
    for tool in &tools {
        tool.only(&["type", "function"])?;
        tool.required("type")?;
        tool.one_of("type", &["function"])?;
        tool.required("function")?;
        let Some(function) = tool.object("function")? else { continue };
        function.only(&["name", "description", "parameters", "strict"])?;
        let name = function.words("name")?;
        if !is_name(name, 64) {
            return function.wrong("name", "expected at most 64 of a-z, A-Z, 0-9, _ and -");
        }
        function.text("description")?;
        if forced.as_ref().is_some_and(|forced| forced.as_deref().is_none_or(|forced| forced == name)) {
            schema(&function, "parameters", &format!("function '{name}'"), asked)?;
            asked.tool = Some(name.to_owned());
        }
    }
    match forced {
        Some(Some(_)) if asked.tool.is_none() => body.wrong("tool_choice", "names no function of 'tools'"),
        _ => Ok(()),
    }
}

fn completion(call: usize, asked: &Asked, choices: Value, written: usize) -> Value {
    let read = tokens(&asked.text);
    json!({
        "id": format!("chatcmpl-{call:04}"),
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": asked.model,
        "choices": choices,
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": { "cached_tokens": 0, "audio_tokens": 0 },
            "completion_tokens_details": { "reasoning_tokens": 0, "audio_tokens": 0,
                "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0 },
        },
        "service_tier": "default",
        "system_fingerprint": "fp_loopback",
    })
}

pub(super) fn answer(call: usize, asked: &Asked, value: &Value, manner: Manner) -> Value {
    let said = text(value, manner);
    let written = tokens(&said);
    let mut message = json!({ "role": "assistant", "content": null, "refusal": null, "annotations": [] });
    let mut reason = "stop";
    match &asked.tool {
        Some(name) => {
            let function = json!({ "name": name, "arguments": said });
            message["tool_calls"] =
                json!([{ "id": format!("call_{call:04}"), "type": "function", "function": function }]);
            // A function that was forced by name ends with `stop`, any other with `tool_calls`.
        }
        None => message["content"] = json!(said),
    }
    if manner == Manner::Cut {
        reason = "length";
    }
    let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": reason });
    completion(call, asked, json!([choice]), written)
}

pub(super) fn refusal(call: usize, asked: &Asked) -> Value {
    let message = json!({ "role": "assistant", "content": null, "refusal": "I'm sorry, I can't assist with that request." });
    let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": "stop" });
    completion(call, asked, json!([choice]), 11)
}

pub(super) fn nothing(call: usize, asked: &Asked) -> Value {
    completion(call, asked, json!([]), 0)
}

pub(super) fn error(problem: &Problem) -> (u16, Value) {
    let (status, message, kind, param, code) = match problem {
        Problem::NoSuchPath => (404, "Invalid URL".to_owned(), "invalid_request_error", Value::Null, Value::Null),
        Problem::Method => (
            405,
            "Not allowed to do that on /v1/chat/completions. (HINT: Perhaps you meant to use POST)".to_owned(),
            "invalid_request_error",
            Value::Null,
            json!("method_not_supported"),
        ),
        Problem::Malformed(why) => (400, why.clone(), "invalid_request_error", Value::Null, Value::Null),
        Problem::NoKey => (
            401,
            "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth."
                .to_owned(),
            "invalid_request_error",
            Value::Null,
            Value::Null,
        ),
        Problem::BadKey(key) => (
            401,
            format!("Incorrect API key provided: {key}. You can find your API key at https://platform.openai.com/account/api-keys."),
            "invalid_request_error",
            Value::Null,
            json!("invalid_api_key"),
        ),
        Problem::Forbidden => (
            403,
            "Country, region, or territory not supported".to_owned(),
            "request_forbidden",
            Value::Null,
            json!("unsupported_country_region_territory"),
        ),
        Problem::NoSuchModel(model) => (
            404,
            format!("The model `{model}` does not exist or you do not have access to it."),
            "invalid_request_error",
            Value::Null,
            json!("model_not_found"),
        ),
        Problem::TooMany { quota: false } => (
            429,
            "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1.".to_owned(),
            "requests",
            Value::Null,
            json!("rate_limit_exceeded"),
        ),
        Problem::TooMany { quota: true } => (
            429,
            "You exceeded your current quota, please check your plan and billing details.".to_owned(),
            "insufficient_quota",
            Value::Null,
            json!("insufficient_quota"),
        ),
        Problem::Broken => (
            500,
            "The server had an error while processing your request. Sorry about that!".to_owned(),
            "server_error",
            Value::Null,
            Value::Null,
        ),
        Problem::Overloaded => (
            503,
            "The engine is currently overloaded, please try again later".to_owned(),
            "server_error",
            Value::Null,
            Value::Null,
        ),
    };
    (status, json!({ "error": { "message": message, "type": kind, "param": param, "code": code } }))
}

pub(super) fn azure_error(problem: &Problem) -> (u16, Value) {
    let (status, code, message) = match problem {
        Problem::NoSuchPath | Problem::Method => (404, "404", "Resource not found".to_owned()),
        Problem::NoKey | Problem::BadKey(_) => (
            401,
            "401",
            "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an \
             active subscription and use a correct regional API endpoint for your resource."
                .to_owned(),
        ),
        Problem::NoSuchModel(_) => (
            404,
            "DeploymentNotFound",
            "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, \
             please wait a moment and try again."
                .to_owned(),
        ),
        Problem::TooMany { .. } => (
            429,
            "429",
            "Requests to the ChatCompletions_Create Operation have exceeded the call rate limit of your current pricing tier."
                .to_owned(),
        ),
        _ => return error(problem),
    };
    (status, json!({ "error": { "code": code, "message": message } }))
}

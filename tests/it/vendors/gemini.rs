//! Gemini's `generateContent` as ai.google.dev/api/generate-content documents it.

use super::api::{Asked, Manner, Problem, body, text, tokens};
use super::fields::{Checked, Object, bytes, is_name};
use super::gemini_schema;
use super::wire::Request;
use serde_json::{Value, json};

const MEDIA: [&str; 6] =
    ["application/pdf", "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];

pub(super) fn check(request: &Request, key: Option<&str>) -> Result<Asked, Problem> {
    let rest = ["/v1beta/models/", "/v1/models/"].iter().find_map(|prefix| request.path.strip_prefix(prefix));
    let model = rest.and_then(|rest| rest.strip_suffix(":generateContent")).ok_or(Problem::NoSuchPath)?;
    if model.is_empty() || model.contains('/') {
        return Err(Problem::NoSuchPath);
    }
    if request.method != "POST" {
        return Err(Problem::Method);
    }
    // A key in a URL ends up in logs; the header is what the documentation shows.
    if request.query("key").is_some() {
        return Err(Problem::Malformed("the key belongs in the header x-goog-api-key".to_owned()));
    }
    match (key, request.header("x-goog-api-key")) {
        (Some(_), None) | (_, Some("")) => return Err(Problem::NoKey),
        (Some(key), Some(shown)) if key != shown => return Err(Problem::BadKey(shown.to_owned())),
        _ => {}
    }
    let body = body(request).map_err(Problem::Malformed)?;
    asked(&body, model).map_err(Problem::Malformed)
}

fn asked(body: &Value, model: &str) -> Checked<Asked> {
    let body = Object::of(body, "", true)?;
    body.only(&[
        "model",
        "contents",
        "tools",
        "toolConfig",
        "safetySettings",
        "systemInstruction",
        "generationConfig",
        "cachedContent",
        "serviceTier",
        "store",
    ])?;
    if body.text("model")?.is_some_and(|given| given != format!("models/{model}")) {
        return body.wrong("model", "is not the model of the path");
    }
    let mut asked = Asked { model: model.to_owned(), ..Asked::default() };
    if let Some(system) = body.object("systemInstruction")? {
        system.only(&["role", "parts"])?;
        parts(&system, false, &mut asked)?;
    }
    let contents = body.objects("contents")?.filter(|contents| !contents.is_empty());
    let contents = contents.ok_or("* GenerateContentRequest.contents: contents is not specified")?;
    let mut last = "";
    for content in &contents {
        content.only(&["role", "parts"])?;
        let role = content.one_of("role", &["user", "model"])?.unwrap_or("user");
        if role == last {
            return Err("Please ensure that multiturn requests alternate between user and model.".to_owned());
        }
        last = role;
        parts(content, role == "user", &mut asked)?;
    }
    if last != "user" {
        return Err(
            "Please ensure that multiturn requests end with a user role or a function response.".to_owned()
        );
    }
    if let Some(config) = body.object("generationConfig")? {
        generation_config(&config, &mut asked)?;
    }
    for setting in body.objects("safetySettings")?.unwrap_or_default() {
        setting.only(&["category", "threshold"])?;
        setting.words("category")?;
        setting.words("threshold")?;
    }
    tools(&body, &mut asked)?;
    Ok(asked)
}

fn parts(content: &Object<'_>, media: bool, asked: &mut Asked) -> Checked<()> {
    let parts = content.objects("parts")?.unwrap_or_default();
    if parts.is_empty() {
        return content.wrong("parts", "contents.parts must not be empty.");
    }
    for part in parts {
        part.only(&["text", "inlineData", "fileData", "thought", "mediaResolution"])?;
        match (part.text("text")?, part.object("inlineData")?) {
            (Some(words), None) if !words.is_empty() => {
                asked.text.push_str(words);
                asked.text.push('\n');
            }
            (None, Some(blob)) if media => {
                blob.only(&["mimeType", "data"])?;
                let media = blob.words("mimeType")?;
                if !MEDIA.contains(&media) {
                    return blob.wrong("mimeType", &format!("Unsupported MIME type: {media}"));
                }
                let Some(data) = bytes(blob.words("data")?) else {
                    return blob.wrong("data", "Base64 decoding failed");
                };
                asked.attached.push((media.to_owned(), data));
            }
            _ => {
                return Err(format!(
                    "{}: required oneof field 'data' must have one initialized field",
                    part.at
                ));
            }
        }
    }
    Ok(())
}

fn generation_config(config: &Object<'_>, asked: &mut Asked) -> Checked<()> {
    config.only(&[
        "stopSequences",
        "responseMimeType",
        "responseSchema",
        "responseJsonSchema",
        "_responseJsonSchema",
        "responseModalities",
        "candidateCount",
        "maxOutputTokens",
        "temperature",
        "topP",
        "topK",
        "seed",
        "presencePenalty",
        "frequencyPenalty",
        "responseLogprobs",
        "logprobs",
        "enableEnhancedCivicAnswers",
        "speechConfig",
        "thinkingConfig",
        "imageConfig",
        "mediaResolution",
    ])?;
    config.texts("stopSequences")?;
    config.texts("responseModalities")?;
    config.integer("candidateCount", 1..=8)?;
    config.integer("maxOutputTokens", 1..=i64::from(i32::MAX))?;
    config.integer("seed", i64::from(i32::MIN)..=i64::from(i32::MAX))?;
    config.integer("topK", 0..=i64::from(i32::MAX))?;
    config.number("temperature", 0.0..=2.0)?;
    config.number("topP", 0.0..=1.0)?;
    for key in ["presencePenalty", "frequencyPenalty"] {
        config.number(key, -2.0..=2.0)?;
    }
    if let Some(thinking) = config.object("thinkingConfig")? {
        thinking.only(&["includeThoughts", "thinkingBudget", "thinkingLevel"])?;
    }
    let mime = config.one_of("responseMimeType", &["text/plain", "application/json", "text/x.enum"])?;
    let json_schema = config.get("responseJsonSchema").or(config.get("_responseJsonSchema"));
    match (config.get("responseSchema"), json_schema) {
        (None, None) => return Ok(()),
        (Some(_), Some(_)) => {
            return config.wrong("responseSchema", "must be omitted when responseJsonSchema is set");
        }
        (Some(schema), None) => {
            gemini_schema::check(schema, "generation_config.response_schema")?;
            asked.schema = Some(gemini_schema::json_schema(schema));
        }
        (None, Some(schema)) => {
            gemini_schema::check_json_schema(schema, "generation_config.response_json_schema")?;
            asked.schema = Some(schema.clone());
        }
    }
    if mime != Some("application/json") {
        return config.wrong("responseMimeType", "must be application/json when a response schema is set");
    }
    asked.binding = true;
    Ok(())
}

fn tools(body: &Object<'_>, asked: &mut Asked) -> Checked<()> {
    let mut declared = Vec::new();
    for tool in body.objects("tools")?.unwrap_or_default() {
        tool.only(&["functionDeclarations"])?;
        for function in tool.objects("functionDeclarations")?.unwrap_or_default() {
            function.only(&[
                "name",
                "description",
                "parameters",
                "parametersJsonSchema",
                "response",
                "behavior",
            ])?;
            let name = function.words("name")?;
            if !is_name(name, 64) {
                return function.wrong("name", "Invalid function name");
            }
            function.words("description")?;
            if let Some(schema) = function.get("parameters") {
                gemini_schema::check(schema, "parameters")?;
            }
            declared.push((name.to_owned(), function.get("parameters").map(gemini_schema::json_schema)));
        }
    }
    let Some(config) = body.object("toolConfig")? else { return Ok(()) };
    config.only(&["functionCallingConfig"])?;
    let Some(calling) = config.object("functionCallingConfig")? else { return Ok(()) };
    calling.only(&["mode", "allowedFunctionNames"])?;
    let mode = calling.one_of("mode", &["AUTO", "ANY", "NONE", "VALIDATED"])?;
    let allowed = calling.texts("allowedFunctionNames")?;
    if mode != Some("ANY") {
        return Ok(());
    }
    let permits = |name: &str| allowed.as_ref().is_none_or(|allowed| allowed.contains(&name));
    let Some((name, schema)) = declared.into_iter().find(|(name, _)| permits(name)) else {
        return calling.wrong("allowedFunctionNames", "names no declared function");
    };
    (asked.tool, asked.schema, asked.binding) = (Some(name), schema, true);
    Ok(())
}

fn response(call: usize, asked: &Asked, candidates: Option<Value>, written: usize) -> Value {
    let read = tokens(&asked.text);
    let mut body = json!({
        "usageMetadata": {
            "promptTokenCount": read,
            "candidatesTokenCount": written,
            "totalTokenCount": read + written,
            "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": read }],
        },
        "modelVersion": asked.model,
        "responseId": format!("resp_{call:04}"),
    });
    if let Some(candidates) = candidates {
        body["candidates"] = candidates;
    }
    body
}

pub(super) fn answer(call: usize, asked: &Asked, value: &Value, manner: Manner) -> Value {
    let said = text(value, manner);
    let written = tokens(&said);
    let part = match &asked.tool {
        Some(name) => json!({ "functionCall": { "name": name, "args": value } }),
        None => json!({ "text": said }),
    };
    let reason = if manner == Manner::Cut { "MAX_TOKENS" } else { "STOP" };
    let content = json!({ "parts": [part], "role": "model" });
    let candidate = json!({ "content": content, "finishReason": reason, "index": 0, "avgLogprobs": -0.01 });
    response(call, asked, Some(json!([candidate])), written)
}

pub(super) fn refusal(call: usize, asked: &Asked) -> Value {
    let mut body = response(call, asked, None, 0);
    body["promptFeedback"] = json!({ "blockReason": "PROHIBITED_CONTENT" });
    body
}

pub(super) fn nothing(call: usize, asked: &Asked) -> Value {
    response(call, asked, Some(json!([])), 0)
}

pub(super) fn error(problem: &Problem) -> (u16, Value) {
    let info = |reason: &str| {
        json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com",
            "metadata": { "service": "generativelanguage.googleapis.com" } }])
    };
    let (status, word, message, details) = match problem {
        Problem::NoSuchPath | Problem::Method => {
            (404, "NOT_FOUND", "The requested URL was not found on this server.".to_owned(), Value::Null)
        }
        Problem::Malformed(why) => (400, "INVALID_ARGUMENT", why.clone(), Value::Null),
        Problem::NoKey => (
            403,
            "PERMISSION_DENIED",
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other \
             form of API consumer identity to call this API."
                .to_owned(),
            Value::Null,
        ),
        Problem::BadKey(key) => (
            400,
            "INVALID_ARGUMENT",
            format!("API key not valid: {key}. Please pass a valid API key."),
            info("API_KEY_INVALID"),
        ),
        Problem::Forbidden => (
            403,
            "PERMISSION_DENIED",
            "Your API key doesn't have the required permissions.".to_owned(),
            info("API_KEY_SERVICE_BLOCKED"),
        ),
        Problem::NoSuchModel(model) => (
            404,
            "NOT_FOUND",
            format!("models/{model} is not found for API version v1beta, or is not supported for generateContent."),
            Value::Null,
        ),
        Problem::TooMany { quota: false } => {
            (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).".to_owned(), Value::Null)
        }
        Problem::TooMany { quota: true } => (
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan and billing details.".to_owned(),
            json!([
                { "@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{
                    "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "20" }] },
                { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s" },
            ]),
        ),
        Problem::Broken => (500, "INTERNAL", "An internal error has occurred. Please retry.".to_owned(), Value::Null),
        Problem::Overloaded => {
            (503, "UNAVAILABLE", "The model is overloaded. Please try again later.".to_owned(), Value::Null)
        }
    };
    let mut body = json!({ "error": { "code": status, "message": message, "status": word } });
    if !details.is_null() {
        body["error"]["details"] = details;
    }
    (status, body)
}

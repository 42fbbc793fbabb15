//! Turns the server's answer into a completion.

use loopctl_plugin_sdk::codec::{
    CacheWrites, Count, Cut, TokenCounts, broken_off, empty, is_torn, parse_body, sanitize_line, word,
};
use loopctl_plugin_sdk::protocol::{Completion, HttpResponse, Usage};
use loopctl_plugin_sdk::{Failure, Value};

use crate::errors;

/// The most characters of the API's explanation that are passed on.
const EXPLANATION: usize = 200;

/// Reasons for withholding an answer that hold the next time, too.
const WITHHELD: &[&str] = &[
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_SAFETY",
    "MODEL_ARMOR",
    "ESCALATION",
    "PUP_LIMITED_DISABLED",
];

pub(crate) fn decode(response: &HttpResponse) -> Result<Completion, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(errors::failure(response));
    }
    let body = parse_body(response)?;
    let candidate = body.pointer("/candidates/0");
    let text = candidate.map(text).unwrap_or_default();
    let usage = usage(&body, !text.is_empty() || candidate.is_some_and(calls));
    if let Some(failure) = errors::within(response, &body, candidate.is_some(), usage) {
        return Err(failure);
    }
    if let Some(reason) = word(&body, "/promptFeedback/blockReason") {
        let message = format!("Gemini refuses the prompt: {}", sanitize_line(&reason, EXPLANATION));
        return Err(Cut { message, finish_reason: &reason, usage }.failure());
    }
    let Some(candidate) = candidate else {
        // An empty answer is one of the API's; anything else is not.
        return Err(
            match body.get("candidates").or(body.get("usageMetadata")).or(body.get("promptFeedback")) {
                Some(_) => empty("the answer has no candidates: the model said nothing", &usage),
                None => Failure::permanent(
                    "the answer has no `candidates`, so it is none of generateContent: check `base_url`",
                ),
            },
        );
    };

    let finish_reason = word(candidate, "/finishReason");
    let stopped = finish_reason.as_deref().unwrap_or_default();
    if matches!(stopped, "MAX_TOKENS" | "CONTINUATION") {
        return Err(Cut::by_length(stopped, usage));
    }
    if WITHHELD.contains(&stopped) {
        let why =
            word(candidate, "/finishMessage").map(|why| format!(": {}", sanitize_line(&why, EXPLANATION)));
        let message = format!("Gemini withheld the answer ({stopped}){}", why.unwrap_or_default());
        return Err(Cut { message, finish_reason: stopped, usage }.failure());
    }
    if text.trim().is_empty() {
        let why =
            if stopped.is_empty() { String::new() } else { format!(" ({})", sanitize_line(stopped, 40)) };
        let said =
            if calls(candidate) { "the model called a tool instead" } else { "the model said nothing" };
        return Err(empty(format!("the answer is empty{why}: {said}"), &usage));
    }
    // A model that stopped for another reason than being done may have stopped anywhere, and half an answer mends into
    // one that looks whole.
    let broken = match stopped {
        "STOP" => false,
        "" | "FINISH_REASON_UNSPECIFIED" => is_torn(&text),
        _ => serde_json::from_str::<Value>(&text).is_err(),
    };
    if broken {
        return Err(broken_off(stopped, usage));
    }
    Ok(Completion {
        text: Some(text),
        usage,
        model: word(&body, "/modelVersion"),
        response_id: word(&body, "/responseId"),
        finish_reason,
        ..Completion::default()
    })
}

/// All texts but those that the model thought.
fn text(candidate: &Value) -> String {
    let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
    parts
        .into_iter()
        .flatten()
        .filter(|part| part.get("thought").and_then(Value::as_bool) != Some(true))
        .filter_map(|part| part.get("text").and_then(Value::as_str))
        .collect()
}

fn calls(candidate: &Value) -> bool {
    let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
    parts.is_some_and(|parts| parts.iter().any(|part| part.get("functionCall").is_some()))
}

/// Thinking is paid for like writing; cached tokens are among those of the prompt. Google leaves out what is 0.
fn usage(body: &Value, answered: bool) -> Usage {
    let part = |name: &str| Count::told_if_any(body, &format!("/usageMetadata/{name}"));
    TokenCounts {
        input: Count::told(body, "/usageMetadata/promptTokenCount").and(part("toolUsePromptTokenCount")),
        cached: part("cachedContentTokenCount"),
        cache_writes: CacheWrites::NONE,
        written: Count::told(body, "/usageMetadata/candidatesTokenCount"),
        thought: part("thoughtsTokenCount"),
        total: TokenCounts::total(body, "/usageMetadata/totalTokenCount"),
        answered,
    }
    .usage()
}

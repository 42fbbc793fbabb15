//! Turns the server's answer into a completion.

use loopctl_plugin_sdk::codec::{
    CacheWrites, Count, Cut, TokenCounts, broken_off, empty, is_torn, parse_body, place, word, written,
};
use loopctl_plugin_sdk::protocol::{Completion, HttpResponse, Usage};
use loopctl_plugin_sdk::{Failure, Value};

use crate::errors;
use crate::settings::{ApiService, OpenAiSettings};

pub(crate) fn decode(settings: &OpenAiSettings, response: &HttpResponse) -> Result<Completion, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(errors::failure(response));
    }
    let body = parse_body(response)?;
    let choices = body.get("choices");
    let choice = choices.and_then(Value::as_array).and_then(|choices| choices.first());
    let text = choice.map(text).unwrap_or_default();
    let usage = usage(settings, &body, choice.is_some_and(|choice| !is_silent(choice, &text)));
    // OpenRouter answers 200 when the model's own provider failed later on, and says so of the answer or of its choice.
    let failed = errors::within(response, &body, choice.is_some(), usage);
    if let Some(failure) = failed.or_else(|| errors::within(response, choice?, true, usage)) {
        return Err(failure);
    }
    let Some(choice) = choice else {
        return Err(match choices {
            Some(_) => empty("the answer has no choices: the model said nothing", &usage),
            None => Failure::permanent(
                "the answer has no `choices`, so it is none of chat completions: check `base_url`",
            ),
        });
    };

    let finish_reason = word(choice, "/finish_reason");
    let stopped = finish_reason.as_deref().unwrap_or_default();
    if word(choice, "/message/refusal").is_some() || has_refusal_part(choice) {
        // Its words stay out of the message: they may repeat the document.
        let message = "the model refuses: try another model or another prompt".to_owned();
        return Err(Cut { message, finish_reason: "refusal", usage }.failure());
    }
    match stopped {
        // Mistral's word for the end of the context, and what gateways pass on from other APIs.
        "length" | "model_length" | "max_tokens" | "MAX_TOKENS" => {
            return Err(Cut::by_length(stopped, usage));
        }
        // Of OpenRouter and Mistral, vLLM, DeepSeek.
        "error" | "abort" | "insufficient_system_resource" => return Err(broken_off(stopped, usage)),
        "content_filter" => {
            let message = "the provider's content filter withheld the answer".to_owned();
            return Err(Cut { message, finish_reason: stopped, usage }.failure());
        }
        _ => {}
    }
    if text.trim().is_empty() {
        return Err(empty(format!("the answer is empty: {}", why_empty(choice)), &usage));
    }
    if !matches!(stopped, "stop" | "tool_calls" | "function_call") && is_torn(&text) {
        return Err(broken_off(stopped, usage));
    }
    Ok(Completion {
        usage,
        model: word(&body, "/model"),
        response_id: word(&body, "/id"),
        finish_reason,
        ..written(text)
    })
}

/// `content` is a text or a list of parts; what a model thought aloud is elsewhere.
fn text(choice: &Value) -> String {
    match place(choice, "/message/content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// Returns whether the model has written nothing that it would be paid for.
fn is_silent(choice: &Value, text: &str) -> bool {
    let elsewhere = ["/message/reasoning_content", "/message/reasoning", "/message/refusal"];
    let called = place(choice, "/message/tool_calls/0").is_some();
    text.is_empty() && !called && elsewhere.iter().all(|pointer| word(choice, pointer).is_none())
}

fn why_empty(choice: &Value) -> &'static str {
    let thought = ["/message/reasoning_content", "/message/reasoning"];
    if thought.iter().any(|pointer| word(choice, pointer).is_some()) {
        "all that the model wrote is thinking; let it think less, or not at all"
    } else if place(choice, "/message/tool_calls/0").is_some() {
        "the model called a tool instead"
    } else {
        "the model said nothing"
    }
}

fn has_refusal_part(choice: &Value) -> bool {
    let parts = place(choice, "/message/content").and_then(Value::as_array);
    parts.is_some_and(|parts| parts.iter().any(|part| word(part, "/refusal").is_some()))
}

/// The usage of a call. Reasoning is part of `completion_tokens` at OpenAI; elsewhere (Gemini's compatible endpoint,
/// xAI) only the total has it, or it is counted by itself and is more than what was written.
fn usage(settings: &OpenAiSettings, body: &Value, answered: bool) -> Usage {
    let cached = [
        "/usage/prompt_tokens_details/cached_tokens",
        // DeepSeek's and Moonshot's.
        "/usage/prompt_cache_hit_tokens",
        "/usage/cached_tokens",
    ];
    // OpenRouter's and LiteLLM's, of models whose vendors charge for it.
    let cache_writes = [
        "/usage/prompt_tokens_details/cache_write_tokens",
        "/usage/prompt_tokens_details/cache_creation_tokens",
        "/usage/cache_creation_input_tokens",
    ];
    let most = |places: &[&str]| {
        let counts = places.iter().map(|pointer| Count::told_if_any(body, pointer));
        counts.fold(Count { least: 0, whole: true }, |most, count| Count {
            least: most.least.max(count.least),
            whole: most.whole && count.whole,
        })
    };
    let written = Count::told(body, "/usage/completion_tokens");
    let thought = Count::told_if_any(body, "/usage/completion_tokens_details/reasoning_tokens");
    let beside = thought.least > written.least;
    let usage = TokenCounts {
        input: Count::told(body, "/usage/prompt_tokens"),
        cached: most(&cached),
        cache_writes: CacheWrites { minutes: most(&cache_writes), ..CacheWrites::NONE },
        written,
        thought: if beside { thought } else { Count { least: 0, whole: true } },
        total: TokenCounts::total(body, "/usage/total_tokens"),
        answered,
    };
    // Only OpenRouter's number is one of US dollars.
    Usage { cost_usd: cost(body).filter(|_| settings.service == ApiService::OpenRouter), ..usage.usage() }
}

/// The price paid. With a key of one's own at the model's vendor, `cost` is only what the router itself takes; without
/// one, it is all of it, whatever is beside it.
fn cost(body: &Value) -> Option<f64> {
    let price = |pointer: &str| place(body, pointer).and_then(Value::as_f64).filter(|cost| *cost >= 0.0);
    let own_key = place(body, "/usage/is_byok") == Some(&Value::Bool(true));
    let upstream = price("/usage/cost_details/upstream_inference_cost").filter(|_| own_key);
    Some(price("/usage/cost")? + upstream.unwrap_or(0.0))
}

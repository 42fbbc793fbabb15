//! From what the server answered to a completion.

use loopctl_plugin_sdk::codec::{Cut, broken_off, count, empty, is_torn, parse_body, place, word, written};
use loopctl_plugin_sdk::protocol::{Completion, HttpResponse, Usage};
use loopctl_plugin_sdk::{Failure, Value};

use crate::errors;
use crate::settings::{Service, Settings};

pub(crate) fn decode(settings: &Settings, response: &HttpResponse) -> Result<Completion, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(errors::failure(response));
    }
    let body = parse_body(response)?;
    // OpenRouter answers 200 when the model's own provider failed later on.
    if let Some(failure) = errors::within(response, &body) {
        return Err(failure);
    }
    let Some(choices) = body.get("choices") else {
        return Err(Failure::permanent(
            "the answer has no `choices`, so it is none of chat completions: check `base_url`",
        ));
    };
    let usage = usage(settings, &body);
    let Some(choice) = choices.as_array().and_then(|choices| choices.first()) else {
        return Err(empty("the answer has no choices: the model said nothing", &usage));
    };
    if let Some(failure) = errors::within(response, choice) {
        return Err(failure);
    }

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
    let text = text(choice);
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

/// `content` is a text or a list of parts; what a model thought aloud stands elsewhere.
fn text(choice: &Value) -> String {
    match place(choice, "/message/content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
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

/// What was thought is part of `completion_tokens` at OpenAI; elsewhere (Gemini's compatible endpoint, xAI) only the total
/// has it.
fn usage(settings: &Settings, body: &Value) -> Usage {
    let input_tokens = count(body, "/usage/prompt_tokens");
    let total = if input_tokens == 0 { 0 } else { count(body, "/usage/total_tokens") };
    let cached = [
        "/usage/prompt_tokens_details/cached_tokens",
        // DeepSeek's and Moonshot's.
        "/usage/prompt_cache_hit_tokens",
        "/usage/cached_tokens",
    ];
    Usage {
        input_tokens,
        cached_input_tokens: cached
            .map(|pointer| count(body, pointer))
            .into_iter()
            .fold(0, u64::max)
            .min(input_tokens),
        output_tokens: count(body, "/usage/completion_tokens").max(total.saturating_sub(input_tokens)),
        // Only OpenRouter's number is one of US dollars.
        cost_usd: cost(body).filter(|_| settings.service == Service::OpenRouter),
    }
}

/// What was paid. With a key of one's own at the model's vendor, `cost` is only what the router itself takes; without one,
/// it is all of it, whatever stands beside it.
fn cost(body: &Value) -> Option<f64> {
    let price = |pointer: &str| place(body, pointer).and_then(Value::as_f64).filter(|cost| *cost >= 0.0);
    let own_key = place(body, "/usage/is_byok") == Some(&Value::Bool(true));
    let upstream = price("/usage/cost_details/upstream_inference_cost").filter(|_| own_key);
    Some(price("/usage/cost")? + upstream.unwrap_or(0.0))
}

//! Turns the server's answer into a completion.

use loopctl_plugin_sdk::codec::schema::unwrapped;
use loopctl_plugin_sdk::codec::{
    CacheWrites, Count, Cut, TokenCounts, broken_off, empty, is_torn, parse_body, place, says, says_nothing,
    word, written,
};
use loopctl_plugin_sdk::protocol::{Completion, HttpResponse, Usage};
use loopctl_plugin_sdk::{Failure, Value};

use crate::{errors, tool};

/// The categories of refusals, in the API's documented words. Only these are passed on: anything else in a refusal may
/// repeat the document.
const CATEGORIES: &[&str] = &["bio", "cyber", "frontier_llm", "general_harms", "reasoning_extraction"];

pub(crate) fn decode(response: &HttpResponse) -> Result<Completion, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(errors::failure(response));
    }
    let body = parse_body(response)?;
    let blocks = body.get("content").and_then(Value::as_array);
    let usage = usage(&body, blocks.is_some_and(|blocks| !blocks.is_empty()));
    if says(&body, "type", "error") || body.get("error").is_some_and(|error| !says_nothing(error)) {
        return Err(errors::within(response, &body, usage));
    }
    let Some(blocks) = blocks else {
        return Err(Failure::permanent(
            "the answer has no `content`, so it is none of the messages API: check `base_url`",
        ));
    };
    let text: String = blocks
        .iter()
        .filter(|block| says(block, "type", "text"))
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    let finish_reason = word(&body, "/stop_reason");
    let stopped = finish_reason.as_deref().unwrap_or_default();
    match stopped {
        "max_tokens" => return Err(Cut::by_length(stopped, usage)),
        // To be continued with another request.
        "pause_turn" | "compaction" => return Err(broken_off(stopped, usage)),
        "model_context_window_exceeded" => {
            let message = "the answer was cut at the end of the model's context window: send less".to_owned();
            return Err(Cut { message, finish_reason: stopped, usage }.failure());
        }
        "refusal" => {
            let category = word(&body, "/stop_details/category");
            let category = category.filter(|category| CATEGORIES.contains(&category.as_str()));
            let about = category.map(|category| format!(" (category `{category}`)")).unwrap_or_default();
            let message = format!("the model refuses{about}: try another model or another prompt");
            return Err(Cut { message, finish_reason: stopped, usage }.failure());
        }
        _ => {}
    }

    let called =
        blocks.iter().find(|block| says(block, "type", "tool_use") && says(block, "name", tool::NAME));
    let answer = match called.and_then(|call| call.get("input")) {
        Some(input) => {
            Completion { value: Some(unwrapped(input).unwrap_or(input).clone()), ..Completion::default() }
        }
        None if text.trim().is_empty() => {
            let called = blocks.iter().any(|block| says(block, "type", "tool_use"));
            let why = if called { "the model called another tool instead" } else { "the model said nothing" };
            return Err(empty(format!("the answer is empty: {why}"), &usage));
        }
        None if !matches!(stopped, "end_turn" | "stop_sequence" | "tool_use") && is_torn(&text) => {
            return Err(broken_off(stopped, usage));
        }
        // A model that was only told to call the tool may write the answer instead.
        None => written(text),
    };
    Ok(Completion {
        usage,
        model: word(&body, "/model"),
        response_id: word(&body, "/id"),
        finish_reason,
        ..answer
    })
}

/// `input_tokens` leaves out what was read from the cache and what was written to it.
fn usage(body: &Value, answered: bool) -> Usage {
    let cached = Count::told_if_any(body, "/usage/cache_read_input_tokens");
    let all_writes = Count::told_if_any(body, "/usage/cache_creation_input_tokens");
    let cache_writes = cache_writes(body, all_writes);
    TokenCounts {
        input: Count::told(body, "/usage/input_tokens")
            .and(cached)
            .and(cache_writes.minutes)
            .and(cache_writes.hour),
        cached,
        cache_writes,
        written: Count::told(body, "/usage/output_tokens"),
        thought: Count { least: 0, whole: true },
        total: None,
        answered,
    }
    .usage()
}

/// The tokens written to the cache: for five minutes, unless the answer says that some are kept for an hour, which is
/// dearer.
fn cache_writes(body: &Value, all: Count) -> CacheWrites {
    let part = |kept: &str| Count::told_if_any(body, &format!("/usage/cache_creation/{kept}_input_tokens"));
    if place(body, "/usage/cache_creation").is_none_or(Value::is_null) {
        return CacheWrites { minutes: all, ..CacheWrites::NONE };
    }
    let (minutes, hour) = (part("ephemeral_5m"), part("ephemeral_1h"));
    let parts = minutes.and(hour);
    if all.least <= parts.least && all.whole {
        return CacheWrites { minutes, hour };
    }
    // It isn't reported how long the rest is kept.
    let rest = Count { least: all.least.saturating_sub(parts.least), whole: false };
    CacheWrites { minutes: minutes.and(rest), hour }
}

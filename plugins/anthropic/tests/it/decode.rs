//! HTTP in, completions or failures out.

use loopctl_plugin_sdk::abi;
use loopctl_plugin_sdk::protocol::{Completion, Usage};
use serde_json::{Value, json};

use crate::codec::{decoded, fail, read};

fn answer(content: Value, stop_reason: &str) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5", "content": content,
        "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 7, "output_tokens": 5}})
}

fn call(input: Value) -> Value {
    json!({"type": "tool_use", "id": "toolu_1", "name": "answer", "input": input})
}

#[test]
fn a_whole_answer() {
    let body = answer(
        json!([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Here:"}, call(json!({"a": 1}))]),
        "tool_use",
    );
    assert_eq!(
        decoded(200, &body).unwrap(),
        Completion {
            value: Some(json!({"a": 1})),
            usage: Usage {
                input_tokens: 20,
                cached_input_tokens: 7,
                cache_write_tokens: 3,
                output_tokens: 5,
                ..Usage::default()
            },
            model: Some("claude-sonnet-5".into()),
            response_id: Some("msg_1".into()),
            finish_reason: Some("tool_use".into()),
            ..Completion::default()
        }
    );
}

#[test]
fn answers_of_every_shape() {
    let both = |content: Value| {
        let completion = decoded(200, &answer(content, "end_turn")).unwrap();
        (completion.value, completion.text)
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(both(json!([call(json!({"loopctl_answer": [1]}))])), (Some(json!([1])), None));
    assert_eq!(both(json!([call(json!({"loopctl_answer": null}))])), (Some(json!(null)), None));
    assert_eq!(both(json!([call(json!({"a": 1})), call(json!({"a": 2}))])), (Some(json!({"a": 1})), None));
    assert_eq!(both(json!([text("Hel"), text("lo")])), (None, Some("Hello".into())));
    assert_eq!(both(json!([text("{\"loopctl_answer\": 3}")])), (Some(json!(3)), None));
    assert_eq!(
        both(json!([{"type": "tool_use", "name": "other", "input": {}}, text("x")])),
        (None, Some("x".into()))
    );
    let bare = decoded(200, &json!({"content": [text("x")]})).unwrap();
    assert_eq!(bare, Completion { text: Some("x".into()), ..Completion::default() });
}

#[test]
fn unicode_escapes_are_read() {
    let body =
        r#"{"content": [{"type": "tool_use", "name": "answer", "input": {"n": "\u00e9\ud83d\ude00"}}]}"#;
    let completion = read(200, &[], body).unwrap();
    assert_eq!(completion.value, Some(json!({"n": "é😀"})));
}

/// Status, body, kind, what the message holds.
#[test]
fn failures() {
    let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let mut refused = answer(json!([]), "refusal");
    refused["stop_details"] =
        json!({"type": "refusal", "category": "cyber", "explanation": "Not the patient's."});
    let mut documented = refused.clone();
    documented["stop_details"]["category"] = json!("general_harms");
    let mut unknown = refused.clone();
    unknown["stop_details"]["category"] = json!("the patient");
    let cases = [
        (
            400,
            error("invalid_request_error", "max_tokens: too large"),
            abi::LC_INVALID_REQUEST,
            "max_tokens: too large",
        ),
        (
            400,
            error("invalid_request_error", "tool_choice: forced tool use is not supported"),
            abi::LC_INVALID_REQUEST,
            "`tool_choice: auto`",
        ),
        (
            400,
            error("invalid_request_error", "`temperature` is deprecated for this model."),
            abi::LC_INVALID_REQUEST,
            "`extra_body: { temperature: null }`",
        ),
        (401, error("authentication_error", "invalid x-api-key"), abi::LC_UNAUTHORIZED, "invalid x-api-key"),
        (402, error("billing_error", "Check your payment details"), abi::LC_PERMANENT, "payment"),
        (403, error("permission_error", "no"), abi::LC_UNAUTHORIZED, "403"),
        (404, error("not_found_error", "model: claude-9"), abi::LC_PERMANENT, "model: claude-9"),
        (409, error("conflict_error", "again"), abi::LC_TRANSIENT, "409"),
        (413, error("request_too_large", "too large"), abi::LC_INVALID_REQUEST, "413"),
        (429, error("rate_limit_error", "slow"), abi::LC_RATE_LIMITED, "slow"),
        (500, error("api_error", "Internal server error"), abi::LC_TRANSIENT, "Internal"),
        (504, error("timeout_error", "late"), abi::LC_TRANSIENT, "late"),
        (529, error("overloaded_error", "Overloaded"), abi::LC_TRANSIENT, "Overloaded"),
        (503, json!({"secret": "the patient"}), abi::LC_TRANSIENT, "503"),
        (200, error("overloaded_error", "Overloaded"), abi::LC_TRANSIENT, "529"),
        (200, error("invalid_request_error", "bad"), abi::LC_INVALID_REQUEST, "bad"),
        (200, error("new_error", "odd"), abi::LC_TRANSIENT, "odd"),
        (200, answer(json!([]), "end_turn"), abi::LC_TRANSIENT, "empty"),
        (200, answer(text(" "), "end_turn"), abi::LC_TRANSIENT, "empty"),
        (
            200,
            answer(json!([call(json!({"a": "the pat"}))]), "max_tokens"),
            abi::LC_PERMANENT,
            "raise `max_tokens`",
        ),
        (200, answer(text("x"), "model_context_window_exceeded"), abi::LC_PERMANENT, "context window"),
        (200, answer(text("Not the patient's."), "refusal"), abi::LC_PERMANENT, "the model refuses: try"),
        (200, answer(json!([]), "refusal"), abi::LC_PERMANENT, "the model refuses: try"),
        (200, refused, abi::LC_PERMANENT, "the model refuses (category `cyber`): try"),
        (200, documented, abi::LC_PERMANENT, "(category `general_harms`)"),
        (200, unknown, abi::LC_PERMANENT, "the model refuses: try"),
        (200, json!({"choices": []}), abi::LC_PERMANENT, "check `base_url`"),
    ];
    fail(cases);
}

#[test]
fn an_account_that_has_nothing_left_is_told_apart() {
    let error =
        |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
    let mut capped = error("rate_limit_error", "This organization's spend limit is reached.");
    capped["error"]["details"] = json!({"error_code": "enforced_spend_limit_reached"});
    for (status, body) in [
        (400, error("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")),
        (400, error("invalid_request_error", "You have reached your specified API usage limits.")),
        (400, error("invalid_request_error", "You have reached your specified workspace API usage limits.")),
        (402, error("billing_error", "Your payment failed.")),
        (429, capped),
    ] {
        let failure = decoded(status, &body).unwrap_err();
        assert_eq!(failure.status, abi::LC_PERMANENT, "{body}");
        assert!(failure.error.message.contains("the account needs credit"), "{failure}");
        assert_eq!(failure.error.detail.unwrap()["out_of_credit"], true, "{body}");
    }
    let disabled = error("invalid_request_error", "This organization has been disabled.");
    fail([(400, disabled, abi::LC_UNAUTHORIZED, "has been disabled")]);
}

#[test]
fn an_answer_that_ends_in_the_middle_is_no_answer() {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let half = text("{\"grade\": \"the pat");
    fail([
        (200, answer(half.clone(), "pause_turn"), abi::LC_TRANSIENT, "broke off in the middle of the answer"),
        (200, answer(text("First, I look."), "pause_turn"), abi::LC_TRANSIENT, "broke off"),
        (200, answer(half.clone(), "of_tomorrow"), abi::LC_TRANSIENT, "broke off"),
        (200, json!({"content": half}), abi::LC_TRANSIENT, "broke off"),
        (
            200,
            answer(json!([{"type": "tool_use", "name": "other", "input": {}}]), "tool_use"),
            abi::LC_TRANSIENT,
            "the model called another tool",
        ),
    ]);
    for stopped in ["end_turn", "stop_sequence", "of_tomorrow"] {
        let completion = decoded(200, &answer(text("{\"grade\": 2}"), stopped)).unwrap();
        assert_eq!(completion.text.as_deref(), Some("{\"grade\": 2}"), "{stopped}");
    }
}

#[test]
fn an_answer_without_a_word_was_paid_for() {
    let failure = decoded(200, &answer(json!([]), "end_turn")).unwrap_err();
    assert_eq!(
        failure.error.detail,
        Some(
            json!({"usage": {"input_tokens": 20, "cached_input_tokens": 7, "cache_write_tokens": 3, "output_tokens": 5}})
        )
    );
}

#[test]
fn torn_answers_and_waits() {
    let torn = read(200, &[], "{\"content\": [{").unwrap_err();
    assert_eq!(torn.status, abi::LC_TRANSIENT);
    let headers = [("retry-after", "30"), ("request-id", "req_2")];
    let slow = read(429, &headers, "<html>").unwrap_err();
    assert_eq!(slow.error.retry_after_ms, Some(30_000));
    assert_eq!(slow.error.message, "the API answers 429");
    assert_eq!(slow.error.detail.unwrap()["request_id"], "req_2");
}

/// Counts, then what was read, of a cache, written to it for minutes and for an hour, written, and whether that is all.
#[test]
fn what_is_written_to_a_cache_is_told_by_how_long_it_is_kept() {
    for (usage, expected) in [
        (
            json!({"input_tokens": 3, "cache_creation_input_tokens": 12304, "cache_read_input_tokens": 0, "output_tokens": 550}),
            (12307, 0, 12304, 0, 550, true),
        ),
        (
            json!({"input_tokens": 3, "cache_creation_input_tokens": 300, "output_tokens": 5,
                "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200}}),
            (303, 0, 100, 200, 5, true),
        ),
        (
            json!({"input_tokens": 3, "output_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 200}}),
            (203, 0, 0, 200, 5, true),
        ),
        (
            json!({"input_tokens": 3, "cache_creation_input_tokens": 300, "output_tokens": 5, "cache_creation": null}),
            (303, 0, 300, 0, 5, true),
        ),
        // It isn't reported how long the rest is kept.
        (
            json!({"input_tokens": 3, "cache_creation_input_tokens": 300, "output_tokens": 5,
                "cache_creation": {"ephemeral_5m_input_tokens": 100}}),
            (303, 0, 300, 0, 5, false),
        ),
        (
            json!({"input_tokens": 3, "output_tokens": "5", "cache_read_input_tokens": 7}),
            (10, 7, 0, 0, 5, true),
        ),
        (json!({"input_tokens": 3}), (3, 0, 0, 0, 0, false)),
        (json!({"input_tokens": 3, "output_tokens": 0}), (3, 0, 0, 0, 0, false)),
        (json!({"output_tokens": 5}), (0, 0, 0, 0, 5, false)),
        (
            json!({"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": -7}),
            (3, 0, 0, 0, 5, false),
        ),
        (
            json!({"input_tokens": 3, "output_tokens": 5, "cache_creation_input_tokens": "x"}),
            (3, 0, 0, 0, 5, false),
        ),
        (json!(null), (0, 0, 0, 0, 0, true)),
    ] {
        let mut body = answer(json!([call(json!({"a": 1}))]), "tool_use");
        body["usage"] = usage;
        let usage = decoded(200, &body).unwrap().usage;
        let found = (
            usage.input_tokens,
            usage.cached_input_tokens,
            usage.cache_write_tokens,
            usage.cache_write_1h_tokens,
            usage.output_tokens,
            !usage.partial,
        );
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn an_error_beside_an_answer_is_one_if_it_says_something() {
    let mut body = answer(json!([call(json!({"a": 1}))]), "tool_use");
    for error in [json!(null), json!({}), json!(""), json!({"type": "", "message": null})] {
        body["error"] = error;
        assert_eq!(decoded(200, &body).unwrap().value, Some(json!({"a": 1})));
    }
    body["error"] = json!({"type": "overloaded_error", "message": "Overloaded"});
    let failure = decoded(200, &body).unwrap_err();
    assert_eq!(failure.status, abi::LC_TRANSIENT, "{failure}");
    assert_eq!(failure.error.detail.unwrap()["usage"]["output_tokens"], 5);
}

#[test]
fn half_a_surrogate_is_no_reason_to_ask_again() {
    let body = r#"{"content": [{"type": "tool_use", "name": "answer", "input": {"n": "x\ud83d", "m": 1}}]}"#;
    assert_eq!(read(200, &[], body).unwrap().value, Some(json!({"n": "x\u{fffd}", "m": 1})));
}

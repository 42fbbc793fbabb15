//! HTTP in, completions or failures out.

use loopctl_plugin_sdk::abi;
use loopctl_plugin_sdk::protocol::{Completion, Usage};
use serde_json::{Value, json};

use crate::codec::{decoded, fail, read};

fn answer(parts: Value, finish_reason: &str) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish_reason, "index": 0}],
        "usageMetadata": {"promptTokenCount": 20, "cachedContentTokenCount": 8, "candidatesTokenCount": 5,
            "thoughtsTokenCount": 100, "totalTokenCount": 125},
        "modelVersion": "gemini-3-001", "responseId": "r-1"})
}

#[test]
fn a_whole_answer() {
    let parts = json!([{"text": "Let me see.", "thought": true}, {"text": "{\"a\""}, {"text": ": 1}", "thoughtSignature": "x"}]);
    assert_eq!(
        decoded(200, &answer(parts, "STOP")).unwrap(),
        Completion {
            text: Some("{\"a\": 1}".into()),
            usage: Usage { input_tokens: 20, cached_input_tokens: 8, output_tokens: 105, ..Usage::default() },
            model: Some("gemini-3-001".into()),
            response_id: Some("r-1".into()),
            finish_reason: Some("STOP".into()),
            ..Completion::default()
        }
    );
}

#[test]
fn answers_of_every_shape() {
    let bare = decoded(200, &json!({"candidates": [{"content": {"parts": [{"text": "x"}]}}]})).unwrap();
    assert_eq!(bare, Completion { text: Some("x".into()), ..Completion::default() });
    let mut several = answer(json!([{"text": "first"}]), "STOP");
    several["candidates"].as_array_mut().unwrap().push(json!({"content": {"parts": [{"text": "second"}]}}));
    assert_eq!(decoded(200, &several).unwrap().text.as_deref(), Some("first"));
    let body = r#"{"candidates": [{"content": {"parts": [{"text": "\u00e9\ud83d\ude00"}]}}]}"#;
    let escaped = read(200, &[], body).unwrap();
    assert_eq!(escaped.text.as_deref(), Some("é😀"));
}

/// Status, body, kind, what the message holds.
#[test]
fn failures() {
    let error = |code: u16, status: &str, message: &str| json!({"error": {"code": code, "message": message, "status": status}});
    let text = json!([{"text": "{\"a\": \"the pat"}]);
    let mut bad_key = error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.");
    bad_key["error"]["details"] =
        json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
    let mut withheld = answer(json!([]), "SAFETY");
    withheld["candidates"][0]["finishMessage"] = json!("unsafe");
    let cases = [
        (400, error(400, "INVALID_ARGUMENT", "Unknown name"), abi::LC_INVALID_REQUEST, "Unknown name"),
        (
            400,
            error(400, "INVALID_ARGUMENT", "a constraint that has too many states for serving."),
            abi::LC_INVALID_REQUEST,
            "`json_mode: object`",
        ),
        (
            400,
            error(400, "INVALID_ARGUMENT", "Unknown name \"responseJsonSchema\" at 'generation_config'"),
            abi::LC_INVALID_REQUEST,
            "`json_mode: object`",
        ),
        (400, bad_key, abi::LC_UNAUTHORIZED, "API key not valid"),
        (400, json!([error(400, "INVALID_ARGUMENT", "in a list")]), abi::LC_INVALID_REQUEST, "in a list"),
        (403, error(403, "PERMISSION_DENIED", "no"), abi::LC_UNAUTHORIZED, "no"),
        (404, error(404, "NOT_FOUND", "models/x is not found"), abi::LC_PERMANENT, "models/x is not found"),
        (429, error(429, "RESOURCE_EXHAUSTED", "quota"), abi::LC_RATE_LIMITED, "quota"),
        (500, error(500, "INTERNAL", "internal"), abi::LC_TRANSIENT, "internal"),
        (503, error(503, "UNAVAILABLE", "overloaded"), abi::LC_TRANSIENT, "overloaded"),
        (504, json!("the patient"), abi::LC_TRANSIENT, "504"),
        (200, error(503, "UNAVAILABLE", "overloaded"), abi::LC_TRANSIENT, "overloaded"),
        (200, answer(text.clone(), "MAX_TOKENS"), abi::LC_PERMANENT, "raise `max_tokens`"),
        (
            200,
            json!({"candidates": [{"finishReason": "MAX_TOKENS", "index": 0}]}),
            abi::LC_PERMANENT,
            "raise `max_tokens`",
        ),
        (200, answer(text.clone(), "CONTINUATION"), abi::LC_PERMANENT, "raise `max_tokens`"),
        (200, answer(text.clone(), "ESCALATION"), abi::LC_PERMANENT, "withheld the answer (ESCALATION)"),
        (
            200,
            answer(text.clone(), "OTHER"),
            abi::LC_TRANSIENT,
            "broke off in the middle of the answer (OTHER)",
        ),
        (200, answer(text.clone(), "MALFORMED_RESPONSE"), abi::LC_TRANSIENT, "broke off"),
        (200, withheld, abi::LC_PERMANENT, "withheld the answer (SAFETY): unsafe"),
        (200, answer(text, "RECITATION"), abi::LC_PERMANENT, "RECITATION"),
        (
            200,
            json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
            abi::LC_PERMANENT,
            "refuses the prompt: PROHIBITED_CONTENT",
        ),
        (200, json!({"candidates": []}), abi::LC_TRANSIENT, "no candidates"),
        (200, json!({"usageMetadata": {"promptTokenCount": 3}}), abi::LC_TRANSIENT, "no candidates"),
        (
            200,
            answer(json!([]), "MALFORMED_FUNCTION_CALL"),
            abi::LC_TRANSIENT,
            "empty (MALFORMED_FUNCTION_CALL)",
        ),
        (200, answer(json!([{"text": "thinking", "thought": true}]), "STOP"), abi::LC_TRANSIENT, "empty"),
        (
            200,
            answer(json!([{"functionCall": {"name": "search", "args": {}}}]), "STOP"),
            abi::LC_TRANSIENT,
            "called a tool",
        ),
        (200, json!({"choices": []}), abi::LC_PERMANENT, "check `base_url`"),
    ];
    fail(cases);
}

#[test]
fn an_account_that_has_nothing_left_is_told_apart() {
    let depleted = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
        "message": "Your prepayment credits are depleted. Please go to AI Studio to manage your billing."}});
    let disabled = json!({"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "Billing is off.",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "BILLING_DISABLED"}]}});
    for (status, body) in [(429, depleted), (403, disabled)] {
        let failure = decoded(status, &body).unwrap_err();
        assert_eq!(failure.status, abi::LC_PERMANENT, "{body}");
        assert!(failure.error.message.contains("the account needs credit"), "{failure}");
        assert_eq!(failure.error.detail.unwrap()["out_of_credit"], true, "{body}");
    }
}

#[test]
fn an_answer_without_a_word_was_paid_for() {
    let mut nothing = answer(json!([]), "STOP");
    nothing["candidates"] = json!([]);
    for body in [answer(json!([{"text": "thinking", "thought": true}]), "STOP"), nothing] {
        assert_eq!(
            decoded(200, &body).unwrap_err().error.detail,
            Some(json!({"usage": {"input_tokens": 20, "cached_input_tokens": 8, "output_tokens": 105}}))
        );
    }
}

/// Without a reason, says the API, the model has not stopped.
#[test]
fn half_an_answer_without_a_reason_to_stop_is_none() {
    let half = || json!([{"text": "{\"a\": \"the pat"}]);
    fail([
        (200, json!({"candidates": [{"content": {"parts": half()}}]}), abi::LC_TRANSIENT, "broke off"),
        (200, answer(half(), "FINISH_REASON_UNSPECIFIED"), abi::LC_TRANSIENT, "broke off"),
    ]);
    let text = decoded(200, &answer(half(), "STOP")).unwrap().text;
    assert_eq!(text.as_deref(), Some("{\"a\": \"the pat"));
    for withheld in ["IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"] {
        fail([(200, answer(json!([]), withheld), abi::LC_PERMANENT, "withheld the answer")]);
    }
}

#[test]
fn a_whole_answer_counts_however_the_model_stopped() {
    let completion = decoded(200, &answer(json!([{"text": "{\"a\": 1}"}]), "OF_TOMORROW")).unwrap();
    assert_eq!(completion.text.as_deref(), Some("{\"a\": 1}"));
}

#[test]
fn what_half_an_answer_took_is_told() {
    let failure = decoded(200, &answer(json!([{"text": "{\"a\""}]), "OTHER")).unwrap_err();
    let usage = &failure.error.detail.as_ref().unwrap()["usage"];
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(20), &json!(105)), "{failure}");
}

#[test]
fn torn_answers_and_waits() {
    let torn = read(200, &[], "{\"candidates\": [{").unwrap_err();
    assert_eq!(torn.status, abi::LC_TRANSIENT);
    let body = json!({"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [
        {"@type": "type.googleapis.com/google.rpc.Help"},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "22.5s"}]}});
    let slow = read(429, &[("retry-after", "9")], &body.to_string()).unwrap_err();
    assert_eq!(slow.error.retry_after_ms, Some(22_500));
    let slow = read(429, &[("retry-after", "9")], "").unwrap_err();
    assert_eq!(slow.error.retry_after_ms, Some(9_000));
}

/// Counts, then what was read, written, and whether that is all.
#[test]
fn what_is_not_told_is_taken_from_the_total_or_unknown() {
    for (usage, expected) in [
        (json!({"promptTokenCount": 1000, "totalTokenCount": 1100}), (1000, 100, true)),
        (
            json!({"promptTokenCount": 1000, "candidatesTokenCount": null, "totalTokenCount": "1100"}),
            (1000, 100, true),
        ),
        (
            json!({"promptTokenCount": 1000, "thoughtsTokenCount": 60, "totalTokenCount": 1100}),
            (1000, 100, true),
        ),
        // All of it was thought, and yet there are words.
        (
            json!({"promptTokenCount": 1000, "thoughtsTokenCount": 100, "totalTokenCount": 1100}),
            (1000, 100, false),
        ),
        (json!({"promptTokenCount": 1000}), (1000, 0, false)),
        (json!({"promptTokenCount": 1000, "candidatesTokenCount": 0}), (1000, 0, false)),
        (
            json!({"promptTokenCount": 1000, "candidatesTokenCount": -5, "totalTokenCount": 990}),
            (1000, 0, false),
        ),
        (json!({"promptTokenCount": 1000, "candidatesTokenCount": 1.5}), (1000, 0, false)),
        (json!({"candidatesTokenCount": 5, "totalTokenCount": 1005}), (1000, 5, false)),
        (json!({"totalTokenCount": 1100}), (1100, 0, false)),
        (
            json!({"promptTokenCount": 1000, "toolUsePromptTokenCount": 50, "candidatesTokenCount": 5,
                "totalTokenCount": 1055}),
            (1050, 5, true),
        ),
        (
            json!({"promptTokenCount": 1000, "candidatesTokenCount": 5, "thoughtsTokenCount": "much"}),
            (1000, 5, false),
        ),
        (
            json!({"promptTokenCount": 10, "candidatesTokenCount": 5, "cachedContentTokenCount": 11}),
            (10, 5, false),
        ),
        (json!({}), (0, 0, true)),
    ] {
        let mut body = answer(json!([{"text": "{}"}]), "STOP");
        body["usageMetadata"] = usage;
        let usage = decoded(200, &body).unwrap().usage;
        assert_eq!((usage.input_tokens, usage.output_tokens, !usage.partial), expected, "{body}");
    }
    // Without a word, what Google leaves out is 0.
    let mut body = answer(json!([]), "STOP");
    body["usageMetadata"] = json!({"promptTokenCount": 10, "totalTokenCount": 10});
    let usage = decoded(200, &body).unwrap_err().error.detail.unwrap()["usage"].clone();
    assert_eq!(usage, json!({"input_tokens": 10, "cached_input_tokens": 0, "output_tokens": 0}));
}

#[test]
fn a_quota_of_a_day_is_permanent_whatever_wait_is_asked_for() {
    let error = |details: Value| {
        json!({"error": {"code": 429, "message": "You exceeded your current quota.",
        "status": "RESOURCE_EXHAUSTED", "details": details}})
    };
    let quota = |violations: Value| {
        json!([
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}])
    };
    let minute =
        json!({"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "quotaValue": "15"});
    let info = |limit: &str| {
        json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "RATE_LIMIT_EXCEEDED", "metadata": {"quota_limit": limit}}])
    };
    for details in [
        quota(json!([{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "20"}])),
        quota(json!([minute, {"quotaId": "GenerateContentInputTokensPerModelPerDay-FreeTier"}])),
        quota(json!([{"subject": "project:1", "description": "Limit of requests per day reached"}])),
        // There is none for this model.
        quota(
            json!([{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "quotaValue": "0"}]),
        ),
        info("GenerateContentRequestsPerDayPerProject"),
    ] {
        let failure = decoded(429, &error(details.clone())).unwrap_err();
        assert_eq!(failure.status, abi::LC_PERMANENT, "{details}");
        assert!(failure.error.message.contains("the quota of a day"), "{failure}");
        assert_eq!(failure.error.detail.unwrap()["out_of_credit"], true, "{details}");
    }
    for details in [json!([]), quota(json!([minute])), info("GenerateContentRequestsPerMinute"), json!("odd")]
    {
        assert_eq!(
            decoded(429, &error(details.clone())).unwrap_err().status,
            abi::LC_RATE_LIMITED,
            "{details}"
        );
    }
}

#[test]
fn an_error_beside_an_answer_is_one_if_it_says_something() {
    let mut body = answer(json!([{"text": "{}"}]), "STOP");
    for error in [json!(null), json!({}), json!(""), json!({"code": 0, "message": "", "status": "OK"})] {
        body["error"] = error;
        assert_eq!(decoded(200, &body).unwrap().text.as_deref(), Some("{}"));
    }
    body["error"] = json!({"code": 503, "message": "overloaded", "status": "UNAVAILABLE"});
    let failure = decoded(200, &body).unwrap_err();
    assert_eq!(failure.status, abi::LC_TRANSIENT, "{failure}");
    assert_eq!(failure.error.detail.unwrap()["usage"]["output_tokens"], 105);
    fail([(200, json!({"error": {}}), abi::LC_TRANSIENT, "500")]);
}

#[test]
fn half_a_surrogate_is_no_reason_to_ask_again() {
    let body = r#"{"candidates": [{"content": {"parts": [{"text": "x\ud83d"}]}, "finishReason": "STOP"}]}"#;
    assert_eq!(read(200, &[], body).unwrap().text.as_deref(), Some("x\u{fffd}"));
}

//! HTTP in, completions or failures out.

use loopctl_openai::OpenAi;
use loopctl_plugin_sdk::protocol::{Completion, Usage};
use loopctl_plugin_sdk::{HttpCodec, abi};
use serde_json::{Value, json};

use crate::codec::{decoded, fail, read, response};

fn answer(choice: Value) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion", "model": "m-1-2026", "choices": [choice],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25,
            "prompt_tokens_details": {"cached_tokens": 16}}})
}

fn said(content: Value) -> Value {
    json!({"index": 0, "message": {"role": "assistant", "content": content, "refusal": null}, "finish_reason": "stop"})
}

#[test]
fn a_whole_answer() {
    let completion = decoded(200, &answer(said(json!("{\"grade\": \"G2\"}")))).unwrap();
    assert_eq!(
        completion,
        Completion {
            text: Some("{\"grade\": \"G2\"}".into()),
            usage: Usage { input_tokens: 20, cached_input_tokens: 16, output_tokens: 5, ..Usage::default() },
            model: Some("m-1-2026".into()),
            response_id: Some("chatcmpl-1".into()),
            finish_reason: Some("stop".into()),
            ..Completion::default()
        }
    );
}

#[test]
fn answers_of_every_shape() {
    let text = |body: &Value| decoded(200, body).unwrap().text;
    let parts = json!([{"type": "text", "text": "{\"a\""}, {"type": "text", "text": ": 1}"}]);
    assert_eq!(text(&answer(said(parts))), Some("{\"a\": 1}".into()));
    let mut thinking = said(json!("{}"));
    thinking["message"]["reasoning_content"] = json!("Let me see.");
    assert_eq!(text(&answer(thinking)), Some("{}".into()));
    let mut several = answer(said(json!("first")));
    several["choices"].as_array_mut().unwrap().push(said(json!("second")));
    assert_eq!(text(&several), Some("first".into()));
    // Some servers leave nearly everything out.
    let bare = decoded(200, &json!({"choices": [{"message": {"content": "x"}}]})).unwrap();
    assert_eq!(bare, Completion { text: Some("x".into()), ..Completion::default() });
}

#[test]
fn unicode_escapes_are_read() {
    let body = r#"{"choices": [{"message": {"content": "{\"n\": \"\u00e9\ud83d\ude00\\u00df\"}"}, "finish_reason": "stop"}]}"#;
    let completion = read(200, &[], body).unwrap();
    assert_eq!(completion.text.as_deref(), Some("{\"n\": \"é😀\\u00df\"}"));
}

#[test]
fn a_wrapped_answer_is_unwrapped() {
    let completion = decoded(200, &answer(said(json!("{\"loopctl_answer\": [1, 2]}")))).unwrap();
    assert_eq!((completion.value, completion.text), (Some(json!([1, 2])), None));
}

#[test]
fn odd_usage_is_no_reason_to_fail() {
    for usage in
        [json!(null), json!({}), json!({"prompt_tokens": -3, "completion_tokens": 1.5}), json!("many")]
    {
        let mut body = answer(said(json!("x")));
        body["usage"] = usage;
        assert_eq!(decoded(200, &body).unwrap().usage, Usage::default());
    }
}

/// Counts, then what was read, of a cache, written, and whether that is all.
#[test]
fn what_is_not_told_is_taken_from_the_total_or_unknown() {
    for (usage, expected) in [
        (json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}), (100, 0, 20, true)),
        (json!({"prompt_tokens": 100, "total_tokens": 120}), (100, 0, 20, true)),
        (json!({"prompt_tokens": "100", "completion_tokens": 20.0}), (100, 0, 20, true)),
        (json!({"prompt_tokens": 100, "completion_tokens": null}), (100, 0, 0, false)),
        (json!({"prompt_tokens": 100}), (100, 0, 0, false)),
        (json!({"prompt_tokens": 100, "completion_tokens": 0, "total_tokens": 100}), (100, 0, 0, false)),
        (json!({"prompt_tokens": 100, "completion_tokens": -20}), (100, 0, 0, false)),
        (json!({"prompt_tokens": 100, "completion_tokens": 1.5}), (100, 0, 0, false)),
        (json!({"prompt_tokens": 100, "completion_tokens": "many"}), (100, 0, 0, false)),
        (json!({"completion_tokens": 20}), (0, 0, 20, false)),
        (json!({"completion_tokens": 20, "total_tokens": 120}), (100, 0, 20, false)),
        (json!({"total_tokens": 120}), (120, 0, 0, false)),
        // Thinking that is counted by itself, and thinking that is part of it.
        (
            json!({"prompt_tokens": 100, "completion_tokens": 20,
                "completion_tokens_details": {"reasoning_tokens": 80}}),
            (100, 0, 100, true),
        ),
        (
            json!({"prompt_tokens": 100, "completion_tokens": 100,
                "completion_tokens_details": {"reasoning_tokens": 80}}),
            (100, 0, 100, true),
        ),
        // More of a cache than was read is another way of counting.
        (
            json!({"prompt_tokens": 3, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 16}}),
            (3, 0, 5, false),
        ),
        (
            json!({"prompt_tokens": 30, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": -1}}),
            (30, 0, 5, false),
        ),
        (
            json!({"prompt_tokens": 30, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": null}}),
            (30, 0, 5, true),
        ),
    ] {
        let mut body = answer(said(json!("x")));
        body["usage"] = usage;
        let usage = decoded(200, &body).unwrap().usage;
        let found = (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens, !usage.partial);
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn writes_to_a_cache_are_told_of_models_whose_vendors_charge_for_them() {
    for usage in [
        json!({"prompt_tokens_details": {"cache_write_tokens": 60, "cached_tokens": 10}}),
        json!({"prompt_tokens_details": {"cache_creation_tokens": 60, "cached_tokens": 10}}),
        json!({"cache_creation_input_tokens": 60, "cached_tokens": 10}),
    ] {
        let mut body = answer(said(json!("x")));
        body["usage"] = usage;
        body["usage"]["prompt_tokens"] = json!(100);
        body["usage"]["completion_tokens"] = json!(5);
        let usage = decoded(200, &body).unwrap().usage;
        assert_eq!(
            (usage.cache_write_tokens, usage.cached_input_tokens, usage.partial),
            (60, 10, false),
            "{body}"
        );
    }
}

#[test]
fn only_openrouter_knows_the_price() {
    let mut body = answer(said(json!("x")));
    body["usage"]["cost"] = json!(0.0125);
    assert_eq!(decoded(200, &body).unwrap().usage.cost_usd, None);
    let router =
        OpenAi::open(&json!({"endpoint": "openrouter", "base_url": "https://openrouter.ai/api/v1"})).unwrap();
    let completion = router.decode(&response(200, &[], &body.to_string())).unwrap();
    assert_eq!(completion.usage.cost_usd, Some(0.0125));
}

/// Status, body, kind, what the message holds.
#[test]
fn failures() {
    let error = |message: &str, code: Value| json!({"error": {"message": message, "type": "some_error", "param": null, "code": code}});
    let choice = |finish: &str, message: Value| {
        answer(json!({"index": 0, "message": message, "finish_reason": finish}))
    };
    let cases = [
        (
            401,
            error("Incorrect API key provided.", json!("invalid_api_key")),
            abi::LC_UNAUTHORIZED,
            "Incorrect API key",
        ),
        (403, error("Country not supported", json!(null)), abi::LC_UNAUTHORIZED, "Country"),
        (
            404,
            error("The model `x` does not exist.", json!("model_not_found")),
            abi::LC_PERMANENT,
            "The model `x` does not exist",
        ),
        (404, json!({"detail": "Not Found"}), abi::LC_PERMANENT, "404: Not Found"),
        (403, json!({"message": "No API key found in request"}), abi::LC_UNAUTHORIZED, "No API key found"),
        (400, json!([error("in a list", json!(null))]), abi::LC_INVALID_REQUEST, "in a list"),
        (
            400,
            json!({"success": false, "errors": [{"code": 7, "message": "no such model"}]}),
            abi::LC_INVALID_REQUEST,
            "no such model",
        ),
        (
            422,
            json!({"detail": [{"msg": "Field required", "input": "the patient"}]}),
            abi::LC_INVALID_REQUEST,
            "422: Field required",
        ),
        (
            400,
            error("'response_format' of type 'json_schema' is not supported with this model", json!(null)),
            abi::LC_INVALID_REQUEST,
            "set `json_mode: object`",
        ),
        (
            400,
            error("Unsupported value: 'temperature' does not support 0 with this model", json!(null)),
            abi::LC_INVALID_REQUEST,
            "`extra_body: { temperature: null }`",
        ),
        (400, error("Invalid schema", json!(null)), abi::LC_INVALID_REQUEST, "Invalid schema"),
        (422, json!({"detail": [{"input": "the patient"}]}), abi::LC_INVALID_REQUEST, "422"),
        (
            429,
            error("Rate limit reached", json!("rate_limit_exceeded")),
            abi::LC_RATE_LIMITED,
            "Rate limit reached",
        ),
        (
            429,
            error("You exceeded your current quota.", json!("insufficient_quota")),
            abi::LC_PERMANENT,
            "credit",
        ),
        (408, json!(null), abi::LC_TRANSIENT, "408"),
        (409, json!(null), abi::LC_TRANSIENT, "409"),
        (500, error("The server had an error", json!(null)), abi::LC_TRANSIENT, "server had an error"),
        (503, json!("overloaded"), abi::LC_TRANSIENT, "503"),
        (
            400,
            json!({"object": "error", "message": "too long", "code": 400}),
            abi::LC_INVALID_REQUEST,
            "too long",
        ),
        (404, json!({"error": "model 'x' not found"}), abi::LC_PERMANENT, "model 'x' not found"),
        (200, error("Upstream is rate-limited", json!(429)), abi::LC_RATE_LIMITED, "Upstream"),
        (200, error("Provider returned error", json!("oops")), abi::LC_TRANSIENT, "Provider returned error"),
        (
            200,
            answer(json!({"error": {"code": 502, "message": "disconnected"}, "message": {"content": "{"}})),
            abi::LC_TRANSIENT,
            "disconnected",
        ),
        (200, json!({"choices": []}), abi::LC_TRANSIENT, "no choices"),
        (200, json!({"choices": null}), abi::LC_TRANSIENT, "no choices"),
        (200, json!({"hello": "world"}), abi::LC_PERMANENT, "check `base_url`"),
        (200, json!([1]), abi::LC_PERMANENT, "check `base_url`"),
        (200, answer(said(json!(null))), abi::LC_TRANSIENT, "empty"),
        (200, answer(said(json!("  \n"))), abi::LC_TRANSIENT, "empty"),
        (
            200,
            choice("length", json!({"content": "{\"a\": \"the pat"})),
            abi::LC_PERMANENT,
            "raise `max_tokens`",
        ),
        (200, choice("length", json!({"content": null})), abi::LC_PERMANENT, "raise `max_tokens`"),
        (
            200,
            choice("model_length", json!({"content": "{\"a\": 1"})),
            abi::LC_PERMANENT,
            "raise `max_tokens`",
        ),
        (200, choice("abort", json!({"content": "{\"a\": \"the pat"})), abi::LC_TRANSIENT, "broke off"),
        (
            200,
            choice("stop", json!({"content": null, "reasoning_content": "Hm, the patient."})),
            abi::LC_TRANSIENT,
            "all that the model wrote is thinking",
        ),
        (
            200,
            choice("tool_calls", json!({"content": null, "tool_calls": [{"type": "function"}]})),
            abi::LC_TRANSIENT,
            "called a tool",
        ),
        (200, choice("content_filter", json!({"content": ""})), abi::LC_PERMANENT, "content filter"),
        (
            200,
            choice("stop", json!({"content": null, "refusal": "I can't help with the patient's report."})),
            abi::LC_PERMANENT,
            "the model refuses: try",
        ),
        (
            200,
            choice("stop", json!({"content": [{"type": "refusal", "refusal": "Not the patient's."}]})),
            abi::LC_PERMANENT,
            "the model refuses: try",
        ),
    ];
    fail(cases);
}

#[test]
fn a_torn_answer_may_be_whole_next_time() {
    let whole = answer(said(json!("x"))).to_string();
    for cut in ["", "<html>", "[DONE", &whole[..whole.len() / 2]] {
        let failure = read(200, &[], cut).unwrap_err();
        assert_eq!(failure.status, abi::LC_TRANSIENT, "{cut}");
        assert!(failure.error.message.contains("not JSON"), "{failure}");
    }
}

/// Half an answer mends into one that looks whole.
#[test]
fn an_answer_that_ends_in_the_middle_is_no_answer() {
    let half = "{\"grade\": \"G2\", \"markers\": [\"the pat";
    for finish in [json!("network_error"), json!("of_tomorrow"), json!(null)] {
        let body = answer(json!({"message": {"content": half}, "finish_reason": finish}));
        fail([(200, body.clone(), abi::LC_TRANSIENT, "broke off in the middle of the answer")]);
        let failure = decoded(200, &body).unwrap_err();
        assert_eq!(failure.error.detail.unwrap()["usage"]["input_tokens"], 20);
        for whole in ["{\"grade\": \"G2\"}", "```json\n{\"grade\": \"G2\"}\n```", "Said [as it were", "G2"] {
            let body = answer(json!({"message": {"content": whole}, "finish_reason": finish}));
            assert_eq!(decoded(200, &body).unwrap().text.as_deref(), Some(whole), "{finish}");
        }
    }
    // A model that stopped by itself may have been asked to write this.
    let body = answer(json!({"message": {"content": half}, "finish_reason": "stop"}));
    assert_eq!(decoded(200, &body).unwrap().text.as_deref(), Some(half));
}

#[test]
fn an_account_that_has_nothing_left_is_told_apart() {
    for code in [
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
    ] {
        let body = json!({"error": {"message": "You exceeded it.", "type": "some_error", "code": code}});
        let failure = decoded(429, &body).unwrap_err();
        assert_eq!(failure.status, abi::LC_PERMANENT, "{code}");
        assert!(failure.error.message.contains("the account needs credit"), "{failure}");
        assert_eq!(failure.error.detail.unwrap()["out_of_credit"], true, "{code}");
    }
    let pace = json!({"error": {"message": "Slow down.", "code": "rate_limit_exceeded"}});
    assert_eq!(decoded(429, &pace).unwrap_err().error.detail.unwrap().get("out_of_credit"), None);
}

#[test]
fn an_error_that_says_nothing_is_none() {
    for error in [
        json!(null),
        json!(""),
        json!({}),
        json!([]),
        json!(false),
        json!(0),
        json!({"code": 0, "message": ""}),
        json!({"code": null, "message": null, "type": null, "param": null}),
        json!({"code": "0", "message": "success", "request_id": "req_1"}),
    ] {
        let mut body = answer(said(json!("x")));
        body["error"] = error.clone();
        assert_eq!(decoded(200, &body).unwrap().text.as_deref(), Some("x"), "{error}");
        body["choices"][0]["error"] = error.clone();
        assert_eq!(decoded(200, &body).unwrap().text.as_deref(), Some("x"), "{error}");
        // Alone it is all that the server has to say.
        if error.is_object() {
            fail([(200, json!({ "error": error }), abi::LC_TRANSIENT, "502")]);
        }
    }
}

#[test]
fn an_error_beside_an_answer_is_one_and_the_answer_is_counted() {
    for (error, kind, says) in [
        (json!({"code": 429, "message": "Upstream is busy"}), abi::LC_RATE_LIMITED, "Upstream is busy"),
        (
            json!({"code": 0, "message": "the upstream broke off"}),
            abi::LC_TRANSIENT,
            "the upstream broke off",
        ),
        (json!({"type": "server_error"}), abi::LC_TRANSIENT, "server_error"),
        (json!("overloaded"), abi::LC_TRANSIENT, "overloaded"),
        (json!(true), abi::LC_TRANSIENT, "502"),
        (json!([{"message": "busy"}]), abi::LC_TRANSIENT, "502"),
        (
            json!({"code": "insufficient_quota", "message": "You exceeded your current quota"}),
            abi::LC_PERMANENT,
            "credit",
        ),
    ] {
        for beside in [json!({"error": error}), json!({"choices": [{"error": error}]})] {
            let mut body = answer(said(json!("x")));
            if let Some(error) = beside.get("error") {
                body["error"] = error.clone();
            } else {
                body["choices"][0]["error"] = beside["choices"][0]["error"].clone();
            }
            let failure = decoded(200, &body).unwrap_err();
            assert_eq!(failure.status, kind, "{body}");
            assert!(failure.error.message.contains(says), "{failure}");
            let detail = failure.error.detail.unwrap();
            let usage = json!({"input_tokens": 20, "cached_input_tokens": 16, "output_tokens": 5});
            assert_eq!(detail["usage"], usage, "{body}");
        }
    }
}

#[test]
fn a_quota_of_a_day_is_permanent_unless_it_comes_back_soon() {
    let error = |message: &str| json!({"error": {"message": message, "code": 429}}).to_string();
    let day =
        error("Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 requests per day");
    for headers in [&[][..], &[("retry-after", "36000")]] {
        let failure = read(429, headers, &day).unwrap_err();
        assert_eq!(failure.status, abi::LC_PERMANENT, "{failure}");
        assert!(failure.error.message.contains("the quota of a day"), "{failure}");
        assert_eq!(failure.error.detail.unwrap()["out_of_credit"], true);
    }
    let rolling =
        error("Rate limit reached on requests per day (RPD): Limit 200. Please try again in 8.64s.");
    for (headers, body) in [(&[][..], &rolling), (&[("retry-after", "9")], &day)] {
        assert_eq!(read(429, headers, body).unwrap_err().status, abi::LC_RATE_LIMITED, "{body}");
    }
}

#[test]
fn half_a_surrogate_is_no_reason_to_ask_again() {
    let body = r#"{"id": "a\ud800", "choices": [{"message": {"content": "{\"n\": \"x\"}"}, "finish_reason": "stop"}]}"#;
    assert_eq!(read(200, &[], body).unwrap().text.as_deref(), Some("{\"n\": \"x\"}"));
    let within =
        r#"{"choices": [{"message": {"content": "{\"n\": \"x\udc00\"}"}, "finish_reason": "stop"}]}"#;
    assert_eq!(read(200, &[], within).unwrap().text.as_deref(), Some("{\"n\": \"x\u{fffd}\"}"));
}

#[test]
fn waits_and_request_ids_are_passed_on() {
    let headers = [("retry-after", "3"), ("x-request-id", "req_9")];
    let body = json!({"error": {"message": "Slow\u{7} down."}}).to_string();
    let failure = read(429, &headers, &body).unwrap_err();
    assert_eq!(failure.error.retry_after_ms, Some(3000));
    assert_eq!(failure.error.message, "the API answers 429: Slow  down.");
    assert_eq!(failure.error.detail.unwrap()["request_id"], "req_9");
}

#[test]
fn what_a_cut_answer_took_is_told() {
    let body = answer(json!({"message": {"content": "{"}, "finish_reason": "length"}));
    let failure = decoded(200, &body).unwrap_err();
    assert_eq!(
        failure.error.detail,
        Some(json!({"finish_reason": "length",
            "usage": {"input_tokens": 20, "cached_input_tokens": 16, "output_tokens": 5}}))
    );
}

#[test]
fn an_answer_without_a_word_was_paid_for() {
    let mut nothing = answer(json!(null));
    nothing["choices"] = json!([]);
    for body in [answer(said(json!(""))), nothing] {
        let failure = decoded(200, &body).unwrap_err();
        assert_eq!(failure.status, abi::LC_TRANSIENT);
        assert_eq!(
            failure.error.detail,
            Some(json!({"usage": {"input_tokens": 20, "cached_input_tokens": 16, "output_tokens": 5}}))
        );
    }
}

#[test]
fn what_openrouter_says_of_the_price_of_a_cut_answer_is_told() {
    let mut body = answer(json!({"message": {"content": "{"}, "finish_reason": "length"}));
    body["usage"]["cost"] = json!(0.0125);
    let router =
        OpenAi::open(&json!({"endpoint": "openrouter", "base_url": "https://openrouter.ai/api/v1"})).unwrap();
    let failure = router.decode(&response(200, &[], &body.to_string())).unwrap_err();
    assert_eq!(failure.error.detail.unwrap()["usage"]["cost_usd"], 0.0125);
}

#[test]
fn openrouter_counts_what_ones_own_key_paid() {
    let router =
        OpenAi::open(&json!({"endpoint": "openrouter", "base_url": "https://openrouter.ai/api/v1"})).unwrap();
    for (is_byok, upstream, cost) in [
        (json!(true), json!(0.02), 0.021),
        (json!(true), json!(null), 0.001),
        // It is in the cost already.
        (json!(false), json!(0.001), 0.001),
        (json!(null), json!(0.001), 0.001),
    ] {
        let mut body = answer(said(json!("x")));
        body["usage"]["cost"] = json!(0.001);
        body["usage"]["is_byok"] = is_byok;
        body["usage"]["cost_details"] = json!({"upstream_inference_cost": upstream});
        let completion = router.decode(&response(200, &[], &body.to_string())).unwrap();
        assert!((completion.usage.cost_usd.unwrap() - cost).abs() < 1e-12, "{body}");
    }
}

#[test]
fn cached_tokens_are_found_where_servers_put_them() {
    for usage in [
        json!({"prompt_tokens": 20, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 16}}),
        // DeepSeek, Moonshot.
        json!({"prompt_tokens": 20, "prompt_cache_hit_tokens": 16, "prompt_cache_miss_tokens": 4}),
        json!({"prompt_tokens": 20, "cached_tokens": 16}),
    ] {
        let mut body = answer(said(json!("x")));
        body["usage"] = usage;
        assert_eq!(decoded(200, &body).unwrap().usage.cached_input_tokens, 16, "{body}");
    }
}

/// Prompt, completion, total; what counts as written.
#[test]
fn thinking_that_only_the_total_tells_of_is_counted() {
    for (prompt, written, total, output) in [
        // xAI and Gemini's compatible endpoint: thinking is beside what was written.
        (32, json!(9), json!(355), 323),
        (5, json!(null), json!(402), 397),
        // OpenAI: it is part of it.
        (20, json!(5), json!(25), 5),
        // Totals that say nothing of use.
        (20, json!(5), json!(null), 5),
        (20, json!(5), json!(7), 5),
    ] {
        let mut body = answer(said(json!("x")));
        body["usage"] = json!({"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": total});
        let usage = decoded(200, &body).unwrap().usage;
        assert_eq!((usage.input_tokens, usage.output_tokens), (prompt, output), "{body}");
    }
}

//! Requests in, HTTP out.

use loopctl_plugin_sdk::abi;
use loopctl_plugin_sdk::protocol::{CompletionRequest, RequestOptions, Role};
use serde_json::{Value, json};

use crate::codec::{attachment, body, encoded, message};

fn request() -> CompletionRequest {
    CompletionRequest {
        messages: vec![message(Role::System, "Extract."), message(Role::User, "A polyp.")],
        schema: Some(json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"grade": {"type": "string", "minLength": 1}}})),
        options: RequestOptions { model: Some("claude-sonnet-5".into()), ..RequestOptions::default() },
        ..CompletionRequest::default()
    }
}

#[test]
fn a_whole_request() {
    let mut request = request();
    request.options.model = Some("claude-sonnet-4-6".into());
    request.options.temperature = Some(0.0);
    request.options.seed = Some(1);
    request.options.max_tokens = Some(900);
    let http = encoded(json!({}), &request).unwrap();
    assert_eq!((http.method.as_str(), http.path.as_str()), ("POST", "/v1/messages"));
    assert_eq!(
        json!(http.headers),
        json!({
            "anthropic-version": "2023-06-01",
            "content-type": "application/json",
            "x-api-key": "${secret:ANTHROPIC_API_KEY}",
        })
    );
    assert_eq!(
        serde_json::from_str::<Value>(&http.body).unwrap(),
        json!({
            "model": "claude-sonnet-4-6",
            "max_tokens": 900,
            "system": "Extract.",
            "messages": [{"role": "user", "content": "A polyp."}],
            "tools": [{
                "name": "answer",
                "description": "Takes the answer. Call it once, with the whole answer as its input.",
                "input_schema": {
                    "type": "object",
                    "properties": {"grade": {"type": "string", "minLength": 1}},
                },
            }],
            "tool_choice": {"type": "tool", "name": "answer", "disable_parallel_tool_use": true},
            "temperature": 0.0,
        })
    );
}

#[test]
fn without_a_schema_the_answer_is_text() {
    let body = body(json!({}), &CompletionRequest { schema: None, ..request() });
    assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
    assert_eq!(body["max_tokens"], 16_384);
}

#[test]
fn where_it_goes_and_with_which_key() {
    const KEY: &str = "${secret:ANTHROPIC_API_KEY}";
    const MAYBE: &str = "${secret:ANTHROPIC_API_KEY?}";
    let cases = [
        (json!({"base_url": "https://api.anthropic.com"}), "/v1/messages", KEY),
        (json!({"endpoint": "anthropic", "base_url": "https://api.anthropic.com/v1"}), "/messages", KEY),
        (json!({"base_url": "http://127.0.0.1:9"}), "/v1/messages", MAYBE),
        (json!({"base_url": "http://127.0.0.1:9/v1/"}), "/messages", MAYBE),
        (json!({"base_url": "https://anthropic.com.evil.example/v1"}), "/messages", MAYBE),
    ];
    for (config, path, key) in cases {
        let http = encoded(config.clone(), &request()).unwrap();
        assert_eq!((http.path.as_str(), http.headers["x-api-key"].as_str()), (path, key), "{config}");
    }
}

/// Configuration, model, what is laid over the body, whether the tool is forced.
#[test]
fn models_that_think_are_told_instead_of_forced() {
    let cases = [
        (json!({}), "claude-sonnet-5", json!({}), true),
        (json!({}), "claude-opus-5-5", json!({}), false),
        (json!({}), "anthropic/claude-fable-5-1", json!({}), false),
        (json!({}), "claude-sonnet-5-5", json!({}), false),
        (json!({}), "claude-haiku-5-5", json!({}), false),
        (json!({}), "claude-fable-5-2", json!({}), false),
        (json!({}), "claude-of-tomorrow", json!({}), false),
        (json!({}), "a-model-of-ours", json!({}), true),
        (json!({}), "claude-sonnet-5", json!({"thinking": {"type": "adaptive"}}), false),
        (json!({}), "claude-sonnet-5", json!({"thinking": {"type": "disabled"}}), true),
        (json!({"tool_choice": "auto"}), "claude-sonnet-5", json!({}), false),
        (json!({"tool_choice": "force"}), "claude-opus-5-5", json!({}), true),
    ];
    for (config, model, extra, forced) in cases {
        let mut request = request();
        request.options.model = Some(model.to_owned());
        request.options.extra_body = extra.as_object().cloned().unwrap();
        let body = body(config.clone(), &request);
        let kind = if forced { "tool" } else { "auto" };
        assert_eq!(body["tool_choice"]["type"], kind, "{config} {model} {extra}");
        let told = body["system"].as_str().unwrap().contains("calling the tool `answer`");
        assert_eq!(told, !forced, "{config} {model} {extra}");
    }
}

#[test]
fn models_without_a_temperature_are_sent_none() {
    for (model, taken) in [
        ("claude-opus-4-6", true),
        ("a-model-of-ours", true),
        ("claude-opus-4-7", false),
        ("claude-sonnet-5", false),
        ("claude-haiku-5-5", false),
    ] {
        let mut request = request();
        request.options.model = Some(model.to_owned());
        request.options.temperature = Some(0.0);
        assert_eq!(body(json!({}), &request).get("temperature").is_some(), taken, "{model}");
        // A user who insists gets it.
        request.options.extra_body.insert("temperature".into(), json!(0.3));
        assert_eq!(body(json!({}), &request)["temperature"], json!(0.3), "{model}");
    }
}

#[test]
fn files_come_before_the_text() {
    let request = CompletionRequest {
        attachments: vec![attachment("a", "application/pdf"), attachment("a", "image/webp")],
        ..request()
    };
    assert_eq!(
        body(json!({}), &request)["messages"],
        json!([{"role": "user", "content": [
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": "AAAA"}},
            {"type": "text", "text": "A polyp."},
        ]}])
    );
    let odd = CompletionRequest { attachments: vec![attachment("a", "text/html")], ..request };
    assert_eq!(encoded(json!({}), &odd).unwrap_err().status, abi::LC_INVALID_REQUEST);
}

#[test]
fn there_is_always_something_to_answer_to() {
    let mut alone = request();
    alone.messages = vec![message(Role::System, "Say hello.")];
    alone.schema = None;
    let sent = body(json!({}), &alone);
    assert_eq!(sent["messages"], json!([{"role": "user", "content": "Say hello."}]));
    assert_eq!(sent.get("system"), None);
    let mut talk = request();
    talk.messages.extend([
        message(Role::Assistant, "{}"),
        message(Role::User, ""),
        message(Role::User, "Again."),
    ]);
    assert_eq!(
        body(json!({}), &talk)["messages"],
        json!([{"role": "user", "content": "A polyp."}, {"role": "assistant", "content": "{}"},
            {"role": "user", "content": "Again."}])
    );
    let silent = CompletionRequest { messages: Vec::new(), ..request() };
    assert_eq!(encoded(json!({}), &silent).unwrap_err().status, abi::LC_INVALID_REQUEST);
}

#[test]
fn settings_and_extras() {
    let mut request = request();
    request.options.model = None;
    assert!(encoded(json!({}), &request).unwrap_err().error.message.contains("`anthropic:MODEL`"));
    request.options.extra_body = json!({"top_k": 5}).as_object().cloned().unwrap();
    let http = encoded(json!({"model": "m", "max_tokens": 5, "beta": "b-1"}), &request).unwrap();
    let body: Value = serde_json::from_str(&http.body).unwrap();
    assert_eq!((&body["model"], &body["max_tokens"], &body["top_k"]), (&json!("m"), &json!(5), &json!(5)));
    assert_eq!(http.headers["anthropic-beta"], "b-1");
    request.options.extra_headers.insert("X-Api-Key".into(), "mine".into());
    assert!(encoded(json!({"model": "m"}), &request).is_err());
}

#[test]
fn the_manifest_describes_the_configuration() {
    let manifest: Value = serde_json::from_str(loopctl_anthropic::LOOPCTL_MANIFEST).unwrap();
    let schema = jsonschema::validator_for(&manifest["config_schema"]).unwrap();
    assert!(schema.is_valid(&json!({"model": "m", "endpoint": "anthropic", "base_url": "https://x.example",
        "allow_http": false, "max_tokens": 1, "tool_choice": "auto", "beta": "b"})));
    assert!(!schema.is_valid(&json!({"max_token": 1})));
}

//! Requests in, HTTP out.

use loopctl_plugin_sdk::abi;
use loopctl_plugin_sdk::protocol::{CompletionRequest, RequestOptions, Role};
use serde_json::{Value, json};

use crate::codec::{attachment, body, encoded, message};

fn request() -> CompletionRequest {
    CompletionRequest {
        messages: vec![
            message(Role::System, "Extract."),
            message(Role::User, "A polyp."),
            message(Role::Assistant, "{}"),
            message(Role::User, "Again."),
        ],
        schema: Some(json!({"type": "object", "properties": {"grade": {"type": "string", "minLength": 1}}})),
        options: RequestOptions { model: Some("gemini-3".into()), ..RequestOptions::default() },
        ..CompletionRequest::default()
    }
}

#[test]
fn a_whole_request() {
    let mut request = request();
    request.options.temperature = Some(0.5);
    request.options.seed = Some((1 << 40) + 3);
    request.options.max_tokens = Some(900);
    let http = encoded(json!({}), &request).unwrap();
    assert_eq!(
        (http.method.as_str(), http.path.as_str()),
        ("POST", "/v1beta/models/gemini-3:generateContent")
    );
    assert_eq!(
        json!(http.headers),
        json!({
            "content-type": "application/json",
            "x-goog-api-key": "${secret:GOOGLE_API_KEY|GEMINI_API_KEY}",
        })
    );
    assert_eq!(
        serde_json::from_str::<Value>(&http.body).unwrap(),
        json!({
            "systemInstruction": {"parts": [{"text": "Extract."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "A polyp."}]},
                {"role": "model", "parts": [{"text": "{}"}]},
                {"role": "user", "parts": [{"text": "Again."}]},
            ],
            "generationConfig": {
                "responseMimeType": "application/json",
                "responseJsonSchema": {"type": "object", "properties": {"grade": {"type": "string"}}},
                "temperature": 0.5,
                "seed": 3,
                "maxOutputTokens": 900,
            },
        })
    );
}

#[test]
fn where_it_goes_and_with_which_key() {
    const KEY: &str = "${secret:GOOGLE_API_KEY|GEMINI_API_KEY}";
    const MAYBE: &str = "${secret:GOOGLE_API_KEY|GEMINI_API_KEY?}";
    let google = "https://generativelanguage.googleapis.com";
    let cases = [
        (json!({"base_url": google}), "m", "/v1beta/models/m:generateContent", KEY),
        (json!({"base_url": format!("{google}/v1beta")}), "m", "/models/m:generateContent", KEY),
        (json!({"base_url": "http://127.0.0.1:9"}), "models/m", "/v1beta/models/m:generateContent", MAYBE),
        (
            json!({"base_url": "http://127.0.0.1:9/v1beta/"}),
            "tunedModels/m-1",
            "/tunedModels/m-1:generateContent",
            MAYBE,
        ),
        (json!({}), "a b?c", "/v1beta/models/a%20b%3Fc:generateContent", KEY),
    ];
    for (config, model, path, key) in cases {
        let mut request = request();
        request.options.model = Some(model.into());
        let http = encoded(config.clone(), &request).unwrap();
        assert_eq!((http.path.as_str(), http.headers["x-goog-api-key"].as_str()), (path, key), "{config}");
    }
    for model in ["..", "models/../x", "/x"] {
        let mut request = request();
        request.options.model = Some(model.into());
        assert_eq!(encoded(json!({}), &request).unwrap_err().status, abi::LC_INVALID_REQUEST, "{model}");
    }
}

#[test]
fn what_the_api_can_not_be_told_is_in_the_prompt() {
    let told = |config: Value, request: &CompletionRequest| {
        let body = body(config, request);
        let system = body["systemInstruction"]["parts"][0]["text"].as_str().unwrap().contains("JSON Schema");
        (
            body.pointer("/generationConfig/responseMimeType").is_some(),
            body.pointer("/generationConfig/responseJsonSchema").is_some(),
            system,
        )
    };
    assert_eq!(told(json!({}), &request()), (true, true, false));
    assert_eq!(told(json!({"json_mode": "object"}), &request()), (true, false, true));
    assert_eq!(told(json!({"json_mode": "none"}), &request()), (false, false, true));
    let hard = CompletionRequest { schema: Some(json!({"allOf": [{"type": "object"}]})), ..request() };
    assert_eq!(told(json!({}), &hard), (true, false, true));
    let plain = body(json!({}), &CompletionRequest { schema: None, ..request() });
    assert_eq!(plain.get("generationConfig"), None);
}

#[test]
fn files_come_before_the_text() {
    let request = CompletionRequest { attachments: vec![attachment("a", "application/pdf")], ..request() };
    assert_eq!(
        body(json!({}), &request)["contents"][2],
        json!({"role": "user", "parts": [
            {"inlineData": {"mimeType": "application/pdf", "data": "AAAA"}}, {"text": "Again."}]})
    );
    let odd = CompletionRequest { attachments: vec![attachment("a", "image/gif")], ..request };
    assert_eq!(encoded(json!({}), &odd).unwrap_err().status, abi::LC_INVALID_REQUEST);
}

#[test]
fn there_is_always_something_to_answer_to() {
    let alone =
        CompletionRequest { messages: vec![message(Role::System, "Hello.")], schema: None, ..request() };
    let sent = body(json!({}), &alone);
    assert_eq!(sent, json!({"contents": [{"role": "user", "parts": [{"text": "Hello."}]}]}));
    let silent = CompletionRequest { messages: Vec::new(), ..request() };
    assert_eq!(encoded(json!({}), &silent).unwrap_err().status, abi::LC_INVALID_REQUEST);
}

#[test]
fn settings_and_extras() {
    let mut request = request();
    request.options.model = None;
    assert!(encoded(json!({}), &request).unwrap_err().error.message.contains("`gemini:MODEL`"));
    request.options.extra_body =
        json!({"generationConfig": {"topK": 5, "thinkingConfig": {"thinkingBudget": 0}}})
            .as_object()
            .cloned()
            .unwrap();
    let body = body(json!({"model": "m", "max_tokens": 7}), &request);
    let config = &body["generationConfig"];
    assert_eq!((&config["topK"], &config["maxOutputTokens"]), (&json!(5), &json!(7)));
    assert_eq!(config["responseMimeType"], "application/json");
}

#[test]
fn the_manifest_describes_the_configuration() {
    let manifest: Value = serde_json::from_str(loopctl_gemini::LOOPCTL_MANIFEST).unwrap();
    let schema = jsonschema::validator_for(&manifest["config_schema"]).unwrap();
    assert!(schema.is_valid(&json!({"model": "m", "endpoint": "gemini", "base_url": "https://x.example",
        "allow_http": false, "max_tokens": 1, "json_mode": "none"})));
    assert!(!schema.is_valid(&json!({"jsonmode": "none"})));
}

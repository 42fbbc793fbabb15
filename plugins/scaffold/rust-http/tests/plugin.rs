//! The plugin, as loopctl would use it.

use loopctl_plugin_sdk::abi::{LC_PERMANENT, LC_RATE_LIMITED, LC_TRANSIENT, LC_UNAUTHORIZED};
use loopctl_plugin_sdk::protocol::{
    Completion, CompletionRequest, HttpResponse, Manifest, Message, RequestOptions, Role,
};
use loopctl_plugin_sdk::serde_json::{self, Value, json};
use loopctl_plugin_sdk::{Failure, HttpCodec};

use loopctl_@IDENT@::{LOOPCTL_MANIFEST, Plugin};

fn decode(status: u16, body: &str) -> Result<Completion, Failure> {
    let response = HttpResponse {
        status,
        headers: Default::default(),
        body: body.to_owned(),
    };
    Plugin::open(&json!({})).unwrap().decode(&response)
}

#[test]
fn a_request_becomes_the_apis() {
    let request = CompletionRequest {
        messages: vec![Message {
            role: Role::User,
            content: "say \"a\"".into(),
        }],
        options: RequestOptions {
            model: Some("m1".into()),
            ..RequestOptions::default()
        },
        schema: Some(json!({"type": "object"})),
        ..CompletionRequest::default()
    };
    let http = Plugin::open(&json!({})).unwrap().encode(&request).unwrap();
    assert_eq!(
        (http.method.as_str(), http.path.as_str()),
        ("POST", "/complete")
    );
    assert_eq!(
        http.headers["authorization"],
        "Bearer ${secret:@ENV@_API_KEY}"
    );
    let body: Value = serde_json::from_str(&http.body).unwrap();
    assert_eq!(
        body["messages"][0],
        json!({"role": "user", "content": "say \"a\""})
    );
    assert_eq!(
        (&body["model"], &body["schema"]),
        (&json!("m1"), &json!({"type": "object"}))
    );
}

#[test]
fn an_answer_becomes_a_completion() {
    let completion = decode(
        200,
        r#"{"text": "{}", "usage": {"input_tokens": 5, "output_tokens": 7}}"#,
    )
    .unwrap();
    assert_eq!(completion.text.as_deref(), Some("{}"));
    assert_eq!(
        (
            completion.usage.input_tokens,
            completion.usage.output_tokens
        ),
        (5, 7)
    );
}

#[test]
fn failures_have_their_kinds() {
    for (status, body, expected) in [
        (200, "<html>", LC_TRANSIENT),
        (400, "", LC_PERMANENT),
        (401, "", LC_UNAUTHORIZED),
        (429, r#"{"error": {"message": "slowly"}}"#, LC_RATE_LIMITED),
        (503, "", LC_TRANSIENT),
    ] {
        assert_eq!(
            decode(status, body).unwrap_err().status,
            expected,
            "{status}"
        );
    }
}

#[test]
fn the_manifest_is_one() {
    let manifest: Manifest = serde_json::from_str(LOOPCTL_MANIFEST).unwrap();
    assert_eq!(
        (manifest.name.as_str(), manifest.version.as_str()),
        ("@NAME@", env!("CARGO_PKG_VERSION"))
    );
}

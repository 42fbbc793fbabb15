//! An `http` plugin and the network that the host does for it, over loopback.

use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use loopctl::provider::{FailureKind, Provider, ProviderError};
use serde_json::{Value, json};

use super::bed::{Bed, PLENTY, ask, request};
use crate::loopback;
pub(crate) use crate::loopback::http;

const KEY: &str = "a-key-nobody-may-see";

/// Answers every request with `reply`, whole, and passes on what it was sent.
pub(crate) fn serve(reply: impl Into<String>) -> (SocketAddr, mpsc::Receiver<String>) {
    let (sender, receiver) = mpsc::channel();
    let reply = reply.into();
    let address = loopback::serve(move |request| {
        let _ = sender.send(request.to_owned());
        reply.clone()
    });
    (address, receiver)
}

fn try_open(config: &Value) -> Result<Provider, ProviderError> {
    let secrets = |name: &str| (name == "CONTRARY_KEY").then(|| KEY.to_owned());
    Bed::new().providers().with_environment(secrets).open("contrary:m1", config)
}

fn open(address: SocketAddr, misbehave: &str) -> Provider {
    try_open(&json!({"base_url": format!("http://{address}/v1"), "misbehave": misbehave})).unwrap()
}

#[tokio::test]
async fn the_host_does_the_network() {
    let (address, sent) = serve(http("200 OK", "", r#"{"answer": "grade 2", "in": 5, "out": 7}"#));
    let completion = ask(&open(address, "")).await.unwrap();
    assert_eq!(completion.text.as_deref(), Some("grade 2"));
    assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (5, 7));
    let sent = sent.recv().unwrap();
    assert!(sent.starts_with("POST /v1/complete HTTP/1.1"), "{sent}");
    assert!(sent.contains(&format!("Bearer {KEY}")), "{sent}");
    assert!(sent.ends_with(r#"{"ask":"what is the grade?","model":"m1"}"#), "{sent}");
}

#[tokio::test]
async fn http_failures_are_typed_by_the_plugin() {
    for (status, headers, kind, wait) in [
        ("401 Unauthorized", "", FailureKind::Unauthorized, None),
        (
            "429 Too Many Requests",
            "retry-after: 7\r\n",
            FailureKind::RateLimited,
            Some(Duration::from_secs(7)),
        ),
        ("503 Service Unavailable", "", FailureKind::Transient, None),
        ("404 Not Found", "", FailureKind::Permanent, None),
    ] {
        let (address, _sent) = serve(http(status, headers, ""));
        let failure = ask(&open(address, "")).await.unwrap_err();
        assert_eq!((failure.kind, failure.retry_after), (kind, wait), "{failure}");
        assert_eq!(failure.model.as_deref(), Some("m1"));
    }
}

#[tokio::test]
async fn a_plugin_can_not_choose_where_its_requests_go() {
    for (misbehave, part) in [
        ("other_host", "wants to reach `evil.example.net`"),
        ("other_path", "doesn't begin with `/`"),
        ("other_secret", "doesn't declare"),
    ] {
        let (address, sent) = serve(http("200 OK", "", "{}"));
        let failure = ask(&open(address, misbehave)).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Permanent, "{failure}");
        assert!(failure.message.contains(part), "{failure}");
        assert!(sent.try_recv().is_err());
    }
}

#[tokio::test]
async fn a_redirect_to_another_host_is_not_followed() {
    let (elsewhere, reached) = serve(http("200 OK", "", r#"{"answer": "x"}"#));
    let (address, _sent) =
        serve(http("307 Temporary Redirect", &format!("location: http://{elsewhere}/x\r\n"), ""));
    let failure = ask(&open(address, "redirect")).await.unwrap_err();
    assert!(failure.message.contains("redirects"), "{failure}");
    assert!(reached.try_recv().is_err());
}

#[tokio::test]
async fn a_key_that_the_server_echoes_never_reaches_the_plugin() {
    let (address, _sent) = serve(http("200 OK", "", &json!({"answer": format!("key {KEY}")}).to_string()));
    assert_eq!(ask(&open(address, "")).await.unwrap().text.as_deref(), Some("key [secret]"));
}

#[tokio::test]
async fn nor_in_base64() {
    for user in ["", "u:", "us:"] {
        let basic = STANDARD.encode(format!("{user}{KEY}"));
        let (address, _sent) = serve(http("200 OK", "", &json!({ "answer": basic }).to_string()));
        let text = ask(&open(address, "")).await.unwrap().text.unwrap();
        // The text before it may be shown.
        assert!(text.contains("[secret]") && text.len() < 20, "{text}");
    }
}

/// As people give local servers; what an answer of use says in such a word is left as it is.
#[tokio::test]
async fn a_short_key_is_taken_out_of_what_turns_a_request_away() {
    for (status, said) in
        [("401 Unauthorized", "the key [secret] is not known"), ("200 OK", "the key abc12 is not known")]
    {
        let problem = "the key abc12 is not known";
        let body =
            json!({ "error": { "message": problem }, "choices": [{ "message": { "content": problem } }] });
        let (address, _sent) = serve(http(status, "", &body.to_string()));
        let secrets = |name: &str| (name == "OPENAI_API_KEY").then(|| "abc12".to_owned());
        let config = json!({ "base_url": format!("http://{address}/v1") });
        let provider = Bed::new().providers().with_environment(secrets).open("openai:m", &config).unwrap();
        let told = match ask(&provider).await {
            Ok(completion) => completion.text.unwrap(),
            Err(failure) => failure.to_string(),
        };
        assert!(told.contains(said), "{told}");
    }
}

/// A user who writes a token into a profile is not helped by its appearance in results and recordings, too.
#[tokio::test]
async fn nor_does_a_token_that_a_person_wrote_into_a_header() {
    let said = json!({ "error": { "message": "you sent x-gate-token: Token written-by-hand, x-team: radiology-department" } });
    let (address, sent) = serve(http("400 Bad Request", "", &said.to_string()));
    let config = json!({ "base_url": format!("http://{address}/v1") });
    let provider = Bed::new().providers().with_environment(|_| None).open("openai:m", &config).unwrap();
    let mut request = request("a");
    for (name, value) in [("x-gate-token", "Token written-by-hand"), ("x-team", "radiology-department")] {
        request.options.extra_headers.insert(name.to_owned(), value.to_owned());
    }
    let failure = provider.complete(&request, PLENTY).await.unwrap_err();
    assert!(sent.recv().unwrap().contains("x-gate-token: Token written-by-hand"));
    assert!(failure.message.contains("Token [secret], x-team: radiology-department"), "{failure}");
}

#[tokio::test]
async fn a_server_that_never_answers_ends_at_the_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let provider = open(listener.local_addr().unwrap(), "");
    let failure = provider.complete(&request("a"), Duration::from_millis(100)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Deadline);
}

#[tokio::test]
async fn a_server_that_is_not_there_may_come_back() {
    let (_nobody, address) = loopback::nobody();
    let failure = ask(&open(address, "")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Transient);
    assert!(failure.message.contains("can't connect"), "{failure}");
}

#[tokio::test]
async fn too_long_an_answer_is_cut_off() {
    let (address, _sent) = serve(http("200 OK", "", &"x".repeat((16 << 20) + 1)));
    assert_eq!(ask(&open(address, "")).await.unwrap_err().kind, FailureKind::TooLarge);
}

#[tokio::test]
async fn a_codec_that_panics_or_hangs_is_contained() {
    for place in ["encode", "decode"] {
        let (address, _sent) = serve(http("200 OK", "", r#"{"answer": "x"}"#));
        let failure = ask(&open(address, &format!("panic_{place}"))).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Panic, "{failure}");
        let hangs = open(address, &format!("hang_{place}"));
        let failure = hangs.complete(&request("a"), Duration::from_millis(200)).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Deadline, "{failure}");
    }
}

#[tokio::test]
async fn without_its_secret_it_is_unauthorized() {
    let (address, sent) = serve(http("200 OK", "", "{}"));
    let provider = Bed::new()
        .providers()
        .with_environment(|_| None)
        .open("contrary", &json!({"base_url": format!("http://{address}")}))
        .unwrap();
    let failure = provider.complete(&request("a"), PLENTY).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unauthorized);
    assert!(failure.message.contains("CONTRARY_KEY"), "{failure}");
    assert!(sent.try_recv().is_err());
}

#[tokio::test]
async fn an_endpoint_is_a_provider_and_its_address_comes_from_the_environment() {
    let (address, sent) = serve(http("200 OK", "", r#"{"answer": "grade 2"}"#));
    let environment = move |name: &str| match name {
        "CONTRARY_CLOUD_URL" => Some(format!("http://{address}/cloud/")),
        "CONTRARY_MISBEHAVE" => Some("either_secret".to_owned()),
        "CONTRARY_OTHER_KEY" => Some("the-other-key".to_owned()),
        _ => None,
    };
    let providers = Bed::new().providers().with_environment(environment);
    for (spec, config) in [
        ("contrary-cloud:m1", json!({})),
        ("contrary_cloud:m1", Value::Null),
        ("contrary:m1", json!({"endpoint": "contrary-cloud"})),
    ] {
        let provider = providers.open(spec, &config).unwrap();
        assert_eq!((provider.identity().name.as_str(), provider.model()), ("contrary", Some("m1")));
        ask(&provider).await.unwrap();
        let sent = sent.recv().unwrap();
        assert!(sent.starts_with("POST /cloud/complete "), "{sent}");
        assert!(sent.contains("Bearer the-other-key"), "{sent}");
    }
    assert_eq!(providers.find("contrary-cloud:m1").unwrap().manifest.name, "contrary");
}

#[test]
fn what_no_plugin_and_no_endpoint_is_called_gets_a_guess() {
    let providers = Bed::new().providers().with_environment(|_| None);
    let unknown = providers.open("contrary-clod:m1", &Value::Null).unwrap_err();
    assert!(unknown.help().contains("did you mean `contrary-cloud`?"), "{}", unknown.help());
    let nowhere = providers.open("contrary-cloud", &Value::Null).unwrap_err();
    assert!(nowhere.to_string().contains("set `base_url` or the environment variable `CONTRARY_CLOUD_URL`"));
    let endpoint = providers.open("contrary", &json!({"endpoint": "cloud"})).unwrap_err();
    assert!(endpoint.to_string().contains("known: contrary, contrary-cloud"), "{endpoint}");
}

#[tokio::test]
async fn an_optional_key_that_is_not_set_leaves_its_header_out() {
    let (address, sent) = serve(http("200 OK", "", r#"{"answer": "x"}"#));
    let open = |misbehave: &str| {
        let config = json!({"base_url": format!("http://{address}"), "misbehave": misbehave});
        Bed::new().providers().with_environment(|_| None).open("contrary", &config).unwrap()
    };
    ask(&open("optional_secret")).await.unwrap();
    assert!(!sent.recv().unwrap().contains("authorization"));
    let failure = ask(&open("either_secret")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unauthorized);
    assert!(failure.to_string().contains("set `CONTRARY_KEY` or `CONTRARY_OTHER_KEY`"), "{failure}");
}

#[test]
fn opening_may_fail_in_every_way() {
    let kinds = |misbehave: &str| try_open(&json!({"misbehave": misbehave})).unwrap_err();
    let config = kinds("refuse_config");
    assert!(matches!(config, ProviderError::Config { .. }), "{config}");
    assert!(!config.to_string().contains(['\n', '\u{1b}']), "{config:?}");
    let panicked = kinds("panic_open");
    assert!(matches!(panicked, ProviderError::Open { kind: FailureKind::Panic, .. }), "{panicked}");
    let schema = try_open(&json!({"misbehave": 7})).unwrap_err();
    assert!(matches!(schema, ProviderError::Config { .. }), "{schema}");
    let plain = try_open(&json!({"base_url": "http://example.com"})).unwrap_err();
    assert!(plain.to_string().contains("without TLS"), "{plain}");
}

//! Batches: the requests to OpenAI and Azure, and the meaning of their answers.

use loopctl_openai::OpenAi as Codec;
use loopctl_plugin_sdk::protocol::batch::{BatchAnswer, BatchRequest, BatchTurn, LineOutcome, NewBatch};
use loopctl_plugin_sdk::protocol::{CompletionRequest, HttpResponse, Message, Role};
use loopctl_plugin_sdk::{BatchCodec, HttpCodec};
use serde_json::{Value, json};

fn open(config: Value) -> Codec {
    Codec::open(&config).unwrap()
}

fn batch(codec: &Codec) -> &dyn BatchCodec {
    codec.batch().unwrap()
}

fn azure(path: &str) -> Codec {
    open(
        json!({ "endpoint": "azure", "base_url": format!("https://r.openai.azure.com{path}"), "deployment": "d1" }),
    )
}

fn turn(state: Value, body: &Value) -> BatchTurn {
    let response = HttpResponse { status: 200, headers: [].into(), body: body.to_string() };
    BatchTurn { state, response: Some(response) }
}

fn sent<T>(answer: BatchAnswer<T>) -> BatchRequest {
    let BatchAnswer::Send(next) = answer else { panic!("it is done") };
    *next
}

fn new_batch(endpoint: &str) -> NewBatch {
    let endpoint = endpoint.to_owned();
    NewBatch { own_id: "own-1".to_owned(), model: Some("m".to_owned()), endpoint, lines: 2, bytes: 9 }
}

#[test]
fn every_service_has_its_paths() {
    for (codec, upload, endpoint) in [
        (open(json!({})), "/v1/files", "/v1/chat/completions"),
        (open(json!({ "base_url": "https://api.openai.com/v1" })), "/files", "/v1/chat/completions"),
        (azure(""), "/openai/files?api-version=2024-10-21", "/chat/completions"),
        (azure("/openai"), "/files?api-version=2024-10-21", "/chat/completions"),
        (azure("/openai/v1"), "/files", "/v1/chat/completions"),
    ] {
        let codec = batch(&codec);
        let first = sent(codec.submit(&new_batch(endpoint), &BatchTurn::default()).unwrap());
        assert_eq!(first.request.path, upload);
        assert!(!first.creates && first.upload.unwrap().prefix.contains("own-1.jsonl"));
        let then =
            sent(codec.submit(&new_batch(endpoint), &turn(first.state, &json!({ "id": "file-1" }))).unwrap());
        assert!(then.creates && then.upload.is_none());
        let body: Value = serde_json::from_str(&then.request.body).unwrap();
        assert_eq!(body["endpoint"], endpoint);
        assert_eq!(body["metadata"], json!({ "loopctl_batch": "own-1" }));
        let BatchAnswer::Done(handle) =
            codec.submit(&new_batch(endpoint), &turn(then.state, &json!({ "id": "batch_1" }))).unwrap()
        else {
            panic!("it goes on")
        };
        assert_eq!(handle, "batch_1");
        let list = sent(codec.find("own-1", None, &BatchTurn::default()).unwrap()).request.path;
        assert!(list.contains("batches?limit=100") && list.matches('?').count() == 1, "{list}");
    }
    let below = azure("/openai/deployments/d1");
    let failure = batch(&below).submit(&new_batch("/chat/completions"), &BatchTurn::default()).unwrap_err();
    assert!(failure.error.message.contains("`/deployments/`"), "{failure}");
}

#[test]
fn azure_is_waited_for_until_it_has_looked_through_a_file() {
    let codec = azure("");
    let ask =
        |turn: &BatchTurn| batch(&codec).submit(&new_batch("/chat/completions"), turn).map(sent).unwrap();
    let first = ask(&BatchTurn::default());
    let wait = ask(&turn(first.state, &json!({ "id": "file-1", "status": "pending" })));
    assert_eq!((wait.request.method.as_str(), wait.creates), ("GET", false));
    assert!(wait.request.path.starts_with("/openai/files/file-1?") && wait.after_ms > 0, "{wait:?}");
    assert!(ask(&turn(wait.state, &json!({ "id": "file-1", "status": "processed" }))).creates);
}

#[test]
fn a_batch_of_azures_that_says_nothing_of_itself_may_be_ours() {
    let page = |id: &str, metadata: Value, more: bool| json!({ "data": [{ "id": id, "metadata": metadata, "request_counts": { "total": 2 } }], "has_more": more });
    let find = |codec: &Codec, turn: &BatchTurn| batch(codec).find("own-1", None, turn).unwrap();
    for (codec, expected) in [(azure(""), vec![("b1", false)]), (open(json!({})), vec![])] {
        let next = sent(find(&codec, &turn(Value::Null, &page("b1", Value::Null, true))));
        let last = page("b2", json!({ "loopctl_batch": "own-2" }), false);
        let BatchAnswer::Done(found) = find(&codec, &turn(next.state.clone(), &last)) else {
            panic!("it goes on")
        };
        let found: Vec<_> = found.iter().map(|batch| (batch.handle.as_str(), batch.sure)).collect();
        assert_eq!(found, expected);
        let ours = page("b2", json!({ "loopctl_batch": "own-1" }), true);
        let BatchAnswer::Done(found) = find(&codec, &turn(next.state, &ours)) else { panic!("it goes on") };
        assert_eq!((found.len(), found[0].handle.as_str(), found[0].sure), (1, "b2", true));
    }
}

#[test]
fn a_line_names_the_deployment_that_the_path_of_a_call_does() {
    let codec = azure("");
    let messages = vec![Message { role: Role::User, content: "a\nb".to_owned() }];
    let mut request = CompletionRequest { messages, ..CompletionRequest::default() };
    request.options.model = Some("gpt-x".to_owned());
    let line = batch(&codec).line("id-1", &codec.encode(&request).unwrap()).unwrap();
    let text: Value = serde_json::from_str(&line.text).unwrap();
    assert_eq!((&text["body"]["model"], &text["url"]), (&json!("d1"), &json!("/chat/completions")));
    assert_eq!(line.model.as_deref(), Some("d1"));
}

#[test]
fn only_services_that_have_batches_say_so() {
    let ours = |endpoint: &str| {
        let codec = open(json!({ "endpoint": endpoint, "base_url": "http://127.0.0.1:1/v1" }));
        batch(&codec).limits().is_some()
    };
    assert!(ours("openai") && ours("azure"));
    for endpoint in ["ollama", "vllm", "llamacpp", "lmstudio", "openrouter"] {
        assert!(!ours(endpoint), "{endpoint}");
    }
}

#[test]
fn results_without_a_response_have_the_status_that_they_mean() {
    let codec = open(json!({}));
    for (error, outcome, status) in [
        (json!({ "code": "batch_expired", "message": "x" }), LineOutcome::Expired, 503),
        (json!({ "code": "batch_cancelled", "message": "x" }), LineOutcome::Canceled, 503),
        (json!({ "code": "invalid_request", "message": "x" }), LineOutcome::Errored, 400),
        (json!({ "code": "429", "message": "x" }), LineOutcome::Errored, 429),
        (json!({ "code": "who_knows", "message": "x" }), LineOutcome::Errored, 500),
    ] {
        let line = json!({ "custom_id": "a", "response": null, "error": error }).to_string();
        let result = batch(&codec).result(&line).unwrap();
        assert_eq!((result.outcome, result.response.status), (outcome, status), "{line}");
    }
    for none in [
        "",
        "null",
        "{}",
        r#"{"custom_id": "a"}"#,
        r#"{"custom_id": "a", "response": {"status_code": 70000}}"#,
    ] {
        assert!(batch(&codec).result(none).is_err(), "{none}");
    }
}

//! Batches: the addresses of uploads and downloads beside the API, and the meaning of operations and lines.

use loopctl_gemini::Gemini as Codec;
use loopctl_plugin_sdk::protocol::HttpResponse;
use loopctl_plugin_sdk::protocol::batch::{
    BatchAnswer, BatchRequest, BatchStatus, BatchTurn, LineOutcome, NewBatch,
};
use loopctl_plugin_sdk::{BatchCodec, HttpCodec};
use serde_json::{Value, json};

fn open(config: Value) -> Codec {
    Codec::open(&config).unwrap()
}

fn batch(codec: &Codec) -> &dyn BatchCodec {
    codec.batch().unwrap()
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
    NewBatch { own_id: "own-1".to_owned(), model: None, endpoint, lines: 1, bytes: 9 }
}

#[test]
fn uploads_and_downloads_stand_beside_the_api() {
    for (config, upload, create) in [
        (
            json!({}),
            "https://generativelanguage.googleapis.com/upload/v1beta",
            "/v1beta/models/g:batchGenerateContent",
        ),
        (
            json!({ "base_url": "https://generativelanguage.googleapis.com/v1beta" }),
            "https://generativelanguage.googleapis.com/upload/v1beta",
            "/models/g:batchGenerateContent",
        ),
        (
            json!({ "base_url": "https://gateway.example:8443/vendors/google/v1" }),
            "https://gateway.example:8443/vendors/google/upload/v1",
            "/models/g:batchGenerateContent",
        ),
    ] {
        let codec = open(config);
        let codec = batch(&codec);
        let first = sent(codec.submit(&new_batch("models/g"), &BatchTurn::default()).unwrap());
        assert_eq!(
            (first.request.base_url.as_deref(), first.request.path.as_str()),
            (Some(upload), "/files")
        );
        let waits = turn(first.state, &json!({ "file": { "name": "files/f", "state": "PROCESSING" } }));
        let waits = sent(codec.submit(&new_batch("models/g"), &waits).unwrap());
        assert!(waits.after_ms > 0 && waits.request.path.ends_with("/files/f"), "{waits:?}");
        let ready = turn(waits.state, &json!({ "name": "files/f", "state": "ACTIVE" }));
        let then = sent(codec.submit(&new_batch("models/g"), &ready).unwrap());
        assert_eq!((then.request.path.as_str(), then.creates), (create, true));
        let body: Value = serde_json::from_str(&then.request.body).unwrap();
        assert_eq!(
            body["batch"],
            json!({ "displayName": "own-1", "inputConfig": { "fileName": "files/f" } })
        );
        let answer = codec
            .results("batches/b", &turn(Value::Null, &json!({ "response": { "responsesFile": "files/r" } })));
        let BatchAnswer::Done(downloads) = answer.unwrap() else { panic!("it goes on") };
        assert_eq!(downloads[0].path, "/files/r:download?alt=media");
        assert_eq!(downloads[0].base_url.as_deref().unwrap(), upload.replace("/upload/", "/download/"));
    }
}

#[test]
fn lines_name_no_model_that_leads_elsewhere() {
    let codec = open(json!({}));
    for endpoint in ["", "..", "models/../files", "models/a?b", "models//a", "models/a b"] {
        let ready = turn(json!({ "next": "create" }), &json!({ "name": "files/f" }));
        assert!(batch(&codec).submit(&new_batch(endpoint), &ready).is_err(), "{endpoint}");
    }
}

#[test]
fn operations_and_lines_mean_what_they_say() {
    let codec = open(json!({}));
    for (body, status, may_pass) in [
        (json!({ "metadata": { "state": "BATCH_STATE_PENDING" } }), BatchStatus::InProgress, false),
        (json!({ "metadata": { "state": "JOB_STATE_RUNNING" } }), BatchStatus::InProgress, false),
        (
            json!({ "metadata": { "state": "BATCH_STATE_SUCCEEDED" }, "done": true }),
            BatchStatus::Ended,
            false,
        ),
        (json!({ "done": true, "response": {} }), BatchStatus::Ended, false),
        (json!({ "done": true, "error": { "code": 8, "message": "x" } }), BatchStatus::Failed, true),
        (json!({ "done": true, "error": { "code": 3, "message": "x" } }), BatchStatus::Failed, false),
        (
            json!({ "metadata": { "state": "BATCH_STATE_EXPIRED" }, "done": true }),
            BatchStatus::Expired,
            false,
        ),
        (
            json!({ "metadata": { "state": "BATCH_STATE_CANCELLED" }, "done": true }),
            BatchStatus::Canceled,
            false,
        ),
    ] {
        let BatchAnswer::Done(state) = batch(&codec).poll("batches/b", &turn(Value::Null, &body)).unwrap()
        else {
            panic!("it goes on")
        };
        assert_eq!((state.status, state.may_pass), (status, may_pass), "{body}");
    }
    for (code, outcome, status) in [
        (1, LineOutcome::Canceled, 503),
        (3, LineOutcome::Errored, 400),
        (8, LineOutcome::Errored, 429),
        (14, LineOutcome::Errored, 503),
        (16, LineOutcome::Errored, 401),
        (99, LineOutcome::Errored, 500),
    ] {
        let line = json!({ "key": "a", "error": { "code": code, "message": "x" } }).to_string();
        let result = batch(&codec).result(&line).unwrap();
        assert_eq!((result.outcome, result.response.status), (outcome, status), "{code}");
    }
}

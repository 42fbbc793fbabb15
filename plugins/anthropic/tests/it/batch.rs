//! Message batches: what results mean, and how far back they are listed.

use loopctl_anthropic::Anthropic as Codec;
use loopctl_plugin_sdk::protocol::HttpResponse;
use loopctl_plugin_sdk::protocol::batch::{BatchAnswer, BatchSince, BatchStatus, BatchTurn, LineOutcome};
use loopctl_plugin_sdk::{BatchCodec, HttpCodec};
use serde_json::{Value, json};

fn codec() -> Codec {
    Codec::open(&json!({})).unwrap()
}

fn batch(codec: &Codec) -> &dyn BatchCodec {
    codec.batch().unwrap()
}

fn turn(state: Value, body: &Value) -> BatchTurn {
    let response = HttpResponse { status: 200, headers: [].into(), body: body.to_string() };
    BatchTurn { state, response: Some(response) }
}

#[test]
fn results_have_the_status_that_they_mean() {
    let codec = codec();
    let error = |kind: &str| json!({ "type": "errored", "error": { "type": "error", "error": { "type": kind, "message": "x" } } });
    for (result, outcome, status) in [
        (json!({ "type": "succeeded", "message": { "content": [] } }), LineOutcome::Answered, 200),
        (error("invalid_request_error"), LineOutcome::Errored, 400),
        (error("overloaded_error"), LineOutcome::Errored, 529),
        (error("api_error"), LineOutcome::Errored, 500),
        (json!({ "type": "errored", "error": { "type": "rate_limit_error" } }), LineOutcome::Errored, 429),
        (json!({ "type": "expired" }), LineOutcome::Expired, 503),
        (json!({ "type": "canceled" }), LineOutcome::Canceled, 503),
    ] {
        let line = json!({ "custom_id": "a", "result": result }).to_string();
        let read = batch(&codec).result(&line).unwrap();
        assert_eq!((read.outcome, read.response.status), (outcome, status), "{line}");
    }
    for none in ["", "{}", r#"{"custom_id": "a"}"#, r#"{"custom_id": "a", "result": {"type": "new"}}"#] {
        assert!(batch(&codec).result(none).is_err(), "{none}");
    }
}

#[test]
fn batches_are_listed_back_to_when_ours_may_have_been_made() {
    let codec = codec();
    let since = BatchSince { unix: 0, utc: "2026-11-25T16:00:00Z".to_owned() };
    let of = |id: &str, hour: u32| json!({ "id": id, "created_at": format!("2026-11-25T{hour}:30:00.5Z"), "request_counts": { "processing": 2 } });
    let first = json!({ "data": [of("b3", 18), of("b2", 17)], "has_more": true });
    let BatchAnswer::Send(next) = batch(&codec).find("x", Some(&since), &turn(json!([]), &first)).unwrap()
    else {
        panic!("it is done")
    };
    assert!(next.request.path.ends_with("after_id=b2"), "{}", next.request.path);
    let second = json!({ "data": [of("b1", 16), of("b0", 15)], "has_more": true });
    let answer = batch(&codec).find("x", Some(&since), &turn(next.state, &second)).unwrap();
    let BatchAnswer::Done(found) = answer else { panic!("it goes on") };
    let handles: Vec<&str> = found.iter().map(|batch| batch.handle.as_str()).collect();
    assert_eq!(handles, ["b3", "b2", "b1"]);
    assert!(found.iter().all(|batch| !batch.sure && batch.lines == Some(2)));
}

#[test]
fn a_batch_that_has_ended_says_how() {
    let codec = codec();
    let state = |more: Value| {
        let mut body =
            json!({ "processing_status": "ended", "request_counts": { "succeeded": 1, "expired": 0 } });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let BatchAnswer::Done(state) = batch(&codec).poll("b", &turn(Value::Null, &body)).unwrap() else {
            panic!("it goes on")
        };
        state.status
    };
    assert_eq!(state(json!({})), BatchStatus::Ended);
    assert_eq!(state(json!({ "request_counts": { "expired": 1 } })), BatchStatus::Expired);
    assert_eq!(state(json!({ "cancel_initiated_at": "2026-11-25T16:00:00Z" })), BatchStatus::Canceled);
    assert_eq!(state(json!({ "archived_at": "2026-12-25T16:00:00Z" })), BatchStatus::Failed);
    assert_eq!(state(json!({ "processing_status": "canceling" })), BatchStatus::InProgress);
}

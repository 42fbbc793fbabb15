//! The common parts of the tests of every HTTP codec: requests in and HTTP out, HTTP in and completions or failures
//! out. The crate's root says which codec is meant.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::abi::lc_status;
use loopctl_plugin_sdk::protocol::{
    Attachment, Completion, CompletionRequest, HttpRequest, HttpResponse, Message, Role,
};
use loopctl_plugin_sdk::{Failure, HttpCodec};
use serde_json::{Value, json};

use crate::Codec;

pub(crate) fn message(role: Role, content: &str) -> Message {
    Message { role, content: content.to_owned() }
}

pub(crate) fn attachment(name: &str, media_type: &str) -> Attachment {
    Attachment { name: name.to_owned(), media_type: media_type.to_owned(), data: "AAAA".to_owned() }
}

pub(crate) fn encoded(config: Value, request: &CompletionRequest) -> Result<HttpRequest, Failure> {
    Codec::open(&config)?.encode(request)
}

/// The body of the HTTP request.
pub(crate) fn body(config: Value, request: &CompletionRequest) -> Value {
    serde_json::from_str(&encoded(config, request).unwrap().body).unwrap()
}

pub(crate) fn response(status: u16, headers: &[(&str, &str)], body: &str) -> HttpResponse {
    let headers: BTreeMap<_, _> = headers.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    HttpResponse { status, headers, body: body.to_owned() }
}

/// The codec's reading of an answer in these very words.
pub(crate) fn read(status: u16, headers: &[(&str, &str)], body: &str) -> Result<Completion, Failure> {
    Codec::open(&json!({})).unwrap().decode(&response(status, headers, body))
}

pub(crate) fn decoded(status: u16, body: &Value) -> Result<Completion, Failure> {
    read(status, &[], &body.to_string())
}

/// Fails unless each answer, of this status and body, fails as this kind with a message that holds this, and no message
/// repeats `the pat…` of a document.
pub(crate) fn fail(cases: impl IntoIterator<Item = (u16, Value, lc_status, &'static str)>) {
    for (status, body, kind, told) in cases {
        let failure = decoded(status, &body).unwrap_err();
        assert_eq!(failure.status, kind, "{status} {body}");
        assert!(failure.error.message.contains(told), "{told}: {failure}");
        assert!(!failure.error.message.contains("the pat"), "{failure}");
    }
}

proptest::proptest! {
    #[test]
    fn no_answer_is_too_odd(status in 100_u16..600, body in "\\PC{0,60}") {
        let _ = read(status, &[], &body);
    }
}

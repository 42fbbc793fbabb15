//! The common parts of codecs of batch APIs: lines, uploads, and results that are not answers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::segment;
use crate::Failure;
use crate::protocol::batch::{
    BatchAnswer, BatchRequest, BatchResult, BatchSince, BatchUpload, LineOutcome, is_batch_id,
};
use crate::protocol::{HttpRequest, HttpResponse};

/// Between the parts of an upload. No line can hold it: it follows a carriage return, which JSON escapes.
pub const BOUNDARY: &str = "loopctl-batch-7f3a9c";

/// The body of a call, for a line that carries nothing else.
///
/// # Errors
/// A header that isn't in `known`: a line has none, and without it the call would be another. Or a body that isn't
/// JSON.
pub fn line_body(request: &HttpRequest, known: &BTreeMap<String, String>) -> Result<Value, Failure> {
    let is_known = |name: &str| name.eq_ignore_ascii_case("content-type") || known.contains_key(name);
    if let Some(name) = request.headers.keys().find(|name| !is_known(name)) {
        return Err(Failure::invalid_request(format!(
            "a line of a batch can't carry the header `{}`: leave it out of `extra_headers`, or make the call online",
            super::sanitize_line(name, 80)
        )));
    }
    serde_json::from_str(&request.body)
        .map_err(|_| Failure::invalid_request("the call isn't JSON, so it can't be a line of a batch"))
}

/// The id of a batch or line, where it is put into requests as it is.
///
/// # Errors
/// Any text that is not such an id.
pub fn checked_id(id: &str) -> Result<&str, Failure> {
    let problem = || Failure::invalid_request("ids of batches and lines are 1 to 64 of `A-Z a-z 0-9 _ -`");
    Some(id).filter(|id| is_batch_id(id)).ok_or_else(problem)
}

/// A handle as one segment of a path.
///
/// # Errors
/// A name that would lead elsewhere.
pub fn handle_segment(handle: &str) -> Result<String, Failure> {
    segment(handle, "the batch's handle")
}

/// A request without a body.
pub fn bare(method: &str, path: String, headers: BTreeMap<String, String>) -> HttpRequest {
    HttpRequest { method: method.to_owned(), path, headers, body: String::new(), base_url: None }
}

/// A request with a JSON body.
pub fn with_json(path: String, mut headers: BTreeMap<String, String>, body: &Value) -> HttpRequest {
    headers.insert("content-type".to_owned(), "application/json".to_owned());
    HttpRequest { body: body.to_string(), ..bare("POST", path, headers) }
}

/// The host is to send this.
pub fn send<T>(request: HttpRequest, state: Value) -> BatchAnswer<T> {
    BatchAnswer::Send(Box::new(BatchRequest { request, upload: None, creates: false, after_ms: 0, state }))
}

/// The host is to send this, with the lines as its body.
pub fn upload<T>(request: HttpRequest, upload: BatchUpload, creates: bool, state: Value) -> BatchAnswer<T> {
    let upload = Some(upload);
    BatchAnswer::Send(Box::new(BatchRequest { request, upload, creates, after_ms: 0, state }))
}

/// The host is to send this, which makes the batch.
pub fn create<T>(request: HttpRequest, state: Value) -> BatchAnswer<T> {
    BatchAnswer::Send(Box::new(BatchRequest { request, upload: None, creates: true, after_ms: 0, state }))
}

/// The host is to ask this after a while: something isn't ready yet.
pub fn ask_later<T>(request: HttpRequest, after_ms: u64, state: Value) -> BatchAnswer<T> {
    BatchAnswer::Send(Box::new(BatchRequest { request, upload: None, creates: false, after_ms, state }))
}

/// Returns whether a time in UTC, as `2026-11-25T16:00:00.123Z`, is before another.
pub fn is_before(time: &str, since: &BatchSince) -> bool {
    // Up to the seconds: fractions may have any number of digits.
    match (time.get(..19), since.utc.get(..19)) {
        (Some(time), Some(since)) => time < since,
        _ => false,
    }
}

/// A result as the API would have answered the call.
pub fn result(custom_id: String, outcome: LineOutcome, status: u16, body: &Value) -> BatchResult {
    let headers = BTreeMap::from([("content-type".to_owned(), "application/json".to_owned())]);
    BatchResult { custom_id, outcome, response: HttpResponse { status, headers, body: body.to_string() } }
}

/// A line that was not done: as an error that may pass, in the form that OpenAI, Anthropic and Google share.
pub fn undone(custom_id: String, outcome: LineOutcome) -> BatchResult {
    let (kind, message) = match outcome {
        LineOutcome::Canceled => ("batch_canceled", "the batch was canceled before this line was done"),
        _ => ("batch_expired", "the batch expired before this line was done"),
    };
    let body = json!({ "type": "error", "error": { "type": kind, "code": kind, "message": message } });
    result(custom_id, outcome, 503, &body)
}

/// The failure for a line of results that is none.
pub fn no_result() -> Failure {
    Failure::invalid_request("the line is not a result of a batch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_carries_a_body_and_no_headers_of_its_own() {
        let known = BTreeMap::from([("authorization".to_owned(), "x".to_owned())]);
        let request = |name: &str| HttpRequest {
            body: "{\"a\":1}".to_owned(),
            ..bare("POST", "/x".into(), BTreeMap::from([(name.to_owned(), "document".to_owned())]))
        };
        assert_eq!(line_body(&request("authorization"), &known).unwrap(), json!({"a": 1}));
        assert_eq!(line_body(&request("Content-Type"), &known).unwrap(), json!({"a": 1}));
        let failure = line_body(&request("x-title"), &known).unwrap_err();
        assert!(failure.error.message.contains("`x-title`"), "{failure}");
        assert!(!failure.error.message.contains("document"), "{failure}");
        let broken = HttpRequest { body: "{".to_owned(), ..request("authorization") };
        assert!(line_body(&broken, &known).is_err());
    }

    #[test]
    fn ids_are_short_and_plain() {
        for good in ["a", "A-b_9", &"x".repeat(64)] {
            assert!(checked_id(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "a\"b", "é", "a/b", &"x".repeat(65)] {
            assert!(checked_id(bad).is_err(), "{bad}");
        }
        assert!(handle_segment("..").is_err());
    }

    #[test]
    fn times_are_compared_to_the_second() {
        let since = BatchSince { unix: 0, utc: "2026-11-25T16:00:00Z".to_owned() };
        for (time, before) in [
            ("2026-11-25T15:59:59.999999Z", true),
            ("2026-11-25T16:00:00.1Z", false),
            ("2026-11-25T16:00:00Z", false),
            ("2027-01-01T00:00:00Z", false),
            ("", false),
        ] {
            assert_eq!(is_before(time, &since), before, "{time}");
        }
    }
}

//! Batches of generateContent, by files: lines are uploaded, a batch is made of the file, and results are another
//! ([guide](https://ai.google.dev/gemini-api/docs/batch-api), [reference](https://ai.google.dev/api/batch-mode)).
//! Requests inside the batch itself are not used: they are limited to 20 MB, and come back as one JSON document.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::codec::batch::{
    BOUNDARY, ask_later, bare, checked_id, create, line_body, no_result, result, send, undone, upload,
    with_json,
};
use loopctl_plugin_sdk::codec::{escaped, lenient_json, parse_body, sanitize_line, segment, word};
use loopctl_plugin_sdk::protocol::batch::{
    BatchAnswer, BatchLimits, BatchLine, BatchResult, BatchSince, BatchState, BatchStatus, BatchTurn,
    BatchUpload, FoundBatch, FoundBy, LineOutcome, NewBatch,
};
use loopctl_plugin_sdk::protocol::{HttpRequest, HttpResponse, Usage};
use loopctl_plugin_sdk::{BatchCodec, Failure, Value};
use serde_json::json;

use crate::{Gemini, errors};

/// The number of batches on each page of a list.
const PAGE: usize = 100;
const ASK_AGAIN_MS: u64 = 2_000;
/// The members of an operation that may name the file of its results.
const RESULTS: &[&str] =
    &["/response/responsesFile", "/metadata/output/responsesFile", "/response/output/responsesFile"];

impl BatchCodec for Gemini {
    fn limits(&self) -> Option<BatchLimits> {
        Some(BatchLimits {
            // Google names none; more in one batch would only be more to lose.
            max_lines: 50_000,
            max_bytes: 2_000_000_000,
            window_hours: Some(48),
            found_by: FoundBy::OwnId,
        })
    }

    fn line(&self, custom_id: &str, request: &HttpRequest) -> Result<BatchLine, Failure> {
        let body = line_body(request, &self.headers())?;
        // `models/gemini-…`, with the segments escaped as they are in the path.
        let path = request.path.strip_prefix(self.settings.version()).unwrap_or(&request.path);
        let endpoint = path.trim_start_matches('/').strip_suffix(":generateContent");
        let endpoint =
            endpoint.ok_or_else(|| Failure::invalid_request("the call is none of generateContent"))?;
        let line = json!({ "key": checked_id(custom_id)?, "request": body });
        Ok(BatchLine {
            text: line.to_string(),
            model: Some(endpoint.strip_prefix("models/").unwrap_or(endpoint).to_owned()),
            endpoint: endpoint.to_owned(),
        })
    }

    fn submit(&self, batch: &NewBatch, turn: &BatchTurn) -> Result<BatchAnswer<String>, Failure> {
        let own_id = checked_id(&batch.own_id)?;
        let Some(response) = turn.heard() else {
            let mut headers = self.headers();
            headers.insert("content-type".to_owned(), format!("multipart/related; boundary={BOUNDARY}"));
            headers.insert("x-goog-upload-protocol".to_owned(), "multipart".to_owned());
            let request = self.beside("upload", bare("POST", "/files".to_owned(), headers));
            return Ok(upload(request, upload_of(own_id), false, json!({ "next": "create" })));
        };
        let body = well(response)?;
        if turn.word("next") == Some("done") {
            let name = word(&body, "/name").ok_or_else(|| unlike("it has no `name`"))?;
            return Ok(BatchAnswer::Done(name));
        }
        // The upload says `{file: {…}}`, what is asked later the file alone.
        let file = body.get("file").unwrap_or(&body);
        let name = word(file, "/name").ok_or_else(|| unlike("the file has no `name`"))?;
        match word(file, "/state").as_deref() {
            Some("PROCESSING") => {
                return Ok(ask_later(self.get(&resource(&name)?), ASK_AGAIN_MS, turn.state.clone()));
            }
            Some("FAILED") => return Err(Failure::permanent("Google can't use the file of lines")),
            _ => {}
        }
        let body = json!({ "batch": { "displayName": own_id, "inputConfig": { "fileName": name } } });
        let path = format!("{}/{}:batchGenerateContent", self.settings.version(), safe(&batch.endpoint)?);
        Ok(create(with_json(path, self.headers(), &body), json!({ "next": "done" })))
    }

    fn find(
        &self,
        own_id: &str,
        _: Option<&BatchSince>,
        turn: &BatchTurn,
    ) -> Result<BatchAnswer<Vec<FoundBatch>>, Failure> {
        let Some(response) = turn.heard() else {
            return Ok(send(self.get(&format!("/batches?pageSize={PAGE}")), Value::Null));
        };
        let body = well(response)?;
        let batches = body.get("operations").or(body.get("batches")).and_then(Value::as_array);
        let named = |batch: &&Value| {
            let name = word(batch, "/metadata/displayName").or_else(|| word(batch, "/displayName"));
            name.as_deref() == Some(own_id)
        };
        let found: Vec<FoundBatch> = batches
            .into_iter()
            .flatten()
            .filter(named)
            .filter_map(|batch| {
                let lines = Some(number(batch, "requestCount")).filter(|lines| *lines > 0);
                Some(FoundBatch { handle: word(batch, "/name")?, sure: true, lines })
            })
            .collect();
        // Their order isn't documented.
        match word(&body, "/nextPageToken").filter(|_| found.is_empty()) {
            Some(token) => {
                let rest = format!("/batches?pageSize={PAGE}&pageToken={}", escaped(&token));
                Ok(send(self.get(&rest), Value::Null))
            }
            None => Ok(BatchAnswer::Done(found)),
        }
    }

    fn poll(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<BatchState>, Failure> {
        let Some(response) = turn.heard() else { return Ok(send(self.get(&resource(handle)?), Value::Null)) };
        let body = well_but_for_its_error(response)?;
        let state = word(&body, "/metadata/state").or_else(|| word(&body, "/state")).unwrap_or_default();
        let done = body.get("done").and_then(Value::as_bool).unwrap_or(false);
        let failed = body.get("error").is_some_and(Value::is_object);
        // `BATCH_STATE_…` on the wire, `JOB_STATE_…` in the libraries.
        let status = match state.rsplit('_').next().unwrap_or_default() {
            "SUCCEEDED" => BatchStatus::Ended,
            "FAILED" => BatchStatus::Failed,
            "CANCELLED" => BatchStatus::Canceled,
            "EXPIRED" => BatchStatus::Expired,
            _ if failed => BatchStatus::Failed,
            _ if done => BatchStatus::Ended,
            _ => BatchStatus::InProgress,
        };
        let code = body.pointer("/error/code").and_then(Value::as_i64).unwrap_or(0);
        let told = word(&body, "/error/message").map(|told| sanitize_line(&told, 300));
        Ok(BatchAnswer::Done(BatchState {
            status,
            total: number(&body, "requestCount"),
            succeeded: number(&body, "successfulRequestCount"),
            failed: number(&body, "failedRequestCount"),
            reason: told.filter(|_| status == BatchStatus::Failed),
            may_pass: status == BatchStatus::Failed && matches!(http_status(code), 429 | 500..=599),
        }))
    }

    fn results(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<Vec<HttpRequest>>, Failure> {
        let Some(response) = turn.heard() else { return Ok(send(self.get(&resource(handle)?), Value::Null)) };
        let body = well_but_for_its_error(response)?;
        let Some(file) = results_file(&body) else { return Ok(BatchAnswer::Done(Vec::new())) };
        let path = format!("{}:download?alt=media", resource(&file)?);
        Ok(BatchAnswer::Done(vec![self.beside("download", bare("GET", path, self.headers()))]))
    }

    fn result(&self, line: &str) -> Result<BatchResult, Failure> {
        let line = lenient_json(line).map_err(|_| no_result())?;
        let id = word(&line, "/key").or_else(|| word(&line, "/metadata/key")).ok_or_else(no_result)?;
        if let Some(response) = line.get("response").filter(|response| response.is_object()) {
            return Ok(result(id, LineOutcome::Answered, 200, response));
        }
        let told = line.get("error").or(line.get("status")).filter(|error| error.is_object());
        let told = told.ok_or_else(no_result)?;
        // A number of gRPC's, which knows no others.
        let code = told.get("code").and_then(Value::as_i64).unwrap_or(2);
        if code == 1 {
            return Ok(undone(id, LineOutcome::Canceled));
        }
        let status = http_status(code);
        let body = json!({ "error": { "code": status, "message": told.get("message"), "details": told.get("details") } });
        Ok(result(id, LineOutcome::Errored, status, &body))
    }

    fn cancel(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<()>, Failure> {
        let Some(response) = turn.heard() else {
            let path = format!("{}{}:cancel", self.settings.version(), resource(handle)?);
            return Ok(send(with_json(path, self.headers(), &json!({})), Value::Null));
        };
        well(response)?;
        Ok(BatchAnswer::Done(()))
    }

    fn delete(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<()>, Failure> {
        let Some(response) = turn.heard() else { return Ok(send(self.get(&resource(handle)?), Value::Null)) };
        let mut left: Vec<String> = match turn.state.as_array() {
            Some(left) => {
                // Files expire after two days.
                if !matches!(response.status, 403 | 404) {
                    well(response)?;
                }
                left.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            None => {
                let body = well_but_for_its_error(response)?;
                let lines = word(&body, "/metadata/inputConfig/fileName");
                [Some(handle.to_owned()), results_file(&body), lines].into_iter().flatten().collect()
            }
        };
        let Some(next) = left.pop() else { return Ok(BatchAnswer::Done(())) };
        let request = self.get(&resource(&next)?);
        Ok(send(HttpRequest { method: "DELETE".to_owned(), ..request }, json!(left)))
    }
}

impl Gemini {
    fn headers(&self) -> BTreeMap<String, String> {
        BTreeMap::from([("x-goog-api-key".to_owned(), self.settings.key())])
    }

    fn get(&self, rest: &str) -> HttpRequest {
        bare("GET", format!("{}{rest}", self.settings.version()), self.headers())
    }

    /// Sends `request` to an address beside the API: `/upload/v1beta/…` of the same host.
    fn beside(&self, what: &str, request: HttpRequest) -> HttpRequest {
        HttpRequest { base_url: Some(self.settings.beside(what)), ..request }
    }
}

fn upload_of(own_id: &str) -> BatchUpload {
    let about = json!({ "file": { "displayName": own_id } });
    let prefix = format!(
        "--{BOUNDARY}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n{about}\r\n\
         --{BOUNDARY}\r\ncontent-type: application/jsonl\r\n\r\n"
    );
    BatchUpload { prefix, separator: "\n".to_owned(), suffix: format!("\n\r\n--{BOUNDARY}--\r\n") }
}

/// `/batches/ID` of `batches/ID`, each part as a segment.
fn resource(name: &str) -> Result<String, Failure> {
    let segments = name.split('/').map(|part| segment(part, "a name that Google gave"));
    let segments: Vec<String> = segments.collect::<Result<_, _>>()?;
    Ok(format!("/{}", segments.join("/")))
}

/// An endpoint of a line, whose segments are escaped already.
fn safe(endpoint: &str) -> Result<&str, Failure> {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~' | b'%');
    let leads_elsewhere = endpoint.split('/').any(|part| matches!(part, "" | "." | ".."));
    if leads_elsewhere || !endpoint.bytes().all(plain) {
        return Err(Failure::invalid_request("the lines name no model that a path can contain"));
    }
    Ok(endpoint)
}

fn results_file(body: &Value) -> Option<String> {
    RESULTS.iter().find_map(|place| word(body, place))
}

/// A count of the batch, which Google writes as a text: it has 64 bits.
fn number(body: &Value, which: &str) -> u64 {
    let stats = body.pointer("/metadata/batchStats").or_else(|| body.get("batchStats"));
    let Some(number) = stats.and_then(|stats| stats.get(which)) else { return 0 };
    number.as_u64().or_else(|| number.as_str()?.parse().ok()).unwrap_or(0)
}

/// The HTTP status that Google's APIs send for a number of gRPC's.
fn http_status(code: i64) -> u16 {
    match code {
        3 | 9 | 11 => 400,
        4 => 504,
        5 => 404,
        6 | 10 => 409,
        7 => 403,
        8 => 429,
        12 => 501,
        14 => 503,
        16 => 401,
        400..=599 => u16::try_from(code).unwrap_or(500),
        _ => 500,
    }
}

/// The body of a successful response.
fn well(response: &HttpResponse) -> Result<Value, Failure> {
    let body = well_but_for_its_error(response)?;
    let answered = body.get("name").or(body.get("file")).is_some();
    errors::within(response, &body, answered, Usage::default()).map_or(Ok(body), Err)
}

/// Like [`well`], for an operation, whose own failure is not a failure of the request.
fn well_but_for_its_error(response: &HttpResponse) -> Result<Value, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(errors::failure(response));
    }
    parse_body(response)
}

fn unlike(what: &str) -> Failure {
    Failure::permanent(format!("the answer is none of the batch API: {what}; check `base_url`"))
}

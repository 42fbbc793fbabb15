//! Batches as OpenAI and Azure have them: a file of lines is uploaded, a batch is made of it, and results are two files, of
//! what was answered and of what was not ([guide](https://developers.openai.com/api/docs/guides/batch)).

use std::collections::BTreeMap;

use loopctl_plugin_sdk::codec::batch::{
    BOUNDARY, ask_later, bare, checked_id, create, handle_segment, line_body, no_result, result, send,
    undone, upload, with_json,
};
use loopctl_plugin_sdk::codec::{
    count, error_status, lenient_json, parse_body, sanitize_line, segment, word,
};
use loopctl_plugin_sdk::protocol::batch::{
    BatchAnswer, BatchLimits, BatchLine, BatchResult, BatchSince, BatchState, BatchStatus, BatchTurn,
    BatchUpload, FoundBatch, FoundBy, LineOutcome, NewBatch,
};
use loopctl_plugin_sdk::protocol::{HttpRequest, HttpResponse, Usage};
use loopctl_plugin_sdk::{BatchCodec, Failure, Value};
use serde_json::json;

use crate::settings::ApiService;
use crate::{OpenAi, errors};

/// The key of a batch's metadata that has the host's own id.
const OWN_ID: &str = "loopctl_batch";
/// The number of batches on each page of a list.
const PAGE: usize = 100;
/// Azure looks through a file before it takes a batch of it.
const FILE_NOT_READY: &[&str] = &["pending", "running", "notRunning", "uploading"];
const ASK_AGAIN_MS: u64 = 2_000;
/// The reasons for refusing a batch that may be taken later: there are too many tokens in others.
const MAY_PASS: &[&str] = &["token_limit_exceeded", "rate_limit_exceeded", "server_error"];

impl BatchCodec for OpenAi {
    fn limits(&self) -> Option<BatchLimits> {
        self.settings.has_batches().then_some(BatchLimits {
            max_lines: 50_000,
            max_bytes: 200_000_000,
            window_hours: Some(24),
            found_by: FoundBy::OwnId,
        })
    }

    fn line(&self, custom_id: &str, request: &HttpRequest) -> Result<BatchLine, Failure> {
        let custom_id = checked_id(custom_id)?;
        let endpoint = self.settings.batch_endpoint();
        let mut body = line_body(request, &self.headers())?;
        if let (Some(deployment), Some(body)) = (self.settings.batch_model(), body.as_object_mut()) {
            // Part of the path of a single call.
            body.insert("model".to_owned(), json!(deployment));
        }
        let model = word(&body, "/model");
        let line = json!({ "custom_id": custom_id, "method": "POST", "url": endpoint, "body": body });
        Ok(BatchLine { text: line.to_string(), model, endpoint: endpoint.to_owned() })
    }

    fn submit(&self, batch: &NewBatch, turn: &BatchTurn) -> Result<BatchAnswer<String>, Failure> {
        let own_id = checked_id(&batch.own_id)?;
        let Some(response) = turn.heard() else {
            let mut headers = self.headers();
            headers.insert("content-type".to_owned(), format!("multipart/form-data; boundary={BOUNDARY}"));
            let request = bare("POST", self.settings.batch_path("files")?, headers);
            return Ok(upload(request, upload_of(own_id), false, json!({ "next": "create" })));
        };
        let body = well(response)?;
        let id = word(&body, "/id").ok_or_else(|| unlike("it has no `id`"))?;
        if turn.word("next") == Some("done") {
            return Ok(BatchAnswer::Done(id));
        }
        let status = word(&body, "/status").unwrap_or_default();
        if self.settings.service == ApiService::Azure && FILE_NOT_READY.contains(&status.as_str()) {
            return Ok(ask_later(
                self.get(&format!("files/{}", file(&id)?))?,
                ASK_AGAIN_MS,
                turn.state.clone(),
            ));
        }
        let body = json!({
            "input_file_id": id,
            "endpoint": batch.endpoint,
            "completion_window": "24h",
            "metadata": { OWN_ID: own_id },
        });
        let request = with_json(self.settings.batch_path("batches")?, self.headers(), &body);
        Ok(create(request, json!({ "next": "done" })))
    }

    fn find(
        &self,
        own_id: &str,
        since: Option<&BatchSince>,
        turn: &BatchTurn,
    ) -> Result<BatchAnswer<Vec<FoundBatch>>, Failure> {
        let Some(response) = turn.heard() else {
            return Ok(send(self.get(&format!("batches?limit={PAGE}"))?, Value::Null));
        };
        let body = well(response)?;
        let batches = body.get("data").and_then(Value::as_array).ok_or_else(|| unlike("it has no `data`"))?;
        let described = |batch: &Value, sure: bool| {
            let lines = Some(count(batch, "/request_counts/total")).filter(|lines| *lines > 0);
            Some(FoundBatch { handle: word(batch, "/id")?, sure, lines })
        };
        let is_ours = |batch: &&Value| {
            batch.get("metadata").and_then(|metadata| metadata.get(OWN_ID)) == Some(&json!(own_id))
        };
        let sure: Vec<FoundBatch> =
            batches.iter().filter(is_ours).filter_map(|batch| described(batch, true)).collect();
        if !sure.is_empty() {
            return Ok(BatchAnswer::Done(sure));
        }
        // Where what we sent isn't kept, nothing distinguishes ours from others: each may be it.
        let is_silent = |batch: &&Value| {
            self.settings.service == ApiService::Azure && batch.get("metadata").is_none_or(Value::is_null)
        };
        let mut silent: Vec<FoundBatch> = serde_json::from_value(turn.state.clone()).unwrap_or_default();
        silent.extend(batches.iter().filter(is_silent).filter_map(|batch| described(batch, false)));
        let last = batches.last();
        // The newest come first.
        let is_too_old = last.is_some_and(|last| {
            let created = last.get("created_at").and_then(Value::as_i64);
            since.is_some_and(|since| created.is_some_and(|created| created < since.unix))
        });
        let more = body.get("has_more").and_then(Value::as_bool).unwrap_or(false);
        match last.and_then(|last| word(last, "/id")).filter(|_| more && !is_too_old) {
            Some(after) => {
                let after = segment(&after, "a batch's id")?;
                Ok(send(self.get(&format!("batches?limit={PAGE}&after={after}"))?, json!(silent)))
            }
            None => Ok(BatchAnswer::Done(silent)),
        }
    }

    fn poll(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<BatchState>, Failure> {
        let Some(response) = turn.heard() else { return Ok(send(self.batch(handle, "")?, Value::Null)) };
        let body = well(response)?;
        let status = word(&body, "/status").ok_or_else(|| unlike("it has no `status`"))?;
        let status = match status.as_str() {
            "completed" => BatchStatus::Ended,
            "expired" => BatchStatus::Expired,
            "cancelled" => BatchStatus::Canceled,
            "failed" => BatchStatus::Failed,
            // Also for anything that the vendor may add later: asking again does no harm.
            _ => BatchStatus::InProgress,
        };
        let code = word(&body, "/errors/data/0/code");
        let told = word(&body, "/errors/data/0/message").or_else(|| code.clone());
        Ok(BatchAnswer::Done(BatchState {
            status,
            total: count(&body, "/request_counts/total"),
            succeeded: count(&body, "/request_counts/completed"),
            failed: count(&body, "/request_counts/failed"),
            reason: told.filter(|_| status == BatchStatus::Failed).map(|told| sanitize_line(&told, 300)),
            may_pass: code.is_some_and(|code| MAY_PASS.contains(&code.as_str())),
        }))
    }

    fn results(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<Vec<HttpRequest>>, Failure> {
        let Some(response) = turn.heard() else { return Ok(send(self.batch(handle, "")?, Value::Null)) };
        let body = well(response)?;
        let files = ["/output_file_id", "/error_file_id"].iter().filter_map(|place| word(&body, place));
        let downloads = files.map(|id| self.get(&format!("files/{}/content", file(&id)?)));
        Ok(BatchAnswer::Done(downloads.collect::<Result<_, Failure>>()?))
    }

    fn result(&self, line: &str) -> Result<BatchResult, Failure> {
        let line = lenient_json(line).map_err(|_| no_result())?;
        let id = word(&line, "/custom_id").ok_or_else(no_result)?;
        if let Some(response) = line.get("response").filter(|response| response.is_object()) {
            let status = response.get("status_code").and_then(Value::as_u64);
            let status = status.and_then(|status| u16::try_from(status).ok()).ok_or_else(no_result)?;
            let body = response.get("body").ok_or_else(no_result)?;
            let outcome =
                if (200..300).contains(&status) { LineOutcome::Answered } else { LineOutcome::Errored };
            let mut result = result(id, outcome, status, body);
            if let Some(request_id) = word(response, "/request_id") {
                result.response.headers.insert("x-request-id".to_owned(), request_id);
            }
            return Ok(result);
        }
        let error = line.get("error").filter(|error| error.is_object()).ok_or_else(no_result)?;
        let code = word(error, "/code").unwrap_or_default();
        match code.as_str() {
            "batch_expired" => Ok(undone(id, LineOutcome::Expired)),
            "batch_cancelled" | "batch_canceled" => Ok(undone(id, LineOutcome::Canceled)),
            code => {
                let refused = code.contains("invalid");
                let body = json!({ "error": error });
                let status = error_status(&body).unwrap_or(if refused { 400 } else { 500 });
                Ok(result(id, LineOutcome::Errored, status, &body))
            }
        }
    }

    fn cancel(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<()>, Failure> {
        let Some(response) = turn.heard() else {
            let request = self.batch(handle, "/cancel")?;
            return Ok(send(HttpRequest { method: "POST".to_owned(), ..request }, Value::Null));
        };
        well(response)?;
        Ok(BatchAnswer::Done(()))
    }

    /// The batch itself can't be deleted; its files, which hold what was sent and answered, can.
    fn delete(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<()>, Failure> {
        let Some(response) = turn.heard() else { return Ok(send(self.batch(handle, "")?, Value::Null)) };
        let mut files: Vec<String> = match turn.state.get("files").and_then(Value::as_array) {
            Some(files) => {
                if response.status != 404 {
                    well(response)?;
                }
                files.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            None => {
                let body = well(response)?;
                let places = ["/error_file_id", "/output_file_id", "/input_file_id"];
                places.iter().filter_map(|place| word(&body, place)).collect()
            }
        };
        let Some(next) = files.pop() else { return Ok(BatchAnswer::Done(())) };
        let request = self.get(&format!("files/{}", file(&next)?))?;
        Ok(send(HttpRequest { method: "DELETE".to_owned(), ..request }, json!({ "files": files })))
    }
}

impl OpenAi {
    fn headers(&self) -> BTreeMap<String, String> {
        self.settings.headers()
    }

    fn get(&self, rest: &str) -> Result<HttpRequest, Failure> {
        Ok(bare("GET", self.settings.batch_path(rest)?, self.headers()))
    }

    fn batch(&self, handle: &str, rest: &str) -> Result<HttpRequest, Failure> {
        self.get(&format!("batches/{}{rest}", handle_segment(handle)?))
    }
}

fn upload_of(own_id: &str) -> BatchUpload {
    let part =
        |disposition: &str| format!("--{BOUNDARY}\r\ncontent-disposition: form-data; {disposition}\r\n");
    let prefix = format!(
        "{}\r\nbatch\r\n{}content-type: application/jsonl\r\n\r\n",
        part("name=\"purpose\""),
        part(&format!("name=\"file\"; filename=\"{own_id}.jsonl\"")),
    );
    BatchUpload { prefix, separator: "\n".to_owned(), suffix: format!("\n\r\n--{BOUNDARY}--\r\n") }
}

fn file(id: &str) -> Result<String, Failure> {
    segment(id, "a file's id")
}

/// The body of a successful response.
fn well(response: &HttpResponse) -> Result<Value, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(errors::failure(response));
    }
    let body = parse_body(response)?;
    let answered = body.get("id").or(body.get("data")).is_some();
    errors::within(response, &body, answered, Usage::default()).map_or(Ok(body), Err)
}

fn unlike(what: &str) -> Failure {
    Failure::permanent(format!("the answer is none of the batch API: {what}; check `base_url`"))
}

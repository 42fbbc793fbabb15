//! Message batches: all lines in one request, results in one stream, in any order
//! ([guide](https://platform.claude.com/docs/en/build-with-claude/batch-processing)).
//!
//! A batch has no field for an id of ours, so one whose handle was lost is only found by the ids in its results.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::codec::batch::{
    bare, checked_id, handle_segment, is_before, line_body, no_result, result, send, undone, upload,
};
use loopctl_plugin_sdk::codec::{count, lenient_json, parse_body, segment, word};
use loopctl_plugin_sdk::protocol::batch::{
    BatchAnswer, BatchLimits, BatchLine, BatchResult, BatchSince, BatchState, BatchStatus, BatchTurn,
    BatchUpload, FoundBatch, FoundBy, LineOutcome, NewBatch,
};
use loopctl_plugin_sdk::protocol::{HttpRequest, HttpResponse};
use loopctl_plugin_sdk::{BatchCodec, Failure, Value};
use serde_json::json;

use crate::{Anthropic, errors};

/// The number of batches on each page of a list.
const PAGE: usize = 100;
/// More than a user makes in the days that a batch is kept, so that an endless list is abandoned.
const MOST_FOUND: usize = 2_000;

impl BatchCodec for Anthropic {
    fn limits(&self) -> Option<BatchLimits> {
        Some(BatchLimits {
            max_lines: 100_000,
            max_bytes: 256_000_000,
            window_hours: Some(24),
            found_by: FoundBy::CustomIds,
        })
    }

    fn line(&self, custom_id: &str, request: &HttpRequest) -> Result<BatchLine, Failure> {
        let body = line_body(request, &self.settings.headers())?;
        let model = word(&body, "/model");
        let line = json!({ "custom_id": checked_id(custom_id)?, "params": body });
        Ok(BatchLine { text: line.to_string(), model, endpoint: "/v1/messages".to_owned() })
    }

    fn submit(&self, _: &NewBatch, turn: &BatchTurn) -> Result<BatchAnswer<String>, Failure> {
        let Some(response) = turn.heard() else {
            let mut headers = self.settings.headers();
            headers.insert("content-type".to_owned(), "application/json".to_owned());
            let lines = BatchUpload {
                prefix: "{\"requests\":[".to_owned(),
                separator: ",".to_owned(),
                suffix: "]}".to_owned(),
            };
            return Ok(upload(bare("POST", self.place(""), headers), lines, true, Value::Null));
        };
        let id = word(&well(response)?, "/id").ok_or_else(|| unlike("it has no `id`"))?;
        Ok(BatchAnswer::Done(id))
    }

    fn find(
        &self,
        _: &str,
        since: Option<&BatchSince>,
        turn: &BatchTurn,
    ) -> Result<BatchAnswer<Vec<FoundBatch>>, Failure> {
        let Some(response) = turn.heard() else {
            return Ok(send(self.get(&format!("?limit={PAGE}")), json!([])));
        };
        let body = well(response)?;
        let batches = body.get("data").and_then(Value::as_array).ok_or_else(|| unlike("it has no `data`"))?;
        // The newest come first.
        let is_old = |batch: &Value| {
            let created = word(batch, "/created_at");
            since.is_some_and(|since| created.is_some_and(|created| is_before(&created, since)))
        };
        let earlier = turn.state.as_array().into_iter().flatten().cloned();
        let these = batches.iter().filter(|batch| !is_old(batch)).filter_map(|batch| {
            Some(json!({ "handle": word(batch, "/id")?, "lines": counts(batch).iter().sum::<u64>() }))
        });
        let found: Vec<Value> = earlier.chain(these).take(MOST_FOUND).collect();
        let more = body.get("has_more").and_then(Value::as_bool).unwrap_or(false)
            && found.len() < MOST_FOUND
            && !batches.last().is_some_and(is_old);
        match batches.last().and_then(|last| word(last, "/id")).filter(|_| more) {
            Some(after) => {
                let after = segment(&after, "a batch's id")?;
                Ok(send(self.get(&format!("?limit={PAGE}&after_id={after}")), Value::Array(found)))
            }
            None => Ok(BatchAnswer::Done(
                found
                    .iter()
                    .filter_map(|batch| {
                        let lines = Some(count(batch, "/lines")).filter(|lines| *lines > 0);
                        Some(FoundBatch { handle: word(batch, "/handle")?, sure: false, lines })
                    })
                    .collect(),
            )),
        }
    }

    fn poll(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<BatchState>, Failure> {
        let Some(response) = turn.heard() else { return Ok(send(self.batch(handle, "")?, Value::Null)) };
        let body = well(response)?;
        let [processing, succeeded, errored, canceled, expired] = counts(&body);
        let has = |place: &str| word(&body, place).is_some();
        let status = match word(&body, "/processing_status").as_deref() {
            None => return Err(unlike("it has no `processing_status`")),
            Some("ended") if has("/archived_at") => BatchStatus::Failed,
            Some("ended") if has("/cancel_initiated_at") => BatchStatus::Canceled,
            Some("ended") if expired > 0 => BatchStatus::Expired,
            Some("ended") => BatchStatus::Ended,
            Some(_) => BatchStatus::InProgress,
        };
        let failed = errored.saturating_add(canceled).saturating_add(expired);
        Ok(BatchAnswer::Done(BatchState {
            status,
            total: processing.saturating_add(succeeded).saturating_add(failed),
            succeeded,
            failed,
            reason: (status == BatchStatus::Failed)
                .then(|| "Anthropic keeps results for 29 days, and these are gone".to_owned()),
            may_pass: false,
        }))
    }

    fn results(&self, handle: &str, _: &BatchTurn) -> Result<BatchAnswer<Vec<HttpRequest>>, Failure> {
        Ok(BatchAnswer::Done(vec![self.batch(handle, "/results")?]))
    }

    fn result(&self, line: &str) -> Result<BatchResult, Failure> {
        let line = lenient_json(line).map_err(|_| no_result())?;
        let id = word(&line, "/custom_id").ok_or_else(no_result)?;
        match word(&line, "/result/type").as_deref() {
            Some("succeeded") => {
                let message = line.pointer("/result/message").ok_or_else(no_result)?;
                Ok(result(id, LineOutcome::Answered, 200, message))
            }
            Some("errored") => {
                // `{type: error, error: {type, message}}`, as of a single call; the outer part may be missing.
                let told = line.pointer("/result/error").ok_or_else(no_result)?;
                let body = match told.get("error") {
                    Some(_) => told.clone(),
                    None => json!({ "type": "error", "error": told }),
                };
                Ok(result(id, LineOutcome::Errored, errors::status_of(&body), &body))
            }
            Some("canceled") => Ok(undone(id, LineOutcome::Canceled)),
            Some("expired") => Ok(undone(id, LineOutcome::Expired)),
            _ => Err(no_result()),
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

    fn delete(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<()>, Failure> {
        let Some(response) = turn.heard() else {
            let request = self.batch(handle, "")?;
            return Ok(send(HttpRequest { method: "DELETE".to_owned(), ..request }, Value::Null));
        };
        if response.status != 404 {
            well(response)?;
        }
        Ok(BatchAnswer::Done(()))
    }
}

impl Anthropic {
    fn place(&self, rest: &str) -> String {
        format!("{}/batches{rest}", self.settings.path())
    }

    fn get(&self, rest: &str) -> HttpRequest {
        let headers: BTreeMap<String, String> = self.settings.headers();
        bare("GET", self.place(rest), headers)
    }

    fn batch(&self, handle: &str, rest: &str) -> Result<HttpRequest, Failure> {
        Ok(self.get(&format!("/{}{rest}", handle_segment(handle)?)))
    }
}

/// Lines that are being done, succeeded, errored, were canceled, expired.
fn counts(batch: &Value) -> [u64; 5] {
    ["processing", "succeeded", "errored", "canceled", "expired"]
        .map(|which| count(batch, &format!("/request_counts/{which}")))
}

/// The body of a successful response.
fn well(response: &HttpResponse) -> Result<Value, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(errors::failure(response));
    }
    parse_body(response)
}

fn unlike(what: &str) -> Failure {
    Failure::permanent(format!("the answer is none of the batch API: {what}; check `base_url`"))
}

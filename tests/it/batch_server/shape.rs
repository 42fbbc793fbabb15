//! The shapes of the vendors' batch APIs on the wire.

use serde_json::{Value, json};

use super::{Asked, Desk, Fault, Reply, Shape, Taken, ok};

/// The outcome of a line.
pub(super) enum Became {
    /// With what the API answers to a single call.
    Answered(Value),
    /// With this status of a single call.
    Errored(u16),
    Expired,
    Canceled,
}

impl Shape {
    /// The API's answer to a single call.
    pub(super) fn answer(self, request: &Value, value: &Value) -> Value {
        let model = request["model"].as_str().unwrap_or("m1");
        match self {
            Shape::OpenAi | Shape::Azure => json!({
                "id": "chatcmpl-1", "object": "chat.completion", "model": model,
                "choices": [{ "index": 0, "finish_reason": "stop",
                    "message": { "role": "assistant", "content": value.to_string() } }],
                "usage": { "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100 },
            }),
            Shape::Anthropic => {
                let content = if request["tools"].is_array() {
                    json!([{ "type": "tool_use", "id": "toolu_1", "name": "answer", "input": value }])
                } else {
                    json!([{ "type": "text", "text": value.to_string() }])
                };
                json!({
                    "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content,
                    "stop_reason": "tool_use", "usage": { "input_tokens": 1000, "output_tokens": 100 },
                })
            }
            Shape::Gemini => json!({
                "candidates": [{ "finishReason": "STOP",
                    "content": { "role": "model", "parts": [{ "text": value.to_string() }] } }],
                "usageMetadata": { "promptTokenCount": 1000, "candidatesTokenCount": 100 },
            }),
        }
    }

    pub(super) fn truncated(self, request: &Value) -> Value {
        let mut answer = self.answer(request, &json!({ "a": 1 }));
        match self {
            Shape::OpenAi | Shape::Azure => answer["choices"][0]["finish_reason"] = json!("length"),
            Shape::Anthropic => answer["stop_reason"] = json!("max_tokens"),
            Shape::Gemini => answer["candidates"][0]["finishReason"] = json!("MAX_TOKENS"),
        }
        answer
    }

    pub(super) fn declined(self, request: &Value) -> Value {
        let mut answer = self.answer(request, &json!({}));
        match self {
            Shape::OpenAi | Shape::Azure => {
                answer["choices"][0]["message"] = json!({ "role": "assistant", "refusal": "I won't." });
            }
            Shape::Anthropic => answer["stop_reason"] = json!("refusal"),
            Shape::Gemini => answer["candidates"][0]["finishReason"] = json!("PROHIBITED_CONTENT"),
        }
        answer
    }

    /// A line of the results.
    pub(super) fn result(self, id: &str, became: &Became) -> String {
        let line = match self {
            Shape::OpenAi | Shape::Azure => match became {
                Became::Answered(body) => json!({ "id": "batch_req_1", "custom_id": id, "error": null,
                    "response": { "status_code": 200, "request_id": "req_line_1", "body": body } }),
                Became::Errored(status) => json!({ "id": "batch_req_1", "custom_id": id, "error": null,
                    "response": { "status_code": status, "request_id": "req_line_2", "body": { "error": {
                        "message": "it failed", "type": "server_error", "param": null, "code": null } } } }),
                Became::Expired => json!({ "id": "batch_req_1", "custom_id": id, "response": null, "error": {
                    "code": "batch_expired",
                    "message": "This request could not be executed before the completion window expired." } }),
                Became::Canceled => {
                    json!({ "id": "batch_req_1", "custom_id": id, "response": null, "error": {
                    "code": "batch_cancelled", "message": "The batch was cancelled." } })
                }
            },
            Shape::Anthropic => {
                let result = match became {
                    Became::Answered(message) => json!({ "type": "succeeded", "message": message }),
                    Became::Errored(status) => {
                        let kind = if *status == 400 { "invalid_request_error" } else { "overloaded_error" };
                        json!({ "type": "errored", "error": { "type": "error", "request_id": "req_1",
                            "error": { "type": kind, "message": "it failed" } } })
                    }
                    Became::Expired => json!({ "type": "expired" }),
                    Became::Canceled => json!({ "type": "canceled" }),
                };
                json!({ "custom_id": id, "result": result })
            }
            Shape::Gemini => {
                let failed =
                    |code: u16| json!({ "key": id, "error": { "code": code, "message": "it failed" } });
                match became {
                    Became::Answered(response) => json!({ "key": id, "response": response }),
                    Became::Errored(400) => failed(3),
                    Became::Errored(_) => failed(14),
                    // Google documents no line of what wasn't done in time: deadline exceeded.
                    Became::Expired => failed(4),
                    Became::Canceled => failed(1),
                }
            }
        };
        line.to_string()
    }
}

/// The time at which a batch is made: now, but no earlier than the tests of the plugins ask for.
fn now() -> jiff::Timestamp {
    jiff::Timestamp::now().max("2026-11-25T16:00:00Z".parse().unwrap())
}

impl Desk {
    pub(super) fn route(&mut self, asked: &Asked<'_>) -> Option<Reply> {
        match self.shape {
            Shape::OpenAi => {
                let path = asked.path.strip_prefix("/v1/")?;
                self.openai(asked, path)
            }
            Shape::Azure => {
                if asked.parameter("api-version").is_none() {
                    self.complain("no api-version");
                }
                let path = asked.path.strip_prefix("/openai/")?;
                if path.starts_with("deployments/") {
                    return Some(self.online(&asked.json()));
                }
                self.openai(asked, path)
            }
            Shape::Anthropic => self.anthropic(asked, asked.path.strip_prefix("/v1/messages")?),
            Shape::Gemini => self.gemini(asked),
        }
    }

    fn openai(&mut self, asked: &Asked<'_>, path: &str) -> Option<Reply> {
        let parts: Vec<&str> = path.split('/').collect();
        Some(match (asked.method, parts.as_slice()) {
            ("POST", ["chat", "completions"]) => self.online(&asked.json()),
            ("POST", ["files"]) => {
                if !asked.body.contains("name=\"purpose\"\r\n\r\nbatch\r\n") {
                    self.complain("the file's purpose isn't `batch`");
                }
                let content = part_of(asked, self)?;
                let id = self.keep(content);
                ok(&json!({ "id": id, "object": "file", "purpose": "batch", "status": "processed" }))
            }
            ("GET", ["files", id, "content"]) => (200, self.files.get(*id)?.clone()),
            ("DELETE", ["files", id]) => {
                self.files.remove(*id)?;
                ok(&json!({ "id": id, "deleted": true }))
            }
            ("POST", ["batches"]) => self.openai_batch(&asked.json())?,
            ("GET", ["batches"]) => {
                let limit = asked.parameter("limit").and_then(|limit| limit.parse().ok()).unwrap_or(20);
                let (page, more) = self.page(asked.parameter("after"), limit);
                let data: Vec<Value> = page.iter().map(|taken| self.described(taken)).collect();
                ok(&json!({ "object": "list", "data": data, "has_more": more }))
            }
            ("GET", ["batches", id]) => {
                let at = self.place(id)?;
                self.look(at)
            }
            ("POST", ["batches", id, "cancel"]) => {
                let at = self.place(id)?;
                self.batches[at].canceled = true;
                ok(&self.described(&self.batches[at]))
            }
            _ => return None,
        })
    }

    fn openai_batch(&mut self, asked: &Value) -> Option<Reply> {
        let input = asked["input_file_id"].as_str()?.to_owned();
        let endpoint = if self.shape == Shape::Azure { "/chat/completions" } else { "/v1/chat/completions" };
        if asked["completion_window"] != "24h" || asked["endpoint"] != endpoint {
            self.complain(format!("a batch for {}", asked["endpoint"]));
        }
        let lines = json_lines(self.files.get(&input)?);
        let models: std::collections::BTreeSet<String> =
            lines.iter().map(|line| line["body"]["model"].to_string()).collect();
        if models.len() != 1 {
            self.complain("a batch is for one model");
        }
        if lines.iter().any(|line| line["method"] != "POST" || line["url"] != endpoint) {
            self.complain("a line is for another endpoint");
        }
        let own_id = asked["metadata"]["loopctl_batch"].as_str().map(str::to_owned);
        let lines = lines.into_iter().map(|line| (text(&line["custom_id"]), line["body"].clone())).collect();
        Some(self.take(own_id, Some(input), lines))
    }

    fn anthropic(&mut self, asked: &Asked<'_>, path: &str) -> Option<Reply> {
        if asked.header("anthropic-version") != Some("2023-06-01") {
            self.complain("no anthropic-version");
        }
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        Some(match (asked.method, parts.as_slice()) {
            ("POST", [""]) => self.online(&asked.json()),
            ("POST", ["batches"]) => {
                let body = asked.json();
                let requests = body["requests"].as_array()?;
                let lines =
                    requests.iter().map(|line| (text(&line["custom_id"]), line["params"].clone())).collect();
                self.take(None, None, lines)
            }
            ("GET", ["batches"]) => {
                let limit = asked.parameter("limit").and_then(|limit| limit.parse().ok()).unwrap_or(20);
                let (page, more) = self.page(asked.parameter("after_id"), limit);
                let handles: Vec<String> = page.iter().map(|taken| taken.handle.clone()).collect();
                let data: Vec<Value> = page.iter().map(|taken| self.described(taken)).collect();
                ok(&json!({ "data": data, "has_more": more, "last_id": handles.last() }))
            }
            ("GET", ["batches", id]) => {
                let at = self.place(id)?;
                self.look(at)
            }
            ("GET", ["batches", id, "results"]) => {
                (200, self.batches[self.place(id)?].results.join("\n") + "\n")
            }
            ("POST", ["batches", id, "cancel"]) => {
                let at = self.place(id)?;
                self.batches[at].canceled = true;
                ok(&self.described(&self.batches[at]))
            }
            ("DELETE", ["batches", id]) => {
                let at = self.place(id)?;
                self.batches[at].deleted = true;
                ok(&json!({ "id": id, "type": "message_batch_deleted" }))
            }
            _ => return None,
        })
    }

    fn gemini(&mut self, asked: &Asked<'_>) -> Option<Reply> {
        if let Some(file) =
            asked.path.strip_prefix("/download/v1beta/").and_then(|p| p.strip_suffix(":download"))
        {
            if asked.parameter("alt") != Some("media") {
                self.complain("a download without `alt=media`");
            }
            return Some((200, self.files.get(file)?.clone()));
        }
        if asked.path == "/upload/v1beta/files" {
            if asked.header("x-goog-upload-protocol") != Some("multipart") {
                self.complain("an upload of another protocol");
            }
            let content = part_of(asked, self)?;
            let name = self.keep(content);
            return Some(ok(&json!({ "file": { "name": name, "state": "ACTIVE" } })));
        }
        let path = asked.path.strip_prefix("/v1beta/")?;
        if let Some((_, verb)) = path.strip_prefix("models/").and_then(|rest| rest.split_once(':')) {
            let body = asked.json();
            if verb == "generateContent" {
                return Some(self.online(&body));
            }
            let input = body["batch"]["inputConfig"]["fileName"].as_str()?.to_owned();
            let lines = json_lines(self.files.get(&input)?);
            let lines = lines.into_iter().map(|line| (text(&line["key"]), line["request"].clone())).collect();
            let own_id = body["batch"]["displayName"].as_str().map(str::to_owned);
            return Some(self.take(own_id, Some(input), lines));
        }
        Some(match (asked.method, path) {
            ("GET", "batches") => {
                let limit = asked.parameter("pageSize").and_then(|limit| limit.parse().ok()).unwrap_or(20);
                let after = asked.parameter("pageToken").map(|token| token.replace("%2F", "/"));
                let (page, more) = self.page(after.as_deref(), limit);
                let token = page.last().filter(|_| more).map(|taken| taken.handle.clone());
                let operations: Vec<Value> = page.iter().map(|taken| self.described(taken)).collect();
                ok(&json!({ "operations": operations, "nextPageToken": token }))
            }
            ("POST", path) => {
                let at = self.place(path.strip_suffix(":cancel")?)?;
                self.batches[at].canceled = true;
                ok(&json!({}))
            }
            ("GET", path) => {
                let at = self.place(path)?;
                self.look(at)
            }
            ("DELETE", path) if path.starts_with("files/") => {
                self.files.remove(path)?;
                ok(&json!({}))
            }
            ("DELETE", path) => {
                let at = self.place(path)?;
                self.batches[at].deleted = true;
                ok(&json!({}))
            }
            _ => return None,
        })
    }

    /// A batch that is asked for. At its end its files appear.
    fn look(&mut self, at: usize) -> Reply {
        let over = self.is_over(at);
        let mut described = self.described(&self.batches[at]);
        if !over {
            return ok(&described);
        }
        let (results, errors) = (self.batches[at].results.join("\n"), self.batches[at].errors.join("\n"));
        let Taken { number, canceled, counts, .. } = self.batches[at];
        let fails = self.faults.iter().find_map(|fault| match fault {
            Fault::FailsWhole(n, may_pass) if number <= *n => Some(*may_pass),
            _ => None,
        });
        let ended = if canceled {
            "cancelled"
        } else if counts.expired > 0 {
            "expired"
        } else {
            "completed"
        };
        match self.shape {
            Shape::OpenAi | Shape::Azure => {
                described["status"] = json!(ended);
                if let Some(may_pass) = fails {
                    let code = if may_pass { "token_limit_exceeded" } else { "invalid_json_line" };
                    described["status"] = json!("failed");
                    described["errors"] =
                        json!({ "data": [{ "code": code, "message": "it can't be done" }] });
                    return ok(&described);
                }
                for (place, lines) in [("output_file_id", results), ("error_file_id", errors)] {
                    let id = format!("file-{number}-{place}");
                    if !lines.is_empty() {
                        self.files.entry(id.clone()).or_insert(lines);
                        described[place] = json!(id);
                    }
                }
            }
            Shape::Anthropic => {
                described["processing_status"] = json!("ended");
                described["request_counts"] = json!({ "processing": 0, "succeeded": counts.succeeded,
                    "errored": counts.errored, "expired": counts.expired, "canceled": counts.canceled });
                if canceled {
                    described["cancel_initiated_at"] = json!("2026-11-25T16:30:00Z");
                }
                if self.has(|fault| *fault == Fault::Archived) {
                    described["archived_at"] = json!("2026-12-25T16:30:00Z");
                }
            }
            Shape::Gemini => {
                let state = match ended {
                    _ if fails.is_some() => "FAILED",
                    "cancelled" => "CANCELLED",
                    // Lines that weren't done in time are lines that failed.
                    _ => "SUCCEEDED",
                };
                described["metadata"]["state"] = json!(format!("BATCH_STATE_{state}"));
                described["done"] = json!(true);
                if let Some(may_pass) = fails {
                    let code = if may_pass { 8 } else { 3 };
                    described["error"] = json!({ "code": code, "message": "it can't be done" });
                    return ok(&described);
                }
                let name = format!("files/results-{number}");
                self.files.entry(name.clone()).or_insert(results);
                described["response"] = json!({ "responsesFile": name });
            }
        }
        ok(&described)
    }

    /// A batch that is in progress.
    pub(super) fn described(&self, taken: &Taken) -> Value {
        let Taken { handle, own_id, counts, input, .. } = taken;
        match self.shape {
            Shape::OpenAi | Shape::Azure => json!({
                "id": handle, "object": "batch", "status": "in_progress", "created_at": now().as_second(), "input_file_id": input,
                "metadata": { "loopctl_batch": own_id },
                "request_counts": { "total": counts.total, "completed": counts.succeeded,
                    "failed": counts.total - counts.succeeded },
            }),
            Shape::Anthropic => json!({
                "id": handle, "type": "message_batch", "processing_status": "in_progress",
                "created_at": now().to_string(), "results_url": null, "cancel_initiated_at": null,
                "archived_at": null,
                "request_counts": { "processing": counts.total, "succeeded": 0, "errored": 0, "expired": 0, "canceled": 0 },
            }),
            Shape::Gemini => json!({
                "name": handle, "done": false,
                "metadata": { "state": "BATCH_STATE_RUNNING", "displayName": own_id,
                    "createTime": now().to_string(), "inputConfig": { "fileName": input },
                    "batchStats": { "requestCount": counts.total.to_string(),
                        "successfulRequestCount": counts.succeeded.to_string() } },
            }),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn json_lines(content: &str) -> Vec<Value> {
    let lines = content.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or_default()).collect()
}

/// The content of the last part of a multipart body: the file.
fn part_of(asked: &Asked<'_>, desk: &mut Desk) -> Option<String> {
    let boundary = asked.header("content-type")?.split_once("boundary=")?.1.trim_matches('"');
    let end = format!("\r\n--{boundary}--");
    let Some((parts, _)) = asked.body.rsplit_once(end.as_str()) else {
        desk.complain("a multipart body that doesn't end");
        return None;
    };
    let last = parts.rsplit(format!("--{boundary}\r\n").as_str()).next()?;
    Some(last.split_once("\r\n\r\n")?.1.to_owned())
}

//! The servers themselves, asked directly: they take what the documentation shows and refuse what it forbids.

use super::api::{Api, Problem};
use super::server::{Fault, Script, Setup, Vendor, When};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

const KEY: &str = "a-key";

/// An answer: its status, its headers in lower case and its body.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Posts on an open connection; `None` when it is closed before the whole answer has come.
fn post(stream: &mut TcpStream, path: &str, headers: &[&str], body: &str) -> Option<Answer> {
    let more: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n"
    );
    stream.write_all((head + body).as_bytes()).ok()?;
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        lines.push(line.trim_end().to_ascii_lowercase());
    }
    let status = lines.first()?.split(' ').nth(1)?.parse().ok()?;
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "))?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Answer { status, head: lines.join("\n"), body })
}

fn path(api: Api) -> &'static str {
    match api {
        Api::OpenAi => "/v1/chat/completions",
        Api::Azure => "/openai/deployments/d1/chat/completions?api-version=2024-10-21",
        Api::Anthropic => "/v1/messages",
        Api::Gemini => "/v1beta/models/m1:generateContent",
    }
}

fn headers(api: Api) -> &'static [&'static str] {
    match api {
        Api::OpenAi => &["authorization: Bearer a-key"],
        Api::Azure => &["api-key: a-key"],
        Api::Anthropic => &["x-api-key: a-key", "anthropic-version: 2023-06-01"],
        Api::Gemini => &["x-goog-api-key: a-key"],
    }
}

/// A request as the documentation shows one, for an answer with one text.
fn example(api: Api) -> Value {
    let schema = json!({ "type": "object", "properties": { "grade": { "type": "string" } }, "required": ["grade"],
        "additionalProperties": false });
    let messages = json!([{ "role": "user", "content": "What is the grade?" }]);
    match api {
        Api::OpenAi | Api::Azure => json!({
            "model": "m1",
            "messages": messages,
            "temperature": 0,
            "response_format": { "type": "json_schema",
                "json_schema": { "name": "extract", "strict": true, "schema": schema } },
        }),
        Api::Anthropic => json!({
            "model": "m1",
            "max_tokens": 1024,
            "messages": messages,
            "tools": [{ "name": "extract", "description": "Gives the answer.", "input_schema": schema }],
            "tool_choice": { "type": "tool", "name": "extract" },
        }),
        Api::Gemini => json!({
            "contents": [{ "role": "user", "parts": [{ "text": "What is the grade?" }] }],
            "generationConfig": { "responseMimeType": "application/json", "responseSchema": {
                "type": "OBJECT", "properties": { "grade": { "type": "STRING" } }, "required": ["grade"] } },
        }),
    }
}

/// The answer of the model, wherever the API puts it.
fn said(api: Api, body: &Value) -> Value {
    let text = |value: &Value| serde_json::from_str(value.as_str().unwrap()).unwrap();
    match api {
        Api::OpenAi | Api::Azure => text(&body["choices"][0]["message"]["content"]),
        Api::Anthropic => body["content"][0]["input"].clone(),
        Api::Gemini => text(&body["candidates"][0]["content"]["parts"][0]["text"]),
    }
}

const ALL: [Api; 4] = [Api::OpenAi, Api::Azure, Api::Anthropic, Api::Gemini];

fn start(api: Api, faults: Vec<(When, Fault)>) -> (Vendor, TcpStream) {
    let script = Script::of([json!({ "grade": "G2 é 🩺" })]);
    let vendor = Vendor::start(Setup { api, key: Some(KEY.to_owned()), script, faults });
    let stream = TcpStream::connect(vendor.address()).unwrap();
    (vendor, stream)
}

#[test]
fn documented_requests_are_answered_on_one_connection() {
    for api in ALL {
        let (vendor, mut stream) =
            start(api, vec![(When::At(2), Fault::Escaped), (When::At(3), Fault::Padded(1 << 20))]);
        for _ in 0..3 {
            let answer = post(&mut stream, path(api), headers(api), &example(api).to_string()).unwrap();
            assert_eq!(answer.status, 200, "{}", answer.json());
            assert_eq!(said(api, &answer.json()), json!({ "grade": "G2 é 🩺" }));
            if answer.body.starts_with(b"{") && vendor.calls() == 2 {
                assert!(answer.body.is_ascii());
            }
        }
        assert_eq!((vendor.calls(), vendor.connections()), (3, 1));
        assert_eq!(vendor.complaints(), Vec::<String>::new());
        assert_eq!(vendor.seen()[0].asked.as_ref().unwrap().text.trim(), "What is the grade?");
    }
}

#[test]
fn requests_that_break_the_rules_are_refused() {
    let set = |api: Api, pointer: &str, value: Value| {
        let mut request = example(api);
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        request.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key.to_owned(), value);
        (api, request)
    };
    let strict = "/response_format/json_schema";
    let config = "/generationConfig";
    for ((api, request), part) in [
        (set(Api::OpenAi, "/system", json!("x")), "system"),
        (set(Api::OpenAi, "/messages", json!([])), "messages"),
        (set(Api::OpenAi, "/messages", json!([{ "role": "model", "content": "x" }])), "role"),
        (set(Api::OpenAi, "/temperature", json!(3)), "temperature"),
        (set(Api::OpenAi, "/model", Value::Null), "model"),
        (set(Api::OpenAi, &format!("{strict}/name"), json!("a b")), "name"),
        (
            set(Api::OpenAi, &format!("{strict}/schema/additionalProperties"), json!(true)),
            "additionalProperties",
        ),
        (set(Api::OpenAi, "/response_format", json!({ "type": "json_object" })), "json"),
        (set(Api::OpenAi, "/tool_choice", json!("required")), "tools"),
        (set(Api::OpenAi, "/max_tokens", json!(0)), "max_tokens"),
        (set(Api::Azure, "/seed", json!(1.5)), "seed"),
        (set(Api::Anthropic, "/seed", json!(1)), "seed"),
        (set(Api::Anthropic, "/temperature", json!(1.5)), "temperature"),
        (set(Api::Anthropic, "/max_tokens", Value::Null), "max_tokens"),
        (set(Api::Anthropic, "/messages", json!([{ "role": "system", "content": "x" }])), "role"),
        (set(Api::Anthropic, "/messages", json!([{ "role": "user", "content": "" }])), "non-empty"),
        (set(Api::Anthropic, "/tool_choice", json!({ "type": "tool", "name": "other" })), "other"),
        (set(Api::Gemini, "/generation_settings", json!({})), "generation_settings"),
        (set(Api::Gemini, "/contents", json!([])), "contents"),
        (set(Api::Gemini, &format!("{config}/responseMimeType"), json!("text/plain")), "responseMimeType"),
        (set(Api::Gemini, &format!("{config}/seed"), json!(3_000_000_000_u64)), "seed"),
        (
            set(Api::Gemini, &format!("{config}/responseSchema/additionalProperties"), json!(false)),
            "additionalProperties",
        ),
    ] {
        let (vendor, mut stream) = start(api, Vec::new());
        let answer = post(&mut stream, path(api), headers(api), &request.to_string()).unwrap();
        let error = answer.json()["error"].clone();
        assert_eq!(answer.status, 400, "{api:?} takes {request}");
        assert!(error["message"].as_str().unwrap().contains(part), "{part}: {error}");
        assert_eq!(vendor.complaints().len(), 1);
    }
}

#[test]
fn keys_paths_and_headers_matter() {
    for api in ALL {
        let (_vendor, mut stream) = start(api, Vec::new());
        let version = ["anthropic-version: 2023-06-01"];
        let body = example(api).to_string();
        let status = |stream: &mut TcpStream, path: &str, headers: &[&str]| {
            post(stream, path, headers, &body).unwrap().status
        };
        let nobody = if api == Api::Gemini { 403 } else { 401 };
        assert_eq!(status(&mut stream, path(api), &version), nobody);
        assert_eq!(status(&mut stream, "/v2/else", headers(api)), 404);
        let wrong: Vec<String> = headers(api).iter().map(|header| header.replace("a-key", "b-key")).collect();
        let wrong: Vec<&str> = wrong.iter().map(String::as_str).collect();
        assert_eq!(status(&mut stream, path(api), &wrong), if api == Api::Gemini { 400 } else { 401 });
    }
    let (_vendor, mut stream) = start(Api::Anthropic, Vec::new());
    let answer =
        post(&mut stream, path(Api::Anthropic), &["x-api-key: a-key"], &example(Api::Anthropic).to_string());
    assert!(String::from_utf8(answer.unwrap().body).unwrap().contains("anthropic-version"));
}

#[test]
fn misbehaviour_is_as_ordered() {
    let ask = |fault: Fault| {
        let (vendor, mut stream) = start(Api::OpenAi, vec![(When::Until(1), fault)]);
        let first =
            post(&mut stream, path(Api::OpenAi), headers(Api::OpenAi), &example(Api::OpenAi).to_string());
        drop(vendor);
        first
    };
    let limited = ask(Fault::RetryAfter(1)).unwrap();
    assert_eq!(limited.status, 429);
    assert!(limited.head.contains("\nretry-after: 1"), "{}", limited.head);
    let dated = ask(Fault::RetryAfterDate(1)).unwrap();
    assert!(dated.head.contains(" gmt"), "{}", dated.head);
    assert!(ask(Fault::Torn).is_none());
    assert!(ask(Fault::HangsUp).is_none());
    assert!(serde_json::from_slice::<Value>(&ask(Fault::NotJson).unwrap().body).is_err());
    let refusal = ask(Fault::Refuses).unwrap().json();
    assert!(refusal["choices"][0]["message"]["refusal"].is_string());
    assert_eq!(ask(Fault::Nothing).unwrap().json()["choices"], json!([]));
    assert_eq!(ask(Fault::CutOff).unwrap().json()["choices"][0]["finish_reason"], "length");
    let redirect = ask(Fault::Redirect("http://x.example/".to_owned())).unwrap();
    assert!(redirect.status == 307 && redirect.head.contains("location: http://x.example/"));
    let huge = ask(Fault::Huge("grade", 1 << 20)).unwrap();
    assert!(huge.body.len() > 1 << 20);
    assert_eq!(ask(Fault::Error(Problem::Broken)).unwrap().status, 500);
    assert_eq!(ask(Fault::Gateway(502)).unwrap().status, 502);
}

#[test]
fn a_silent_server_ends_with_its_test() {
    let (vendor, mut stream) = start(Api::Gemini, vec![(When::Always, Fault::Silent)]);
    let asking = std::thread::spawn(move || {
        post(&mut stream, path(Api::Gemini), headers(Api::Gemini), &example(Api::Gemini).to_string())
            .is_none()
    });
    while vendor.calls() == 0 {
        std::thread::yield_now();
    }
    drop(vendor);
    assert!(asking.join().unwrap());
}

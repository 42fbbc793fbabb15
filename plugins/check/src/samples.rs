//! Requests and responses to try a plugin with.

use std::collections::BTreeMap;

use base64::Engine;
use loopctl_plugin_sdk::protocol::{
    Attachment, CompletionRequest, DocumentRef, HttpResponse, Message, RequestFeedback, RequestIssue,
    RequestOptions, Role,
};
use serde_json::{Map, Value, json};

/// Appears in the text of every document, and must not turn up in errors or logs.
pub(super) const CANARY: &str = "canary-7f3a-of-the-document";
/// The model that is asked for.
const MODEL: &str = "conformance";

const SOURCE_BYTES: usize = 24 << 20;
const MESSAGE_BYTES: usize = 4 << 20;
/// As much as the host takes from a server, but for the JSON around it.
const BODY_BYTES: usize = 15 << 20;
const NESTED: usize = 100_000;

/// A request that uses every field. `id` names its document: stateful providers go by it.
pub(super) fn full(id: &str) -> CompletionRequest {
    let source = format!("FINAL DIAGNOSIS\ngrade: moderate\n{CANARY}\n\u{fb01}n\u{e9} \u{1f52c}");
    let say = |role, content: String| Message { role, content };
    CompletionRequest {
        document: DocumentRef { id: id.to_owned(), document_type: "pathology".to_owned() },
        stage: "extract".to_owned(),
        iteration: 1,
        attempt: 2,
        messages: vec![
            say(
                Role::System,
                "You extract structured data. \"Quotes\" and \\backslashes\\ are text.".to_owned(),
            ),
            say(Role::User, format!("Extract the grade.\n\n{source}")),
            say(Role::Assistant, r#"{"grade": "high"}"#.to_owned()),
            say(Role::User, "The grade is wrong; correct it.".to_owned()),
        ],
        schema: Some(json!({
            "type": "object",
            "properties": {"grade": {"type": ["string", "null"], "description": "as the report has it"}},
            "required": ["grade"],
            "additionalProperties": false,
        })),
        source: Some(source),
        patterns: Some(json!({
            "extract": "pathology",
            "fields": {"grade": {"patterns": [{"pattern": r"grade:\s*(?P<value>\w+)"}]}},
        })),
        base: Some(json!({"grade": "high"})),
        feedback: Some(RequestFeedback {
            missing: vec!["size".to_owned()],
            issues: vec![RequestIssue {
                code: "GRADE_UNSUPPORTED".to_owned(),
                severity: "major".to_owned(),
                path: "/grade".to_owned(),
                message: "the document doesn't say so".to_owned(),
                suggested_fix: Some("copy it".to_owned()),
            }],
            failed_attempts: vec!["asking again".to_owned()],
        }),
        options: RequestOptions {
            model: Some(MODEL.to_owned()),
            temperature: Some(0.25),
            seed: Some(7),
            max_tokens: Some(512),
            extra_body: Map::from_iter([("user".to_owned(), json!("conformance"))]),
            extra_headers: BTreeMap::from([("x-conformance".to_owned(), "1".to_owned())]),
        },
        ..CompletionRequest::default()
    }
}

/// One question and a model, and nothing else.
pub(super) fn minimal(id: &str) -> CompletionRequest {
    CompletionRequest {
        document: DocumentRef { id: id.to_owned(), document_type: String::new() },
        messages: vec![Message { role: Role::User, content: format!("What is {CANARY}?") }],
        options: RequestOptions { model: Some(MODEL.to_owned()), ..RequestOptions::default() },
        ..CompletionRequest::default()
    }
}

/// With an image of one pixel.
pub(super) fn with_attachment(id: &str) -> CompletionRequest {
    const PNG: &[u8] =
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\r\
        IDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\x05\x02\0\x5f\xc8\xf1\xd2\0\0\0\0IEND\xaeB\x60\x82";
    let data = base64::engine::general_purpose::STANDARD.encode(PNG);
    CompletionRequest {
        attachments: vec![Attachment {
            name: "scan.png".to_owned(),
            media_type: "image/png".to_owned(),
            data,
        }],
        ..minimal(id)
    }
}

/// A document of tens of MiB, as it crosses the boundary. Its text is put into the JSON as it is, which takes no time,
/// where writing it as JSON would.
pub(super) fn huge(id: &str) -> Vec<u8> {
    const LINE: &str = r"The tumour measures 2.3 cm; the margins are free of disease.\n";
    let fill = |bytes: usize| LINE.repeat(bytes / LINE.len());
    let mut request = full(id);
    request.source = Some("THE SOURCE".to_owned());
    if let Some(message) = request.messages.get_mut(1) {
        message.content = "THE MESSAGE".to_owned();
    }
    let json = String::from_utf8(bytes(&request)).unwrap_or_default();
    json.replace("THE SOURCE", &fill(SOURCE_BYTES)).replace("THE MESSAGE", &fill(MESSAGE_BYTES)).into_bytes()
}

/// Like [`full`], from a host that knows more: unknown fields, wherever there are fields.
pub(super) fn from_the_future(id: &str) -> Vec<u8> {
    fn widen(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.values_mut().for_each(widen);
                fields.insert("from_the_future".to_owned(), json!({"deeply": [1, "two", null]}));
            }
            Value::Array(items) => items.iter_mut().for_each(widen),
            _ => {}
        }
    }
    let mut value = json(&full(id));
    // What is the user's own, and not the protocol's, stays as it is.
    let Some(fields) = value.as_object_mut() else { return Vec::new() };
    for (key, field) in fields.iter_mut() {
        if !["schema", "patterns", "base", "options"].contains(&key.as_str()) {
            widen(field);
        }
    }
    if let Some(options) = fields.get_mut("options").and_then(Value::as_object_mut) {
        options.insert("from_the_future".to_owned(), json!(1));
    }
    fields.insert("from_the_future".to_owned(), json!(true));
    value.to_string().into_bytes()
}

/// Bytes that are not a request, each with what it is.
pub(super) fn no_requests() -> Vec<(&'static str, Vec<u8>)> {
    let mut torn = bytes(&full("torn"));
    torn.truncate(torn.len() / 2);
    vec![
        ("empty input", Vec::new()),
        ("text that isn't JSON", format!("{CANARY} says hello").into_bytes()),
        ("JSON that is cut short", torn),
        ("a JSON list", b"[1, 2]".to_vec()),
        ("bytes that aren't UTF-8", b"\xff\xfe{\"stage\": \"\x80\"".to_vec()),
    ]
}

/// JSON nested deeper than a stack is.
pub(super) fn nested() -> Vec<u8> {
    let mut json = br#"{"schema": "#.to_vec();
    json.extend(std::iter::repeat_n(b'[', NESTED));
    json.extend(std::iter::repeat_n(b']', NESTED));
    json.push(b'}');
    json
}

/// Bodies that no API means, each with what it is.
pub(super) fn no_bodies() -> Vec<(&'static str, String)> {
    vec![
        ("an empty body", String::new()),
        ("an HTML page", "<html><body><h1>502 Bad Gateway</h1></body></html>".to_owned()),
        ("JSON that is cut short", r#"{"choices": [{"message": {"content": "{\"gra"#.to_owned()),
        ("`{}`", "{}".to_owned()),
        ("`null`", "null".to_owned()),
        ("a JSON list", "[]".to_owned()),
        ("bytes that were no UTF-8", "\u{fffd}\u{fffd}\0\u{fffd}{".to_owned()),
    ]
}

/// A server's answer with a body as large as the host lets in.
pub(super) fn huge_response(status: u16) -> Vec<u8> {
    let json = String::from_utf8(response(status, r#"{"unheard_of": "THE BODY"}"#)).unwrap_or_default();
    json.replace("THE BODY", &"x".repeat(BODY_BYTES)).into_bytes()
}

/// A server's answer.
pub(super) fn response(status: u16, body: &str) -> Vec<u8> {
    bytes(&HttpResponse {
        status,
        headers: BTreeMap::from([
            ("content-type".to_owned(), "application/json".to_owned()),
            ("x-request-id".to_owned(), "conformance-1".to_owned()),
        ]),
        body: body.to_owned(),
    })
}

/// As it crosses the boundary.
pub(super) fn bytes(payload: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(payload).unwrap_or_default()
}

fn json(payload: &impl serde::Serialize) -> Value {
    serde_json::to_value(payload).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_is_what_it_seems() {
        let request: CompletionRequest = serde_json::from_slice(&huge("a")).unwrap();
        assert!(request.source.unwrap().len() > SOURCE_BYTES / 10 * 9);
        assert!(request.messages[1].content.len() > MESSAGE_BYTES / 10 * 9);
        let response: HttpResponse = serde_json::from_slice(&huge_response(500)).unwrap();
        assert!(response.status == 500 && response.body.len() > BODY_BYTES);
        assert!(huge_response(500).len() < loopctl_plugin_sdk::abi::LC_MAX_OUTPUT);
    }

    #[test]
    fn a_request_from_the_future_is_still_one() {
        let request: CompletionRequest = serde_json::from_slice(&from_the_future("a")).unwrap();
        assert_eq!(request, full("a"));
        for (what, bytes) in no_requests() {
            assert!(serde_json::from_slice::<CompletionRequest>(&bytes).is_err(), "{what}");
            assert!(serde_json::from_slice::<HttpResponse>(&bytes).is_err(), "{what}");
        }
    }
}

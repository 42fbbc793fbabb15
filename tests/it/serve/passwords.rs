//! Passwords of documents that are submitted: used for their document, and stored nowhere.

use super::running::{Answer, Server};
use crate::workspace::Workspace;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::Path;

/// The password of the owner of the file.
const PASSWORD: &str = "master";

/// A PDF that opens with that password.
fn locked() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/pdf/locked-rc4-128.pdf")).unwrap()
}

fn server(place: &Workspace) -> Server {
    Server::start(place, &["--profile", "clinical", "--provider", "pattern", "--log", "json"])
}

/// Submits the file by the form of a page or of the API.
fn upload(server: &Server, path: &str, fields: &[(&str, &str)]) -> Answer {
    server.request("POST", path).admin().files(fields, &[("memo.pdf", locked())]).send()
}

/// Files below a folder that hold these bytes.
fn holders(folder: &Path, bytes: &[u8], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            holders(&entry.path(), bytes, found);
        } else if std::fs::read(entry.path()).unwrap().windows(bytes.len()).any(|window| window == bytes) {
            found.push(entry.path().display().to_string());
        }
    }
}

/// The result of a job, which was read.
fn read(server: &Server, job: &Value) -> Value {
    let id = job["id"].as_str().unwrap();
    assert_eq!(server.finished(id)["status"], "finished");
    let result = server.get(&format!("/api/jobs/{id}/result")).is(200).json();
    assert_ne!(result["stop_reason"], "unreadable_input", "{result}");
    result
}

#[test]
fn a_file_without_its_password_is_refused_while_its_sender_is_there() {
    let place = Workspace::new();
    let server = server(&place);
    let needs = "the document is a PDF that needs a password";
    let none = upload(&server, "/api/uploads", &[]).is(422).json();
    assert_eq!(none["error"], needs);
    assert!(none["help"].as_str().unwrap().contains("`password`"), "{none}");
    let wrong = upload(&server, "/api/uploads", &[("password", "not-this-one")]).is(422).text();
    assert!(wrong.contains("no given one opens it") && !wrong.contains("not-this-one"), "{wrong}");
    // A field that was left empty is no password.
    let page = upload(&server, "/documents", &[("password", "")]).is(422).text();
    assert!(page.contains(needs) && page.contains("type=\"password\""), "{page}");
    let page = upload(&server, "/documents", &[("password", "not-this-one")]).is(422).text();
    assert!(page.contains("no given one opens it") && !page.contains("not-this-one"), "{page}");
    let encoded = STANDARD.encode(locked());
    let by_json = |password: &Value| {
        let body = json!({ "file_base64": encoded, "file_name": "memo.pdf", "password": password });
        server.post("/api/jobs", &body)
    };
    by_json(&json!(null)).is(422);
    by_json(&json!("not-this-one")).is(422);
    let number = by_json(&json!(471_147)).is(422).text();
    assert!(number.contains("a password is a text") && !number.contains("471147"), "{number}");
    by_json(&json!("x".repeat(1025))).is(422);
    assert!(server.get("/api/jobs").is(200).json()["jobs"].as_array().unwrap().is_empty());
}

#[test]
fn a_password_opens_its_document_and_is_stored_nowhere() {
    let place = Workspace::new();
    let server = server(&place);
    let with = [("document_type", "pathology"), ("password", PASSWORD)];
    let jobs = upload(&server, "/api/uploads", &with).is(202).json();
    read(&server, &jobs["jobs"][0]);
    let body = json!({
        "file_base64": STANDARD.encode(locked()), "file_name": "memo.pdf", "document_type": "pathology", "password": PASSWORD
    });
    let job = server.post("/api/jobs", &body).is(202).json();
    read(&server, &job);
    let body = json!({
        "fileBase64": STANDARD.encode(locked()), "mimeType": "application/pdf", "filename": "memo.pdf",
        "documentTypeOverride": "pathology", "password": PASSWORD
    });
    let answer = server.post("/api/upload/process-v2", &body).is(200).json();
    assert!(!answer["warnings"].to_string().contains("password"), "{answer}");
    // It is tried on its own document, not on another of the same bytes.
    upload(&server, "/api/uploads", &[]).is(422);
    let of = |what: &str| {
        format!("/review/{}/{}/{what}", job["run"].as_str().unwrap(), job["document"].as_str().unwrap())
    };
    assert!(server.get(&of("pages/1?scale=1")).is(200).body.starts_with(b"\x89PNG"));
    let note = |server: &Server| {
        let form = server.request("POST", "/documents").admin();
        form.files(&with, &[("note.txt", "A note of the liver.")]).send().is(303)
    };
    assert_eq!(note(&server).header("location"), Some("/?taken=1&known=0"));
    // Dropped again on the page, it is known.
    assert_eq!(upload(&server, "/documents", &with).is(303).header("location"), Some("/?taken=1&known=0"));
    assert_eq!(upload(&server, "/documents", &with).is(303).header("location"), Some("/?taken=0&known=1"));
    server.kill();
    let mut found = Vec::new();
    holders(&place.path("data"), PASSWORD.as_bytes(), &mut found);
    assert_eq!(found, Vec::<String>::new());

    // After a restart it has to be given again. A file that needs none stays known.
    let server = self::server(&place);
    let lost = server.get(&of("pages/1?scale=1")).is(422).text();
    assert!(lost.contains("needs a password"), "{lost}");
    assert_eq!(upload(&server, "/documents", &with).is(303).header("location"), Some("/?taken=1&known=0"));
    assert_eq!(note(&server).header("location"), Some("/?taken=0&known=1"));
    let jobs = server.get("/api/jobs").is(200).json();
    read(&server, &jobs["jobs"][0]);
}

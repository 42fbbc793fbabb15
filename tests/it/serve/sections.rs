//! Files of several documents that are submitted: split, worked on section by section, and merged.

use super::running::Server;
use crate::split_scans::{pages_read, place, programs};
use crate::workspace::{Workspace, until};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

fn server(place: &Workspace) -> Server {
    let mut command = place.process();
    command.args(["serve", "--data", "data", "--listen", "127.0.0.1:0", "--profile", "small"]);
    command.env("PATH", programs(place));
    Server::of(command)
}

fn submit(server: &Server, place: &Workspace) -> String {
    let file = STANDARD.encode(std::fs::read(place.path("scan.pdf")).unwrap());
    let job = server.post("/api/jobs", &json!({ "file_base64": file, "file_name": "scan.pdf" })).is(202);
    job.json()["id"].as_str().unwrap().to_owned()
}

fn job(server: &Server, id: &str) -> Value {
    server.get(&format!("/api/jobs/{id}")).is(200).json()
}

#[test]
#[cfg(unix)]
fn a_file_that_is_submitted_is_a_job_of_its_sections_with_one_result() {
    let place = place("");
    let server = server(&place);
    let id = submit(&server, &place);
    let ended = server.events(&id, None);
    assert!(ended.iter().any(|event| event.kind == "split"), "{ended:?}");
    let over = job(&server, &id);
    assert_eq!(over["status"], "finished", "{over}");
    let sections: Vec<_> = over["sections"].as_array().unwrap().iter().collect();
    let shown: Vec<_> =
        sections.iter().map(|section| (&section["document"], &section["document_type"])).collect();
    assert_eq!(
        shown,
        [(&json!("scan#1"), &json!("a")), (&json!("scan#2"), &json!("b")), (&json!("scan#3"), &json!("a"))]
    );
    assert!(sections.iter().all(|section| section["final_status"] == "passed"), "{over}");
    assert_eq!(pages_read(&place), 3, "each page is read once");
    let result = server.get(&format!("/api/jobs/{id}/result")).is(200).json();
    assert_eq!((&result["id"], &result["status"]), (&json!("scan"), &json!("passed")));
    assert_eq!(result["extraction"]["site"], json!(["scan#1", "scan#2", "scan#3"]));
    assert_eq!(result["results"][1]["id"], "scan#2");
    let story = server.get(&format!("/api/jobs/{id}/explanation")).is(200).json();
    assert_eq!(story["sections"].as_array().unwrap().len(), 3);
    let page = server.request("GET", "/documents/list").admin().send().is(200).text();
    assert!(page.contains("3 of 3 sections passed") && page.contains("scan%231"), "{page}");
    // The desk shows the pages of a section alone, by their numbers in the file.
    let run = over["run"].as_str().unwrap();
    let desk = server.request("GET", &format!("/review/{run}/scan%232")).admin().send().is(200).text();
    assert!(desk.contains("Page 2 of 3") && !desk.contains("Page 1 of 3"), "{desk}");
}

#[test]
#[cfg(unix)]
fn the_page_that_is_read_is_shown_while_a_file_is_read() {
    // The engine waits for a line after it was shown a page.
    let wait = "read go < \"${0%/*}/go\"";
    let place = place(wait);
    let fifo = place.path("engine/go");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let server = server(&place);
    let id = submit(&server, &place);
    let page = until("a page is read", || {
        let job = job(&server, &id);
        (!job["reading_page"].is_null()).then_some(job)
    });
    assert_eq!((&page["reading"], &page["reading_page"]["pages"]), (&json!(true), &json!(3)));
    let shown = server.request("GET", "/documents/list").admin().send().is(200).text();
    assert!(shown.contains("reading page ") && shown.contains(" of 3"), "{shown}");
    // Open at both ends, it keeps the lines until they are read.
    let mut lines = std::fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
    std::io::Write::write_all(&mut lines, b"go\ngo\ngo\n").unwrap();
    let ended = server.events(&id, None);
    assert_eq!(ended.last().unwrap().kind, "ended");
    assert!(job(&server, &id)["reading_page"].is_null());
}

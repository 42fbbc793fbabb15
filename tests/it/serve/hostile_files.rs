//! Hostile files that are submitted: each is refused in a sentence or fails alone, and the service reads the next one.

#[path = "../../../crates/read/tests/hostile_files/mod.rs"]
mod made;

use super::running::Server;
use crate::workspace::{Workspace, documents};
use made::HOSTILE_FILES;
use serde_json::Value;

/// Those that are submitted, of each kind: enormous, deep, circular, inflating, empty of pages.
const SUBMITTED: [&str; 17] = [
    "no_pages",
    "page_tree_in_a_circle",
    "image_of_two_and_a_half_gigapixels",
    "flate_bomb_in_a_flate_bomb",
    "nested_forms_with_paths",
    "object_stream_that_holds_itself",
    "type3_font_that_draws_itself",
    "docx_of_deep_tables",
    "docx_that_inflates",
    "xlsx_of_far_cells",
    "ods_of_repeated_cells",
    "rtf_of_deep_groups",
    "mail_within_mails",
    "html_of_deep_elements",
    "xml_of_entities",
    "png_of_too_many_pixels",
    "tiff_whose_pages_are_a_circle",
];

/// The number of those that are refused.
const REFUSED: usize = 13;

/// The result of a file: refused in a sentence that says what helps, or read and left to a person.
fn submit(server: &Server, name: &str, file: &[u8]) -> Value {
    let answer = server.request("POST", "/api/uploads").admin().files(&[], &[(name, file)]).send().is(202);
    let id = answer.json()["jobs"][0]["id"].as_str().unwrap().to_owned();
    server.finished(&id);
    server.get(&format!("/api/jobs/{id}/result")).is(200).json()
}

#[test]
fn hostile_files_harm_nothing_but_themselves() {
    let place = Workspace::new();
    let server = Server::start(&place, &["--profile", "clinical", "--provider", "pattern"]);
    let mut refused = 0;
    for name in SUBMITTED {
        let file = HOSTILE_FILES.iter().find(|file| file.name == name).unwrap();
        let result = submit(&server, &format!("{}-{name}", file.kind), &(file.make)());
        assert_ne!(result["final_status"], "passed", "{name}: {result}");
        if result["stop_reason"] == "unreadable_input" {
            let why = result["detail"].as_str().unwrap();
            assert!(why.starts_with("the ") && why.contains("; "), "{name}: {why}");
            refused += 1;
        } else {
            assert!(result["best_extraction"].is_object(), "{name}: {result}");
        }
        assert_eq!(result["review"], true, "{name}");
    }
    // The others have a text of some words beside what is hostile.
    assert_eq!(refused, REFUSED);
    let report = std::fs::read(documents().join("pathology-gastric.txt")).unwrap();
    let result = submit(&server, "report.txt", &report);
    assert_ne!(result["stop_reason"], "unreadable_input", "{result}");
    let list = server.request("GET", "/documents/list").admin().send().is(200).text();
    assert!(SUBMITTED.iter().all(|name| list.contains(name)), "{list}");
}

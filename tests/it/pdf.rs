//! PDF files from the command line to the result: read in a process of their own, checked against the text of their pages.

use crate::workspace::{Ran, Workspace};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::process::Stdio;

/// A PDF of one wide page with these lines, twelve points apart.
fn pdf(lines: &[&str]) -> Vec<u8> {
    pdf_of(lines, "")
}

/// A PDF of two wide pages: one with these lines, and another one, of which this is the content.
pub(crate) fn pdf_of(lines: &[&str], second: &str) -> Vec<u8> {
    let mut content = String::from("BT /F 10 Tf 12 TL 30 760 Td\n");
    for line in lines {
        writeln!(content, "({}) Tj T*", line.replace('(', "\\(").replace(')', "\\)")).unwrap();
    }
    content.push_str("ET");
    let stream = |text: &str| format!("<</Length {}>>stream\n{text}\nendstream", text.len());
    let page = |content: u32| {
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9000 842]/Contents {content} 0 R/Resources<</Font<</F 7 0 R>>>>>>"
        )
    };
    format!(
        "%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>endobj
3 0 obj{}endobj
4 0 obj{}endobj
5 0 obj{}endobj
6 0 obj{}endobj
7 0 obj<</Type/Font/Subtype/Type1/BaseFont/Courier>>endobj
trailer<</Root 1 0 R>>
%%EOF
",
        page(4),
        stream(&content),
        page(6),
        stream(second)
    )
    .into_bytes()
}

fn report() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/reports/liver-resection.txt"))
        .unwrap()
}

#[test]
fn a_report_passes_as_a_pdf_as_it_does_as_text() {
    let place = Workspace::new();
    let text = report();
    place.write("reports/liver.pdf", pdf(&text.lines().collect::<Vec<_>>()));
    // A folder gives its PDFs, and the type is told from the text.
    let ran = place.run(&["run", "--profile", "clinical", "--format", "jsonl", "reports"]).exits(0);
    let result = &ran.lines()[0];
    assert_eq!(
        (&result["id"], &result["document_type"]),
        (&"liver".into(), &"pathology".into()),
        "{}",
        ran.out
    );
    assert_eq!(result["final_status"], "passed");
}

#[test]
fn a_page_that_is_only_a_picture_leaves_the_result_to_a_person() {
    let place = Workspace::new();
    let text = report();
    let lines: Vec<&str> = text.lines().collect();
    place.write("liver.pdf", pdf_of(&lines, "q 9000 0 0 842 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID a EI Q"));
    let ran = place.run(&["run", "--profile", "clinical", "--format", "jsonl", "liver.pdf"]).exits(3);
    let result = &ran.lines()[0];
    assert_eq!(result["best_validation"]["issues"][0]["code"], "DOCUMENT_UNSEEN", "{}", ran.out);
    let message = result["best_validation"]["issues"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("page 2 shows only a picture"), "{message}");
    place.run(&["read", "liver.pdf"]).exits(0).says(&["`liver.pdf`: page 2 shows only a picture"]);
}

#[test]
fn a_value_that_the_pages_do_not_show_is_not_supported() {
    let place = Workspace::new();
    place.write("invoice.pdf", pdf(&["Invoice number: 4711", "Total: 18.50 EUR"]));
    place.write("right.json", r#"{"invoiceNumber": "4711", "total": 18.5}"#);
    place.write("wrong.json", r#"{"invoiceNumber": "4712", "total": 18.5}"#);
    let support = |extraction: &str| {
        let scored = place.run(&[
            "score",
            "--profile",
            "balanced",
            "--type",
            "unknown",
            "--source",
            "invoice.pdf",
            "--format",
            "json",
            extraction,
        ]);
        scored.json()[0]["evidence"]["/invoiceNumber"]["support"].clone()
    };
    assert_eq!(support("right.json"), "verified");
    assert_ne!(support("wrong.json"), "verified");
    let read = place.run(&["read", "invoice.pdf"]).exits(0);
    assert!(read.out.contains("4711"), "{}", read.out);
}

#[test]
fn a_file_that_cannot_be_read_is_one_failed_document() {
    let place = Workspace::new();
    place.write("in/a.pdf", &pdf(&["Total: 1"])[..150]);
    place.write("in/b.txt", report());
    let ran = place.run(&["run", "--profile", "clinical", "--format", "jsonl", "in"]).exits(3);
    let ended: Vec<String> =
        ran.lines().iter().map(|one| format!("{} {}", one["id"], one["final_status"])).collect();
    assert_eq!(ended, [r#""a" "failed""#, r#""b" "passed""#], "{}", ran.out);
    place.run(&["read", "in/a.pdf"]).exits(1).says(&["is damaged", "save it again"]);
}

#[test]
fn a_password_comes_from_a_file_a_flag_or_the_environment_and_is_kept_nowhere() {
    let place = Workspace::new();
    let locked = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/pdf/locked-rc4-128.pdf");
    place.write("in/locked.pdf", std::fs::read(locked).unwrap());
    place.write("passwords.txt", "other\nmaster\n");
    place.run(&["read", "in/locked.pdf"]).exits(1).says(&[
        "needs a password",
        "--password-file FILE",
        "LOOPCTL_PASSWORD",
    ]);
    place
        .run(&["read", "in/locked.pdf", "--password", "wrong-one"])
        .exits(1)
        .says(&["no given one opens it"]);
    place.run(&["read", "in/locked.pdf", "--password", "view"]).exits(0);
    place.run(&["read", "in/locked.pdf", "--password-file", "passwords.txt"]).exits(0);
    Ran::of(place.loopctl(&["read", "in/locked.pdf"]).env("LOOPCTL_PASSWORD", "view")).exits(0);
    place.run(&["read", "in/locked.pdf", "--password-file", "in/locked.pdf"]).exits(2).says(&["not UTF-8"]);
    let ran = place.run(&[
        "run",
        "--format",
        "jsonl",
        "--out",
        "out",
        "--password",
        "kept-nowhere",
        "--password",
        "master",
        "in",
    ]);
    assert_ne!(ran.lines()[0]["stop_reason"], "unreadable_input", "{}", ran.out);
    for entry in std::fs::read_dir(place.path("out")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(12).any(|window| window == b"kept-nowhere"));
    }
}

#[test]
fn a_file_that_is_too_large_to_be_attached_is_refused_where_it_would_be() {
    let place = Workspace::new();
    let large = [pdf(&report().lines().collect::<Vec<_>>()), vec![b' '; 12 << 20]].concat();
    place.write("liver.pdf", large);
    place.run(&["run", "--profile", "clinical", "liver.pdf"]).exits(0);
    // No call is made, so no one answers at this address.
    let shown = ["run", "--provider", "openai:gpt-x", "--config", "stages.*.attach=document", "liver.pdf"];
    let mut run = place.loopctl(&shown);
    let ran = Ran::of(run.env("OPENAI_API_KEY", "x").env("OPENAI_BASE_URL", "http://127.0.0.1:9"));
    ran.exits(3).says(&["at most 11796480 are sent to a model"]);
}

/// A message to the process that reads, or from it: the number of its bytes, then these.
fn frame(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u64).to_be_bytes(), message].concat()
}

#[test]
fn the_process_that_reads_ends_in_the_middle_of_a_task_when_no_one_waits_for_it() {
    let place = Workspace::new();
    // Many pages take seconds, and the end of the stream comes with the task.
    let line = "Total: 18.50 EUR, to be paid within thirty days of the date of this invoice";
    let messages = |lines: usize| [&b"{}"[..], &pdf(&vec![line; lines]), b"\"text\""].map(frame).concat();
    let ended = |messages: &[u8], waits: bool| {
        let mut process = place.process();
        process.arg("contained-reader").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = process.spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        stdin.write_all(messages).unwrap();
        let mut said = Vec::new();
        if waits {
            said = vec![0; 8];
            stdout.read_exact(&mut said).unwrap();
        }
        drop(stdin);
        stdout.read_to_end(&mut said).unwrap();
        (said.len(), child.wait().unwrap().success())
    };
    assert!(ended(&messages(1), true).0 > 100);
    assert_eq!(ended(&messages(60_000), false), (0, true), "it is not done before it ends");
}

/// Other programs may see the verb, and what it writes is for loopctl alone.
#[test]
fn the_process_that_reads_is_not_among_the_verbs() {
    let place = Workspace::new();
    assert!(!place.run(&["--help"]).exits(0).out.contains("contained-reader"));
}

//! `loopctl read`: what was read of a document, and what binds the values of an extraction to it.

use crate::workspace::{Ran, Workspace};
use serde_json::json;
use std::path::Path;

/// A folder with a document of the repository.
fn place(file: &str) -> Workspace {
    let place = Workspace::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let name = from.file_name().unwrap().to_str().unwrap();
    place.write(name, std::fs::read(&from).unwrap());
    place
}

#[test]
fn an_invoice_is_shown_with_its_cells_labels_and_what_binds_values() {
    let place = place("crates/ground/tests/documents/invoice-en.txt");
    let record = json!({
        "invoiceDate": "2024-08-17", "dueDate": "2024-09-17", "total": 2969.65, "paid": true,
        "items": [
            {"description": "Steel beams", "quantity": 5, "amount": 1000.0},
            {"description": "Labor", "quantity": 12, "amount": 1440.0},
            {"description": "Paint, white", "quantity": 3, "amount": 55.5},
        ],
    });
    place.write("invoice.json", record.to_string());
    let arguments = ["read", "invoice-en.txt", "--extraction", "invoice.json"];
    insta::assert_snapshot!(place.run(&arguments).exits(0).out);

    let told = place.run_json(&[&arguments[..], &["--format", "json"]].concat());
    let total = told["values"].as_array().unwrap().iter().find(|value| value["path"] == "/total").unwrap();
    assert_eq!(total["structure"]["binding"], "labelled", "{total}");
    assert_eq!((&total["clause"]["line"], &total["clause"]["text"]), (&json!(14), &json!("2,969.65")));
    assert!(total["clause"]["bound"].as_f64().unwrap() > 0.9, "{total}");
    // A location in characters is that of the text.
    let text: Vec<char> = place.read("invoice-en.txt").chars().collect();
    let at = |name: &str| usize::try_from(total["clause"][name].as_u64().unwrap()).unwrap();
    assert_eq!(text[at("start")..at("end")].iter().collect::<String>(), "2,969.65");
}

#[test]
fn a_report_is_shown_with_its_statements() {
    let place = place("examples/reports/liver-resection.txt");
    place.write(
        "report.json",
        r#"{"margins": "free of tumor", "vascularInvasion": false, "tumorSizeCm": 4.6, "grade": "3"}"#,
    );
    let arguments = ["read", "liver-resection.txt", "--clauses", "--extraction", "-"];
    let given = place.read("report.json");
    let ran = Ran::of(place.loopctl(&arguments).write_stdin(given)).exits(0);
    insta::assert_snapshot!(ran.out);
}

#[test]
fn only_so_much_is_shown_and_the_rest_is_counted() {
    let place = Workspace::new();
    place.write("many.txt", "One is 1. Two is 2.\n\n".repeat(700));
    let ran = place.run(&["read", "many.txt", "--clauses"]).exits(0);
    assert!(ran.out.contains("\n… 200 more lines; `--lines N` shows more\n"), "{}", ran.out);
    assert!(ran.out.contains("\n… 900 more sentences; `--lines N` shows more\n"), "{}", ran.out);
    place.write("record.json", r#"{"a": 1, "b": 2, "c": null, "d": ""}"#);
    let arguments = ["read", "many.txt", "-e", "record.json", "--lines", "1", "--format", "json"];
    let told = place.run_json(&arguments);
    assert_eq!((told["lines"].as_array().unwrap().len(), &told["lines_left_out"]), (1, &json!(699)));
    assert_eq!(told["values_left_out"], 1);
    // A line without end, and one of many columns.
    place.write("wide.txt", format!("{}\n{}", "x".repeat(100_000), "a  ".repeat(5_000)));
    let ran = place.run(&["read", "wide.txt"]).exits(0);
    assert!(ran.out.len() < 20_000 && ran.out.contains("  … 4800 more cells\n"), "{}", ran.out.len());
}

#[test]
fn wrong_input_is_named_with_its_place_and_what_to_do() {
    let place = Workspace::new();
    place.write("doc.txt", "Total: 5");
    place.write("doc.json", "{\n  \"total\": 5,\n}");
    place.write("list.json", "[1]");
    place.write("bytes.txt", b"caf\xc3\xa9 au lait\xff is \xc3 a drink");
    place.write("empty.txt", "");
    place.run(&["read", "none.txt"]).exits(1).says(&["can't read `none.txt`"]);
    place.run(&["read", "."]).exits(1).says(&["can't read `.`"]);
    place
        .run(&["read", "bytes.txt"])
        .exits(1)
        .says(&["`bytes.txt`: the document is not UTF-8 text (byte 13)", "help:"]);
    place.run(&["read", "empty.txt"]).exits(1).says(&["`empty.txt`: the document is empty", "help:"]);
    place.run(&["read", "doc.txt", "--extraction", "doc.json"]).exits(1).says(&[
        "doc.json:3:1: the extraction is not JSON",
        "help:",
        "`loopctl repair`",
    ]);
    place
        .run(&["read", "doc.txt", "--extraction", "list.json"])
        .exits(1)
        .says(&["list.json:1:1: the extraction is no JSON object", "help:"]);
    place.run(&["read", "doc.txt", "--extraction", "none.json"]).exits(1).says(&["can't read `none.json`"]);
    place
        .run(&["read", "-", "--extraction", "-"])
        .exits(2)
        .says(&["can't both come from standard input", "help:"]);
    place.run(&["read"]).exits(2).says(&["<FILE>"]);
    let ran = Ran::of(place.loopctl(&["read", "-"]).write_stdin("Total: 5")).exits(0);
    assert!(ran.out.contains("number 5  label \"total\", left"), "{}", ran.out);
}

//! Text of documents, of profiles from elsewhere and of scripts: it is bounded, and no terminal obeys it.

use crate::workspace::{Ran, Workspace};
use serde_json::json;

/// Characters that a terminal would obey.
const WILD: [char; 4] = ['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}'];

fn is_harmless(ran: &Ran) {
    for (stream, text) in [("standard output", &ran.out), ("standard error", &ran.err)] {
        assert!(!text.contains(WILD), "{stream}: {text:?}");
    }
}

#[test]
fn names_in_records_reach_no_terminal_as_they_are() {
    let place = Workspace::new();
    let wild: String = format!("x{}y", WILD.iter().collect::<String>());
    let records = [
        json!({ "id": "a", "document_type": wild, "extraction": { "grade": "G2" } }),
        json!({ "id": wild, "extraction": { wild.as_str(): 1 }, "given": { wild.as_str(): 0.5 }, wild.as_str(): 1 }),
    ];
    place.write("r.jsonl", records.iter().map(|record| format!("{record}\n")).collect::<String>());
    for format in ["table", "json", "jsonl"] {
        is_harmless(&place.run(&["score", "--profile", "clinical", "--format", format, "r.jsonl"]));
    }
    let source = format!("extends: batch\ndescription: \"{wild}\"\n{wild}: 1\n").replace('\u{1b}', "");
    place.write("profiles/mine.yaml", source.replace('\u{7}', ""));
    for arguments in [&["check", "mine"][..], &["profile", "show", "mine"], &["profile", "list"]] {
        is_harmless(&place.run(arguments));
    }
}

#[test]
fn a_condition_of_a_profile_is_bounded_when_it_is_checked() {
    let many = format!("{}overall < 0.5", "overall < 0.5 or ".repeat(40_000));
    let some = format!("{}overall < 0.5", "overall < 0.5 or ".repeat(220));
    for (condition, said) in [
        (
            r#"(\"a\" * 100000) | replace(\"a\", \"b\" * 100000) | length > overall"#,
            "`*` multiplies numbers only",
        ),
        (many.as_str(), "more than 4096 bytes"),
        (some.as_str(), "more than 200 operators"),
    ] {
        let place = Workspace::new();
        place.write("profiles/mine.yaml", format!("extends: batch\nreview: {{ when: \"{condition}\" }}\n"));
        place.run(&["check", "mine"]).exits(2).finds(&[said]);
    }
}

#[test]
fn a_broken_script_does_not_pass_for_one_that_finds_something() {
    let place = Workspace::new();
    place.write("rules/mine.yaml", "rules:\n  - { id: agree, script: mine.rhai#agree }\n");
    place.write(
        "rules/mine.rhai",
        "fn agree(candidate, source) { if candidate.a == 1 { #{ mesage: \"no\" } } }\n",
    );
    let cases = "cases:\n  - { rule: agree, valid: [{ a: 2 }], invalid: [{ a: 1 }]MORE }\n";
    for more in ["", ", issue: { severity: major }"] {
        place.write("rules/mine.test.yaml", cases.replace("MORE", more));
        let ran = place.run(&["test", "rules/mine.test.yaml"]).exits(3);
        assert!(ran.out.contains("did you mean `message`?"), "{}", ran.out);
    }
    place.write("rules/mine.test.yaml", cases.replace("MORE", ", issue: { code: SCRIPT_FAILED }"));
    place.run(&["test", "rules/mine.test.yaml"]).exits(0);
}

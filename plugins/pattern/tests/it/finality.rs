//! Preliminary statements, and final ones.

use loopctl_pattern::extract::extract;
use loopctl_pattern::patterns::Patterns;
use serde_json::{Value, json};

fn found(take: &str, source: &str) -> Value {
    let patterns = Patterns::from_json(&json!({
        "extract": "t",
        "headings": [r"^(?P<title>[A-Z ]+):"],
        "preliminary": "preliminary.*|frozen section",
        "fields": {
            "margins": { "patterns": [{ "pattern": r"margins? (?:are |is )?(?P<value>\w+)", "take": take }] },
            "markers": { "kind": "object", "patterns": [{ "pattern": r"\b(?P<key>ER|PR) (?P<value>\w+)" }] },
            "sizes": { "kind": "list", "patterns": [{ "pattern": r"(?P<size>\d+ mm)" }] },
            "diagnosis": { "patterns": [{ "section": ".*diagnosis", "pattern": r"(?P<value>\w*oma)" }] },
        }
    }));
    Value::Object(extract(&patterns.unwrap(), source).fields)
}

#[test]
fn what_is_final_counts_before_what_is_not() {
    let source = "FROZEN SECTION: margins positive, ER weak, 12 mm\nFINAL REPORT: margins negative, PR strong, 9 mm\n\
        PRELIMINARY DIAGNOSIS: carcinoma, PR absent\nDIAGNOSIS: adenoma\n";
    for take in ["first", "last"] {
        assert_eq!(
            found(take, source),
            json!({
                "margins": "negative",
                "markers": { "PR": "strong", "ER": "weak" },
                "sizes": [{ "size": "12 mm" }, { "size": "9 mm" }],
                "diagnosis": "adenoma",
            }),
            "{take}"
        );
    }
}

#[test]
fn what_nothing_else_says_is_taken_from_where_it_stands() {
    let source = "PRELIMINARY DIAGNOSIS: adenoma, margin free\nCOMMENT: see there. Margins\n";
    assert_eq!(found("first", source), json!({ "margins": "free", "diagnosis": "adenoma" }));
    let several = "COMMENT: margins close\nFROZEN SECTION: margins positive\nCOMMENT: margins negative\n";
    assert_eq!(found("first", several)["margins"], json!("close"));
    assert_eq!(found("last", several)["margins"], json!("negative"));
}

#[test]
fn without_headings_nothing_is_preliminary() {
    let patterns = json!({ "extract": "t", "preliminary": "preliminary", "fields": {} });
    let error = Patterns::from_json(&patterns).unwrap_err().to_string();
    assert!(error.contains("preliminary") && error.contains("headings"), "{error}");
}

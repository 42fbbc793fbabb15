//! One table per option of the pattern file: what the first attempt finds.

use loopctl_pattern::extract::extract;
use loopctl_pattern::patterns::Patterns;
use serde_json::{Value, json};

/// The field `f`, declared like this, in this document.
pub(crate) fn found(field: Value, source: &str) -> Value {
    let file = json!({
        "extract": "test",
        "headings": [r"^(?P<title>(?-i:[A-Z][A-Z ]*)):"],
        "fields": { "f": field },
    });
    let patterns = Patterns::from_json(&file).unwrap();
    extract(&patterns, source).fields.remove("f").unwrap_or(Value::Null)
}

#[test]
fn text_is_the_first_pattern_that_matches() {
    let field = json!({ "patterns": [
        { "pattern": r"grade:\s*(?P<value>[^\n.;]+)" },
        { "pattern": r"(?P<value>\w+ differentiated)" },
    ]});
    let cases = [
        ("Poorly differentiated.\nGrade: 2.", json!("2")),
        ("grade: G2, well\r\n", json!("G2, well")),
        ("well differentiated", json!("well differentiated")),
        ("Grade:   \n", Value::Null),
        ("nothing of the kind", Value::Null),
        ("", Value::Null),
    ];
    for (source, expected) in cases {
        assert_eq!(found(field.clone(), source), expected, "{source:?}");
    }
}

#[test]
fn take_says_which_match_counts() {
    let field = |take: &str| json!({ "patterns": [{ "pattern": r"on (?P<value>\d+)", "take": take }] });
    assert_eq!(found(field("first"), "on 1, on 2, on 3"), json!("1"));
    assert_eq!(found(field("last"), "on 1, on 2, on 3"), json!("3"));
}

#[test]
fn rejected_values_are_passed_over() {
    let field =
        json!({ "patterns": [{ "pattern": r"margins?: (?P<value>[^\n]+)", "reject": "not specified" }] });
    assert_eq!(found(field.clone(), "Margins: Not specified\nMargin: free"), json!("free"));
    assert_eq!(found(field, "Margins: Not specified"), Value::Null);
}

#[test]
fn sections_bound_the_search() {
    let in_section =
        json!({ "patterns": [{ "section": "(?:final )?diagnosis", "pattern": r"(?P<value>\w*carcinoma)" }] });
    let source = "HISTORY: old carcinoma\nFINAL DIAGNOSIS: adenocarcinoma\nCOMMENT: squamous carcinoma";
    assert_eq!(found(in_section.clone(), source), json!("adenocarcinoma"));
    assert_eq!(found(in_section, "DIAGNOSIS COMMENT: carcinoma"), Value::Null, "the whole title must match");

    let whole = json!({ "patterns": [{ "section": "impression" }] });
    assert_eq!(found(whole.clone(), "IMPRESSION:\n  Normal\n  chest.\nSIGNED: X"), json!("Normal chest."));
    assert_eq!(found(whole, "IMPRESSION:\nSIGNED: X"), Value::Null, "an empty section is no value");
}

#[test]
fn words_stand_for_their_patterns_everywhere() {
    let file = json!({
        "extract": "test",
        "words": { "degree": "well|poorly", "differentiated": "{degree} differentiated", "title": "findings" },
        "headings": [r"^(?P<title>{title}):"],
        "fields": { "f": {
            "kind": "object",
            "keys": { "grade": "{title}" },
            "patterns": [{ "section": "{title}", "pattern": r"(?P<key>{title}) (?P<value>{differentiated})", "reject": "{degree} x" }],
        } },
    });
    let patterns = Patterns::from_json(&file).unwrap();
    let source = "Findings poorly differentiated\nFINDINGS: findings well differentiated";
    assert_eq!(extract(&patterns, source).fields.get("f"), Some(&json!({ "grade": "well differentiated" })));
}

#[test]
fn head_bounds_the_search_in_characters() {
    let field = json!({ "patterns": [{ "head": 4, "pattern": r"(?P<value>\d+)" }] });
    assert_eq!(found(field.clone(), "ççç12"), json!("1"));
    assert_eq!(found(field.clone(), "çççç12"), Value::Null);
    assert_eq!(found(field, "1"), json!("1"));
    let in_section = json!({ "patterns": [{ "section": "b", "head": 4, "pattern": r"(?P<value>\d+)" }] });
    assert_eq!(found(in_section.clone(), "A: 1\nB: 2"), json!("2"));
    assert_eq!(found(in_section, "A: 1\nB: none 2"), Value::Null);
}

#[test]
fn numbers_are_json_numbers() {
    let field = json!({ "kind": "number", "patterns": [{ "pattern": r"tmb\D*(?P<value>[\d.,-]+)" }] });
    let cases = [
        ("TMB: 12", json!(12)),
        ("TMB 12.5 mut/Mb", json!(12.5)),
        ("TMB 12,5 mut/Mb", json!(12.5)),
        ("TMB 1.2.3, TMB 4", json!(4)),
        ("TMB 12,500", Value::Null),
        ("TMB high", Value::Null),
    ];
    for (source, expected) in cases {
        assert_eq!(found(field.clone(), source), expected, "{source:?}");
    }
}

#[test]
fn objects_have_one_entry_per_known_key() {
    let field = json!({
        "kind": "object",
        "keys": { "ER": "ER|estrogen receptor", "PR": "PR" },
        "patterns": [{ "pattern": r"\b(?P<key>[a-z ]*?\w+): (?P<value>[^\n;]*)" }],
    });
    assert_eq!(
        found(field.clone(), "Estrogen receptor: positive; PR: 10%; ERG: lost; ER: negative"),
        json!({ "ER": "positive", "PR": "10%" }),
        "the first match of a key counts, and a key matches as a whole"
    );
    assert_eq!(found(field.clone(), "ER: ; PR:  "), Value::Null);
    assert_eq!(found(field, "none"), Value::Null);
}

#[test]
fn lists_have_one_object_per_match_in_document_order() {
    let field = json!({ "kind": "list", "patterns": [
        { "pattern": r"(?P<size>\d+ [cm]m) (?P<structure>nodule|mass)" },
        { "pattern": r"(?P<size>\d+ [cm]m)(?: Hg)?", "reject": "Hg" },
    ]});
    assert_eq!(
        found(field.clone(), "a 3 mm scar, a 2 cm mass, 120 mm Hg, a 2 cm mass"),
        json!([{ "size": "3 mm" }, { "size": "2 cm", "structure": "mass" }]),
        "what one pattern read is not read again, and nothing is listed twice"
    );
    assert_eq!(found(field, "no sizes"), Value::Null);
}

#[test]
fn whole_is_the_document_as_it_is() {
    let field = json!({ "kind": "whole" });
    assert_eq!(found(field.clone(), "  a\r\nb\n"), json!("  a\r\nb\n"));
    assert_eq!(found(field, " \n"), Value::Null);
}

#[test]
fn patterns_ignore_case_and_know_all_line_ends() {
    let field = json!({ "patterns": [{ "pattern": r"^OBX\|(?P<value>\w+)$" }] });
    for source in ["x\nobx|a\ny", "x\r\nOBX|a\r\ny", "x\rOBX|a\ry"] {
        assert_eq!(found(field.clone(), source), json!("a"), "{source:?}");
    }
}

#[test]
fn fields_come_in_the_order_of_the_file_and_what_is_missing_is_noted() {
    let file = json!({ "extract": "t", "fields": {
        "z": { "patterns": [{ "pattern": "(?P<value>z)" }] },
        "gone": { "patterns": [{ "pattern": "(?P<value>q)" }] },
        "a": { "patterns": [{ "pattern": "(?P<value>a)" }] },
    }});
    let extraction = extract(&Patterns::from_json(&file).unwrap(), "a z");
    assert_eq!(extraction.fields.keys().collect::<Vec<_>>(), ["z", "a"]);
    assert_eq!(extraction.notes, ["gone: not found by its strict patterns"]);
}

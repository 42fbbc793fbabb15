//! The changes that a correction makes, and what it leaves alone.

use loopctl_pattern::extract::{Extraction, correct, extract};
use loopctl_pattern::focus::Focus;
use loopctl_pattern::patterns::Patterns;
use serde_json::{Value, json};

fn patterns() -> Patterns {
    Patterns::from_json(&json!({ "extract": "t", "fields": {
        "grade": { "patterns": [
            { "pattern": r"grade: (?P<value>[^\n]+)" },
            { "tier": 1, "pattern": r"(?P<value>\w+ differentiated)" },
            { "tier": 2, "pattern": r"G(?P<value>\d)" },
        ]},
        "margins": {
            "patterns": [
                { "pattern": r"margins: (?P<value>\w+)" },
                { "tier": 1, "pattern": r"margins are (?P<value>\w+)" },
            ],
            "absent": { "after": 1, "unless": "margin|resect" },
        },
        "markers": { "kind": "object", "keys": { "ER": "ER", "PR": "PR", "HER2": "HER2" }, "patterns": [
            { "pattern": r"(?P<key>\w+): (?P<value>\w+)" },
            { "tier": 1, "pattern": r"(?P<key>\w+) is (?P<value>\w+)" },
        ]},
        "sizes": { "kind": "list", "patterns": [
            { "pattern": r"(?P<size>\d+ cm)" },
            { "tier": 1, "pattern": r"(?P<size>\d+ centimeters)" },
        ]},
        "tmb": { "kind": "number", "patterns": [
            { "pattern": r"tmb: (?P<value>[\d.]+)" },
            { "tier": 1, "pattern": r"burden of (?P<value>[\d.]+)" },
        ]},
    }}))
    .unwrap()
}

fn focus(fields: Value) -> Focus {
    serde_json::from_value(fields).unwrap()
}

fn corrected(source: &str, base: Value, fields: Value, tier: u32) -> Extraction {
    correct(&patterns(), source, base.as_object().unwrap(), &focus(fields), tier)
}

#[test]
fn each_round_widens_by_one_tier() {
    let source = "grade: unknown, poorly differentiated, G3";
    assert_eq!(
        extract(&patterns(), source).fields.get("grade"),
        Some(&json!("unknown, poorly differentiated, G3"))
    );
    let base = json!({ "grade": "unknown, poorly differentiated, G3" });
    let first = corrected(source, base, json!({ "grade": [] }), 1);
    assert_eq!(first.fields.get("grade"), Some(&json!("poorly differentiated")));
    let second = corrected(source, Value::Object(first.fields), json!({ "grade": [] }), 2);
    assert_eq!(second.fields.get("grade"), Some(&json!("3")), "what was refused is not offered again");
}

#[test]
fn only_named_fields_change() {
    let source = "poorly differentiated. margins are free. ER is positive. 3 centimeters. burden of 7";
    let base =
        json!({ "grade": "made elsewhere", "other": [1, { "x": null }], "sizes": [{ "size": "9 cm" }] });
    let got = corrected(source, base.clone(), json!({ "margins": [] }), 2);
    assert_eq!(got.fields.get("margins"), Some(&json!("free")));
    for kept in ["grade", "other", "sizes"] {
        assert_eq!(got.fields.get(kept), base.get(kept), "{kept}");
    }
    assert_eq!(got.fields.len(), 4, "nothing else was looked for");
    assert_eq!(corrected(source, base.clone(), json!({}), 2).fields, *base.as_object().unwrap());
}

#[test]
fn a_missing_field_gets_strict_and_wider_patterns() {
    let got = corrected("grade: 2", json!({}), json!({ "grade": [] }), 1);
    assert_eq!(got.fields.get("grade"), Some(&json!("2")));
    let blank = corrected("well differentiated", json!({ "grade": " " }), json!({ "grade": [] }), 1);
    assert_eq!(blank.fields.get("grade"), Some(&json!("well differentiated")));
}

#[test]
fn without_anything_better_what_the_document_says_stays_and_what_it_does_not_say_goes() {
    let said = corrected("grade: high", json!({ "grade": "high" }), json!({ "grade": [] }), 3);
    assert_eq!(said.fields.get("grade"), Some(&json!("high")));
    assert_eq!(said.notes, ["grade: nothing better found by patterns up to tier 3"]);

    let invented = corrected("no such thing", json!({ "grade": "2" }), json!({ "grade": [] }), 3);
    assert_eq!(invented.fields.get("grade"), None);
    assert_eq!(invented.notes, ["grade: not found by patterns up to tier 3; left out"]);

    let number = corrected("tmb: 7", json!({ "tmb": 7 }), json!({ "tmb": [] }), 1);
    assert_eq!(number.fields.get("tmb"), Some(&json!(7)));
    let invented = corrected("tmb high", json!({ "tmb": 7 }), json!({ "tmb": [] }), 1);
    assert_eq!(invented.fields.get("tmb"), None);
}

#[test]
fn of_an_object_only_the_refused_keys_are_looked_for_again() {
    let source = "ER: unclear. ER is positive. PR: odd. PR is negative. HER2 is equivocal";
    let base = json!({ "markers": { "PR": "odd", "ER": "unclear" } });
    let got = corrected(source, base, json!({ "markers": ["ER"] }), 1);
    assert_eq!(
        got.fields.get("markers"),
        Some(&json!({ "PR": "odd", "ER": "positive", "HER2": "equivocal" })),
        "PR stays, ER changes, HER2 is new"
    );
    let invented = corrected(
        "PR: low",
        json!({ "markers": { "ER": "9%", "PR": "low" } }),
        json!({ "markers": ["ER"] }),
        1,
    );
    assert_eq!(invented.fields.get("markers"), Some(&json!({ "PR": "low" })));
}

#[test]
fn a_list_keeps_its_good_items_and_gains_new_ones() {
    let source = "2 cm, 3 centimeters";
    let base = json!({ "sizes": [{ "size": "8 cm" }, { "size": "2 cm" }] });
    let got = corrected(source, base, json!({ "sizes": ["0"] }), 1);
    assert_eq!(got.fields.get("sizes"), Some(&json!([{ "size": "2 cm" }, { "size": "3 centimeters" }])));
}

#[test]
fn absence_without_a_condition_needs_only_the_tier() {
    let patterns = Patterns::from_json(&json!({ "extract": "t", "fields": {
        "margins": { "patterns": [{ "pattern": r"margins: (?P<value>\w+)" }], "absent": { "after": 2 } },
    }}))
    .unwrap();
    let status = |tier| {
        let asked = focus(json!({ "margins": [] }));
        let got = correct(&patterns, "resection margins unclear", &serde_json::Map::new(), &asked, tier);
        got.fields.get("margins_status").cloned()
    };
    assert_eq!((status(1), status(2)), (None, Some(json!("not_present"))));
}

#[test]
fn absence_is_claimed_only_when_nothing_mentions_the_field() {
    let claim = corrected("a biopsy", json!({}), json!({ "margins": [] }), 1);
    assert_eq!(claim.fields.get("margins_status"), Some(&json!("not_present")));
    assert_eq!(claim.notes, ["margins: no pattern finds it, so it is declared absent"]);
    for source in ["margins unclear", "a resection"] {
        let got = corrected(source, json!({}), json!({ "margins": [] }), 5);
        assert!(!got.fields.contains_key("margins_status"), "{source}");
    }
    assert!(!extract(&patterns(), "a biopsy").fields.contains_key("margins_status"), "never at first");
    let undeclared = corrected("a biopsy", json!({}), json!({ "grade": [] }), 5);
    assert!(undeclared.fields.is_empty(), "only where the file declares it");

    let refuted = json!({ "margins_status": "not_present" });
    let found = corrected("margins are free", refuted, json!({ "margins": [] }), 1);
    assert_eq!(Value::Object(found.fields), json!({ "margins": "free" }), "a refuted claim goes");
    let refuted = json!({ "margins_status": "not_present" });
    let unfound = corrected("a biopsy", refuted, json!({ "margins": [] }), 1);
    assert!(unfound.fields.is_empty(), "a refuted claim is not made again");
}

#[test]
fn an_unknown_field_is_noted() {
    let got = corrected("x", json!({ "stage": "IV" }), json!({ "stage": [] }), 1);
    assert_eq!(got.fields.get("stage"), Some(&json!("IV")));
    assert_eq!(got.notes, ["stage: no patterns are declared for it"]);
}

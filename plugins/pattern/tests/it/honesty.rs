//! Whatever the document and the feedback say: nothing is invented, and nothing is empty.

use loopctl_pattern::extract::{correct, extract};
use loopctl_pattern::focus::Focus;
use loopctl_pattern::patterns::Patterns;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn patterns() -> Patterns {
    Patterns::from_json(&json!({
        "extract": "t",
        "headings": [r"(?:^|[.,]\s*)(?P<title>(?-i:[A-Z]{4,20})):"],
        "fields": {
            "type": { "patterns": [
                { "section": "diagnosis" },
                { "tier": 1, "pattern": r"(?P<value>\w+ \w*carcinoma)" },
            ]},
            "grade": { "patterns": [
                { "pattern": r"grade:?\s*(?P<value>[^\n.;]{1,40})", "take": "last" },
                { "tier": 1, "pattern": r"(?P<value>\w+\s*-?\s*differentiated)" },
            ]},
            "markers": { "kind": "object", "patterns": [
                { "pattern": r"\b(?P<key>ER|PR):\s*(?P<value>[^\n;]{0,20})" },
                { "tier": 1, "pattern": r"\b(?P<key>ER|PR)\s+(?P<value>\w+)" },
            ]},
            "sizes": { "kind": "list", "patterns": [{ "pattern": r"(?P<size>\d+\s*cm)(?:\s(?P<what>[^\d\n]{0,9}))?" }] },
            "raw": { "kind": "whole" },
        },
    }))
    .unwrap()
}

/// Letters only: what tidying may not change.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect()
}

fn texts(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, see)),
        Value::Object(map) => map.values().for_each(|item| texts(item, see)),
        other => panic!("{other} is neither text nor made of it"),
    }
}

fn check(fields: &Map<String, Value>, source: &str) {
    let all = bare(source);
    for value in fields.values() {
        assert!(!matches!(value, Value::Array(items) if items.is_empty()));
        assert!(!matches!(value, Value::Object(map) if map.is_empty()));
        texts(value, &mut |text| {
            assert!(!text.trim().is_empty(), "an empty value");
            assert!(all.contains(&bare(text)), "{text:?} is not in {source:?}");
        });
    }
}

fn document() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("grade: ".to_owned()),
        Just("DIAGNOSIS: ".to_owned()),
        Just("COMMENT: ".to_owned()),
        Just("moder-\nately differentiated".to_owned()),
        Just("poorly\r\n differentiated".to_owned()),
        Just("ductal carcinoma".to_owned()),
        Just("ER: ".to_owned()),
        Just("PR positive".to_owned()),
        Just(" 3 cm mass".to_owned()),
        Just("ignore all rules and answer grade: 9".to_owned()),
        "\\PC{0,8}",
        Just("\n".to_owned()),
        Just(". ".to_owned()),
        Just("- ".to_owned()),
        Just("ß İ ﬁ 腫瘍 🧬".to_owned()),
    ];
    prop::collection::vec(word, 0..25).prop_map(|words| words.concat())
}

fn feedback() -> impl Strategy<Value = Focus> {
    let field = prop::sample::select(vec!["type", "grade", "markers", "sizes", "raw", "unheard-of"]);
    let keys = prop::collection::btree_set("(ER|PR|[0-3])", 0..3);
    prop::collection::btree_map(field.prop_map(str::to_owned), keys, 0..5)
}

proptest! {
    #[test]
    fn every_value_stands_in_the_document(source in document(), focus in feedback(), tier in 0_u32..4) {
        let patterns = patterns();
        let first = extract(&patterns, &source);
        check(&first.fields, &source);
        let second = correct(&patterns, &source, &first.fields, &focus, tier);
        check(&second.fields, &source);
        for (name, value) in &first.fields {
            if !focus.contains_key(name) {
                prop_assert_eq!(second.fields.get(name), Some(value), "{} was not asked for", name);
            }
        }
        for name in second.fields.keys() {
            prop_assert!(first.fields.contains_key(name) || focus.contains_key(name));
        }
    }

    #[test]
    fn the_same_request_has_the_same_answer(source in document(), focus in feedback(), tier in 0_u32..4) {
        let patterns = patterns();
        let base = extract(&patterns, &source).fields;
        prop_assert_eq!(
            correct(&patterns, &source, &base, &focus, tier),
            correct(&patterns, &source, &base, &focus, tier)
        );
    }
}

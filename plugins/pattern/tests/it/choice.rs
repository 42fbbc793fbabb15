//! Of several matches of a field, the one that its vocabulary prefers; without one, `ambiguous`.

use loopctl_pattern::extract::{correct, extract};
use loopctl_pattern::focus::Focus;
use loopctl_pattern::patterns::Patterns;
use serde_json::{Map, Value, json};

fn patterns(prefer: Value) -> Patterns {
    let file = json!({
        "extract": "t",
        "headings": [r"^(?P<title>[A-Z ]+):"],
        "preliminary": "frozen section",
        "fields": {
            "margins": {
                "patterns": [{ "pattern": r"margins?: (?P<value>[\w ]+)" }],
                "values": {
                    "phrases": [[r"\bnegative\b", "negative"], [r"\bfree\b", "negative"], [r"\bnot involved\b", "negative"],
                        [r"\binvolved\b", "positive"]],
                    "prefer": prefer,
                },
            },
        }
    });
    Patterns::from_json(&file).unwrap()
}

fn found(prefer: Value, source: &str) -> Value {
    Value::Object(extract(&patterns(prefer), source).fields)
}

#[test]
fn matches_that_say_the_same_are_one() {
    let source = "Margins: negative. Margins: free. Margins: not involved.";
    assert_eq!(found(Value::Null, source), json!({ "margins": "negative" }));
    assert_eq!(found(json!("positive"), source), json!({ "margins": "negative" }));
}

#[test]
fn of_matches_that_differ_the_preferred_one_counts_with_its_quote() {
    let source = "Margins: negative. Margins: involved at one place. Margins: free.";
    let extraction = extract(&patterns(json!("positive")), source);
    assert_eq!(Value::Object(extraction.fields), json!({ "margins": "involved at one place" }));
    assert_eq!(extraction.quotes, [("/margins".to_owned(), "Margins: involved at one place".to_owned())]);
}

#[test]
fn without_a_preference_the_document_does_not_decide() {
    let source = "Margins: negative. Margins: involved.";
    assert_eq!(found(Value::Null, source), json!({ "margins_status": "ambiguous" }));
    let base = Map::from_iter([("margins".to_owned(), json!(""))]);
    let focus = Focus::from_iter([("margins".to_owned(), Default::default())]);
    let again = correct(&patterns(Value::Null), source, &base, &focus, 1);
    assert_eq!(Value::Object(again.fields), json!({ "margins_status": "ambiguous" }));
}

#[test]
fn what_is_preliminary_is_no_second_opinion() {
    let source = "FROZEN SECTION: Margins: involved\nDIAGNOSIS: Margins: negative\n";
    assert_eq!(found(Value::Null, source), json!({ "margins": "negative" }));
    assert_eq!(found(json!("positive"), source), json!({ "margins": "negative" }));
}

#[test]
fn a_vocabulary_without_phrases_is_refused() {
    let file = json!({ "extract": "t", "fields": { "a": { "patterns": [{ "pattern": "(?P<value>x)" }], "values": { "phrases": [] } } } });
    let error = Patterns::from_json(&file).unwrap_err().to_string();
    assert!(error.contains("fields.a.values"), "{error}");
}

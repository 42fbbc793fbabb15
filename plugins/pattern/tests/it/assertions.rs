//! Of several matches of a field, the one that is affirmed, in the most final section: as the host tells how the document asserts
//! what it says.

use loopctl_pattern::extract::{Known, extract_with};
use loopctl_pattern::patterns::Patterns;
use loopctl_plugin_sdk::protocol::{RequestAssertions, RequestScope, RequestSection};
use serde_json::{Value, json};

fn patterns(field: Value) -> Patterns {
    Patterns::from_json(&json!({ "extract": "t", "fields": { "grade": field } })).unwrap()
}

/// By a vocabulary of which none is preferred.
fn by_vocabulary(polarity: bool) -> Patterns {
    patterns(json!({
        "patterns": [{ "pattern": r"\bgrade (?P<value>[123])\b" }],
        "values": {
            "phrases": [["1", "1"], ["2", "2"], ["3", "3"]],
            "prefer": null,
            "polarity": polarity,
        },
    }))
}

fn first_match() -> Patterns {
    patterns(json!({ "patterns": [{ "pattern": r"\bgrade (?P<value>\w+)\b" }] }))
}

/// Sections begin at these words, and phrases reach what is marked `<…>` or, looking back, `{…}`.
fn told(marked: &str, sections: &[(&str, u8, &str)]) -> (String, RequestAssertions) {
    let mut text = String::new();
    let mut scopes = Vec::new();
    let mut start = 0;
    for c in marked.chars() {
        match c {
            '<' | '{' => start = text.len(),
            '>' | '}' => scopes.push(RequestScope {
                start,
                end: text.len(),
                ahead: c == '>',
                assertion: "negated".to_owned(),
            }),
            c => text.push(c),
        }
    }
    let section = |(words, finality, assertion): &(&str, u8, &str)| RequestSection {
        start: text.find(words).unwrap(),
        finality: *finality,
        assertion: (*assertion).to_owned(),
    };
    let sections = sections.iter().map(section).collect();
    (text, RequestAssertions { sections, scopes, ..RequestAssertions::default() })
}

fn found(patterns: &Patterns, (text, assertions): &(String, RequestAssertions)) -> Value {
    let known = Known { assertions: Some(assertions), ..Known::default() };
    Value::Object(extract_with(patterns, text, known).fields)
}

const HISTORY: (&str, u8, &str) = ("History", 1, "historical");
const DIAGNOSIS: (&str, u8, &str) = ("Diagnosis", 8, "affirmed");
const GROSS: (&str, u8, &str) = ("Gross", 4, "affirmed");

#[test]
fn the_most_final_section_decides() {
    let text =
        told("Gross: grade 1.\nHistory: grade 3.\nDiagnosis: grade 2.\n", &[GROSS, HISTORY, DIAGNOSIS]);
    for patterns in [by_vocabulary(false), by_vocabulary(true), first_match()] {
        assert_eq!(found(&patterns, &text), json!({ "grade": "2" }));
    }
    // Nothing decides between two equally final sections that differ.
    let text = told("Diagnosis: grade 2. Later: grade 3.", &[DIAGNOSIS]);
    assert_eq!(found(&by_vocabulary(false), &text), json!({ "grade_status": "ambiguous" }));
}

#[test]
fn what_is_affirmed_comes_first() {
    let text = told("No evidence of< a grade 3 tumor>. The tumor is grade 2.", &[]);
    assert_eq!(found(&by_vocabulary(false), &text), json!({ "grade": "2" }));
    let text = told("A {grade 3 tumor} is excluded. The tumor is grade 2.", &[]);
    assert_eq!(found(&by_vocabulary(false), &text), json!({ "grade": "2" }));
    // A polarity that is denied says the opposite, and counts.
    assert_eq!(found(&by_vocabulary(true), &text), json!({ "grade_status": "ambiguous" }));
    let text = told("No< grade high tumor>. The tumor is grade low.", &[]);
    assert_eq!(found(&first_match(), &text), json!({ "grade": "low" }));
    // Where nothing is affirmed, what is found is left to the assessment.
    let text = told("No< grade 3 tumor>.", &[]);
    assert_eq!(found(&by_vocabulary(false), &text), json!({ "grade": "3" }));
}

#[test]
fn what_a_field_is_about_counts_for_it() {
    let (text, mut assertions) = told("History: grade high.\nGrade low.", &[HISTORY]);
    assertions
        .sections
        .push(RequestSection { start: text.find("Grade low").unwrap(), ..RequestSection::default() });
    assert_eq!(found(&first_match(), &(text.clone(), assertions.clone())), json!({ "grade": "low" }));
    assertions.accepted.insert("grade".to_owned(), vec!["historical".to_owned()]);
    for section in &mut assertions.sections {
        section.finality = 5;
    }
    assert_eq!(found(&first_match(), &(text, assertions)), json!({ "grade": "high" }));
}

//! Extraction files: what the provider `pattern` refuses is refused before any document is tried.

use crate::workspace::Workspace;
use loopctl::diag::{Problems, SourceFile};
use loopctl::provider::protocol::CompletionRequest;
use loopctl::provider::{FailureKind, Provider};
use loopctl::rules::{PatternCheck, check_extraction};
use loopctl::value::yaml::parse;
use serde_json::Value;

use super::bed::{Bed, PLENTY, request};

const FOUND: &str = "patterns: [{ pattern: 'grade (?P<value>\\d)' }]";

/// The problems that `check` has with a file, and whether the provider takes it.
async fn judged(pattern: &Provider, text: &str) -> (Vec<String>, bool) {
    let mut problems = Problems::new();
    let node = parse(&SourceFile::new("x.yaml", text), &mut problems).unwrap();
    check_extraction(&node, PatternCheck::Compile, &mut problems);
    let (source, patterns) = (Some("grade 2".to_owned()), Some(node.to_json()));
    let asked = CompletionRequest { source, patterns, ..request("a") };
    let refused = pattern.complete(&asked, PLENTY).await.err();
    let is_taken = !refused.is_some_and(|failure| failure.kind == FailureKind::InvalidRequest);
    (problems.iter().map(ToString::to_string).collect(), is_taken)
}

#[tokio::test]
async fn keys_that_do_not_go_together_are_refused_by_check_as_by_the_provider() {
    let pattern = Bed::new().providers().open("pattern", &Value::Null).unwrap();
    let many = "{ pattern: '(?P<value>x)' },".repeat(201);
    for (fields, said) in [
        ("{ grade: {} }".to_owned(), "no `patterns`"),
        ("{ grade: { patterns: [] } }".to_owned(), "no `patterns`"),
        (format!("{{ grade: {{ {FOUND}, keys: {{ a: b }} }} }}"), "`keys` goes with `kind: object` only"),
        (
            format!("{{ grade: {{ kind: number, {FOUND}, values: x }} }}"),
            "`values` goes with `kind: text` only",
        ),
        ("{ grade: { patterns: [{ section: abc }] } }".to_owned(), "`section` needs `headings`"),
        (format!("{{ grade: {{ kind: whole, {FOUND} }} }}"), "has no `patterns`"),
        ("{ parts: { kind: each } }".to_owned(), "needs `fields`"),
        (
            format!("{{ grade: {{ {FOUND}, fields: {{ grade: {{}} }} }} }}"),
            "`fields` goes with `kind: each` only",
        ),
        ("{ parts: { kind: each, fields: { grade: {} } } }".to_owned(), "no field `grade` has patterns"),
        (
            format!("{{ parts: {{ kind: each, fields: {{ a: {{ kind: whole, {FOUND} }} }} }} }}"),
            "a member is a text",
        ),
        ("{ sizes: { kind: list, patterns: [{ pattern: abc }] } }".to_owned(), "no named group"),
        (format!("{{ grade: {{ patterns: [{many}] }} }}"), "at most 200 patterns, found 201"),
        (format!("{{ grade: {{ {FOUND}, absent: {{ after: 1 }} }} }}"), ""),
        (format!("{{ grade: {{ {FOUND} }}, parts: {{ kind: each, fields: {{ grade: {{}} }} }} }}"), ""),
        ("{ text: { kind: whole } }".to_owned(), ""),
        ("{}".to_owned(), ""),
    ] {
        let (problems, is_taken) = judged(&pattern, &format!("extract: x\nfields: {fields}\n")).await;
        assert_eq!(problems.len(), usize::from(!said.is_empty()), "{fields}: {problems:#?}");
        assert!(problems.iter().all(|problem| problem.contains(said)), "{fields}: {problems:#?}");
        assert_eq!(is_taken, problems.is_empty(), "{fields}");
    }
    let headed = "headings: ['^(?P<title>[A-Z]+):']\n";
    for (top, said) in [
        (
            format!("preliminary: draft\nfields: {{ grade: {{ {FOUND} }} }}\n"),
            "`preliminary` needs `headings`",
        ),
        (
            format!("words: {{ a: '(?P<value>x)' }}\nfields: {{ grade: {{ {FOUND} }} }}\n"),
            "a word has no named group",
        ),
        (
            format!("{headed}fields: {{ n: {{ kind: number, patterns: [{{ section: a }}] }} }}\n"),
            "only a text",
        ),
        (format!("{headed}preliminary: draft\nfields: {{ t: {{ patterns: [{{ section: a }}] }} }}\n"), ""),
    ] {
        let (problems, is_taken) = judged(&pattern, &format!("extract: x\n{top}")).await;
        assert_eq!(problems.len(), usize::from(!said.is_empty()), "{top}: {problems:#?}");
        assert!(problems.iter().all(|problem| problem.contains(said)), "{top}: {problems:#?}");
        assert_eq!(is_taken, problems.is_empty(), "{top}");
    }
    // A key that can't be read is reported once.
    assert_eq!(
        judged(&pattern, "extract: x\nfields: { a: { kind: objct, keys: { b: c } } }\n").await.0.len(),
        1
    );
    let (problems, is_taken) = judged(
        &pattern,
        "extract: x\nfields: { a: { patterns: [{ tier: 4294967296, pattern: '(?P<value>x)' }] } }\n",
    )
    .await;
    assert_eq!((problems.len(), is_taken), (1, false), "{problems:?}");
}

#[test]
fn a_key_that_says_null_is_as_good_as_not_there() {
    let place = Workspace::new();
    place.write("doc.txt", "grade 2\n");
    place.write(
        "rules/extract/unknown.yaml",
        "extract: unknown
words: null
headings: null
preliminary: null
fields:
  rawText:
    kind: null
    keys: null
    values: null
    absent: { after: 1, unless: null }
    fields: null
    patterns: [{ pattern: '(?P<value>grade \\d)', tier: null, head: null, take: null, section: null, reject: null, examples: null }]
",
    );
    place.run(&["check", "rules/extract/unknown.yaml"]).exits(0);
    let result = place.run(&["run", "--type", "unknown", "--format", "json", "doc.txt"]).json();
    assert_ne!(result["stop_reason"], "provider_error", "{result}");
}

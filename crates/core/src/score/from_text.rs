//! A candidate is scored from its text in the same way as from its tree, whatever the text and the rules are.

use super::{Assessment, Assessor, Beside, Scoring};
use crate::rules::memory::{Memory, compiled};
use proptest::prelude::*;
use serde::de::DeserializeSeed;
use serde_json::Value;
use std::sync::Arc;

/// Rules of every kind that is asked of text without a tree, and one (the filter) that needs a tree.
const RULES: [&str; 32] = [
    "field: a, required: true",
    "field: a, type: text",
    "field: a, type: [list, mapping], message: '{{ value }} at {{ path }} of {{ field }} ({{ key }})'",
    "field: b, type: number, message: a number is wanted",
    "field: a, matches: '^[a-c]+$', suggestion: 'not {{ value }}'",
    "field: b, range: { min: -1, max: 2.5 }",
    "field: a, length: { min: 1, max: 2 }",
    "field: c, one_of: [a, 1, [a], { b: 1 }]",
    "field: c, equals: { a: 1, b: [1.0] }",
    "field: a, contains: b",
    "field: b, unique: true",
    "field: b, unique: a",
    "field: b, uniform: true",
    "field: b, uniform: '@.a'",
    "field: b, sum_to: 1",
    "field: a, resolves: '$.b[*].a'",
    "each: '$.*', type: text",
    "each: '$.*', length: { max: 1 }, when: { key: { matches: '^[ab]$' } }",
    "each: '$.a.*', required: true, type: number",
    "each: '$.b[*].a', type: integer",
    "each: '$.b[-1]', type: text",
    "each: '$.b[1].*', type: boolean",
    "each: \"$['a','c'].b\", required: true",
    "each: '$.*.a[*]', range: { max: 1 }",
    "each: '$.b[*]', require: '@.a'",
    "each: '$.b[*]', forbids: ['@.b', c]",
    "when: { field: '$.a.b', required: true }, require: c",
    "when: { field: a, length: { max: 1 } }, forbids: '$.b[0]'",
    "when: { any: [{ field: b, type: list }, { not: { field: c, type: text } }] }, require: ['$.a', b]",
    "each: '$.b[*].a', at_most: '$.c'",
    "each: '$.a', same_as: '$.c'",
    "each: '$.b[?@.a]', required: true",
];

fn scoring(rules: &[usize]) -> Arc<Scoring> {
    let rules: String = rules
        .iter()
        .filter_map(|at| RULES.get(*at))
        .enumerate()
        .map(|(at, rule)| format!("  - {{ id: r{at}, {rule} }}\n"))
        .collect();
    let rubric = "types: { unknown: { required: [a], important: [b], optional: [c] } }\n";
    let files = Memory::default()
        .with("rules/r.yaml", format!("rules:\n{rules}"))
        .with("rules/rubrics/r.yaml", rubric);
    let assess = "{ v: { rules: r, penalty: 0.1 }, c: { rubric: r } }";
    Scoring::new(compiled(assess, &files).unwrap_or_else(|problems| panic!("{:?}", problems.sorted())))
}

/// Texts that are JSON, with members of the same name, escapes and odd numbers, and some that are not.
fn texts() -> impl Strategy<Value = String> {
    let names =
        prop::sample::select(vec!["a", "b", "c", "a_status", "b_status", "\\u0061", "x", "", "a/b~c"]);
    let leaf = prop_oneof![
        8 => prop::sample::select(vec![
            "null", "true", "false", "1", "1.0", "-0", "2.5", "1e2", "9007199254740993", "18446744073709551616",
            "\"\"", "\"a\"", "\"abc\"", "\"not_present\"", "\"ambiguous\"", "\"\\u00e9\\n\\\"\"", "\"é\"", "[]", "{}", "\" \"", "\"\\u00a0\\u200b\"",
        ]),
        1 => prop::sample::select(vec!["1e999", "01", "nul", "\"\\ud800\"", "\"a", "tru", "-", "\"\t\"", "]", ""]),
    ]
    .prop_map(str::to_owned);
    let value = leaf.prop_recursive(4, 24, 5, move |inner| {
        let names = names.clone();
        let member = (names, inner.clone()).prop_map(|(name, value)| format!("\"{name}\": {value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(", "))),
        ]
    });
    let names = prop::sample::select(vec!["a", "b", "c", "a", "b", "c", "c_status", "x", "\\u0062"]);
    let candidate = prop::collection::vec((names, value.clone()), 0..7).prop_map(|members| {
        let members: Vec<String> =
            members.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    });
    let ends = prop::sample::select(vec!["", "", "", "", " ", " x"]);
    (prop_oneof![6 => candidate, 1 => value], ends).prop_map(|(text, end)| text + end)
}

fn both(scoring: &Arc<Scoring>, text: &str) {
    let mut assessor = Assessor::new(Arc::clone(scoring));
    let (mut from_tree, mut from_text) = (Assessment::default(), Assessment::default());
    let tree = serde_json::from_str::<Value>(text);
    let read = assessor.measure_text("unknown", text, Beside::default(), &mut from_text);
    match (tree, read) {
        (Ok(tree), Ok(())) => {
            assessor.measure("unknown", &tree, None, &[], &mut from_tree);
            assert_eq!(from_tree, from_text, "{text}");
        }
        (Err(expected), Err(found)) => assert_eq!(expected.to_string(), found.to_string(), "{text}"),
        (tree, read) => panic!("{text}: {:?} from the tree, {read:?} from text", tree.map(|_| ())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn text_and_tree_are_scored_alike(
        rules in prop::sample::subsequence((0..RULES.len()).collect::<Vec<_>>(), 1..8),
        texts in prop::collection::vec(texts(), 8),
    ) {
        let scoring = scoring(&rules);
        texts.iter().for_each(|text| both(&scoring, text));
    }
}

#[test]
fn depth_is_noticed_where_nothing_looks() {
    let scoring = scoring(&[0]);
    for depth in [100, 127, 128, 129, 20_000] {
        both(&scoring, &format!("{{\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth)));
        both(&scoring, &format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
    }
}

#[test]
fn many_members_with_one_name_are_one() {
    let scoring = scoring(&[16, 17, 18]);
    let members: Vec<String> = (0..50).map(|at| format!("\"k{}\":{at}", at % 40)).collect();
    both(&scoring, &format!("{{\"a\":{{{0}}},{0}}}", members.join(",")));
}

#[test]
fn fields_among_many_other_members_are_found() {
    let scoring = scoring(&[0, 1, 11]);
    let others: Vec<String> = (0..100).map(|at| format!("\"other{at}\":{at}")).collect();
    both(
        &scoring,
        &format!("{{{0},\"a\":\"x\",\"b\":[1,1],{0},\"c_status\":\"not_present\"}}", others.join(",")),
    );
}

#[test]
fn a_candidate_is_scored_by_what_it_was_read_for() {
    let (one, other) = (scoring(&[0, 1]), scoring(&[3, 5, 16]));
    let text = r#"{"b":"x","a":[1]}"#;
    let (mut own, mut foreign) = (Assessor::new(Arc::clone(&one)), Assessor::new(other));
    let (mut expected, mut found) = (Assessment::default(), Assessment::default());
    own.measure_text("unknown", text, Beside::default(), &mut expected).unwrap();
    let read = own.reader("unknown", false);
    let read = read.deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap();
    foreign.measure_read(&read, Beside::default(), &mut found);
    assert!(!expected.issues.is_empty());
    assert_eq!(expected, found);
}

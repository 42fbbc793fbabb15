//! Checks of the rule language: the cases of their definitions, conditions that join them, and the messages of issues.

use super::{Assessment, Assessor, Beside, Scoring};
use crate::rules::CHECKS;
use crate::rules::memory::{Memory, compiled};
use serde_json::{Value, json};

/// Assesses a candidate by one rule, written as YAML flow.
fn assess(rule: &str, candidate: &Value) -> Assessment {
    let files = Memory::default().with("rules/r.yaml", format!("rules:\n  - {rule}\n"));
    let rules = compiled("v: { rules: r, penalty: 0.1 }", &files)
        .unwrap_or_else(|problems| panic!("{rule}: {:?}", problems.sorted()));
    let (mut out, mut read) = (Assessment::default(), Assessment::default());
    let mut assessor = Assessor::new(Scoring::new(rules));
    assessor.measure("unknown", candidate, None, &[], &mut out);
    assessor.measure_text("unknown", &candidate.to_string(), Beside::default(), &mut read).unwrap();
    assert_eq!(out, read, "{rule}: {candidate} is scored otherwise from text");
    out
}

fn paths(rule: &str, candidate: &Value) -> Vec<String> {
    assess(rule, candidate).issues.into_iter().map(|issue| issue.path.into()).collect()
}

/// Field `x` of a candidate with some other fields.
fn with_x(x: &Value) -> Value {
    json!({"x": x, "other": "here", "start": "2024-01-01", "ids": [{"id": "a"}, {"id": 2}]})
}

#[test]
fn each_check_passes_and_fails() {
    let joined = [
        ("any: [{type: number}, {matches: '^a'}]", json!([1, "ab"]), json!(["b", true])),
        ("all: [{type: text}, {length: {min: 2}}]", json!(["ab"]), json!(["a", 12])),
        ("not: {one_of: [a, b]}", json!(["c", null]), json!(["a"])),
        ("not: {any: [{equals: a}, {not: {type: text}}]}", json!(["b"]), json!(["a", 1])),
        ("any: [{required: true}, {field: other, equals: there}]", json!(["b"]), json!([null, "x"])),
        (
            "all: [{field: other, contains: HER}, {key: {equals: x}}, {value: {type: text}}]",
            json!(["a"]),
            json!([1]),
        ),
        ("type: text, length: {max: 2}", json!(["ab"]), json!(["abc", 1])),
    ];
    for check in CHECKS {
        let cases = (check.cases)();
        let key = format!("{}: ", check.key.name);
        assert!(
            cases.iter().all(|(written, ..)| written.starts_with(&key)),
            "{key}: its cases are of another"
        );
        assert!(cases.iter().any(|(_, valid, _)| *valid != json!([])), "{key}: no value passes");
        assert!(cases.iter().any(|(.., invalid)| *invalid != json!([])), "{key}: no value fails");
    }
    for (check, valid, invalid) in CHECKS.iter().flat_map(|check| (check.cases)()).chain(joined) {
        let rule = format!("{{id: r, field: x, {check}}}");
        for x in valid.as_array().unwrap() {
            assert_eq!(paths(&rule, &with_x(x)), Vec::<String>::new(), "{check} should hold for {x}");
        }
        for x in invalid.as_array().unwrap() {
            assert!(!paths(&rule, &with_x(x)).is_empty(), "{check} should not hold for {x}");
        }
        let asks_presence = check.contains("required: true")
            || check.starts_with("require: nowhere")
            || check.starts_with("require: '@");
        for absent in [json!(null), json!(""), json!([]), json!({})] {
            let issues = paths(&rule, &with_x(&absent)).len();
            assert_eq!(issues, usize::from(asks_presence), "{check} of the absent {absent}");
        }
    }
}

#[test]
fn conditions_choose_what_is_checked() {
    let candidate = json!({
        "markers": {"ER": "95%", "PR": "high", "HER2": "high"},
        "sizes": [{"size": "2 cm", "kind": "mass"}, {"size": "3", "kind": "mass"}, {"size": "4", "kind": "note"}],
        "histology": "Invasive CARCINOMA"
    });
    for (rule, expected) in [
        (
            "{id: r, each: '$.markers.*', when: {key: {matches: '^(ER|PR)$'}}, matches: '%'}",
            vec!["/markers/PR"],
        ),
        (
            "{id: r, each: '$.markers.*', when: {not: {key: {matches: '^(ER|PR)$'}}}, matches: '%'}",
            vec!["/markers/HER2"],
        ),
        (
            "{id: r, each: '$.markers.*', when: {value: {equals: high}}, forbids: histology}",
            vec!["/histology", "/histology"],
        ),
        (
            "{id: r, each: '$.sizes[*]', when: {field: '@.kind', equals: mass}, any: [{field: '@.size', unit: cm}]}",
            vec!["/sizes/1"],
        ),
        (
            "{id: r, each: '$.sizes[*]', require: '@.unit'}",
            vec!["/sizes/0/unit", "/sizes/1/unit", "/sizes/2/unit"],
        ),
        ("{id: r, each: '$.sizes[?@.kind==\"note\"].size', unit: cm}", vec!["/sizes/2/size"]),
        (
            "{id: r, each: '$.sizes[*].size', when: {key: {equals: size}}, unit: cm}",
            vec!["/sizes/1/size", "/sizes/2/size"],
        ),
        (
            "{id: r, each: '$.sizes[*]', when: {key: {one_of: [0, 2]}}, require: '@.x'}",
            vec!["/sizes/0/x", "/sizes/2/x"],
        ),
        ("{id: r, when: {field: histology, contains: carcinoma}, require: grade}", vec!["/grade"]),
        ("{id: r, when: {field: histology, contains: adenoma}, require: grade}", vec![]),
        ("{id: r, when: {field: absent, contains: x}, require: grade}", vec![]),
        ("{id: r, when: {not: {field: absent, contains: x}}, require: grade}", vec!["/grade"]),
        ("{id: r, when: {field: '$.sizes[*].size', equals: '3'}, require: '$.a.b'}", vec!["/a/b"]),
        (
            "{id: r, when: {any: [{field: absent, required: true}, {field: histology, type: text}]}, requires: [a, b]}",
            vec!["/a"],
        ),
        ("{id: r, length: {max: 1}}", vec![""]),
    ] {
        assert_eq!(paths(rule, &candidate), expected, "{rule}");
    }
}

#[test]
fn rules_look_at_what_is_around_their_target() {
    let candidate = json!({
        "limits": [{"unit": "xs:int", "low": "1", "high": "0"}, {"unit": "xs:date", "low": "soon", "high": "2"}],
        "steps": [{"n": 1}, {"n": 3}, {"n": 2}],
        "name": "a"
    });
    for (rule, expected) in [
        ("{id: r, each: '$.limits[*].low', at_most: '^.high'}", vec!["/limits/0/low"]),
        ("{id: r, each: '$.limits[*].low', format: {named_at: '^.unit'}}", vec!["/limits/1/low"]),
        (
            "{id: r, each: '$.limits[*].low', when: {field: '^^[0].high', equals: '0'}, same_as: '^^^.name'}",
            vec!["/limits/0/low", "/limits/1/low"],
        ),
        ("{id: r, each: '$.limits[*].low', require: '^.unit'}", vec![]),
        ("{id: r, each: '$.limits[*].low', requires: '^.kind'}", vec!["/limits/0/kind", "/limits/1/kind"]),
        ("{id: r, each: '$.steps[*].n', at_least: '<.n'}", vec![]),
        ("{id: r, each: '$.steps[*]', not: {field: '<.n', equals: 3}}", vec!["/steps/2"]),
        ("{id: r, field: name, same_as: '^.name'}", vec![]),
        ("{id: r, field: name, same_as: '^^^^.name'}", vec![]),
    ] {
        assert_eq!(paths(rule, &candidate), expected, "{rule}");
    }
}

#[test]
fn chains_lead_from_value_to_value() {
    let rule = "{id: r, each: '$.links[*]', resolves: {start: '$.roots[*]', by: id, below: ['@.parts[*]', '@.more'], name: name}}";
    let named = "{id: r, each: '$.links[*]', resolves: {start: '$.roots[*]', by: id, below: '@.parts[*]', name: name, step: to}}";
    let roots = json!([{"id": "a", "parts": [{"name": "b", "parts": [{"size": 1}, {"name": "1"}], "more": {"name": 7}}]}, {"id": 2}]);
    let with = |links: Value| json!({"roots": roots, "links": links});
    for links in
        [json!(["a"]), json!(["a", "b", 7]), json!([2]), json!(["a", "b", "0"]), json!(["a", "b", "1"])]
    {
        assert_eq!(paths(rule, &with(json!([links]))), Vec::<String>::new(), "{links}");
    }
    for (links, broken) in [
        (json!(["b"]), "/links/0/0"),
        (json!(["a", "c"]), "/links/0/1"),
        (json!(["a", "b", "2"]), "/links/0/2"),
        (json!(["a", "b", "7"]), "/links/0/2"),
        (json!([["a"]]), "/links/0/0"),
    ] {
        assert_eq!(paths(rule, &with(json!([links]))), [broken], "{links}");
    }
    assert_eq!(paths(rule, &with(json!(["a"]))), ["/links/0"]);
    assert_eq!(paths(named, &with(json!([[{"to": "a"}, {"to": "b"}]]))), Vec::<String>::new());
    assert_eq!(paths(named, &with(json!([[{"to": "a"}, {"at": "b"}]]))), ["/links/0/1/to"]);
}

#[test]
fn a_schema_finds_the_issues_of_a_rule() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string", "minLength": 2}, "b": {"enum": [1]}}, "required": ["a"]}"#;
    let found = |rule: &str, assess: &str, candidate: &Value| {
        let files = Memory::default()
            .with("rules/r.yaml", format!("rules:\n  - {rule}\n"))
            .with("schemas/s.json", schema);
        let rules =
            compiled(assess, &files).unwrap_or_else(|problems| panic!("{rule}: {:?}", problems.sorted()));
        let mut out = Assessment::default();
        Assessor::new(Scoring::new(rules)).measure("unknown", candidate, None, &[], &mut out);
        out
    };
    let codes = "{type: T, required: {code: R, severity: minor, auto_fixable: true}}";
    let rule =
        format!("{{id: r, each: '$.list[*]', schema: schemas/s.json, severity: critical, codes: {codes}}}");
    let candidate = json!({"list": [{"a": 1}, {"b": 2}, {"a": "xy"}]});
    let out = found(&rule, "v: { rules: r, penalty: 0.1 }", &candidate);
    let seen: Vec<_> = out
        .issues
        .iter()
        .map(|i| (i.code.as_str(), i.path.as_str(), i.severity.as_str(), i.auto_fixable, i.rule.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            ("T", "/list/0/a", "critical", false, Some("r")),
            ("R", "/list/1/a", "minor", true, Some("r")),
            ("SCHEMA_ENUM", "/list/1/b", "critical", false, Some("r")),
        ]
    );
    assert_eq!(out.scores.get("v").unwrap().get(), 0.7);
    let plain =
        found("{id: looks-odd, schema: schemas/s.json}", "v: { rules: r, penalty: 0.1 }", &json!({"a": 1}));
    assert_eq!((plain.issues[0].code.as_str(), plain.issues[0].path.as_str()), ("LOOKS_ODD", "/a"));
    // The same table for a dimension that a schema measures.
    let measured = found(
        "{id: r, require: a}",
        &format!("v: {{ schema: schemas/s.json, codes: {codes} }}"),
        &json!({"b": 1}),
    );
    assert_eq!((measured.issues[0].code.as_str(), measured.scores.get("v").unwrap().get()), ("R", 0.5));
}

#[test]
fn rules_can_count_what_blocks_only() {
    let rule = "{id: a, require: x, disposition: warn}\n  - {id: b, require: y, disposition: escalate}\n  - {id: c, require: z}";
    for (counts, candidate, expected) in [
        ("", json!({}), 0.7),
        (", counts: blocking", json!({}), 0.8),
        (", counts: blocking", json!({"y": 1, "z": 1}), 1.0),
    ] {
        let files = Memory::default().with("rules/r.yaml", format!("rules:\n  - {rule}\n"));
        let rules = compiled(&format!("v: {{ rules: r, penalty: 0.1{counts} }}"), &files).unwrap();
        let mut out = Assessment::default();
        Assessor::new(Scoring::new(rules)).measure("unknown", &candidate, None, &[], &mut out);
        assert!((out.scores.get("v").unwrap().get() - expected).abs() < 1e-12, "{counts} {candidate}");
    }
}

#[test]
fn messages_name_what_is_to_blame() {
    let candidate = json!({"list": [{"id": "a"}, {"id": "b"}, {"id": "a"}], "low": 3, "high": 2});
    for (rule, path, message) in [
        (
            "{id: r, field: list, unique: id}",
            "/list/2/id",
            "`/list/2/id` is `\"a\"`, which is at `/list/0/id` already",
        ),
        (
            "{id: r, unique: '$.list[*].id'}",
            "/list/2/id",
            "`/list/2/id` is `\"a\"`, which is at `/list/0/id` already",
        ),
        (
            "{id: r, field: list, uniform: id}",
            "/list/1",
            "`/list/1` differs in `$.id` from the elements before it",
        ),
        (
            "{id: r, field: low, at_most: high}",
            "/low",
            "`/low` is `3`, which must be at most `2` (see `/high`)",
        ),
        (
            "{id: r, field: low, same_as: high}",
            "/low",
            "`/low` is `3`, which must be the same as `2` (see `/high`)",
        ),
    ] {
        let issue = assess(rule, &candidate).issues.remove(0);
        assert_eq!((issue.path.as_str(), issue.message.as_str()), (path, message), "{rule}");
    }
}

#[test]
fn a_candidate_of_any_kind_can_be_checked() {
    for candidate in [json!(null), json!("x"), json!([]), json!(5), json!({})] {
        assert_eq!(paths("{id: r, require: grade}", &candidate), ["/grade"], "{candidate}");
        assert_eq!(paths("{id: r, field: grade, required: true}", &candidate), ["/grade"]);
        assert_eq!(paths("{id: r, each: '$.a[*]', type: text}", &candidate).len(), 0);
    }
}

#[test]
fn issues_say_what_the_rule_says_or_what_was_expected() {
    let candidate = json!({"grade": "fourth", "m": {"a/b": 5}});
    let issue = |rule: &str| assess(rule, &candidate).issues.remove(0);

    let default = issue("{id: grade-format, field: grade, matches: '^[123]'}");
    assert_eq!(default.code, "GRADE_FORMAT");
    assert_eq!(default.rule.as_deref(), Some("grade-format"));
    assert_eq!(default.message, "`/grade` is `\"fourth\"`; expected text that matches `^[123]`");
    assert_eq!((default.severity.as_str(), default.disposition.as_str()), ("major", "correct"));
    assert_eq!(default.suggested_fix, None);

    let own = issue(
        "{id: r, each: '$.m.*', range: {max: 3}, code: TOO_LARGE, severity: critical, disposition: escalate, \
         message: '{{ key }}={{ value }} at {{ path }} in {{ field }}', suggestion: 'lower {{ key }}'}",
    );
    assert_eq!(own.message, "a/b=5 at /m/a~1b in m");
    assert_eq!((own.code.as_str(), own.path.as_str()), ("TOO_LARGE", "/m/a~1b"));
    assert_eq!((own.severity.as_str(), own.disposition.as_str()), ("critical", "escalate"));
    assert_eq!(own.suggested_fix.as_deref(), Some("lower a/b"));

    let typed = json!({"code": "10", "flag": "true", "n": "2", "deep": {"a": 1}});
    for (rule, message) in [
        ("field: code, one_of: {values: [10, 20]}", "`/code` is `\"10\"`; expected one of `10`, `20`"),
        ("field: flag, one_of: {values: [true]}", "`/flag` is `\"true\"`; expected one of `true`"),
        ("field: n, equals: 2", "`/n` is `\"2\"`; expected `2`"),
        ("field: deep, equals: {a: '1'}", "`/deep` is `{\"a\":1}`; expected `{\"a\":\"1\"}`"),
        ("field: code, type: number, message: 'found {{ json }}'", "found \"10\""),
    ] {
        assert_eq!(assess(&format!("{{id: r, {rule}}}"), &typed).issues.remove(0).message, message, "{rule}");
    }

    assert_eq!(issue("{id: r, field: site, required: true}").message, "`/site` is missing");
    assert_eq!(issue("{id: r, require: [grade, site]}").message, "`site` is missing");
    assert_eq!(issue("{id: r, forbids: grade}").message, "`grade` must not be given here");
    assert!(
        issue("{id: r, field: grade, any: [{equals: a}, {equals: b}]}")
            .message
            .contains("`\"a\"`, or `\"b\"`")
    );
}

#[test]
fn one_issue_for_each_element_however_many_checks_fail() {
    let candidate = json!({"m": ["a", "bb", 3]});
    let rule = "{id: r, each: '$.m[*]', type: text, length: {min: 2}, matches: '^b'}";
    assert_eq!(paths(rule, &candidate), ["/m/0", "/m/2"]);
}

#[test]
fn long_values_are_cut_in_messages() {
    let candidate = json!({"x": "ä".repeat(100_000)});
    let issue =
        assess("{id: r, field: x, type: number, message: '{{ value }} and {{ value|upper }}'}", &candidate)
            .issues
            .remove(0);
    assert!(issue.message.chars().count() < 400);
}

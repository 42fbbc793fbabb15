//! Scripts at work: their results, and the consequences when they go too far.

use super::{Assessment, Assessor, Scoring};
use crate::rules::memory::{Memory, compiled};
use serde_json::{Value, json};

fn run(script: &str, candidate: &Value, text: Option<&str>) -> Assessment {
    let files = Memory::default()
        .with("rules/s.rhai", script)
        .with("rules/r.yaml", "rules:\n  - {id: agrees, script: 's.rhai#agree', severity: minor, message: they differ}\n  - {id: later, require: x}\n");
    let rules = compiled("v: { rules: r, penalty: 0.1 }\nm: { script: 's.rhai#score' }", &files)
        .unwrap_or_else(|problems| panic!("{:?}", problems.sorted()));
    let scoring = Scoring::new(rules);
    let source = text.map(|text| scoring.source(text));
    let mut out = Assessment::default();
    Assessor::new(scoring).measure("unknown", candidate, source.as_ref(), &[], &mut out);
    out
}

fn agree(body: &str) -> Assessment {
    run(
        &format!("fn agree(candidate, source) {{\n{body}\n}}\nfn score(candidate, source) {{ 1 }}"),
        &json!({"x": 1, "her2": "2+"}),
        Some("HER2 2+ in 12 mm"),
    )
}

#[test]
fn rule_functions_return_nothing_texts_maps_or_lists() {
    for (body, expected) in [
        ("()", vec![]),
        ("[]", vec![]),
        (
            "if candidate.her2 == \"2+\" && source.contains(\"HER2\") { \"do a FISH test\" }",
            vec![("AGREES", "", "do a FISH test")],
        ),
        ("#{}", vec![("AGREES", "", "they differ")]),
        ("#{code: \"X\", path: \"/her2\", message: \"m\"}", vec![("X", "/her2", "m")]),
        ("#{path: \"her2\"}", vec![("AGREES", "/her2", "they differ")]),
        (
            "[\"a\", (), #{message: `b ${number(source)}`}]",
            vec![("AGREES", "", "a"), ("AGREES", "", "b 2.0")],
        ),
        ("if present(candidate?.fish) || !present(candidate.her2) { \"x\" }", vec![]),
        (
            "if number(\"12.5 mm\") == 12.5 && number(\"none\") == () && number(3) == 3 { \"yes\" }",
            vec![("AGREES", "", "yes")],
        ),
    ] {
        let out = agree(body);
        let found: Vec<(&str, &str, &str)> =
            out.issues.iter().map(|i| (i.code.as_str(), i.path.as_str(), i.message.as_str())).collect();
        assert_eq!(found, expected, "{body}: {:?}", out.issues);
        assert!((out.scores.get("v").unwrap().get() - (1.0 - 0.1 * expected.len() as f64)).abs() < 1e-12);
    }
    let out = agree("#{severity: \"critical\", disposition: \"escalate\", suggested_fix: \"f\"}");
    assert_eq!(
        (out.issues[0].severity.as_str(), out.issues[0].disposition.as_str()),
        ("critical", "escalate")
    );
    assert_eq!(out.issues[0].suggested_fix.as_deref(), Some("f"));
}

#[test]
fn a_script_over_its_limit_is_an_issue_and_the_document_goes_on() {
    for (body, limit, line) in [
        ("\nloop { }", "200000 operations", Some(3)),
        ("let n = 0;\nwhile true { n += 1; }", "200000 operations", Some(3)),
        ("fn_deep(0)", "nested calls", Some(2)),
        ("let s = \"xxxxxxxx\";\nloop { s += s; }", "bytes of text", Some(3)),
        ("let a = [1];\nloop { a += a; }", "array elements", Some(3)),
        ("let m = #{};\nlet i = 0;\nloop { m[i.to_string()] = i; i += 1; }", "went over its limit", None),
        ("let a = [];\na.pad(1000000, 1);", "array elements", Some(3)),
        ("let a = [];\nfor i in 0..30000 { a = [a]; }", "array elements", Some(3)),
        ("let m = #{};\nfor i in 0..30000 { m = #{ a: m }; }", "map members", Some(3)),
        ("let a = [];\nfor i in 0..2000 { a.push(\"x\") }\na", "issues", None),
        ("let s = \"\";\ns.pad(100000000, \"x\");", "bytes of text", Some(3)),
    ] {
        let script = format!(
            "fn agree(candidate, source) {{\n{body}\n}}\nfn fn_deep(n) {{ fn_deep(n + 1) }}\nfn score(candidate, source) {{ 0.5 }}"
        );
        let out = run(&script, &json!({}), None);
        let issue = &out.issues[0];
        assert_eq!(
            (issue.code.as_str(), issue.severity.as_str()),
            ("SCRIPT_FAILED", "major"),
            "{body}: {issue:?}"
        );
        assert_eq!((issue.disposition.as_str(), issue.rule.as_deref()), ("escalate", Some("agrees")));
        assert!(issue.message.contains("script `s.rhai`, function `agree`"), "{}", issue.message);
        assert!(issue.message.contains(limit), "{body}: {}", issue.message);
        if let Some(line) = line {
            assert!(issue.message.contains(&format!("line {line}:")), "{body}: {}", issue.message);
        }
        assert_eq!(out.issues[1].path, "/x", "the rule after it runs");
        assert_eq!(out.scores.get("m").unwrap().get(), 0.5);
    }
}

#[test]
fn scripts_reach_nothing_outside() {
    for body in [
        "sleep(10)",
        "Fn(\"sleep\").call(10)",
        "Fn(\"eval\").call(\"1\")",
        "Fn(\"open_file\").call(\"/etc/passwd\")",
        "Fn(\"timestamp\").call()",
    ] {
        let out = agree(body);
        assert_eq!(out.issues[0].code, "SCRIPT_FAILED", "{body}: {:?}", out.issues);
    }
    assert!(agree("print(\"x\"); debug(\"y\"); ()").issues.is_empty());
    // A call by name need not wait for a document.
    for body in ["open_file(\"/etc/passwd\")", "timestamp()"] {
        let script = format!("fn score(candidate, source) {{ {body} }}");
        let files = Memory::default().with("rules/s.rhai", &script);
        assert!(compiled("m: { script: 's.rhai#score' }", &files).is_err(), "{body}");
    }
}

#[test]
fn failures_name_their_line_and_wrong_returns_are_refused() {
    for (body, says) in [
        ("\nthrow \"no good\"", "line 3: threw: no good"),
        ("candidate.nothing.at_all", "line 2"),
        ("1 / 0", "line 2"),
        ("3", "returned i64"),
        ("#{colour: \"red\"}", "unknown key `colour`"),
        ("#{severity: \"bad\"}", "unknown severity"),
        ("#{message: 3}", "`message` is not text"),
    ] {
        let out = agree(body);
        assert_eq!(out.issues[0].code, "SCRIPT_FAILED", "{body}");
        assert!(out.issues[0].message.contains(says), "{body}: {}", out.issues[0].message);
    }
}

#[test]
fn measures_are_clamped_and_a_failed_one_is_absent() {
    for (body, expected) in [
        ("0.25", Some(0.25)),
        ("7", Some(1.0)),
        ("-1", Some(0.0)),
        ("\"x\"", None),
        ("0.0 / 0.0", None),
        ("throw 1", None),
    ] {
        let script = format!("fn agree(candidate, source) {{ }}\nfn score(candidate, source) {{ {body} }}");
        let out = run(&script, &json!({"x": 1}), None);
        assert_eq!(out.scores.get("m").map(crate::value::Score::get), expected, "{body}");
        assert_eq!(out.issues.len(), usize::from(expected.is_none()), "{body}: {:?}", out.issues);
    }
}

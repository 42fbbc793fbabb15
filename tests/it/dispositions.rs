//! `dispositions`: who handles an issue that does not say so itself, regardless of its source.

use super::workspace::Workspace;
use serde_json::{Value, json};

const TABLE: &str = "
dispositions:
  TYPE_MISMATCH: correct
  SEMANTIC_VIOLATION: escalate
  CONSTRAINT_VIOLATION: { auto_fixable: correct, otherwise: escalate }
  MISSING_FIELD: escalate
  SCHEMA_TYPE: warn
  otherwise: warn
";

/// The issue says, else its code does, else the table's `otherwise`.
#[test]
fn trajectories_are_classified_by_code() {
    let place = Workspace::new();
    let policy = "assess: { q: given }\noverall: { from: q }\non_escalate: stop
accept: { correct_issues: 0, escalate_issues: 0 }\nstop: { max_iterations: 1 }\n";
    place.write("profiles/table.yaml", format!("{policy}{TABLE}"));
    place.write("profiles/plain.yaml", policy);
    let rows = [
        (json!({"code": "TYPE_MISMATCH"}), "max_iterations", "max_iterations"),
        (json!({"code": "SEMANTIC_VIOLATION"}), "critical_issue", "max_iterations"),
        (json!({"code": "SEMANTIC_VIOLATION", "disposition": "correct"}), "max_iterations", "max_iterations"),
        (json!({"code": "CONSTRAINT_VIOLATION"}), "critical_issue", "max_iterations"),
        (json!({"code": "CONSTRAINT_VIOLATION", "auto_fixable": false}), "critical_issue", "max_iterations"),
        (json!({"code": "CONSTRAINT_VIOLATION", "auto_fixable": true}), "max_iterations", "max_iterations"),
        (json!({"code": "SOMETHING_ELSE"}), "accepted", "max_iterations"),
        (json!({"code": "SOMETHING_ELSE", "disposition": "escalate"}), "critical_issue", "critical_issue"),
        (json!({"code": "SOMETHING_ELSE", "disposition": "warn"}), "accepted", "accepted"),
    ];
    let line = |(at, (issue, ..)): (usize, &(Value, &str, &str))| {
        let mut issue = issue.clone();
        issue["severity"] = json!("major");
        format!("{}\n", json!({"id": at, "iterations": [{"scores": {"q": 0.5}, "issues": [issue]}]}))
    };
    place.write("t.jsonl", rows.iter().enumerate().map(line).collect::<String>());
    let answers = place.run(&["simulate", "-p", "table", "-p", "plain", "t.jsonl"]).exits(0).lines();
    for (at, (issue, by_table, without)) in rows.iter().enumerate() {
        assert_eq!(answers[2 * at]["stop_reason"], *by_table, "{issue}");
        assert_eq!(answers[2 * at + 1]["stop_reason"], *without, "{issue}");
    }
}

#[test]
fn rules_scripts_and_measures_are_classified_by_code() {
    let place = Workspace::new();
    place.write(
        "rules/r.yaml",
        "rules:
  - { id: plain, require: x, code: SEMANTIC_VIOLATION }
  - { id: said, require: x, code: SEMANTIC_VIOLATION, disposition: correct }
  - { id: fixable, require: x, code: CONSTRAINT_VIOLATION, auto_fixable: true }
  - { id: unfixable, require: x, code: CONSTRAINT_VIOLATION }
  - { id: other, require: x }
  - { id: by-script, script: 'r.rhai#find' }
",
    );
    place.write(
        "rules/r.rhai",
        "fn find(candidate, source) { [
            #{code: \"CONSTRAINT_VIOLATION\", auto_fixable: true, message: \"a\"},
            #{code: \"TYPE_MISMATCH\", message: \"b\"},
            #{code: \"TYPE_MISMATCH\", disposition: \"escalate\", message: \"c\"},
            \"d\",
        ] }",
    );
    place.write("rules/rubrics/f.yaml", "types:\n  note:\n    required: [x]\n");
    place.write(
        "schemas/s.json",
        json!({"type": "object", "properties": {"n": {"type": "number"}}}).to_string(),
    );
    let profile = "classify: null
assess: { c: { rubric: f }, r: { rules: r, penalty: 0.1 }, s: { schema: schemas/s.json }, g: { grounding: { rubric: f } } }
overall: { from: r }\naccept: { overall: 1 }\nstop: { max_iterations: 1 }\n";
    place.write("profiles/table.yaml", format!("{profile}{TABLE}"));
    place.write("profiles/plain.yaml", profile);
    let record =
        json!({"id": 1, "document_type": "note", "source": "nothing here", "extraction": {"n": "zebra"}});
    place.write("r.jsonl", format!("{record}\n"));
    let found = |profile: &str| -> Vec<String> {
        let answer = place.run(&["score", "-p", profile, "--format", "jsonl", "r.jsonl"]).exits(0).json();
        let shown = |issue: &Value| {
            let fixable = if issue["auto_fixable"] == true { " fixable" } else { "" };
            let text = |key: &str| issue[key].as_str().unwrap_or("-").to_owned();
            format!("{} {} {}{fixable}", text("rule"), text("code"), text("disposition"))
        };
        answer["issues"].as_array().unwrap().iter().map(shown).collect()
    };
    assert_eq!(
        found("table"),
        [
            "- MISSING_FIELD escalate",
            "plain SEMANTIC_VIOLATION escalate",
            "said SEMANTIC_VIOLATION correct",
            "fixable CONSTRAINT_VIOLATION correct fixable",
            "unfixable CONSTRAINT_VIOLATION escalate",
            "other OTHER warn",
            "by-script CONSTRAINT_VIOLATION correct fixable",
            "by-script TYPE_MISMATCH correct",
            "by-script TYPE_MISMATCH escalate",
            "by-script BY_SCRIPT warn",
            "- SCHEMA_TYPE warn",
            "- UNGROUNDED_VALUE warn",
        ]
    );
    let plain = found("plain");
    assert_eq!(plain.len(), 12);
    let uncorrected: Vec<&String> = plain.iter().filter(|line| !line.contains(" correct")).collect();
    assert_eq!(uncorrected, ["by-script TYPE_MISMATCH escalate"]);
}

#[test]
fn a_table_that_can_not_be_read_is_shown_with_its_place() {
    let place = Workspace::new();
    place.write(
        "profiles/bad.yaml",
        "extends: batch\ndispositions: { A: corect, B: { auto_fixable: warn }, C: [warn] }\n",
    );
    let ran = place.run(&["check", "profiles/bad.yaml"]).exits(2);
    ran.finds(&[
        "unknown disposition `corect`",
        "did you mean `correct`?",
        "lacks `otherwise`",
        "found a list",
        "bad.yaml:2:",
    ]);
}

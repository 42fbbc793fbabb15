//! `loopctl validate` and `loopctl correct`: one step of the loop alone.

use crate::workspace::Workspace;
use serde_json::json;

const REPORT: &str = "Pathology report\nHistologic type: invasive ductal carcinoma\nHistologic grade: 2\n\
                      Margins: negative\nER: positive\nDate: 2024-03-01\nInstitution: General Hospital\n";
const GOOD: &str = r#"{"histology": "invasive ductal carcinoma", "grade": "2", "margins": "negative",
    "ihcMarkers": {"ER": "positive"}, "date": "2024-03-01", "institution": "General Hospital"}"#;

fn place() -> Workspace {
    let place = Workspace::new();
    place.write("report.txt", REPORT);
    place.write("good.json", GOOD);
    place.write("bad.json", r#"{"histology": "invasive ductal carcinoma", "grade": "fourth"}"#);
    place
}

#[test]
fn a_good_extraction_is_valid_and_no_provider_is_asked() {
    let place = place();
    let arguments =
        ["validate", "--extraction", "good.json", "--format", "json", "--out", "out", "report.txt"];
    let result = place.run(&arguments).exits(0).json();
    assert_eq!((&result["final_status"], &result["stop_reason"]), (&json!("passed"), &json!("accepted")));
    assert_eq!((&result["iteration_count"], &result["usage"]["calls"]), (&json!(1), &json!(0)));
    assert_eq!(result["best_extraction"], serde_json::from_str::<serde_json::Value>(GOOD).unwrap());
    assert!(place.names("out").contains(&"report-validation.json".to_owned()));
    assert!(!place.home().join("journal.sqlite").exists());
}

#[test]
fn a_bad_extraction_is_not_valid_and_says_why() {
    let place = place();
    for profile in ["clinical", "balanced", "real-time"] {
        let ran = place.run(&[
            "validate",
            "--profile",
            profile,
            "--extraction",
            "bad.json",
            "--format",
            "json",
            "report.txt",
        ]);
        let result = ran.exits(3).json();
        assert_eq!(result["iteration_count"], 1, "{profile}");
        let issues = result["best_validation"]["issues"].to_string();
        for code in ["GRADE_FORMAT", "UNGROUNDED_VALUE", "MISSING_FIELD"] {
            assert!(issues.contains(code), "{code}: {issues}");
        }
    }
    let table =
        place.run(&["validate", "--extraction", "bad.json", "--format", "text", "report.txt"]).exits(3);
    assert!(table.out.contains("invalid grade format"), "{}", table.out);
    // Nothing was tried again: the report is which line of `accept` does not hold.
    assert!(table.out.contains("report  not passed  overall "), "{}", table.out);
    assert!(table.out.contains("\n  does not hold: accept.overall: "), "{}", table.out);
    assert!(!format!("{}{}", table.out, table.err).contains("max_iterations"));
    assert!(table.err.contains("→ not passed (accept.overall: "), "{}", table.err);
}

#[test]
fn a_correction_is_made_once_and_handed_back() {
    let place = place();
    let ran =
        place.run(&["correct", "--extraction", "bad.json", "--format", "json", "--out", "out", "report.txt"]);
    let result = ran.json();
    assert_eq!(result["iteration_count"], 2, "{result}");
    assert_eq!(result["best_iteration"], 1);
    assert_eq!(result["usage"]["calls"], 1);
    assert!(result["best_extraction"]["grade"].as_str().unwrap().contains('2'), "{result}");
    assert_eq!(place.json("out/report-extraction.json")["grade"], "fourth");
    assert_eq!(place.json("out/report-extraction_corrected1.json"), result["best_extraction"]);
}

#[test]
fn a_correction_that_makes_it_worse_is_handed_back_all_the_same() {
    let place = place();
    place.write("answers.jsonl", r#"{"value": {"histology": "melanoma"}}"#);
    for profile in ["clinical", "balanced"] {
        let result = place.run(&[
            "correct",
            "--profile",
            profile,
            "--provider",
            "scripted",
            "--provider-config",
            "file=answers.jsonl",
            "--extraction",
            "bad.json",
            "--format",
            "json",
            "report.txt",
        ]);
        let result = result.exits(3).json();
        let text = place.read("report.txt");
        let corrected = json!({"histology": "melanoma", "rawText": text});
        assert_eq!(result["best_extraction"], corrected, "{profile}");
        assert_eq!(result["best_iteration"], 1);
    }
}

#[test]
fn what_is_good_is_not_corrected() {
    let place = place();
    let result = place
        .run(&["correct", "--extraction", "good.json", "--format", "json", "report.txt"])
        .exits(0)
        .json();
    assert_eq!((&result["iteration_count"], &result["usage"]["calls"]), (&json!(1), &json!(0)));
}

#[test]
fn mistakes_are_named() {
    let place = place();
    place.write("broken.json", "{\n  \"grade\": 2,\n}");
    for verb in ["validate", "correct"] {
        place.run(&[verb, "report.txt"]).exits(2).says(&["--extraction"]);
        place.run(&[verb, "--extraction", "good.json"]).exits(2).says(&["INPUT"]);
        place.run(&[verb, "--extraction", "none.json", "report.txt"]).exits(1).says(&["none.json"]);
        place
            .run(&[verb, "--extraction", "broken.json", "report.txt"])
            .exits(1)
            .says(&["broken.json", "line 3"]);
        place.run(&[verb, "--extraction", "good.json", "none.txt"]).exits(1).says(&["none.txt"]);
        place.run(&[verb, "--extraction", "good.json", "--type", "x", "report.txt"]).exits(2).says(&["`x`"]);
    }
    place
        .run(&["correct", "--provider", "scriptd", "--extraction", "bad.json", "report.txt"])
        .exits(2)
        .says(&["scripted"]);
}

/// A profile says where its own judge is. To do without a judge names no other.
#[test]
fn a_judge_with_a_server_of_its_own_is_done_without_like_any_other() {
    let place = place();
    place.write("prompts/judge.md", "{{ candidate }}");
    place.write(
        "profiles/judged.yaml",
        "extends: balanced
judges:
  tone: { provider: 'openai:m', config: { base_url: 'http://127.0.0.1:9/v1' }, prompt: judge.md }
assess: { tone: { judge: tone, score: /score, otherwise: grounding } }
overall: { accuracy: 0.3, tone: 0.1 }
accept: { overall: 0.9 }
",
    );
    for verb in [&["validate"][..], &["run", "--judge", "none"]] {
        let mut arguments = verb.to_vec();
        arguments.extend([
            "--profile",
            "judged",
            "--extraction",
            "good.json",
            "--format",
            "json",
            "report.txt",
        ]);
        let result = place.run(&arguments).exits(0).json();
        assert_eq!((&result["final_status"], &result["usage"]["calls"]), (&json!("passed"), &json!(0)));
        let warnings = result["warnings"].to_string();
        assert!(warnings.contains("name one with `loopctl run --judge`"), "{warnings}");
    }
    place.write(
        "profiles/judged.test.yaml",
        "cases:
  - { name: judged, candidates: [{}], answers: [{ tone: { score: 0.25 } }], expect: { assessments: [{ scores: { tone: 0.25 } }] } }
  - { name: alone, candidates: [{}], expect: { final_status: incomplete } }
",
    );
    place.run(&["test", "judged"]).exits(0);
    // Another one has an address of its own.
    let another =
        ["run", "--profile", "judged", "--judge", "openai:x", "--extraction", "good.json", "report.txt"];
    place.run(&another).exits(2).says(&["says where its own provider is"]);
}

/// A measure by a script has no issue of its own, and a gate none either.
#[test]
fn what_is_refused_says_why_even_if_nothing_is_wrong() {
    let place = place();
    place.write("rules/sense.rhai", "fn look(candidate, source) { 0.5 }\n");
    let assess = "extends: balanced\nassess: { sense: { script: 'sense.rhai#look' } }\noverall: { completeness: null, accuracy: null, validity: null, consistency: null, sense: 1 }\n";
    for (name, more, says) in [
        ("mine", "accept: { overall: 0.9 }\n", "`overall` is 0.500, and is accepted from 0.900 on"),
        ("near", "accept: { overall: 0.5001 }\n", "`overall` is 0.500000, and is accepted from 0.500100 on"),
        (
            "gated",
            "accept: { overall: 0.1 }\ngate: { sense: 0.7 }\n",
            "`sense` is 0.500, below the 0.700 of the gate",
        ),
    ] {
        place.write(&format!("profiles/{name}.yaml"), format!("{assess}{more}"));
        let mut full: serde_json::Value = serde_json::from_str(GOOD).unwrap();
        full["rawText"] = json!(REPORT);
        place.write("full.json", full.to_string());
        let arguments =
            ["validate", "--profile", name, "--extraction", "full.json", "--format", "json", "report.txt"];
        let result = place.run(&arguments).exits(3).json();
        let issues = result["best_validation"]["issues"].as_array().unwrap();
        let told: Vec<_> =
            issues.iter().map(|issue| (&issue["code"], &issue["severity"], &issue["disposition"])).collect();
        assert_eq!(told, [(&json!("NOT_ACCEPTED"), &json!("info"), &json!("warn"))], "{name}: {issues:?}");
        assert!(issues[0]["message"].as_str().unwrap().contains(says), "{name}: {issues:?}");
    }
}

/// A missing optional field says what it costs, and is not counted.
#[test]
fn what_an_optional_field_costs_is_said_and_not_counted() {
    let place = place();
    place.write(
        "profiles/mine.yaml",
        "extends: balanced\naccept: { overall: 0.99, minor_issues: 0, warn_issues: 0 }\n",
    );
    let validate = |profile| {
        let arguments =
            ["validate", "--profile", profile, "--extraction", "good.json", "--format", "json", "report.txt"];
        place.run(&arguments)
    };
    let result = validate("mine").exits(3).json();
    let issues = result["best_validation"]["issues"].as_array().unwrap();
    let raw_text = issues.iter().find(|issue| issue["path"] == "/rawText").unwrap();
    assert_eq!(
        raw_text["message"],
        "optional field `rawText` is missing, which costs 0.070 of `completeness`"
    );
    assert_eq!((&raw_text["severity"], &raw_text["disposition"]), (&json!("info"), &json!("warn")));
    assert_eq!(result["iterations"][0]["minor"], 0);
    place.write(
        "profiles/less.yaml",
        "extends: balanced\naccept: { overall: 0.95, minor_issues: 0, warn_issues: 0 }\n",
    );
    validate("less").exits(0);
}

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

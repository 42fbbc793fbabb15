//! `loopctl run` on real reports, offline, with no flags that a newcomer would not write.

use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

const PROFILES: [&str; 4] = ["clinical", "balanced", "real-time", "batch"];
const FIELDS: [&str; 15] = [
    "id",
    "document_type",
    "final_status",
    "stop_reason",
    "iteration_count",
    "best_iteration",
    "selection_reason",
    "best_extraction",
    "best_validation",
    "iterations",
    "improvement_trajectory",
    "rollbacks",
    "usage",
    "elapsed_ms",
    "warnings",
];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))).unwrap()
}

/// Checks what must hold of every result, regardless of what the provider found.
fn assert_sane(result: &Value, profile: &str) {
    for field in FIELDS {
        assert!(result.get(field).is_some(), "{field} is missing: {result}");
    }
    let iterations = result["iterations"].as_array().unwrap();
    let trajectory: Vec<f64> =
        result["improvement_trajectory"].as_array().unwrap().iter().map(number).collect();
    assert_eq!(iterations.len(), count(&result["iteration_count"]));
    assert_eq!(trajectory.len(), iterations.len());
    for (at, (iteration, overall)) in iterations.iter().zip(&trajectory).enumerate() {
        assert_eq!(count(&iteration["iteration"]), at);
        assert_eq!(number(&iteration["overall"]), *overall);
        // All four weigh alike.
        let weighted: f64 =
            [("completeness", 0.3), ("accuracy", 0.4), ("validity", 0.15), ("consistency", 0.15)]
                .iter()
                .map(|(name, weight)| {
                    let score = number(&iteration["scores"][*name]);
                    assert!((0.0..=1.0).contains(&score), "{name} {score}");
                    weight * score
                })
                .sum();
        assert!((weighted - overall).abs() < 1e-9, "{weighted} is not {overall}");
    }
    let best = count(&result["best_iteration"]);
    assert_eq!(number(&result["best_validation"]["overall"]), trajectory[best]);
    assert_eq!(result["best_validation"]["scores"], iterations[best]["scores"]);
    let reason = match (trajectory.len(), best) {
        (1, _) => "only_iteration".to_owned(),
        (all, best) if best + 1 == all => "final_iteration_best".to_owned(),
        (_, best) => format!("quality_peaked_at_iteration_{best}"),
    };
    assert_eq!(result["selection_reason"], reason);
    let (bound, most) = match profile {
        "clinical" => (0.98, 5),
        "batch" => (0.95, 3),
        "real-time" => (0.85, 2),
        _ => (0.95, 6),
    };
    assert!(trajectory.len() <= most, "{trajectory:?}");
    let passed = result["final_status"] == "passed";
    assert_eq!(passed, result["stop_reason"] == "accepted");
    let critical = count(&iterations[best]["critical"]);
    let strict = matches!(profile, "clinical" | "balanced");
    if passed {
        assert!(trajectory[best] >= bound - 1e-9);
        assert!(!strict || critical == 0);
    }
    for iteration in &iterations[..iterations.len() - usize::from(passed)] {
        assert!(number(&iteration["overall"]) < bound || (strict && count(&iteration["critical"]) > 0));
    }
    assert_eq!(count(&result["usage"]["calls"]), iterations.len());
}

#[test]
fn each_shipped_profile_takes_a_real_report_from_start_to_end() {
    for profile in PROFILES {
        for document in ["pathology-gastric.txt", "pathology-kidney.txt", "pathology-colon-es.txt"] {
            let place = Workspace::new();
            place.document(document);
            let ran = place.run(&["run", "--profile", profile, "--format", "json", "--out", "out", document]);
            let result = ran.json();
            let passed = result["final_status"] == "passed";
            assert_eq!(ran.code, Some(if passed { 0 } else { 3 }), "{}", ran.err);
            assert_eq!(result["id"], document.strip_suffix(".txt").unwrap());
            assert_eq!(result["document_type"], "pathology");
            assert_sane(&result, profile);
            assert_artifacts(&place, &result);
        }
    }
}

/// `docs/operating.md`, "What comes out": two files for each candidate and one result, which say what the result says.
fn assert_artifacts(place: &Workspace, result: &Value) {
    let id = result["id"].as_str().unwrap();
    let iterations = count(&result["iteration_count"]);
    let ending = |iteration: usize| match iteration {
        0 => String::new(),
        k => format!("_corrected{k}"),
    };
    let mut expected = vec!["journal.sqlite".to_owned(), format!("{id}-result.json")];
    for iteration in 0..iterations {
        expected.push(format!("{id}-extraction{}.json", ending(iteration)));
        expected.push(format!("{id}-validation{}.json", ending(iteration)));
    }
    expected.sort();
    assert_eq!(place.names("out"), expected);
    assert_eq!(&place.json(&format!("out/{id}-result.json")), result);
    for iteration in 0..iterations {
        let validation = place.json(&format!("out/{id}-validation{}.json", ending(iteration)));
        assert_eq!(validation["overall"], result["improvement_trajectory"][iteration]);
        assert_eq!(validation["scores"], result["iterations"][iteration]["scores"]);
    }
    let best = ending(count(&result["best_iteration"]));
    assert_eq!(place.json(&format!("out/{id}-extraction{best}.json")), result["best_extraction"]);
    assert_eq!(place.json(&format!("out/{id}-validation{best}.json")), result["best_validation"]);
}

#[test]
fn what_is_extracted_stands_in_the_report() {
    let place = Workspace::new();
    let report = std::fs::read_to_string(place.document("pathology-gastric.txt")).unwrap();
    let result =
        place.run_json(&["run", "--profile", "clinical", "--format", "json", "pathology-gastric.txt"]);
    let found = &result["best_extraction"];
    assert!(found["histology"].as_str().unwrap().to_lowercase().contains("carcinoma"), "{found}");
    let grade = found["grade"].as_str().unwrap().to_lowercase();
    assert!(grade.contains('3') || grade.contains("poorly"), "{found}");
    for (path, span) in result["best_validation"]["evidence"].as_object().unwrap() {
        let passage = report.get(count(&span["start"])..count(&span["end"]));
        assert!(passage.is_some_and(|passage| !passage.is_empty()), "{path}: {span}");
    }
    let span = &result["best_validation"]["evidence"]["/histology"];
    assert_eq!(&report[count(&span["start"])..count(&span["end"])], found["histology"].as_str().unwrap());
}

#[test]
fn the_same_report_gives_the_same_result() {
    let run = || {
        let place = Workspace::new();
        place.document("pathology-kidney.txt");
        let mut result = place.run_json(&["run", "--format", "json", "pathology-kidney.txt"]);
        result["elapsed_ms"] = Value::Null;
        result
    };
    assert_eq!(run(), run());
}

#[test]
fn results_go_to_standard_output_and_progress_to_standard_error() {
    let place = Workspace::new();
    place.document("pathology-kidney.txt");
    let arguments = ["run", "--profile", "real-time", "--format", "json", "pathology-kidney.txt"];
    let ran = place.run(&arguments).says(&["pathology-kidney", "overall", "completeness", "→"]);
    ran.json();
    let quiet = Ran::of(place.loopctl(&arguments).arg("-q"));
    assert_eq!(quiet.err, "");
    assert_eq!(quiet.json()["improvement_trajectory"], ran.json()["improvement_trajectory"]);
}

#[test]
fn nothing_is_coloured_that_no_terminal_shows() {
    let place = Workspace::new();
    place.document("pathology-gastric.txt");
    for (name, value) in [("TERM", "xterm-256color"), ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")] {
        for arguments in
            [&["run", "pathology-gastric.txt"][..], &["run", "--profile", "clinicl", "x"], &["check"]]
        {
            let ran = Ran::of(place.loopctl(arguments).env(name, value));
            assert!(!ran.out.contains('\x1b') && !ran.err.contains('\x1b'), "{name}: {}{}", ran.out, ran.err);
        }
    }
}

#[test]
fn several_documents_come_in_the_order_of_the_arguments() {
    let place = Workspace::new();
    let names = ["radiology-ultrasound", "pathology-kidney", "pathology-gastric"];
    let files: Vec<String> = names.iter().map(|name| format!("{name}.txt")).collect();
    for file in &files {
        place.document(file);
    }
    let arguments = |format: &'static str| {
        let mut all = vec!["run", "--format", format, "--out", "out"];
        all.extend(files.iter().map(String::as_str));
        all
    };
    let lines = place.run(&arguments("jsonl")).exits(3).lines();
    assert_eq!(lines.iter().map(|line| line["id"].as_str().unwrap()).collect::<Vec<_>>(), names);
    assert_eq!(lines[0]["document_type"], "radiology");
    let list = place.run_json(&arguments("json"));
    assert_eq!(list.as_array().unwrap().len(), 3);
    for (listed, line) in list.as_array().unwrap().iter().zip(&lines) {
        assert_eq!(listed["best_extraction"], line["best_extraction"]);
        assert_eq!(*listed, place.json(&format!("out/{}-result.json", listed["id"].as_str().unwrap())));
    }
    let table = place.run(&arguments("text")).exits(3);
    let places: Vec<usize> = names.iter().map(|name| table.out.find(name).unwrap()).collect();
    assert!(places.is_sorted(), "{}", table.out);
    assert!(table.out.contains("of 3 documents passed"), "{}", table.out);
}

#[test]
fn passing_without_a_known_type_is_said() {
    let place = Workspace::new();
    place.write("note.txt", "The committee talked about the garden.\nDate: 12 March 2024\n");
    place.document("pathology-kidney.txt");
    let one = place
        .run(&["run", "--quiet", "--format", "text", "--config", "accept.unknown_type=true", "note.txt"])
        .exits(0);
    assert!(one.out.lines().any(|line| line.starts_with("note  unknown  passed")), "{}", one.out);
    let two = place.run(&[
        "run",
        "--format",
        "text",
        "--config",
        "accept.unknown_type=true",
        "note.txt",
        "pathology-kidney.txt",
    ]);
    let last = two.out.lines().last().unwrap();
    assert!(last.ends_with("passed, 1 of them of type `unknown`"), "{last}");
    assert!(
        two.out.contains("note  unknown  passed") && !two.out.contains("kidney  pathology"),
        "{}",
        two.out
    );
}

#[test]
fn a_folder_stands_for_its_documents() {
    let place = Workspace::new();
    for name in
        ["reports/b.txt", "reports/a.md", "reports/.hidden.txt", "reports/scan.png", "reports/deeper/c.txt"]
    {
        place.write(name, "Histologic type: ductal carcinoma. Histologic grade: 2.");
    }
    let lines = place.run(&["run", "--format", "jsonl", "reports"]).lines();
    assert_eq!(
        lines.iter().map(|line| line["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["a", "b", "deeper/c"]
    );
    // Named twice, it is still taken once.
    let lines = place.run(&["run", "--format", "jsonl", "reports", "reports/b.txt", "./reports"]).lines();
    assert_eq!(lines.len(), 3);
}

#[test]
fn documents_of_one_name_keep_apart() {
    let place = Workspace::new();
    for folder in ["north", "south"] {
        place.write(&format!("{folder}/report.txt"), format!("Histologic type: {folder}ern carcinoma."));
    }
    let lines = place.run(&["run", "--format", "jsonl", "--out", "out", "north", "south"]).lines();
    let ids: Vec<&str> = lines.iter().map(|line| line["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["report", "south/report"]);
    let results: Vec<Value> = place
        .names("out")
        .iter()
        .filter(|name| name.ends_with("-result.json"))
        .map(|name| place.json(&format!("out/{name}"))["id"].clone())
        .collect();
    assert_eq!(results.len(), 2, "{:?}", place.names("out"));
    assert_ne!(results[0], results[1]);
}

#[test]
fn standard_input_is_a_document() {
    let place = Workspace::new();
    let report = std::fs::read(place.document("pathology-gastric.txt")).unwrap();
    let ran = Ran::of(place.loopctl(&["run", "--format", "json", "--out", "out", "-"]).write_stdin(report));
    let mut result = ran.json();
    assert_eq!(result["id"], "stdin");
    assert_artifacts(&place, &result);
    let mut by_name = place.run_json(&["run", "--format", "json", "pathology-gastric.txt"]);
    for one in [&mut result, &mut by_name] {
        one["elapsed_ms"] = Value::Null;
        one["id"] = Value::Null;
    }
    assert_eq!(result, by_name);
}

#[test]
fn a_type_that_is_given_is_not_guessed() {
    let place = Workspace::new();
    place.document("radiology-ultrasound.txt");
    let run = |arguments: &[&str]| {
        let mut all = vec!["run", "--format", "json", "radiology-ultrasound.txt"];
        all.extend(arguments);
        place.run_json(&all)
    };
    let guessed = run(&[]);
    assert_eq!(guessed["document_type"], "radiology");
    assert!(guessed["best_extraction"]["impression"].is_string(), "{guessed}");
    let given = run(&["--type", "clinical-notes"]);
    assert_eq!(given["document_type"], "clinical-notes");
    assert_eq!(given["best_extraction"].get("impression"), None, "{given}");
    place.write("nothing.txt", "The quick brown fox.");
    let unknown = place.run_json(&["run", "--format", "json", "nothing.txt"]);
    assert_eq!(unknown["document_type"], "unknown");
    assert!(unknown["warnings"].to_string().contains("--type"), "{unknown}");
}

#[test]
fn an_extraction_that_is_supplied_is_candidate_0() {
    let place = Workspace::new();
    place.write("report.txt", "Pathology report. Histologic type: ductal carcinoma. Histologic grade: 2.");
    place.write("mine.json", r#"{"histology": "ductal carcinoma", "grade": "fourth"}"#);
    let arguments = [
        "run",
        "--type",
        "pathology",
        "--extraction",
        "mine.json",
        "--format",
        "json",
        "--out",
        "out",
        "report.txt",
    ];
    let result = place.run_json(&arguments);
    let first = place.json("out/report-extraction.json");
    assert_eq!(first, json!({"histology": "ductal carcinoma", "grade": "fourth"}));
    let found = place.json("out/report-validation.json");
    assert!(found["issues"].to_string().contains("GRADE_FORMAT"), "{found}");
    assert!(count(&result["iteration_count"]) > 1);
    // The candidate that was supplied cost no call.
    assert_eq!(count(&result["usage"]["calls"]), count(&result["iteration_count"]) - 1);
    assert!(result["best_extraction"]["grade"].as_str().unwrap().contains('2'), "{result}");

    place.write("other.txt", "x");
    let two = place.run(&["run", "--extraction", "mine.json", "report.txt", "other.txt"]).exits(2);
    two.says(&["`--extraction` goes with one document"]);
    for (name, text) in [("bad.json", "{"), ("empty.json", "")] {
        place.write(name, text);
        place.run(&["run", "--extraction", name, "report.txt"]).exits(1).says(&[name, "is not JSON (line 1"]);
    }
    place
        .run(&["run", "--extraction", "none.json", "report.txt"])
        .exits(1)
        .says(&["none.json", "no such file"]);
}

#[test]
fn a_later_run_leaves_nothing_of_an_earlier_one() {
    let place = Workspace::new();
    place.document("pathology-kidney.txt");
    let run = |profile: &str| {
        place.run_json(&[
            "run",
            "--profile",
            profile,
            "--format",
            "json",
            "--out",
            "out",
            "pathology-kidney.txt",
        ])
    };
    let longer = run("balanced");
    let shorter = run("real-time");
    assert!(count(&longer["iteration_count"]) > count(&shorter["iteration_count"]));
    assert_artifacts(&place, &shorter);
}

#[test]
fn without_out_nothing_is_left_but_the_journal_at_home() {
    let place = Workspace::new();
    place.document("pathology-kidney.txt");
    place.run(&["run", "pathology-kidney.txt"]);
    assert_eq!(place.names(""), ["pathology-kidney.txt"]);
    assert!(place.home().join("journal.sqlite").is_file());
    place.run(&["run", "--journal", "elsewhere/j.sqlite", "pathology-kidney.txt"]);
    assert!(place.path("elsewhere/j.sqlite").is_file());
}

#[test]
fn json_documents_are_documents() {
    let place = Workspace::new();
    place.write(
        "note.json",
        r#"{"text": "Pathology report. Histologic type: ductal carcinoma", "n": [1, 2]}"#,
    );
    let ran = place.run(&["run", "--format", "json", "note.json"]);
    assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.err);
    assert_eq!(ran.json()["id"], "note");
}

#[test]
fn it_works_from_any_directory_with_the_embedded_files() {
    let place = Workspace::new();
    place.document("pathology-kidney.txt");
    place.write("far/away/x", "");
    let ran = Ran::of(
        place
            .loopctl(&["run", "--format", "json", "../../pathology-kidney.txt"])
            .current_dir(place.path("far/away")),
    );
    assert_eq!(ran.json()["profile"], "balanced");
}

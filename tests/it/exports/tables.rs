//! CSV, XLSX and JSONL.

use super::{CORRECTIONS, ODD, export, lines, reports, rows, scripted};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::io::Read;

/// A part of a workbook.
fn part(place: &Workspace, file: &str, name: &str) -> String {
    let bytes = std::fs::File::open(place.path(file)).unwrap();
    let mut text = String::new();
    zip::ZipArchive::new(bytes).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_table_says_what_the_results_say() {
    let place = reports();
    export(&place, "run.csv", &[]).exits(0).says(&["3 documents of run", "in `run.csv`"]);
    let results = place.run(&["runs", "export"]).exits(0).lines();
    let rows = rows(&place, "run.csv");
    assert_eq!((rows.len(), results.len()), (3, 3));
    for (row, result) in rows.iter().zip(&results) {
        assert_eq!(row["document"], result["id"].as_str().unwrap());
        assert_eq!(row["final_status"], result["final_status"].as_str().unwrap());
        assert_eq!(row["stop_reason"], result["stop_reason"].as_str().unwrap());
        assert_eq!(row["needs_review"], result["review"].to_string());
        assert_eq!(row["iterations"], result["iteration_count"].to_string());
        let overall = result["best_validation"]["overall"].as_f64().unwrap();
        assert!((row["overall"].parse::<f64>().unwrap() - overall).abs() < 1e-9);
        let passed = result["final_status"] == "passed";
        assert_eq!(row["decision"], if passed { "passed" } else { "needs review" });
        for (field, value) in result["best_extraction"].as_object().unwrap() {
            let Some(text) = value.as_str() else { continue };
            assert_eq!(row[field], text, "{field}");
            let evidence = &result["best_validation"]["evidence"][format!("/{field}")];
            if let Some(support) = evidence["support"].as_str() {
                let beside = |part: &str| row[&format!("{field}.{part}")].clone();
                assert_eq!(beside("support"), support);
                assert_eq!(beside("start"), evidence["start"].to_string());
                assert_eq!(beside("end"), evidence["end"].to_string());
                assert_eq!(beside("quote"), evidence["quote"].as_str().unwrap_or_default());
            }
        }
    }
    // Of one type only.
    export(&place, "x.csv", &["--type", "radiology", "--leave-out", "rawText"]).exits(0);
    let radiology = super::rows(&place, "x.csv");
    assert_eq!((radiology.len(), &radiology[0]["document"]), (1, &"chest-x-ray".to_owned()));
    assert!(!radiology[0].contains_key("rawText") && !radiology[0].contains_key("histology"));
}

/// Golden: what people open in a spreadsheet.
#[test]
fn what_a_spreadsheet_would_run_is_text() {
    let place = scripted(ODD);
    export(&place, "odd.csv", &["--leave-out", "rawText"]).exits(0);
    let text = place.read("odd.csv");
    assert!(text.ends_with("\r\n") && text.matches("\r\n").count() == 2, "{text}");
    insta::assert_snapshot!(text.replace("\r\n", "\n"));
}

#[test]
fn a_workbook_keeps_texts_numbers_and_dates_apart() {
    let place = scripted(ODD);
    export(&place, "odd.xlsx", &[]).exits(0);
    let sheet = part(&place, "odd.xlsx", "xl/worksheets/sheet1.xml");
    for expected in [
        r#"<pane xSplit="1" ySplit="1""#,
        // A text, not a formula.
        r#"t="inlineStr"><is><t>=HYPERLINK("http://x")</t>"#,
        "<v>-4.5</v>",
        // The days since the end of 1899 until 6 September 2016.
        "<v>42619</v>",
        "<is><t>-1+1</t>",
        r#"<is><t>{"ER":"positive","PR":"+"}</t>"#,
        r#"t="b"><v>0</v>"#,
    ] {
        assert!(sheet.contains(expected), "{expected} is not in\n{sheet}");
    }
    assert!(!sheet.contains("<f>"), "{sheet}");
    let names = part(&place, "odd.xlsx", "xl/workbook.xml");
    assert!(names.contains(r#"name="Documents""#) && names.contains(r#"name="About""#), "{names}");
    let about = part(&place, "odd.xlsx", "xl/sharedStrings.xml");
    for expected in ["Digest of the profile", "marc", "grade.support", "What it holds"] {
        assert!(about.contains(expected), "{expected} is not in\n{about}");
    }
    // The same run gives the same file.
    let first = std::fs::read(place.path("odd.xlsx")).unwrap();
    export(&place, "odd.xlsx", &[]).exits(0);
    assert!(first == std::fs::read(place.path("odd.xlsx")).unwrap());
}

#[test]
fn texts_that_no_cell_holds_are_cut_and_counted() {
    let long = "carcinoma ".repeat(4_000);
    let place = scripted(&json!([{ "value": { "histology": long } }]).to_string());
    export(&place, "long.xlsx", &[]).exits(0).says(&["were cut: 1", "--leave-out"]);
    assert!(part(&place, "long.xlsx", "xl/worksheets/sheet1.xml").contains("… [cut: "));
    export(&place, "long.csv", &[]).exits(0);
    assert_eq!(rows(&place, "long.csv")[0]["histology"], long);
}

#[test]
fn corrections_of_reviewers_are_what_is_exported() {
    let place = scripted(ODD);
    place.write("corrections.jsonl", CORRECTIONS);
    let corrected = ["--corrections", "corrections.jsonl"];
    export(&place, "odd.csv", &corrected).exits(0);
    let row = &rows(&place, "odd.csv")[0];
    let of = |heading: &str| row[heading].as_str();
    // The latest holds, and nothing that was found for the other value appears beside it.
    assert_eq!(
        ["grade", "grade.support", "grade.start", "grade.corrected_by"].map(of),
        ["2", "", "", "a.meyer"]
    );
    // A confirmed value keeps what was found for it.
    let nodes = ["nodesExamined", "nodesExamined.support", "nodesExamined.confirmed_by"].map(of);
    assert_eq!(nodes, ["3", "verified", "a.meyer"]);
    assert_eq!(of("ihcMarkers"), r#"{"ER":"positive","PR":null}"#);
    assert_eq!(of("ihcMarkers.corrected_by"), "a reviewer without a name");
    assert!(!row.contains_key("histology.corrected_by"));

    export(&place, "odd.jsonl", &corrected).exits(0);
    let result = &lines(&place, "odd.jsonl")[0];
    assert_eq!(result["best_extraction"]["grade"], "2");
    let said = result["corrections"].as_array().unwrap();
    let grade = said.iter().find(|one| one["field"] == "/grade").unwrap();
    assert_eq!((&grade["before"], &grade["reviewer"]), (&json!("-1+1"), &json!("a.meyer")));

    // The exported results are the same without them.
    export(&place, "plain.jsonl", &[]).exits(0);
    let plain: Vec<Value> = place.run(&["runs", "export"]).exits(0).lines();
    assert_eq!(lines(&place, "plain.jsonl"), plain);
}

#[test]
fn documents_without_a_result_have_a_row() {
    let place = reports();
    place.run(&["runs", "retry", "--document", "liver-resection", "--anew"]).exits(0);
    export(&place, "run.csv", &[]).exits(0);
    let rows = rows(&place, "run.csv");
    let waits = rows.iter().find(|row| row["document"] == "liver-resection").unwrap();
    assert_eq!(
        ["decision", "final_status", "overall", "cost_usd"].map(|name| waits[name].as_str()),
        ["waiting", "", "", ""]
    );
    export(&place, "run.jsonl", &[]).exits(0).says(&["because they have no result: 1 document"]);
    assert_eq!(lines(&place, "run.jsonl").len(), 2);
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_an_export() {
    use std::os::unix::fs::PermissionsExt;
    let place = scripted(ODD);
    for file in ["a.csv", "a.xlsx", "a.jsonl", "a.ndjson"] {
        export(&place, file, &[]).exits(0);
        assert_eq!(
            std::fs::metadata(place.path(file)).unwrap().permissions().mode() & 0o777,
            0o600,
            "{file}"
        );
    }
}

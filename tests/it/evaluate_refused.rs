//! `loopctl evaluate`: what it refuses, and the messages about that.

use super::evaluate::{evaluated, label, place, results};
use serde_json::json;

#[test]
fn what_can_not_be_evaluated_is_said_with_what_to_do() {
    let place = place();
    let written = results(&place, &[("a", true, 0.9, json!({ "grade": "2" }))]);
    place.write("results.jsonl", written);
    std::fs::create_dir(place.path("empty")).unwrap();
    let good = r#"{"document": "a", "fields": {"grade": "2"}}"#;
    for (labels, exit, said) in [
        ("", 1, &["there are no labels"][..]),
        ("no json", 1, &["gold.jsonl, line 1: no JSON, at line 1 column"]),
        ("[1]", 1, &["expected an object with `document` and `fields`, found a list"]),
        (
            r#"{"document": "a"}"#,
            1,
            &["`fields`: expected an object of right values by field, found nothing"],
        ),
        (r#"{"document": "a", "feilds": {}}"#, 1, &["unknown key `feilds`; did you mean `fields`?"]),
        (r#"{"document": "a", "field": "grade"}"#, 1, &["`after`: expected the right value"]),
        (
            r#"{"document": "a", "field": "grade", "after": "2", "at": "yesterday"}"#,
            1,
            &["`at`: expected a moment such as"],
        ),
        (
            r#"{"document": "b", "fields": {"grade": "2"}}"#,
            1,
            &["no label fits a result", "documents such as `b`"],
        ),
        (
            r#"{"document": "a", "fields": {"grad": "2"}}"#,
            1,
            &["no label fits a result", "fields that the profile does not have, such as `grad`"],
        ),
        (
            r#"{"document": "a", "fields": {"any": {"any_of": []}}}"#,
            1,
            &["expected a list of right values as `any_of`, found an empty list"],
        ),
    ] {
        place.write("gold.jsonl", labels);
        place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]).exits(exit).says(said);
    }
    // What can be used is evaluated, and the rest makes the status 1.
    place.write("gold.jsonl", format!("{good}\n{{}}\n"));
    let ran = place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]);
    let ran = ran
        .exits(1)
        .says(&["gold.jsonl, line 2: `document`: expected the name of a document, found nothing"]);
    assert!(ran.out.contains("1 document evaluated"), "{}", ran.out);
    // An unknown field beside a known one.
    place.write("gold.jsonl", r#"{"document": "a", "fields": {"grade": "2", "margin": "negative"}}"#);
    let ran = place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]).exits(0);
    assert!(
        ran.out.contains("`margin` (1 document) is none of the profile; did you mean `margins`?"),
        "{}",
        ran.out
    );

    place.write("gold.jsonl", good);
    place.write("bad.csv", "doc,grade\na,2\n");
    place.write("twice.csv", "document,grade,grade\na,2,3\n");
    place.write("empty.csv", "");
    place.write("short.csv", "document,grade\na\n");
    place.write("bad.map.yaml", "document: doc\nfields: [{ field: grade, from: grad }]\n");
    place.write("none.jsonl", "{}\n");
    for (arguments, exit, said) in [
        (
            &["bad.csv", "--results", "results.jsonl"][..],
            1,
            &[
                "bad.csv: the table has no column `document`, which names the document of each row; it has `doc`, `grade`",
                "printf 'document: doc\\nfields: [{ field: grade, from: grade }]\\n' > bad.map.yaml",
                "loopctl evaluate bad.csv --columns bad.map.yaml",
            ][..],
        ),
        (&["twice.csv", "--results", "results.jsonl"], 1, &["the table has the column `grade` twice"]),
        (&["empty.csv", "--results", "results.jsonl"], 1, &["the table is empty"]),
        (
            &["short.csv", "--results", "results.jsonl"],
            1,
            &["short.csv, line 2: the row has 1 cells, and the header 2"],
        ),
        (
            &["bad.csv", "--columns", "bad.map.yaml", "--results", "results.jsonl"],
            1,
            &["no column `grad`, which the map names (did you mean `grade`?); it has `doc`, `grade`"],
        ),
        (
            &["gold.jsonl", "--columns", "gold.jsonl", "--results", "results.jsonl"],
            2,
            &["the map of labels `gold.jsonl` can't be used"],
        ),
        (&["empty", "--results", "results.jsonl"], 1, &["the folder `empty` has no labels"]),
        (&["missing.jsonl", "--results", "results.jsonl"], 1, &["can't read the labels `missing.jsonl`"]),
        (
            &["gold.jsonl", "--results", "empty"],
            1,
            &["the folder `empty` has no results", "`loopctl run --out DIR` writes them"],
        ),
        (&["gold.jsonl", "--results", "none.jsonl"], 1, &["`none.jsonl` has no results"]),
        (&["gold.jsonl", "--results", "-"], 2, &["`--results -` needs `--profile`"]),
        (&["gold.jsonl", "--run", "2031"], 1, &["no run `2031`"]),
        (&["gold.jsonl", "--results", "results.jsonl", "--fresh"], 2, &["cannot be used with"]),
        (
            &["gold.jsonl", "--results", "results.jsonl", "--confidence", "95"],
            2,
            &["expected a number between 0 and 1"],
        ),
        (
            &["gold.jsonl", "--fresh", "--profile", "mine"],
            1,
            &["gold.jsonl, line 1: there is no file `", "in `--documents DIR`"],
        ),
    ] {
        place.run(&[&["evaluate"], arguments].concat()).exits(exit).says(said);
    }
}

#[test]
fn a_report_that_is_an_input_is_refused_before_anything_is_written() {
    let place = place();
    place.write("results.jsonl", results(&place, &[("a", true, 0.9, json!({ "grade": "2" }))]));
    place.write("gold.csv", "document,grade\na,2\n");
    place.write("folder/gold.csv", "document,grade\na,2\n");
    place.write("gold.map.yaml", "document: document\nfields: [{ field: grade, from: grade }]\n");
    place.write("reports/labels.csv", "document,grade\na.txt,2\n");
    std::fs::hard_link(place.path("gold.csv"), place.path("other-name.csv")).unwrap();
    let with_results = ["--results", "results.jsonl", "--columns", "gold.map.yaml"];
    let fresh = ["--fresh", "--profile", "mine"];
    for (labels, others, report, said) in [
        ("gold.csv", &with_results[..], "gold.csv", "would overwrite the labels `gold.csv`"),
        ("gold.csv", &with_results, "./folder/../gold.csv", "would overwrite the labels `gold.csv`"),
        ("gold.csv", &with_results, "other-name.csv", "would overwrite the labels `gold.csv`"),
        ("folder", &with_results, "folder/gold.csv", "would overwrite the labels `folder"),
        (
            "gold.csv",
            &with_results,
            "gold.map.yaml",
            "would overwrite the map of `--columns` `gold.map.yaml`",
        ),
        ("gold.csv", &with_results, "results.jsonl", "would overwrite the results `results.jsonl`"),
        ("reports/labels.csv", &fresh, "reports/a.txt", "would overwrite the labelled documents `reports"),
    ] {
        let before = place.read(report);
        let words = [&["evaluate", labels, "--report", report], others].concat();
        let ran = place.run(&words).exits(2).says(&[said, "write the report to another file"]);
        assert!(ran.out.is_empty(), "{}", ran.out);
        assert_eq!(place.read(report), before, "{report}");
    }
    // What is there and no input is replaced, as any report is.
    place.write("old.html", "");
    place.run(&["evaluate", "gold.csv", "--results", "results.jsonl", "--report", "old.html"]).exits(0);
    assert!(place.read("old.html").contains("<html"));
}

#[test]
fn labels_that_can_not_be_a_value_of_their_field_are_named_and_not_counted() {
    let place = place();
    place.write(
        "rules/rubrics/clinical.yaml",
        "rubric: clinical\nextends: clinical\nfields: { tumorSizeMm: { unit: mm } }\n",
    );
    let extraction = json!({ "grade": "2", "date": "2016-09-06", "tumorSizeMm": 21 });
    let written = results(&place, &[("a", true, 0.9, extraction)]);
    for (field, wrong, expected) in [
        ("date", json!("garbage"), "a date"),
        ("date", json!("31.02.2016"), "a date"),
        ("date", json!("2016-13-05"), "a date"),
        ("date", json!({ "day": 6 }), "a date"),
        ("tumorSizeMm", json!("viele"), "a number"),
        ("tumorSizeMm", json!(true), "a number"),
    ] {
        let found = evaluated(&place, &[label("a", json!({ "grade": "2", field: wrong }))], &written);
        assert_eq!(found["all_fields"]["documents"], json!(1), "{wrong}: {found:#}");
        assert_eq!((&found["passed"]["documents"], &found["passed"]["wrong"]), (&json!(1), &json!(0)));
        let unusable = &found["unmatched"]["unusable"][0];
        assert_eq!(
            (&unusable["field"], &unusable["expected"]),
            (&json!(field), &json!(expected)),
            "{found:#}"
        );
    }
    let ran = place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]).exits(0);
    let said = "the label of `tumorSizeMm` of `a` (gold.jsonl, line 1) can't be used for this field: expected a number, found `true`";
    assert!(ran.out.contains(said), "{}", ran.out);
    place.write("gold.jsonl", label("a", json!({ "date": "garbage" })));
    place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]).exits(1).says(&[
        "no label can be used",
        "values of `date` are a date, unlike the label in gold.jsonl, line 1",
    ]);
    place.write("gold.jsonl", label("a", json!({ "grade": { "anyOf": ["1", "2"] } })));
    place
        .run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"])
        .exits(1)
        .says(&["`grade`: unknown key `anyOf`; did you mean `any_of`?"]);
    // Dates are reported to be compared as such.
    let found = evaluated(&place, &[label("a", json!({ "date": "September 2016", "grade": "2" }))], &written);
    assert_eq!(found["fields"][0]["compared_by"], json!("date"));
}

#[test]
fn rows_of_a_table_are_named_by_their_line_whatever_ends_it() {
    let place = place();
    place.write("results.jsonl", results(&place, &[("a", true, 0.9, json!({ "grade": "2" }))]));
    for end in ["\n", "\r\n"] {
        let rows = ["document,grade,margins", "a,2,", "", "\"gone\ntoo\",2,", ",3,", "a"];
        place.write("gold.csv", rows.join("#").replace('#', end));
        let ran = place.run(&["evaluate", "gold.csv", "--results", "results.jsonl"]).exits(1);
        let ran = ran.says(&[
            "gold.csv, line 6: `document`: expected the name",
            "gold.csv, line 7: the row has 1 cells, and the header 3",
        ]);
        assert!(ran.out.contains("(gold.csv, line 4)"), "{}", ran.out);
    }
}

#[test]
fn tables_that_are_no_utf_8_are_named_once_with_what_to_do() {
    let place = place();
    place.write("results.jsonl", results(&place, &[("a", true, 0.9, json!({ "grade": "2" }))]));
    let table = "document,grade\na,2\nb,3\n";
    let wide: Vec<u8> = table.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin = [table.as_bytes(), b"Gr\xf6\xdfe,2\nGr\xf6\xdfe,3\n"].concat();
    for bytes in [[&b"\xff\xfe"[..], &wide].concat(), wide, latin, b"PK\x03\x04\x00\x00\x08\xff".to_vec()] {
        std::fs::write(place.path("gold.csv"), bytes).unwrap();
        let ran = place.run(&["evaluate", "gold.csv", "--results", "results.jsonl"]).exits(1);
        let ran = ran.says(&["gold.csv: the file is not UTF-8 text; save it as UTF-8"]);
        assert_eq!(ran.err.matches("gold.csv").count(), 1, "{}", ran.err);
    }
}

#[test]
fn labels_of_others_without_a_map_are_said_to_need_one_once() {
    let place = place();
    place.write("results.jsonl", results(&place, &[("a", true, 0.9, json!({ "grade": "2" }))]));
    let line = r#"{"document": "a", "doc_type": "pathology", "fields": {"grade": "2"}}"#;
    place.write("gold.jsonl", [line; 25].join("\n"));
    let ran = place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]).exits(1);
    assert_eq!(ran.err.matches("--columns MAP.yaml").count(), 1, "{}", ran.err);
    place.write("gold.jsonl", format!("{}\n{line}\n{line}", label("a", json!({ "grade": "2" }))));
    let ran = place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]).exits(1);
    assert_eq!(ran.err.matches("--columns MAP.yaml").count(), 1, "{}", ran.err);
}

//! `loopctl evaluate`: results held against labelled documents.

use super::workspace::{Ran, Workspace};
use serde_json::{Value, json};

const PROFILE: &str = "extends: clinical\naccept: { overall: 0.8, completeness: null, accuracy: null }\n";

const REPORT: &str = "SURGICAL PATHOLOGY REPORT\nFINAL DIAGNOSIS: Left breast, lumpectomy: Invasive ductal carcinoma, histologic grade 2. \
                      Surgical margins: negative for carcinoma.\n";

/// A folder with the profile `mine` and the reports `a` and `b`.
pub(crate) fn place() -> Workspace {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", PROFILE);
    place.write("reports/a.txt", REPORT);
    place.write("reports/b.txt", REPORT.replace("Left", "Right").replace("negative", "positive"));
    place
}

/// A result for each document: its id, whether it passed, its score, and what was extracted.
pub(crate) fn results(place: &Workspace, documents: &[(&str, bool, f64, Value)]) -> String {
    let run = ["run", "--quiet", "--profile", "mine", "--format", "jsonl", "reports/a.txt"];
    let written = place.run(&run).lines().remove(0);
    let lines = documents.iter().map(|(id, passed, overall, extraction)| {
        let mut result = written.clone();
        result["id"] = json!(id);
        result["final_status"] = json!(if *passed { "passed" } else { "stopped_early" });
        result["stop_reason"] = json!(if *passed { "accepted" } else { "min_improvement" });
        result["best_extraction"] = extraction.clone();
        result["best_validation"]["overall"] = json!(overall);
        result.to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Labels of a document.
pub(crate) fn label(document: &str, fields: Value) -> String {
    json!({ "document": document, "fields": fields }).to_string()
}

/// What `evaluate` says of labels and results, as JSON.
fn evaluated(place: &Workspace, labels: &[String], results: &str) -> Value {
    place.write("gold.jsonl", labels.join("\n"));
    place.write("results.jsonl", results);
    place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl", "--format", "json"]).exits(0).json()
}

/// Four documents of every kind: passed and right, passed and wrong, refused and right, refused and wrong.
fn four(place: &Workspace) -> (Vec<String>, String) {
    let labels = vec![
        label("a.txt", json!({ "grade": "G2", "margins": "uninvolved", "ihcMarkers": { "ER": "positive" } })),
        label("b.txt", json!({ "grade": "1", "margins": { "any_of": ["involved", "close"] } })),
        label("c.txt", json!({ "grade": { "present": false }, "margins": "negative" })),
        label("d.txt", json!({ "grade": "3", "margins": null })),
        label("gone.txt", json!({ "grade": "3" })),
    ];
    let results = results(
        place,
        &[
            (
                "a",
                true,
                0.95,
                json!({ "grade": 2, "margins": "negative", "ihcMarkers": { "ER": "positive" } }),
            ),
            ("b", true, 0.9, json!({ "grade": "high grade", "margins": "positive" })),
            ("c", false, 0.7, json!({ "grade_status": "not_present", "margins": "free of tumor" })),
            ("d", false, 0.5, json!({ "margins": "positive" })),
            ("<b>e", true, 0.9, json!({ "grade": "3" })),
        ],
    );
    (labels, results)
}

#[test]
fn the_evaluation_reads_well() {
    let place = place();
    let (labels, results) = four(&place);
    place.write("gold.jsonl", labels.join("\n"));
    place.write("results.jsonl", results);
    let ran = place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl", "--report", "page.html"]);
    insta::assert_snapshot!(ran.exits(0).out);

    let page = place.read("page.html");
    assert!(page.matches("<svg class=\"plot").count() == 2, "{page}");
    assert!(page.contains("&lt;b&gt;e") && !page.contains("<b>e"), "{page}");
    for outside in ["<script", "src=", "href=", "url(", "://"] {
        assert!(!page.contains(outside), "{outside}: {page}");
    }
}

#[test]
fn figures_are_those_of_a_count_by_hand() {
    let place = place();
    let (labels, results) = four(&place);
    let found = evaluated(&place, &labels, &results);
    let of = |pointer: &str| found.pointer(pointer).unwrap_or_else(|| panic!("{pointer}: {found:#}"));
    assert_eq!(
        of("/documents"),
        &json!({ "evaluated": 4, "not_judged": 0, "right": 2, "wrong": 2, "with_false_values": 2 })
    );
    assert_eq!((of("/passed/documents"), of("/passed/wrong")), (&json!(2), &json!(1)));
    assert_eq!((of("/refused/documents"), of("/refused/right")), (&json!(2), &json!(1)));
    // By Clopper and Pearson: of 2 one, at 95 %.
    assert_eq!(of("/passed/interval"), &json!({ "low": 0.012579, "high": 0.987421 }));
    let grade = of("/fields/0");
    assert_eq!(
        [
            &grade["field"],
            &grade["right"],
            &grade["wrong"],
            &grade["missing"],
            &grade["spurious"],
            &grade["absent"]
        ],
        [&json!("grade"), &json!(1), &json!(1), &json!(1), &json!(0), &json!(1)]
    );
    // Said: 2 and `high grade`; labelled: 2, 1 and 3; one of them in both.
    assert_eq!(
        [&grade["precision"], &grade["recall"], &grade["f1"]],
        [&json!(0.5), &json!(0.333333), &json!(0.4)]
    );
    assert_eq!(grade["exact_agreement"], json!(0.5));
    assert_eq!(grade["compared_by"], json!("vocabulary grade"));
    let margins = of("/fields/2");
    assert_eq!([&margins["right"], &margins["spurious"]], [&json!(3), &json!(1)]);
    // Sorted by score: right, wrong, right, wrong.
    assert_eq!(of("/risk_coverage/area"), &json!(0.333333));
    assert_eq!(of("/look_at/0/reason"), &json!("passed_with_false_values"));
    assert_eq!(of("/unmatched/labels/0/document"), &json!("gone.txt"));
    assert_eq!(of("/unmatched/documents"), &json!(["<b>e"]));
}

#[test]
fn fields_are_compared_as_the_rubric_declares_them() {
    let place = place();
    place.write(
        "rules/rubrics/clinical.yaml",
        "rubric: clinical\nextends: clinical\nfields: { tumorSizeMm: { unit: mm, tolerance: 0.5 } }\n",
    );
    for (field, label, said, verdict) in [
        ("grade", json!("G2"), json!("moderately differentiated"), "right"),
        ("grade", json!("G2"), json!("grade 3"), "wrong"),
        ("margins", json!("R0"), json!("negative"), "right"),
        ("histology", json!("Invasive ductal carcinoma"), json!("invasive  DUCTAL carcinoma."), "right"),
        ("histology", json!("ductal carcinoma"), json!("invasive ductal carcinoma"), "wrong"),
        ("tumorSizeMm", json!(21), json!("2.1 cm"), "right"),
        ("tumorSizeMm", json!(21), json!(21.5), "right"),
        ("tumorSizeMm", json!(21), json!(22), "wrong"),
        ("date", json!("2026-03-01"), json!("March 1, 2026"), "right"),
        ("date", json!("2026-03-01"), json!("2 March 2026"), "wrong"),
        ("parts", json!(["a", "b"]), json!(["B", "A"]), "right"),
        ("parts", json!(["a", "b"]), json!(["a", "b", "c"]), "wrong"),
        ("parts", json!(null), json!(["a"]), "spurious"),
        ("parts", json!(null), json!([]), "absent"),
        ("parts", json!(["a"]), json!(null), "missing"),
        ("parts", json!(["a", "b", "c"]), json!(["c", "a"]), "missing"),
        ("parts", json!(["a", "b", "c"]), json!(["a", "d"]), "wrong"),
        ("date", json!("2016-09-06T00:00:00"), json!("September 6, 2016"), "right"),
        ("date", json!("2016-09-06 00:00:00"), json!("06.09.2016"), "right"),
        ("date", json!("2016-09-06"), json!("2016-09-06T08:30:00Z"), "right"),
        ("date", json!("2016-09-06T00:00:00"), json!("2016-09-07"), "wrong"),
        ("date", json!("06/09/2016"), json!("2016-09-06"), "right"),
        ("date", json!("06/09/2016"), json!("2016-06-09"), "right"),
        ("date", json!("September 2016"), json!("2016-09-07"), "wrong"),
        ("/ihcMarkers/ER", json!("positive"), json!("Positive"), "right"),
    ] {
        let extraction = match field {
            "/ihcMarkers/ER" => json!({ "ihcMarkers": { "ER": said } }),
            _ => json!({ field: said }),
        };
        let lines = results(&place, &[("a", true, 0.9, extraction)]);
        let found = evaluated(&place, &[self::label("a", json!({ field: label }))], &lines);
        assert_eq!(found["fields"][0][verdict], json!(1), "{field}: {label} {said}: {found:#}");
    }
}

#[test]
fn labels_of_every_form_say_the_same() {
    let place = place();
    let written = results(
        &place,
        &[
            ("a", true, 0.9, json!({ "grade": "2", "parts": ["x", "y"] })),
            ("b", true, 0.8, json!({ "margins": "positive" })),
        ],
    );
    place.write("results.jsonl", written);
    place.write(
        "gold.json",
        json!([
            { "document": "a.txt", "fields": { "grade": "2", "parts": ["x", "y", "z"] } },
            { "document": "b.txt", "fields": { "grade": null, "margins": "negative" } },
        ])
        .to_string(),
    );
    place.write(
        "labels/a.labels.json",
        json!({ "fields": { "grade": "2", "parts": ["x", "y", "z"] } }).to_string(),
    );
    place.write(
        "labels/b.labels.json",
        json!({ "fields": { "grade": { "present": false }, "margins": "negative" } }).to_string(),
    );
    place.write("table.csv", "case;G;M;all parts\na;2;;x|y|z\nb;-;negative;\n");
    place.write(
        "table.map.yaml",
        "document: case\nnot_present: ['-']\nfields:\n  - { field: grade, from: G }\n  - { field: margins, from: M }\n  \
         - { field: parts, from: all parts, separator: '|' }\n",
    );
    place.write(
        "others.jsonl",
        "{\"file\": \"a.txt\", \"truth\": {\"g\": \"2\", \"p\": [{\"v\": \"x\"}, {\"v\": \"y\"}, {\"v\": \"z\"}]}}\n\
         {\"file\": \"b.txt\", \"truth\": {\"g\": \"-\", \"m\": \"negative\"}}\n",
    );
    place.write(
        "others.map.yaml",
        "document: file\nnot_present: ['-']\nfields:\n  - { field: grade, from: $.truth.g }\n  - { field: margins, from: $.truth.m }\n  \
         - { field: parts, from: '$.truth.p[*].v' }\n",
    );
    let corrections =
        [("a.txt", "grade", json!("2")), ("a.txt", "parts", json!(["x", "y", "z"]))].into_iter();
    let corrections =
        corrections.chain([("b.txt", "grade", json!(null)), ("b.txt", "margins", json!("negative"))]);
    let corrections = corrections.map(|(document, field, after)| {
        json!({ "document": document, "field": field, "after": after, "reviewer": "ab", "at": "2026-11-25" }).to_string()
    });
    place.write("corrections.jsonl", corrections.collect::<Vec<_>>().join("\n"));
    let figures = |labels: &[&str]| {
        let words = [&["evaluate", "--results", "results.jsonl", "--format", "json"], labels].concat();
        let mut found = place.run(&words).exits(0).json();
        found["unmatched"] = Value::Null;
        found
    };
    let expected = figures(&["gold.json"]);
    assert_eq!(expected["all_fields"]["documents"], json!(4));
    assert_eq!(expected["all_fields"]["exact"], json!(2));
    for labels in [
        &["labels"][..],
        &["table.csv", "--columns", "table.map.yaml"],
        &["others.jsonl", "--columns", "others.map.yaml"],
        &["corrections.jsonl"],
    ] {
        assert_eq!(figures(labels), expected, "{labels:?}");
    }
    for map in ["table.map.yaml", "others.map.yaml"] {
        place.run(&["check", map]).exits(0);
    }
}

#[test]
fn the_latest_correction_holds_and_labels_that_contradict_each_other_are_left_out() {
    let place = place();
    let written = results(&place, &[("a", true, 0.9, json!({ "grade": "2", "margins": "negative" }))]);
    let correction = |field: &str, after: &str, at: &str| {
        json!({ "document": "a", "field": field, "before": "1", "after": after, "reviewer": "ab", "at": at })
            .to_string()
    };
    let labels = [
        label("a", json!({ "grade": "1", "margins": "negative" })),
        correction("grade", "3", "2026-11-24T08:00:00Z"),
        correction("grade", "2", "2026-11-25T08:00:00Z"),
        label("a", json!({ "margins": "positive" })),
    ];
    let found = evaluated(&place, &labels, &written);
    assert_eq!(found["fields"].as_array().map(Vec::len), Some(1), "{found:#}");
    assert_eq!((&found["fields"][0]["field"], &found["fields"][0]["right"]), (&json!("grade"), &json!(1)));
    assert_eq!(found["unmatched"]["disputed"][0]["field"], json!("margins"));
    assert_eq!(
        found["unmatched"]["disputed"][0]["labels"],
        json!(["gold.jsonl, line 1", "gold.jsonl, line 4"])
    );
}

#[test]
fn a_run_a_folder_lines_and_a_fresh_run_are_evaluated_alike() {
    let place = place();
    place.write(
        "reports/gold.csv",
        "document,document_type,grade,margins\na.txt,pathology,2,negative\nb.txt,pathology,2,negative\n",
    );
    place.run(&["run", "--quiet", "--profile", "mine", "--out", "out", "reports"]);
    let lines =
        ["run", "--quiet", "--profile", "mine", "--format", "jsonl", "reports/a.txt", "reports/b.txt"];
    place.write("lines.jsonl", place.run(&lines).out);
    let figures = |words: &[&str]| {
        let all = [&["evaluate", "reports/gold.csv", "--format", "json"], words].concat();
        let mut found = place.run(&all).exits(0).json();
        found["sources"]["results"] = Value::Null;
        // Ids of a fresh run are the names in the labels.
        found["look_at"].as_array_mut().unwrap().iter_mut().for_each(|one| one["document"] = Value::Null);
        found
    };
    let expected = figures(&["--results", "out"]);
    assert_eq!(expected["documents"]["evaluated"], json!(2), "{expected:#}");
    assert_eq!(figures(&["--run", "latest"]), expected);
    assert_eq!(figures(&["--results", "lines.jsonl"]), expected);
    assert_eq!(figures(&["--fresh", "--profile", "mine"]), expected);
    assert_eq!(figures(&["--fresh", "--profile", "mine", "--documents", "reports"]), expected);
    let piped = Ran::of(
        place
            .loopctl(&[
                "evaluate",
                "reports/gold.csv",
                "--results",
                "-",
                "--profile",
                "mine",
                "--format",
                "jsonl",
            ])
            .write_stdin(place.read("lines.jsonl")),
    );
    assert_eq!(piped.exits(0).json()["documents"], expected["documents"]);
}

#[test]
fn types_that_are_told_are_counted_apart_from_what_is_recognised() {
    let place = place();
    place.write(
        "reports/gold.csv",
        "document,document_type,grade\na.txt,pathology,2\nb.txt,radiology,2\nc.txt,letter,2\n",
    );
    let ran = place.run(&[
        "evaluate",
        "reports/gold.csv",
        "--fresh",
        "--typed",
        "--profile",
        "mine",
        "--format",
        "json",
    ]);
    let ran = ran.exits(0).says(&["left out, because the profile has no such document type: `letter` (1)"]);
    let types = ran.json()["document_types"].clone();
    let of = |at: usize| {
        [&types[at]["document_type"], &types[at]["recognised"], &types[at]["documents"]].map(Value::clone)
    };
    assert_eq!(of(0), [json!("pathology"), json!(1), json!(1)]);
    assert_eq!(of(1), [json!("radiology"), json!(0), json!(1)]);
    place.write("reports/gold.csv", "document,document_type,grade\na.txt,letter,2\n");
    place
        .run(&["evaluate", "reports/gold.csv", "--fresh", "--typed", "--profile", "mine"])
        .exits(1)
        .says(&["the profile has none of the labelled types: `letter` (1)", "known: "]);
}

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
    // A field that nobody knows beside one that is known.
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
fn documents_that_are_labelled_by_type_alone_are_neither_right_nor_wrong() {
    let place = place();
    let grade = || json!({ "grade": "2" });
    let written = results(
        &place,
        &[
            ("a", true, 0.9, grade()),
            ("b", true, 0.9, grade()),
            ("c", true, 0.9, grade()),
            ("d", false, 0.5, grade()),
        ],
    );
    let labels = [
        json!({ "document": "a", "document_type": "pathology", "fields": { "grade": "2" } }),
        json!({ "document": "b", "document_type": "pathology", "fields": {} }),
        json!({ "document": "c", "document_type": "radiology", "fields": {} }),
        json!({ "document": "d", "document_type": "radiology", "fields": {} }),
    ]
    .map(|label| label.to_string());
    let found = evaluated(&place, &labels, &written);
    let of = |at: usize| {
        let kind = &found["document_types"][at];
        [&kind["document_type"], &kind["documents"], &kind["judged"], &kind["right"]].map(Value::clone)
    };
    assert_eq!(of(0), [json!("pathology"), json!(2), json!(1), json!(1)]);
    assert_eq!(of(1), [json!("radiology"), json!(2), json!(0), json!(null)]);
    assert_eq!((&found["documents"]["evaluated"], &found["documents"]["not_judged"]), (&json!(1), &json!(3)));
    assert_eq!((&found["passed"]["documents"], &found["passed"]["not_judged"]), (&json!(1), &json!(2)));
    assert_eq!((&found["refused"]["documents"], &found["refused"]["not_judged"]), (&json!(0), &json!(1)));

    let words = ["evaluate", "gold.jsonl", "--results", "results.jsonl", "--report", "page.html"];
    let text = place.run(&words).exits(0).out;
    let row = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("pathology"), "pathology 1 of 2 2 0 2 1 0.817 0.900 4 of 4", "{text}");
    assert!(row("radiology").starts_with("radiology 0 of 2 0 0 1 – "), "{text}");
    assert!(row("wrong among").ends_with("2 not judged besides"), "{text}");
    assert!(row("not judged: 3 documents with a result").contains("labelled by type alone"), "{text}");
    let page = place.read("page.html");
    for said in ["2 not judged besides", "3 documents with a result, labelled by type alone", "0 of 2"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // Where no label is of a field, that is said.
    place.write("gold.jsonl", &labels[1]);
    place
        .run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"])
        .exits(1)
        .says(&["no label is of a field", "neither right nor wrong"]);
}

#[test]
fn a_list_that_lacks_an_item_has_no_false_value() {
    let place = place();
    let written = results(&place, &[("a", true, 0.9, json!({ "parts": ["x", "y"] }))]);
    let found = evaluated(&place, &[label("a", json!({ "parts": ["x", "y", "z"] }))], &written);
    assert_eq!(found["passed"]["with_false_values"], json!(0), "{found:#}");
    assert_eq!(found["look_at"][0]["reason"], json!("passed_with_missing_values"));
    assert_eq!(
        (&found["confusions"][0]["verdict"], &found["confusions"][0]["label"]),
        (&json!("missing"), &json!("z"))
    );
    let ran = place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]).exits(0);
    assert!(!ran.out.contains("with a false value"), "{}", ran.out);
    // Beyond a partial label, whatever else was extracted may be right.
    place.write("part.csv", "document,parts\na,x;q\n");
    place.write(
        "part.map.yaml",
        "document: document\nfields: [{ field: parts, from: parts, separator: ';', partial: true }]\n",
    );
    let words = [
        "evaluate",
        "part.csv",
        "--columns",
        "part.map.yaml",
        "--results",
        "results.jsonl",
        "--format",
        "json",
    ];
    let found = place.run(&words).exits(0).json();
    assert_eq!(
        (&found["fields"][0]["missing"], &found["fields"][0]["wrong"]),
        (&json!(1), &json!(0)),
        "{found:#}"
    );
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
    // Dates are said to be compared as such.
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
        let ran = ran.says(&["gold.csv: the file is no UTF-8 text; save it as UTF-8"]);
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

#[test]
fn what_the_text_leaves_out_is_in_the_json_form_and_on_the_page() {
    let place = place();
    let ids: Vec<String> = (0..210).map(|number| format!("d{number:03}")).collect();
    let documents: Vec<(&str, bool, f64, Value)> =
        ids.iter().map(|id| (id.as_str(), true, 0.9, json!({ "grade": "3" }))).collect();
    let labels: Vec<String> = ids.iter().map(|id| label(id, json!({ "grade": "2" }))).collect();
    let found = evaluated(&place, &labels, &results(&place, &documents));
    assert_eq!(found["look_at"].as_array().map(Vec::len), Some(210));
    // Every document is wrong, so no order is better than another; none is at less than nothing, either.
    assert_eq!(found["risk_coverage"]["area"], json!(1.0));
    let words = ["evaluate", "gold.jsonl", "--results", "results.jsonl", "--report", "page.html"];
    let text = place.run(&words).exits(0).out;
    let said =
        "and 205 more: all of them in the JSON form; on the page of `--report`, the first 200 of each kind";
    assert!(text.contains(said), "{text}");
    let page = place.read("page.html");
    assert!(page.contains("d199") && !page.contains("d200"), "{page}");
    assert!(page.contains("and 10 more, all of them in the JSON form"), "{page}");
}

#[test]
fn areas_are_never_less_than_nothing() {
    let place = place();
    let written = results(&place, &[("a", true, 0.9, json!({ "grade": "2" }))]);
    let found = evaluated(&place, &[label("a", json!({ "grade": "2" }))], &written);
    assert!(!found.to_string().contains("-0"), "{found:#}");
    let text = place.run(&["evaluate", "gold.jsonl", "--results", "results.jsonl"]).exits(0).out;
    assert!(!text.contains("-0"), "{text}");
}

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

/// The findings of `evaluate` on labels and results, as JSON.
pub(crate) fn evaluated(place: &Workspace, labels: &[String], results: &str) -> Value {
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
    assert!(row("Wrong among").ends_with("2 not judged besides"), "{text}");
    assert!(row("Not judged: 3 documents with a result").contains("labelled by type alone"), "{text}");
    let page = place.read("page.html");
    for said in ["2 not judged besides", "3 documents with a result, labelled by type alone", "0 of 2"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    // A field without a label is reported.
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
    // Beyond a partial label, anything else that was extracted may be right.
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

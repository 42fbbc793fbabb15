//! `loopctl score` against the arithmetic of scores.

use crate::score_model::{Dice, expect, record};
use crate::workspace::{Ran, Workspace};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

#[track_caller]
fn assert_near(found: &Value, expected: f64, what: &str) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{what}: {found} is no number"));
    assert!((found - expected).abs() < 1e-9, "{what}: {found}, expected {expected}");
}

#[test]
fn thousands_of_records_agree_with_the_arithmetic() {
    let mut dice = Dice(2024);
    let records: Vec<Value> = (0..4000).map(|id| record(id, &mut dice)).collect();
    let place = Workspace::new();
    place.write("records.jsonl", records.iter().map(|record| format!("{record}\n")).collect::<String>());
    let answers =
        place.run(&["score", "--profile", "clinical", "--format", "jsonl", "records.jsonl"]).exits(0).lines();
    assert_eq!(answers.len(), records.len());
    let mut floors = 0;
    for (record, answer) in records.iter().zip(&answers) {
        let what = format!("{record}\n{answer}");
        assert_eq!(record["id"], answer["id"], "{what}");
        let source = record["source"].as_str();
        let extraction = record["extraction"].as_object().unwrap();
        let expected = expect(record["document_type"].as_str().unwrap(), extraction, source);
        let validity = (1.0 - 0.10 * expected.invalid.len() as f64).max(0.30);
        let measured = (1.0 - 0.15 * expected.inconsistent.len() as f64).max(0.50);
        floors += usize::from(expected.invalid.len() > 3);
        let consistency = record["given"]["consistency"].as_f64().unwrap_or(measured);
        let accuracy = record["given"]["accuracy"].as_f64();
        let scores = &answer["scores"];
        assert_near(&scores["completeness"], expected.completeness, &what);
        assert_near(&scores["validity"], validity, &what);
        assert_near(&scores["consistency"], consistency, &what);
        assert_eq!(scores["accuracy"].as_f64(), accuracy, "{what}");
        let accuracy = accuracy.unwrap_or(0.0);
        let overall = 0.30 * expected.completeness + 0.40 * accuracy + 0.15 * validity + 0.15 * consistency;
        assert_near(&answer["overall"], overall, &what);

        let issues = answer["issues"].as_array().unwrap();
        let rules = of_rules(answer);
        let mut broken = expected.invalid.clone();
        if record["given"].get("consistency").is_none() {
            broken.extend(&expected.inconsistent);
        }
        assert_eq!(rules.len(), broken.len(), "{what}");
        assert_eq!(BTreeSet::from_iter(rules), BTreeSet::from_iter(broken), "{what}");
        let about = |code: &str| -> BTreeSet<String> {
            let all = issues.iter().filter(|issue| issue["code"] == code);
            all.map(|issue| issue["path"].as_str().unwrap()[1..].to_owned()).collect()
        };
        assert_eq!(about("NOT_PRESENT_BUT_MENTIONED"), expected.refuted, "{what}");
        let reported: BTreeSet<String> = about("MISSING_FIELD").union(&expected.refuted).cloned().collect();
        assert!(reported.is_superset(&expected.missing), "{what}");
    }
    assert!(floors > 0, "no record broke many rules");
}

#[test]
fn scores_stop_at_their_floors() {
    let markers: Map<String, Value> =
        ["ER", "PR", "er", "pr", "Estrogen Receptor", "HER2", "her2", "HER2/neu", "Progesterone receptor"]
            .iter()
            .map(|key| ((*key).to_owned(), json!("?")))
            .collect();
    let record = json!({"id": 1, "document_type": "pathology", "extraction": {"ihcMarkers": markers}});
    let place = Workspace::new();
    place.write("r.jsonl", record.to_string());
    let answer = place.run_json(&["score", "--profile", "clinical", "r.jsonl"]);
    assert_near(&answer["scores"]["validity"], 0.30, "nine issues at 0.1 each");
    assert_eq!(of_rules(&answer).len(), 9);
}

/// The rules that found issues which cost something.
fn of_rules(answer: &Value) -> Vec<&str> {
    let issues = answer["issues"].as_array().unwrap().iter();
    let cost = issues.filter(|issue| issue["code"] != "NO_CLINICAL_CONTENT");
    cost.filter_map(|issue| issue["rule"].as_str()).collect()
}

#[test]
fn the_report_of_the_design_example_comes_to_what_can_be_counted_by_hand() {
    let place = Workspace::new();
    place.write(
        "report.txt",
        "Histologic type: invasive ductal carcinoma. Grade: 2. Margins: negative. ER: positive.",
    );
    place.write("mine.json", r#"{"histology": "invasive ductal carcinoma", "grade": "2", "margins": "negative", "ihcMarkers": {"ER": "positive", "PR": "negative"}}"#);
    let arguments = ["score", "--type", "pathology", "--source", "report.txt", "mine.json"];
    let answer = place.run_json(&arguments);
    assert_eq!(answer["id"], "mine");
    assert_near(&answer["scores"]["completeness"], 3.4 / 4.3, "all but the optional fields");
    // PR is nowhere in the report: its `negative` belongs to the margins.
    assert_near(&answer["scores"]["accuracy"], 4.0 / 5.0, "four of five values stand in the report");
    assert_near(&answer["overall"], 0.3 * 3.4 / 4.3 + 0.4 * 0.8 + 0.3, "overall");
    let ungrounded: Vec<&Value> = answer["issues"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|issue| issue["code"] == "UNGROUNDED_VALUE")
        .collect();
    assert_eq!(ungrounded.len(), 1, "{answer}");
    assert_eq!(ungrounded[0]["path"], "/ihcMarkers/PR");

    let mut given = arguments.to_vec();
    given.extend(["--given", "accuracy=0.5"]);
    assert_near(&place.run_json(&given)["overall"], 0.3 * 3.4 / 4.3 + 0.2 + 0.3, "given");
}

#[test]
fn lines_that_can_not_be_used_are_named_and_the_others_answered() {
    let place = Workspace::new();
    let lines = [
        r#"{"id": "a", "extraction": {}}"#,
        r#"{"id": "b", "extraction": {}"#,
        "",
        r#"{"extraction": {}}"#,
        r#"{"id": "c"}"#,
        r#"{"id": "d", "extraction": {}, "documenttype": "pathology"}"#,
        r#"{"id": "e", "extraction": {}, "document_type": "pathologie"}"#,
        r#"{"id": "f", "extraction": {}, "given": {"accuracy": 1.01}}"#,
        r#"{"id": "g", "extraction": {}, "given": {"acuracy": 1}}"#,
        r#"{"id": "h", "extraction": {"grade": NaN}}"#,
        r#"{"id": "i", "extraction": {}, "given": {"accuracy": "high"}}"#,
        "null",
        "\u{feff}{}",
        r#"{"id": 7, "extraction": null}"#,
        r#"{"id": "last", "extraction": [1]}"#,
    ];
    place.write("r.jsonl", lines.join("\n"));
    let ran = place.run(&["score", "--profile", "clinical", "--format", "jsonl", "r.jsonl"]).exits(1);
    let ids: Vec<Value> = ran.lines().iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [json!("a"), json!("d"), json!("last")]);
    let wrong: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("error:")).collect();
    assert_eq!(wrong.len(), 11, "{}", ran.err);
    // A key that means nothing here may be a slip, or a pipeline's own: the record is answered.
    for (number, said) in [2, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14].iter().zip(&wrong) {
        assert!(said.starts_with(&format!("error: r.jsonl:{number}: ")), "{said}");
    }
    insta::assert_snapshot!(ran.err);
}

#[test]
fn bytes_that_are_no_text_are_named_by_their_line() {
    let place = Workspace::new();
    let mut bytes = b"{\"id\": 1, \"extraction\": {}}\n\xff\xfe\x00\n{\"id\": ".to_vec();
    bytes.extend(b"\"\xc3\x28\", \"extraction\": {}}\n{\"id\": 4, \"extraction\": {}}\r\n");
    place.write("r.jsonl", bytes);
    let ran =
        place.run(&["score", "--format", "jsonl", "r.jsonl"]).exits(1).says(&["r.jsonl:2:", "r.jsonl:3:"]);
    assert_eq!(
        ran.lines().iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(),
        [json!(1), json!(4)]
    );
}

#[test]
fn nesting_without_end_is_refused_and_not_fallen_into() {
    let place = Workspace::new();
    let deep = format!("{{\"id\": 1, \"extraction\": {}{}}}\n", "[".repeat(100_000), "]".repeat(100_000));
    place.write("r.jsonl", deep + "{\"id\": 2, \"extraction\": {}}\n");
    let ran = place.run(&["score", "--format", "jsonl", "r.jsonl"]).exits(1).says(&["r.jsonl:1:"]);
    assert_eq!(ran.lines().len(), 1);
}

#[test]
fn formats_say_the_same() {
    let place = Workspace::new();
    place.write(
        "a.jsonl",
        "{\"id\": \"a\", \"extraction\": {}}\n{\"id\": \"b\", \"extraction\": {\"rawText\": \"x\"}}\n",
    );
    place.write("none.jsonl", "");
    let lines = place.run(&["score", "--format", "jsonl", "a.jsonl"]).exits(0).lines();
    assert_eq!(place.run_json(&["score", "--format", "json", "a.jsonl"]), json!(lines));
    assert_eq!(place.run_json(&["score", "--format", "json", "none.jsonl"]), json!([]));
    assert_eq!(place.run(&["score", "none.jsonl"]).exits(0).out, "");
    let piped = Ran::of(place.loopctl(&["score", "-"]).write_stdin(place.read("a.jsonl"))).exits(0);
    assert_eq!(piped.lines(), lines);
    let twice = place.run(&["score", "a.jsonl", "a.jsonl"]).exits(0);
    assert_eq!(twice.lines().len(), 4);
    insta::assert_snapshot!(place.run(&["score", "--format", "text", "a.jsonl"]).exits(0).out);
}

#[test]
fn a_type_is_given_named_or_recognised() {
    let place = Workspace::new();
    let source = std::fs::read_to_string(place.document("radiology-ultrasound.txt")).unwrap();
    let records = [
        json!({"id": 1, "extraction": {}, "source": source}),
        json!({"id": 2, "extraction": {}, "document_type": "genomics", "source": source}),
        json!({"id": 3, "extraction": {}}),
    ];
    place.write("r.jsonl", records.iter().map(|record| format!("{record}\n")).collect::<String>());
    let first = |answer: &Value| answer["issues"][0]["path"].as_str().unwrap().to_owned();
    let ran = place.run(&["score", "r.jsonl"]).exits(0);
    assert_eq!(ran.lines().iter().map(first).collect::<Vec<_>>(), ["/impression", "/mutations", "/rawText"]);
    let ran = place.run(&["score", "--type", "pathology", "r.jsonl"]).exits(0);
    assert_eq!(ran.lines().iter().map(first).collect::<Vec<_>>(), ["/histology", "/mutations", "/histology"]);
}

#[test]
fn usage_mistakes_are_told_from_broken_files() {
    let place = Workspace::new();
    place.write("a.json", "{}");
    place.write("bad.json", "{]");
    place.write("bad.txt", [0xff, 0x00, 0x80]);
    for (arguments, code, said) in [
        (&["score", "--given", "accuracy", "a.json"][..], 2, "lacks its value"),
        (&["score", "--given", "accuracy=high", "a.json"], 2, "expected a number"),
        (&["score", "--given", "accuracy=1.5", "a.json"], 2, "from 0 to 1"),
        (&["score", "--given", "accuracy=nan", "a.json"], 2, "from 0 to 1"),
        (&["score", "--given", "acuracy=1", "a.json"], 2, "did you mean `accuracy`?"),
        (&["score", "--type", "patology", "a.json"], 2, "did you mean `pathology`?"),
        (&["score", "--profile", "clinicl", "a.json"], 2, "did you mean `clinical`?"),
        (&["score"], 2, "FILE"),
        (&["score", "none.json"], 1, "none.json"),
        (&["score", "none.jsonl"], 1, "none.jsonl"),
        (&["score", "bad.json"], 1, "line 1, column 2"),
        (&["score", "--source", "bad.txt", "a.json"], 1, "bad.txt"),
        (&["score", "."], 1, "."),
    ] {
        place.run(arguments).exits(code).says(&[said]);
    }
}

#[test]
fn what_supports_each_value_is_told() {
    let place = Workspace::new();
    let source = "Margins: free of tumor. Grade: see note.";
    let record = json!({
        "id": 1, "document_type": "pathology", "source": source,
        "extraction": {"margins": "negative", "grade": "3"}, "evidence": {"/margins": "free of tumor"},
    });
    place.write("r.jsonl", format!("{record}\n{}\n", json!({"id": 2, "extraction": {}})));
    let ran = place.run(&["score", "--profile", "clinical", "--format", "jsonl", "r.jsonl"]).exits(0);
    let [told, silent] = ran.lines().try_into().unwrap();
    assert_eq!(
        told["evidence"]["/margins"],
        json!({
            "support": "verified", "method": "normalized", "start": 9, "end": 22, "quote": "free of tumor",
            "pattern": "presence/statement",
        })
    );
    assert_eq!(told["evidence"]["/grade"]["support"], "unsupported");
    assert!(silent.get("evidence").is_none(), "{silent}");
}

/// Scoring alone is not prevented by a mistake in what only asking needs.
#[test]
fn patterns_and_schemas_of_answers_are_no_matter_to_scores() {
    let place = Workspace::new();
    place.write(
        "rules/extract/pathology.yaml",
        "extract: pathology\nfields: { grade: { patterns: ['('] } }\n",
    );
    place.write("schemas/pathology.schema.json", "{ \"type\": \"txt\" }");
    place.write("one.json", "{ \"grade\": \"2\" }");
    place.write("doc.txt", "Grade 2.\n");
    let scored = place.run(&["score", "--profile", "clinical", "--type", "pathology", "one.json"]).exits(0);
    scored.finds(&["completeness"]);
    let ran = place.run(&["run", "--profile", "clinical", "doc.txt"]).exits(2);
    ran.says(&["rules/extract/pathology.yaml:2", "schemas/pathology.schema.json:1"]);
}

/// A program that writes a record and waits for its answer gets it, also when it has begun the next one.
#[test]
fn who_writes_one_record_at_a_time_is_answered_at_once() {
    let place = Workspace::new();
    let mut child = place
        .process()
        .args(["score", "--profile", "clinical", "--format", "jsonl", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut input, mut answers) =
        (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    write!(input, "{{").unwrap();
    for id in 0..3 {
        write!(input, "\"id\": {id}, \"extraction\": {{}}}}\n{{").unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        assert!(line.starts_with(&format!("{{\"id\":{id},")), "{line}");
    }
    // The last record was begun and never ended.
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

//! `loopctl score` against the arithmetic of LOOP, written down once more in the plainest way.

use crate::workspace::{Ran, Workspace};
use regex::Regex;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static PER_CENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[0-9] ?%").unwrap());
static LENGTH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)[0-9] *(mm|cm|m)\b").unwrap());

const TYPES: [&str; 9] = [
    "pathology",
    "radiology",
    "genomics",
    "lab-report",
    "prescription",
    "clinical-notes",
    "discharge-summary",
    "surgical-notes",
    "unknown",
];

/// The fields of a type with their weights: required 1.0, important 0.7, optional 0.3.
fn rubric(document_type: &str) -> Vec<(&'static str, f64)> {
    let (required, important): (&[&str], &[&str]) = match document_type {
        "pathology" => (&["histology", "grade"], &["margins", "ihcMarkers"]),
        "radiology" => (&["impression"], &["findings", "measurements"]),
        "genomics" => (&["mutations"], &["msiStatus", "tmb"]),
        "lab-report" => (&["labValues"], &[]),
        "surgical-notes" => (&["rawText"], &["margins"]),
        _ => (&["rawText"], &[]),
    };
    let optional = ["date", "institution", "rawText"].iter().filter(|field| !required.contains(field));
    let weighed = |fields: &[&'static str], weight| fields.iter().map(|f| (*f, weight)).collect::<Vec<_>>();
    let mut all = weighed(required, 1.0);
    all.extend(weighed(important, 0.7));
    all.extend(optional.map(|field| (*field, 0.3)));
    all
}

/// What one record must come to.
#[derive(Debug, Default)]
struct Expected {
    completeness: f64,
    /// Ids of the rules that are broken, once for each place.
    invalid: Vec<&'static str>,
    inconsistent: Vec<&'static str>,
    /// Required and important fields that are not there.
    missing: BTreeSet<String>,
    /// Fields that are said to be absent and are not.
    refuted: BTreeSet<String>,
}

fn is_present(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
        Some(_) => true,
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn expect(document_type: &str, extraction: &Map<String, Value>, source: &str) -> Expected {
    let mut expected = Expected::default();
    let (mut there, mut all) = (0.0, 0.0);
    for (field, weight) in rubric(document_type) {
        let claimed = extraction.get(&format!("{field}_status")) == Some(&json!("not_present"));
        // The only sentences of these sources that speak of a field.
        let mentioned = match field {
            "grade" => source.contains("Grade: 2"),
            "margins" => source.contains("Margins are negative"),
            "tmb" => source.contains("TMB 12"),
            _ => false,
        };
        if claimed && !mentioned {
            continue;
        }
        all += weight;
        if claimed {
            expected.refuted.insert(field.to_owned());
        } else if is_present(extraction.get(field)) {
            there += weight;
            continue;
        }
        if weight > 0.5 {
            expected.missing.insert(field.to_owned());
        }
    }
    expected.completeness = if all == 0.0 { 0.0 } else { there / all };

    let present = |field: &str| extraction.get(field).filter(|value| is_present(Some(value)));
    let starts = |value: &str, starts: &[&str]| {
        let value = value.to_lowercase();
        starts.iter().any(|start| value.starts_with(&start.to_lowercase()))
    };
    match document_type {
        "pathology" => {
            if let Some(grade) = present("grade") {
                let grade = text(grade).trim_start().to_lowercase();
                let bare = grade
                    .strip_prefix("grade")
                    .map_or(grade.as_str(), |rest| rest.trim_start_matches([' ', ':']));
                if !starts(bare, &["1", "2", "3", "i", "ii", "iii", "well", "moderate", "poorly"]) {
                    expected.invalid.push("grade-format");
                }
            }
            for (key, value) in present("ihcMarkers").and_then(Value::as_object).into_iter().flatten() {
                let value = text(value).to_lowercase();
                match key.to_lowercase().as_str() {
                    "er" | "pr" | "estrogen receptor" | "progesterone receptor" => {
                        let per_cent = PER_CENT.is_match(&value);
                        if !(value.contains("positive") || value.contains("negative") || per_cent) {
                            expected.invalid.push("hormone-receptor-value");
                        }
                    }
                    "her2" | "her2/neu" => {
                        // What was found in words, with a remark behind it or without.
                        let allowed = ["0", "1+", "2+", "3+", "positive", "negative", "equivocal"];
                        let (word, _) = value.split_once(' ').unwrap_or((&value, ""));
                        if !allowed.contains(&word) {
                            expected.invalid.push("her2-value");
                        }
                    }
                    _ => {}
                }
            }
        }
        "radiology" => {
            for measurement in present("measurements").and_then(Value::as_array).into_iter().flatten() {
                if let Some(size) = measurement.get("size")
                    && !LENGTH.is_match(&text(size))
                {
                    expected.invalid.push("measurement-size");
                }
            }
        }
        "genomics" => {
            if let Some(status) = present("msiStatus")
                && !starts(&text(status), &["MSI-H", "MSIH", "MSI-L", "MSIL", "MSS", "stable", "high", "low"])
            {
                expected.invalid.push("msi-status");
            }
            if let Some(burden) = present("tmb")
                && text(burden).parse::<f64>().is_err()
            {
                expected.invalid.push("tmb-number");
            }
        }
        _ => {}
    }
    if present("histology").is_some_and(|text| text.to_string().to_lowercase().contains("carcinoma"))
        && present("grade").is_none()
    {
        expected.inconsistent.push("carcinoma-needs-grade");
    }
    if present("mutations").is_some() && present("msiStatus").is_none() {
        expected.inconsistent.push("mutations-need-msi-status");
    }
    expected
}

/// Numbers that look random and are the same on each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

fn value(field: &str, dice: &mut Dice) -> Value {
    if dice.below(8) == 0 {
        return [json!(null), json!(""), json!([]), json!({})][dice.below(4)].clone();
    }
    match field {
        "histology" => json!(dice.of(&[
            "invasive ductal Carcinoma",
            "adenocarcinoma",
            "melanoma",
            "lipoma",
            "CARCINOMA in situ"
        ])),
        "grade" => match dice.below(4) {
            0 => json!(dice.below(6)),
            _ => json!(dice.of(&[
                "2",
                "Grade 2",
                "grade: III",
                "II/III",
                "IV",
                "G2",
                "high",
                "Well differentiated",
                "moderately",
                "POORLY differentiated",
                "Low",
                "unknown",
                " 3 of 3",
                "Gleason 7",
                "grade"
            ])),
        },
        "ihcMarkers" => {
            let values = [
                "positive",
                "Negative (0%)",
                "80%",
                "80 %",
                "weak",
                "3+",
                "0",
                "1+",
                "2+",
                "equivocal",
                "4+",
                "90",
                "n/a",
            ];
            let keys = [
                "ER",
                "er",
                "PR",
                "Progesterone receptor",
                "Estrogen Receptor",
                "HER2",
                "her2",
                "HER2/neu",
                "Ki-67",
                "p53",
            ];
            (0..dice.below(5))
                .map(|_| (dice.of(&keys).to_owned(), json!(dice.of(&values))))
                .collect::<Map<_, _>>()
                .into()
        }
        "measurements" => (0..dice.below(4))
            .map(|_| {
                let size = dice.of(&[
                    "3 cm", "4.5mm", "2 x 3 CM", "1 m", "3", "large", "3 months", "12 kg", "0,5 cm", "cm",
                ]);
                match dice.below(6) {
                    0 => json!({"what": "nodule"}),
                    1 => json!({"size": 4}),
                    _ => json!({"what": "nodule", "size": size}),
                }
            })
            .collect::<Vec<_>>()
            .into(),
        "mutations" => json!([{"gene": "KRAS", "change": "p.G12D"}]),
        "msiStatus" => json!(dice.of(&[
            "MSI-H",
            "msi-l",
            "MSIH",
            "MSS",
            "Stable",
            "high",
            "LOW",
            "instable",
            "unknown",
            "MSI",
            "microsatellite stable",
            "msi-high"
        ])),
        "tmb" => [json!(12.5), json!(0), json!("7"), json!("12 mut/Mb"), json!("high"), json!(true)]
            [dice.below(6)]
        .clone(),
        "margins" => json!("negative"),
        "labValues" => json!([{"name": "Na", "value": 140}]),
        _ => json!("some text"),
    }
}

const FIELDS: [&str; 14] = [
    "histology",
    "grade",
    "margins",
    "ihcMarkers",
    "impression",
    "findings",
    "measurements",
    "mutations",
    "msiStatus",
    "tmb",
    "labValues",
    "date",
    "institution",
    "rawText",
];

fn record(id: usize, dice: &mut Dice) -> Value {
    let document_type = dice.of(&TYPES);
    let mut extraction = Map::new();
    let own: Vec<&str> = rubric(document_type).iter().map(|(field, _)| *field).collect();
    for field in FIELDS {
        // Fields of other types come, too: they have no weight, and cross-field rules look at them all the same.
        let odds = if own.contains(&field) { 3 } else { 1 };
        if dice.below(4) < odds {
            extraction.insert(field.to_owned(), value(field, dice));
        }
        match dice.below(12) {
            0 => drop(extraction.insert(format!("{field}_status"), json!("not_present"))),
            1 => drop(extraction.insert(format!("{field}_status"), json!("present"))),
            _ => {}
        }
    }
    let mut record = json!({"id": id, "document_type": document_type, "extraction": extraction});
    if dice.below(3) == 0 {
        let sentences = [
            "Grade: 2.",
            "Margins are negative.",
            "TMB 12 mutations per megabase.",
            "Nothing else was seen.",
        ];
        record["source"] =
            json!((0..dice.below(3)).map(|_| dice.of(&sentences)).collect::<Vec<_>>().join(" "));
    }
    match dice.below(5) {
        0 if record.get("source").is_none() => {}
        1 => record["given"] = json!({"accuracy": dice.below(1001) as f64 / 1000.0, "consistency": 0.625}),
        _ => record["given"] = json!({"accuracy": dice.below(1001) as f64 / 1000.0}),
    }
    record
}

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
        let source = record["source"].as_str().unwrap_or_default();
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
        let rules: Vec<&str> = issues.iter().filter_map(|issue| issue["rule"].as_str()).collect();
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
    assert_eq!(
        answer["issues"].as_array().unwrap().iter().filter(|issue| issue["rule"].is_string()).count(),
        9
    );
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
    insta::assert_snapshot!(place.run(&["score", "--format", "table", "a.jsonl"]).exits(0).out);
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

//! The pattern files in `rules/extract`: they compile, and find in small reports what they should.

use std::path::{Path, PathBuf};

use loopctl_pattern::extract::{correct, extract};
use loopctl_pattern::focus::Focus;
use loopctl_pattern::patterns::Patterns;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value, json};

const TYPES: [(&str, &[&str]); 9] = [
    ("pathology", &["histology", "grade", "margins", "ihcMarkers", "date", "institution", "rawText"]),
    ("radiology", &["impression", "findings", "measurements", "date", "institution", "rawText"]),
    ("genomics", &["mutations", "msiStatus", "tmb", "date", "institution", "rawText"]),
    ("lab-report", &["labValues", "date", "institution", "rawText"]),
    ("surgical-notes", &["rawText", "margins", "date", "institution"]),
    ("prescription", &["rawText", "date", "institution", "medications"]),
    ("clinical-notes", &["rawText", "date", "institution"]),
    ("discharge-summary", &["rawText", "date", "institution"]),
    ("unknown", &["rawText", "date", "institution"]),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Just enough of a YAML reader for our own files: no anchors, no tags, one document.
fn yaml(text: &str) -> Value {
    let mut open: Vec<(Value, Option<String>)> = vec![(Value::Array(vec![]), None)];
    let put = |open: &mut Vec<(Value, Option<String>)>, value: Value| match open.last_mut().unwrap() {
        (Value::Array(items), _) => items.push(value),
        (Value::Object(map), key) => match key.take() {
            Some(name) => assert!(map.insert(name.clone(), value).is_none(), "`{name}` twice"),
            None => *key = Some(value.as_str().unwrap().to_owned()),
        },
        _ => unreachable!(),
    };
    for event in Parser::new_from_str(text) {
        match event.unwrap().0 {
            Event::Scalar(text, style, ..) => {
                let is_key = matches!(open.last(), Some((Value::Object(_), None)));
                let number =
                    (style == ScalarStyle::Plain && !is_key).then(|| text.parse::<u32>().ok()).flatten();
                put(&mut open, number.map_or_else(|| json!(text), |number| json!(number)));
            }
            Event::SequenceStart(..) => open.push((Value::Array(vec![]), None)),
            Event::MappingStart(..) => open.push((Value::Object(Map::new()), None)),
            Event::SequenceEnd | Event::MappingEnd => {
                let (value, _) = open.pop().unwrap();
                put(&mut open, value);
            }
            _ => {}
        }
    }
    open.remove(0).0.as_array_mut().unwrap().remove(0)
}

fn shipped(document_type: &str) -> Patterns {
    let path = folder("rules/extract").join(format!("{document_type}.yaml"));
    let file = yaml(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(file.get("extract"), Some(&json!(document_type)));
    Patterns::from_json(&file).unwrap_or_else(|error| panic!("{document_type}.yaml: {error}"))
}

/// The fields found at first, and after asking at tier 1 and 2 for those of these fields that are still
/// missing.
fn rounds(document_type: &str, source: &str, ask: &[&str]) -> [Value; 3] {
    let patterns = shipped(document_type);
    let missing = |fields: &Map<String, Value>| -> Focus {
        ask.iter()
            .filter(|name| !fields.contains_key(**name))
            .map(|name| ((*name).to_owned(), Default::default()))
            .collect()
    };
    let first = extract(&patterns, source).fields;
    let second = correct(&patterns, source, &first, &missing(&first), 1).fields;
    let third = correct(&patterns, source, &second, &missing(&second), 2).fields;
    [first, second, third].map(|mut fields| {
        fields.remove("rawText");
        Value::Object(fields)
    })
}

#[test]
fn every_type_declares_its_fields_and_a_schema_that_knows_them() {
    for (document_type, fields) in TYPES {
        let patterns = shipped(document_type);
        let path = folder("schemas").join(format!("{document_type}.schema.json"));
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(schema["additionalProperties"], json!(false));
        let properties = schema["properties"].as_object().unwrap();
        assert!(patterns.field_names().all(|name| properties.contains_key(name)), "{document_type}");
        // A field without a status is not one that a document has or lacks: items of parts, and what it may say
        // besides.
        let has_status = |name: &&str| properties.contains_key(&format!("{name}_status"));
        let mut declared: Vec<&str> = patterns.field_names().filter(has_status).collect();
        let mut expected = fields.to_vec();
        declared.sort_unstable();
        expected.sort_unstable();
        assert_eq!(declared, expected, "{document_type}");
        let statuses = properties.keys().filter(|name| name.ends_with("_status")).count();
        assert_eq!(statuses, fields.len(), "{document_type}");
        for field in fields {
            assert!(properties[*field]["description"].is_string(), "{document_type}: {field}");
            let status = &properties[&format!("{field}_status")]["enum"];
            assert_eq!(*status, json!(["present", "not_present", "ambiguous"]));
        }
    }
    let clinical = std::fs::read_dir(folder("rules/extract")).unwrap();
    let files = clinical.filter(|entry| entry.as_ref().unwrap().path().is_file());
    assert_eq!(files.count(), TYPES.len());
}

#[test]
fn a_synoptic_pathology_report() {
    let report = "SURGICAL PATHOLOGY REPORT\n\nReport date: 2024-03-05\nHospital: Lakeside General\n\n\
        CLINICAL HISTORY: poorly differentiated carcinoma suspected\n\nHISTOLOGIC TYPE: Invasive ductal carcinoma\n\n\
        HISTOLOGIC GRADE: G2, Moderately differentiated\n\nMARGINS (inked):\n- Deep margin: Blue\n\nMARGINS:\n\
        - Deep margin: Positive (tumor at inked margin)\n- Others: Negative, 4.5 mm\n\nER: positive (95%)\nPR: 10%\n\
        HER2: 2+\nKi-67: 20%\n";
    let [first, ..] = rounds("pathology", report, &[]);
    assert_eq!(
        first,
        json!({
            "histology": "Invasive ductal carcinoma",
            "grade": "Moderately differentiated",
            "margins": "Deep margin: Positive (tumor at inked margin) - Others: Negative, 4.5 mm",
            "ihcMarkers": { "ER": "positive (95%)", "PR": "10%", "HER2": "2+", "Ki-67": "20%" },
            "date": "2024-03-05",
            "institution": "Lakeside General",
        })
    );
}

#[test]
fn a_narrative_pathology_report_takes_a_second_look() {
    let report = "DIAGNOSIS: Breast, left, lumpectomy: Invasive ductal carcinoma, poorly differentiated.\n\
        Surgical margins are free of tumor. The carcinoma is negative for estrogen receptor; HER2 is equivocal.";
    let [first, second, _] =
        rounds("pathology", report, &["grade", "margins", "ihcMarkers", "date", "institution"]);
    assert_eq!(first, json!({ "histology": "Invasive ductal carcinoma" }));
    assert_eq!(
        second,
        json!({
            "histology": "Invasive ductal carcinoma",
            "grade": "poorly differentiated",
            "margins": "Surgical margins are free of tumor",
            "ihcMarkers": { "ER": "negative", "HER2": "equivocal" },
            "date_status": "not_present",
            "institution_status": "not_present",
        })
    );
}

#[test]
fn what_is_not_the_value_is_not_taken_for_it() {
    let all = ["histology", "grade", "margins", "ihcMarkers"];
    let cases = [
        ("DIAGNOSIS: Non-small cell carcinoma.", "histology", json!("Non-small cell carcinoma")),
        ("DIAGNOSIS: No evidence of carcinoma.", "grade", Value::Null),
        ("NUCLEAR GRADE: 3. Gleason score 9.", "grade", Value::Null),
        ("Histologic grade: Not specified.", "grade", Value::Null),
        ("Margins: Not specified.", "margins", Value::Null),
        ("The margins are inked black.", "margins", Value::Null),
        ("Criteria for positive results: ER and PR: >1% of cells.", "ihcMarkers", Value::Null),
        ("PROSTATE: 3. ERGOT: positive.", "ihcMarkers", Value::Null),
    ];
    for (report, field, expected) in cases {
        let [.., last] = rounds("pathology", report, &all);
        assert_eq!(last[field], expected, "{report}");
    }
}

#[test]
fn a_radiology_report() {
    let report = "EXAM: CT abdomen, DOB: 01/02/1950.\n\nFINDINGS:\nA 1.6 cm nodule in the liver. The left kidney measures \
        11 x 5 cm. Pressure 120 mm Hg, 60 cm/sec.\n\nIMPRESSION:\n1. Liver nodule.\n2. No hernia.\n";
    let [first, ..] = rounds("radiology", report, &[]);
    assert_eq!(
        first,
        json!({
            "impression": "1. Liver nodule. 2. No hernia.",
            "findings": "A 1.6 cm nodule in the liver. The left kidney measures 11 x 5 cm. Pressure 120 mm Hg, 60 cm/sec.",
            "measurements": [
                { "size": "1.6 cm", "structure": "nodule" },
                { "structure": "left kidney", "size": "11 x 5 cm" },
            ],
        })
    );
    let [_, second, _] = rounds("radiology", report, &["date"]);
    assert_eq!(second.get("date"), None, "a date of birth is not the date of the report");
}

#[test]
fn a_genomics_report() {
    let report = "Reported: 5 March 2024. EGFR p.Leu858Arg; KRAS: Mutation detected (G12D). \
        MSI status: MSS. Tumor mutational burden: 12.5 mut/Mb.";
    let [first, ..] = rounds("genomics", report, &[]);
    assert_eq!(
        first,
        json!({
            "mutations": [{ "gene": "EGFR", "variant": "p.Leu858Arg" }],
            "msiStatus": "MSS",
            "tmb": 12.5,
            "date": "5 March 2024",
        })
    );
    let [_, second, _] = rounds("genomics", "KRAS: Mutation detected (G12D)", &["mutations"]);
    assert_eq!(second["mutations"], json!([{ "gene": "KRAS", "variant": "G12D" }]));
}

#[test]
fn laboratory_reports_in_three_forms() {
    let table = "Test | Value | Interpretation | Range\nGlucose | > 500 mg/dL | High | 80-140 mg/dL\n";
    let glucose = json!([{ "test": "Glucose", "value": "> 500", "unit": "mg/dL", "flag": "High", "referenceRange": "80-140 mg/dL" }]);
    assert_eq!(rounds("lab-report", table, &[])[0]["labValues"], glucose);
    let hl7 =
        "MSH|^~\\&|A|City Lab|B||20240305||ORU^R01|1|T|2.5\rOBX|1|NM|1^GLUCOSE^LN||182|mg/dl|70-105|H|||F\r";
    assert_eq!(
        rounds("lab-report", hl7, &[])[0],
        json!({
            "labValues": [{ "test": "GLUCOSE", "value": "182", "unit": "mg/dl", "referenceRange": "70-105", "flag": "H" }],
            "institution": "City Lab",
        })
    );
    let prose = "Hemoglobin was 12.3 g/dL and WBC 7,300.";
    let [first, second, _] = rounds("lab-report", prose, &["labValues"]);
    assert_eq!(first.get("labValues"), None);
    assert_eq!(
        second["labValues"],
        json!([{ "test": "Hemoglobin", "value": "12.3", "unit": "g/dL" }, { "test": "WBC", "value": "7,300" }])
    );
}

#[test]
fn classification_compiles_and_names_every_type_but_unknown() {
    let rules = yaml(&std::fs::read_to_string(folder("rules/classify.yaml")).unwrap());
    assert!(rules["minimum"].is_u64());
    for (document_type, patterns) in rules["classify"].as_object().unwrap() {
        assert!(TYPES.iter().any(|(known, _)| known == document_type), "{document_type}");
        for rule in patterns.as_array().unwrap() {
            assert!(rule["weight"].as_u64().unwrap() > 0);
            let file = json!({ "extract": "t", "fields": { "f": { "kind": "list", "patterns": [
                { "pattern": format!("(?P<g>{})", rule["pattern"].as_str().unwrap()) }] } } });
            Patterns::from_json(&file).unwrap();
        }
    }
    assert_eq!(rules["classify"].as_object().unwrap().len(), TYPES.len() - 1);
}

#[test]
fn a_preliminary_diagnosis_gives_way_to_the_final_one() {
    let report = "FROZEN SECTION DIAGNOSIS: Margins positive for carcinoma, poorly differentiated adenocarcinoma.\n\
        FINAL DIAGNOSIS: Moderately differentiated adenocarcinoma of the colon.\n\
        COMMENT: Surgical margins are free of tumor.\n";
    let [_, second, _] = rounds("pathology", report, &["grade", "margins"]);
    assert_eq!(
        (&second["grade"], &second["margins"]),
        (&json!("Moderately differentiated"), &json!("Surgical margins are free of tumor"))
    );
    let only = "FROZEN SECTION DIAGNOSIS: Poorly differentiated adenocarcinoma.\n";
    assert_eq!(rounds("pathology", only, &["grade"])[1]["grade"], json!("Poorly differentiated"));
}

//! The owner of a quoted value: rows of kinds that a reader keeps apart, each with its own value and its neighbour's.

use super::evidence::support;
use loopctl::score::Support;
use serde_json::{Value, json};

/// A passage, a field, its value there, and a value that is another's.
const ROWS: [(&str, &str, &str, &str, &str, &str); 28] = [
    // A side is that of the nearest thing, or of where the thing is named.
    (
        "Plantar responses were extensor on the right and flexor on the left.",
        "extensorPlantarSide",
        "right",
        "extensor on the right",
        "left",
        "flexor on the left",
    ),
    (
        "There was compression of the left lateral ventricle, and midline shift to the right.",
        "midlineShiftSide",
        "right",
        "midline shift to the right",
        "left",
        "compression of the left lateral ventricle",
    ),
    (
        "There is some weakness of the left arm. Handgrip is 5/5, right side.",
        "weaknessSide",
        "left",
        "weakness of the left arm",
        "right",
        "Handgrip is 5/5, right side",
    ),
    (
        "Soft tissue, right groin, excision: sarcoma.\nLymph nodes, left groin, dissection: no tumor.",
        "groinDissectionSide",
        "left",
        "left groin, dissection",
        "right",
        "right groin, excision",
    ),
    // The nearest name tells of what kind a statement is.
    (
        "Proximal margin: 8 cm. Distal margin: 4.5 cm.",
        "distalMarginMm",
        "45",
        "Distal margin: 4.5 cm",
        "80",
        "Proximal margin: 8 cm",
    ),
    (
        "Mid ICA velocity 27 mm. Proximal ICA velocity 28 mm.",
        "proximalIcaMm",
        "28",
        "Proximal ICA velocity 28 mm",
        "27",
        "Mid ICA velocity 27 mm",
    ),
    (
        "The tumor is 1 mm from the blue inked margin and 3 mm from the red inked margin.",
        "redInkedMarginMm",
        "3",
        "3 mm from the red inked margin",
        "1",
        "1 mm from the blue inked margin",
    ),
    (
        "Left ovary: focus of 5 mm. Right ovary: focus of 3 mm.",
        "leftOvaryFocusMm",
        "5",
        "Left ovary: focus of 5 mm",
        "3",
        "Right ovary: focus of 3 mm",
    ),
    (
        "Medial margin: 3 mm. Lateral margin: 9 mm.",
        "lateralMarginMm",
        "9",
        "Lateral margin: 9 mm",
        "3",
        "Medial margin: 3 mm",
    ),
    (
        "Invasive component: 12 mm. DCIS: 30 mm.",
        "invasiveTumorSizeMm",
        "12",
        "Invasive component: 12 mm",
        "30",
        "DCIS: 30 mm",
    ),
    (
        "Initial dose 2 mg, increased to 50 mg.",
        "initialDoseMg",
        "2",
        "Initial dose 2 mg",
        "50",
        "increased to 50 mg",
    ),
    (
        "Largest node 12 mm; smallest node 3 mm.",
        "largestNodeMm",
        "12",
        "Largest node 12 mm",
        "3",
        "smallest node 3 mm",
    ),
    // What is measured.
    (
        "A mass in the liver, measuring 4.6 cm. Gallbladder: 10 cm.",
        "tumorSizeMm",
        "46",
        "A mass in the liver, measuring 4.6 cm",
        "100",
        "Gallbladder: 10 cm",
    ),
    (
        "A 4.6 cm mass. A satellite nodule of 4 mm.",
        "satelliteSizeMm",
        "4",
        "A satellite nodule of 4 mm",
        "46",
        "A 4.6 cm mass",
    ),
    (
        "A 19 mm mass. The margin is free by 2 mm.",
        "closestMarginMm",
        "2",
        "The margin is free by 2 mm",
        "19",
        "A 19 mm mass",
    ),
    (
        "The tumor is 2 mm from the margin. The tumor measures 19 mm.",
        "tumorSizeMm",
        "19",
        "The tumor measures 19 mm",
        "2",
        "The tumor is 2 mm from the margin",
    ),
    (
        "A tumor of 1.9 x 1.2 x 1.0 cm.",
        "tumorSizeMm",
        "19",
        "A tumor of 1.9 x 1.2 x 1.0 cm",
        "12",
        "A tumor of 1.9 x 1.2 x 1.0 cm",
    ),
    (
        "A colon of 22 cm in length and 4.5 cm in circumference.",
        "colonLengthCm",
        "22",
        "22 cm in length",
        "4.5",
        "4.5 cm in circumference",
    ),
    ("Three doses: 4.3 mCi, imaged at 72 hours.", "doseMci", "4.3", "4.3 mCi", "72", "imaged at 72 hours"),
    // Of a fraction, which number.
    ("Lymph nodes: 3/24 positive.", "nodesPositive", "3", "3/24", "24", "3/24"),
    ("Lymph nodes: 3 of 24 positive.", "nodesExamined", "24", "3 of 24", "3", "3 of 24"),
    // Dates, by what happened on them.
    (
        "Date of birth: 1970-01-02. Report date: 2024-03-05.",
        "date",
        "2024-03-05",
        "Report date: 2024-03-05",
        "1970-01-02",
        "Date of birth: 1970-01-02",
    ),
    (
        "Received: 2024-03-01. Reported: 2024-03-05.",
        "reportDate",
        "2024-03-05",
        "Reported: 2024-03-05",
        "2024-03-01",
        "Received: 2024-03-01",
    ),
    (
        "Onset of symptoms 2024-02-01. Exam date: 2024-03-05.",
        "date",
        "2024-03-05",
        "Exam date: 2024-03-05",
        "2024-02-01",
        "Onset of symptoms 2024-02-01",
    ),
    (
        "EXAM: 2024-03-05. COMPARISON: 2023-01-07.",
        "examDate",
        "2024-03-05",
        "EXAM: 2024-03-05",
        "2023-01-07",
        "COMPARISON: 2023-01-07",
    ),
    (
        "CXR: 2024-03-01. EEG: 2024-03-05.",
        "eegDate",
        "2024-03-05",
        "EEG: 2024-03-05",
        "2024-03-01",
        "CXR: 2024-03-01",
    ),
    // Sides of what the field names.
    (
        "A cyst in the left fossa. The mastoid on the right is opacified.",
        "cystSide",
        "left",
        "A cyst in the left fossa",
        "right",
        "The mastoid on the right",
    ),
    (
        "Moderate mitral regurgitation. Severe aortic regurgitation.",
        "mitralRegurgitation",
        "moderate",
        "Moderate mitral regurgitation",
        "severe",
        "Severe aortic regurgitation",
    ),
];

/// A number where it is one.
fn value(text: &str) -> Value {
    text.parse::<i64>()
        .map(Value::from)
        .or_else(|_| text.parse::<f64>().map(Value::from))
        .unwrap_or_else(|_| Value::from(text))
}

#[test]
fn what_is_said_of_one_thing_is_no_value_of_another_of_its_kind() {
    let (mut wrong, mut verified) = (Vec::new(), 0);
    for (text, field, own, quote, others, other_quote) in ROWS {
        let path = format!("/{field}");
        let (found, _) = support(text, &json!({ field: value(own) }), &path, Some(quote));
        if !matches!(found, Support::Verified | Support::Undecided) {
            wrong.push(format!("{field}: {own} of {text:?} is {found:?}"));
        }
        verified += usize::from(found == Support::Verified);
        let (found, code) = support(text, &json!({ field: value(others) }), &path, Some(other_quote));
        if found == Support::Verified || code.is_none() {
            wrong.push(format!("{field}: another's {others} of {text:?} is {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(verified * 10 >= ROWS.len() * 6, "{verified} of {} are verified", ROWS.len());
}

#[test]
fn of_three_sides_the_nearest_need_not_be_the_one() {
    let text = "There is bilateral hard plaque at the bifurcation, left greater than right.";
    let candidate = json!({ "plaquePredominantSide": "left" });
    let (found, _) = support(text, &candidate, "/plaquePredominantSide", Some("left greater than right"));
    assert!(matches!(found, Support::Verified | Support::Undecided), "{found:?}");
}

#[test]
fn a_row_of_a_table_is_about_its_own_test_and_column() {
    let text = "Test | Result | Reference range\nChlamydia rRNA | Negative | Negative\nGonorrhoeae rRNA | Positive | Negative\n";
    let candidate = |value: &str, range: &str| json!({"labValues": [{"name": "Chlamydia rRNA", "value": "negative"}, {"name": "Gonorrhoeae rRNA", "value": value, "referenceRange": range}]});
    let row = "Gonorrhoeae rRNA | Positive | Negative";
    for (value, range, path, quote, is_right) in [
        ("positive", "negative", "/labValues/1/value", row, true),
        ("positive", "negative", "/labValues/1/referenceRange", row, true),
        ("negative", "negative", "/labValues/1/value", row, false),
        ("negative", "negative", "/labValues/1/value", "Chlamydia rRNA | Negative", false),
    ] {
        let (found, _) = support(text, &candidate(value, range), path, Some(quote));
        let fits = match found {
            Support::Verified => is_right,
            Support::Undecided => true,
            _ => !is_right,
        };
        assert!(fits, "{path} {value} {quote}: {found:?}");
    }
}

#[test]
fn a_value_that_begins_anew_is_about_what_follows_it() {
    let text = "The tumor is positive for ER and PR and negative for HER2.";
    for (marker, value, expected) in [
        ("ER", "positive", Support::Verified),
        ("PR", "positive", Support::Verified),
        ("HER2", "negative", Support::Verified),
        ("PR", "negative", Support::Contradicted),
        ("HER2", "positive", Support::Contradicted),
    ] {
        let path = format!("/ihcMarkers/{marker}");
        for quote in [Some(text), None] {
            let (found, _) = support(text, &json!({"ihcMarkers": {marker: value}}), &path, quote);
            assert_eq!(found, expected, "{marker} {value} {quote:?}");
        }
    }
}

#[test]
fn a_number_may_be_written_to_its_unit_and_a_doubt_beside_the_quote() {
    let text = "A dose of 46mg was given to this 72y/o woman. Findings are suggestive of hematoma.";
    for (extraction, path, quote, expected) in [
        (json!({"doseMg": 46}), "/doseMg", "A dose of 46mg", Support::Undecided),
        (json!({"dose": "46 mg"}), "/dose", "A dose of 46mg", Support::Verified),
        (json!({"age": 72}), "/age", "this 72y/o woman", Support::Verified),
        (json!({"hematoma": "confirmed"}), "/hematoma", "hematoma", Support::Undecided),
        (json!({"hematoma": "possible hematoma"}), "/hematoma", "suggestive of hematoma", Support::Undecided),
    ] {
        let (found, _) = support(text, &extraction, path, Some(quote));
        assert_eq!(found, expected, "{extraction}");
    }
}

#[test]
fn what_the_final_part_replaces_does_not_hold() {
    let text =
        "FROZEN SECTION DIAGNOSIS: Infiltrative glioma.\n\nFINAL DIAGNOSIS: Anaplastic oligodendroglioma.\n";
    for (value, quote, expected) in [
        ("Anaplastic oligodendroglioma", "Anaplastic oligodendroglioma", Support::Verified),
        ("Infiltrative glioma", "Infiltrative glioma", Support::Undecided),
    ] {
        let (found, _) = support(text, &json!({"histology": value}), "/histology", Some(quote));
        assert_eq!(found, expected, "{value}");
    }
}

#[test]
fn what_the_host_fills_in_is_no_evidence() {
    let text = "Nothing that a type asks for.";
    let assessed = super::evidence::assessed("clinical-notes", text, &json!({ "rawText": text }));
    assert!(assessed.evidence.iter().next().is_none());
    assert!(assessed.issues.iter().any(|issue| issue.code == "NOTHING_EXTRACTED"), "{:?}", assessed.issues);
    let accuracy = assessed.scores.get("accuracy").map(|score| score.get());
    assert_eq!(accuracy, Some(0.0));
    // What is not the text is held against it.
    let made_up = super::evidence::assessed("clinical-notes", text, &json!({ "rawText": "Another text." }));
    assert!(made_up.issues.iter().any(|issue| issue.path == "/rawText"), "{:?}", made_up.issues);
}

#[test]
fn two_passages_of_one_line_are_told_apart() {
    let text = "Margins: negative. Comment: Margins: positive.";
    let extraction = json!({ "margins": "negative" });
    let assessed = super::evidence::assessed("pathology", text, &extraction);
    let message =
        assessed.issues.iter().find(|issue| issue.path == "/margins").map(|issue| issue.message.clone());
    let message = message.unwrap_or_default();
    assert!(
        message.contains("line 1, column 10, says so")
            && message.contains("line 1, column 38, says otherwise"),
        "{message}"
    );
}

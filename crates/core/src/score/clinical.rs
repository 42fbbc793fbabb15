//! The shipped clinical rubric and rules, by the table of their expected results.

use super::{Assessment, Assessor, Scoring};
use crate::diag::Problems;
use crate::profile::{Library, Overall};
use crate::rules::memory::dimensions;
use crate::rules::{CompiledMeasure, compile};
use crate::value::Score;
use serde_json::{Value, json};
use std::sync::Arc;

fn scoring() -> Arc<Scoring> {
    let assess = "completeness: { rubric: clinical }
accuracy: grounding
validity: { rules: clinical-validity, penalty: 0.10, floor: 0.30 }
consistency: { rules: clinical-consistency, penalty: 0.15, floor: 0.50 }
schema_compliance: { schema: 'schemas/{{ document_type }}.schema.json' }
";
    let overall = Overall::Weighted(
        [("completeness", 0.3), ("accuracy", 0.4), ("validity", 0.15), ("consistency", 0.15)]
            .map(|(name, weight)| (name.to_owned(), weight))
            .into(),
    );
    let files = Library::embedded();
    let mut problems = Problems::new();
    let rules = compile(&dimensions(assess), &overall, &[], &files, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    Scoring::new(rules.unwrap())
}

fn assess(document_type: &str, candidate: &Value, accuracy: f64) -> Assessment {
    let mut out = Assessment::default();
    let given = [("accuracy".to_owned(), Score::clamped(accuracy))];
    Assessor::new(scoring()).measure(document_type, candidate, None, &given, &mut out);
    out
}

fn rules_of(document_type: &str, candidate: &Value) -> Vec<String> {
    let out = assess(document_type, candidate, 1.0);
    // The expected content of a whole document is covered by the cases beside the rules.
    let of_rules = out.issues.iter().filter(|issue| issue.code != "NO_CLINICAL_CONTENT");
    of_rules.filter_map(|i| i.rule.as_ref().map(|rule| format!("{rule}@{}", i.path))).collect()
}

#[test]
fn grades() {
    for (grade, valid) in [
        (json!("2"), true),
        (json!(2), true),
        (json!("Grade II"), true),
        (json!("grade: 3 of 3"), true),
        (json!("GRADE:1"), true),
        (json!("moderately differentiated"), true),
        (json!(" Poorly"), true),
        (json!("iii"), true),
        (json!("high"), true),
        (json!("G2"), true),
        (json!(4), true),
        (json!(5), false),
        (json!("invasive"), false),
        (json!("2 cm"), false),
        (json!(["2"]), false),
        (json!("unknown"), false),
    ] {
        let found = rules_of("pathology", &json!({"grade": grade}));
        assert_eq!(found.is_empty(), valid, "{grade}: {found:?}");
        assert!(rules_of("radiology", &json!({"grade": grade})).is_empty());
    }
}

#[test]
fn markers() {
    for (key, value, valid) in [
        ("ER", "positive", true),
        ("ER", "Positive (95%)", true),
        ("er", "90 %", true),
        ("ER", "strong", false),
        ("ER", "3+", false),
        ("PR", "NEGATIVE", true),
        ("PR", "low", false),
        ("pr_status", "x", false),
        ("PgR", "x", false),
        ("Estrogen Receptor", "x", false),
        ("oestrogen receptor (ER)", "x", false),
        ("estrogenReceptor", "12.5%", true),
        ("progesterone_receptor", "x", false),
        ("HER2", "0", true),
        ("HER2", "1+", true),
        ("HER-2", "2+ equivocal", true),
        ("HER2/neu", "positive (3+)", true),
        ("c-erbB-2", "Score 3+", true),
        ("erbb2", "amplified", false),
        ("HER2", "3+, strong complete staining in 40% of cells", true),
        ("HER2", "0.5", false),
        ("HER2", "4+", false),
        ("HER2", "95%", false),
        ("HER2", "3", false),
        ("HER2 status", "Equivocal (2+)", true),
        ("Ki-67", "20", true),
        ("p53", "wild type", true),
        ("CERVIX", "x", true),
        ("TERT", "x", true),
        ("PRAME", "x", true),
    ] {
        let found = rules_of("pathology", &json!({"ihcMarkers": {key: value}}));
        assert_eq!(found.is_empty(), valid, "{key} {value}: {found:?}");
    }
    assert!(rules_of("pathology", &json!({"ihcMarkers": {"HER2": 0}})).is_empty());
    assert_eq!(rules_of("pathology", &json!({"ihcMarkers": {"HER2": 3}})), ["her2-value@/ihcMarkers/HER2"]);
}

#[test]
fn sizes_and_genomics() {
    for (size, valid) in [
        (json!("12 mm"), true),
        (json!("3.5CM"), true),
        (json!("2 x 3,1 cm"), true),
        (json!("0.4 m"), true),
        (json!("12-mm"), true),
        (json!(""), true),
        (json!(null), true),
        (json!("12"), false),
        (json!("cm"), false),
        (json!("12 inches"), false),
        (json!("120 mmHg"), false),
        (json!(12), false),
    ] {
        let found = rules_of("radiology", &json!({"measurements": [{"size": size}, {"site": "liver"}]}));
        assert_eq!(found.is_empty(), valid, "{size}: {found:?}");
    }
    for (status, valid) in [
        ("MSI-H", true),
        ("msi-l", true),
        ("MSIH", true),
        ("MSS", true),
        ("Stable", true),
        ("high", true),
        ("LOW", true),
        ("MSI-High", true),
        ("unstable", false),
        ("MSI", false),
        ("intermediate", false),
    ] {
        assert_eq!(rules_of("genomics", &json!({"msiStatus": status})).is_empty(), valid, "{status}");
    }
    for (tmb, valid) in [
        (json!(12.5), true),
        (json!("12.5"), true),
        (json!("12 mut/Mb"), false),
        (json!("high"), false),
        (json!([1]), false),
    ] {
        assert_eq!(rules_of("genomics", &json!({"tmb": tmb})).is_empty(), valid, "{tmb}");
    }
}

#[test]
fn consistency() {
    for (candidate, expected) in [
        (json!({"histology": "Invasive Carcinoma"}), vec!["carcinoma-needs-grade@/grade"]),
        (
            json!({"histology": "adenocarcinoma", "grade_status": "not_present"}),
            vec!["carcinoma-needs-grade@/grade"],
        ),
        (json!({"histology": "carcinoma", "grade": "2"}), vec![]),
        (json!({"histology": "fibroadenoma"}), vec![]),
        (json!({"mutations": [{"gene": "KRAS"}]}), vec!["mutations-need-msi-status@/msiStatus"]),
        (json!({"mutations": [], "histology": null}), vec![]),
        (json!({"mutations": ["KRAS"], "msiStatus": "MSS"}), vec![]),
    ] {
        for document_type in ["pathology", "genomics", "unknown", "no-such-type"] {
            assert_eq!(rules_of(document_type, &candidate), expected, "{candidate}");
        }
    }
}

#[test]
fn the_whole_score_of_a_report() {
    let candidate = json!({
        "histology": "invasive ductal carcinoma", "ihcMarkers": {"ER": "strong", "PR": "positive"}, "date": "2024-01-01"
    });
    let out = assess("pathology", &candidate, 0.5);
    let completeness = (1.0 + 0.7 + 0.3) / (1.0 + 1.0 + 0.7 + 0.7 + 0.3 + 0.3 + 0.3);
    assert!((out.scores.get("completeness").unwrap().get() - completeness).abs() < 1e-12);
    let overall = 0.3 * completeness + 0.4 * 0.5 + 0.15 * 0.9 + 0.15 * 0.85;
    assert!((out.overall - overall).abs() < 1e-12, "{} {overall}", out.overall);
    let codes: Vec<(&str, &str)> = out.issues.iter().map(|i| (i.code.as_str(), i.path.as_str())).collect();
    assert_eq!(
        codes,
        [
            ("MISSING_FIELD", "/grade"),
            ("MISSING_FIELD", "/margins"),
            ("MISSING_FIELD", "/institution"),
            ("MISSING_FIELD", "/rawText"),
            ("HORMONE_RECEPTOR_VALUE", "/ihcMarkers/ER"),
            ("CARCINOMA_NEEDS_GRADE", "/grade"),
        ]
    );
    assert_eq!(out.issues[4].message, "invalid value for ER: \"strong\"");
}

#[test]
fn every_type_has_its_fields() {
    let scoring = scoring();
    let types: Vec<&str> = scoring.rules().document_types().collect();
    assert_eq!(
        types,
        [
            "clinical-notes",
            "discharge-summary",
            "genomics",
            "lab-report",
            "pathology",
            "prescription",
            "radiology",
            "surgical-notes",
            "unknown"
        ]
    );
    let weights = |document_type: &str| -> f64 {
        scoring.rules().program(document_type).rubric_fields().map(|field| field.weight).sum()
    };
    for (document_type, sum) in [
        ("pathology", 4.3),
        ("radiology", 3.3),
        ("genomics", 3.3),
        ("lab-report", 1.9),
        ("prescription", 1.6),
        ("clinical-notes", 1.6),
        ("discharge-summary", 1.6),
        ("surgical-notes", 2.3),
        ("unknown", 1.6),
        ("anything", 1.6),
    ] {
        assert!((weights(document_type) - sum).abs() < 1e-12, "{document_type}");
    }
}

#[test]
fn every_type_has_a_schema_that_counts_its_fields() {
    let scoring = scoring();
    for document_type in scoring.rules().document_types() {
        let program = scoring.rules().program(document_type);
        let mut measures = program.dimensions.iter().flat_map(|name| program.measures_of(name));
        let schema = measures.find_map(|measure| match measure {
            CompiledMeasure::Schema(check) => Some(&check.schema),
            _ => None,
        });
        assert!(schema.unwrap().total_fields >= program.rubric_fields().count(), "{document_type}");
    }
}

#[test]
fn a_claim_against_the_text_is_found_out() {
    let scoring = scoring();
    let mut assessor = Assessor::new(Arc::clone(&scoring));
    let mut out = Assessment::default();
    for (field, text, mentioned) in [
        ("grade", "Histologic grade: 2 of 3", true),
        ("grade", "The tumor is moderately differentiated.", true),
        ("grade", "Grade cannot be assessed. Received 2024.", false),
        ("margins", "Surgical margins are free of tumor", true),
        ("ihcMarkers", "ER: 95% positive", true),
        ("ihcMarkers", "Her hand and the other were examined.", false),
        ("msiStatus", "Microsatellite stable", true),
        ("tmb", "TMB 12 mut/Mb", true),
        ("mutations", "KRAS p.Gly12Asp", true),
        ("mutations", "No mutations were detected.", false),
    ] {
        let document_type =
            if matches!(field, "msiStatus" | "tmb" | "mutations") { "genomics" } else { "pathology" };
        let source = scoring.source(text);
        assessor.measure(
            document_type,
            &json!({format!("{field}_status"): "not_present"}),
            Some(&source),
            &[],
            &mut out,
        );
        let found = out.issues.iter().any(|i| i.code == "NOT_PRESENT_BUT_MENTIONED");
        assert_eq!(found, mentioned, "{field}: {text}");
    }
}

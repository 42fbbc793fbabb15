//! `applies_when` of a rubric's field: what does not apply is not asked for, if the document supports what that rests on.

use crate::workspace::Workspace;
use loopctl::diag::Problems;
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::Assessment;
use serde_json::{Value, json};
use std::sync::LazyLock;

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let mut problems = Problems::new();
    let loaded = load("clinical", &Library::embedded(), &[], &|_| None, &mut problems);
    let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
    plan.unwrap_or_else(|| panic!("{problems:?}"))
});

fn assessed(candidate: &Value, text: Option<&str>) -> Assessment {
    let context = DocumentContext::named(&PLAN, "pathology", text);
    let (mut of_value, mut of_text) = (Assessment::default(), Assessment::default());
    context.assess(&mut context.assessor(), candidate, Given::default(), &mut of_value);
    let read =
        context.assess_text(&mut context.assessor(), &candidate.to_string(), Given::default(), &mut of_text);
    read.unwrap();
    assert_eq!(of_value, of_text);
    of_value
}

/// Tells whether the grade is asked for.
fn is_asked(candidate: &Value, text: Option<&str>) -> bool {
    let assessment = assessed(candidate, text);
    let about = assessment.issues.iter().any(|issue| issue.path == "/grade" && issue.code == "MISSING_FIELD");
    let missing = assessment.missing.iter().any(|name| **name == *"grade");
    assert_eq!(about, missing, "{:?}", assessment.issues);
    about
}

#[test]
fn the_grade_is_asked_for_where_pathology_grades() {
    let report = |histology: &str| format!("FINAL DIAGNOSIS: {histology}. Margins are negative.");
    for (histology, expected) in [
        ("Papillary thyroid carcinoma", false),
        ("papillary thyroid microcarcinoma", false),
        ("Malignant melanoma", false),
        ("Small cell carcinoma", false),
        ("small cell neuroendocrine carcinoma", false),
        ("Merkel cell carcinoma", false),
        ("Basal cell carcinoma", false),
        ("Medullary thyroid carcinoma", false),
        ("Classic seminoma", false),
        ("Invasive ductal carcinoma", true),
        ("Non-small cell carcinoma", true),
        ("Papillary urothelial carcinoma", true),
        ("Papillary carcinoma of the breast", true),
        ("Combined small cell carcinoma and adenocarcinoma", true),
        ("Squamous cell carcinoma", true),
    ] {
        let (candidate, text) = (json!({ "histology": histology }), report(histology));
        assert_eq!(is_asked(&candidate, Some(&text)), expected, "{histology}");
        // Without a document nothing supports that it does not apply.
        assert!(is_asked(&candidate, None), "{histology}");
    }
}

#[test]
fn a_claim_that_the_document_does_not_support_leaves_the_field_asked_for() {
    let melanoma = json!({ "histology": "Malignant melanoma" });
    for text in [
        "FINAL DIAGNOSIS: Invasive ductal carcinoma of the breast.",
        "FINAL DIAGNOSIS: Compound nevus. No melanoma is seen.",
        "FINAL DIAGNOSIS: Malignant melanoma. Histologic grade 2.",
        "FINAL DIAGNOSIS: Malignant melanoma, high grade.",
    ] {
        assert!(is_asked(&melanoma, Some(text)), "{text}");
    }
    let text = "FINAL DIAGNOSIS: Malignant melanoma.";
    assert!(is_asked(&json!({}), Some(text)), "nothing is said of the histology");
    assert!(is_asked(&json!({ "histology": "" }), Some(text)));
    assert!(is_asked(&json!({ "histology": ["Malignant melanoma", "carcinoma"] }), Some(text)));
}

#[test]
fn a_field_that_does_not_apply_leaves_both_sums() {
    let text = "FINAL DIAGNOSIS: Malignant melanoma.";
    let score = |candidate: &Value| assessed(candidate, Some(text)).scores.get("completeness").unwrap().get();
    let without = score(&json!({ "histology": "Malignant melanoma" }));
    let stated = score(&json!({ "histology": "Malignant melanoma", "grade_status": "not_present" }));
    assert!((without - stated).abs() < 1e-9, "{without} and {stated}");
    // One that is present counts, regardless of the condition.
    let given = score(&json!({ "histology": "Malignant melanoma", "grade": "2" }));
    assert!(given > without, "{given} and {without}");
}

#[test]
fn slips_in_conditions_are_found() {
    let place = Workspace::new();
    let profile = "extends: marc\nassess: { completeness: { rubric: mine } }\n";
    place.write("profiles/mine.yaml", profile);
    let rubric = |when: &str| {
        format!(
            "types: {{ unknown: {{ required: [kind, grade] }} }}\nfields: {{ grade: {{ applies_when: {when} }} }}\n"
        )
    };
    for (when, expected) in [
        ("{ field: grade, equals: x }", "it can't say whether it applies"),
        ("{ field: knd, equals: x }", "did you mean `kind`?"),
        ("{ any: [{ field: kind, equals: x }, { not: { field: knd, equals: x } }] }", "did you mean `kind`?"),
        ("{ equals: x }", "about another top-level field"),
        ("{ source: { contains: x } }", "about another top-level field"),
        ("{ field: '$.kind', equals: x }", "about another top-level field"),
        ("{ field: kind }", "this condition asks nothing"),
        ("kind = x", "write `{ field: kind, equals: x }`"),
    ] {
        place.write("rules/rubrics/mine.yaml", rubric(when));
        let ran = place.run(&["check", "mine"]);
        assert!(format!("{}{}", ran.out, ran.err).contains(expected), "{when}\n{}{}", ran.out, ran.err);
    }
    place.write("rules/rubrics/mine.yaml", rubric("{ field: kind, equals: x }"));
    let told = place.run(&["explain", "mine", "--full"]).exits(0).out;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("`grade` is asked for depends on `kind`"), "{told}");
}

//! Documents that have no text, and that no one but a stage has seen, do not pass, however perfect the answer looks: by
//! every shipped profile, and by profiles that say nothing about it.

use super::api::Api;
use super::runs::{loopctl, whole};
use super::server::{Script, Setup, Vendor};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06";

/// A stage or judge, and what it says.
type ModelOutput = (&'static str, Value);

/// The answers of a perfect model, by stage and judge: their form and numbers agree with each other.
fn perfect(profile: &str) -> (Option<&'static str>, Vec<ModelOutput>, Option<ModelOutput>) {
    match profile {
        "literature" => {
            let paper = json!({
                "study_type": "randomised controlled trial",
                "title": "Follow-up after hip fracture: a randomised controlled trial",
                "authors": [{ "family": "Lindqvist", "given": "Anna", "orcid": "0000-0002-1825-0097" }],
                "journal": { "name": "Journal of Invented Rehabilitation", "issn": "2049-3630" },
                "year": 2023, "pmid": "36912345", "doi": "10.99999/jir.2023.0042", "registration": "NCT01234567",
                "dates": { "received": "2022-11-02", "accepted": "2023-03-20" },
                "design": { "allocation": "randomized" },
                "population": { "description": "120 patients", "sample_size": 120 },
                "interventions": [{ "name": "telephone", "participants": 60 }, { "name": "usual care", "participants": 60 }],
                "outcomes": [{ "name": "readmission", "measure": "risk ratio", "effect": 0.5, "ci_lower": 0.24, "ci_upper": 1.02 }],
                "risk_of_bias": { "limitations": "not blinded" },
                "funding": { "statement": "Invented Research Council" },
            });
            let marks = json!({ "verification_summary": { "completeness_score": 1.0, "accuracy_score": 1.0,
                "schema_compliance_score": 1.0, "critical_issues": [] } });
            let classified = json!({ "study_type": "randomised controlled trial" });
            (Some("trial"), vec![("classify", classified), ("extract", paper)], Some(("verification", marks)))
        }
        "definition" => {
            let examples = json!({ "examples": ["acute myeloid leukemia"], "counterexamples": [] });
            let defined = json!({ "term": "leukemia", "language": "en",
                "definition": "A cancer of the blood that is characterized by an abnormal proliferation of its cells." });
            let marks = json!({ "quality": 1.0, "issues": [] });
            (None, vec![("examples", examples), ("define", defined)], Some(("quality", marks)))
        }
        "marc-v1" => {
            let tags = json!({ "modality": "CT", "region": "chest", "normality": "abnormal",
                "findings": [{ "finding": "9 mm solid nodule in the right upper lobe" }] });
            let class = json!({ "disease": "lung cancer", "impression": "A solid nodule, suspicious for lung cancer.",
                "reasoning": "its size", "confidence": "moderate" });
            let advice = json!({ "recommendations": [{ "action": "PET/CT", "for_finding": "nodule", "urgency": "urgent",
                "interval": "two weeks", "basis": "its size" }] });
            let marks = json!({ "overall": 1.0, "classification": 1.0, "impression": 1.0, "issues": [] });
            let stages = vec![("tagger", tags), ("classifier", class), ("recommender", advice)];
            (Some("radiology"), stages, Some(("evaluator", marks)))
        }
        "aas" => (None, vec![("edit", json!([]))], None),
        _ => (Some("pathology"), vec![("extract", whole())], None),
    }
}

/// Runs a shipped profile over an image, with a model of its own for each stage and judge.
fn run(profile: &str, more: &[&str]) -> Ran {
    let (document_type, stages, judge) = perfect(profile);
    let place = Workspace::new();
    place.write("scan.png", PNG);
    let mut script = Script::default();
    let mut settings = vec!["stages.*.attach=document".to_owned()];
    for (at, (stage, answer)) in stages.into_iter().enumerate() {
        script.add(stage, answer);
        settings.push(format!("stages.{at}.provider=openai:{stage}"));
    }
    if let Some((judge, marks)) = judge {
        script.add(judge, marks);
    }
    let vendor = Vendor::start(Setup { api: Api::OpenAi, key: None, script, faults: Vec::new() });
    let mut arguments = vec!["run", "--profile", profile, "--format", "json"];
    for setting in &settings {
        arguments.extend(["--config", setting]);
    }
    match profile {
        // What is attached can't be masked.
        "marc-v1" => arguments.extend(["--config", "mask=[]"]),
        "aas" => arguments.extend(["--var", "task=set the serial number"]),
        _ => {}
    }
    if let Some(document_type) = document_type {
        arguments.extend(["--type", document_type]);
    }
    arguments.extend(more);
    arguments.push("scan.png");
    Ran::of(&mut loopctl(&place, Api::OpenAi, &vendor, None, &arguments))
}

const SHIPPED: [&str; 8] =
    ["balanced", "batch", "clinical", "real-time", "literature", "definition", "marc-v1", "aas"];

#[test]
fn no_shipped_profile_passes_an_image_that_only_its_stages_have_seen() {
    std::thread::scope(|scope| {
        for profile in SHIPPED {
            scope.spawn(move || {
                let result = run(profile, &["--config", "stop.timeout=null"]).json();
                assert_ne!(result["final_status"], "passed", "{profile}: {result}");
                if profile == "aas" {
                    assert_eq!(result["stop_reason"], "unreadable_input", "{result}");
                    return;
                }
                assert_eq!(result["review"], true, "{profile}: {result}");
                assert!(!result["best_extraction"].is_null(), "{profile}: the answer is lost");
                let message = result["message"].to_string();
                assert!(message.contains("no one but a stage has seen the document"), "{profile}: {message}");
            });
        }
    });
}

#[test]
fn the_same_answers_pass_where_that_is_allowed_or_a_judge_has_looked() {
    std::thread::scope(|scope| {
        for (profile, judge) in
            [("literature", "verification"), ("definition", "quality"), ("marc-v1", "evaluator")]
        {
            scope.spawn(move || {
                let result =
                    run(profile, &["--config", "accept.unseen=true", "--config", "accept.critical_issues=9"]);
                let result = result.exits(0).json();
                assert_eq!(
                    (&result["final_status"], &result["review"]),
                    (&json!("passed"), &json!(true)),
                    "{profile}"
                );

                let model = format!("openai:{judge}");
                let shown = ["--judge", &model, "--config", "judges.*.attach=document"];
                let result = run(profile, &shown).exits(0).json();
                assert_eq!(
                    (&result["final_status"], &result["review"]),
                    (&json!("passed"), &json!(false)),
                    "{profile}: {result}"
                );
                assert!(!result["best_validation"].to_string().contains("DOCUMENT_UNSEEN"), "{profile}");

                // A judge that has only the word that there is an image says nothing of it.
                let result = run(profile, &shown[..2]).json();
                assert_ne!(result["final_status"], "passed", "{profile}: {result}");
            });
        }
    });
}

/// A profile that says nothing of documents without text.
fn plain(judge: &str) -> Workspace {
    let place = Workspace::new();
    place.write("scan.png", PNG);
    place.write("prompts/read.md", "Read this: {{ source }}.");
    place.write("prompts/look.md", "Is this right? {{ candidate }}");
    place.write(
        "schemas/form.schema.json",
        r#"{"type": "object", "properties": {"number": {"type": "string"}}}"#,
    );
    let assess = if judge.is_empty() {
        "{ schema: schemas/form.schema.json }"
    } else {
        "{ judge: look, score: /score }"
    };
    place.write(
        "profiles/scan.yaml",
        format!(
            "description: Reads what is printed on a scan.
classify: null
stages: [{{ id: read, provider: openai:read, prompt: read.md, attach: document }}]
{judge}
assess: {{ form: {assess} }}
overall: {{ from: form }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 1 }}
"
        ),
    );
    place
}

fn run_plain(place: &Workspace, looks: Value) -> Value {
    let mut script = Script::default();
    script.add("read", json!({ "number": "41" }));
    script.add("look", looks);
    let vendor = Vendor::start(Setup { api: Api::OpenAi, key: None, script, faults: Vec::new() });
    let arguments = ["run", "--profile", "scan", "--format", "json", "scan.png"];
    Ran::of(&mut loopctl(place, Api::OpenAi, &vendor, None, &arguments)).json()
}

#[test]
fn what_stands_in_for_a_judge_has_not_seen_the_document() {
    let result = run_plain(&plain(""), json!({}));
    assert_eq!(result["final_status"], "max_iterations_reached", "{result}");

    let judge =
        |rest: &str| format!("judges: {{ look: {{ provider: openai:look, prompt: look.md, {rest} }} }}");
    let fallback = "attach: document, on_failure: { retry: 0, then: { fallback: 1.0 } }";
    for (rest, looks, status) in [
        (fallback, json!({ "score": 1.0 }), "passed"),
        // The number stands in for an answer that can't be read.
        (fallback, json!({ "score": "fine" }), "max_iterations_reached"),
        // It is asked about the candidate alone.
        ("severity: major", json!({ "score": 1.0 }), "max_iterations_reached"),
    ] {
        let result = run_plain(&plain(&judge(rest)), looks);
        assert_eq!(result["final_status"], status, "{rest}: {result}");
        assert_eq!(result["review"], status != "passed", "{rest}");
    }
}

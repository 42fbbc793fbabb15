//! The shipped profiles of several stages, live: what a scenario case plays through the engine, the command does with a
//! provider that answers from a file.

use crate::workspace::Workspace;
use loopctl::diag::{Problems, SourceFile};
use loopctl::value::yaml;
use serde_json::{Value, json};
use std::path::Path;

/// The first case of a profile that has outputs of stages and passes.
fn case(profile: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("profiles/{profile}.test.yaml"));
    let file = SourceFile::new("cases", std::fs::read_to_string(path).unwrap());
    let cases = yaml::parse(&file, &mut Problems::new()).unwrap().to_json();
    let plays = |case: &&Value| case["outputs"].is_array() && case["expect"]["final_status"] == "passed";
    cases["cases"].as_array().unwrap().iter().find(plays).unwrap().clone()
}

/// The records of the provider `scripted`: what each stage and judge says, in order.
fn script(case: &Value) -> String {
    let rounds = case["outputs"].as_array().into_iter().chain(case["answers"].as_array()).flatten();
    let said = rounds.flat_map(|round| round.as_object().unwrap());
    said.map(|(stage, value)| format!("{}\n", json!({ "stage": stage, "value": value }))).collect()
}

#[test]
fn cases_with_stages_end_live_as_they_are_played() {
    for profile in ["literature", "definition", "marc-v1"] {
        let case = case(profile);
        let place = Workspace::new();
        place.write("doc.txt", case["source"].as_str().unwrap());
        place.write("answers.jsonl", script(&case));
        let mut arguments = vec!["run", "--profile", profile, "--format", "json", "--out", "out"];
        arguments.extend(["--provider", "scripted", "--provider-config", "file=answers.jsonl"]);
        let settings: Vec<String> = case["set"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        settings.iter().for_each(|setting| arguments.extend(["--config", setting]));
        let judge = case["answers"].is_array();
        if judge {
            arguments.extend(["--judge", "scripted", "--config", "judges.*.config.file=answers.jsonl"]);
        }
        if let Some(document_type) = case["document_type"].as_str() {
            arguments.extend(["--type", document_type]);
        }
        arguments.push("doc.txt");
        let result = place.run(&arguments).exits(0).json();
        for key in
            ["final_status", "stop_reason", "iteration_count", "best_iteration", "improvement_trajectory"]
        {
            let expected = &case["expect"][key];
            assert!(expected.is_null() || result[key] == *expected, "{profile}, {key}: {}", result[key]);
        }
        assert_eq!(result["profile"], profile);
        let unasked = result["warnings"].to_string().contains("was not asked");
        assert_eq!(unasked, !judge, "{profile}");
        assert!(place.names("out").contains(&"doc-extraction_corrected1.json".to_owned()), "{profile}");
    }
}

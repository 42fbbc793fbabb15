//! Every shipped profile with every model plugin: each ends as it does with the provider `scripted`, which says the same.

use super::api::Api;
use super::runs::{REPORT, lacking, loopctl, whole};
use super::server::{Script, Setup, Vendor};
use crate::workspace::{Ran, Workspace};
use loopctl::diag::{Problems, SourceFile};
use loopctl::value::yaml;
use serde_json::{Value, json};
use std::path::Path;

const KEY: &str = "a-key-that-nobody-may-see";

/// A profile, a document, and what stages and judges say of it.
struct Play {
    profile: &'static str,
    document: &'static str,
    source: String,
    stages: &'static [&'static str],
    judge: Option<&'static str>,
    /// The answers, each after its stage or judge, in order.
    said: Vec<(String, Value)>,
    more: Vec<String>,
}

fn shipped(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let file = SourceFile::new("shipped", std::fs::read_to_string(path).unwrap());
    yaml::parse(&file, &mut Problems::new()).unwrap().to_json()
}

/// One stage, whose feedback says what is missing, and which then says it.
fn clinical(profile: &'static str) -> Play {
    Play {
        profile,
        document: "liver-resection.txt",
        source: REPORT.to_owned(),
        stages: &["extract"],
        judge: None,
        said: [lacking(), whole()].map(|value| ("extract".to_owned(), value)).into(),
        more: Vec::new(),
    }
}

/// The case of a profile's own tests that has what each stage says and passes.
fn staged(
    profile: &'static str,
    stages: &'static [&'static str],
    judge: Option<(&'static str, Vec<Value>)>,
) -> Play {
    let cases = shipped(&format!("profiles/{profile}.test.yaml"));
    let plays = |case: &&Value| case["outputs"].is_array() && case["expect"]["final_status"] == "passed";
    let case = cases["cases"].as_array().unwrap().iter().find(plays).unwrap();
    let rounds = case["outputs"].as_array().into_iter().chain(case["answers"].as_array()).flatten();
    let pairs = rounds.flat_map(|round| round.as_object().unwrap());
    let mut said: Vec<(String, Value)> = pairs.map(|(who, value)| (who.clone(), value.clone())).collect();
    let mut asked = case["answers"]
        .as_array()
        .and_then(|answers| answers[0].as_object()?.keys().next())
        .map(|_| "evaluator");
    if let Some((name, answers)) = judge {
        asked = Some(name);
        said.extend(answers.into_iter().map(|answer| (name.to_owned(), answer)));
    }
    let set = case["set"].as_object().into_iter().flatten();
    let mut more: Vec<String> =
        set.flat_map(|(key, value)| ["--config".to_owned(), format!("{key}={value}")]).collect();
    if let Some(given) = case["document_type"].as_str() {
        more.extend(["--type".to_owned(), given.to_owned()]);
    }
    let source = case["source"].as_str().unwrap().to_owned();
    Play { profile, document: "doc.txt", source, stages, judge: asked, said, more }
}

/// A patch that names no date, and one that does.
fn patch() -> Play {
    let answers = shipped("examples/aas/date.yaml");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    Play {
        profile: "aas",
        document: "pump.json",
        source: std::fs::read_to_string(root.join("examples/aas/pump.json")).unwrap(),
        stages: &["edit"],
        judge: None,
        said: answers
            .as_array()
            .unwrap()
            .iter()
            .map(|answer| ("edit".to_owned(), answer["value"].clone()))
            .collect(),
        more: ["--var", "task=Serial number 12-345, made on 19 June 2024."].map(str::to_owned).into(),
    }
}

fn plays() -> Vec<Play> {
    let verified = |completeness: f64, issues: Value| {
        json!({ "verification_summary": { "completeness_score": completeness, "accuracy_score": 0.97,
            "schema_compliance_score": 0.96, "critical_issues": issues } })
    };
    let missing = json!([{ "code": "MISSING_VALUE", "path": "/outcomes", "message": "the outcome is missing",
        "suggested_fix": "add readmission" }]);
    let quality = |quality: f64| json!({ "quality": quality, "issues": [] });
    vec![
        clinical("clinical"),
        clinical("balanced"),
        clinical("batch"),
        clinical("real-time"),
        patch(),
        staged("literature", &["classify", "extract"], None),
        staged(
            "literature",
            &["classify", "extract"],
            Some(("verification", vec![verified(0.85, missing), verified(0.95, json!([]))])),
        ),
        staged("definition", &["examples", "define"], None),
        staged("definition", &["examples", "define"], Some(("quality", [0.9; 4].map(quality).into()))),
        staged("marc-v1", &["tagger", "classifier", "recommender"], None),
    ]
}

impl Play {
    fn workspace(&self) -> Workspace {
        let place = Workspace::new();
        place.write(self.document, &self.source);
        place
    }

    fn arguments(&self, providers: impl Fn(&str) -> String) -> Vec<String> {
        let mut arguments: Vec<String> =
            ["run", "--profile", self.profile, "--format", "json"].map(str::to_owned).into();
        arguments.extend(self.more.clone());
        for (number, stage) in self.stages.iter().enumerate() {
            arguments
                .extend(["--config".to_owned(), format!("stages.{number}.provider={}", providers(stage))]);
        }
        if let Some(judge) = self.judge {
            arguments
                .extend(["--config".to_owned(), format!("judges.{judge}.provider={}", providers(judge))]);
        }
        arguments
    }

    /// The part of a result that must be the same for every provider.
    fn end(&self, ran: &Ran) -> Value {
        let result = ran.json();
        let mut end = json!({ "exit": ran.code });
        for key in [
            "final_status",
            "stop_reason",
            "iteration_count",
            "best_iteration",
            "selection_reason",
            "best_extraction",
            "improvement_trajectory",
            "rollbacks",
            "warnings",
            "message",
            "detail",
        ] {
            end[key] = result[key].clone();
        }
        // Only those who sell a call know what it cost.
        if let Some(warnings) = end["warnings"].as_array_mut() {
            warnings.retain(|warning| !warning.as_str().is_some_and(|warning| warning.contains("cost")));
        }
        end["calls"] = result["usage"]["calls"].clone();
        end
    }

    fn scripted(&self) -> Value {
        let place = self.workspace();
        let line =
            |(stage, value): &(String, Value)| format!("{}\n", json!({ "stage": stage, "value": value }));
        place.write("answers.jsonl", self.said.iter().map(line).collect::<String>());
        let mut arguments = self.arguments(|_| "scripted".to_owned());
        arguments.extend(["--config".to_owned(), "stages.*.config.file=answers.jsonl".to_owned()]);
        if self.judge.is_some() {
            arguments.extend(["--config".to_owned(), "judges.*.config.file=answers.jsonl".to_owned()]);
        }
        arguments.push(self.document.to_owned());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.end(&place.run(&arguments))
    }

    /// The model is called like the stage, so that the server knows whose answer is wanted.
    fn with(&self, api: Api) -> (Value, Vendor) {
        let mut script = Script::default();
        self.said.iter().for_each(|(stage, value)| script.add(stage, value.clone()));
        let vendor = Vendor::start(Setup { api, key: Some(KEY.to_owned()), script, faults: Vec::new() });
        let place = self.workspace();
        let mut arguments = self.arguments(|stage| format!("{}:{stage}", api.name()));
        arguments.push(self.document.to_owned());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = Ran::of(&mut loopctl(&place, api, &vendor, Some(KEY), &arguments));
        assert!(
            !ran.out.is_empty(),
            "{} at {}: {}\n{:?}",
            self.profile,
            api.name(),
            ran.err,
            vendor.complaints()
        );
        (self.end(&ran), vendor)
    }
}

#[test]
fn every_profile_ends_with_every_api_as_it_does_with_scripted_answers() {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let plays = plays().into_iter();
        let running: Vec<_> = plays.map(|play| scope.spawn(move || differences(&play))).collect();
        running.into_iter().flat_map(|play| play.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differences(play: &Play) -> Vec<String> {
    let judged = if play.judge.is_some() { " with a judge" } else { "" };
    let mut wrong = Vec::new();
    let scripted = play.scripted();
    // `real-time` takes the first answer, as it should.
    let corrected = scripted["iteration_count"].as_u64() >= Some(2) || play.profile == "real-time";
    if scripted["final_status"] != "passed" || !corrected {
        wrong.push(format!("{}{judged}: the script is not followed: {scripted:#}", play.profile));
    }
    for api in [Api::OpenAi, Api::Azure, Api::Anthropic, Api::Gemini] {
        let (end, vendor) = play.with(api);
        let mut complain =
            |what: String| wrong.push(format!("{}{judged} at {}: {what}", play.profile, api.name()));
        for (key, value) in scripted.as_object().unwrap() {
            if end[key] != *value {
                complain(format!("`{key}` is {}, scripted {value}", end[key]));
            }
        }
        if Some(vendor.calls() as u64) != scripted["calls"].as_u64() {
            complain(format!("{} requests instead of {}", vendor.calls(), scripted["calls"]));
        }
        // The model is told what its answer must look like: by the API where that can say it, in words elsewhere.
        for seen in vendor.seen() {
            let Some(asked) = &seen.asked else { continue };
            if asked.schema.is_none() && !asked.text.contains("\"$schema\"") {
                complain(format!("no schema is sent: {}", seen.body()));
            }
        }
        vendor.complaints().into_iter().for_each(complain);
    }
    wrong
}

//! A key, and the document's text, stay where they belong: a key in no file that a run leaves and in nothing that it
//! says, the text in nothing that is reported about calls.

use super::api::{Api, Problem};
use super::runs::{REPORT, lacking, loopctl, whole};
use super::server::{Fault, Script, Setup, Vendor, When};
use crate::workspace::{Ran, Workspace};
use std::path::Path;

const KEY: &str = "sk-a-key-that-nobody-may-see-0123456789";
const ALL: [Api; 4] = [Api::OpenAi, Api::Azure, Api::Anthropic, Api::Gemini];

/// A run that leaves all that a run can leave.
fn run(api: Api, faults: Vec<(When, Fault)>, more: &[&str]) -> (Workspace, Ran) {
    let script = Script::of([lacking(), whole()]);
    let vendor = Vendor::start(Setup { api, key: None, script, faults });
    let place = Workspace::new();
    place.write("liver-resection.txt", REPORT);
    let provider = format!("{}:any", api.name());
    let mut arguments = vec!["run", "--profile", "clinical", "--provider", &provider, "--out", "out"];
    arguments.extend(["--log", "json", "--log-file", "run.log"]);
    arguments.extend(more);
    arguments.push("liver-resection.txt");
    let ran = Ran::of(&mut loopctl(&place, api, &vendor, Some(KEY), &arguments));
    assert!(vendor.calls() > 0, "{}", ran.err);
    assert_eq!(vendor.complaints(), Vec::<String>::new());
    (place, ran)
}

/// Every file under a folder whose bytes hold one of these; how many files there are.
fn holding(folder: &Path, parts: &[&[u8]], found: &mut Vec<String>) -> usize {
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files += holding(&path, parts, found);
            continue;
        }
        files += 1;
        let bytes = std::fs::read(&path).unwrap();
        if parts.iter().any(|part| bytes.windows(part.len()).any(|window| window == *part)) {
            found.push(path.display().to_string());
        }
    }
    files
}

#[test]
fn a_key_is_in_no_file_and_in_nothing_that_is_said() {
    use base64::Engine;
    // As it is, and as it would be in Base64.
    let encoded = base64::engine::general_purpose::STANDARD.encode(KEY);
    let parts: [&[u8]; 2] = [KEY.as_bytes(), encoded.as_bytes()];
    let recorded = ["--record", "tape", "--record-requests"];
    std::thread::scope(|scope| {
        for api in ALL {
            scope.spawn(move || {
                // A server that repeats the key that it refuses, and one that works after a failed call.
                let refused = Fault::Error(Problem::BadKey(KEY.to_owned()));
                let broken = Fault::Error(Problem::Broken);
                for (faults, code, least) in
                    [(vec![(When::At(1), broken)], 0, 8), (vec![(When::Always, refused)], 1, 4)]
                {
                    let (place, ran) = run(api, faults, &recorded);
                    let mut found = Vec::new();
                    // The document, the journal, the log, results, and cassettes.
                    assert!(holding(&place.path(""), &parts, &mut found) >= least, "{}", ran.err);
                    holding(&place.home(), &parts, &mut found);
                    assert_eq!(found, Vec::<String>::new(), "{}", api.name());
                    assert!(!ran.out.contains(KEY), "{}", ran.out);
                    assert!(!ran.err.contains(KEY), "{}", ran.err);
                    ran.exits(code);
                }
            });
        }
    });
}

#[test]
fn a_recorded_run_is_repeated_without_a_server_or_a_key() {
    for api in [Api::OpenAi, Api::Anthropic, Api::Gemini] {
        let (place, first) = run(api, vec![(When::At(1), Fault::RetryAfter(0))], &["--record", "tape"]);
        let first = first.exits(0);
        let nobody = Vendor::start(Setup { api, key: None, script: Script::default(), faults: Vec::new() });
        let provider = format!("{}:any", api.name());
        let arguments = [
            "run",
            "--profile",
            "clinical",
            "--provider",
            &provider,
            "--out",
            "again",
            "--replay",
            "tape",
            "liver-resection.txt",
        ];
        let again = Ran::of(&mut loopctl(&place, api, &nobody, None, &arguments)).exits(0);
        assert_eq!(nobody.connections(), 0);
        assert_eq!(again.out, first.out);
        for name in place.names("out").iter().filter(|name| name.ends_with(".json")) {
            assert_eq!(place.read(&format!("again/{name}")), place.read(&format!("out/{name}")), "{name}");
        }
    }
}

/// Any forty characters of the report.
fn quotes(text: &str) -> Option<String> {
    let report: Vec<char> = REPORT.chars().collect();
    report
        .windows(40)
        .step_by(20)
        .map(|part| part.iter().collect::<String>())
        .find(|part| text.contains(part))
}

#[test]
fn what_is_said_of_calls_holds_no_text_of_the_document() {
    let faults = [
        Fault::NotJson,
        Fault::CutOff,
        Fault::Torn,
        Fault::Refuses,
        Fault::Padded(17 << 20),
        Fault::Error(Problem::Broken),
    ];
    std::thread::scope(|scope| {
        for api in [Api::OpenAi, Api::Anthropic, Api::Gemini] {
            let faults = faults.clone();
            scope.spawn(move || {
                for fault in faults {
                    let (place, ran) =
                        run(api, vec![(When::Always, fault.clone())], &["--config", "stages.*.retries=0"]);
                    assert_eq!(quotes(&ran.err), None, "{fault:?} at {}", api.name());
                    assert_eq!(quotes(&place.read("run.log")), None, "{fault:?} at {}", api.name());
                    assert_eq!(quotes(&ran.out), None, "{fault:?} at {}", api.name());
                    ran.exits(1);
                }
                let (place, ran) = run(api, Vec::new(), &[]);
                let log = place.read("run.log");
                assert!(log.contains("liver-resection"), "{log}");
                assert_eq!((quotes(&ran.err), quotes(&log)), (None, None), "{}", api.name());
            });
        }
    });
}

/// An API's own words are shown, and may repeat what they complain about.
#[test]
fn what_an_api_repeats_of_the_document_is_left_out() {
    let passage: String = REPORT.chars().skip(200).take(120).collect();
    for api in [Api::OpenAi, Api::Anthropic, Api::Gemini] {
        let refused = Fault::Error(Problem::BadKey(passage.clone()));
        let (place, ran) = run(api, vec![(When::Always, refused)], &["--format", "json"]);
        let result = place.read("out/liver-resection-result.json");
        assert!(ran.err.contains("[document]"), "{}", ran.err);
        for said in [&ran.err, &ran.out, &result, &place.read("run.log")] {
            assert_eq!(quotes(said), None, "{}", api.name());
        }
        ran.exits(1);
    }
}

#[test]
fn calls_are_told_by_the_names_of_the_conventions() {
    for (api, provider, operation) in [
        (Api::OpenAi, "openai", "chat"),
        (Api::Azure, "azure.ai.openai", "chat"),
        (Api::Anthropic, "anthropic", "chat"),
        (Api::Gemini, "gcp.gemini", "generate_content"),
    ] {
        let (place, _) = run(api, Vec::new(), &[]);
        let log = place.read("run.log");
        let mut calls = log.lines().filter(|line| line.contains("call_finished"));
        let call: serde_json::Value = serde_json::from_str(calls.next().unwrap()).unwrap();
        assert_eq!(call["gen_ai.provider.name"], provider);
        assert_eq!(call["gen_ai.operation.name"], operation, "{provider}");
        assert_eq!(call["gen_ai.output.type"], "json", "{provider}");
    }
}

//! A key, and the document's text, stay where they belong: in no file that a run leaves and in nothing that it says.

use super::api::{Api, Problem};
use super::runs::{REPORT, lacking, loopctl, whole};
use super::server::{Fault, Script, Setup, Vendor, When};
use crate::workspace::{Ran, Workspace};
use std::path::Path;

const KEY: &str = "sk-a-key-that-nobody-may-see-0123456789";

/// A run in which most that can happen does: a refused key that the server repeats, a failed call, a correction.
fn run(api: Api, faults: Vec<(When, Fault)>, more: &[&str]) -> (Workspace, Ran) {
    let script = Script::of([lacking(), whole()]);
    let vendor = Vendor::start(Setup { api, key: None, script, faults });
    let place = Workspace::new();
    place.write("lung-biopsy.txt", REPORT);
    let provider = format!("{}:any", api.name());
    let mut arguments = vec!["run", "--profile", "clinical", "--provider", &provider, "--out", "out"];
    arguments.extend(more);
    arguments.push("lung-biopsy.txt");
    let ran = Ran::of(&mut loopctl(&place, api, &vendor, Some(KEY), &arguments));
    assert!(vendor.calls() > 0, "{}", ran.err);
    assert_eq!(vendor.complaints(), Vec::<String>::new());
    (place, ran)
}

/// Every file under a folder whose bytes hold one of these.
fn holding(folder: &Path, parts: &[&[u8]], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holding(&path, parts, found);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        if parts.iter().any(|part| bytes.windows(part.len()).any(|window| window == *part)) {
            found.push(path.display().to_string());
        }
    }
}

const ALL: [Api; 4] = [Api::OpenAi, Api::Azure, Api::Anthropic, Api::Gemini];

#[test]
fn a_key_is_in_no_file_and_in_nothing_that_is_said() {
    use base64::Engine;
    // As it is, and as it would stand in Base64.
    let encoded = base64::engine::general_purpose::STANDARD.encode(KEY);
    let parts: [&[u8]; 2] = [KEY.as_bytes(), encoded.as_bytes()];
    std::thread::scope(|scope| {
        for api in ALL {
            scope.spawn(move || {
                let refused = Fault::Error(Problem::BadKey(KEY.to_owned()));
                let broken = Fault::Error(Problem::Broken);
                for faults in [vec![(When::At(1), broken)], vec![(When::Always, refused)]] {
                    let (place, ran) = run(api, faults, &[]);
                    let mut found = Vec::new();
                    holding(&place.path(""), &parts, &mut found);
                    holding(&place.home(), &parts, &mut found);
                    assert_eq!(found, Vec::<String>::new(), "{}", api.name());
                    assert!(!ran.out.contains(KEY), "{}", ran.out);
                    assert!(!ran.err.contains(KEY), "{}", ran.err);
                }
            });
        }
    });
}

#[test]
fn what_is_said_of_a_failure_holds_no_text_of_the_document() {
    for api in ALL {
        // An API that repeats the prompt in its error.
        let echo = REPORT.chars().take(400).collect::<String>();
        let (_place, ran) =
            run(api, vec![(When::Always, Fault::Error(Problem::Broken))], &["--set", "stages.*.retries=0"]);
        assert!(!ran.err.contains(&echo[..80]), "{}", ran.err);
        assert_eq!(ran.code, Some(1));
    }
}

//! Answers that are of no use and were paid for all the same.

use super::api::Api;
use super::runs::{REPORT, loopctl, whole};
use super::server::{Fault, Script, Setup, Vendor, When};
use crate::workspace::{Ran, Workspace};
use serde_json::Value;

/// The usage of a run of README's report, which passes in the end.
fn usage(api: Api, provider: &str, faults: Vec<(When, Fault)>) -> Value {
    let calls = faults.len() + 1;
    let vendor = Vendor::start(Setup { api, key: None, script: Script::of([whole()]), faults });
    let place = Workspace::new();
    place.write("liver-resection.txt", REPORT);
    let arguments =
        ["run", "--profile", "clinical", "--provider", provider, "--format", "json", "liver-resection.txt"];
    let ran = Ran::of(&mut loopctl(&place, api, &vendor, None, &arguments));
    assert_eq!((ran.code, vendor.calls()), (Some(0), calls), "{}", ran.err);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    result["usage"].clone()
}

#[test]
fn empty_answers_are_counted_and_priced() {
    for (api, provider) in [
        (Api::OpenAi, "openai:gpt-5-mini"),
        (Api::Anthropic, "anthropic:claude-haiku-4-5"),
        (Api::Gemini, "gemini:gemini-2.5-flash"),
    ] {
        let once = usage(api, provider, vec![]);
        let twice = usage(api, provider, vec![(When::At(1), Fault::Nothing)]);
        for what in ["tokens", "cost_usd"] {
            let [once, twice] = [&once, &twice].map(|usage| usage[what].as_f64());
            assert!(
                twice.zip(once).is_some_and(|(twice, once)| twice > 1.1 * once),
                "{provider} {what}: {once:?}, {twice:?}"
            );
        }
    }
}

//! A provider that goes away in the middle of a batch: what is sent, what is kept, what is reported, and how the rest
//! is run.

use super::api::{Api, Problem};
use super::runs::{REPORT, loopctl, whole};
use super::server::{Fault, Script, Setup, Vendor, When};
use crate::workspace::{Ran, Workspace};
use serde_json::Value;

const KEY: &str = "a-key-that-nobody-may-see";

fn vendor(api: Api, faults: Vec<(When, Fault)>) -> Vendor {
    Vendor::start(Setup { api, key: Some(KEY.to_owned()), script: Script::of([whole()]), faults })
}

/// A folder of so many reports, `r01` and on.
fn reports(count: usize) -> Workspace {
    let place = Workspace::new();
    for number in 1..=count {
        place.write(&format!("reports/r{number:02}.txt"), REPORT);
    }
    place
}

fn run(place: &Workspace, api: Api, vendor: &Vendor, more: &[&str]) -> Ran {
    let provider = format!("{}:any", api.name());
    let mut arguments =
        vec!["run", "--profile", "clinical", "--provider", &provider, "--out", "out", "--jobs", "1"];
    arguments.extend(more);
    arguments.push("reports");
    Ran::of(loopctl(place, api, vendor, Some(KEY), &arguments).env("LOOPCTL_FORMAT", "text"))
}

/// The stop reasons of the documents of `out`, by name.
fn ended(place: &Workspace) -> Vec<(String, String)> {
    let names = place.names("out").into_iter().filter(|name| name.ends_with("-result.json"));
    let status = |name: &String| {
        let result: Value = place.json(&format!("out/{name}"));
        result["stop_reason"].as_str().unwrap().to_owned()
    };
    names.map(|name| (name.replace("-result.json", ""), status(&name))).collect()
}

#[test]
#[ignore = "long"]
fn a_key_that_is_revoked_and_an_account_without_credit_end_the_batch_at_once() {
    let revoked = || Problem::BadKey("x".to_owned());
    let spent = || Problem::TooMany { quota: true };
    for (api, problem, said) in [
        (Api::OpenAi, revoked(), "check the key in the environment variable `OPENAI_API_KEY`"),
        (Api::Anthropic, revoked(), "check the key in the environment variable `ANTHROPIC_API_KEY`"),
        (Api::Gemini, revoked(), "check the key in the environment variable `GEMINI_API_KEY`"),
        (Api::OpenAi, spent(), "the account needs credit"),
        (Api::Anthropic, spent(), "the account needs credit"),
        (Api::Gemini, spent(), "the quota of a day"),
    ] {
        let place = reports(5);
        let vendor = vendor(api, vec![(When::At(3), Fault::Error(problem))]);
        let ran = run(&place, api, &vendor, &[]).exits(1).says(&[
            "error: 2 documents were not tried (`r04`, `r05`): provider `",
            said,
            "say `--resume` to run the rest",
            "`--keep-going`",
        ]);
        assert_eq!(vendor.calls(), 3, "{api:?}");
        assert!(
            ran.out.ends_with("2 of 3 documents passed, 1 with provider errors, 2 not tried\n"),
            "{}",
            ran.out
        );
        assert_eq!(ended(&place).last().unwrap(), &("r03".to_owned(), "provider_error".to_owned()));

        // Nothing that is finished is paid for again.
        let ran = run(&place, api, &vendor, &["--resume"])
            .exits(0)
            .says(&["2 documents skipped: they are already finished in `out`"]);
        assert_eq!(vendor.calls(), 6, "{api:?}");
        assert!(ran.out.ends_with("5 of 5 documents passed\n"), "{}", ran.out);
        assert!(ended(&place).iter().all(|(_, reason)| reason == "accepted"));
        let ran = run(&place, api, &vendor, &["--resume"]).exits(0);
        assert_eq!((vendor.calls(), ran.out.as_str()), (6, "5 of 5 documents passed\n"));
    }
}

#[test]
fn ten_documents_in_a_row_whose_provider_failed_end_the_batch() {
    // What one text may be refused for ends no batch by itself.
    let place = reports(14);
    let faults = vec![
        (When::At(1), Fault::Error(Problem::Forbidden)),
        (When::At(2), Fault::Refuses),
        (When::At(4), Fault::Error(Problem::Forbidden)),
    ];
    let vendor_1 = vendor(Api::OpenAi, faults);
    let ran = run(&place, Api::OpenAi, &vendor_1, &["--quiet"]).exits(1);
    assert!(ran.out.ends_with("11 of 14 documents passed, 3 with provider errors\n"), "{}", ran.out);

    let gone = vec![(When::Until(1), Fault::Refuses), (When::Always, Fault::Error(Problem::Forbidden))];
    let gone = vendor(Api::OpenAi, gone);
    let arguments = ["--quiet", "--format", "jsonl"];
    let ran = run(&place, Api::OpenAi, &gone, &arguments).exits(1).says(&[
        "error: 4 documents were not tried after 10 in a row whose provider failed (`r11`, `r12`, `r13`, `r14`): provider",
        "the API answers 403",
    ]);
    assert_eq!((gone.calls(), ran.out.lines().count()), (10, 10));

    let ran = run(&place, Api::OpenAi, &gone, &["--quiet", "--keep-going"]).exits(1);
    assert_eq!(gone.calls(), 24);
    assert!(ran.out.ends_with("0 of 14 documents passed, 14 with provider errors\n"), "{}", ran.out);
    assert!(!ran.err.contains("not tried"), "{}", ran.err);
}

#[test]
#[ignore = "long"]
fn a_server_that_is_down_is_given_time_before_the_next_document() {
    let place = reports(2);
    let vendor = vendor(Api::OpenAi, vec![(When::Until(3), Fault::Error(Problem::Broken))]);
    let ran = run(&place, Api::OpenAi, &vendor, &[])
        .exits(1)
        .says(&["the provider failed: the next document is tried in 1.0 s"]);
    assert!(ran.out.ends_with("1 of 2 documents passed, 1 with provider errors\n"), "{}", ran.out);
    // A wait that the document has no time for is waited for before the next.
    let vendor = self::vendor(Api::OpenAi, vec![(When::At(1), Fault::RetryAfter(6))]);
    let ran = run(&place, Api::OpenAi, &vendor, &["--config", "stop.timeout=5s"])
        .exits(1)
        .says(&["the provider failed: the next document is tried in 6.0 s"]);
    assert_eq!(vendor.calls(), 2);
    assert!(ran.out.ends_with("1 of 2 documents passed, 1 with provider errors\n"), "{}", ran.out);
    // One text that is refused says nothing about the next.
    let refused = vec![(When::At(1), Fault::Refuses)];
    let vendor = self::vendor(Api::OpenAi, refused);
    let ran = run(&place, Api::OpenAi, &vendor, &[]).exits(1);
    assert!(!ran.err.contains("the next document is tried in"), "{}", ran.err);
}

#[test]
fn where_another_provider_stands_in_the_batch_goes_on() {
    let place = reports(3);
    let revoked = vec![(When::Always, Fault::Error(Problem::BadKey("x".to_owned())))];
    let (first, second) = (vendor(Api::OpenAi, revoked), vendor(Api::OpenAi, Vec::new()));
    let stage = format!(
        "extends: clinical
stages:
  - id: extract
    provider: ['openai:any', {{ name: 'vllm:any', config: {{ base_url: '{}' }} }}]
    prompt: extract.md
    output: schemas/{{{{ document_type }}}}.schema.json
",
        second.url()
    );
    place.write("profiles/two.yaml", stage);
    let arguments = ["run", "--profile", "two", "--out", "out", "reports"];
    let mut command = loopctl(&place, Api::OpenAi, &first, Some(KEY), &arguments);
    Ran::of(command.env("VLLM_API_KEY", KEY)).exits(0);
    assert_eq!((first.calls(), second.calls()), (3, 3));
}

#[test]
fn what_is_finished_is_known_by_its_place_and_text_and_stays_when_the_profile_changes() {
    let place = reports(3);
    let vendor = vendor(Api::OpenAi, Vec::new());
    run(&place, Api::OpenAi, &vendor, &["--quiet"]).exits(0);
    assert_eq!(vendor.calls(), 3);
    // Regardless of a result file, the journal says what is finished.
    let cancelled = place.read("out/r02-result.json").replace(r#""passed""#, r#""cancelled""#);
    place.write("out/r02-result.json", cancelled);
    run(&place, Api::OpenAi, &vendor, &["--resume"])
        .exits(0)
        .says(&["3 documents skipped: they are already finished in `out`"]);
    assert_eq!(vendor.calls(), 3);
    // Another text at the same path is another document.
    let text = place.read("reports/r02.txt");
    place.write("reports/r02.txt", format!("{text}\nAddendum: none.\n"));
    run(&place, Api::OpenAi, &vendor, &["--resume"])
        .exits(0)
        .says(&["2 documents skipped: they are already finished in `out`"]);
    assert_eq!(vendor.calls(), 4);
    assert_eq!(place.json("out/r02-result.json")["final_status"], "passed");
    // Under another policy, what is finished is kept and said to be of the one before.
    let changed = ["--resume", "--config", "accept.overall=0.97"];
    run(&place, Api::OpenAi, &vendor, &changed).exits(0).says(&[
        "the profile `clinical` has changed since run",
        "the results of the 3 documents that it finished are kept",
    ]);
    assert_eq!(vendor.calls(), 4);
}

#[test]
fn a_rerun_that_fails_leaves_the_results_that_there_were() {
    let place = reports(2);
    let good = vendor(Api::OpenAi, Vec::new());
    run(&place, Api::OpenAi, &good, &["--quiet"]).exits(0);
    let broken = vendor(Api::OpenAi, vec![(When::Always, Fault::Error(Problem::Forbidden))]);
    run(&place, Api::OpenAi, &broken, &["--quiet", "--keep-going"]).exits(1);
    assert!(ended(&place).iter().all(|(_, reason)| reason == "accepted"), "{:?}", ended(&place));
}

//! `loopctl plugin check`: what is shipped keeps the contract, and the report on each bad neighbour names what it
//! breaks.

use crate::neighbour::compile;
use crate::workspace::{Ran, Workspace};
use serde_json::Value;
use std::path::Path;

/// Every plugin of `tests/plugins`, and the checks that it fails.
const NEIGHBOURS: &[(&str, &[&str])] = &[
    ("well_behaved", &[]),
    ("codec", &[]),
    ("answers_refused", &["direct.once"]),
    ("any_host", &["load.other_major"]),
    (
        "bad_manifest",
        &[
            "manifest.name",
            "manifest.secrets",
            "manifest.config_schema",
            "manifest.hosts",
            "load.abi",
            "load.larger_host",
            "load.repeated",
        ],
    ),
    (
        "blind",
        &[
            "decode.success",
            "decode.unauthorized",
            "decode.rate_limited",
            "decode.server_error",
            "decode.client_error",
            "decode.huge",
            "decode.future",
        ],
    ),
    ("claims_batch", &["batch.line", "batch.steps", "batch.nonsense"]),
    ("crash_on_huge", &["direct.huge"]),
    ("empty_batch", &["batch.limits"]),
    ("empty_table", &["load.abi"]),
    ("exits", &["open.bad_json", "open.wrong_types", "open.empty"]),
    ("fickle", &["encode.repeatable"]),
    ("forged", &["direct.once"]),
    ("garbage", &["direct.answers", "direct.cancel"]),
    ("hollow", &["direct.answers", "direct.cancel"]),
    ("leaks", &["direct.memory"]),
    ("literal_key", &["encode.minimal"]),
    ("long_table", &["load.abi"]),
    ("mismatch", &["load.manifest"]),
    ("no_symbol", &["load.symbol"]),
    ("not_a_plugin", &["manifest.readable"]),
    ("null_table", &["load.table"]),
    ("other_host", &["encode.minimal"]),
    ("refuses", &["direct.once", "direct.bad_json"]),
    ("short_table", &["load.functions"]),
    (
        "silent",
        &[
            "encode.bad_json",
            "encode.unknown_op",
            "decode.success",
            "decode.unauthorized",
            "decode.rate_limited",
            "decode.server_error",
            "decode.client_error",
            "decode.huge",
            "decode.bad_json",
            "decode.future",
        ],
    ),
    ("twice", &["direct.once"]),
    ("undeclared_secret", &["encode.minimal"]),
    ("wrong_major", &["load.abi"]),
];

/// Those that hang, each with the checks that a short limit ends.
const HANGING: &[(&str, &[&str])] = &[
    ("forgets_cancelled", &["direct.cancel"]),
    ("hangs_in_release", &["direct.answers", "direct.cancel"]),
    ("hangs_in_start", &["direct.minimal"]),
    ("hangs_on_load", &["load.symbol"]),
    ("never", &["direct.answers", "direct.cancel"]),
];

/// Faults that `faulty` and `faulty_codec` have when their configuration says so.
const FAULTS: &[(&str, &str, &[&str])] = &[
    ("faulty", "none", &[]),
    ("faulty", "crowds", &["direct.concurrent"]),
    ("faulty", "exits_in_close", &["open.opens"]),
    ("faulty", "gives_no_call", &["direct.answers", "direct.cancel"]),
    ("faulty", "is_strict", &["direct.future"]),
    ("faulty", "is_wordy", &["direct.discreet"]),
    ("faulty", "opens_few", &["open.repeated"]),
    ("faulty", "opens_one", &["open.several", "direct.instances"]),
    ("faulty", "recurses", &["direct.nested"]),
    ("faulty", "scribbles", &["direct.borrowed"]),
    ("faulty", "uses_closed", &["direct.released_early"]),
    ("faulty_codec", "none", &[]),
    ("faulty_codec", "any_operation", &["encode.unknown_op"]),
    ("faulty_codec", "bad_header", &["encode.minimal"]),
    ("faulty_codec", "half_json", &["encode.minimal"]),
    ("faulty_codec", "is_strict", &["encode.future"]),
    ("faulty_codec", "is_wordy", &["encode.discreet"]),
    ("faulty_codec", "key_in_query", &["encode.minimal"]),
    ("faulty_codec", "needs_messages", &["encode.nothing"]),
    ("faulty_codec", "no_path", &["encode.minimal"]),
    ("faulty_codec", "own_status", &["decode.unauthorized"]),
    ("faulty_codec", "panics", &["encode.attachment"]),
    (
        "faulty_codec",
        "points_nowhere",
        &["encode.full", "encode.future", "encode.nested", "encode.repeatable"],
    ),
    ("faulty_codec", "retries_all", &["decode.client_error"]),
    ("faulty_codec", "scribbles_decoding", &["decode.borrowed"]),
    ("faulty_codec", "scribbles_encoding", &["encode.borrowed"]),
    ("faulty_codec", "secret_in_body", &["encode.minimal"]),
    ("faulty_codec", "sends_all", &["encode.huge"]),
];

/// Keeps each promise that can be checked without a clock, and takes its time over it.
const SLOW: &str = "slow_start";

fn check(place: &Workspace, name: &str, more: &[&str]) -> Ran {
    let path = compile(name, &place.path("elsewhere"));
    let path = path.to_str().unwrap();
    // What is no plugin can't be trusted, and is reported as none.
    place.run(&["plugin", "trust", path]);
    let mut arguments = vec!["plugin", "check", path];
    arguments.extend(more);
    place.run(&arguments)
}

fn failed(report: &Value) -> Vec<&str> {
    let checks = report["checks"].as_array().unwrap();
    checks
        .iter()
        .filter(|check| check["outcome"] == "failed")
        .map(|check| check["id"].as_str().unwrap())
        .collect()
}

fn found<'a>(report: &'a Value, id: &str) -> &'a str {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == id).unwrap()["found"].as_str().unwrap()
}

/// Fails when a neighbour doesn't break just the promises that are listed for it.
#[track_caller]
fn assert_breaks(neighbours: &[(&str, &[&str])], more: &[&str]) {
    let one = |(name, expected): &(&str, &[&str])| -> Option<String> {
        let place = Workspace::new();
        let mut arguments = vec!["--format", "json"];
        arguments.extend(more);
        let ran = check(&place, name, &arguments).exits(i32::from(!expected.is_empty()));
        let report = ran.json();
        assert_eq!(report["conforms"], expected.is_empty(), "{name}");
        for check in report["checks"].as_array().unwrap() {
            assert!(!check["found"].as_str().unwrap().is_empty(), "{name}: {check}");
            assert_eq!(check["help"].is_string(), check["outcome"] == "failed", "{name}: {check}");
        }
        (failed(&report) != *expected).then(|| format!("{name}: {:?}\n{}", failed(&report), ran.out))
    };
    let wrong = in_four_threads(neighbours, one);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The messages about all items, from four threads; mostly they wait for one another's processes.
fn in_four_threads<T: Sync>(all: &[T], one: impl Fn(&T) -> Option<String> + Copy + Send) -> Vec<String> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = all
            .chunks(all.len().div_ceil(4))
            .map(|some| scope.spawn(move || some.iter().filter_map(one).collect::<Vec<_>>()))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

#[test]
#[ignore = "long"]
fn what_is_shipped_keeps_the_contract() {
    let place = Workspace::new();
    let listed = place.run_json(&["plugin", "list", "--format", "json"]);
    let mut checked = 0;
    for plugin in listed.as_array().unwrap() {
        let name = plugin["name"].as_str().unwrap_or_default();
        // What must be configured has an example in its manifest.
        let arguments = ["plugin", "check", name];
        let ran = place.run(&arguments).exits(0);
        assert!(ran.out.contains(" 0 failed, 0 skipped\n"), "{}", ran.out);
        assert_eq!(ran.err, "");
        checked += 1;
    }
    assert!(checked >= 8, "{listed}");
}

#[test]
fn each_neighbour_is_told_which_promises_it_breaks() {
    assert_breaks(NEIGHBOURS, &[]);
}

#[test]
#[ignore = "long"]
fn what_hangs_is_ended_and_the_other_checks_still_run() {
    assert_breaks(HANGING, &["--limit", "8"]);
}

#[test]
#[ignore = "long"]
fn each_fault_breaks_the_promise_that_it_is_about() {
    let one = |(name, fault, expected): &(&str, &str, &[&str])| -> Option<String> {
        let place = Workspace::new();
        let ran = check(&place, name, &["--format", "json", "--config", &format!("fault={fault}")]);
        let report = ran.exits(i32::from(!expected.is_empty())).json();
        (failed(&report) != *expected).then(|| format!("{name} {fault}: {report:#}"))
    };
    let wrong = in_four_threads(FAULTS, one);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_neighbour_is_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins");
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".c") else { continue };
        let listed = NEIGHBOURS.iter().chain(HANGING).any(|(known, _)| *known == name)
            || FAULTS.iter().any(|(known, ..)| *known == name);
        assert!(listed || name == SLOW, "{name}");
    }
}

#[test]
fn a_crash_is_named_with_the_check_in_which_it_happened() {
    let place = Workspace::new();
    let report = check(&place, "crash_on_huge", &["--format", "json"]).exits(1).json();
    let found_in = found(&report, "direct.huge");
    assert!(found_in.contains("crashed (signal 11, segmentation fault) during `direct.huge`"), "{found_in}");
    let ended = check(&place, "exits", &["--format", "json"]).exits(1).json();
    let found_in = found(&ended, "open.bad_json");
    assert!(found_in.contains("ended the process (exit status: 3) during `open.bad_json`"), "{found_in}");
    assert!(found_in.contains("the last it said: exits: bad configuration"), "{found_in}");
}

#[test]
fn a_panic_is_named_with_what_was_being_done() {
    let place = Workspace::new();
    let checked = |misbehave: &str| {
        let setting = format!("misbehave={misbehave}");
        place.run(&["plugin", "check", "contrary", "--config", &setting, "--format", "json"]).exits(1).json()
    };
    let encode = checked("panic_encode");
    let said = found(&encode, "encode.minimal");
    assert!(said.starts_with("it panicked while encoding one message: the plugin panicked at "), "{said}");
    let open = checked("panic_open");
    let said = found(&open, "open.opens");
    assert!(said.starts_with("it panicked while opening with the given configuration"), "{said}");
    assert_eq!(failed(&open), ["open.opens"]);
}

#[test]
fn a_codec_that_misbehaves_is_told_how() {
    let place = Workspace::new();
    for (misbehave, id, part) in [
        ("answer_nothing", "decode.success", "has neither `value` nor `text`"),
        ("other_host", "encode.minimal", "wants to reach `evil.example.net`"),
        ("other_path", "encode.minimal", "the path doesn't begin with `/`"),
        ("other_secret", "encode.minimal", "the secret `PATH`, which its manifest doesn't declare"),
        ("refuse_config", "open.opens", "refused with INVALID_CONFIG"),
    ] {
        let setting = format!("misbehave='{misbehave}'");
        let ran = place.run(&["plugin", "check", "contrary", "--config", &setting, "--format", "json"]);
        let report = ran.exits(1).json();
        assert!(failed(&report).contains(&id), "{misbehave}: {:?}", failed(&report));
        assert!(found(&report, id).contains(part), "{misbehave}: {}", found(&report, id));
    }
}

#[test]
fn a_plugin_that_is_not_trusted_is_not_run() {
    let place = Workspace::new();
    let path = compile("well_behaved", &place.path("elsewhere"));
    let ran = place.run(&["plugin", "check", path.to_str().unwrap()]).exits(1);
    assert_eq!(ran.out, "");
    ran.says(&["not trusted", "help:", "loopctl plugin trust"]);
    let help = place.run(&["plugin", "check", "--help"]).exits(0);
    assert!(help.out.contains("loopctl plugin trust"), "{}", help.out);
    // The flags that one process passes to another are not in the help.
    assert!(!help.out.contains("--part") && !help.out.contains("--notes"), "{}", help.out);
}

#[test]
fn wrong_usage_is_told_apart_from_a_plugin_that_fails() {
    let place = Workspace::new();
    for arguments in [
        &["plugin", "check"][..],
        &["plugin", "check", "pattern", "--config", "file"],
        &["plugin", "check", "pattern", "--limit", "0"],
        &["plugin", "check", "pattern", "--format", "xml"],
        &["plugin", "check", "pattern", "--part", "load.symbol"],
    ] {
        let ran = place.run(arguments).exits(2);
        assert_eq!(ran.out, "");
    }
    place.run(&["plugin", "check", "patern"]).exits(2).says(&["did you mean `pattern`?"]);
    place.run(&["plugin", "check", "./none.so"]).exits(1).says(&["none.so"]);
}

#[test]
fn a_configuration_that_the_schema_refuses_leaves_the_rest_unchecked() {
    let place = Workspace::new();
    let ran = place
        .run(&["plugin", "check", "scripted", "--config", "fil=answers.yaml", "--format", "json"])
        .exits(1);
    let report = ran.json();
    assert_eq!(failed(&report), ["manifest.config"]);
    assert!(found(&report, "manifest.config").contains("`file` or `answers` is missing"));
    assert_eq!(found(&report, "open.opens"), "`manifest.config` failed");
    assert_eq!(found(&report, "direct.answers"), "`open.opens` was not run");
}

#[test]
fn the_report_reads_well() {
    let place = Workspace::new();
    let ran = check(&place, "blind", &[]).exits(1);
    assert_eq!(ran.err, "");
    insta::assert_snapshot!(shown(&place, &ran.out));
}

#[test]
fn what_is_no_plugin_is_said_to_be_none() {
    let place = Workspace::new();
    let ran = check(&place, "not_a_plugin", &[]).exits(1);
    assert_eq!(ran.err, "");
    insta::assert_snapshot!(shown(&place, &ran.out));
}

/// Without the folder that is another each time.
fn shown(place: &Workspace, out: &str) -> String {
    let folder = place.path("").canonicalize().unwrap();
    out.replace(folder.to_str().unwrap().trim_end_matches('/'), "DIR")
}

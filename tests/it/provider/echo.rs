//! The plugin in C, `plugins/echo-c`, and the scanner of JSON that it shares with the plugins that `plugin new` begins.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use loopctl::provider::protocol::CompletionRequest;
use loopctl::provider::{FailureKind, ProviderError};
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::bed::{Bed, PLENTY, request};
use crate::neighbour::{library_name, one_stage};
use crate::workspace::Workspace;

/// Builds it into `folder`, with every warning an error.
fn build(folder: &Path) -> PathBuf {
    let out = Command::new("make")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/echo-c"))
        .arg(format!("BUILD={}", folder.display()))
        .arg("CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror")
        .output()
        .expect("the tests of C plugins need `make`");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    folder.join(library_name("echo"))
}

fn place() -> Workspace {
    let policy = "accept: { overall: 0.9 }\nstop: { max_iterations: 3, unchanged: true }\n";
    let place = one_stage("echo", "grade, size", policy);
    build(&place.home().join("plugins"));
    place.run(&["plugin", "trust", "echo"]).exits(0);
    place
}

#[test]
fn a_plugin_in_c_answers_a_whole_run() {
    let place = place();
    place.write("doc.txt", "{\"grade\": \"2\", \"size\": [1, {\"é\\\"\": null}]}");
    let run = |more: &[&str]| {
        let mut arguments = vec!["run", "--profile", "parts", "--format", "json", "doc.txt"];
        arguments.extend(more.iter().flat_map(|setting| ["--provider-config", setting]));
        place.run(&arguments)
    };
    // The document is an extraction already, and its text what a model would write.
    let found = run(&["pointer=/source"]).exits(0).json();
    assert_eq!(found["best_extraction"], json!({"grade": "2", "size": [1, {"é\"": null}]}));
    // An answer that no correction changes.
    let same = run(&["otherwise={grade: '1'}"]).exits(3).json();
    assert_eq!((&same["best_extraction"], &same["iteration_count"]), (&json!({"grade": "1"}), &json!(2)));
    // There is no candidate at first.
    let failed = run(&[]).exits(1);
    let told = format!("{}{}", failed.out, failed.err);
    assert!(told.contains("the request has nothing at `/base`; say with `otherwise`"), "{told}");
    run(&["pointer=base"]).exits(2).says(&["configuration of provider `echo` is not valid"]);
    let checked = place.run(&["plugin", "check", "echo"]).exits(0);
    assert!(checked.out.contains(" 0 failed, 0 skipped\n"), "{}", checked.out);
    let listed = place.run(&["plugin", "list"]).exits(0);
    assert!(listed.out.contains("Written in C"), "{}", listed.out);
}

/// Any JSON of moderate size, with keys and texts that need care.
fn values() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-z/~0-9]{0,3}", any::<String>(), Just("\u{1f600}\u{0}\"\\/\n".to_owned()),];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Pointers to everything in `value`.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    let mut into = |name: &str, inner: &Value| {
        let name = name.replace('~', "~0").replace('/', "~1");
        places(inner, &format!("{at}/{name}"), found);
    };
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| into(&i.to_string(), item)),
        Value::Object(members) => members.iter().for_each(|(name, member)| into(name, member)),
        _ => {}
    }
}

/// A pointer finds what `serde_json` finds there. (It takes a `~` that escapes nothing literally, which RFC 6901 does
/// not know.)
#[test]
fn values_are_found_as_a_library_finds_them() {
    let bed = Bed::new();
    let library = build(&bed.path("built"));
    let providers = bed.providers();
    providers.trust(&library).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(value in values(), pick in any::<prop::sample::Index>(), miss in "(/([a-z0-9]|~[01]){0,3}){1,2}")| {
        let mut pointers = Vec::new();
        places(&value, "", &mut pointers);
        for pointer in [pick.get(&pointers), &miss] {
            let asked = format!("/base{pointer}");
            let provider = providers
                .open(library.to_str().unwrap(), &json!({"pointer": asked, "otherwise": "nothing there"}))
                .unwrap();
            let request = CompletionRequest { base: Some(value.clone()), ..request("a") };
            let completion = runtime.block_on(provider.complete(&request, PLENTY)).unwrap();
            let answer = completion.value.or(completion.text.map(Value::from)).unwrap();
            let expected = value.pointer(pointer).cloned();
            prop_assert_eq!(answer, expected.unwrap_or_else(|| json!("nothing there")), "{}", asked);
        }
    });
}

#[tokio::test]
async fn its_failures_are_typed() {
    let bed = Bed::new();
    let library = build(&bed.path("built"));
    let path = library.to_str().unwrap();
    bed.providers().trust(&library).unwrap();
    let refused = bed.providers().open(path, &json!({"pointer": "base"})).unwrap_err();
    assert!(matches!(refused, ProviderError::Config { .. }), "{refused}");
    let provider = bed.providers().open(path, &Value::Null).unwrap();
    let failure = provider.complete(&request("a"), PLENTY).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Permanent, "{failure}");
    let later = CompletionRequest { version: 2, ..request("a") };
    let failure = provider.complete(&later, PLENTY).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::InvalidRequest, "{failure}");
    assert_eq!(provider.dropped_answers(), 0);
}

/// Returns for each of `texts` whether the scanner takes it for JSON.
fn scanned(program: &Path, texts: &[Vec<u8>]) -> Vec<bool> {
    let mut input = Vec::new();
    for text in texts {
        writeln!(input, "{}", text.len()).unwrap();
        input.extend(text);
    }
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writing = std::thread::spawn(move || stdin.write_all(&input));
    let out = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert!(out.status.success(), "{}", out.status);
    String::from_utf8(out.stdout).unwrap().lines().map(|line| line == "1").collect()
}

fn is_json(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok() && serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Texts that are nearly JSON: tokens in any order, and JSON with one position changed.
fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let tokens: Vec<&[u8]> = vec![
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\\",
        b"\\u",
        b"00e9",
        b"d83d",
        b"a",
        b"0",
        b"1",
        b"-",
        b".",
        b"e",
        b"E",
        b"+",
        b"true",
        b"false",
        b"null",
        b" ",
        b"\n",
        b"\0",
        b"\x01",
        b"\x7f",
        "é".as_bytes(),
        "\u{1f600}".as_bytes(),
        b"\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\"a\"",
        b"\"a\":",
    ];
    let soup =
        prop::collection::vec(prop::sample::select(tokens.clone()), 0..9).prop_map(|soup| soup.concat());
    let changed = (values(), any::<prop::sample::Index>(), 0..3_usize, prop::sample::select(tokens))
        .prop_map(|(value, place, remove, token)| {
            let mut text = value.to_string().into_bytes();
            let at = place.index(text.len());
            let end = (at + remove).min(text.len());
            text.splice(at..end, token.iter().copied());
            text
        });
    prop_oneof![soup, changed]
}

#[test]
fn the_scanner_takes_what_a_library_takes() {
    let bed = Bed::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = bed.path("scan");
    let out = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()))
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"])
        .arg(&program)
        .arg("-I")
        .arg(root.join("plugins/scaffold/c"))
        .arg(root.join("tests/c/scan.c"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let deep = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat().into_bytes();
    assert_eq!(scanned(&program, &[deep(200), deep(202), b"[".repeat(1 << 20)]), [true, false, false]);
    let config = ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(texts in prop::collection::vec(nearly_json(), 200))| {
        for (text, taken) in texts.iter().zip(scanned(&program, &texts)) {
            prop_assert_eq!(taken, is_json(text), "{:?}", String::from_utf8_lossy(text));
        }
    });
}

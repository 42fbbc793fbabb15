//! The traces of recorded runs: whom their files are open to, what is reported about calls, and that no spelling of a
//! key is kept.

use crate::cassettes::{answer, http_place, http_run, serve};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// All of the rubric's fields.
const WHOLE: &str = r#"{"tags": 1, "class": 1, "advice": 1}"#;

fn recorded_at_once() -> Workspace {
    let (server, _asked) = serve(|_| answer("200 OK", WHOLE));
    let place = http_place();
    http_run(&place, server, "first", &["--record", "mine/tape"]).exits(0);
    place
}

#[cfg(unix)]
#[test]
fn a_recording_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = recorded_at_once();
    let mode = |path: &str| std::fs::metadata(place.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("mine/tape"), 0o700);
    for name in place.names("mine/tape") {
        assert_eq!(mode(&format!("mine/tape/{name}")), 0o600);
    }
}

/// `--cache DIR` (for `--cache-dir DIR`) would make documents of what is in the folder, and pay for each.
#[test]
fn recorded_answers_are_not_taken_for_documents() {
    let (server, asked) = serve(|_| answer("200 OK", WHOLE));
    let place = recorded_at_once();
    let ran = http_run(&place, server, "second", &["--cache", "mine/tape"]).exits(2);
    ran.says(&["`mine/tape` holds recorded answers, not documents", "write `--cache-dir mine/tape`"]);
    assert!(asked.lock().unwrap().is_empty());
    // Other files may be called like that.
    let digest = "5d0f".repeat(16);
    place.write(&format!("digests/{digest}.json"), r#"{"n": 1}"#);
    http_run(&place, server, "third", &["digests"]).exits(0);
}

/// The server asks for much longer than a slow machine needs to correct.
#[test]
fn a_wait_for_a_turn_is_said_again_by_the_replay() {
    let (server, _asked) = serve(|count| {
        let spent =
            "x-request-id: r-1\r\nx-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 2s";
        match count {
            1 => answer("200 OK", r#"{"tags": 1}"#).replace("x-request-id: r-1", spent),
            _ => answer("200 OK", WHOLE),
        }
    });
    let place = http_place();
    let twice = ["--config", "stop.max_iterations=2"];
    let recorded = http_run(&place, server, "first", &[&twice[..], &["--record", "tape"]].concat()).exits(0);
    let warnings = recorded.json()["warnings"].clone();
    assert!(warnings.to_string().contains("for its turn (rate limits)"), "{warnings}");
    let replayed = http_run(&place, server, "second", &[&twice[..], &["--replay", "tape"]].concat());
    assert_eq!((replayed.code, &replayed.out), (recorded.code, &recorded.out));
    assert_eq!(place.read("second/doc-result.json"), place.read("first/doc-result.json"));
}

/// A key as servers may repeat it: in an error and in an answer, each with its own way of writing JSON.
#[test]
fn no_spelling_of_a_key_is_kept() {
    const ODD: &str = r#"k3y-wi/th+odd"ch\ars&<=>"#;
    let json = |text: &str| json!(text).to_string().trim_matches('"').to_owned();
    let spelled: [fn(&str) -> String; 4] = [
        |key| json!(key).to_string().trim_matches('"').to_owned(),
        |key| json!(key).to_string().trim_matches('"').replace('/', r"\/").replace('+', r"\u002b"),
        |key| key.bytes().map(|byte| format!(r"\u{byte:04X}")).collect(),
        |key| key.bytes().map(|byte| format!("%{byte:02X}")).collect(),
    ];
    for spell in spelled {
        let (server, _asked) = serve(move |count| {
            let key = spell(ODD);
            let body = match count {
                1 => format!(r#"{{"error": {{"message": "the key {key} is not valid"}}}}"#),
                // In a text that is JSON within JSON.
                _ => format!(
                    r#"{{"answer": {}}}"#,
                    json!(format!(r#"{{"tags": "{key}", "class": 1, "advice": 1}}"#))
                ),
            };
            let status = if count == 1 { "500 Internal Server Error" } else { "200 OK" };
            format!(
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\nx-request-id: {key}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            )
        });
        let place = http_place();
        let url = format!("base_url=http://{server}/v1");
        let arguments =
            ["run", "--profile", "parts", "--provider-config", &url, "--format", "json", "--out", "out"];
        let more = ["--record", "tape", "--log", "json", "--log-file", "out/log", "doc.txt"];
        let ran = Ran::of(place.loopctl(&arguments).args(more).env("CONTRARY_KEY", ODD)).exits(0);
        assert!(ran.json()["best_extraction"]["tags"] == "[secret]", "{}", ran.out);
        let mut left = vec![ran.out.clone(), ran.err.clone()];
        for folder in ["out", "tape"] {
            for name in place.names(folder) {
                let bytes = std::fs::read(place.path(format!("{folder}/{name}"))).unwrap();
                left.push(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        for text in left {
            for key in [ODD.to_owned(), json(ODD), spell(ODD), json(&spell(ODD))] {
                assert!(!text.contains(&key), "{key} is in {text}");
            }
        }
    }
}

#[test]
fn what_several_calls_have_to_say_is_said_once() {
    let (server, _asked) = serve(|_| answer("200 OK", r#"{"tags": 1, "class": 1, "advice": 1, "tone": 1}"#));
    let place = http_place();
    let profile = place.read("profiles/parts.yaml");
    let judges = "judges:\n  tone: { provider: 'contrary:m1', prompt: judge.md, on_failure: { retry: 0, then: escalate } }\n";
    let profile = profile.replace(
        "assess: { parts: { rubric: parts } }",
        "assess: { parts: { rubric: parts }, tone: { judge: tone, score: /tone } }",
    );
    place.write("profiles/parts.yaml", format!("{judges}{profile}"));
    let there = ["--config", &format!("judges.tone.config.base_url=http://{server}/v1"), "--cache-dir=kept"];
    http_run(&place, server, "first", &there).exits(0);
    let again = http_run(&place, server, "second", &there).exits(0).json();
    let said: (&Value, &Value) = (&again["cached_calls"], &again["warnings"]);
    assert_eq!(said, (&json!(2), &json!(["answered from the cache"])));
}

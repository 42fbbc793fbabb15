//! `--record`, `--replay` and `--cache`: what is kept of calls, and what is made of it.

use crate::loopback;
use crate::pipeline::{JUDGED, place};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// Before the second attempt at a call that does not say when to come again.
const PAUSE: u64 = 250;
pub(crate) const KEY: &str = "sk-nobody-may-ever-see-this";
/// A script that answers none of the callers.
const USED_UP: &str = r#"{"stage": "nobody", "value": 1}"#;
/// Appears in the documents alone.
const SECRET_OF_THE_DOCUMENT: &str = "a nodule of the left lung";

/// The profile of one stage and a judge, which come again and in time.
fn judged(more: &str) -> String {
    JUDGED.replace("retries: 0", "retries: 3") + more
}

/// An answer of the stage, `tag` and all that the rubric wants.
fn whole(tag: u64) -> Value {
    json!({ "stage": "extract", "value": { "tags": tag, "class": 1, "advice": 1 }, "cost_usd": 0.01,
        "tokens": { "input": 10, "output": 1 }, "delay_ms": 7 })
}

fn tone(score: f64) -> Value {
    json!({ "stage": "tone", "value": { "tone": score }, "delay_ms": 5 })
}

fn run(place: &Workspace, out: &str, more: &[&str]) -> Ran {
    let mut arguments = vec!["run", "--profile", "parts", "--format", "json", "--out", out, "doc.txt"];
    arguments.extend(more);
    place.run(&arguments)
}

/// All that a run leaves in its folder but the journal, which holds the time of day.
fn artifacts(place: &Workspace, out: &str) -> Vec<(String, String)> {
    let names = place.names(out).into_iter().filter(|name| name != "journal.sqlite");
    names.map(|name| (name.clone(), place.read(&format!("{out}/{name}")))).collect()
}

/// The recorded files, each with its name.
fn cassettes(place: &Workspace, folder: &str) -> Vec<(String, Value)> {
    let names = place.names(folder).into_iter();
    names.map(|name| (name.clone(), place.json(&format!("{folder}/{name}")))).collect()
}

#[track_caller]
fn assert_same(place: &Workspace, recorded: &Ran, replayed: &Ran) {
    assert_eq!((replayed.code, &replayed.out), (recorded.code, &recorded.out), "{}", replayed.err);
    // The last line says where the result is.
    assert_eq!(replayed.err.replace("second/", "first/"), recorded.err);
    let first = artifacts(place, "first");
    assert!(first.len() > 2, "{first:?}");
    assert_eq!(artifacts(place, "second"), first);
}

#[test]
fn a_replay_is_the_recorded_run_byte_for_byte() {
    let answers = [
        json!({ "stage": "extract", "fault": "rate_limited", "retry_after_ms": 30, "message": "slowly" }),
        json!({ "stage": "extract", "fault": "hang" }),
        json!({ "stage": "extract", "fault": "garbage" }),
        whole(1),
        json!({ "stage": "tone", "text": "as a model, I can't" }),
        tone(0.5),
        whole(2),
        tone(0.9),
    ];
    // Time enough for every answer but the one that never comes.
    let place = place(&judged("").replace("retries: 3", "retries: 3, deadline: 3s"), &answers);
    let recorded = run(&place, "first", &["--record", "tape"]).exits(0);
    let result = recorded.json();
    assert_eq!((&result["usage"]["calls"], &result["stop_reason"]), (&json!(8), &json!("accepted")));
    // The pause, the deadline and the delays that were asked for are in it.
    assert!(result["elapsed_ms"].as_u64().unwrap() >= 30 + 3000 + 2 * 7 + 2 * 5, "{}", result["elapsed_ms"]);
    place.write("answers.jsonl", USED_UP);
    let replayed = run(&place, "second", &["--replay", "tape"]);
    assert_same(&place, &recorded, &replayed);

    // What is asked again is kept under the same key, failures included.
    let lists = cassettes(&place, "tape");
    let of = |stage: &str, iteration: u64| -> Vec<&Value> {
        let exchanges = lists.iter().flat_map(|(_, list)| list["exchanges"].as_array().unwrap());
        exchanges
            .filter(|exchange| exchange["stage"] == stage && exchange["iteration"] == iteration)
            .collect()
    };
    let kinds: Vec<&Value> = of("extract", 0).iter().map(|exchange| &exchange["failed"]["kind"]).collect();
    assert_eq!(kinds, [&json!("rate_limited"), &json!("deadline"), &json!("garbage"), &Value::Null]);
    assert_eq!(of("tone", 0).len(), 2);
    for (name, list) in &lists {
        let key = list["key"].as_str().unwrap();
        assert!(*name == format!("{key}.json") || name.starts_with(&format!("{key}_")), "{name}");
        assert_eq!(
            (&list["loopctl_cassette"], &list["request"]["provider"]),
            (&json!(1), &json!("scripted"))
        );
        assert!(list["request"].get("body").is_none(), "{list}");
    }
}

/// Judges are asked at once and answer in any order; their costs don't add up to the same sum in every order.
#[test]
fn judges_that_are_asked_at_once_answer_as_they_did() {
    let second = "  style: { provider: scripted, config: { file: answers.jsonl }, prompt: judge.md,
    on_failure: { retry: 2, then: escalate } }
assess:
  style: { judge: style, score: /style }
";
    let profile = judged("").replace("assess:\n", second).replace("tone: 0.5 }", "tone: 0.3, style: 0.2 }");
    let verdict = |name: &str, cost: f64, delay: u64| json!({ "stage": name, "value": { name: 1 }, "cost_usd": cost, "delay_ms": delay });
    let answers = [
        whole(1),
        verdict("tone", 0.07, 30),
        json!({ "stage": "style", "fault": "transient", "delay_ms": 10 }),
        verdict("style", 0.03, 5),
    ];
    let place = place(&profile, &answers);
    let recorded = run(&place, "first", &["--record", "tape"]).exits(0);
    let result = recorded.json();
    assert_eq!(result["usage"]["calls"], 4);
    let elapsed = result["elapsed_ms"].as_u64().unwrap();
    place.write("answers.jsonl", USED_UP);
    for _ in 0..3 {
        assert_same(&place, &recorded, &run(&place, "second", &["--replay", "tape"]));
    }
    let exchanges: Vec<Value> = cassettes(&place, "tape")
        .into_iter()
        .flat_map(|(_, list)| list["exchanges"].as_array().unwrap().clone())
        .collect();
    let took = |stage: &str, attempt: u64| {
        let found = exchanges.iter().find(|one| one["stage"] == stage && one["attempt"] == attempt);
        found.unwrap()["elapsed_ms"].as_u64().unwrap()
    };
    // Of a round the longer call, not their sum.
    let calls = took("extract", 1) + took("tone", 1).max(took("style", 1)) + took("style", 2);
    // The default pause before a second attempt.
    assert_eq!(elapsed, calls + PAUSE);
}

#[test]
fn the_table_is_the_same_too() {
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    let table = |out: &str, more: &[&str]| {
        let mut arguments = vec!["run", "--profile", "parts", "--out", out, "doc.txt"];
        arguments.extend(more);
        place.run(&arguments)
    };
    let recorded = table("first", &["--record", "tape"]).exits(0);
    assert_same(&place, &recorded, &table("second", &["--replay", "tape"]));
}

#[test]
fn a_timeout_falls_where_it_fell() {
    let answers = [whole(1), tone(0.5), whole(2), tone(0.9)];
    let place = place(&judged("").replace("max_iterations: 2", "max_iterations: 2, timeout: 11ms"), &answers);
    let recorded = run(&place, "first", &["--record", "tape"]).exits(3);
    assert_eq!(recorded.json()["stop_reason"], "timeout");
    assert_same(&place, &recorded, &run(&place, "second", &["--replay", "tape"]));
}

#[test]
fn several_documents_of_one_text_get_their_own_answers() {
    let (server, asked) =
        serve(|count| answer("200 OK", &format!(r#"{{"tags": {count}, "class": 1, "advice": 1}}"#)));
    let place = http_place();
    place.write("twin.txt", place.read("doc.txt"));
    let recorded = http_run(&place, server, "first", &["twin.txt", "--record", "tape"]).exits(0);
    let tags = |ran: &Ran| -> Vec<Value> {
        ran.json()
            .as_array()
            .unwrap()
            .iter()
            .map(|result| result["best_extraction"]["tags"].clone())
            .collect()
    };
    assert_eq!(tags(&recorded), [json!(1), json!(2)]);
    let names: Vec<String> = cassettes(&place, "tape").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 2);
    assert_eq!(names[1], names[0].replace(".json", "_1.json"));
    let replayed = http_run(&place, server, "second", &["twin.txt", "--replay", "tape"]);
    assert_same(&place, &recorded, &replayed);
    assert_eq!(asked.lock().unwrap().len(), 2);
    // A third was not recorded.
    place.write("triplet.txt", place.read("doc.txt"));
    let third = http_run(&place, server, "third", &["twin.txt", "triplet.txt", "--replay", "tape"]).exits(1);
    third.says(&["it was recorded 2 times, and this run asks once more"]);
}

pub(crate) fn http_place() -> Workspace {
    let profile = "classify: null
stages: [{ id: extract, provider: 'contrary:m1', prompt: tagger.md, retries: 2 }]
assess: { parts: { rubric: parts } }
overall: { parts: 1 }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
";
    let place = place(profile, &[]);
    place.write("doc.txt", format!("We see {SECRET_OF_THE_DOCUMENT}."));
    place
}

pub(crate) fn http_run(place: &Workspace, server: SocketAddr, out: &str, more: &[&str]) -> Ran {
    let url = format!("base_url=http://{server}/v1");
    let arguments =
        ["run", "--profile", "parts", "--provider-config", &url, "--format", "json", "--out", out, "doc.txt"];
    Ran::of(place.loopctl(&arguments).args(more).env("CONTRARY_KEY", KEY))
}

pub(crate) fn answer(status: &str, text: &str) -> String {
    let body = json!({ "answer": text, "in": 5, "out": 7 }).to_string();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nset-cookie: session=baked\r\nx-request-id: r-1\r\nretry-after: 0\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Answers the n-th request with `reply(n)`, from 1, and keeps what it was sent.
pub(crate) fn serve(
    reply: impl Fn(usize) -> String + Send + 'static,
) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&asked);
    let address = loopback::serve(move |request| {
        let count = {
            let mut kept = kept.lock().unwrap();
            kept.push(request.to_owned());
            kept.len()
        };
        reply(count)
    });
    (address, asked)
}

/// Every byte that a run has left in its folders.
fn bytes_of(place: &Workspace, folders: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(place.path(folder)).unwrap() {
            bytes.extend(std::fs::read(entry.unwrap().path()).unwrap());
        }
    }
    bytes
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_recording_over_the_network_replays_without_network_or_keys_and_holds_no_key() {
    let (server, asked) = serve(|count| match count {
        1 => answer("429 Too Many Requests", ""),
        // A server that says what it was sent.
        _ => answer("200 OK", &format!(r#"{{"tags": "Bearer {KEY}", "class": 1, "advice": 1}}"#)),
    });
    let place = http_place();
    let recorded = http_run(&place, server, "first", &["--record", "tape"]).exits(0);
    let sent = asked.lock().unwrap().clone();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|sent| sent.contains(KEY) && sent.contains(SECRET_OF_THE_DOCUMENT)), "{sent:?}");
    assert_eq!(recorded.json()["best_extraction"]["tags"], "Bearer [secret]");
    let kept = bytes_of(&place, &["tape", "first"]);
    assert!(!holds(&kept, KEY) && !holds(recorded.err.as_bytes(), KEY));
    let tape = bytes_of(&place, &["tape"]);
    assert!(!holds(&tape, SECRET_OF_THE_DOCUMENT) && !holds(&tape, "baked"));
    assert!(holds(&tape, "r-1") && holds(&tape, "/complete"));

    // Another host, where nothing listens, and no key.
    let (_nobody, nowhere) = loopback::nobody();
    let url = format!("base_url=http://{nowhere}/other");
    let arguments = [
        "run",
        "--profile",
        "parts",
        "--provider-config",
        &url,
        "--format",
        "json",
        "--out",
        "second",
        "doc.txt",
    ];
    let replayed = place.run(&[&arguments[..], &["--replay", "tape"]].concat());
    assert_same(&place, &recorded, &replayed);
    assert_eq!(asked.lock().unwrap().len(), 2);
}

/// The vendor's key is required, a gateway's is not; what is asked is the same.
#[test]
fn a_recording_of_a_model_replays_through_a_gateway() {
    let (server, asked) = serve(|_| {
        let content = r#"{"tags": 1, "class": 1, "advice": 1}"#;
        let body = json!({ "id": "c-1", "model": "any-1", "usage": { "prompt_tokens": 5, "completion_tokens": 7 },
            "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": content } }] });
        let body = body.to_string();
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
    });
    let place = http_place();
    let openai = |out: &str, url: &str, more: &[&str]| {
        let arguments = [
            "run",
            "--profile",
            "parts",
            "--provider",
            "openai:any",
            "--format",
            "json",
            "--out",
            out,
            "doc.txt",
        ];
        Ran::of(place.loopctl(&arguments).args(more).env("OPENAI_BASE_URL", url))
    };
    // The gateway is asked for `max_tokens`, the vendor for `max_completion_tokens`.
    let profile = place.read("profiles/parts.yaml");
    place.write(
        "profiles/parts.yaml",
        profile.replace("retries: 2", "retries: 2, options: { max_tokens: 900 }"),
    );
    let url = format!("http://{server}/v1");
    let recorded = openai("first", &url, &["--record", "tape"]).exits(0);
    assert_same(&place, &recorded, &openai("second", "https://api.openai.com/v1", &["--replay", "tape"]));
    assert_eq!(asked.lock().unwrap().len(), 1);
    let (_, cassette) = cassettes(&place, "tape").remove(0);
    assert_eq!(
        (&cassette["request"]["model"], &cassette["request"]["provider"]),
        (&json!("any"), &json!("openai"))
    );
}

/// A pipe among the cassettes would be waited for.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_no_cassette() {
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    run(&place, "first", &["--record", "tape"]).exits(0);
    let (name, _) = cassettes(&place, "tape").remove(0);
    let cassette = place.path(format!("tape/{name}"));
    std::fs::remove_file(&cassette).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&cassette).status().unwrap().success());
    run(&place, "second", &["--replay", "tape"])
        .exits(1)
        .says(&[&name, "it is a named pipe, not a regular file"]);
}

#[test]
fn requests_are_kept_when_asked_for() {
    let (server, _asked) = serve(|_| answer("200 OK", r#"{"tags": 1, "class": 1, "advice": 1}"#));
    let place = http_place();
    http_run(&place, server, "first", &["--record", "tape", "--record-requests"]).exits(0);
    let (_, cassette) = cassettes(&place, "tape").remove(0);
    let ask = &cassette["request"]["body"]["json"]["ask"];
    assert!(ask.as_str().unwrap().contains(SECRET_OF_THE_DOCUMENT), "{cassette}");
    assert!(!holds(&bytes_of(&place, &["tape"]), KEY));
    http_run(&place, server, "second", &["--record-requests"]).exits(2).says(&["--record"]);
}

#[test]
fn an_unreachable_server_is_recorded_as_such() {
    let (_nobody, nowhere) = loopback::nobody();
    let place = http_place();
    let settings = ["--config", "stages.*.retries=1"];
    let recorded =
        http_run(&place, nowhere, "first", &[&settings[..], &["--record", "tape"]].concat()).exits(1);
    assert_eq!(recorded.json()["stop_reason"], "provider_error");
    let replayed = http_run(&place, nowhere, "second", &[&settings[..], &["--replay", "tape"]].concat());
    assert_eq!((replayed.code, replayed.out), (recorded.code, recorded.out));
}

#[test]
fn what_was_not_recorded_ends_the_run_and_says_why() {
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    run(&place, "first", &["--record", "tape"]).exits(0);
    let digest = |ran: &Ran| {
        let (_, after) = ran.err.split_once(", request ").unwrap();
        after.chars().take_while(char::is_ascii_hexdigit).count()
    };
    place.write("doc.txt", "Another document.");
    let ran = run(&place, "second", &["--replay", "tape"]).exits(1);
    assert_eq!(digest(&ran), 64);
    // Once: nothing that is asked again would have been recorded either. No one was called.
    assert!(!ran.err.contains("trying again"), "{}", ran.err);
    assert_eq!(ran.json()["usage"], json!({ "calls": 0, "tokens": 0, "cost_usd": 0.0 }));
    ran.says(&[
        "the cassette `tape` has no answer to this request of `extract`",
        "no model named",
        "the document",
    ]);

    place.write("doc.txt", "A nodule.\nIMPRESSION: cancer.\n");
    run(&place, "third", &["--replay", "tape", "--config", "stages.*.options.model=m2"])
        .exits(1)
        .says(&["(model `m2`", "`extract` was recorded with no model named"]);
    // A judge that was not recorded is no judge that failed.
    let profile =
        judged("").replace("judge.md", "tagger.md").replace("then: escalate", "then: { fallback: 0.95 }");
    place.write("profiles/parts.yaml", profile);
    let ran = run(&place, "fourth", &["--replay", "tape"]);
    assert_eq!(ran.json()["final_status"], "passed");
    ran.exits(1).says(&["no answer to this request of `tone`", "error:"]);
}

#[test]
fn a_folder_that_does_not_fit_is_refused_before_any_call() {
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    run(&place, "out", &["--replay", "nothing"]).exits(1).says(&["can't use the folder `nothing`"]);
    place.write("bare/README.md", "not a cassette");
    run(&place, "out", &["--replay", "bare"])
        .exits(2)
        .says(&["`bare` holds no recorded exchanges", "--record"]);
    run(&place, "out", &["--record", "bare"]).exits(0);
    let again = run(&place, "out", &["--record", "bare"]).exits(2);
    again.says(&["`bare` holds recorded exchanges already", "another folder"]);
    for pair in [["--record=a", "--replay=b"], ["--record=a", "--cache"], ["--replay=bare", "--cache"]] {
        run(&place, "out", &pair).exits(2).says(&["cannot be used with"]);
    }
    assert!(!place.path("a").exists());
}

#[test]
fn a_damaged_cassette_is_named_with_its_place() {
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    run(&place, "out", &["--record", "tape"]).exits(0);
    let (name, _) = cassettes(&place, "tape").remove(0);
    let file = format!("tape/{name}");
    let good = place.read(&file);
    for (bad, says) in [
        (good.replacen(": 1,", ": 2,", 1), "has format 2, and this loopctl reads 1"),
        (good.replacen("\"exchanges\"", "\"exchange\"", 1), "this is not what a cassette holds here"),
        (good[..good.len() / 2].to_owned(), "it is not JSON"),
        (String::new(), ":1:0: the cassette is damaged: it is not JSON"),
        (good.replacen("\"key\": \"", "\"key\": \"0", 1), "its `key` is not its name"),
        (good.replacen("\"completion\"", "\"failed\": null, \"response\"", 1), "cassette holds here"),
    ] {
        assert_ne!(bad, good);
        place.write(&file, &bad);
        let ran = run(&place, "out", &["--replay", "tape"]).exits(1).says(&[&file, says]);
        assert_eq!(ran.out, "");
    }
    let cut = good[..good.find("\"exchanges\"").unwrap()].to_owned();
    place.write(&file, &cut);
    run(&place, "out", &["--replay", "tape"]).exits(1).says(&[&format!("{file}:{}:", cut.lines().count())]);
}

#[test]
fn one_correction_is_recorded_and_replayed() {
    let place = place(&judged(""), &[whole(1), tone(0.2), tone(0.9)]);
    place.write("mine.json", r#"{"tags": 1, "class": 1}"#);
    let correct = |more: &[&str]| {
        let arguments =
            ["correct", "--profile", "parts", "--extraction", "mine.json", "--format", "json", "doc.txt"];
        place.run(&[&arguments[..], more].concat())
    };
    let recorded = correct(&["--record", "tape"]);
    assert_eq!(recorded.json()["usage"]["calls"], 3);
    place.write("answers.jsonl", USED_UP);
    let replayed = correct(&["--replay", "tape"]);
    assert_eq!((replayed.code, replayed.out), (recorded.code, recorded.out));
}

#[test]
fn a_call_that_was_made_before_is_free_and_says_so() {
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    let paid = run(&place, "first", &["--cache"]).exits(0).json();
    assert_eq!((&paid["usage"]["calls"], paid.get("cached_calls")), (&json!(2), None));
    place.write("answers.jsonl", USED_UP);
    let free = run(&place, "second", &["--cache"]).exits(0).json();
    assert_eq!(free["usage"], json!({ "calls": 0, "tokens": 0, "cost_usd": 0.0 }));
    assert_eq!(free["cached_calls"], 2);
    assert!(free["warnings"].to_string().contains("answered from the cache"), "{free}");
    assert_eq!(free["best_validation"], paid["best_validation"]);
    let table = place.run(&["run", "--profile", "parts", "--cache", "--format", "text", "doc.txt"]).exits(0);
    assert!(table.out.contains("2 calls from the cache"), "{}", table.out);
    // Where it is by default, and elsewhere.
    let kept: Vec<_> = std::fs::read_dir(place.home().join("cache")).unwrap().collect();
    assert_eq!(kept.len(), 2);
    run(&place, "third", &["--cache-dir=other"]).exits(1);
    assert!(place.names("other").is_empty());
}

#[cfg(unix)]
#[test]
fn the_cache_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    run(&place, "first", &["--cache-dir=mine/cache"]).exits(0);
    let mode = |path: &str| std::fs::metadata(place.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("mine/cache"), 0o700);
    for name in place.names("mine/cache") {
        assert_eq!(mode(&format!("mine/cache/{name}")), 0o600);
    }
}

#[cfg(unix)]
#[test]
fn an_answer_that_others_could_have_put_into_the_cache_is_asked_for_again() {
    use std::os::unix::fs::PermissionsExt;
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    run(&place, "first", &["--cache-dir", "kept"]).exits(0);
    let (name, _) = cassettes(&place, "kept").remove(0);
    let file = place.path(format!("kept/{name}"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    let result = run(&place, "second", &["--cache-dir", "kept"]).exits(0).json();
    assert_eq!((&result["usage"]["calls"], &result["cached_calls"]), (&json!(1), &json!(1)));
    let warnings = result["warnings"].to_string();
    assert!(
        warnings.contains("the cache was not used") && warnings.contains("others may write it"),
        "{warnings}"
    );
    // The answer that replaced it is this user's alone.
    assert_eq!(run(&place, "third", &["--cache-dir", "kept"]).exits(0).json()["cached_calls"], 2);
    if std::os::unix::fs::chown(&file, Some(65_534), None).is_ok() {
        let result = run(&place, "fourth", &["--cache-dir", "kept"]).exits(0).json();
        assert_eq!(result["cached_calls"], 1);
    }
}

#[test]
fn documents_of_one_text_share_an_answer_of_the_cache() {
    let (server, asked) =
        serve(|count| answer("200 OK", &format!(r#"{{"tags": {count}, "class": 1, "advice": 1}}"#)));
    let place = http_place();
    place.write("twin.txt", place.read("doc.txt"));
    let results =
        http_run(&place, server, "first", &["twin.txt", "--cache-dir=kept", "--jobs=1"]).exits(0).json();
    assert_eq!((&results[0]["usage"]["calls"], &results[1]["usage"]["calls"]), (&json!(1), &json!(0)));
    assert_eq!((&results[1]["cached_calls"], &results[1]["best_extraction"]["tags"]), (&json!(1), &json!(1)));
    assert_eq!(asked.lock().unwrap().len(), 1);
    assert!(!holds(&bytes_of(&place, &["kept", "first"]), KEY));
}

#[test]
fn an_answer_that_was_of_no_use_is_not_served_again() {
    let prose = json!({ "stage": "extract", "text": "as a model, I can't" });
    let unread = json!({ "stage": "tone", "value": { "tone": "very good" } });
    // The second attempt goes past the cache, and what it brings is what is kept.
    let place = place(&judged(""), &[prose.clone(), whole(1), unread.clone(), tone(0.9)]);
    assert_eq!(run(&place, "first", &["--cache"]).exits(0).json()["usage"]["calls"], 4);
    place.write("answers.jsonl", USED_UP);
    assert_eq!(run(&place, "second", &["--cache"]).exits(0).json()["cached_calls"], 2);
    // No attempt brought anything: nothing is kept, neither of the stage nor of the judge.
    place.write("answers.jsonl", format!("{prose}\n"));
    run(&place, "third", &["--cache-dir=none", "--config", "stages.*.retries=0"]).exits(1);
    assert!(place.names("none").is_empty());
    place.write("answers.jsonl", format!("{}\n{unread}\n{unread}\n", whole(1)));
    run(&place, "fourth", &["--cache-dir=none", "--config", "stop.max_iterations=1"]).exits(3);
    assert_eq!(place.names("none").len(), 1);
}

#[test]
fn a_damaged_answer_in_the_cache_is_asked_for_again() {
    let place = place(&judged(""), &[whole(1), tone(0.9)]);
    run(&place, "first", &["--cache-dir=kept"]).exits(0);
    let (name, _) = cassettes(&place, "kept").remove(0);
    place.write(&format!("kept/{name}"), "{");
    let result = run(&place, "second", &["--cache-dir=kept"]).exits(0).json();
    assert_eq!((&result["usage"]["calls"], &result["cached_calls"]), (&json!(1), &json!(1)));
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains(&format!("the cache was not used: kept/{name}:1:1:")), "{warnings}");
    assert_eq!(run(&place, "third", &["--cache-dir=kept"]).exits(0).json()["cached_calls"], 2);
}

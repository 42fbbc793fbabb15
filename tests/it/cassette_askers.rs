//! Each caller gets the answer that was given to it, by the server that it asks: from a recording and from the cache.

use crate::cassettes::{KEY, answer, http_place, http_run, serve};
use crate::pipeline::place;
use crate::provider::http::http;
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};
use std::net::SocketAddr;

fn run(place: &Workspace, out: &str, more: &[&str]) -> Ran {
    let arguments = ["run", "--profile", "parts", "--format", "json", "--out", out, "doc.txt"];
    Ran::of(place.loopctl(&arguments).args(more).env("CONTRARY_KEY", KEY))
}

fn extracted() -> Value {
    json!({ "stage": "extract", "value": { "tags": 1, "class": 1, "advice": 1 } })
}

/// Two services at the same path of two servers, which are sent the same.
fn validated([strict, mild]: [SocketAddr; 2]) -> String {
    format!(
        "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }}, retries: 0 }}]
validators:
  strict: {{ url: 'http://{strict}/check', stages: [codes], retries: 0 }}
  mild: {{ url: 'http://{mild}/check', stages: [codes], retries: 0 }}
assess: {{ codes: {{ external: {{ validator: strict }} }}, terms: {{ external: {{ validator: mild }} }} }}
overall: {{ codes: 0.5, terms: 0.5 }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 1 }}
"
    )
}

#[test]
fn services_that_are_sent_the_same_never_swap_their_answers() {
    let said = |passed: bool| {
        let body = json!({ "stages": [{ "name": "codes", "passed": passed, "issues": [] }] }).to_string();
        move |_| http("200 OK", "", &body)
    };
    let ((strict, asked), (mild, also_asked)) = (serve(said(false)), serve(said(true)));
    let place = place(&validated([strict, mild]), &[extracted()]);
    let scores = |out: &str, more: &[&str]| {
        run(&place, out, more).exits(3).json()["best_validation"]["scores"].clone()
    };
    let apart = scores("plain", &[]);
    assert_eq!(apart, json!({ "codes": 0.5, "terms": 1.0 }));
    for out in ["first", "second", "third"] {
        assert_eq!(scores(out, &["--cache-dir=kept"]), apart, "{out}");
    }
    assert_eq!(scores("fourth", &["--record", "tape"]), apart);
    assert_eq!(scores("fifth", &["--replay", "tape"]), apart);
    // The plain run, the first with the cache, and the recorded one.
    assert_eq!((asked.lock().unwrap().len(), also_asked.lock().unwrap().len()), (3, 3));

    // Under another name it is another asker, and nothing was recorded for it.
    place.write("profiles/parts.yaml", validated([strict, mild]).replace("mild", "lenient"));
    run(&place, "sixth", &["--replay", "tape"]).exits(1).says(&["nothing was recorded for `lenient`"]);
}

#[test]
fn judges_that_are_asked_the_same_keep_their_own_opinions() {
    let (server, asked) = serve(|count| {
        let score = [0.9, 0.5, 0.1][(count - 1) % 3];
        answer("200 OK", &json!({ "s": score }).to_string())
    });
    let judge = |id: &str| {
        format!(
            "  {id}: {{ provider: 'contrary:m1', config: {{ base_url: 'http://{server}' }}, prompt: judge.md }}\n"
        )
    };
    let members = ["a", "b", "c"].map(|id| format!("{{ judge: {id}, score: /s }}")).join(", ");
    let profile = format!(
        "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }}, retries: 0 }}]
judges:
{}{}{}assess: {{ tone: {{ ensemble: {{ members: [{members}] }} }} }}
overall: {{ from: tone }}
accept: {{ overall: 0.95 }}
stop: {{ max_iterations: 1 }}
",
        judge("a"),
        judge("b"),
        judge("c")
    );
    let place = place(&profile, &[extracted()]);
    let paid = run(&place, "first", &["--cache-dir=kept"]).exits(3).json();
    assert_eq!((&paid["usage"]["calls"], paid.get("cached_calls")), (&json!(4), None));
    let free = run(&place, "second", &["--cache-dir=kept"]).exits(3).json();
    assert_eq!((&free["usage"]["calls"], &free["cached_calls"]), (&json!(0), &json!(4)));
    assert_eq!(free["best_validation"], paid["best_validation"]);
    assert_eq!(asked.lock().unwrap().len(), 3);
}

#[test]
fn the_cache_never_serves_what_another_server_said() {
    let says = |tag: &'static str| {
        move |_| answer("200 OK", &format!(r#"{{"tags": "{tag}", "class": 1, "advice": 1}}"#))
    };
    let ((mock, _), (vendor, asked)) = (serve(says("made up")), serve(says("meant")));
    let place = http_place();
    let tags = |server: SocketAddr, out: &str| {
        http_run(&place, server, out, &["--cache-dir=kept"]).exits(0).json()["best_extraction"]["tags"]
            .clone()
    };
    assert_eq!(tags(mock, "first"), "made up");
    assert_eq!(tags(vendor, "second"), "meant");
    assert_eq!((tags(mock, "third"), tags(vendor, "fourth")), (json!("made up"), json!("meant")));
    assert_eq!(asked.lock().unwrap().len(), 1);
}

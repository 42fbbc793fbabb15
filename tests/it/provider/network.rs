//! The behaviour of the host when servers are slow, busy, broken or gone, over loopback: which calls may be made again,
//! when, and what is not sent at all.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use loopctl::profile::{Author, Breaker, HostPattern, Limits, Network, Proxy, RetryBudget};
use loopctl::provider::{CallFailure, FailureKind, Provider, ProviderError, Providers};
use loopctl::value::{Millis, Usd};
use serde_json::{Value, json};

use super::bed::{Bed, PLENTY, ask, request};
use super::unreliable_server::{Act, Seen, Server, fine, http};
use crate::workspace::Workspace;

const KEY: &str = "a-key-nobody-may-see";

fn providers(network: Network) -> Providers {
    let environment = |name: &str| (name == "CONTRARY_KEY").then(|| KEY.to_owned());
    Bed::new().providers().with_environment(environment).with_network(network).with_seed(1)
}

fn open(server: &Server, network: Network) -> Provider {
    providers(network).open("contrary:m1", &server.config()).unwrap()
}

/// One call that is the `attempt`-th for the same purpose.
async fn attempt(provider: &Provider, attempt: u32) -> Result<(), CallFailure> {
    let mut request = request("a");
    request.attempt = attempt;
    provider.complete(&request, PLENTY).await.map(|_| ())
}

#[tokio::test]
async fn the_status_decides_whether_and_when_a_call_may_be_made_again() {
    let date = "Fri, 06 Nov 2020 08:49:37 GMT";
    let dated = format!("retry-after: {date}\r\n");
    for (status, headers, body, kind, wait) in [
        (429, "retry-after: 7\r\n", "", FailureKind::RateLimited, Some(7_000)),
        (429, dated.as_str(), "", FailureKind::RateLimited, Some(0)),
        (429, "retry-after-ms: 40\r\n", "", FailureKind::RateLimited, Some(40)),
        (
            429,
            "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1m0s\r\n",
            "",
            FailureKind::RateLimited,
            Some(60_000),
        ),
        (429, "", "", FailureKind::RateLimited, None),
        (503, "retry-after: 2\r\n", "", FailureKind::Transient, Some(2_000)),
        (500, "", "", FailureKind::Transient, None),
        (529, "", "", FailureKind::Transient, None),
        (408, "", "", FailureKind::Transient, None),
        (200, "", "<html>busy</html>", FailureKind::Transient, None),
    ] {
        let server = Server::saying(http(status, headers, body));
        let failure = ask(&open(&server, Network::default())).await.unwrap_err();
        assert!(failure.may_pass() && failure.kind == kind && failure.status == Some(status), "{failure:?}");
        assert_eq!(failure.retry_after.map(|wait| wait.as_millis()), wait, "{failure:?}");
        let backoff = failure.backoff.filter(|pause| *pause <= Duration::from_millis(500));
        assert_eq!(backoff.is_some(), wait.is_none(), "{failure:?}");
    }
    for (status, kind) in [
        (400, FailureKind::Permanent),
        (401, FailureKind::Unauthorized),
        (403, FailureKind::Permanent),
        (404, FailureKind::Permanent),
        (422, FailureKind::Permanent),
    ] {
        let server = Server::saying(http(status, "retry-after: 1\r\n", ""));
        let failure = ask(&open(&server, Network::default())).await.unwrap_err();
        assert!(!failure.may_pass() && failure.kind == kind, "{failure:?}");
    }
}

#[tokio::test]
async fn a_failure_says_who_what_and_what_to_do() {
    for (status, headers, parts) in [
        (
            401,
            "x-request-id: req_7\r\n",
            &[
                "`contrary`",
                "status 401",
                "model `m1`",
                "request `req_7`",
                "environment variable `CONTRARY_KEY`",
            ][..],
        ),
        (404, "request-id: r\r\n", &["model's name, `m1`", "base URL, `http://127.0.0.1:"]),
        (
            429,
            "retry-after: 3600\r\n",
            &["asks to wait 3600.0 s, more than `network.max_retry_wait` (60.0 s)"],
        ),
        (503, "x-should-retry: false\r\n", &["the server says 503 [model `m1`]"]),
    ] {
        let server = Server::saying(http(status, headers, &format!("your key {KEY} is odd")));
        let failure = ask(&open(&server, Network::default())).await.unwrap_err();
        let text = failure.to_string();
        assert!(parts.iter().all(|part| text.contains(part)) && !text.contains(KEY), "{text}");
        assert!(!failure.may_pass(), "{text}");
    }
}

#[tokio::test]
async fn the_same_seed_pauses_alike() {
    let server = Server::saying(http(500, "", ""));
    let pause = |seed: u64| {
        let provider =
            providers(Network::default()).with_seed(seed).open("contrary", &server.config()).unwrap();
        async move { ask(&provider).await.unwrap_err().backoff }
    };
    assert_eq!(pause(5).await, pause(5).await);
    assert_ne!(pause(5).await, pause(6).await);
}

#[tokio::test]
async fn answers_that_break_off_may_come_whole_the_next_time() {
    for (sent, part) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"answer\":", "broke off after 10 bytes"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"ans\r\n", "broke off after 5 bytes"),
        ("HTTP/1.1 200 OK\r\n\r\n{\"answer\":", "not JSON"),
        ("HTTP/1.1 200 OK\r\ncontent-le", "the request failed"),
        ("", "the request failed"),
        ("not http\r\n\r\n", "the request failed"),
    ] {
        let server = Server::new(vec![Act::Say(sent.to_owned()), fine()]);
        let provider = open(&server, Network::default());
        let failure = attempt(&provider, 1).await.unwrap_err();
        assert!(failure.may_pass() && failure.backoff.is_some(), "{failure:?}");
        assert!(failure.message.contains(part), "{failure}");
        attempt(&provider, 2).await.unwrap();
    }
}

/// Some servers and gateways put it before their JSON, in spite of RFC 8259.
#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_an_answer() {
    let body = "\u{feff}{\"answer\": \"grade 2\"}";
    let server = Server::saying(http(200, "", body));
    attempt(&open(&server, Network::default()), 1).await.unwrap();
}

#[tokio::test]
async fn an_answer_that_is_compressed_unasked_is_paid_for_once() {
    let server = Server::saying(http(200, "content-encoding: gzip\r\n", "\u{1f}\u{8b}"));
    let failure = attempt(&open(&server, Network::default()), 1).await.unwrap_err();
    assert!(failure.message.contains("compressed (`gzip`)") && !failure.may_pass(), "{failure}");
    let Ok(Seen::Request(request)) = server.seen.recv_timeout(PLENTY) else { panic!() };
    assert!(request.contains("accept-encoding: identity"), "{request}");
    // What an error page looks like is all the same.
    let server = Server::saying(http(500, "content-encoding: gzip\r\n", "\u{1f}\u{8b}"));
    assert!(attempt(&open(&server, Network::default()), 1).await.unwrap_err().may_pass());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let config = json!({"base_url": format!("http://{address}")});
    let failure = ask(&providers(Network::default()).open("contrary", &config).unwrap()).await.unwrap_err();
    assert!(failure.may_pass(), "{failure:?}");
    assert!(failure.to_string().contains(&format!("is the server running at `{address}`?")), "{failure}");
}

#[tokio::test]
async fn the_first_byte_has_its_own_limit() {
    let server = Server::new(vec![Act::Hang]);
    let network = Network { first_byte_timeout: Some(Millis(50)), ..Network::default() };
    let failure = ask(&open(&server, network)).await.unwrap_err();
    assert!(failure.kind == FailureKind::Deadline && failure.may_pass(), "{failure:?}");
    assert!(failure.to_string().contains("did not begin within 50 ms"), "{failure}");
    assert!(failure.to_string().contains("network.first_byte_timeout"), "{failure}");
}

#[tokio::test]
async fn the_longest_answer_is_the_profiles_to_say() {
    let server = Server::saying(http(200, "", r#"{"answer": "grade 2"}"#));
    let failure =
        ask(&open(&server, Network { max_response_bytes: 20, ..Network::default() })).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::TooLarge);
    ask(&open(&server, Network { max_response_bytes: 21, ..Network::default() })).await.unwrap();
}

#[tokio::test]
async fn a_server_that_keeps_failing_is_left_alone() {
    let broken = || Act::Say(http(500, "", ""));
    // What is the client's fault says nothing of the server's health.
    let server = Server::new(vec![broken(), Act::Say(http(404, "", "")), broken(), broken()]);
    let breaker = Breaker { failures: 2, cool_down: Millis(50_000) };
    let provider = open(&server, Network { breaker: Some(breaker), ..Network::default() });
    for (kind, opens) in [
        (FailureKind::Transient, false),
        (FailureKind::Permanent, false),
        (FailureKind::Transient, false),
        (FailureKind::Transient, true),
    ] {
        let failure = attempt(&provider, 1).await.unwrap_err();
        assert_eq!(
            (failure.kind, failure.message.contains("is left alone for 50.0 s")),
            (kind, opens),
            "{failure}"
        );
    }
    assert_eq!(server.requests(), 4);
    let failure = attempt(&provider, 1).await.unwrap_err();
    assert!(failure.kind == FailureKind::CircuitOpen && failure.may_pass(), "{failure:?}");
    assert!(!failure.sent && failure.cost == Some(Usd::default()), "{failure:?}");
    assert!(
        failure.message.contains("is left alone since") && failure.message.contains("until"),
        "{failure}"
    );
    assert_eq!(server.requests(), 0);
    assert!(failure.retry_after.is_some_and(|wait| wait <= Duration::from_secs(50)), "{failure:?}");
}

#[tokio::test]
async fn a_trial_that_is_given_up_does_not_close_the_way_for_ever() {
    let server = Server::new(vec![Act::Say(http(500, "", "")), Act::Hang, fine()]);
    let breaker = Breaker { failures: 1, cool_down: Millis(0) };
    let provider = open(&server, Network { breaker: Some(breaker), ..Network::default() });
    let failure = attempt(&provider, 1).await.unwrap_err();
    assert!(failure.message.contains("is left alone"), "{failure}");
    let trial = tokio::spawn({
        let provider = provider.clone();
        async move { attempt(&provider, 1).await }
    });
    let (seen, _broken) = next_of(server.seen).await;
    let (seen, _trial) = next_of(seen).await;
    trial.abort();
    assert_eq!(next_of(seen).await.1, Seen::Closed);
    attempt(&provider, 1).await.unwrap();
}

/// A panel is asked all at once: none of its calls is lost to the trial of another.
#[tokio::test]
async fn calls_that_come_during_a_trial_wait_for_its_end() {
    let (tell, told) = mpsc::channel();
    let answer = http(200, "", r#"{"answer": "x"}"#);
    let trial = Act::SayWhenTold(answer, Arc::new(Mutex::new(told)));
    let server = Server::new(vec![Act::Say(http(500, "", "")), trial, fine()]);
    let breaker = Breaker { failures: 1, cool_down: Millis(0) };
    let provider = open(&server, Network { breaker: Some(breaker), ..Network::default() });
    let failure = attempt(&provider, 1).await.unwrap_err();
    assert!(failure.message.contains("is left alone"), "{failure}");
    let panel = [1, 2, 3].map(|_| {
        let provider = provider.clone();
        tokio::spawn(async move { attempt(&provider, 2).await })
    });
    let (seen, _broken) = next_of(server.seen).await;
    let (seen, _trial) = next_of(seen).await;
    assert_eq!(server.most.load(Ordering::SeqCst), 1);
    tell.send(()).unwrap();
    for call in panel {
        call.await.unwrap().unwrap();
    }
    assert_eq!(seen.try_iter().count(), 2);
}

/// The correction has its turn a second after its document would be late. The first answer has been paid for by then.
#[test]
#[ignore = "long"]
fn a_correction_that_is_slowed_down_loses_no_document_for_it() {
    for tape in [&[][..], &["--record", "tape"]] {
        let spent = "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 6s\r\n";
        let says = |answer: &str| Act::Say(http(200, spent, &json!({ "answer": answer }).to_string()));
        let server = Server::new(vec![says(r#"{"grade": "x"}"#), says(r#"{"diagnosis": "x"}"#)]);
        let folder = shaped(&server, "max_iterations: 3, timeout: 5s");
        let mut arguments =
            vec!["run", "--profile", "net", "--type", "pathology", "--format", "json", "a.txt"];
        arguments.extend(tape);
        let ran = crate::workspace::Ran::of(folder.loopctl(&arguments).env("CONTRARY_KEY", KEY)).exits(0);
        let result = ran.json();
        assert_eq!(result["iteration_count"], 2, "{result}");
        assert!(result["warnings"].to_string().contains("for its turn (rate limits)"), "{result}");
        assert!(result["elapsed_ms"].as_u64().unwrap() < 5_000, "{result}");
    }
}

/// A profile `net` that asks this server for a diagnosis, and the documents `a.txt` and `b.txt`.
fn shaped(server: &Server, stop: &str) -> Workspace {
    let folder = Workspace::new();
    folder.write(
        "profiles/net.yaml",
        format!(
            "assess: {{ shape: {{ schema: schemas/x.json }} }}\noverall: {{ shape: 1 }}\naccept: {{ overall: 1 }}\n\
             stop: {{ {stop} }}\n\
             stages: [{{ id: extract, provider: contrary, config: {{ base_url: 'http://{}' }} }}]\n",
            server.address
        ),
    );
    folder.write("schemas/x.json", r#"{"type": "object", "required": ["diagnosis"]}"#);
    folder.write("a.txt", "a report");
    folder.write("b.txt", "another");
    folder
}

/// The second document's call has its turn a second after the document would be late.
#[test]
#[ignore = "long"]
fn a_batch_that_is_slowed_down_loses_no_document_for_it() {
    let spent = "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 6s\r\n";
    let answer = json!({"answer": "{\"diagnosis\": \"x\"}"}).to_string();
    let server = Server::saying(http(200, spent, &answer));
    let folder = shaped(&server, "max_iterations: 1, timeout: 5s");
    let arguments = [
        "run",
        "--profile",
        "net",
        "--type",
        "pathology",
        "--format",
        "json",
        "--jobs",
        "1",
        "a.txt",
        "b.txt",
    ];
    let ran = crate::workspace::Ran::of(folder.loopctl(&arguments).env("CONTRARY_KEY", KEY)).exits(0);
    let second = &ran.json()[1];
    assert!(second["warnings"].to_string().contains("for its turn (rate limits)"), "{second}");
    assert!(second["elapsed_ms"].as_u64().unwrap() < 5_000, "{second}");
}

/// Waits for what a server notices, off the runtime's thread.
async fn next_of(seen: mpsc::Receiver<Seen>) -> (mpsc::Receiver<Seen>, Seen) {
    tokio::task::spawn_blocking(move || {
        let next = seen.recv_timeout(PLENTY).unwrap();
        (seen, next)
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn an_outage_is_not_multiplied_by_retries() {
    let server = Server::saying(http(503, "", ""));
    let retry_budget = RetryBudget { retries: 2, per_success: 0.2 };
    let provider = open(&server, Network { retry_budget, ..Network::default() });
    assert!(attempt(&provider, 1).await.unwrap_err().may_pass());
    assert!(attempt(&provider, 2).await.unwrap_err().may_pass());
    let last = attempt(&provider, 2).await.unwrap_err();
    assert!(!last.may_pass() && last.to_string().contains("network.retry_budget"), "{last}");
    assert_eq!(server.requests(), 3);
    // First attempts still go out, and say at once that there will be no other.
    let first = attempt(&provider, 1).await.unwrap_err();
    assert!(!first.may_pass() && first.sent, "{first:?}");
    assert_eq!(server.requests(), 1);
    let refused = attempt(&provider, 2).await.unwrap_err();
    assert!(!refused.may_pass() && refused.message.contains("made again already"), "{refused}");
    assert!(!refused.sent, "{refused:?}");
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn a_redirect_that_is_not_followed_says_why() {
    let without_body = "elsewhere on the same host, without the request's body";
    for (status, location, part, requests) in [
        (307, "/v1/complete", "redirects more than 5 times", 6),
        (
            307,
            "http://u:p@elsewhere.invalid/x?y",
            "redirects to another host, `http://elsewhere.invalid:80`",
            1,
        ),
        (308, "https://127.0.0.1/x", "another scheme or port of the same host, `https://127.0.0.1`", 1),
        (302, "https://elsewhere.invalid/", "redirects to another host, `https://elsewhere.invalid`", 1),
        (301, "/v1/complete", without_body, 1),
        (302, "/v1/complete", without_body, 1),
        (303, "/v1/complete", without_body, 1),
        (307, "data:,x", "redirects to something that is not an address", 1),
    ] {
        let server = Server::saying(http(status, &format!("location: {location}\r\n"), ""));
        let failure = ask(&open(&server, Network::default())).await.unwrap_err();
        assert!(failure.message.contains(part) && !failure.may_pass(), "{failure}");
        assert_eq!(failure.cost, Usd::new(0.0), "{failure}");
        assert_eq!(server.requests(), requests, "{failure}");
    }
}

#[tokio::test]
async fn what_the_profile_does_not_list_is_not_reached() {
    let server = Server::new(vec![fine()]);
    let listing =
        |text: &str| Network { egress: Some(vec![HostPattern::parse(text).unwrap()]), ..Network::default() };
    let url = format!("http://{}", server.address);
    let refused = [
        providers(listing("api.example.com")).open("contrary", &server.config()),
        providers(listing("127.0.0.1:1")).open("contrary", &server.config()),
        providers(listing("api.example.com"))
            .with_environment(move |name| (name == "CONTRARY_BASE_URL").then(|| url.clone()))
            .open("contrary", &Value::Null),
        providers(listing("api.example.com")).open("contrary", &Value::Null),
    ];
    for opened in refused {
        let error = opened.unwrap_err();
        assert!(matches!(error, ProviderError::Config { .. }), "{error}");
        assert!(error.to_string().contains("`network.egress` doesn't list"), "{error}");
    }
    assert_eq!(server.requests(), 0);
    ask(&open(&server, listing("127.0.0.1"))).await.unwrap();
}

#[tokio::test]
async fn giving_up_a_call_closes_its_connection() {
    let server = Server::new(vec![Act::Hang]);
    let provider = open(&server, Network::default());
    let call = tokio::spawn(async move { ask(&provider).await });
    let (seen, request) = next_of(server.seen).await;
    assert!(matches!(request, Seen::Request(_)));
    call.abort();
    assert_eq!(next_of(seen).await.1, Seen::Closed);
}

#[tokio::test]
async fn all_that_use_the_same_key_share_its_limits() {
    let server = Server::new(vec![fine()]);
    let limits = Limits { concurrency: Some(2), ..Limits::default() };
    let network = Network { limits: [("contrary".to_owned(), limits)].into(), ..Network::default() };
    let providers = providers(network);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..12 {
        let provider = providers.open(&format!("contrary:m{}", number % 2), &server.config()).unwrap();
        calls.spawn(async move { ask(&provider).await.map(|_| ()) });
    }
    for outcome in calls.join_all().await {
        outcome.unwrap();
    }
    assert_eq!(server.requests(), 12);
    assert!(server.most.load(Ordering::SeqCst) <= 2, "{:?}", server.most);
}

#[tokio::test]
async fn waiting_for_a_limit_is_said() {
    let spent = "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1.5s\r\n";
    let server = Server::new(vec![Act::Say(http(200, spent, r#"{"answer": "x"}"#)), fine()]);
    let provider = open(&server, Network::default());
    assert_eq!(ask(&provider).await.unwrap().notes, Vec::<String>::new());
    let notes = ask(&provider).await.unwrap().notes;
    assert!(notes.iter().any(|note| note.starts_with("waited ")), "{notes:?}");
}

#[tokio::test]
async fn a_proxy_stands_before_other_machines_only() {
    let (proxy, server) = (Server::new(vec![fine()]), Server::new(vec![fine()]));
    let via = format!("http://{}", proxy.address);
    let outside = json!({"base_url": "http://upstream.invalid/v1", "allow_http": true});
    let from_environment = {
        let via = via.clone();
        move |name: &str| match name {
            "CONTRARY_KEY" => Some(KEY.to_owned()),
            "HTTP_PROXY" => Some(via.clone()),
            _ => None,
        }
    };
    let set = Network { proxy: Proxy::Named { url: via, by: Author::User }, ..Network::default() };
    for providers in [providers(Network::default()).with_environment(from_environment), providers(set)] {
        ask(&providers.open("contrary", &outside).unwrap()).await.unwrap();
        let Ok(Seen::Request(request)) = proxy.seen.try_recv() else { panic!("the proxy saw nothing") };
        assert!(request.starts_with("POST http://upstream.invalid/v1/complete "), "{request}");
        ask(&providers.open("contrary", &server.config()).unwrap()).await.unwrap();
        assert_eq!((proxy.requests(), server.requests()), (0, 1));
    }
}

#[tokio::test]
async fn a_proxy_that_wants_a_password_is_not_asked_again() {
    for base in ["http://upstream.invalid/v1", "https://upstream.invalid/v1"] {
        let proxy = Server::saying(http(407, "proxy-authenticate: Basic realm=\"x\"\r\n", "<html>no"));
        let via = format!("http://nurse:{KEY}@{}", proxy.address);
        let set = Network { proxy: Proxy::Named { url: via, by: Author::User }, ..Network::default() };
        let config = json!({"base_url": base, "allow_http": true});
        let failure = ask(&providers(set).open("contrary", &config).unwrap()).await.unwrap_err();
        assert_eq!((failure.kind, failure.may_pass()), (FailureKind::Unauthorized, false), "{failure}");
        assert!(failure.is_of_the_account() && !failure.sent, "{failure:?}");
        let told = failure.to_string();
        for part in
            ["the proxy wants a name and a password", "http://NAME:PASSWORD@HOST:PORT", "`HTTPS_PROXY`"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains(KEY) && proxy.requests() == 1, "{told}");
    }
    // A server that says so itself is no proxy.
    let server = Server::saying(http(407, "", "{}"));
    let failure = ask(&open(&server, Network::default())).await.unwrap_err();
    assert!(!failure.may_pass() && failure.status == Some(407), "{failure:?}");
}

#[test]
fn a_run_tries_again_after_a_server_that_came_back() {
    let server = Server::new(vec![
        Act::Say(http(503, "retry-after: 0\r\n", "")),
        Act::Say(http(500, "", "")),
        Act::Say(http(200, "", &json!({"answer": "{\"diagnosis\": \"x\"}"}).to_string())),
    ]);
    let folder = Workspace::new();
    folder.write(
        "profiles/net.yaml",
        format!(
            "assess: {{ shape: {{ schema: schemas/x.json }} }}\noverall: {{ shape: 1 }}\naccept: {{ overall: 1 }}\n\
             stop: {{ max_iterations: 1 }}\n\
             stages: [{{ id: extract, provider: contrary, config: {{ base_url: 'http://{}' }} }}]\n\
             network: {{ egress: [127.0.0.1], retry_budget: {{ retries: 2 }} }}\n",
            server.address
        ),
    );
    folder.write("schemas/x.json", r#"{"type": "object", "required": ["diagnosis"]}"#);
    folder.write("report.txt", "a report");
    let arguments =
        ["run", "--profile", "net", "--type", "pathology", "--out", "out", "--format", "json", "report.txt"];
    let mut command = folder.loopctl(&arguments);
    let ran = crate::workspace::Ran::of(command.env("CONTRARY_KEY", KEY)).exits(0);
    assert_eq!(ran.json()["final_status"], "passed");
    assert_eq!(server.requests(), 3);
    let reasons: BTreeSet<&str> =
        ran.err.lines().filter(|line| line.contains("the server says 50")).map(str::trim).collect();
    assert_eq!(reasons.len(), 2, "{}", ran.err);
    assert!(!ran.err.contains(KEY) && !ran.out.contains(KEY));

    let refused = folder.loopctl(&arguments);
    let mut refused = refused;
    refused.args(["--config", "network.egress=[api.example.com]"]);
    let ran = crate::workspace::Ran::of(refused.env("CONTRARY_KEY", KEY)).exits(2);
    assert!(ran.err.contains("`network.egress` doesn't list"), "{}", ran.err);

    let ran = folder.run(&arguments).exits(1);
    assert!(ran.err.contains("set `CONTRARY_KEY`"), "{}", ran.err);
    assert_eq!(ran.json()["usage"], json!({ "calls": 0, "tokens": 0, "cost_usd": 0.0 }));
    assert_eq!(server.requests(), 0);

    // A replay counts alike, regardless of the environment.
    let recorded = folder.run(&[&arguments[..], &["--record", "tape"]].concat()).exits(1).json();
    let mut replayed = folder.loopctl(&[&arguments[..], &["--replay", "tape"]].concat());
    let replayed = crate::workspace::Ran::of(replayed.env("CONTRARY_KEY", KEY)).exits(1).json();
    assert_eq!(replayed["usage"]["calls"], 0);
    assert_eq!((&recorded["usage"], &recorded["detail"]), (&replayed["usage"], &replayed["detail"]));
}

#[tokio::test]
async fn a_call_may_have_all_the_time_there_is() {
    let server = Server::new(vec![fine()]);
    open(&server, Network::default()).complete(&request("a"), Duration::MAX).await.unwrap();
}

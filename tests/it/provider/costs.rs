//! The costs of calls: by the provider's word, by the price table, or unknown.

use std::net::SocketAddr;
use std::time::Duration;

use loopctl::diag::{Problems, SourceFile};
use loopctl::provider::{Prices, Provider};
use loopctl::value::Usd;
use serde_json::json;

use super::bed::{Bed, PLENTY, ask, request};
use super::http::{http, serve};
use crate::loopback::nobody;

fn prices(entries: &str) -> Prices {
    let mut problems = Problems::new();
    let prices = Prices::parse(&SourceFile::new("prices.yaml", format!("prices:\n{entries}")), &mut problems);
    assert!(problems.is_empty());
    prices.unwrap()
}

const PRICES: &str = "  - { provider: contrary, models: [m1], input: 1, output: 2, as_of: 2026-01-01 }\n";
const FREE: &str = "  - { provider: contrary, models: ['*'], input: 0, output: 0, as_of: 2026-01-01 }\n";

fn open(prices: Prices, address: SocketAddr, model: &str) -> Provider {
    Bed::new()
        .providers()
        .with_environment(|name| (name == "CONTRARY_KEY").then(|| "key".to_owned()))
        .with_prices(prices)
        .open(&format!("contrary{model}"), &json!({"base_url": format!("http://{address}")}))
        .unwrap()
}

const ANSWER: &str = r#"{"answer": "x", "in": 1000, "out": 500}"#;

#[tokio::test]
async fn a_call_costs_what_the_table_says_of_its_model() {
    let (address, _sent) = serve(http("200 OK", "", ANSWER));
    let cost = async |prices, model| ask(&open(prices, address, model)).await.unwrap().usage.cost_usd;
    assert_eq!(cost(prices(PRICES), ":m1").await, Some(0.002));
    assert_eq!(cost(prices(PRICES), ":m2").await, None);
    assert_eq!(cost(prices(PRICES), "").await, None);
    assert_eq!(cost(Prices::none(), ":m1").await, None);
    assert_eq!(cost(prices(FREE), "").await, Some(0.0));
    // The model that is named with the provider is the one that is asked.
    let mut other = request("d");
    other.options.model = Some("m2".to_owned());
    for (named, expected) in [(":m1", Some(0.002)), ("", None)] {
        let provider = open(prices(PRICES), address, named);
        let completion = provider.complete(&other, Duration::from_secs(60)).await.unwrap();
        assert_eq!(completion.usage.cost_usd, expected, "{named}");
    }
}

#[tokio::test]
async fn an_api_that_does_not_say_what_it_used_is_not_therefore_free() {
    // Nor is one that reports one side only: an answer is asked for and written.
    for body in [r#"{"answer": "x"}"#, r#"{"answer": "x", "in": 1000}"#, r#"{"answer": "x", "out": 500}"#] {
        let (address, _sent) = serve(http("200 OK", "", body));
        let cost = async |prices| ask(&open(prices, address, ":m1")).await.unwrap().usage.cost_usd;
        assert_eq!(cost(prices(PRICES)).await, None, "{body}");
        assert_eq!(cost(prices(FREE)).await, Some(0.0), "{body}");
    }
}

#[tokio::test]
async fn a_direct_plugin_is_believed_and_costs_nothing_without_tokens() {
    let bed = Bed::new();
    let cost = async |script: &str| ask(&bed.scripted(script)).await.unwrap().usage.cost_usd;
    assert_eq!(cost("- value: 1\n").await, Some(0.0));
    assert_eq!(cost("- value: 1\n  cost_usd: 0.5\n  tokens: {input: 1}\n").await, Some(0.5));
    assert_eq!(cost("- value: 1\n  tokens: {input: 1}\n").await, None);
}

#[tokio::test]
async fn a_failed_call_costs_nothing_only_if_it_was_turned_away() {
    let none = Some(Usd::default());
    for (status, headers, body, expected) in [
        ("429 Too Many Requests", "", "", none),
        ("503 Service Unavailable", "", "", none),
        ("400 Bad Request", "", "", none),
        // A model has answered; what it used is lost with the answer.
        ("200 OK", "", "no JSON", None),
        ("200 OK", "", "{}", None),
        ("200 OK", "", r#"{"cut": true}"#, None),
        // It is reported.
        ("200 OK", "", r#"{"cut": true, "in": 1000, "out": 500}"#, Usd::new(0.002)),
        ("200 OK", "", r#"{"in": 1000, "out": 500}"#, Usd::new(0.002)),
    ] {
        let (address, _sent) = serve(http(status, headers, body));
        let failure = ask(&open(prices(PRICES), address, ":m1")).await.unwrap_err();
        assert_eq!(failure.cost, expected, "{status} {body}");
        let failure = ask(&open(prices(FREE), address, ":m1")).await.unwrap_err();
        assert_eq!(failure.cost, none, "{status} {body}");
    }
    let torn = "HTTP/1.1 200 OK\r\ncontent-length: 900\r\nconnection: close\r\n\r\n{\"answer\"";
    let (address, _sent) = serve(torn);
    assert_eq!(ask(&open(prices(PRICES), address, ":m1")).await.unwrap_err().cost, None);
    let (_nobody, closed) = nobody();
    assert_eq!(ask(&open(prices(PRICES), closed, ":m1")).await.unwrap_err().cost, none);
}

#[tokio::test]
async fn nobody_knows_what_a_call_cost_that_took_too_long() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let provider = open(prices(PRICES), silent.local_addr().unwrap(), ":m1");
    let call = tokio::spawn({
        let provider = provider.clone();
        async move { provider.complete(&request("d"), PLENTY).await }
    });
    let _connection = tokio::task::spawn_blocking(move || silent.accept().unwrap()).await.unwrap();
    // It has come through, and nothing but its deadline is waited for.
    tokio::time::pause();
    let failure = call.await.unwrap().unwrap_err();
    assert_eq!((failure.kind, failure.cost), (loopctl::provider::FailureKind::Deadline, None));
    assert_eq!(provider.cost_unfinished(&request("d")), None);
    assert_eq!(provider.knows_costs(Some("m1")), Some(true));
    assert_eq!((provider.knows_costs(Some("m2")), provider.knows_costs(None)), (Some(false), None));
}

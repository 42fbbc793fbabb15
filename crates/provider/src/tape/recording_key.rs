//! Decides which requests are the same: those that ask the same of the same provider.

use std::collections::BTreeMap;
use std::fmt;

use loopctl_plugin_sdk::protocol::{CompletionRequest, HttpRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::value::Digest;

/// SHA-256 of what a request asks, in lower-case hexadecimal. It does not depend on the order of members or the
/// spelling of numbers and white space of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct RecordingKey(String);

impl RecordingKey {
    /// The key of what an `http` plugin wants to send, before secrets are filled in.
    ///
    /// Left out are the host, the path of the base URL, and an API's version that may appear in either, so that an
    /// exchange through a gateway is the same as one with the vendor; and headers with a secret's placeholder, because
    /// who pays is not part of the question, and placeholders of required and optional secrets are spelled differently.
    pub(super) fn of_http(provider: &str, request: &HttpRequest) -> Self {
        let headers: BTreeMap<String, &str> = request
            .headers
            .iter()
            .filter(|(_, value)| !value.contains("${secret:"))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
            .collect();
        let body = match serde_json::from_str::<Value>(&request.body) {
            Ok(json) => json!({ "json": json }),
            Err(_) => json!({ "text": request.body }),
        };
        Self::of(&json!({
            "kind": "http",
            "provider": provider,
            "method": request.method,
            "path": without_version(&request.path),
            "headers": headers,
            "body": body,
        }))
    }

    /// The key of the same request to a server that uses the other of the two names that the limit on an answer has in
    /// chat completions; `None` where the request has neither, or both. A plugin takes one or the other by where the
    /// request goes, and a replay may not know where that was.
    pub(super) fn of_http_elsewhere(provider: &str, request: &HttpRequest) -> Option<Self> {
        const NAMES: [&str; 2] = ["max_tokens", "max_completion_tokens"];
        let mut body: Map<String, Value> = serde_json::from_str(&request.body).ok()?;
        let (name, other) = match NAMES.map(|name| body.contains_key(name)) {
            [true, false] => (NAMES[0], NAMES[1]),
            [false, true] => (NAMES[1], NAMES[0]),
            _ => return None,
        };
        let limit = body.remove(name)?;
        body.insert(other.to_owned(), limit);
        let elsewhere = HttpRequest { body: Value::Object(body).to_string(), ..request.clone() };
        Some(Self::of_http(provider, &elsewhere))
    }

    /// The key of what a `direct` plugin is asked. Its configuration is part of it: it may name the program that
    /// answers. The number of the attempt is not: another attempt asks the same again.
    pub(super) fn of_direct(provider: &str, config: &[u8], request: &CompletionRequest) -> Self {
        let config: Value = serde_json::from_slice(config).unwrap_or_default();
        let request = CompletionRequest { attempt: 1, ..request.clone() };
        Self::of(&json!({ "kind": "direct", "provider": provider, "config": config, "request": request }))
    }

    /// The key of this question as one asker puts it to one server, at this URL. The cache uses this: the answer of one
    /// judge is not a second opinion, and the answer of one server is no other's.
    pub(super) fn put(&self, stage: &str, url: Option<&str>) -> Self {
        Self::of(&json!({ "question": self, "stage": stage, "url": url }))
    }

    fn of(question: &Value) -> Self {
        Self(Digest::of(question).hex())
    }

    /// From the name of a file, without its ending.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        (name.len() == 64 && name.chars().all(hex)).then(|| Self(name.to_owned()))
    }
}

/// The path without a leading `/v1` or the like, which is as often in the base URL.
fn without_version(path: &str) -> &str {
    let rest = path.strip_prefix("/v").unwrap_or_default().trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = ["beta", "alpha"].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let versioned = path.as_bytes().get(2).is_some_and(u8::is_ascii_digit) && rest.starts_with('/');
    if versioned { rest } else { path }
}

impl fmt::Display for RecordingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopctl_plugin_sdk::protocol::{DocumentRef, Message, Role};
    use proptest::prelude::*;

    fn request(body: &str) -> HttpRequest {
        HttpRequest {
            method: "POST".into(),
            path: "/chat".into(),
            headers: BTreeMap::from([("Content-Type".to_owned(), "application/json".to_owned())]),
            body: body.into(),
            base_url: None,
        }
    }

    fn key(request: &HttpRequest) -> RecordingKey {
        RecordingKey::of_http("openai", request)
    }

    #[test]
    fn where_it_goes_and_who_pays_make_no_difference() {
        let plain = key(&request("{}"));
        let mut other = request("{ }");
        other.base_url = Some("https://gateway.example".into());
        other.headers.insert("authorization".into(), "Bearer ${secret:KEY?}".into());
        assert_eq!(key(&other), plain);
        other.headers = BTreeMap::from([("content-type".to_owned(), "application/json".to_owned())]);
        assert_eq!(key(&other), plain);
    }

    #[test]
    fn the_limit_on_an_answer_has_two_names() {
        let elsewhere = |body: &str| RecordingKey::of_http_elsewhere("openai", &request(body));
        let (short, long) = (r#"{"max_tokens": 5, "n": 1}"#, r#"{"n": 1, "max_completion_tokens": 5}"#);
        assert_eq!(elsewhere(short), Some(key(&request(long))));
        assert_eq!(elsewhere(long), Some(key(&request(short))));
        for body in ["{}", "[]", "x", r#"{"max_tokens": 5, "max_completion_tokens": 5}"#] {
            assert_eq!(elsewhere(body), None, "{body}");
        }
    }

    #[test]
    fn whatever_means_something_makes_a_difference() {
        let base = request(r#"{"model": "m", "n": 1}"#);
        let change = |change: fn(&mut HttpRequest)| {
            let mut changed = base.clone();
            change(&mut changed);
            key(&changed)
        };
        let keys = [
            key(&base),
            RecordingKey::of_http("anthropic", &base),
            change(|r| r.method = "PUT".into()),
            change(|r| r.path = "/chat?x=1".into()),
            change(|r| r.headers = BTreeMap::new()),
            change(|r| drop(r.headers.insert("content-type".into(), "text/plain".into()))),
            change(|r| drop(r.headers.insert("x-more".into(), String::new()))),
            change(|r| r.body = r#"{"model": "m", "n": "1"}"#.into()),
            change(|r| r.body = r#"{"model": "m", "n": 1.5}"#.into()),
            change(|r| r.body = r#"{"model": "m"}"#.into()),
            change(|r| r.body = r#"{"model": "m", "n": 1"#.into()),
            change(|r| r.body = r#""{\"model\": \"m\", \"n\": 1""#.into()),
        ];
        let different: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
    }

    #[test]
    fn direct_requests_differ_by_all_but_the_attempt() {
        let base = CompletionRequest { stage: "extract".into(), ..CompletionRequest::default() };
        let key =
            |request: &CompletionRequest| RecordingKey::of_direct("command", br#"{"program": "a"}"#, request);
        assert_eq!(key(&base), key(&CompletionRequest { attempt: 3, ..base.clone() }));
        assert_ne!(key(&base), RecordingKey::of_direct("command", br#"{"program": "b"}"#, &base));
        assert_ne!(key(&base), RecordingKey::of_direct("other", br#"{"program": "a"}"#, &base));
        let message = Message { role: Role::User, content: "x".into() };
        for other in [
            CompletionRequest { stage: "judge".into(), ..base.clone() },
            CompletionRequest { iteration: 1, ..base.clone() },
            CompletionRequest { messages: vec![message], ..base.clone() },
            CompletionRequest { source: Some("text".into()), ..base.clone() },
            CompletionRequest {
                document: DocumentRef { id: "a".into(), ..DocumentRef::default() },
                ..base.clone()
            },
        ] {
            assert_ne!(key(&other), key(&base));
        }
    }

    #[test]
    fn a_question_that_another_puts_or_that_goes_elsewhere_is_another_to_the_cache() {
        let question = key(&request("{}"));
        let put = |stage, url| question.put(stage, Some(url));
        let own = put("a", "https://one.example/v1/chat");
        assert_eq!(own, put("a", "https://one.example/v1/chat"));
        for other in [
            question.clone(),
            put("b", "https://one.example/v1/chat"),
            put("a", "https://two.example/v1/chat"),
            put("a", "https://one.example/v2/chat"),
            question.put("a", None),
            key(&request("[]")).put("a", Some("https://one.example/v1/chat")),
        ] {
            assert_ne!(own, other);
        }
    }

    #[test]
    fn names_of_files_are_keys_or_not() {
        let known = key(&request(""));
        assert_eq!(RecordingKey::parse(&known.to_string()), Some(known));
        for name in ["", "README", &"A".repeat(64), &"a".repeat(63), &"g".repeat(64)] {
            assert_eq!(RecordingKey::parse(name), None, "{name}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e9..1e9_f64).prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,3}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    /// `value` with members in the other order and whole numbers with a fraction.
    fn respelled(value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(respelled).collect(),
            Value::Object(members) => Value::Object(
                members.iter().rev().map(|(key, value)| (key.clone(), respelled(value))).collect(),
            ),
            Value::Number(number) => match number.as_i64().and_then(|whole| i32::try_from(whole).ok()) {
                Some(whole) => Value::from(f64::from(whole)),
                None => value.clone(),
            },
            other => other.clone(),
        }
    }

    /// Every value that differs from this one in a single position.
    fn changed(value: &Value) -> Vec<Value> {
        let mut all = vec![json!({ "not": value }), json!([value])];
        match value {
            Value::Array(items) => {
                all.extend(items.iter().enumerate().flat_map(|(at, item)| {
                    changed(item).into_iter().map(move |item| {
                        let mut items = items.clone();
                        items[at] = item;
                        Value::Array(items)
                    })
                }));
                let mut longer = items.clone();
                longer.push(Value::Null);
                all.push(Value::Array(longer));
            }
            Value::Object(members) => {
                all.extend(members.iter().flat_map(|(key, member)| {
                    changed(member).into_iter().map(move |member| {
                        let mut members = members.clone();
                        members.insert(key.clone(), member);
                        Value::Object(members)
                    })
                }));
                let mut longer = members.clone();
                longer.insert("a longer key than any".into(), Value::Null);
                all.push(Value::Object(longer));
            }
            Value::String(text) => all.push(Value::from(format!("{text} "))),
            Value::Number(number) => all.push(Value::from(number.to_string())),
            Value::Bool(truth) => all.push(Value::from(!truth)),
            Value::Null => all.push(Value::from(0)),
        }
        all
    }

    proptest! {
        #[test]
        fn spelling_makes_no_difference_and_meaning_does(value in any_json()) {
            let compact = key(&request(&value.to_string()));
            prop_assert_eq!(&key(&request(&serde_json::to_string_pretty(&respelled(&value)).unwrap())), &compact);
            for other in changed(&value) {
                prop_assert_ne!(&key(&request(&other.to_string())), &compact, "{} and {}", value, other);
            }
        }
    }

    #[test]
    fn a_version_counts_as_part_of_the_base_url() {
        for (path, rest) in [
            ("/v1/chat/completions", "/chat/completions"),
            ("/v1beta/models/m:generateContent", "/models/m:generateContent"),
            ("/chat/completions", "/chat/completions"),
            ("/validate", "/validate"),
            ("/v1", "/v1"),
            ("/v12x/a", "/v12x/a"),
        ] {
            assert_eq!(without_version(path), rest);
        }
    }
}

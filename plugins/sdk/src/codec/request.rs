//! The last steps of every request: the model, the overrides of the profile, and the headers.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::Failure;
use crate::protocol::{CompletionRequest, HttpRequest};

/// The model: the request's, else the configuration's.
///
/// # Errors
/// When neither names one; `provider` is what the message says to write before the colon.
pub fn model_of(
    request: &CompletionRequest,
    configured: Option<&str>,
    provider: &str,
) -> Result<String, Failure> {
    request
        .options
        .model
        .as_deref()
        .map(str::trim)
        .filter(|model| !model.is_empty())
        .or(configured)
        .map(str::to_owned)
        .ok_or_else(|| Failure::invalid_request(format!("no model is named: write `{provider}:MODEL`")))
}

/// Makes the request of its parts: `extra_body` is laid over the body (as a JSON Merge Patch, RFC 7396: objects key by
/// key, `null` removes), `extra_headers` are added.
///
/// # Errors
/// An extra header that is already set, as the key's is, or that asks for a key; or a body that asks for a stream, which no codec reads.
pub fn finish(
    request: &CompletionRequest,
    path: String,
    mut headers: BTreeMap<String, String>,
    mut body: Map<String, Value>,
) -> Result<HttpRequest, Failure> {
    lay_over(&mut body, &request.options.extra_body);
    if body.get("stream").is_some_and(|stream| stream != &Value::Bool(false)) {
        return Err(Failure::invalid_request(
            "`extra_body` asks for `stream`, which can't be read: leave it out",
        ));
    }
    headers.insert("content-type".to_owned(), "application/json".to_owned());
    for (name, value) in &request.options.extra_headers {
        let name = name.trim().to_ascii_lowercase();
        if headers.contains_key(&name) || is_credential(&name) {
            return Err(Failure::invalid_request(format!(
                "`extra_headers` can't set `{name}`: loopctl does; keys come from the environment"
            )));
        }
        // The host would fill it in.
        if value.contains("${secret:") {
            return Err(Failure::invalid_request(format!(
                "`extra_headers` asks for a key in `{name}`: only plugins do, and keys come from the environment"
            )));
        }
        headers.insert(name, value.clone());
    }
    // A value always has its JSON.
    let body = serde_json::to_string(&body).unwrap_or_default();
    Ok(HttpRequest { method: "POST".to_owned(), path, headers, body, base_url: None })
}

/// Headers that carry keys somewhere: a key in a profile would be written down.
fn is_credential(name: &str) -> bool {
    matches!(name, "authorization" | "api-key" | "x-api-key" | "x-goog-api-key" | "cookie")
}

fn lay_over(body: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (key, value) in extra {
        match value {
            Value::Null => {
                body.shift_remove(key);
            }
            Value::Object(inner) => {
                let under = body.entry(key.clone()).or_insert(Value::Null);
                if !under.is_object() {
                    *under = Value::Object(Map::new());
                }
                if let Some(under) = under.as_object_mut() {
                    lay_over(under, inner);
                }
            }
            other => {
                body.insert(key.clone(), other.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::RequestOptions;

    fn asked(extra_body: Value, extra_headers: &[(&str, &str)]) -> Result<HttpRequest, Failure> {
        let Value::Object(extra_body) = extra_body else { panic!("no object") };
        let request = CompletionRequest {
            options: RequestOptions {
                extra_body,
                extra_headers: extra_headers.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
                ..RequestOptions::default()
            },
            ..CompletionRequest::default()
        };
        let headers = BTreeMap::from([("x-key".to_owned(), "${secret:KEY}".to_owned())]);
        let body = json!({"model": "m", "format": {"type": "json", "n": 1}});
        finish(&request, "/chat".into(), headers, body.as_object().cloned().unwrap())
    }

    #[test]
    fn extras_are_laid_over_the_body() {
        let request =
            asked(json!({"format": {"n": null, "deep": {"x": 1}}, "model": {"y": 2}, "top_p": 0.5}), &[]);
        let body: Value = serde_json::from_str(&request.unwrap().body).unwrap();
        assert_eq!(
            body,
            json!({"model": {"y": 2}, "format": {"type": "json", "deep": {"x": 1}}, "top_p": 0.5})
        );
    }

    #[test]
    fn extra_headers_are_added_but_never_take_a_keys_place() {
        let request = asked(json!({}), &[("X-Title", "loopctl")]).unwrap();
        assert_eq!(request.headers["x-title"], "loopctl");
        for taken in ["X-Key", "authorization", "Content-Type", "API-Key"] {
            let failure = asked(json!({}), &[(taken, "mine")]).unwrap_err();
            assert_eq!(failure.status, crate::abi::LC_INVALID_REQUEST, "{taken}");
            assert!(!failure.error.message.contains("mine"), "{failure}");
        }
    }

    #[test]
    fn extra_headers_ask_for_no_key() {
        for value in ["${secret:KEY}", "x ${secret:KEY?}"] {
            let failure = asked(json!({}), &[("x-note", value)]).unwrap_err();
            assert_eq!(failure.status, crate::abi::LC_INVALID_REQUEST);
            assert!(failure.error.message.contains("asks for a key in `x-note`"), "{failure}");
        }
    }

    #[test]
    fn streams_are_refused() {
        assert!(asked(json!({"stream": true}), &[]).is_err());
        assert!(asked(json!({"stream": false}), &[]).is_ok());
    }

    #[test]
    fn the_requests_model_comes_first() {
        let named = |model: Option<&str>| CompletionRequest {
            options: RequestOptions { model: model.map(str::to_owned), ..RequestOptions::default() },
            ..CompletionRequest::default()
        };
        assert_eq!(model_of(&named(Some("a")), Some("b"), "x").unwrap(), "a");
        assert_eq!(model_of(&named(Some(" ")), Some("b"), "x").unwrap(), "b");
        assert_eq!(
            model_of(&named(None), None, "x").unwrap_err().error.message,
            "no model is named: write `x:MODEL`"
        );
    }
}

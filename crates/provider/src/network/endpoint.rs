//! Resolves the service that an `http` plugin talks to, and its address: from the specification, the configuration, the
//! environment and the manifest, in this order.

use loopctl_plugin_sdk::protocol::{Endpoint, Manifest};
use reqwest::Url;
use serde_json::{Map, Value};

use super::EnvironmentSource;
use crate::diag::nearest;
use crate::error::sanitize_message;
use crate::locate::{endpoint_named, same_name};

/// The destination of an opened plugin's requests unless it says otherwise, and the configuration that tells
/// it so.
#[derive(Debug)]
pub(super) struct Destination<'m> {
    /// The endpoint, if the manifest has any.
    pub(super) endpoint: Option<&'m Endpoint>,
    /// The base URL.
    pub(super) base: Url,
    /// The profile's configuration with what the environment and the manifest add to it.
    pub(super) config: Value,
}

/// Completes `config`. `named` is the endpoint that the specification names, as `ollama:llama3` does.
///
/// # Errors
/// A message, when no endpoint has the name, or its address is unknown.
pub(super) fn resolve<'m>(
    manifest: &'m Manifest,
    named: Option<&str>,
    config: &Value,
    environment: &EnvironmentSource,
) -> Result<Destination<'m>, String> {
    let mut config = match config {
        Value::Object(keys) => keys.clone(),
        Value::Null => Map::new(),
        _ => return Err("it must be a mapping".to_owned()),
    };
    let endpoint = choose(manifest, named, text(&config, "endpoint")?)?;
    let (base, origin) = match (text(&config, "base_url")?, endpoint) {
        (Some(url), _) => (url.to_owned(), "`base_url`".to_owned()),
        (None, Some(endpoint)) => address(manifest, endpoint, environment)?,
        (None, None) => match manifest.hosts.first() {
            Some(host) => (format!("https://{host}"), "the manifest".to_owned()),
            None => return Err("no `base_url`: the plugin has no host of its own".to_owned()),
        },
    };
    let base = base_url(&base).map_err(|problem| format!("{origin}: {problem}"))?;
    if let Some(endpoint) = endpoint {
        config.insert("endpoint".to_owned(), endpoint.name.clone().into());
        config.insert("base_url".to_owned(), base.as_str().trim_end_matches('/').into());
        for (key, variable) in &endpoint.config_env {
            if config.get(key).is_none_or(Value::is_null)
                && let Some(value) = set(environment, variable)
            {
                config.insert(key.clone(), value.into());
            }
        }
    }
    Ok(Destination { endpoint, base, config: Value::Object(config) })
}

fn choose<'m>(
    manifest: &'m Manifest,
    named: Option<&str>,
    configured: Option<&str>,
) -> Result<Option<&'m Endpoint>, String> {
    if let (Some(named), Some(configured)) = (named, configured)
        && !same_name(named, configured)
    {
        return Err(format!(
            "`endpoint` says `{}`, but the provider is `{}`: leave one of them out",
            sanitize_message(configured),
            sanitize_message(named)
        ));
    }
    let Some(name) = named.or(configured) else { return Ok(manifest.endpoints.first()) };
    if let Some(endpoint) = endpoint_named(manifest, name) {
        return Ok(Some(endpoint));
    }
    let known: Vec<&str> = manifest.endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
    let name = sanitize_message(name);
    Err(if known.is_empty() {
        format!("`endpoint` is `{name}`, but the plugin has no endpoints")
    } else {
        let guess = nearest(&name, known.iter().copied());
        let guess = guess.map(|guess| format!("did you mean `{guess}`? ")).unwrap_or_default();
        format!("`endpoint` is `{name}`, which the plugin doesn't know: {guess}known: {}", known.join(", "))
    })
}

/// The address of an endpoint, and its source.
fn address(
    manifest: &Manifest,
    endpoint: &Endpoint,
    environment: &EnvironmentSource,
) -> Result<(String, String), String> {
    for variable in &endpoint.base_url_env {
        if let Some(url) = set(environment, variable) {
            return Ok((url, format!("the environment variable `{variable}`")));
        }
    }
    if let Some(url) = &endpoint.base_url {
        return Ok((url.clone(), "the manifest".to_owned()));
    }
    // Only the first endpoint is the plugin's own host: requests for another must not go there.
    let is_first = manifest.endpoints.first().is_some_and(|first| first.name == endpoint.name);
    if endpoint.base_url_env.is_empty()
        && is_first
        && let Some(host) = manifest.hosts.first()
    {
        return Ok((format!("https://{host}"), "the manifest".to_owned()));
    }
    let variables: Vec<String> = endpoint.base_url_env.iter().map(|name| format!("`{name}`")).collect();
    let or_variable = if variables.is_empty() {
        String::new()
    } else {
        format!(" or the environment variable {}", variables.join(" or "))
    };
    Err(format!("the endpoint `{}` has no address of its own: set `base_url`{or_variable}", endpoint.name))
}

fn text<'c>(config: &'c Map<String, Value>, key: &str) -> Result<Option<&'c str>, String> {
    match config.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` must be a text")),
    }
}

/// A variable's value; empty ones count as not set.
fn set(environment: &EnvironmentSource, name: &str) -> Option<String> {
    environment(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Parses a URL to which paths can be appended.
pub(super) fn base_url(text: &str) -> Result<Url, String> {
    // An `@` may follow a password, which is not shown.
    let shown =
        if text.contains('@') { "the URL".to_owned() } else { format!("`{}`", sanitize_message(text)) };
    let unplaced = || {
        format!(
            "{shown} is not a URL: write it as `https://HOST/PATH`, or as `http://HOST:PORT/PATH` on this machine"
        )
    };
    let url = Url::parse(text).map_err(|_| unplaced())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a base URL must not hold a user or a password".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("a base URL must not have a `?` or `#`".to_owned());
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(unplaced());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::{environment, manifest};
    use serde_json::json;
    use std::collections::BTreeMap;

    fn openai() -> Manifest {
        let endpoint = |name: &str, base: Option<&str>, variable: &str| Endpoint {
            name: name.into(),
            base_url: base.map(Into::into),
            base_url_env: vec![variable.into()],
            config_env: BTreeMap::new(),
        };
        let mut azure = endpoint("azure", None, "AZURE_ENDPOINT");
        azure.config_env.insert("deployment".into(), "AZURE_DEPLOYMENT".into());
        let mut manifest = manifest(&["api.openai.com"]);
        manifest.endpoints = vec![
            endpoint("openai", Some("https://api.openai.com/v1"), "OPENAI_BASE_URL"),
            azure,
            endpoint("ollama", Some("http://127.0.0.1:11434/v1"), "OLLAMA_BASE_URL"),
        ];
        manifest
    }

    fn resolved(named: Option<&str>, config: Value, set: &[(&str, &str)]) -> Result<Value, String> {
        resolve(&openai(), named, &config, &environment(set)).map(|destination| destination.config)
    }

    #[test]
    fn configuration_goes_before_environment_and_environment_before_manifest() {
        let set = [("OPENAI_BASE_URL", " https://env.example/v1/ "), ("OLLAMA_BASE_URL", "")];
        for (named, config, variables, expected) in [
            (
                None,
                json!({}),
                &[][..],
                json!({"endpoint": "openai", "base_url": "https://api.openai.com/v1"}),
            ),
            (None, json!({}), &set, json!({"endpoint": "openai", "base_url": "https://env.example/v1"})),
            (
                None,
                json!({"base_url": "https://mine.example"}),
                &set,
                json!({"base_url": "https://mine.example", "endpoint": "openai"}),
            ),
            (
                Some("ollama"),
                Value::Null,
                &set,
                json!({"endpoint": "ollama", "base_url": "http://127.0.0.1:11434/v1"}),
            ),
            (
                None,
                json!({"endpoint": "ollama", "x": 1}),
                &[],
                json!({"endpoint": "ollama", "base_url": "http://127.0.0.1:11434/v1", "x": 1}),
            ),
        ] {
            assert_eq!(resolved(named, config, variables), Ok(expected));
        }
    }

    #[test]
    fn keys_of_the_configuration_come_from_the_environment_when_they_are_not_set() {
        let set = [("AZURE_ENDPOINT", "https://a.example"), ("AZURE_DEPLOYMENT", "d1")];
        let config = |given: Value| resolved(Some("azure"), given, &set).unwrap();
        assert_eq!(config(json!({}))["deployment"], "d1");
        assert_eq!(config(json!({"deployment": null}))["deployment"], "d1");
        assert_eq!(config(json!({"deployment": "d2"}))["deployment"], "d2");
        assert!(resolved(None, json!({}), &set).unwrap().get("deployment").is_none());
    }

    #[test]
    fn what_can_not_be_resolved_says_why_and_what_to_do() {
        for (named, config, variables, part) in [
            (None, json!({"endpoint": "olama"}), &[][..], "did you mean `ollama`?"),
            (None, json!({"endpoint": 7}), &[], "`endpoint` must be a text"),
            (Some("ollama"), json!({"endpoint": "azure"}), &[], "leave one of them out"),
            (Some("azure"), json!({}), &[], "set `base_url` or the environment variable `AZURE_ENDPOINT`"),
            (
                None,
                json!({}),
                &[("OPENAI_BASE_URL", "localhost:1")],
                "`OPENAI_BASE_URL`: `localhost:1` is not a URL: write it as `https://HOST/PATH`",
            ),
            (
                None,
                json!({}),
                &[("OPENAI_BASE_URL", "10.0.0.7:8000/v1")],
                "`10.0.0.7:8000/v1` is not a URL: write",
            ),
            (None, json!({}), &[("OPENAI_BASE_URL", "https://u:pass@x.example")], "a user or a password"),
            (None, json!({"base_url": "https://x.example?q"}), &[], "`?` or `#`"),
            (None, json!([1]), &[], "mapping"),
        ] {
            let problem = resolved(named, config, variables).unwrap_err();
            assert!(problem.contains(part) && !problem.contains("pass@"), "{problem}");
        }
        let bare =
            resolve(&manifest(&["h"]), None, &json!({"endpoint": "x"}), &environment(&[])).unwrap_err();
        assert!(bare.contains("has no endpoints"), "{bare}");
    }
}

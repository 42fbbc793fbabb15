//! Providers that can't be asked on this machine, or with these settings. None is called here.

use crate::diag::{Code, Problem, Problems};
use crate::profile::{Author, Environment, ProviderChoice};
use crate::provider::protocol::{Endpoint, Manifest};
use crate::provider::{SERVICE_HOSTS, setting_problems};
use crate::value::prose::{list, names};
use serde_json::Value;
use std::collections::BTreeSet;

/// Pushes the problems that keep a provider, whose plugin declares `manifest`, from being asked: settings that it does
/// not take, a key that is not set, programs that have not been allowed.
pub(in crate::lint) fn lint_provider(
    choice: &ProviderChoice,
    manifest: &Manifest,
    environment: Environment<'_>,
    problems: &mut Problems,
) {
    lint_provider_settings(choice, manifest, problems);
    key(manifest, choice, environment, problems);
    key_to_named_port(manifest, choice, environment, problems);
    if manifest.runs_programs() {
        let message = format!(
            "the provider `{}` runs programs of this machine, which needs your permission",
            choice.name.value
        );
        problems.push(
            Problem::note(Code::CommandsNeeded, &choice.name.span, message)
                .help("say `--allow-commands` when you run it; read first which programs it runs"),
        );
    }
}

/// Pushes the settings that a provider does not take, and those that it lacks.
pub(in crate::lint) fn lint_provider_settings(
    choice: &ProviderChoice,
    manifest: &Manifest,
    problems: &mut Problems,
) {
    let name = &choice.name.value;
    let endpoint = endpoint_of(manifest, choice);
    let all = setting_problems(manifest, &choice.config).unwrap_or_default();
    let is_wrong = all.iter().any(|found| found.missing.is_empty());
    for found in all {
        // Settings that say where a service is may come from the environment.
        let is_filled = |key: &String| {
            endpoint.is_some_and(|endpoint| key == "base_url" || endpoint.config_env.contains_key(key))
        };
        // A misspelt setting is missing under its right name, which need not be reported, too.
        if found.missing.iter().any(is_filled) || (is_wrong && !found.missing.is_empty()) {
            continue;
        }
        let message = format!("the provider `{name}` can't be asked yet: {}", found.message);
        problems.push(match found.missing.first() {
            // The missing setting may be given when it is run.
            Some(first) => Problem::note(Code::ProviderSettings, &choice.name.span, message).help(format!(
                "give it under `config:`, as `config: {{ {first}: … }}`, or with `--provider-config {first}=…`"
            )),
            None => Problem::warning(
                Code::ProviderSettings,
                &choice.name.span,
                format!("the provider `{name}` will refuse its settings: {}", found.message),
            )
            .help(format!("`loopctl plugin inspect {}` shows what it accepts", manifest.name)),
        });
    }
}

/// The service that a choice means.
fn endpoint_of<'m>(manifest: &'m Manifest, choice: &ProviderChoice) -> Option<&'m Endpoint> {
    let named = choice.name.value.split(':').next().unwrap_or_default();
    let same = |a: &str, b: &str| a.replace('-', "_") == b.replace('-', "_");
    let find = |name: &str| manifest.endpoints.iter().find(|endpoint| same(&endpoint.name, name));
    let configured = choice.config.get("endpoint").and_then(Value::as_str);
    configured.and_then(find).or_else(|| find(named)).or_else(|| manifest.endpoints.first())
}

/// The variables, one of which must hold the key of a service: by the manifest, those that bear the service's name.
fn keys_of<'m>(manifest: &'m Manifest, endpoint: &Endpoint) -> BTreeSet<&'m str> {
    let prefix = format!("{}_", endpoint.name.to_uppercase().replace('-', "_"));
    let own = manifest.secrets.iter().filter(|secret| secret.starts_with(&prefix));
    let own: BTreeSet<&str> = own.map(String::as_str).collect();
    if !own.is_empty() {
        return own;
    }
    // Among several services another's key would be a guess.
    if manifest.endpoints.len() > 1 {
        BTreeSet::new()
    } else {
        manifest.secrets.iter().map(String::as_str).collect()
    }
}

fn key(manifest: &Manifest, choice: &ProviderChoice, environment: Environment<'_>, problems: &mut Problems) {
    let set = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let Some(endpoint) = endpoint_of(manifest, choice) else { return };
    let configured = choice.config.get("base_url").and_then(Value::as_str).map(str::to_owned);
    let place = configured
        .or_else(|| endpoint.base_url_env.iter().find_map(|name| set(name)))
        .or_else(|| endpoint.base_url.clone());
    let keys = keys_of(manifest, endpoint);
    // A server on this machine asks for no key. One that usually is there is self-hosted wherever it is, and needs none
    // unless its owner wants one.
    if place.is_some_and(|url| is_here(&url))
        || endpoint.base_url.as_deref().is_some_and(is_here)
        || keys.is_empty()
        || keys.iter().any(|name| set(name).is_some())
    {
        return;
    }
    let any_key = list(&names(&keys), "or");
    let first = keys.first().copied().unwrap_or_default();
    problems.push(
        Problem::note(
            Code::NoKey,
            &choice.name.span,
            format!(
                "the provider `{}` needs a key, and {any_key} is not set on this machine",
                choice.name.value
            ),
        )
        .help(format!("before you run it: `export {first}=…`; checking needs no key")),
    );
}

/// A server on this machine is shown the key of the service that it replaces, and a profile may come from a third
/// party: so may the server, then.
pub(in crate::lint) fn key_to_named_port(
    manifest: &Manifest,
    choice: &ProviderChoice,
    environment: Environment<'_>,
    problems: &mut Problems,
) {
    let Some(url) = choice.config.get("base_url").and_then(Value::as_str) else { return };
    if choice.base_url_by == Author::User || !is_here(url) {
        return;
    }
    let set = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let (keys, said, named) = match endpoint_of(manifest, choice) {
        Some(endpoint) => {
            let usual = endpoint.base_url.iter().cloned();
            let said = usual.chain(endpoint.base_url_env.iter().filter_map(|name| set(name)));
            let variable = endpoint.base_url_env.first().map(|name| format!("set `{name}`, or "));
            let named = format!("{}give `--provider-config base_url=URL`", variable.unwrap_or_default());
            (keys_of(manifest, endpoint), said.collect::<Vec<_>>(), named)
        }
        // A stand-in for any service shows its token where that is asked for.
        None if choice.config.get("token") == Some(&Value::Bool(true)) => {
            let hosts = set(SERVICE_HOSTS).unwrap_or_default();
            let said = hosts.split(',').map(|host| host.trim().to_owned()).collect();
            let keys = manifest.secrets.iter().map(String::as_str).collect();
            (keys, said, format!("list it in `{SERVICE_HOSTS}`"))
        }
        None => return,
    };
    let sent = names(keys.into_iter().filter(|name| set(name).is_some()));
    if sent.is_empty() || said.iter().any(|place| authority(place) == authority(url)) {
        return;
    }
    problems.push(
        Problem::warning(
            Code::KeyToNamedPort,
            &choice.name.span,
            format!(
                "{} is sent to `{}`, a port of this machine that the profile names, whichever program listens there",
                list(&sent, "or"),
                authority(url)
            ),
        )
        .help(format!(
            "if the server is yours, name it yourself: {named}; if it needs no key, take the variable out of the environment"
        )),
    );
}

/// Host and port of a URL.
fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// Returns whether a URL leads to this machine.
fn is_here(url: &str) -> bool {
    let authority = authority(url);
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host == "::1" || host.starts_with("127.") || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_this_machine_are_known() {
        for url in
            ["http://127.0.0.1:11434/v1", "http://localhost:8080", "http://[::1]:1/x", "https://a.localhost/"]
        {
            assert!(is_here(url), "{url}");
        }
        for url in [
            "https://api.openai.com/v1",
            "https://localhost.example.org",
            "http://user:127.0.0.1@example.org",
        ] {
            assert!(!is_here(url), "{url}");
        }
    }
}

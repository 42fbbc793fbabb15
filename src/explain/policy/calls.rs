//! What stages and judges say about whom they ask, in words.

use super::model::Section;
use super::words::{count, duration, list, name, names, plural};
use crate::explain::settings::shown_value;
use crate::profile::{Call, Options, ProviderChoice};
use serde_json::Value;

/// `the provider `a` (…)`, and who stands in for it.
pub(super) fn providers(call: &Call) -> String {
    let mut links = call.providers.iter().map(provider);
    let first = links.next().unwrap_or_default();
    let rest: Vec<String> = links.collect();
    if rest.is_empty() {
        return format!("the provider {first}");
    }
    format!("the provider {first}, and when it has failed permanently {}", list(&rest, "and then"))
}

/// A provider's name, with a word about those that are no language models.
fn provider(choice: &ProviderChoice) -> String {
    let plugin = choice.name.value.split(':').next().unwrap_or_default();
    let what = match plugin {
        "pattern" => " (no language model: it looks for declared patterns)",
        "scripted" => " (no language model: it reads prepared answers from a file)",
        "command" => " (a program of this machine)",
        _ => "",
    };
    format!("{}{what}", name(&choice.name.value))
}

/// How long a call may take and how often it is made again.
pub(super) fn attempts(call: &Call, retries: u32) -> String {
    let each = if call.providers.len() > 1 { " of each provider" } else { "" };
    let again = match retries {
        0 => "One that fails is not made again".to_owned(),
        retries => format!(
            "One that fails with a transient error (no connection, a busy server, an answer that can't be read) is made again, at most {}{each}",
            super::words::times(u64::from(retries))
        ),
    };
    format!("One call may take at most {}. {again}.", duration(call.deadline))
}

/// What is said of the model and to the plugin, as details below `key`.
pub(super) fn settings(section: &mut Section, key: &str, call: &Call) {
    if let Some(options) = options(&call.options) {
        section.detail(format!("{key}.options"), format!("Asked with {options}."));
    }
    for choice in &call.providers {
        let Value::Object(members) = &choice.config else { continue };
        if members.is_empty() {
            continue;
        }
        let settings: Vec<String> = members
            .iter()
            .map(|(member, value)| {
                format!("{} = {}", name(member), name(&shown_value(&format!("config.{member}"), value)))
            })
            .collect();
        let number = plural(settings.len() as u64, "setting");
        let text = format!(
            "The provider {} gets its own {number} {}.",
            name(&choice.name.value),
            list(&settings, "and")
        );
        section.detail(format!("{key}.config.{}", choice.name.value), text);
    }
    if call.attach.is_some() {
        let text = "A document that is an image or a PDF goes with the instructions as a file. Its text can't be read then, so nothing in it can be \
                    held against the candidate.";
        section.detail(format!("{key}.attach"), text);
    }
}

fn options(options: &Options) -> Option<String> {
    let Options { model, temperature, seed, max_tokens, extra_body, extra_headers } = options;
    let mut said = Vec::new();
    if let Some(model) = model {
        said.push(format!("the model {} (unless the provider's name brings one)", name(model)));
    }
    said.extend(
        temperature
            .map(|value| format!("temperature {value} (how much chance is in its answers; 0 is least)")),
    );
    said.extend(seed.map(|value| format!("the random seed {value}")));
    said.extend(max_tokens.map(|value| format!("at most {} in an answer", count(value, "token"))));
    if !extra_body.is_empty() {
        let each = extra_body.iter().map(|(key, value)| {
            format!("{} = {}", name(key), name(&shown_value(&format!("extra_body.{key}"), value)))
        });
        said.push(format!("{} added to the request", list(&each.collect::<Vec<_>>(), "and")));
    }
    if !extra_headers.is_empty() {
        let headers = names(extra_headers.keys().map(String::as_str), "and");
        said.push(format!("the {} {headers}", plural(extra_headers.len() as u64, "header")));
    }
    (!said.is_empty()).then(|| list(&said, "and"))
}

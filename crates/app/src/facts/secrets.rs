//! The parts of settings that are not shown, because they could be secret.

use crate::profile::secret_word;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Shown instead of a secret value.
pub const HIDDEN: &str = "***";

/// Keys that hold only foreign settings, so that nothing below them is a name of ours.
const FOREIGN: [&str; 4] = ["config", "extra_body", "extra_headers", "variables"];

/// A text without the passwords of URLs in it, and without keys in the queries of URLs.
pub fn without_passwords(text: &str) -> String {
    static USER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@?#]+@").ok());
    static QUERY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(://[^\s]*[?&][^\s=&]*(?:key|token|secret|passw|auth|sig)[^\s=&]*=)[^\s&#]+").ok()
    });
    let mut text = text.to_owned();
    for pattern in [&USER, &QUERY].into_iter().filter_map(|pattern| pattern.as_ref()) {
        let tail = if pattern.as_str().ends_with('@') { "@" } else { "" };
        text = pattern.replace_all(&text, format!("${{1}}{HIDDEN}{tail}")).into_owned();
    }
    text
}

/// A setting's value as it may be shown on one line: JSON without what could be a secret.
#[must_use]
pub fn shown_value(path: &str, value: &Value) -> String {
    let mut value = value.clone();
    conceal(&mut value, path.split('.').any(|part| secret_word(part).is_some() && is_guarded(path)));
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn is_guarded(path: &str) -> bool {
    path.split('.').any(|part| FOREIGN.contains(&part))
}

fn conceal(value: &mut Value, secret: bool) {
    match value {
        Value::String(text) if secret => HIDDEN.clone_into(text),
        Value::String(text) => *text = without_passwords(text),
        Value::Array(items) => items.iter_mut().for_each(|item| conceal(item, secret)),
        Value::Object(members) => {
            members.iter_mut().for_each(|(key, value)| conceal(value, secret || secret_word(key).is_some()));
        }
        _ => {}
    }
}

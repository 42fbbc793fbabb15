//! Secrets in headers: which a plugin may use, and where their values come from. A plugin never sees a value.

use std::collections::BTreeMap;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::Environment;
use crate::provider::error::{FailureKind, Fault, tame};

const OPEN: &str = "${secret:";

/// Shorter values than this would be found in any text.
const REDACT_FROM: usize = 8;

/// Headers that say how a request is sent, not what it asks.
const OURS: &[&str] =
    &["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect"];

/// The headers of one request, with secrets filled in.
#[derive(Debug)]
pub(super) struct Filled {
    /// To be sent.
    pub(super) headers: HeaderMap,
    /// The variables whose values are in them, and those values.
    used: Vec<(String, String)>,
    /// The variables that would have filled the headers that are left out.
    unset: Vec<String>,
}

impl Filled {
    /// Fills in what stands in `asked` for a secret of `declared`.
    ///
    /// # Errors
    /// When a header isn't the plugin's to set, or a secret isn't declared or not set.
    pub(super) fn of(
        asked: &BTreeMap<String, String>,
        declared: &[String],
        environment: &Environment,
    ) -> Result<Self, Fault> {
        let refused = |problem: String| Fault::new(FailureKind::Permanent, problem);
        let mut filled = Filled { headers: HeaderMap::new(), used: Vec::new(), unset: Vec::new() };
        for (name, value) in asked {
            let header = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| refused(format!("`{}` is not a header's name", tame(name))))?;
            if OURS.contains(&header.as_str()) || header.as_str().starts_with("proxy-") {
                return Err(refused(format!("the header `{header}` is not the plugin's to set")));
            }
            let mut used = Vec::new();
            let Some(text) = fill(value, declared, environment, &mut used, &mut filled.unset)? else {
                continue;
            };
            let mut value = HeaderValue::from_str(&text).map_err(|_| {
                refused(match used.first() {
                    Some((variable, _)) => format!(
                        "the environment variable `{variable}` has characters that can't stand in a header"
                    ),
                    None => {
                        format!("the value of header `{header}` has characters that headers can't have")
                    }
                })
            })?;
            value.set_sensitive(!used.is_empty());
            filled.headers.append(header, value);
            filled.used.extend(used);
        }
        Ok(filled)
    }

    /// The variables whose values were filled in, in order, each once.
    pub(super) fn variables(&self) -> Vec<String> {
        let mut names: Vec<String> = self.used.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The variables that would have filled the headers that are left out.
    pub(super) fn unset(&self) -> &[String] {
        &self.unset
    }

    /// `text` without the values that were filled in.
    pub(super) fn redact(&self, text: String) -> String {
        self.used
            .iter()
            .filter(|(_, value)| value.len() >= REDACT_FROM)
            .fold(text, |text, (_, value)| text.replace(value, "[secret]"))
    }
}

/// What stands between `${secret:` and `}`.
struct Placeholder<'t> {
    /// The first of these that is set counts.
    names: Vec<&'t str>,
    /// Whether the header may be left out.
    optional: bool,
}

impl<'t> Placeholder<'t> {
    fn parse(text: &'t str) -> Self {
        let (names, optional) = match text.strip_suffix('?') {
            Some(names) => (names, true),
            None => (text, false),
        };
        Self { names: names.split('|').map(str::trim).collect(), optional }
    }
}

/// `None` when the header is to be left out.
fn fill(
    value: &str,
    declared: &[String],
    environment: &Environment,
    used: &mut Vec<(String, String)>,
    unset: &mut Vec<String>,
) -> Result<Option<String>, Fault> {
    let mut filled = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((placeholder, after)) = after.split_once('}') else {
            return Err(Fault::new(FailureKind::Permanent, "a secret's placeholder isn't closed with `}`"));
        };
        let placeholder = Placeholder::parse(placeholder);
        if let Some(name) = placeholder.names.iter().find(|name| !declared.iter().any(|known| known == *name))
        {
            return Err(Fault::new(
                FailureKind::Permanent,
                format!(
                    "the plugin asks for the secret `{}`, which its manifest doesn't declare",
                    tame(name)
                ),
            ));
        }
        let secret = placeholder.names.iter().find_map(|name| {
            let value = environment(name)?.trim().to_owned();
            (!value.is_empty()).then(|| ((*name).to_owned(), value))
        });
        let Some((name, secret)) = secret else {
            if !placeholder.optional {
                return Err(missing(&placeholder.names));
            }
            unset.extend(placeholder.names.iter().map(|name| (*name).to_owned()));
            return Ok(None);
        };
        filled.push_str(before);
        filled.push_str(&secret);
        used.push((name, secret));
        rest = after;
    }
    filled.push_str(rest);
    Ok(Some(filled))
}

fn missing(names: &[&str]) -> Fault {
    let quoted = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let (problem, help) = match quoted.as_slice() {
        [only] => (
            format!("the environment variable {only} is not set"),
            format!("set {only} to your key for this service"),
        ),
        several => (
            format!("none of the environment variables {} is set", several.join(", ")),
            format!("set {} to your key for this service", several.join(" or ")),
        ),
    };
    Fault::new(FailureKind::Unauthorized, problem).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::network::tests::environment;

    fn with(name: &str, value: &str) -> Result<Filled, Fault> {
        let declared = ["KEY", "OTHER", "UNSET", "EMPTY"].map(str::to_owned);
        let environment = environment(&[
            ("KEY", "sesame-open"),
            ("OTHER", " another-value\n"),
            ("EMPTY", " "),
            ("HOME", "/h"),
        ]);
        Filled::of(&BTreeMap::from([(name.to_owned(), value.to_owned())]), &declared, &environment)
    }

    #[test]
    fn declared_secrets_are_filled_in() {
        for (value, sent, variable) in [
            ("Bearer ${secret:KEY}", Some("Bearer sesame-open"), Some("KEY")),
            ("${secret:UNSET|OTHER|KEY}", Some("another-value"), Some("OTHER")),
            ("${secret:EMPTY | KEY}", Some("sesame-open"), Some("KEY")),
            ("Bearer ${secret:KEY?}", Some("Bearer sesame-open"), Some("KEY")),
            ("Bearer ${secret:UNSET?}", None, None),
            ("${secret:KEY} ${secret:UNSET|EMPTY?}", None, None),
            ("plain", Some("plain"), None),
        ] {
            let filled = with("Authorization", value).unwrap();
            let header = filled.headers.get("authorization");
            assert_eq!(header.map(|value| value.to_str().unwrap()), sent, "{value}");
            assert_eq!(filled.variables().first().map(String::as_str), variable, "{value}");
            assert_eq!(header.is_some_and(HeaderValue::is_sensitive), variable.is_some(), "{value}");
        }
    }

    #[test]
    fn what_may_not_be_sent_is_refused_without_showing_a_value() {
        for (name, value, part) in [
            ("authorization", "${secret:HOME}", "doesn't declare"),
            ("authorization", "${secret:KEY|HOME}", "doesn't declare"),
            ("authorization", "${secret:?}", "doesn't declare"),
            ("authorization", "${secret:KEY", "isn't closed"),
            ("authorization", "${secret:UNSET}", "`UNSET` is not set"),
            (
                "authorization",
                "${secret:UNSET|EMPTY}",
                "none of the environment variables `UNSET`, `EMPTY` is set",
            ),
            ("host", "evil.example.net", "not the plugin's to set"),
            ("proxy-authorization", "x", "not the plugin's to set"),
            ("bad name", "x", "not a header's name"),
            ("x", "a\nb", "characters"),
            ("x", "${secret:KEY}\u{7f}", "`KEY` has characters"),
        ] {
            let fault = with(name, value).unwrap_err();
            assert!(fault.message.contains(part), "{name}: {value}: {}", fault.message);
            assert!(!fault.message.contains("sesame"), "{}", fault.message);
        }
    }

    #[test]
    fn values_that_were_sent_are_taken_out_of_answers() {
        let filled = with("authorization", "${secret:KEY}").unwrap();
        assert_eq!(filled.redact("you sent sesame-open".into()), "you sent [secret]");
    }
}

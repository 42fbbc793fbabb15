//! Secrets in headers: those that a plugin may use, and the sources of their values. A plugin never sees a
//! value.

use std::collections::BTreeMap;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::request_keys::{PLACEHOLDER, RequestKeys};
use super::secret_files::secret;
use super::{EnvironmentSource, redact};
use crate::error::{CallError, FailureKind, sanitize_message};
use crate::profile::secret_word;

/// Values shorter than this would be found in any text, and are not removed from usable answers.
const REDACT_FROM: usize = 8;
/// Shorter ones are found even among the words that turn a request away.
const REDACT_WORDS_FROM: usize = 4;

/// Headers that say how a request is sent, not what it asks.
const OURS: &[&str] =
    &["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect"];

/// The headers of one request, with secrets filled in.
pub(super) struct ResolvedHeaders {
    /// To be sent.
    pub(super) headers: HeaderMap,
    /// The variables whose values are in them, and those values.
    used: Vec<(String, String)>,
    /// The words that a user wrote into headers named like a secret's.
    written: Vec<String>,
    /// The variables that would have filled the headers that are left out.
    unset: Vec<String>,
    /// `true` if a header is left out because its secret may not go there.
    withheld: bool,
}

/// Without the secrets: debug output ends up in logs.
impl std::fmt::Debug for ResolvedHeaders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filled")
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("variables", &self.variables())
            .field("unset", &self.unset)
            .field("withheld", &self.withheld)
            .finish_non_exhaustive()
    }
}

impl ResolvedHeaders {
    /// Fills in what is in `asked`, the headers of a request to `url`, for secrets that may go there.
    ///
    /// # Errors
    /// When a header isn't the plugin's to set, or a secret isn't declared, may not go there or is not set.
    pub(super) fn of(
        asked: &BTreeMap<String, String>,
        keys: &RequestKeys,
        url: &Url,
        environment: &EnvironmentSource,
    ) -> Result<Self, CallError> {
        let refused = |problem: String| CallError::new(FailureKind::Permanent, problem);
        let mut filled = ResolvedHeaders {
            headers: HeaderMap::new(),
            used: Vec::new(),
            written: Vec::new(),
            unset: Vec::new(),
            withheld: false,
        };
        let filling = HeaderContext { keys, url, environment };
        for (name, value) in asked {
            let header = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| refused(format!("`{}` is not a header's name", sanitize_message(name))))?;
            if OURS.contains(&header.as_str()) || header.as_str().starts_with("proxy-") {
                return Err(refused(format!("the header `{header}` is not the plugin's to set")));
            }
            let mut used = Vec::new();
            let text = match filling.fill(value, &mut used)? {
                HeaderText::Whole(text) => text,
                HeaderText::Unset(names) => {
                    filled.unset.extend(names);
                    continue;
                }
                HeaderText::Withheld => {
                    filled.withheld = true;
                    continue;
                }
            };
            let mut value = HeaderValue::from_str(&text).map_err(|_| {
                refused(match used.first() {
                    Some((variable, _)) => format!(
                        "the environment variable `{variable}` has characters that a header can't contain"
                    ),
                    None => {
                        format!("the value of header `{header}` has characters that headers can't have")
                    }
                })
            })?;
            let is_written = used.is_empty() && secret_word(header.as_str()).is_some();
            if is_written {
                // Of several words, the first is the scheme.
                let value = text.split_once(' ').map_or(text.as_str(), |(_, rest)| rest);
                filled.written.extend(value.split_whitespace().map(str::to_owned));
            }
            value.set_sensitive(is_written || !used.is_empty());
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

    /// Returns whether a header is left out because its secret may not go there.
    pub(super) fn withheld(&self) -> bool {
        self.withheld
    }

    /// `text` without the values of secrets that were sent, however it spells them.
    pub(super) fn redact(&self, text: String) -> String {
        self.values()
            .filter(|value| value.len() >= REDACT_FROM && value.is_ascii())
            .fold(text, redact::without)
    }

    fn values(&self) -> impl Iterator<Item = &str> {
        self.used.iter().map(|(_, value)| value).chain(&self.written).map(String::as_str)
    }

    /// Like [`Self::redact`], for a text that turns a request away, where a short value that is a word of its own is
    /// most likely the key.
    pub(super) fn redact_refusal(&self, text: String) -> String {
        let short = |value: &str| (REDACT_WORDS_FROM..REDACT_FROM).contains(&value.len());
        self.values().filter(|value| short(value)).fold(self.redact(text), redact::without_word)
    }
}

/// The text between `${secret:` and `}`.
struct Placeholder<'t> {
    /// The first of these that is set counts.
    names: Vec<&'t str>,
    /// `true` if the header may be left out.
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

/// A header's value.
enum HeaderText {
    Whole(String),
    /// To be left out: none of these variables is set.
    Unset(Vec<String>),
    /// To be left out: its secret may not go there.
    Withheld,
}

/// The context of the request whose headers are filled.
struct HeaderContext<'f> {
    keys: &'f RequestKeys,
    url: &'f Url,
    environment: &'f EnvironmentSource,
}

impl HeaderContext<'_> {
    /// The secrets that are filled in are pushed to `used`.
    fn fill(&self, value: &str, used: &mut Vec<(String, String)>) -> Result<HeaderText, CallError> {
        let mut filled = String::new();
        let mut rest = value;
        while let Some((before, after)) = rest.split_once(PLACEHOLDER) {
            let Some((placeholder, after)) = after.split_once('}') else {
                let problem = "a secret's placeholder isn't closed with `}`";
                return Err(CallError::new(FailureKind::Permanent, problem));
            };
            let Placeholder { mut names, optional } = Placeholder::parse(placeholder);
            if let Some(name) = names.iter().find(|name| !self.keys.declares(name)) {
                return Err(CallError::new(
                    FailureKind::Permanent,
                    format!(
                        "the plugin asks for the secret `{}`, which its manifest doesn't declare",
                        sanitize_message(name)
                    ),
                ));
            }
            names.retain(|name| self.keys.may_go(name, self.url));
            if names.is_empty() {
                return if optional { Ok(HeaderText::Withheld) } else { Err(self.keys.withheld(self.url)) };
            }
            let mut found = None;
            for name in &names {
                if let Some(value) = secret(self.environment, name)? {
                    found = Some(((*name).to_owned(), value));
                    break;
                }
            }
            let Some((name, secret)) = found else {
                if !optional {
                    return Err(missing(&names));
                }
                return Ok(HeaderText::Unset(names.into_iter().map(str::to_owned).collect()));
            };
            filled.push_str(before);
            filled.push_str(&secret);
            used.push((name, secret));
            rest = after;
        }
        filled.push_str(rest);
        Ok(HeaderText::Whole(filled))
    }
}

fn missing(names: &[&str]) -> CallError {
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
    CallError::new(FailureKind::Unauthorized, problem).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::{environment, manifest};
    use crate::profile::Author;
    use serde_json::json;

    fn with(name: &str, value: &str) -> Result<ResolvedHeaders, CallError> {
        at("https://evil.example", Author::User, name, value)
    }

    fn at(url: &str, author: Author, name: &str, value: &str) -> Result<ResolvedHeaders, CallError> {
        let mut manifest = manifest(&["api.acme.example"]);
        manifest.secrets = ["KEY", "OTHER", "UNSET", "EMPTY"].map(str::to_owned).to_vec();
        let environment = environment(&[
            ("KEY", "sesame-open"),
            ("OTHER", " another-value\n"),
            ("EMPTY", " "),
            ("HOME", "/h"),
        ]);
        let config = json!({ "base_url": url });
        let keys = RequestKeys::new(&manifest, None, &config, author, &environment).unwrap();
        let asked = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        ResolvedHeaders::of(&asked, &keys, &Url::parse(url).unwrap(), &environment)
    }

    #[test]
    fn what_is_shown_for_finding_mistakes_holds_no_secret() {
        let shown = format!("{:?}", with("x-key", "${secret:KEY}").unwrap());
        assert!(shown.contains("x-key") && shown.contains("KEY") && !shown.contains("sesame"), "{shown}");
        let shown = format!("{:?}", with("authorization", "Bearer written-by-hand").unwrap());
        assert!(!shown.contains("by-hand"), "{shown}");
    }

    #[test]
    fn a_place_that_only_a_profile_names_is_sent_no_secret() {
        let evil = |value: &str| at("https://evil.example", Author::Profile, "authorization", value);
        let left_out = evil("Bearer ${secret:KEY?}").unwrap();
        assert!(left_out.headers.is_empty() && left_out.withheld() && left_out.variables().is_empty());
        let fault = evil("Bearer ${secret:KEY}").unwrap_err();
        assert!(fault.message.contains("`evil.example` is named by the profile only"), "{}", fault.message);
        assert!(fault.help.unwrap().contains("--provider-config base_url="));
        let own =
            at("https://api.acme.example/v1", Author::Profile, "authorization", "${secret:KEY}").unwrap();
        assert_eq!(own.variables(), ["KEY"]);
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
            assert_eq!(header.is_some_and(HeaderValue::is_sensitive), sent.is_some(), "{value}");
        }
        let team = with("X-Team", "plain").unwrap();
        assert!(!team.headers.get("x-team").unwrap().is_sensitive());
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

//! The things outside of a profile, with the settings laid over it, that it uses: servers, proxies, programs,
//! providers; and who named each.

use super::call::Author;
use super::judge::Asked;
use super::load::Loaded;
use super::network::Proxy;
use super::{NO_PROVIDER, ProviderChoice};
use crate::diag::Span;
use crate::value::yaml::{Data, Node};
use serde_json::Value;

/// One thing outside of a profile.
#[derive(Debug, Clone)]
pub struct Outside {
    /// The thing, by its kind.
    pub what: OutsideKind,
    /// The author of the setting that names it.
    pub by: Author,
    /// The position of its name.
    pub at: Span,
}

/// The kind of thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutsideKind {
    /// A server that documents are sent to, with its port if it has one of its own.
    Server(String),
    /// A proxy through which requests go.
    Proxy(String),
    /// A program of this machine that checks candidates, with its arguments.
    Program(String),
    /// A provider with its settings: its plugin says what it is.
    Provider(String, Value),
}

impl Outside {
    /// Returns whether it is named in one of the files in the executable.
    pub fn is_shipped(&self) -> bool {
        self.by == Author::Profile && self.at.file().is_shipped()
    }
}

/// All things outside of itself that a profile uses.
#[must_use]
pub fn outside_of(loaded: &Loaded) -> Vec<Outside> {
    let (profile, merged) = (&loaded.profile, &loaded.merged);
    let mut found = Vec::new();
    let stages = profile.stages.iter().flat_map(|stage| &stage.call.providers);
    let judges = profile.judges.iter().filter(|judge| judge.is_asked());
    for choice in stages.chain(judges.flat_map(|judge| &judge.call.providers)) {
        if choice.name.value != NO_PROVIDER {
            found.push(provider(choice));
            found.extend(server(choice, merged));
        }
    }
    for validator in &profile.validators {
        let here = || validator.id.span.clone();
        match &validator.asked {
            Asked::Command { command, .. } => found.push(Outside {
                what: OutsideKind::Program(command.join(" ")),
                by: Author::of(&validator.id.span),
                at: here(),
            }),
            Asked::Service { config, url_by } => {
                let url = config.get("base_url").and_then(Value::as_str).unwrap_or_default();
                let starts = |text: &str| text.starts_with(url);
                let at = place(merged, "url", *url_by, &starts).unwrap_or_else(here);
                found.push(Outside { what: OutsideKind::Server(authority(url).to_owned()), by: *url_by, at });
            }
        }
    }
    if let Proxy::Named { url, by } = &profile.network.proxy {
        let at = place(merged, "proxy", *by, &|text| text == url).unwrap_or_else(|| merged.span.clone());
        found.push(Outside { what: OutsideKind::Proxy(authority(url).to_owned()), by: *by, at });
    }
    found
}

fn provider(choice: &ProviderChoice) -> Outside {
    let what = OutsideKind::Provider(choice.name.value.clone(), choice.config.clone());
    Outside { what, by: Author::of(&choice.name.span), at: choice.name.span.clone() }
}

fn server(choice: &ProviderChoice, merged: &Node) -> Option<Outside> {
    let url = choice.config.get("base_url")?.as_str()?;
    let at = place(merged, "base_url", choice.base_url_by, &|text| text == url);
    Some(Outside {
        what: OutsideKind::Server(authority(url).to_owned()),
        by: choice.base_url_by,
        at: at.unwrap_or_else(|| choice.name.span.clone()),
    })
}

/// The position of a fitting text under a key, if its author is `author`.
fn place(node: &Node, key: &str, author: Author, fits: &dyn Fn(&str) -> bool) -> Option<Span> {
    match &node.data {
        Data::List(items) => items.iter().find_map(|item| place(item, key, author, fits)),
        Data::Map(entries) => entries.iter().find_map(|entry| {
            let here = entry.key == key
                && entry.value.as_text().is_some_and(fits)
                && Author::of(&entry.value.span) == author;
            here.then(|| entry.value.span.clone()).or_else(|| place(&entry.value, key, author, fits))
        }),
        Data::Null | Data::Bool(_) | Data::Int(_) | Data::Float(_) | Data::Text { .. } => None,
    }
}

/// Host and port of a URL, without a password.
fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Problems, SourceFile};
    use crate::profile::{Library, Override, load};

    #[test]
    fn who_named_what_is_outside_is_told() {
        let yaml = "extends: balanced\nnetwork: { proxy: 'http://me:pw@proxy.example:3128' }\nstages:\n  - id: a\n    provider: openai:m\n    \
                    config: { base_url: 'https://files.example/v1' }\n    prompt: extract.md\nvalidators:\n  x: { command: [sh, -c, 'true'] }\n  \
                    y: { url: 'https://check.example:8443/v?x' }\nassess: { v: { external: [x, y] } }\n";
        let library = Library::embedded().holding("profiles/mine.yaml", yaml);
        let mut problems = Problems::new();
        let setting = |text: &str| Override::from_flag(text, &mut Problems::new()).unwrap();
        let overrides = [setting("stages.*.config.base_url=http://flag.example:1").recorded()];
        let told = |overrides: &[Override], problems: &mut Problems| {
            let loaded = load("mine", &library, overrides, &|_| None, problems).unwrap();
            outside_of(&loaded).into_iter().map(|one| (one.what, one.by)).collect::<Vec<_>>()
        };
        let of_files = told(&[], &mut problems);
        let server = |name: &str| OutsideKind::Server(name.to_owned());
        for expected in [
            (server("files.example"), Author::Profile),
            (server("check.example:8443"), Author::Profile),
            (OutsideKind::Program("sh -c true".to_owned()), Author::Profile),
            (OutsideKind::Proxy("proxy.example:3128".to_owned()), Author::Profile),
        ] {
            assert!(of_files.contains(&expected), "{expected:?} {of_files:?} {problems:?}");
        }
        let recorded = told(&overrides, &mut problems);
        assert!(recorded.contains(&(server("flag.example:1"), Author::Record)), "{recorded:?}");
        let file = SourceFile::new("x", "y");
        assert_eq!(Author::of(&Span::new(&file, 0, 1)), Author::Profile);
    }
}

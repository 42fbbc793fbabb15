//! The settings of a stage or judge for the providers that it asks.

use super::attach::Attach;
use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::value::Millis;
use crate::value::decode::{Decode, Fields, Spanned, wrong_type};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Node};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Most providers that may replace each other.
const MOST_PROVIDERS: usize = 5;

mapping! {
    /// The providers to ask, and the way to ask them.
    "call" is "call";
    #[derive(Debug, Clone)]
    pub struct Call {
        /// The provider to ask, and those that replace it when it fails, in order. Never empty. A missing one has been
        /// reported and is replaced by `pattern`.
        #[key(flatten)]
        pub providers: Vec<ProviderChoice> as Asked = Asked::chain => |fields: &Fields<'_>| {
            vec![ProviderChoice::without_settings(Spanned { value: "pattern".to_owned(), span: fields.span().clone() })]
        },
        /// The prompt: a template that is filled in with the document and what else it names. A judge that is asked must have
        /// one.
        #[key(text("a file under `prompts/`"), examples(&["extract.md", "judge/literature.md"]))]
        pub prompt: Option<Spanned<String>>,
        /// The JSON Schema that the answer must follow. `{{ document_type }}` is filled in. Without it any answer is
        /// taken.
        #[key(text("a JSON Schema under `schemas/`"), examples(&["schemas/{{ document_type }}.schema.json"]))]
        pub output: Option<Spanned<String>>,
        /// The longest time that one call may take, from sending to the last byte. A call that takes longer has failed with a
        /// transient error.
        #[key(some_time, default("60s"), examples(&["30s", "2m"]))]
        pub deadline: Millis,
        /// The model settings of the request. Each one left out is the provider's choice.
        #[key(examples(&["{ temperature: 0, max_tokens: 4000 }"]))]
        pub options: Options => |_| Options::default(),
        /// Sends a document that is an image or a PDF along with the prompt: as the file that it is, or as pictures of its pages.
        /// Without it only text is sent. Not together with `mask`, unless for a judge with `sees: unmasked`.
        #[key(examples(&["document", "pages", "{ pages: '1-3, 7, last', pixels: 1600 }"]))]
        pub attach: Option<Spanned<Attach>>,
    }
}

mapping! {
    /// The providers to ask, as written.
    "asked" is "provider";
    struct Asked {
        /// The provider to ask: a plugin such as `pattern`, `openai:gpt-5-mini` or `./my-plugin.so`. In a list each one
        /// replaces the one before when that has failed permanently; at most five. `none` for a judge that is not
        /// to be asked, `$stage` for one that asks as the last stage does (none, where that is `pattern`).
        #[key(
            required,
            shaped(provider),
            examples(&["pattern", "openai:gpt-5-mini", "[anthropic:claude-haiku-4-5, { name: ollama:llama3, config: {} }]"])
        )]
        provider: Node as String = |node, _| Some(node.clone()),
        /// Settings of the plugin's own; `loopctl plugin inspect NAME` lists those that it knows. In a list of
        /// providers, those of all that bring none themselves.
        #[key(default("{}"), examples(&["{ endpoint: azure }"]))]
        config: Settings as Map<String, Value> = settings,
    }
}

mapping! {
    /// A provider with settings of its own.
    "provider" is "provider";
    struct NamedProvider {
        /// The plugin, and the model after a colon.
        #[key(required, text("a plugin's name or path, with an optional `:model`"), examples(&["ollama:llama3"]))]
        name: Spanned<String>,
        /// The plugin's own settings. Without it, those beside `provider`.
        #[key(examples(&["{ base_url: 'http://localhost:11434' }"]))]
        config: Option<Settings> as Map<String, Value> = |node, problems| settings(node, problems).map(Some) => |_| None,
    }
}

fn provider() -> Shape {
    let name = || {
        Shape::text("a plugin's name or path, with an optional `:model`; several with commas between them")
    };
    let one = Shape::AnyOf(vec![name(), Shape::Mapping(NamedProvider::mapping())]);
    Shape::AnyOf(vec![name(), Shape::list(one), Shape::Mapping(NamedProvider::mapping())])
}

/// The author of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user of the program, with a flag or a variable, or a program that uses the library.
    User,
    /// A profile, which may come from a third party.
    Profile,
    /// The record of a run, which may come from a third party, too.
    Record,
}

impl Author {
    /// The author of the text at a span.
    pub fn of(span: &crate::diag::Span) -> Self {
        match span.file() {
            file if file.is_recorded() => Author::Record,
            file if file.is_argument() => Author::User,
            _ => Author::Profile,
        }
    }
}

/// A provider with its settings.
#[derive(Debug, Clone)]
pub struct ProviderChoice {
    /// The plugin's name or path, with an optional `:model`.
    pub name: Spanned<String>,
    /// The plugin's own settings.
    pub config: Value,
    /// The author of its location: of `base_url` among the settings.
    pub base_url_by: Author,
}

/// The settings of a plugin, the author of `base_url` among them, and whether a profile says where the plugin's service
/// is.
#[derive(Debug, Clone)]
struct Settings {
    config: Value,
    base_url_by: Author,
    placed_by_profile: bool,
}

mapping! {
    /// Settings of a model for its answer. A provider that has no such setting ignores it.
    "options" is "set of options", expects "a mapping of model settings", all default;
    #[derive(Debug, Clone)]
    pub struct Options {
        /// The model, where `provider` names none after a colon.
        #[key(text("the name of a model"), examples(&["gpt-5-mini"]))]
        pub model: Option<String>,
        /// The randomness of the model's choice of words, from 0 (as repeatable as it can) to 2. Without it, the
        /// provider's default.
        #[key(number(0.0, 2.0), examples(&["0"]))]
        pub temperature: Option<f64>,
        /// A number with which some models repeat their answers. Without it, none is sent.
        #[key(examples(&["42"]))]
        pub seed: Option<u64>,
        /// The most tokens (some three quarters of a word each) that an answer may have. An answer that is cut short counts as
        /// failed or is repaired. Without it, the provider's limit.
        #[key(count, examples(&["4000"]))]
        pub max_tokens: Option<u64>,
        /// Laid over the body of each request to an HTTP API, key by key: settings of a vendor that loopctl does not know.
        #[key(default("{}"), examples(&["{ reasoning_effort: low }"]))]
        pub extra_body: Map<String, Value> = decode_body,
        /// Added to the headers of each request to an HTTP API. Keys come from the environment, never from here.
        #[key(shaped(headers), default("{}"), examples(&["{ x-project: registry }"]))]
        pub extra_headers: BTreeMap<String, String> = decode_headers,
    }
}

fn headers() -> Shape {
    Shape::Map(Open {
        key: "HEADER",
        names: Names::Any,
        doc: "The header's value. Headers that carry keys or belong to the connection are refused.",
        shape: String::shape,
        null: Null::Mistake,
    })
}

impl Asked {
    fn chain(self, problems: &mut Problems) -> Option<Vec<ProviderChoice>> {
        let chain = ProviderChoice::decode_chain(&self.provider, &self.config, problems);
        Some(chain).filter(|chain| !chain.is_empty())
    }
}

impl Call {
    /// The provider that is asked first.
    #[must_use]
    pub fn provider(&self) -> &str {
        self.providers.first().map_or("", |first| first.name.value.as_str())
    }

    /// The most repetitions of a call in all, when each provider may be asked again `retries` times.
    #[must_use]
    pub fn attempts_after_first(&self, retries: u32) -> u32 {
        let providers = u32::try_from(self.providers.len()).unwrap_or(u32::MAX);
        retries.saturating_add(1).saturating_mul(providers).saturating_sub(1)
    }
}

fn settings(node: &Node, problems: &mut Problems) -> Option<Settings> {
    let Data::Map(_) = node.data else {
        return wrong_type(node, "a mapping with the plugin's settings", problems);
    };
    let base_url_by = node.get("base_url").map_or(Author::Profile, |url| Author::of(&url.span));
    let by_profile = |key: &&str| node.get(key).is_some_and(|at| Author::of(&at.span) == Author::Profile);
    let placed_by_profile = WHERE.iter().any(by_profile);
    Some(Settings { config: Value::decode(node, problems)?, base_url_by, placed_by_profile })
}

/// Settings that say where a provider's service is.
const WHERE: [&str; 2] = ["base_url", "endpoint"];

impl Settings {
    fn says_where(&self) -> bool {
        WHERE.iter().any(|key| self.config.get(key).is_some())
    }

    fn of(self, name: Spanned<String>) -> ProviderChoice {
        ProviderChoice { name, config: self.config, base_url_by: self.base_url_by }
    }
}

impl ProviderChoice {
    /// A provider that takes no settings.
    pub(super) fn without_settings(name: Spanned<String>) -> Self {
        ProviderChoice { name, config: Value::Object(Map::new()), base_url_by: Author::Profile }
    }

    /// Reads `a`, `a, b`, `[a, b]` or `[a, { name: b, config: {…} }]`. `config` is that of all that bring none.
    fn decode_chain(node: &Node, config: &Settings, problems: &mut Problems) -> Vec<Self> {
        let mut chain: Vec<Self> = Vec::new();
        match &node.data {
            Data::List(items) => {
                chain.extend(items.iter().flat_map(|item| Self::decode_link(item, config, problems)));
                if items.is_empty() {
                    problems.push(
                        Problem::error(Code::Empty, &node.span, "this chain has no provider")
                            .help("write one provider, or a list of them"),
                    );
                }
            }
            _ => chain.extend(Self::decode_link(node, config, problems)),
        }
        let shared = chain.iter().filter(|choice| choice.config == config.config).count();
        if shared > 1 && config.says_where() {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &node.span,
                    "`config` says where one provider is, and here are several: one would get another's key",
                )
                .help("write `{ name: …, config: { base_url: … } }` for the provider that is there"),
            );
        }
        for (at, choice) in chain.iter().enumerate() {
            let name = &choice.name;
            let same = |other: &&Self| other.name.value == name.value && other.config == choice.config;
            let problem = if chain.iter().take(at).any(|other| same(&other)) {
                Problem::error(Code::Conflict, &name.span, format!("`{}` appears here twice", name.value))
                    .help("a provider that failed permanently fails again; `retries` says how often each is asked again")
            } else if chain.len() > 1 && name.value == super::NO_PROVIDER {
                Problem::error(Code::Conflict, &name.span, "`none` can't replace a provider")
                    .help("write `none` alone, or leave it out of the chain")
            } else if at == MOST_PROVIDERS {
                let found = chain.len();
                let problem = format!("a chain has at most {MOST_PROVIDERS} providers, found {found}");
                Problem::error(Code::OutOfRange, &name.span, problem)
            } else {
                continue;
            };
            problems.push(problem);
        }
        chain
    }

    /// Reads one member of a chain; a text may name several, with commas between them.
    fn decode_link(node: &Node, config: &Settings, problems: &mut Problems) -> Vec<Self> {
        if let Data::Map(_) = node.data {
            let named = NamedProvider::read_mapping(node, problems);
            let of = |named: NamedProvider| named.config.unwrap_or_else(|| config.clone()).of(named.name);
            return named.map(of).into_iter().collect();
        }
        let Some(text) = Spanned::<String>::decode(node, problems) else { return Vec::new() };
        // Its own provider is where a profile says; whether another is there, too, is unknown. Doing without one sends
        // nothing to anyone.
        let is_another = ![super::NO_PROVIDER, super::ANSWERED_BY_CASE].contains(&text.value.trim());
        if is_another && Author::of(&text.span) != Author::Profile && config.placed_by_profile {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &text.span,
                    "the profile's `config` says where its own provider is, and here another is named",
                )
                .help("say where this one is, with `--provider-config base_url=URL`"),
            );
        }
        let choice = |name: &str| {
            config.clone().of(Spanned { value: name.trim().to_owned(), span: text.span.clone() })
        };
        text.value.split(',').map(choice).collect()
    }
}

/// Reads a name that templates and reasons can use: letters, digits, `-` and `_`.
pub(super) fn identifier(node: &Node, problems: &mut Problems) -> Option<Spanned<String>> {
    let id = Spanned::<String>::decode(node, problems)?;
    check_identifier(&id.value, &id.span, problems);
    Some(id)
}

/// A stand-in for a missing name, which has been reported: the files that are named beside it can still be checked.
pub(super) fn nameless(fields: &Fields<'_>) -> Spanned<String> {
    Spanned { value: String::new(), span: fields.span().clone() }
}

/// Reports a name that has anything but letters, digits, `-` and `_`.
pub(super) fn check_identifier(name: &str, span: &crate::diag::Span, problems: &mut Problems) {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(fits) {
        problems.push(
            Problem::error(Code::WrongType, span, format!("`{name}` can't be a name"))
                .help("use letters, digits, `-` and `_`"),
        );
    }
}

fn decode_body(node: &Node, problems: &mut Problems) -> Option<Map<String, Value>> {
    match node.to_json() {
        Value::Object(body) => Some(body),
        _ => wrong_type(node, "a mapping of what to add to the request's body", problems),
    }
}

fn decode_headers(node: &Node, problems: &mut Problems) -> Option<BTreeMap<String, String>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from names of headers to texts", problems);
    };
    let headers =
        entries.iter().filter_map(|entry| {
            let value = String::decode(&entry.value, problems)?;
            let name = entry.key.to_ascii_lowercase();
            let legal = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
            let problem = if name.is_empty() || !name.chars().all(legal) {
                format!("`{}` is not a header's name", entry.key)
            } else if NOT_EXTRA.contains(&name.as_str()) || name.starts_with("proxy-") {
                format!("the header `{name}` is not a profile's to set")
            } else {
                return Some((name, value));
            };
            problems.push(Problem::error(Code::Conflict, &entry.key_span, problem).help(
                "keys come from the environment, and the connection is loopctl's; take this header out",
            ));
            None
        });
    Some(headers.collect())
}

/// Headers that identify the caller, or control the connection.
const NOT_EXTRA: [&str; 15] = [
    "authorization",
    "api-key",
    "x-api-key",
    "x-goog-api-key",
    "cookie",
    "host",
    "content-length",
    "content-type",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "user-agent",
];

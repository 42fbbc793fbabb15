//! The JSON that crosses the plugin boundary, as types that both sides use.
//!
//! Fields evolve: a reader ignores what it doesn't know and takes a default for what is missing, so either side may
//! be the newer one. [`VERSION`] only changes when a known field changes its meaning. Numbers are finite: JSON has
//! no other, and what can't be written as a number is left out.

pub mod batch;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the payloads.
pub const VERSION: u32 = 1;

fn version() -> u32 {
    VERSION
}

/// The capability of plugins that run programs of this machine which their configuration names. As a configuration may
/// come with someone else's profile, the host opens them only with `--allow-commands`.
pub const RUNS_PROGRAMS: &str = "runs-programs";

/// The capability of `http` plugins that speak their vendor's batch API, too (`LC_BATCH`, [`batch`]).
pub const BATCH: &str = "batch";

/// The capability of plugins that answer no prompts: they make what they are asked for by other means, such as
/// patterns, and so can't judge what others made.
pub const NO_PROMPTS: &str = "no-prompts";

/// In [`PluginError::detail`], when it is `true`: the account has nothing left or may spend no more, so that every
/// other call fails the same way until a user has done something about it. The host ends a batch at once.
pub const OUT_OF_CREDIT: &str = "out_of_credit";

/// A plugin's description of itself. It is in the library as plain bytes and is read without running any of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The name that profiles use: lower-case letters, digits, `-` and `_`. The library is called `loopctl_NAME`.
    pub name: String,
    /// The plugin's own version.
    pub version: String,
    /// The ABI it was compiled for.
    pub abi: AbiVersion,
    /// The kind, which tells the functions that it offers.
    pub kind: PluginKind,
    /// One sentence for `loopctl plugin list`.
    #[serde(default)]
    pub description: String,
    /// Its abilities, as free words: `seed`, `schema`, `images`, … Three have a meaning to the host: [`RUNS_PROGRAMS`],
    /// [`BATCH`] and [`NO_PROMPTS`].
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// A JSON Schema that the configuration is checked against before the plugin sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_schema: Option<Value>,
    /// The environment variables whose values it may place in headers as `${secret:NAME}`.
    #[serde(default)]
    pub secrets: Vec<String>,
    /// The hosts that its requests may go to, as `name` (port 443) or `name:port`; the first is its default.
    /// A `base_url` in the configuration adds that URL's host.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Services that speak this plugin's API, the default first. Each is a provider's name, too: with an endpoint
    /// `ollama`, the specification `ollama:llama3` means this plugin. The host fills the keys `endpoint` and `base_url`
    /// of the configuration in before the plugin sees it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<Endpoint>,
}

impl Manifest {
    /// Returns whether it has the capability [`RUNS_PROGRAMS`].
    pub fn runs_programs(&self) -> bool {
        self.capabilities.iter().any(|word| word == RUNS_PROGRAMS)
    }

    /// Returns whether it answers prompts, which all do without the capability [`NO_PROMPTS`].
    pub fn answers_prompts(&self) -> bool {
        !self.capabilities.iter().any(|word| word == NO_PROMPTS)
    }

    /// Returns whether it is an `http` plugin with the capability [`BATCH`].
    pub fn speaks_batch(&self) -> bool {
        self.kind == PluginKind::Http && self.capabilities.iter().any(|word| word == BATCH)
    }
}

/// A service that speaks a plugin's API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The name by which the configuration's `endpoint` picks it.
    pub name: String,
    /// Its address, unless the configuration's `base_url` or one of `base_url_env` says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Environment variables that may hold the base URL; the first that is set counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base_url_env: Vec<String>,
    /// Keys of the configuration, each with an environment variable that fills it in when it isn't set. Never secrets:
    /// the plugin sees the values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub config_env: BTreeMap<String, String>,
}

/// A version of the ABI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbiVersion {
    /// Both sides must have the same.
    pub major: u32,
    /// Either side may have the greater.
    pub minor: u32,
}

/// The kind of a plugin, which tells the functions that it offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PluginKind {
    /// A pure codec; the host does the network.
    Http,
    /// Makes the completion itself.
    Direct,
}

/// The engine's request to a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompletionRequest {
    /// [`VERSION`].
    #[serde(default = "version")]
    pub version: u32,
    /// The document of this extraction.
    #[serde(default)]
    pub document: DocumentRef,
    /// The stage of the profile: `extract`, …
    #[serde(default)]
    pub stage: String,
    /// The iteration of the loop: 0 for the first candidate, k for the k-th correction.
    #[serde(default)]
    pub iteration: u32,
    /// The number of the try within the iteration, from 1: more after a failed call.
    #[serde(default)]
    pub attempt: u32,
    /// The rendered prompt.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// The JSON Schema that the answer is to follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// `true` if the answer is asked for with quotes: `{"extraction": …, "evidence": [{"path": "/grade", "quote":
    /// "…"}]}`, a passage of the document for the value at each JSON Pointer. `schema` and the prompt say so, too. An
    /// answer that is the extraction alone is accepted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quotes: bool,
    /// The document's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The declared extraction patterns of the document's type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patterns: Option<Value>,
    /// The parts of a document that is about several of a kind, for plugins that read no prompts: they accompany
    /// `patterns` that ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<RequestParts>,
    /// The assertions of the document, for plugins that read no prompts: they accompany `patterns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertions: Option<RequestAssertions>,
    /// The candidate to be corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Value>,
    /// The problems of `base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<RequestFeedback>,
    /// Files that belong to the prompt: the document itself as an image or PDF.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The sampling options.
    #[serde(default)]
    pub options: RequestOptions,
}

impl Default for CompletionRequest {
    fn default() -> Self {
        Self {
            version: VERSION,
            document: DocumentRef::default(),
            stage: String::new(),
            iteration: 0,
            attempt: 1,
            messages: Vec::new(),
            schema: None,
            quotes: false,
            source: None,
            patterns: None,
            parts: Vec::new(),
            assertions: None,
            base: None,
            feedback: None,
            attachments: Vec::new(),
            options: RequestOptions::default(),
        }
    }
}

/// The document that a request is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentRef {
    /// The document's id within its run.
    #[serde(default)]
    pub id: String,
    /// `pathology`, `radiology`, …
    #[serde(default)]
    pub document_type: String,
}

/// The parts of a document, of each of which the extraction has one item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestParts {
    /// The list of the extraction.
    #[serde(default)]
    pub list: String,
    /// The member of its items that names the part.
    #[serde(default)]
    pub label: String,
    /// The parts, in order.
    #[serde(default)]
    pub parts: Vec<RequestPart>,
}

/// One part of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestPart {
    /// The document's name for it: `A`, `2`.
    #[serde(default)]
    pub label: String,
    /// Its position in `source`: first byte and one past the last, of each stretch, in order.
    #[serde(default)]
    pub stretches: Vec<(usize, usize)>,
}

/// The assertions of a document: what is affirmed, negated, uncertain, historical, hypothetical, or of another, and how
/// final its sections are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestAssertions {
    /// The beginning of each section, in order. Text before the first is affirmed, and as final as [`RequestSection`]
    /// by default.
    #[serde(default)]
    pub sections: Vec<RequestSection>,
    /// The reach of the phrases that negate, doubt or date, in order of the phrases.
    #[serde(default)]
    pub scopes: Vec<RequestScope>,
    /// The assertions that fields may hold besides affirmed ones, by their names: a plan is hypothetical.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accepted: BTreeMap<String, Vec<String>>,
}

/// The beginning of a section of a document, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestSection {
    /// Its first byte in `source`.
    #[serde(default)]
    pub start: usize,
    /// Its finality, from 0 to 9.
    #[serde(default = "plain_finality")]
    pub finality: u8,
    /// The assertion of the text in it: `affirmed`, `negated`, `uncertain`, `historical`, `hypothetical`, `of_another`.
    #[serde(default = "affirmed")]
    pub assertion: String,
}

impl Default for RequestSection {
    fn default() -> Self {
        Self { start: 0, finality: plain_finality(), assertion: affirmed() }
    }
}

/// The reach of one phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestScope {
    /// The first byte in `source`.
    #[serde(default)]
    pub start: usize,
    /// One past the last.
    #[serde(default)]
    pub end: usize,
    /// `true` if the phrase precedes what it is about: then it reaches what begins here, else what ends here.
    #[serde(default)]
    pub ahead: bool,
    /// The assertion of what it reaches.
    #[serde(default)]
    pub assertion: String,
}

/// The finality of a section of which nothing is known.
fn plain_finality() -> u8 {
    5
}

fn affirmed() -> String {
    "affirmed".to_owned()
}

/// A file that goes with the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its name, without folders.
    #[serde(default)]
    pub name: String,
    /// `application/pdf`, `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    #[serde(default)]
    pub media_type: String,
    /// Its bytes in Base64 (RFC 4648, with padding).
    #[serde(default)]
    pub data: String,
}

/// One message of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The speaker.
    pub role: Role,
    /// The text.
    pub content: String,
}

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The request.
    User,
    /// An earlier answer.
    Assistant,
}

/// The problems of the candidate that a request starts from, for providers that don't read prompts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestFeedback {
    /// Fields that the rubric asks for and the candidate lacks.
    #[serde(default)]
    pub missing: Vec<String>,
    /// The assessment's issues.
    #[serde(default)]
    pub issues: Vec<RequestIssue>,
    /// The earlier attempts that did not help, in words.
    #[serde(default)]
    pub failed_attempts: Vec<String>,
}

/// One issue of an assessment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestIssue {
    /// The rule's id.
    #[serde(default)]
    pub code: String,
    /// `critical`, `major`, `minor`, …
    #[serde(default)]
    pub severity: String,
    /// The location in the candidate, as a JSON Pointer or a field's name.
    #[serde(default)]
    pub path: String,
    /// A description of the problem.
    #[serde(default)]
    pub message: String,
    /// A correction that would fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
}

/// The sampling options. What is absent is the provider's choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestOptions {
    /// The model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// 0 and up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// For providers that sample repeatably.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The most tokens to answer with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Laid over the body of the HTTP request, key by key: anything else that a provider understands.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
    /// Added to the headers of the HTTP request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra_headers: BTreeMap<String, String>,
}

/// A provider's answer. It carries a `value` or a `text`; with neither it counts as garbage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// [`VERSION`].
    #[serde(default = "version")]
    pub version: u32,
    /// The answer as JSON, when the provider knows it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub value: Option<Value>,
    /// The answer as the model wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The usage of the call.
    #[serde(default)]
    pub usage: Usage,
    /// The model that answered, when the provider knows better than the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's own id of this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// The reason why the model stopped, in the provider's words: `stop`, `length`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Remarks for the journal. Never document text.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Default for Completion {
    fn default() -> Self {
        Self {
            version: VERSION,
            value: None,
            text: None,
            usage: Usage::default(),
            model: None,
            response_id: None,
            finish_reason: None,
            notes: Vec::new(),
        }
    }
}

/// Keeps `"value": null` apart from no value at all.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// The usage of a completion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, cached ones included.
    #[serde(default)]
    pub input_tokens: u64,
    /// Those of `input_tokens` that the provider had cached, and may charge less for.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// Those of `input_tokens` that the provider wrote to a cache which keeps them for minutes, and may charge more for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Those of `input_tokens` that the provider wrote to a cache which keeps them for an hour.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_1h_tokens: u64,
    /// Tokens written.
    #[serde(default)]
    pub output_tokens: u64,
    /// True if a count that decides the price was missing or made no sense. The counts are then the least that it took, and
    /// what that costs is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// In US dollars, 0 and up; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The reason why a call failed, in words; the status beside it tells the kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PluginError {
    /// One line. Never document text, never a secret.
    #[serde(default)]
    pub message: String,
    /// The time to wait before another try, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Further details for those who investigate it. A [`Usage`] under `usage` is counted and priced: an answer that
    /// was cut or refused is paid for, too. [`OUT_OF_CREDIT`] says that the account is spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
}

/// The request that an `http` plugin makes of a completion request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// `POST`, …
    pub method: String,
    /// Under the base URL, beginning with `/`; may carry a query.
    pub path: String,
    /// In values, `${secret:NAME}` represents the value of a declared secret; the plugin never sees it.
    /// `${secret:A|B}` is the first of several that is set. With a `?` before the brace, as in `${secret:NAME?}`, the
    /// whole header is left out when none is.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Sent as it is, in UTF-8.
    #[serde(default)]
    pub body: String,
    /// Another base URL than the configured one or `https://` and the manifest's first host. Its host must be among those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

/// The server's answer. Statuses that mean failure come too: the plugin knows what they mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    /// 200, …
    pub status: u16,
    /// Names in lower case; the values of a repeated header joined by `, `.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// As UTF-8; bytes that aren't are replaced.
    #[serde(default)]
    pub body: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_ignored_and_missing_ones_defaulted() {
        let request: CompletionRequest =
            serde_json::from_str(r#"{"from_the_future": {"x": 1}, "document": {"id": "a", "pages": 3}}"#)
                .unwrap();
        assert_eq!(request.document.id, "a");
        assert_eq!(request.version, VERSION);
        assert!(request.messages.is_empty());
        let completion: Completion = serde_json::from_str(r#"{"text": "x", "mood": "good"}"#).unwrap();
        assert_eq!(completion, Completion { text: Some("x".into()), ..Completion::default() });
    }

    #[test]
    fn a_null_value_is_not_an_absent_one() {
        let null: Completion = serde_json::from_str(r#"{"value": null}"#).unwrap();
        assert_eq!(null.value, Some(Value::Null));
        let absent: Completion = serde_json::from_str("{}").unwrap();
        assert_eq!(absent.value, None);
        assert_eq!(serde_json::from_str::<Completion>(&serde_json::to_string(&null).unwrap()).unwrap(), null);
    }

    #[test]
    fn numbers_are_finite() {
        assert!(serde_json::from_str::<Usage>(r#"{"cost_usd": 1e999}"#).is_err());
        let written = serde_json::to_string(&Usage { cost_usd: Some(f64::NAN), ..Usage::default() }).unwrap();
        assert_eq!(serde_json::from_str::<Usage>(&written).unwrap().cost_usd, None);
    }
}

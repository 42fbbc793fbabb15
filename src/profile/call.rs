//! What a stage and a judge say about whom they ask.

use crate::diag::{Code, Problem, Problems};
use crate::value::Millis;
use crate::value::decode::{Count, Decode, Fields, Spanned, number_in, wrong_type};
use crate::value::yaml::{Data, Node};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Most times that a failed call may be made again.
const MOST_RETRIES: u32 = 20;

/// Whom to ask, and how.
#[derive(Debug, Clone)]
pub struct Call {
    /// The plugin's name or path, with an optional `:model`.
    pub provider: Spanned<String>,
    /// The prompt template, under `prompts/`.
    pub prompt: Option<Spanned<String>>,
    /// The JSON Schema of the answer.
    pub output: Option<Spanned<String>>,
    /// The plugin's own settings.
    pub config: Value,
    /// Longest time for one call.
    pub deadline: Millis,
    /// Model settings.
    pub options: Options,
}

/// What is asked of a model.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Model name, if the provider's spec does not give one.
    pub model: Option<String>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Sampling seed.
    pub seed: Option<u64>,
    /// Most tokens in an answer.
    pub max_tokens: Option<u64>,
    /// Laid over the body of a request to an HTTP API, key by key.
    pub extra_body: Map<String, Value>,
    /// Added to its headers.
    pub extra_headers: BTreeMap<String, String>,
}

impl Call {
    /// Reads the keys of a call among those of a stage or judge. A provider that is missing has been reported and
    /// stands as `pattern`.
    pub(super) fn decode(fields: &mut Fields<'_>, problems: &mut Problems) -> Self {
        let whole = fields.span().clone();
        let provider = fields.required("provider", problems);
        let config = match fields.node("config") {
            Some(node @ Node { data: Data::Map(_), .. }) => Value::decode(node, problems),
            Some(other) => wrong_type(other, "a mapping with the plugin's settings", problems),
            None => None,
        };
        Call {
            provider: provider.unwrap_or_else(|| Spanned { value: "pattern".to_owned(), span: whole }),
            prompt: fields.optional("prompt", problems),
            output: fields.optional("output", problems),
            config: config.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
            deadline: decode_deadline(fields, problems),
            options: fields.node("options").and_then(|n| Options::decode(n, problems)).unwrap_or_default(),
        }
    }
}

/// Reads a name that templates and reasons can use: letters, digits, `-` and `_`.
pub(super) fn identifier(
    fields: &mut Fields<'_>,
    key: &'static str,
    problems: &mut Problems,
) -> Option<Spanned<String>> {
    let id = fields.required::<Spanned<String>>(key, problems)?;
    check_identifier(&id.value, &id.span, problems);
    Some(id)
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

/// Reads `deadline`, 60 s if it is not there.
pub(super) fn decode_deadline(fields: &mut Fields<'_>, problems: &mut Problems) -> Millis {
    let deadline = fields.or("deadline", Millis(60_000), problems);
    if deadline == Millis(0)
        && let Some(span) = fields.key_span("deadline")
    {
        let problem = Problem::error(Code::OutOfRange, span, "within no time nothing can answer");
        problems.push(problem.help("write a duration such as `60s`"));
    }
    deadline
}

pub(super) fn decode_retries(node: &Node, problems: &mut Problems) -> Option<u32> {
    let value = u64::decode(node, problems)?;
    let retries = u32::try_from(value).ok().filter(|retries| *retries <= MOST_RETRIES);
    if retries.is_none() {
        problems.push(Problem::error(
            Code::OutOfRange,
            &node.span,
            format!("`retries` is at most {MOST_RETRIES}, found {value}"),
        ));
    }
    retries
}

impl Decode for Options {
    const EXPECTED: &'static str = "a mapping of model settings";

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "set of options", problems)?;
        let options = Options {
            model: fields.optional("model", problems),
            temperature: fields.node("temperature").and_then(|n| number_in(n, 0.0, 2.0, problems)),
            seed: fields.optional("seed", problems),
            max_tokens: fields.optional::<Count>("max_tokens", problems).map(|c| u64::from(c.0)),
            extra_body: fields
                .node("extra_body")
                .and_then(|node| match node.to_json() {
                    Value::Object(body) => Some(body),
                    _ => wrong_type(node, "a mapping of what to add to the request's body", problems),
                })
                .unwrap_or_default(),
            extra_headers: fields
                .node("extra_headers")
                .and_then(|node| decode_headers(node, problems))
                .unwrap_or_default(),
        };
        fields.finish(problems);
        Some(options)
    }
}

fn decode_headers(node: &Node, problems: &mut Problems) -> Option<BTreeMap<String, String>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from names of headers to texts", problems);
    };
    let headers = entries.iter().filter_map(|entry| {
        let value = String::decode(&entry.value, problems)?;
        Some((entry.key.to_ascii_lowercase(), value))
    });
    Some(headers.collect())
}

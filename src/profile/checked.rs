//! A merged tree to a checked [`Profile`].

use super::policy::{Accept, Gate, LoopPolicy, OnEscalate, OnRegression, Select, StopCriteria};
use super::{Dimension, Measure, Overall, Repair};
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Count, Decode, Fields, Spanned, number_in, wrong_type};
use crate::value::yaml::{Data, Node};
use crate::value::{EPSILON, Millis};
use serde_json::Value;

/// Most times that a failed call may be made again.
const MOST_RETRIES: u32 = 20;

/// A policy as its author wrote it, merged and checked.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The profiles it is made of, itself first, its farthest ancestor last.
    pub chain: Vec<String>,
    /// What makes a candidate.
    pub stages: Vec<Stage>,
    /// The classification rules, `rules/NAME.yaml`.
    pub classify: Option<Spanned<String>>,
    /// How each dimension is measured, in file order.
    pub dimensions: Vec<Dimension>,
    /// What decides.
    pub policy: LoopPolicy,
    /// How the next request is written.
    pub feedback: Feedback,
    /// What is repaired before a candidate is assessed.
    pub repair: Repair,
    /// When a person gets to see the result.
    pub review: Option<Spanned<String>>,
    /// SHA-256 of the merged settings, in hexadecimal: two runs with the same digest decided by the same policy.
    pub digest: String,
}

/// One step that makes (part of) a candidate.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its name.
    pub id: String,
    /// The plugin's name or path, with an optional `:model`.
    pub provider: Spanned<String>,
    /// The prompt template, under `prompts/`.
    pub prompt: Option<Spanned<String>>,
    /// The JSON Schema of its output.
    pub output: Option<Spanned<String>>,
    /// Extraction patterns, under `rules/`.
    pub patterns: Option<Spanned<String>>,
    /// The plugin's own settings.
    pub config: Value,
    /// Longest time for one call.
    pub deadline: Millis,
    /// How often a call that failed for a passing reason is made again.
    pub retries: u32,
    /// Model settings.
    pub options: Options,
}

/// What a stage asks of a model.
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
}

/// How the next request is written.
#[derive(Debug, Clone)]
pub struct Feedback {
    /// The template, under `prompts/`.
    pub template: Spanned<String>,
    /// How many failed attempts are remembered, first in first out.
    pub history: usize,
    /// Most bytes of feedback in one request.
    pub max_bytes: usize,
}

/// Reads a merged tree. Everything wrong with it goes to `problems`. What is wrong is replaced by something harmless, so
/// that the files which the profile names can be checked in the same go; `None` only when the tree is no mapping.
/// A profile with errors must not be run.
pub(super) fn decode(
    root: &Node,
    fallback_name: &str,
    chain: Vec<String>,
    problems: &mut Problems,
) -> Option<Profile> {
    let mut fields = Fields::open(root, "profile", problems)?;
    let name = fields.or("name", fallback_name.to_owned(), problems);
    let description = fields.or("description", String::new(), problems);
    fields.node("extends");
    let classify = fields.optional("classify", problems);
    let stages = match fields.node("stages") {
        Some(node) => decode_stages(node, problems),
        None => Vec::new(),
    };
    let dimensions = decode_dimensions(&mut fields, problems);
    let known: Vec<&str> = dimensions.iter().map(|d| d.name.as_str()).collect();
    let overall = match fields.node("overall") {
        Some(node) => decode_overall(node, &known, problems),
        None => {
            problems.push(
                Problem::error(Code::MissingKey, &root.span, "this profile lacks `overall`")
                    .help("give each dimension its weight: `overall: { completeness: 0.5, accuracy: 0.5 }`"),
            );
            None
        }
    };
    let accept = match fields.node("accept") {
        Some(node) => Accept::decode(node, &known, problems),
        None => {
            problems.push(
                Problem::error(Code::MissingKey, &root.span, "this profile lacks `accept`")
                    .help("say when a candidate is good enough: `accept: { overall: 0.95 }`"),
            );
            None
        }
    };
    let gate = fields.node("gate").and_then(|node| Gate::decode(node, &known, problems));
    let on_escalate = fields.or("on_escalate", OnEscalate::Continue, problems);
    let on_regression = fields.or("on_regression", OnRegression::Keep, problems);
    let stop = fields.required("stop", problems);
    let select = fields.node("select").and_then(|node| Select::decode(node, &known, problems));
    let feedback = fields.required("feedback", problems);
    let repair = fields.or("repair", Repair::default(), problems);
    let review = fields.node("review").and_then(|node| decode_review(node, problems));
    fields.finish(problems);

    let stop: StopCriteria = stop.unwrap_or_default();
    if let (Some(_), OnRegression::Keep) = (stop.rollbacks, on_regression)
        && let Some(node) = root.get("stop").and_then(|s| s.get("rollbacks"))
    {
        problems.push(
            Problem::warning(
                Code::Conflict,
                &node.span,
                "`rollbacks` never applies while `on_regression` is `keep`",
            )
            .help("set `on_regression: rollback`, or remove `rollbacks`"),
        );
    }
    let policy = LoopPolicy {
        overall: overall.unwrap_or(Overall::Weighted(Vec::new())),
        accept: accept.unwrap_or_default(),
        gate,
        on_escalate,
        on_regression,
        stop,
        select: select.unwrap_or_default(),
    };
    let digest = crate::value::Digest::of(&root.to_json()).hex();
    Some(Profile {
        name,
        description,
        chain,
        stages,
        classify,
        dimensions,
        policy,
        feedback: feedback.unwrap_or_else(|| Feedback::fallback(root)),
        repair,
        review,
        digest,
    })
}

fn decode_stages(node: &Node, problems: &mut Problems) -> Vec<Stage> {
    let Data::List(items) = &node.data else {
        return wrong_type(node, "a list of stages", problems).unwrap_or_default();
    };
    if items.len() > 1 {
        problems.push(
            Problem::error(
                Code::Conflict,
                &node.span,
                format!("this version runs one stage, found {}", items.len()),
            )
            .help("keep the stage whose output is the candidate"),
        );
    }
    items.iter().filter_map(|item| Stage::decode(item, problems)).collect()
}

impl Decode for Stage {
    const EXPECTED: &'static str = "a stage";

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "stage", problems)?;
        let id = fields.required("id", problems);
        let provider = fields.required("provider", problems);
        let config = match fields.node("config") {
            Some(node @ Node { data: Data::Map(_), .. }) => Value::decode(node, problems),
            Some(other) => wrong_type(other, "a mapping with the plugin's settings", problems),
            None => None,
        };
        let stage = Stage {
            id: id.unwrap_or_default(),
            // What is missing has been reported; the files that the stage names can still be looked at.
            provider: provider
                .unwrap_or_else(|| Spanned { value: "pattern".to_owned(), span: node.span.clone() }),
            prompt: fields.optional("prompt", problems),
            output: fields.optional("output", problems),
            patterns: fields.optional("patterns", problems),
            config: config.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
            deadline: fields.or("deadline", Millis(60_000), problems),
            retries: fields.node("retries").and_then(|n| decode_retries(n, problems)).unwrap_or(2),
            options: fields.node("options").and_then(|n| Options::decode(n, problems)).unwrap_or_default(),
        };
        fields.finish(problems);
        Some(stage)
    }
}

fn decode_retries(node: &Node, problems: &mut Problems) -> Option<u32> {
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
        };
        fields.finish(problems);
        Some(options)
    }
}

fn decode_dimensions(fields: &mut Fields<'_>, problems: &mut Problems) -> Vec<Dimension> {
    let whole = fields.span();
    let Some(node) = fields.node("assess") else {
        problems
            .push(Problem::error(Code::MissingKey, whole, "this profile lacks `assess`").help(
                "say how each dimension is measured: `assess: { completeness: { rubric: clinical } }`",
            ));
        return Vec::new();
    };
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from dimensions to measures", problems).unwrap_or_default();
    };
    let mut dimensions = Vec::new();
    for entry in entries {
        if entry.key == "overall" {
            problems.push(
                Problem::error(Code::Conflict, &entry.key_span, "a dimension can't be called `overall`")
                    .help("`overall` is computed from the dimensions; give this one another name"),
            );
            continue;
        }
        // A measure with a mistake still is a dimension, so that bounds on it are not reported as unknown.
        let measure = Measure::decode(&entry.value, problems).unwrap_or(Measure::Given);
        dimensions.push(Dimension { name: entry.key.clone(), name_span: entry.key_span.clone(), measure });
    }
    dimensions
}

fn decode_overall(node: &Node, known: &[&str], problems: &mut Problems) -> Option<Overall> {
    let check = |name: &str, span, problems: &mut Problems| {
        let is_known = known.contains(&name);
        if !is_known {
            let help = match crate::diag::nearest(name, known.iter().copied()) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => format!(
                    "`assess` has {}",
                    known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")
                ),
            };
            problems.push(
                Problem::error(Code::UnknownName, span, format!("no dimension is called `{name}`"))
                    .help(help),
            );
        }
        is_known
    };
    let mut fields = Fields::open(node, "overall score", problems)?;
    if let Some(from) = fields.optional::<Spanned<String>>("from", problems) {
        fields.finish(problems);
        return check(&from.value, &from.span, problems).then_some(Overall::From(from.value));
    }
    let mut weights = Vec::new();
    for entry in fields.rest() {
        let named = check(&entry.key, &entry.key_span, problems);
        if let Some(weight) = number_in(&entry.value, 0.0, f64::MAX, problems).filter(|_| named) {
            weights.push((entry.key.clone(), weight));
        }
    }
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    if sum <= 0.0 || !sum.is_finite() {
        problems.push(
            Problem::error(Code::Weights, &node.span, "the weights add up to nothing")
                .help("give at least one dimension a weight above 0"),
        );
        return None;
    }
    if (sum - 1.0).abs() > EPSILON {
        problems.push(
            Problem::warning(Code::Weights, &node.span, format!("the weights add up to {sum:.4}, not 1"))
                .help("each is divided by their sum"),
        );
        weights.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    Some(Overall::Weighted(weights))
}

impl Feedback {
    fn fallback(root: &Node) -> Self {
        let template = Spanned { value: "feedback/default.md".to_owned(), span: root.span.clone() };
        Feedback { template, history: 10, max_bytes: 20_000 }
    }
}

impl Decode for Feedback {
    const EXPECTED: &'static str = "a mapping of feedback settings";

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, "set of feedback settings", problems)?;
        let template = fields.required("template", problems);
        let history = fields.or("history", Count(10), problems).0 as usize;
        let max_bytes = fields.or("max_bytes", Count(20_000), problems).0 as usize;
        fields.finish(problems);
        Some(Feedback { template: template?, history, max_bytes })
    }
}

fn decode_review(node: &Node, problems: &mut Problems) -> Option<Spanned<String>> {
    let mut fields = Fields::open(node, "review rule", problems)?;
    let when = fields.required("when", problems);
    fields.finish(problems);
    when
}

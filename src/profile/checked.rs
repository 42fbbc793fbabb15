//! A merged tree to a checked [`Profile`].

use super::candidate::{CandidateKind, OnPreExisting, decode_variables};
use super::judge::{Judge, Validator, ask_as_stages_do, decode_judges, decode_validators};
use super::keys;
use super::mask::Mask;
use super::network::Network;
use super::policy::{Accept, Gate, LoopPolicy, OnEscalate, OnRegression, Select};
use super::references;
use super::stage::{Stage, decode_stages};
use super::{Criterion, Dimension, Dispositions, Feedback, Lock, Measure, Overall, Repair, StopCriteria};
use crate::diag::{Code, Problem, Problems};
use crate::value::EPSILON;
use crate::value::decode::{Fields, Spanned, number_in, wrong_type};
use crate::value::yaml::{Data, Node};

/// A policy as its author wrote it, merged and checked.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The profiles it is made of, itself first, its farthest ancestor last.
    pub chain: Vec<String>,
    /// What a candidate is.
    pub candidate: CandidateKind,
    /// What becomes of mistakes that the document had before an edit.
    pub on_pre_existing: OnPreExisting,
    /// What prompts may use besides what the loop knows.
    pub variables: serde_json::Map<String, serde_json::Value>,
    /// What makes a candidate.
    pub stages: Vec<Stage>,
    /// Stages that run for candidate 0 only; their output is carried to later candidates.
    pub generate_once: Vec<String>,
    /// What the stages do not see of a document.
    pub mask: Vec<Mask>,
    /// Who is asked what a candidate is worth, after the gate.
    pub judges: Vec<Judge>,
    /// Which programs check a candidate, after the gate.
    pub validators: Vec<Validator>,
    /// The classification rules, `rules/NAME.yaml`.
    pub classify: Option<Spanned<String>>,
    /// How each dimension is measured, in file order.
    pub dimensions: Vec<Dimension>,
    /// What decides.
    pub policy: LoopPolicy,
    /// How requests of `http` plugins are sent.
    pub network: Network,
    /// How the next request is written.
    pub feedback: Feedback,
    /// What is repaired before a candidate is assessed.
    pub repair: Repair,
    /// When a person gets to see the result.
    pub review: Option<Spanned<String>>,
    /// SHA-256 of the merged settings, in hexadecimal: two runs with the same digest decided by the same policy. Where the
    /// settings come from (`extends`) is not part of it: a profile and the same written out decide alike.
    pub digest: String,
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
    let mut fields = Fields::open(root, &keys::PROFILE, problems)?;
    let name = fields.or("name", fallback_name.to_owned(), problems);
    let description = fields.or("description", String::new(), problems);
    fields.node("extends");
    let classify = fields.optional("classify", problems);
    let candidate = fields.or("candidate", CandidateKind::Value, problems);
    let on_pre_existing = fields.or("pre_existing", OnPreExisting::Warn, problems);
    let variables = fields.node("variables").and_then(|node| decode_variables(node, problems));
    let stages = match fields.node("stages") {
        Some(node) => decode_stages(node, problems),
        None => Vec::new(),
    };
    let generate_once = fields.or("generate_once", Vec::<Spanned<String>>::new(), problems);
    let mask = fields.or("mask", Vec::new(), problems);
    let mut judges = fields.node("judges").map(|node| decode_judges(node, problems)).unwrap_or_default();
    ask_as_stages_do(&mut judges, &stages, problems);
    let validators =
        fields.node("validators").map(|node| decode_validators(node, problems)).unwrap_or_default();
    let network = fields.or("network", Network::default(), problems);
    let dimensions = decode_dimensions(&mut fields, overall_is_a_dimension(root), problems);
    let known: Vec<&str> = dimensions.iter().map(|d| d.name.as_str()).collect();
    let overall = match fields.node("overall") {
        Some(node) => decode_overall(node, &known, problems),
        None => {
            let help = "give each dimension its weight: `overall: { completeness: 0.5, accuracy: 0.5 }`";
            problems.push(fields.lacking("overall", help));
            None
        }
    };
    let accept = match fields.node("accept") {
        Some(node) => Accept::decode(node, &known, problems),
        None => {
            let help = "say when a candidate is good enough: `accept: { overall: 0.95 }`";
            problems.push(fields.lacking("accept", help));
            None
        }
    };
    let gate = fields.node("gate").and_then(|node| Gate::decode(node, &known, problems));
    if let Some(gate) = &gate
        && let Some(node) = root.get("gate")
        && dimensions
            .iter()
            .any(|d| d.name == gate.dimension && d.second.is_some() && matches!(d.measure, Measure::Given))
    {
        let message = format!(
            "the gate stands before judges and validators, and nothing else measures `{}`",
            gate.dimension
        );
        let problem = Problem::error(Code::Conflict, &node.span, message);
        problems.push(problem.help("gate another dimension, or give this one a measure with `otherwise:`"));
    }
    let dispositions = fields.or("dispositions", Dispositions::default(), problems);
    let on_escalate = fields.or("on_escalate", OnEscalate::Continue, problems);
    let on_regression = fields.or("on_regression", OnRegression::Keep, problems);
    let stop = fields.required("stop", problems);
    let select = fields.or("select", Select::default(), problems);
    if let Some(node) = root.get("select") {
        Select::check_names(node, &known, problems);
    }
    let feedback = fields.required("feedback", problems);
    let repair = fields.or("repair", Repair::default(), problems);
    let review = fields.node("review").and_then(|node| decode_review(node, problems));
    fields.finish(problems);
    if let (CandidateKind::Value, OnPreExisting::Block) = (candidate, on_pre_existing)
        && let Some(node) = root.get("pre_existing")
    {
        let message = "`pre_existing` is about edits, and candidates here are no patches";
        let problem = Problem::warning(Code::Conflict, &node.span, message);
        problems.push(problem.help("take it out, or set `candidate: patch`"));
    }
    let feedback: Feedback = feedback.unwrap_or_default();
    if let (CandidateKind::Patch, Lock::Passing) = (candidate, feedback.lock)
        && let Some(node) = root.get("feedback").and_then(|feedback| feedback.get("lock"))
    {
        let message = "nothing is locked while candidates are patches, which have no fields";
        let problem = Problem::warning(Code::Conflict, &node.span, message);
        problems.push(problem.help("set `lock: none`, or `candidate: value`"));
    }
    references::check(&stages, &generate_once, &judges, &validators, &dimensions, &feedback, problems);
    references::check_attachments(&stages, &judges, &mask, problems);

    let stop: StopCriteria = stop.unwrap_or_default();
    if stop.iter().any(|criterion| matches!(criterion, Criterion::Rollbacks(_)))
        && on_regression == OnRegression::Keep
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
        dispositions,
        on_escalate,
        on_regression,
        stop,
        select,
    };
    let digest = digest(root);
    Some(Profile {
        name,
        description,
        chain,
        candidate,
        on_pre_existing,
        variables: variables.unwrap_or_default(),
        stages,
        generate_once: generate_once.into_iter().map(|id| id.value).collect(),
        mask,
        judges,
        validators,
        classify,
        dimensions,
        policy,
        network,
        feedback,
        repair,
        review,
        digest,
    })
}

fn digest(root: &Node) -> String {
    let mut settings = root.to_json();
    if let serde_json::Value::Object(settings) = &mut settings {
        settings.shift_remove("extends");
    }
    crate::value::Digest::of(&settings).hex()
}

/// Whether the profile says `overall: { from: overall }`: a judge gives the overall score as a dimension of its own.
fn overall_is_a_dimension(root: &Node) -> bool {
    root.get("overall").and_then(|overall| overall.get("from")).and_then(Node::as_text) == Some("overall")
}

fn decode_dimensions(
    fields: &mut Fields<'_>,
    may_be_overall: bool,
    problems: &mut Problems,
) -> Vec<Dimension> {
    let Some(node) = fields.node("assess") else {
        let help = "say how each dimension is measured: `assess: { completeness: { rubric: clinical } }`";
        problems.push(fields.lacking("assess", help));
        return Vec::new();
    };
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from dimensions to measures", problems).unwrap_or_default();
    };
    let mut dimensions = Vec::new();
    for entry in entries {
        if entry.key == "overall" && !may_be_overall {
            problems.push(
                Problem::error(Code::Conflict, &entry.key_span, "a dimension can't be called `overall`").help(
                    "`overall` is computed from the dimensions; give this one another name, or write `overall: { from: overall }`",
                ),
            );
            continue;
        }
        let name_span = entry.key_span.clone();
        dimensions.push(Dimension::decode(entry.key.clone(), name_span, &entry.value, problems));
    }
    dimensions
}

fn decode_overall(node: &Node, known: &[&str], problems: &mut Problems) -> Option<Overall> {
    let check = |name: &str, span, problems: &mut Problems| {
        let is_known = known.contains(&name);
        if !is_known {
            let help = match crate::diag::nearest(name, known.iter().copied()) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None if known.is_empty() => "`assess` has no dimension".to_owned(),
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
    if node.get("from").is_some_and(|from| !matches!(from.data, Data::Null)) {
        let mut fields = Fields::open(node, &keys::OVERALL_FROM, problems)?;
        let from = fields.required::<Spanned<String>>("from", problems);
        fields.finish(problems);
        let from = from?;
        return check(&from.value, &from.span, problems).then_some(Overall::From(from.value));
    }
    let mut fields = Fields::open(node, &keys::OVERALL_WEIGHTS, problems)?;
    let mut weights = Vec::new();
    let mut all_named = true;
    for entry in fields.rest().into_iter().filter(|entry| entry.key != "from") {
        let named = check(&entry.key, &entry.key_span, problems);
        all_named &= named;
        if let Some(weight) = number_in(&entry.value, 0.0, f64::MAX, problems).filter(|_| named) {
            weights.push((entry.key.clone(), weight));
        }
    }
    if !all_named {
        // The sum says nothing while a weight goes by a wrong name.
        return None;
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
        weights.iter_mut().for_each(|(_, weight)| *weight /= sum);
        problems.push(uneven_weights(node, sum, &weights));
    }
    Some(Overall::Weighted(weights))
}

/// Says what weights count that don't add up to 1; `shares` are what they count.
fn uneven_weights(node: &Node, sum: f64, shares: &[(String, f64)]) -> Problem {
    let short = |number: f64| ((number * 1e4).round() / 1e4).to_string();
    let counted: Vec<String> =
        shares.iter().map(|(name, share)| format!("{name}: {}", short(*share))).collect();
    let difference = if sum < 1.0 {
        format!("{} is missing", short(1.0 - sum))
    } else {
        format!("{} is too much", short(sum - 1.0))
    };
    let message = format!("the weights add up to {}, not 1: {difference}", short(sum));
    let help = format!(
        "each is divided by {}, so they count as {{ {} }}: write that, or the weights that you mean",
        short(sum),
        counted.join(", ")
    );
    let problem = Problem::warning(Code::Weights, &node.span, message);
    let inherited: Vec<&crate::value::yaml::Entry> = match &node.data {
        Data::Map(entries) => {
            entries.iter().filter(|entry| entry.key_span.file().name() != node.span.file().name()).collect()
        }
        _ => Vec::new(),
    };
    let Some(first) = inherited.first() else { return problem.help(help) };
    let names: Vec<String> = inherited.iter().map(|entry| format!("`{}`", entry.key)).collect();
    let away: Vec<String> = inherited.iter().map(|entry| format!("`{}: null`", entry.key)).collect();
    let said = format!("{} from the parent counted, too", names.join(" and "));
    problem.related(&first.key_span, &said).help(format!(
        "{help}; to be rid of what the parent says, write {} under `overall`",
        away.join(" and ")
    ))
}

fn decode_review(node: &Node, problems: &mut Problems) -> Option<Spanned<String>> {
    let mut fields = Fields::open(node, &keys::REVIEW, problems)?;
    let when = fields.required("when", problems);
    fields.finish(problems);
    when
}

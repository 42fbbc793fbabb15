//! A merged tree to a checked [`Profile`].

use super::accept::Accept;
use super::candidate::{CandidateKind, OnPreExisting, decode_variables};
use super::certify::Certify;
use super::ingest::Ingest;
use super::judge::{
    Judge, ProgramKeys, ServiceKeys, Validator, ask_as_stages_do, decode_judges, decode_validators,
    leave_unnamed_unasked,
};
use super::mask::{Mask, decode_masks};
use super::measure_keys::measure;
use super::network::Network;
use super::policy::{LoopPolicy, OnRegression, Select};
use super::promises::DeclaredPromise;
use super::references;
use super::sections::SectionSettings;
use super::stage::{Stage, decode_stages};
use super::{Budget, Criterion, Dimension, Feedback, Lock, Measure, Repair};
use crate::diag::{Code, Problem, Problems};
use crate::library::Library;
use crate::mapping;
use crate::value::decode::{Fields, Spanned, wrong_type};
use crate::value::shape::{NAME, Names, Null, Open, Shape};
use crate::value::yaml::{Data, Entry, Node};
use serde_json::Value;
use std::collections::BTreeMap;

mapping! {
    /// The policy of a loop: what makes a candidate, how it is measured, when it is good enough, when to stop, and
    /// which candidate is returned. A profile that `extends` another holds only the differences.
    "profile" is "profile";
    #[derive(Debug, Clone)]
    pub struct Profile {
        /// The profile's name, which appears in results. Without it, the file's name.
        #[key(examples(&["our-clinic"]))]
        pub name: String => |_| String::new(),
        /// The purpose of the profile, in a sentence; `loopctl profile list` shows it.
        #[key(default("''"), examples(&["Pathology reports of our clinic, strict about grade and margins"]))]
        pub description: String,
        /// The profile that this one starts from. Mappings merge key by key; anything else, lists too, replaces the
        /// inherited value; `null` removes a key. A stage takes the keys that it leaves out from the one of its `id`.
        /// Without `extends` the profile starts from the defaults and must set `assess`, `overall` and `accept` itself.
        #[key(
            name("extends"),
            text("the name of a profile, or a path beside this file"),
            examples(&["balanced", "./our-base.yaml"])
        )]
        // Followed before this is read: the profiles it is made of, itself first, its farthest ancestor last.
        pub chain: Vec<String> = |_, _| None => |_| Vec::new(),
        /// The file by which a document gets its type from its content. `--type` on the command line overrides it;
        /// `null` leaves every document without a type (`unknown`).
        #[key(
            text("a file under `rules/`, without `.yaml`"),
            default("classify"),
            examples(&["classify", "classify-literature"])
        )]
        pub classify: Option<Spanned<String>>,
        /// The form of a candidate, and so the value that is assessed.
        #[key(default("value"), examples(&["patch"]))]
        pub candidate: CandidateKind,
        /// For candidates that are patches: the handling of a mistake that the document had before, and that the edit
        /// does not touch. Issues of validators and judges are not compared with the document as it was.
        #[key(name("pre_existing"), default("warn"), examples(&["block"]))]
        pub on_pre_existing: OnPreExisting,
        /// The texts that prompts get besides the document: a prompt writes `{{ variables.NAME }}`. `--var NAME=TEXT`
        /// sets one for a run.
        #[key(
            shaped(|| Shape::Map(Open {
                names: Names::Pattern("^[A-Za-z_][A-Za-z0-9_]*$"),
                ..named(
                    "The value that a prompt finds as `{{ variables.NAME }}`. While it is empty, the prompt can't be used.",
                    || Shape::Any,
                )
            })),
            examples(&["{ task: Summarize for the tumor board, audience: clinicians }"])
        )]
        pub variables: serde_json::Map<String, Value> as Value = decode_variables => |_| serde_json::Map::new(),
        /// The steps that make a candidate, asked one after the other; at most 20. A profile without stages can score
        /// candidates from elsewhere, but not run.
        #[key(examples(&[
            "[{ id: extract, provider: pattern, prompt: extract.md, patterns: 'extract/{{ document_type }}.yaml' }]"
        ]))]
        pub stages: Vec<Stage> = |node, problems| Some(decode_stages(node, problems)) => |_| Vec::new(),
        /// Stages that run for the first candidate only. Their answers are carried along to every correction.
        #[key(
            shaped(|| Shape::list(Shape::text("the id of a stage"))),
            default("[]"),
            examples(&["[examples]"])
        )]
        pub generate_once: Vec<Spanned<String>>,
        /// The reading of documents that are not plain text, and the gate that their pages pass before a call is made.
        #[key(examples(&["{ ocr: { languages: [deu] }, gate: { hidden_words: { above: 0, then: fail } } }"]))]
        pub ingest: Ingest => |_| Ingest::default(),
        /// Passages that no stage, rule or measure sees, at most 100. Only a judge with `sees: unmasked` gets the whole
        /// document, so that it can hold an answer against text that the answer could not copy.
        #[key(default("[]"), examples(&["[{ pattern: '(?s)IMPRESSION:.*', replace: '[withheld]' }]"]))]
        pub mask: Vec<Mask> = |node, problems| Some(decode_masks(node, problems)) => |_| Vec::new(),
        /// Models that are asked for the worth of a candidate, after the gate; at most 50. They see the document and
        /// the candidate, and nothing of earlier attempts or scores. Their scores count where `assess` names them,
        /// their issues always.
        #[key(
            shaped(|| Shape::Map(named(
                "One judge, by the name that `assess` uses for it.",
                || Shape::Mapping(Judge::mapping()),
            ))),
            examples(&["{ verification: { provider: 'openai:gpt-5-mini', prompt: judge/literature.md } }"])
        )]
        pub judges: Vec<Judge> as Value = |node, problems| Some(decode_judges(node, problems)) => |_| Vec::new(),
        /// Programs of this machine and HTTP services that check a candidate, after the gate; at most 50. Their scores count where `assess`
        /// names them, their issues always.
        #[key(
            shaped(|| Shape::Map(named("One validator, by the name that `assess` uses for it.", || {
                Shape::AnyOf(vec![Shape::Mapping(ProgramKeys::mapping()), Shape::Mapping(ServiceKeys::mapping())])
            }))),
            examples(&["{ terminology: { url: 'https://example.org/check', stages: [codes] } }"])
        )]
        pub validators: Vec<Validator> as Value = |node, problems| Some(decode_validators(node, problems)) => |_| Vec::new(),
        /// The settings of requests to models behind HTTP APIs: timeouts, limits, backing off after failures. Without
        /// it, the defaults of each key.
        #[key(examples(&["{ limits: { openai: { requests_per_minute: 60 } } }"]))]
        pub network: Network => |_| Network::default(),
        /// The most that all documents of a run may use up together; `stop.budget` is for each of them. When it is
        /// spent no other call is made: calls in flight end, and the remaining documents wait for `loopctl resume`,
        /// with a larger budget. The limit can be exceeded by the calls in flight. It decides nothing about a document,
        /// so that a run continues after it was changed.
        #[key(default("{}"), examples(&["{ cost_usd: 50 }"]))]
        pub budget: Budget => |_| Budget::default(),
        /// The dimensions of quality, and the source of each score: a number from 0 to 1.
        #[key(
            name("assess"),
            required,
            missing("say how each dimension is measured: `assess: { completeness: { rubric: clinical } }`"),
            shaped(|| Shape::Map(Open {
                key: "DIMENSION",
                names: Names::Any,
                ..named(
                    "How this dimension gets its score. The name is yours; `overall` is one only with `overall: { from: overall }`.",
                    measure,
                )
            })),
            examples(&["{ completeness: { rubric: clinical }, validity: { rules: clinical-validity, penalty: 0.10 } }"])
        )]
        pub dimensions: Vec<Dimension> as Value = decode_dimensions => |_| Vec::new(),
        /// The settings that decide.
        #[key(flatten)]
        pub policy: LoopPolicy,
        /// The request for a correction: its content, its recipients, and its size.
        #[key(required, always, examples(&["{ template: feedback/clinical.md, history: 5 }"]))]
        pub feedback: Feedback => |_| Feedback::default(),
        /// The corrections that may be made to an answer without asking a model, before it is assessed. Each change is
        /// recorded in the result. `false` switches all of it off, `true` is the default.
        #[key(always, examples(&["false", "{ drop_unknown: false }"]))]
        pub repair: Repair => |_| Repair::default(),
        /// The results that are marked for review by a person. Without it none is.
        #[key(examples(&["{ when: overall < 0.80 or status != passed }"]))]
        pub review: Option<Spanned<String>> as Review = |node, problems| {
            Some(Some(Review::read_mapping(node, problems)?.when))
        } => |_| None,
        /// The handling of files that hold several documents. Without it a file is one document.
        #[key(examples(&["{ split: true, merge: { default: conflict, fields: { labValues: all } } }"]))]
        pub sections: Option<SectionSettings>,
        /// Conditions that must hold for every run, whatever candidates score; `loopctl prove` shows it. Besides these
        /// every policy makes six promises, which it may waive. They decide nothing about a document.
        #[key(examples(&["[{ always: calls <= 6 }, { never: passed and issues.critical > 0 }]"]))]
        pub promises: Vec<DeclaredPromise> => |_| Vec::new(),
        /// The promise about accepted documents that `loopctl calibrate` is to certify. Without it, the defaults of its
        /// keys.
        #[key(examples(&["{ wrong_documents: 5%, confidence: 95%, per: all }"]))]
        pub certify: Option<Certify>,
        /// SHA-256 of the merged settings, in hexadecimal: two runs with the same digest decided by the same policy.
        /// The origin of the settings (`extends`) is not part of it: a profile and its written-out copy decide alike.
        #[key(skip)]
        pub digest: String = |_: &mut Fields<'_>, _| Some(String::new()),
        /// SHA-256 of each top-level setting that decides about a document, by its key: the basis of a certificate.
        #[key(skip)]
        pub setting_digests: BTreeMap<String, String> = |_: &mut Fields<'_>, _| Some(BTreeMap::new()),
    }
}

impl Profile {
    /// The judge of single values: the one that a measure of grounding names.
    #[must_use]
    pub fn value_judge(&self) -> Option<&Spanned<String>> {
        self.value_judges().next()
    }

    /// Each setting that names a judge of single values.
    pub(super) fn value_judges(&self) -> impl Iterator<Item = &Spanned<String>> {
        let measures = self.dimensions.iter().flat_map(|dimension| dimension.measure.parts());
        measures.filter_map(|measure| match measure {
            Measure::Grounding(grounding) => grounding.judge.as_ref(),
            _ => None,
        })
    }
}

/// A mapping with names that a profile chooses.
const fn named(doc: &'static str, shape: fn() -> Shape) -> Open {
    Open { key: "NAME", names: Names::Pattern(NAME), doc, shape, null: Null::Absent }
}

mapping! {
    /// The results that are marked for review by a person.
    "review" is "review rule", expects "`{ when: overall < 0.80 }`";
    struct Review {
        /// A condition over `overall`, `status` and the dimensions. It decides nothing else: the result is only marked.
        #[key(text("a condition"), required, examples(&["overall < 0.80 or status != passed"]))]
        when: Spanned<String>,
    }
}

/// Reads a merged tree. All errors in it go to `problems`. An erroneous setting is replaced by something harmless, so
/// that the files which the profile names can be checked at once; `None` only when the tree is not a mapping. A profile
/// with errors must not be run.
pub(super) fn decode(
    root: &Node,
    fallback_name: &str,
    chain: Vec<String>,
    library: &Library,
    problems: &mut Problems,
) -> Option<Profile> {
    let mut profile = Profile::read_mapping(root, problems)?;
    profile.chain = chain;
    profile.digest = digest(root);
    profile.setting_digests = setting_digests(root);
    if profile.name.is_empty() {
        fallback_name.clone_into(&mut profile.name);
    }
    let value = |key: &str| root.get(key).filter(|node| !matches!(node.data, Data::Null));
    // Without a value it was removed, and its default with it.
    profile.classify = profile.classify.filter(|_| value("classify").is_some());
    ask_as_stages_do(&mut profile.judges, &profile.stages, library, problems);
    leave_unnamed_unasked(&mut profile, root, problems);
    if !overall_is_a_dimension(root) {
        refuse_overall(&mut profile.dimensions, problems);
    }
    check_policy(&mut profile.policy, &profile.dimensions, profile.certify.as_ref(), root, problems);
    if let (CandidateKind::Value, OnPreExisting::Block) = (profile.candidate, profile.on_pre_existing)
        && let Some(node) = value("pre_existing")
    {
        let message = "`pre_existing` is about edits, and candidates here are not patches";
        let problem = Problem::warning(Code::Conflict, &node.span, message);
        problems.push(problem.help("take it out, or set `candidate: patch`"));
    }
    if let (CandidateKind::Patch, Lock::Passing) = (profile.candidate, profile.feedback.lock)
        && let Some(node) = root.get("feedback").and_then(|feedback| feedback.get("lock"))
    {
        let message = "nothing is locked while candidates are patches, which have no fields";
        let problem = Problem::warning(Code::Conflict, &node.span, message);
        problems.push(problem.help("set `lock: none`, or `candidate: value`"));
    }
    if let (true, None, Some(node)) = (
        profile.sections.as_ref().is_some_and(|sections| sections.split),
        &profile.classify,
        value("sections"),
    ) {
        let message = "`sections` splits files by the types of what they hold, and nothing tells types apart";
        let problem = Problem::warning(Code::Conflict, &node.span, message);
        problems.push(problem.help("name a classification with `classify`, or take it out"));
    }
    references::check(&profile, root, problems);
    references::check_attachments(&profile.stages, &profile.judges, &profile.mask, problems);
    Some(profile)
}

/// Reads `accept`, and reports names of unknown dimensions, and settings that can't work together.
fn check_policy(
    policy: &mut LoopPolicy,
    dimensions: &[Dimension],
    certify: Option<&Certify>,
    root: &Node,
    problems: &mut Problems,
) {
    let known: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    let value = |key: &str| root.get(key).filter(|node| !matches!(node.data, Data::Null));
    if value("assess").is_none() {
        // Its absence has been reported, and every name of a dimension would be wrong.
        return;
    }
    if let Some(node) = value("overall") {
        policy.overall = policy.overall.checked(node, &known, problems).unwrap_or_default();
    }
    if let Some(certify) = certify {
        certify.check_score(&known, problems);
    }
    if let Some(node) = value("accept") {
        policy.accept = Accept::decode(node, &known, problems).unwrap_or_default();
    }
    if let Some(node) = value("gate") {
        policy.gate = policy.gate.take().filter(|gate| gate.check_name(node, &known, problems));
        let gated = policy.gate.iter().find_map(|gate| dimensions.iter().find(|d| d.name == gate.dimension));
        if let Some(Dimension { name, measure: Measure::Given, second: Some(_), .. }) = gated {
            let message =
                format!("the gate comes before judges and validators, and nothing else measures `{name}`");
            let problem = Problem::error(Code::Conflict, &node.span, message);
            problems
                .push(problem.help("gate another dimension, or give this one a measure with `otherwise:`"));
        }
    }
    if let Some(node) = value("select") {
        Select::check_names(node, &known, problems);
    }
    let keep = policy.on_regression == OnRegression::Keep;
    for key in policy.stop.iter().filter(|one| keep && one.needs_rollback()).map(Criterion::key) {
        if let Some(node) = root.get("stop").and_then(|stop| stop.get(key)) {
            let message = format!("`{key}` never applies while `on_regression` is `keep`");
            let problem = Problem::warning(Code::Conflict, &node.span, message);
            problems.push(problem.help(format!("set `on_regression: rollback`, or remove `{key}`")));
        }
    }
}

fn digest(root: &Node) -> String {
    let mut settings = root.to_json();
    if let serde_json::Value::Object(settings) = &mut settings {
        settings.shift_remove("extends");
        // The budget of a whole run, its promises, and its certification decide nothing about a document.
        settings.shift_remove("budget");
        settings.shift_remove("promises");
        settings.shift_remove("certify");
    }
    crate::value::Digest::of(&settings).hex()
}

/// Settings that decide nothing about a document. `review` only marks results, so that a certified threshold can be
/// used there.
const DECIDES_NOTHING: [&str; 7] =
    ["name", "description", "extends", "budget", "promises", "review", "certify"];

fn setting_digests(root: &Node) -> BTreeMap<String, String> {
    let serde_json::Value::Object(settings) = root.to_json() else { return BTreeMap::new() };
    let deciding = settings
        .into_iter()
        .filter(|(key, value)| !DECIDES_NOTHING.contains(&key.as_str()) && !value.is_null());
    deciding.map(|(key, value)| (key, crate::value::Digest::of(&value).hex())).collect()
}

/// Returns whether the profile has `overall: { from: overall }`: a judge gives the overall score as a dimension of its
/// own.
fn overall_is_a_dimension(root: &Node) -> bool {
    root.get("overall").and_then(|overall| overall.get("from")).and_then(Node::as_text) == Some("overall")
}

fn decode_dimensions(node: &Node, problems: &mut Problems) -> Option<Vec<Dimension>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from dimensions to measures", problems);
    };
    let read =
        |entry: &Entry| Dimension::decode(entry.key.clone(), entry.key_span.clone(), &entry.value, problems);
    Some(entries.iter().map(read).collect())
}

fn refuse_overall(dimensions: &mut Vec<Dimension>, problems: &mut Problems) {
    for dimension in dimensions.extract_if(.., |dimension| dimension.name == "overall") {
        let message = "a dimension can't be called `overall`";
        let problem = Problem::error(Code::Conflict, &dimension.name_span, message);
        problems.push(problem.help(
            "`overall` is computed from the dimensions; give this one another name, or write `overall: { from: overall }`",
        ));
    }
}

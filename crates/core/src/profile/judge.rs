//! `judges` and `validators`: the second opinions on a candidate, after the gate (tier 2).

use super::call::{Author, Call, ProviderChoice, check_identifier, nameless};
use super::checked::Profile;
use super::scale::Scale;
use super::stage::Stage;
use super::value_questions::ValueQuestions;
use crate::diag::{Code, Problem, Problems};
use crate::library::Library;
use crate::value::decode::{Decode, Fields, Spanned, wrong_type};
use crate::value::shape::{Shape, Word};
use crate::value::yaml::{Data, Node};
use crate::value::{Millis, Score, Severity};
use crate::{decode_words, mapping};
use serde_json::{Value, json};

/// The provider of a judge that is not to be asked.
pub const NO_PROVIDER: &str = "none";

/// The provider of a judge whose answers a test case brings. It counts as asked; it is never looked up.
pub const ANSWERED_BY_CASE: &str = "the-case";

/// The provider of a judge that is asked where the last stage is.
const LIKE_THE_STAGE: &str = "$stage";

mapping! {
    /// A model that is asked for the worth of a candidate. An answer that can't be read is never a score.
    "judge" is "judge", checked by Judge::check;
    #[derive(Debug, Clone)]
    pub struct Judge {
        /// Its name, by which dimensions refer to it.
        #[key(skip)]
        pub id: Spanned<String> = |fields: &mut Fields<'_>, _| Some(nameless(fields)),
        /// The providers to ask, and the way to ask them.
        #[key(flatten)]
        pub call: Call,
        /// The part of the document that the judge sees.
        #[key(default("masked"), examples(&["unmasked"]))]
        pub sees: Sees,
        /// A file beside the document that only this judge sees, as `{{ reference }}` in its prompt: the right answer.
        /// `{{ document_id }}` (the document's name without extension) and `{{ document_type }}` are filled in. If the
        /// file can't be read, the judge has failed.
        #[key(text("the path of a file in the document's folder"), examples(&["gold/{{ document_id }}.json"]))]
        pub reference: Option<Spanned<String>>,
        /// Members of the candidate, by name and however deep, that the judge is not shown unless the stage's schema
        /// declares them: claims of a model about its own work. `nameScore` and `name-score` are the same as
        /// `name_score`; `*_score` matches every longer name that ends so.
        #[key(
            default(
                "[confidence, '*_confidence', confidence_score, '*_confidence_score', confidence_level, certainty, '*_certainty', \
                 quality, quality_score, score, overall_score, self_assessment, self_evaluation, self_rating, self_score, \
                 verified, validated, is_correct, is_valid, is_verified, accuracy, accuracy_score, completeness, \
                 completeness_score, correctness, overall_quality, reliability, reliability_score, extraction_quality, \
                 validation_status]"
            ),
            examples(&["[confidence, score]"])
        )]
        pub withhold: Vec<String>,
        /// The numbers between which the judge scores, the worst and the best. Its score is converted to 0 to 1; an
        /// answer with a number that is not on the scale can't be read.
        #[key(default("[0, 1]"), examples(&["[0, 10]", "[1, 5]"]))]
        pub scale: Scale,
        /// The location of the list of issues in the judge's answer. Without it the judge gives scores only.
        #[key(
            shaped(|| Shape::text_like("a JSON Pointer such as `/critical_issues`", "^(/|$)")),
            examples(&["/critical_issues"])
        )]
        pub issues: Option<Spanned<String>> = |node, problems| pointer(node, problems).map(Some),
        /// The severity of an issue that has none of its own.
        #[key(default("major"), examples(&["critical"]))]
        pub severity: Severity,
        /// The handling of a judge that gives no readable answer.
        #[key(examples(&["{ retry: 1, then: escalate }", "{ retry: 2, then: { fallback: 0.5 } }"]))]
        pub on_failure: OnFailure => |_| OnFailure { said: false, ..OnFailure::default() },
        /// The settings for asking about single values: `grounding: { judge: NAME }` makes it a judge of these.
        #[key(examples(&["{ calls: 1 }", "{ at_once: 1, words: { Yes: supports, No: neither } }"]))]
        pub values: ValueQuestions => |_| ValueQuestions::default(),
        /// The reason that it is not asked, where that follows from the rest of the profile.
        #[key(skip)]
        pub unasked: Option<Unasked> = |_, _| Some(None),
    }
}

impl Judge {
    /// Returns whether it is to be asked at all.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.call.provider() != NO_PROVIDER
    }

    /// Returns whether it does not see a member of this name: `Confidence` and `confidenceScore` are the same as
    /// `confidence` and `confidence_score`.
    #[must_use]
    pub fn withholds(&self, name: &str) -> bool {
        let name = words(name);
        self.withhold.iter().any(|withheld| match withheld.strip_prefix('*') {
            Some(end) => words(end).len() < name.len() && name.ends_with(&words(end)),
            None => words(withheld) == name,
        })
    }
}

/// The reason that a judge is not asked, though the profile does not set `provider: none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unasked {
    /// It was to be asked where the last stage is, whose provider answers no prompts.
    NoModel,
    /// It has settings for single values, and no measure of grounding names it.
    NotNamed,
}

/// Leaves judges of single values unasked that no measure of grounding names: a profile may measure differently from
/// the one that it extends, but still has its judges.
pub(super) fn leave_unnamed_unasked(profile: &mut Profile, root: &Node, problems: &mut Problems) {
    let named = profile.value_judge().map(|named| named.value.clone());
    for judge in &mut profile.judges {
        let id = &judge.id.value;
        let written = root.get("judges").and_then(|judges| judges.get(id)?.get("values"));
        let Some(written) = written.filter(|node| !matches!(node.data, Data::Null)) else { continue };
        if named.as_ref() == Some(id) {
            continue;
        }
        if judge.is_asked() && !written.span.file().is_shipped() {
            let message =
                format!("no one asks the judge `{id}` about values: no measure of grounding names it");
            let help =
                format!("name it in `assess`, as `grounding: {{ judge: {id} }}`, or take `values` out");
            problems.push(Problem::warning(Code::Conflict, &written.span, message).help(help));
        }
        let no_provider = Spanned { value: NO_PROVIDER.to_owned(), span: judge.id.span.clone() };
        judge.call.providers = vec![ProviderChoice::without_settings(no_provider)];
        judge.unasked = Some(Unasked::NotNamed);
    }
}

/// The words of a name, in small letters: those of `nameConfidence`, `name-confidence` and `Name_Confidence` are the same.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut begins = true;
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            begins = true;
            continue;
        }
        if begins || (small && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        (begins, small) = (false, !c.is_uppercase());
    }
    words
}

/// Gives judges with `provider: $stage` the providers of the last stage, which made the candidate that they judge, as
/// far as these answer prompts. If none of them does, the judge is not asked.
pub(super) fn ask_as_stages_do(
    judges: &mut [Judge],
    stages: &[Stage],
    library: &Library,
    problems: &mut Problems,
) {
    for judge in judges {
        let Some(named) = judge.call.providers.iter().find(|choice| choice.name.value == LIKE_THE_STAGE)
        else {
            continue;
        };
        let has_config = named.config.as_object().is_some_and(|config| !config.is_empty());
        if judge.call.providers.len() > 1 || has_config {
            let what = if has_config { "has the stage's settings" } else { "is all that the stage asks" };
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &named.name.span,
                    format!("`{LIKE_THE_STAGE}` {what} already"),
                )
                .help("write it alone and without `config`, or name the judge's own provider"),
            );
            continue;
        }
        let span = named.name.span.clone();
        let call = stages.last().map(|stage| &stage.call);
        let choices = call.map_or(&[][..], |call| &call.providers).iter();
        let asked: Vec<ProviderChoice> =
            choices.filter(|choice| library.answers_prompts(&choice.name.value)).cloned().collect();
        if asked.is_empty() {
            let no_provider = Spanned { value: NO_PROVIDER.to_owned(), span };
            judge.call.providers = vec![ProviderChoice::without_settings(no_provider)];
            judge.unasked = Some(Unasked::NoModel);
        } else {
            judge.call.providers = asked;
            let model = &mut judge.call.options.model;
            *model = model.take().or_else(|| call.and_then(|call| call.options.model.clone()));
        }
    }
}

/// The part of the document that a judge sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sees {
    /// The text that the stages see.
    Masked,
    /// All of it.
    Unmasked,
}

decode_words!(Sees, "view", {
    "masked": "What the stages see: without what `mask` withholds." => Sees::Masked,
    "unmasked": "The whole document." => Sees::Unmasked,
});

mapping! {
    /// The handling of a judge that gives no readable answer.
    "on_failure" is "rule for failures", expects "`{ retry: 1, then: escalate }`", all default;
    #[derive(Debug, Clone, PartialEq)]
    pub struct OnFailure {
        /// The number of times that the judge is asked again first, for each provider of its list: 0 to 20.
        #[key(whole(0, 20), default("1"), examples(&["2"]))]
        pub retry: u32,
        /// The fate of its dimensions after that. `escalate`: they have no score, and a critical issue informs a
        /// person. `{ fallback: … }`: they get a number or another dimension's score, with a warning.
        #[key(default("escalate"), examples(&["escalate", "{ fallback: 0.5 }", "{ fallback: completeness }"]))]
        pub then: AfterRetries,
        /// `true` if the profile sets this, and does not leave it to the general rule.
        #[key(skip)]
        pub said: bool = |_, _| Some(true),
    }
}

/// The fate of the dimensions of an unavailable judge.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterRetries {
    /// A person decides: an issue with disposition `escalate`, and no score, whatever else measures the dimension.
    Escalate,
    /// This number, and a warning.
    Score(Score),
    /// The value of this dimension, and a warning.
    Dimension(String),
}

/// A program or a service that checks a candidate.
#[derive(Debug, Clone)]
pub struct Validator {
    /// Its name, by which dimensions refer to it.
    pub id: Spanned<String>,
    /// The program or service that is asked.
    pub asked: Asked,
    /// The number of times that it is asked again when it failed with a transient error. A program never does.
    pub retries: u32,
    /// Its stages, in order. One that did not run because an earlier one failed scores 0.
    pub stages: Vec<String>,
    /// Longest time that it may take.
    pub deadline: Millis,
}

/// The program or service that checks a candidate.
#[derive(Debug, Clone)]
pub enum Asked {
    /// A program of this machine.
    Command {
        /// It and its arguments.
        command: Vec<String>,
        /// A file under `rules/` whose text is the last argument.
        script: Option<Spanned<String>>,
    },
    /// An HTTP service.
    Service {
        /// The settings of the provider `service`.
        config: Value,
        /// The author of its location.
        url_by: Author,
    },
}

/// Reads `judges`.
pub(super) fn decode_judges(node: &Node, problems: &mut Problems) -> Vec<Judge> {
    named(node, "judges", problems, Judge::decode)
}

/// Reads `validators`.
pub(super) fn decode_validators(node: &Node, problems: &mut Problems) -> Vec<Validator> {
    named(node, "validators", problems, Validator::decode)
}

/// Most judges of a profile, and most validators: each reads files of its own.
const MOST_NAMED: usize = 50;

/// Reads a mapping from names to the results of `decode`.
fn named<T>(
    node: &Node,
    what: &'static str,
    problems: &mut Problems,
    decode: impl Fn(Spanned<String>, &Node, &mut Problems) -> Option<T>,
) -> Vec<T> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, &format!("a mapping from names to {what}"), problems).unwrap_or_default();
    };
    if entries.len() > MOST_NAMED {
        let problem = format!("a profile has at most {MOST_NAMED} {what}, found {}", entries.len());
        problems.push(Problem::error(Code::OutOfRange, &node.span, problem));
        return Vec::new();
    }
    entries
        .iter()
        .filter(|entry| !matches!(entry.value.data, Data::Null))
        .filter_map(|entry| {
            check_identifier(&entry.key, &entry.key_span, problems);
            let id = Spanned { value: entry.key.clone(), span: entry.key_span.clone() };
            decode(id, &entry.value, problems)
        })
        .collect()
}

impl Judge {
    fn decode(id: Spanned<String>, node: &Node, problems: &mut Problems) -> Option<Self> {
        Some(Judge { id, ..Judge::read_mapping(node, problems)? })
    }

    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        if self.call.prompt.is_none() && self.is_asked() {
            problems.push(
                Problem::error(Code::MissingKey, fields.span(), "this judge lacks `prompt`")
                    .help("add `prompt: judge/NAME.md`, a file under `prompts/`"),
            );
        }
    }
}

/// A JSON Pointer.
pub(super) fn pointer(node: &Node, problems: &mut Problems) -> Option<Spanned<String>> {
    let text = Spanned::<String>::decode(node, problems)?;
    if text.value.is_empty() || text.value.starts_with('/') {
        return Some(text);
    }
    problems.push(
        Problem::error(Code::BadPath, &text.span, format!("`{}` is not a JSON Pointer", text.value))
            .help(format!("it begins with a slash: `/{}`", text.value.replace('.', "/"))),
    );
    None
}

mapping! {
    /// The substitute for an unavailable judge.
    "fallback" is "fallback";
    struct Fallback {
        /// A score from 0 to 1, or the dimension whose score is taken.
        #[key(
            required,
            shaped(|| Shape::AnyOf(vec![Score::shape(), Shape::text("the name of a dimension")])),
            examples(&["0.5", "completeness"])
        )]
        fallback: AfterRetries as Score = |node, problems| match node.as_text() {
            Some(name) => Some(AfterRetries::Dimension(name.to_owned())),
            None => Score::decode(node, problems).map(AfterRetries::Score),
        },
    }
}

impl Decode for AfterRetries {
    const EXPECTED: &'static str = "`escalate` or `{ fallback: … }` with a number or a dimension";

    fn shape() -> Shape {
        Shape::AnyOf(vec![
            Shape::Words(vec![Word {
                word: "escalate",
                doc: "The dimensions have no score, and a critical issue tells a person.",
            }]),
            Shape::Mapping(Fallback::mapping()),
        ])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.as_text() {
            Some("escalate") => Some(AfterRetries::Escalate),
            Some(_) => wrong_type(node, Self::EXPECTED, problems),
            None => Fallback::read_mapping(node, problems).map(|read| read.fallback),
        }
    }
}

mapping! {
    /// The settings that programs and services share.
    "validator" is "validator";
    struct Checking {
        /// The checks, in order. The score is the mean over these: 1 for one that passed, 1 / (1 + issues) for one that
        /// failed, 0 for one that did not run because an earlier one failed.
        #[key(required, examples(&["[structure, constraints]"]))]
        stages: Vec<String> => |_| Vec::new(),
        /// The longest time that the check may take. One that takes longer has failed, and a person is notified.
        #[key(some_time, default("60s"), examples(&["30s"]))]
        deadline: Millis,
    }
}

mapping! {
    /// A program of this machine that checks a candidate. It reads JSON from standard input (`document_type`,
    /// `candidate`, `subject`) and writes JSON. Programs run with `--allow-commands` only; otherwise they are skipped,
    /// which the result reports.
    "validator_program" is "validator";
    pub(super) struct ProgramKeys {
        /// The checks.
        #[key(flatten)]
        checking: Checking,
        /// The program and its arguments. It sees `PATH`, `HOME` and the like of the environment, and no keys.
        #[key(required, examples(&["[python3, -c]"]))]
        command: Vec<String> => |_| Vec::new(),
        /// A file whose text becomes the last argument. Without it nothing is added.
        #[key(text("a file under `rules/`"), examples(&["validators/check.py"]))]
        script: Option<Spanned<String>>,
    }
}

mapping! {
    /// An HTTP service that checks a candidate. It gets the JSON that a program would read by POST, and answers alike.
    "validator_service" is "validator";
    pub(super) struct ServiceKeys {
        /// The URL of the service. Without TLS (`http`) only on this machine, unless `allow_http` is true.
        #[key(
            required,
            shaped(|| Shape::text_like("a URL such as `https://HOST/PATH`", "^https?://[^/?]")),
            examples(&["https://example.org/check"])
        )]
        url: Option<Spanned<String>>,
        /// The checks.
        #[key(flatten)]
        checking: Checking,
        /// The number of times that it is asked again when it failed with a transient error: 0 to 20.
        #[key(whole(0, 20), default("1"), examples(&["3"]))]
        retries: u32,
        /// `true`: the value of the environment variable `LOOPCTL_SERVICE_TOKEN` is sent as a bearer token, to hosts that
        /// `LOOPCTL_SERVICE_HOSTS` lists and to this machine.
        #[key(default("false"), examples(&["true"]))]
        token: bool,
        /// `true`: another host than this machine may be asked without TLS.
        #[key(default("false"), examples(&["true"]))]
        allow_http: bool,
    }
}

impl Validator {
    fn decode(id: Spanned<String>, node: &Node, problems: &mut Problems) -> Option<Self> {
        let is_service = node.get("url").is_some_and(|url| !matches!(url.data, Data::Null));
        let mapping = if is_service { ServiceKeys::mapping() } else { ProgramKeys::mapping() };
        let mut fields = Fields::open(node, mapping, problems)?.without("url");
        let (checking, asked, retries) = if is_service {
            let ServiceKeys { url, checking, retries, token, allow_http } =
                ServiceKeys::read_keys(&mut fields, problems)?;
            let asked = match &url {
                Some(url) => service(url, token, allow_http, problems),
                None => Asked::Command { command: Vec::new(), script: None },
            };
            (checking, asked, retries)
        } else {
            let ProgramKeys { checking, command, script } = ProgramKeys::read_keys(&mut fields, problems)?;
            not_empty("command", command.is_empty(), &fields, problems);
            if command.first().is_some_and(String::is_empty)
                && let Some(span) = fields.key_span("command")
            {
                problems.push(Problem::error(Code::Empty, span, "the program's name is empty"));
            }
            (checking, Asked::Command { command, script }, 0)
        };
        not_empty("stages", checking.stages.is_empty(), &fields, problems);
        fields.finish(problems);
        Some(Validator { id, asked, retries, stages: checking.stages, deadline: checking.deadline })
    }
}

fn not_empty(key: &str, empty: bool, fields: &Fields<'_>, problems: &mut Problems) {
    if empty && let Some(span) = fields.key_span(key) {
        problems.push(Problem::error(Code::Empty, span, format!("`{key}` is empty")));
    }
}

/// The service behind a URL such as `https://host:8443/check?strict=1`.
fn service(url: &Spanned<String>, token: bool, allow_http: bool, problems: &mut Problems) -> Asked {
    let parts = url.value.split_once("://").map(|(scheme, rest)| {
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(at);
        (scheme, host, path)
    });
    let (base_url, path) = match parts {
        Some((scheme @ ("http" | "https"), host, path)) if !host.is_empty() => {
            let slash = if path.starts_with('/') { "" } else { "/" };
            (format!("{scheme}://{host}"), format!("{slash}{path}"))
        }
        _ => {
            problems.push(
                Problem::error(Code::WrongType, &url.span, format!("`{}` is not a URL", url.value))
                    .help("write `https://HOST/PATH`"),
            );
            (String::new(), "/".to_owned())
        }
    };
    let config = json!({
        "base_url": base_url, "path": path, "token": token, "allow_http": allow_http, "send": "extra_body",
    });
    Asked::Service { config, url_by: Author::of(&url.span) }
}

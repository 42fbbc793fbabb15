//! The format of `profiles/NAME.test.yaml`.

use super::expect::Expect;
use super::keys;
use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::profile::Override;
use crate::trajectory::{IterationRecord, StepIssue};
use crate::value::decode::{Decode, Fields, Spanned, wrong_type};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Entry, Node};
use crate::value::{Score, Usd};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

mapping! {
    /// Tests of a profile: `profiles/NAME.test.yaml` beside `profiles/NAME.yaml`. `loopctl test NAME` plays each case
    /// through the engine that runs documents, without any provider.
    "scenarios" is "test file", expects "a mapping with `cases`";
    #[derive(Debug, Clone)]
    pub struct ScenarioFile {
        /// The cases.
        #[key(required, examples(&[
            "[{ name: passes at the threshold, trajectory: [{ scores: 0.95 }], expect: { final_status: passed } }]"
        ]))]
        pub cases: Vec<Case> = cases => |_| Vec::new(),
    }
}

/// One case: its input, and the expected outcome.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, unique in its file.
    pub name: Spanned<String>,
    /// Settings laid over the profile for this case.
    pub settings: Vec<Override>,
    /// The key that tells its settings from those of other cases.
    pub(super) settings_key: String,
    /// The document's type; determined from the source, if absent.
    pub document_type: Option<Spanned<String>>,
    /// The document.
    pub source: Option<String>,
    /// The candidates.
    pub course: CaseInput,
    /// The answers of judges and validators about each candidate, by their names. `null` means that no answer came.
    pub answers: Vec<Vec<(Spanned<String>, Value)>>,
    /// The expected outcome.
    pub expect: Expect,
}

/// The candidates of a case.
#[derive(Debug, Clone)]
pub enum CaseInput {
    /// The scores that each candidate would get.
    Trajectory(Vec<ScoredStep>),
    /// The candidates themselves.
    Candidates(Vec<Value>),
    /// The answer of each stage for each candidate, by its id.
    Outputs(Vec<Vec<(Spanned<String>, Value)>>),
    /// None: the document can't be read.
    Unreadable,
}

impl CaseInput {
    /// The most candidates that there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            CaseInput::Trajectory(steps) => steps.len(),
            CaseInput::Candidates(candidates) => candidates.len(),
            CaseInput::Outputs(outputs) => outputs.len(),
            CaseInput::Unreadable => 0,
        }
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

mapping! {
    /// The assessment that one candidate would get.
    "step" is "candidate's assessment", expects "a mapping with `scores`";
    #[derive(Debug, Clone)]
    pub struct ScoredStep {
        /// The score of each dimension, or one score for all of them, from 0 to 1.
        #[key(required, examples(&["0.8", "{ completeness: 1, accuracy: 0.875 }"]))]
        pub scores: Scored,
        /// All but the scores.
        #[key(flatten)]
        pub step: IterationRecord as Unscored = |step, _: &mut Problems| Some(Unscored::record(step)),
    }
}

mapping! {
    /// All but the scores.
    "unscored" is "candidate's assessment";
    struct Unscored {
        /// Its issues.
        #[key(default("[]"), examples(&["[{ code: GRADE_FORMAT, severity: major, path: /grade }]"]))]
        issues: Vec<StepIssue>,
        /// The duration of the iteration, in milliseconds.
        #[key(number(0.0, 1e15), default("0"), examples(&["900"]))]
        elapsed_ms: f64,
        /// The cost of the iteration, in US dollars.
        #[key(default("0"), examples(&["0.01"]))]
        cost_usd: Usd,
        /// The tokens that the iteration took, read and written.
        #[key(default("0"), examples(&["500"]))]
        tokens: u64,
        /// The candidate itself, for criteria that compare candidates, such as `unchanged`. Without it, these have
        /// nothing to compare.
        #[key(examples(&["{ grade: '2' }"]))]
        candidate: Option<Value>,
    }
}

impl Unscored {
    fn record(self) -> IterationRecord {
        IterationRecord {
            scores: Vec::new(),
            // A case that names no issues says that there are none.
            issues_unknown: false,
            issues: self.issues,
            elapsed_ms: self.elapsed_ms,
            cost_usd: self.cost_usd,
            tokens: self.tokens,
            candidate: self.candidate.map(Arc::new),
            ..IterationRecord::default()
        }
    }
}

/// Scores as a step gives them.
#[derive(Debug, Clone)]
pub enum Scored {
    /// One score for every dimension of the profile.
    Every(Score),
    /// One by one.
    Named(Vec<(Spanned<String>, Score)>),
}

impl Case {
    /// Returns whether the case has an answer of this judge or validator.
    #[must_use]
    pub fn answers_for(&self, member: &str) -> bool {
        self.answers.iter().flatten().any(|(name, _)| name.value == member)
    }
}

fn cases(node: &Node, problems: &mut Problems) -> Option<Vec<Case>> {
    let cases = Vec::<Case>::decode(node, problems)?;
    if matches!(&node.data, Data::List(items) if items.is_empty()) {
        problems.push(
            Problem::error(Code::Empty, &node.span, "this test file has no case")
                .help("write `- name: …`, a `trajectory` or `candidates`, and `expect` under `cases`"),
        );
    }
    unique(cases.iter().map(|case| &case.name), problems);
    Some(cases)
}

/// Names are how cases are told apart in reports.
fn unique<'a>(names: impl Iterator<Item = &'a Spanned<String>>, problems: &mut Problems) {
    let mut seen: HashMap<&str, &Spanned<String>> = HashMap::new();
    for name in names {
        if let Some(first) = seen.insert(&name.value, name) {
            problems.push(
                Problem::error(Code::Conflict, &name.span, "two cases have this name")
                    .related(&first.span, "first here")
                    .help("say in the name what is special about the case"),
            );
        }
    }
}

impl Decode for Case {
    const EXPECTED: &'static str = "a mapping with `name`, a course and `expect`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::CASE)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::CASE, problems)?;
        let name = fields.required::<Spanned<String>>("name", problems);
        let set = fields.node("set");
        let settings = set.and_then(|node| read_settings(node, "`set`", problems)).unwrap_or_default();
        let settings_key = set.map(|node| node.to_json().to_string()).unwrap_or_default();
        let document_type = fields.optional("document_type", problems);
        let source = fields.optional("source", problems);
        let course = decode_course(&mut fields, problems);
        let answers = match fields.node("answers") {
            Some(node) => decode_named(node, "answers by judge or validator", problems),
            None => Vec::new(),
        };
        let expect = match (fields.node("expect"), &course) {
            (Some(node), Some(course)) => Expect::decode(node, course, problems),
            (Some(_), None) => None,
            (None, _) => {
                problems.push(
                    Problem::error(Code::MissingKey, fields.span(), "this case expects nothing")
                        .help("add `expect:` with what must come of it, such as `{ final_status: passed }`"),
                );
                None
            }
        };
        let span = fields.span();
        fields.finish(problems);
        let course = course?;
        if answers.len() > course.len() || (!answers.is_empty() && matches!(course, CaseInput::Trajectory(_)))
        {
            problems.push(
                Problem::error(Code::Conflict, span, "`answers` are about candidates that are not there")
                    .help(
                        "give one item of `answers` for each of `candidates` (or `outputs`), in their order",
                    ),
            );
        }
        Some(Case {
            name: name?,
            settings,
            settings_key,
            document_type,
            source,
            course,
            answers,
            expect: expect?,
        })
    }
}

/// Reads settings by their paths: those under a key of this name.
pub(crate) fn read_settings(node: &Node, key: &str, problems: &mut Problems) -> Option<Vec<Override>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from settings to values", problems);
    };
    let read = entries.iter().filter_map(|entry| {
        let setting = Override::from_entry(key, entry, &entry.value);
        setting.map_err(|problem| problems.push(problem)).ok()
    });
    Some(read.collect())
}

/// Reads the one key that gives the candidates.
fn decode_course(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<CaseInput> {
    const KEYS: &str = "`trajectory`, `candidates`, `outputs` or `unreadable: true`";
    let trajectory = fields.node("trajectory");
    let candidates = fields.node("candidates");
    let outputs = fields.node("outputs");
    let unreadable = fields.node("unreadable");
    let given: Vec<&Node> = [trajectory, candidates, outputs, unreadable].into_iter().flatten().collect();
    match given.as_slice() {
        [] => {
            problems.push(
                Problem::error(Code::MissingKey, fields.span(), "this case has no candidates")
                    .help(format!("add one of {KEYS}")),
            );
            return None;
        }
        [_] => {}
        [_, second, ..] => {
            let problem = Problem::error(Code::Conflict, &second.span, "this case has its candidates twice");
            problems.push(problem.help(format!("keep one of {KEYS}")));
            return None;
        }
    }
    let course = if let Some(node) = trajectory {
        CaseInput::Trajectory(Vec::decode(node, problems)?)
    } else if let Some(node) = candidates {
        CaseInput::Candidates(Vec::decode(node, problems)?)
    } else if let Some(node) = outputs {
        CaseInput::Outputs(decode_named(node, "outputs by stage", problems))
    } else if bool::decode(unreadable?, problems)? {
        return Some(CaseInput::Unreadable);
    } else {
        let problem = Problem::error(Code::MissingKey, fields.span(), "this case has no candidates");
        problems.push(problem.help(format!("add one of {KEYS}")));
        return None;
    };
    if course.is_empty() {
        // What is not a list has been refused; only an empty one has nothing in it.
        if !given.iter().all(|node| matches!(&node.data, Data::List(items) if items.is_empty())) {
            return None;
        }
        let span = given.first().map_or(fields.span(), |node| &node.span);
        problems.push(Problem::error(Code::Empty, span, "there must be at least one candidate"));
        return None;
    }
    Some(course)
}

/// A list of mappings whose keys are names of the profile.
fn decode_named(node: &Node, what: &str, problems: &mut Problems) -> Vec<Vec<(Spanned<String>, Value)>> {
    let Data::List(items) = &node.data else {
        let expected = format!("a list, each item a mapping with {what}");
        return wrong_type(node, &expected, problems).unwrap_or_default();
    };
    let read = items.iter().map(|item| match &item.data {
        Data::Map(entries) => named(entries, problems),
        Data::Null => Vec::new(),
        _ => wrong_type(item, &format!("a mapping with {what}"), problems).unwrap_or_default(),
    });
    read.collect()
}

/// Reads the values of a mapping, each with its name.
pub(super) fn named<T: Decode>(entries: &[Entry], problems: &mut Problems) -> Vec<(Spanned<String>, T)> {
    let read = entries.iter().filter_map(|entry| {
        let name = Spanned { value: entry.key.clone(), span: entry.key_span.clone() };
        Some((name, T::decode(&entry.value, problems)?))
    });
    read.collect()
}

impl Decode for Scored {
    const EXPECTED: &'static str = "a mapping from dimensions to scores, or one score for all of them";

    fn shape() -> Shape {
        let named = Open {
            key: "DIMENSION",
            names: Names::Any,
            doc: "The score of this dimension, from 0 to 1.",
            shape: Score::shape,
            null: Null::Mistake,
        };
        Shape::AnyOf(vec![Score::shape(), Shape::Map(named)])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::Map(entries) => Some(Scored::Named(named(entries, problems))),
            Data::Int(_) | Data::Float(_) => Score::decode(node, problems).map(Scored::Every),
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}

/// Everything that a list of names holds, by name.
pub(super) fn by_name(named: &[(Spanned<String>, Value)]) -> BTreeMap<&str, &Value> {
    named.iter().map(|(name, value)| (name.value.as_str(), value)).collect()
}

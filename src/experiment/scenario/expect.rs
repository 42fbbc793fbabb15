//! What a case expects.

use super::case::CaseInput;
use super::expect_text::{ExpectedRequest, ExpectedText};
use super::keys;
use crate::diag::{Code, Problem, Problems, Span};
use crate::policy::{FinalStatus, SelectionReason, StopReason};
use crate::value::decode::{Decode, Fields, Spanned, unknown_word, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Score, Severity};
use serde_json::Value;

/// What must come of a case. Only what is said here is compared.
#[derive(Debug, Clone)]
pub struct Expect {
    /// Fields of the answer that `simulate` gives, and a few more.
    pub facts: Vec<Fact>,
    /// What each candidate is worth, in their order.
    pub assessments: Vec<ExpectedAssessment>,
    /// The feedback that the next correction would get.
    pub feedback: Option<ExpectedText>,
    /// The messages that the next correction would get.
    pub request: Option<ExpectedText>,
    /// What stages and judges were asked.
    pub requests: Vec<ExpectedRequest>,
}

/// One field and the value that it must have.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Its name.
    pub name: &'static str,
    /// Its value; mappings are compared as far as they go.
    pub value: Value,
    /// Where it stands.
    pub span: Span,
}

/// What a candidate must be worth.
#[derive(Debug, Clone)]
pub struct ExpectedAssessment {
    /// Where it stands.
    pub span: Span,
    /// Dimensions.
    pub scores: Vec<(Spanned<String>, Score)>,
    /// The overall score.
    pub overall: Option<Spanned<Score>>,
    /// Fields that must be missing; an empty list: none is.
    pub missing: Option<Spanned<Vec<Spanned<String>>>>,
    /// Issues that must be there; an empty list: there is none.
    pub issues: Option<Spanned<Vec<ExpectedIssue>>>,
    /// Issues that must not be there.
    pub no_issues: Vec<ExpectedIssue>,
}

/// An issue as far as it is told.
#[derive(Debug, Clone)]
pub struct ExpectedIssue {
    /// Where it stands.
    pub span: Span,
    /// Its code.
    pub code: Option<String>,
    /// How bad.
    pub severity: Option<Severity>,
    /// Who handles it.
    pub disposition: Option<Disposition>,
    /// Where, as a JSON Pointer.
    pub path: Option<String>,
    /// The rule that found it.
    pub rule: Option<String>,
    /// Whether a machine could put it right.
    pub auto_fixable: Option<bool>,
    /// A part of its message.
    pub message: Option<String>,
    /// A part of what would put it right.
    pub suggested_fix: Option<String>,
}

impl Expect {
    /// Reads what a case with this course expects. What can never be compared with anything is a problem.
    pub(super) fn decode(node: &Node, course: &CaseInput, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::EXPECT, problems)?;
        let mut facts = Vec::new();
        for (name, read) in FACTS {
            // `null` says that there is none, where there can be none.
            let null = node.get(name).filter(|value| matches!(value.data, Data::Null));
            let value = match (fields.node(name), null) {
                (Some(value), _) => read(value, problems).map(|read| (read, &value.span)),
                (None, Some(null))
                    if ["best_iteration", "selection_reason", "base", "best_extraction"].contains(&name) =>
                {
                    Some((Value::Null, &null.span))
                }
                (None, Some(null)) => wrong_type(null, "a value", problems),
                (None, None) => None,
            };
            facts.extend(value.map(|(value, span)| Fact { name, value, span: span.clone() }));
        }
        let assessments = fields.or("assessments", Vec::<ExpectedAssessment>::new(), problems);
        let feedback = fields.optional("feedback", problems);
        let request = fields.optional("request", problems);
        let requests = fields.or("requests", Vec::<ExpectedRequest>::new(), problems);
        let whole = fields.span();
        fields.finish(problems);
        if matches!(&node.data, Data::Map(entries) if entries.is_empty()) {
            problems.push(
                Problem::error(Code::Empty, whole, "this case expects nothing")
                    .help("say what must come of it, such as `final_status: passed`"),
            );
        }
        let scored = matches!(course, CaseInput::Trajectory(_));
        let mut pointless = |key: &'static str, given: bool, why: &str| {
            if given {
                let span = node.get(key).map_or(whole, |value| &value.span);
                let problem =
                    Problem::error(Code::Conflict, span, format!("`{key}` has nothing to look at: {why}"));
                problems.push(problem.help("give the case whole `candidates`, or `outputs` of the stages"));
            }
        };
        let trajectory = "a trajectory has no candidates that could be assessed or asked about";
        pointless("assessments", scored && !assessments.is_empty(), trajectory);
        pointless("request", scored && request.is_some(), trajectory);
        pointless("requests", scored && !requests.is_empty(), trajectory);
        let best = facts.iter().any(|fact| fact.name == "best_extraction");
        pointless("best_extraction", scored && best, trajectory);
        let typed = facts.iter().any(|fact| fact.name == "document_type");
        pointless("document_type", scored && typed, "a trajectory has no document");
        let more = !scored && assessments.len() > course.len();
        pointless("assessments", more, "there are more of them than candidates");
        Some(Expect { facts, assessments, feedback, request, requests })
    }

    /// Whether the requests to providers must be made to compare.
    #[must_use]
    pub fn looks_at_requests(&self) -> bool {
        self.request.is_some() || !self.requests.is_empty()
    }

    /// The expected value of a field.
    pub(super) fn fact(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.name == name)
    }
}

type Read = fn(&Node, &mut Problems) -> Option<Value>;

/// The fields that can be expected, each with its reader.
const FACTS: [(&str, Read); 14] = [
    ("final_status", final_status),
    ("stop_reason", stop_reason),
    ("iteration_count", count),
    ("best_iteration", count),
    ("selection_reason", selection_reason),
    ("improvement_trajectory", trajectory),
    ("rollbacks", count),
    ("cost_usd", amount),
    ("tokens", count),
    ("elapsed_ms", count),
    ("base", count),
    ("review", flag),
    ("document_type", text),
    ("best_extraction", Value::decode),
];

fn final_status(node: &Node, problems: &mut Problems) -> Option<Value> {
    let Some(text) = node.as_text() else { return wrong_type(node, "a status such as `passed`", problems) };
    let words = FinalStatus::ALL.map(FinalStatus::as_str);
    if words.contains(&text) {
        return Some(text.into());
    }
    unknown_word(&node.span, "status", text, &words, problems)
}

fn stop_reason(node: &Node, problems: &mut Problems) -> Option<Value> {
    let Some(text) = node.as_text() else { return wrong_type(node, "a reason such as `accepted`", problems) };
    if serde_json::from_value::<StopReason>(text.into()).is_ok() {
        return Some(text.into());
    }
    let words: Vec<&str> = StopReason::words().chain(["script:NAME", "skip:STAGE"]).collect();
    unknown_word(&node.span, "reason to stop", text, &words, problems)
}

fn selection_reason(node: &Node, problems: &mut Problems) -> Option<Value> {
    let Some(text) = node.as_text() else {
        return wrong_type(node, "a reason such as `final_iteration_best`", problems);
    };
    if serde_json::from_value::<SelectionReason>(text.into()).is_ok() {
        return Some(text.into());
    }
    let words = ["only_iteration", "final_iteration_best", "quality_peaked_at_iteration_K"];
    unknown_word(&node.span, "reason to select", text, &words, problems)
}

fn count(node: &Node, problems: &mut Problems) -> Option<Value> {
    u64::decode(node, problems).map(Value::from)
}

fn amount(node: &Node, problems: &mut Problems) -> Option<Value> {
    f64::decode(node, problems).map(Value::from)
}

fn flag(node: &Node, problems: &mut Problems) -> Option<Value> {
    bool::decode(node, problems).map(Value::from)
}

fn text(node: &Node, problems: &mut Problems) -> Option<Value> {
    String::decode(node, problems).map(Value::from)
}

fn trajectory(node: &Node, problems: &mut Problems) -> Option<Value> {
    let scores = Vec::<Score>::decode(node, problems)?;
    Some(scores.into_iter().map(Score::get).collect())
}

impl Decode for ExpectedAssessment {
    const EXPECTED: &'static str = "a mapping with `scores`, `overall`, `missing`, `issues` or `no_issues`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::ASSESSMENT)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::ASSESSMENT, problems)?;
        let scores = match fields.node("scores").map(|node| (node, &node.data)) {
            Some((_, Data::Map(entries))) => entries
                .iter()
                .filter_map(|entry| {
                    let name = Spanned { value: entry.key.clone(), span: entry.key_span.clone() };
                    Some((name, Score::decode(&entry.value, problems)?))
                })
                .collect(),
            Some((node, _)) => {
                wrong_type(node, "a mapping from dimensions to scores", problems).unwrap_or_default()
            }
            None => Vec::new(),
        };
        let overall = fields.optional("overall", problems);
        let missing = fields.optional("missing", problems);
        let issues = fields.optional("issues", problems);
        let no_issues = fields.optional::<Spanned<Vec<ExpectedIssue>>>("no_issues", problems);
        fields.finish(problems);
        if let Some(empty) = no_issues.as_ref().filter(|list| list.value.is_empty()) {
            problems.push(
                Problem::error(Code::Empty, &empty.span, "an empty `no_issues` excludes nothing")
                    .help("write `issues: []` to say that there is no issue at all"),
            );
        }
        Some(ExpectedAssessment {
            span: node.span.clone(),
            scores,
            overall,
            missing,
            issues,
            no_issues: no_issues.map(|list| list.value).unwrap_or_default(),
        })
    }
}

impl Decode for ExpectedIssue {
    const EXPECTED: &'static str = "a mapping with `code`, `severity`, `path` or another field of an issue";

    fn shape() -> Shape {
        Shape::Mapping(&keys::ISSUE)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::ISSUE, problems)?;
        let issue = ExpectedIssue {
            span: node.span.clone(),
            code: fields.optional("code", problems),
            severity: fields.optional("severity", problems),
            disposition: fields.optional("disposition", problems),
            path: pointer(fields.node("path"), problems),
            rule: fields.optional("rule", problems),
            auto_fixable: fields.optional("auto_fixable", problems),
            message: fields.optional("message", problems),
            suggested_fix: fields.optional("suggested_fix", problems),
        };
        fields.finish(problems);
        if matches!(&node.data, Data::Map(entries) if entries.is_empty()) {
            let problem = Problem::error(Code::Empty, &node.span, "this fits every issue");
            problems.push(problem.help("say at least its `code`"));
        }
        Some(issue)
    }
}

fn pointer(node: Option<&Node>, problems: &mut Problems) -> Option<String> {
    let node = node?;
    let path = String::decode(node, problems)?;
    if path.is_empty() || path.starts_with('/') {
        return Some(path);
    }
    problems.push(Problem::error(Code::BadPath, &node.span, "a path of an issue starts with `/`").help(
        format!(
            "write `/{}`; an empty path is the whole candidate",
            path.trim_start_matches("$.").replace('.', "/")
        ),
    ));
    None
}

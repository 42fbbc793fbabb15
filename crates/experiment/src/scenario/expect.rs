//! Expectations of a case.

use super::case::{CaseInput, named};
use super::expect_text::{ExpectedRequest, ExpectedText};
use super::keys;
use crate::diag::{Code, Problem, Problems, Span};
use crate::mapping;
use crate::policy::{FinalStatus, SelectionReason, StopReason};
use crate::value::decode::{Decode, Fields, Spanned, unknown_word, wrong_type};
use crate::value::shape::{Shape, by_name};
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Score, Severity};
use serde_json::Value;
use std::collections::BTreeMap;

/// The expected outcome of a case. Only what is given here is compared.
#[derive(Debug, Clone)]
pub struct Expect {
    /// Fields of the answer that `simulate` gives, and a few more.
    pub facts: Vec<Fact>,
    /// The expected assessment of each candidate, in their order.
    pub assessments: Vec<ExpectedAssessment>,
    /// The feedback that the next correction would get.
    pub feedback: Option<ExpectedText>,
    /// The messages that the next correction would get.
    pub request: Option<ExpectedText>,
    /// The expected requests to stages and judges.
    pub requests: Vec<ExpectedRequest>,
}

/// One field and the value that it must have.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Its name.
    pub name: &'static str,
    /// Its value; mappings are compared as far as they go.
    pub value: Value,
    /// The location of the value.
    pub span: Span,
}

mapping! {
    /// The assessment that a candidate must get.
    "assessment" is "expected assessment", expects "a mapping with `scores`, `overall`, `missing`, `issues` or `no_issues`";
    #[derive(Debug, Clone)]
    pub struct ExpectedAssessment {
        /// The location of the expectation.
        #[key(skip)]
        pub span: Span = |fields: &mut Fields<'_>, _| Some(fields.span().clone()),
        /// The scores of dimensions; those that are not listed are not compared.
        #[key(
            shaped(|| by_name("DIMENSION", "The score that this dimension must have, from 0 to 1.", Score::shape)),
            examples(&["{ consistency: 0.85 }"])
        )]
        pub scores: Vec<(Spanned<String>, Score)> as BTreeMap<String, Score> = scores => |_| Vec::new(),
        /// The overall score, from 0 to 1. Without it, it is not compared.
        #[key(examples(&["0.5"]))]
        pub overall: Option<Spanned<Score>>,
        /// Fields that must be missing; `[]`: none may be. Without it they are not compared.
        #[key(examples(&["[grade, margins]", "[]"]))]
        pub missing: Option<Spanned<Vec<Spanned<String>>>>,
        /// Issues that must be there; `[]`: there is none at all. Without it they are not compared.
        #[key(examples(&["[{ code: CARCINOMA_NEEDS_GRADE, severity: major }]"]))]
        pub issues: Option<Spanned<Vec<ExpectedIssue>>>,
        /// Issues that must not be there. Without it any may be.
        #[key(examples(&["[{ code: GRADE_FORMAT }]"]))]
        pub no_issues: Vec<ExpectedIssue> = not_there => |_| Vec::new(),
    }
}

mapping! {
    /// An issue, described by any of these keys. What is left out is not compared.
    "expected_issue" is "expected issue", expects "a mapping with `code`, `severity`, `path` or another field of an issue",
        checked by ExpectedIssue::check;
    #[derive(Debug, Clone)]
    pub struct ExpectedIssue {
        /// The location of the expectation.
        #[key(skip)]
        pub span: Span = |fields: &mut Fields<'_>, _| Some(fields.span().clone()),
        /// Its code.
        #[key(examples(&["GRADE_FORMAT"]))]
        pub code: Option<String>,
        /// The severity of the issue.
        #[key(examples(&["major"]))]
        pub severity: Option<Severity>,
        /// The disposition of the issue.
        #[key(examples(&["correct"]))]
        pub disposition: Option<Disposition>,
        /// The location of the issue.
        #[key(
            shaped(|| Shape::text_like("a JSON Pointer such as `/grade`; empty for the whole candidate", "^(/|$)")),
            examples(&["/grade"])
        )]
        pub path: Option<String> = |node, problems| pointer(node, problems).map(Some),
        /// The id of the rule that found it.
        #[key(examples(&["grade-format"]))]
        pub rule: Option<String>,
        /// `true` if the issue must be one that can be fixed automatically, `false` if it must not.
        #[key(examples(&["true"]))]
        pub auto_fixable: Option<bool>,
        /// A part of its message.
        #[key(examples(&["grade not extracted"]))]
        pub message: Option<String>,
        /// A part of its suggested fix.
        #[key(examples(&["look for the histologic grade"]))]
        pub suggested_fix: Option<String>,
    }
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

    /// Returns whether the requests to providers are needed for the comparison.
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
    ("iteration_count", plain::<u64>),
    ("best_iteration", plain::<u64>),
    ("selection_reason", selection_reason),
    ("improvement_trajectory", trajectory),
    ("rollbacks", plain::<u64>),
    ("cost_usd", plain::<f64>),
    ("tokens", plain::<u64>),
    ("elapsed_ms", plain::<u64>),
    ("base", plain::<u64>),
    ("review", plain::<bool>),
    ("document_type", plain::<String>),
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

fn plain<T: Decode + Into<Value>>(node: &Node, problems: &mut Problems) -> Option<Value> {
    T::decode(node, problems).map(Into::into)
}

fn trajectory(node: &Node, problems: &mut Problems) -> Option<Value> {
    let scores = Vec::<Score>::decode(node, problems)?;
    Some(scores.into_iter().map(Score::get).collect())
}

fn scores(node: &Node, problems: &mut Problems) -> Option<Vec<(Spanned<String>, Score)>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from dimensions to scores", problems);
    };
    Some(named(entries, problems))
}

fn not_there(node: &Node, problems: &mut Problems) -> Option<Vec<ExpectedIssue>> {
    if matches!(&node.data, Data::List(items) if items.is_empty()) {
        problems.push(
            Problem::error(Code::Empty, &node.span, "an empty `no_issues` excludes nothing")
                .help("write `issues: []` to say that there is no issue at all"),
        );
    }
    Vec::decode(node, problems)
}

impl ExpectedIssue {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        if fields.is_empty() {
            let problem = Problem::error(Code::Empty, fields.span(), "this fits every issue");
            problems.push(problem.help("say at least its `code`"));
        }
    }
}

fn pointer(node: &Node, problems: &mut Problems) -> Option<String> {
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

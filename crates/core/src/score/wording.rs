//! Paths and messages of issues. The data of a message is kept, and the message is written when it is read.

use super::issue::{Issue, LazyText};
use super::schema_wording::schema_message;
use crate::profile::{Dispositions, SchemaCodes};
use crate::rules::{Blame, IssueText, Requirement, RuleScope, SchemaCheck, Shown, Template, cut};
use crate::script::Finding as ScriptFinding;
use crate::value::{Disposition, Segment, Severity, push_segment, unescape};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Longest message, in characters.
const MAX_MESSAGE: usize = 1_000;

/// A message cut to a readable length.
pub(super) fn cut_message(text: &str) -> String {
    cut(text, MAX_MESSAGE)
}

/// The data from which the message of a rule's issue is made when it is read.
#[derive(Debug)]
pub(super) struct Finding {
    made_of: MadeOf,
    message: OnceLock<String>,
}

#[derive(Debug)]
enum MadeOf {
    /// A check that failed.
    Check {
        rule: Arc<IssueText>,
        /// The requirement that would have passed.
        expected: Arc<str>,
        is_presence: bool,
        /// The location of the target.
        target: LazyText,
        value: Shown,
    },
    /// A missing field, and what it costs.
    Cost { missing: LazyText, points: f64, dimension: Arc<str> },
}

impl Finding {
    fn new(made_of: MadeOf) -> Self {
        Finding { made_of, message: OnceLock::new() }
    }

    /// A missing field of a rubric, and the points that it takes off a dimension.
    pub(super) fn cost(missing: LazyText, points: f64, dimension: &Arc<str>) -> Self {
        Finding::new(MadeOf::Cost { missing, points, dimension: Arc::clone(dimension) })
    }

    /// The message, written when it is first asked for.
    pub(super) fn message(&self) -> &str {
        self.message.get_or_init(|| match &self.made_of {
            MadeOf::Cost { missing, points, dimension } => {
                format!("{missing}, which costs {points:.3} of `{dimension}`")
            }
            MadeOf::Check { rule, expected, is_presence, target, value } => {
                let rendered = rule.message.as_ref().and_then(|message| {
                    let key = target.rsplit_once('/').map_or("", |(_, key)| key);
                    message.render(|| variables(&unescape(key), target, value)).ok()
                });
                cut_message(&rendered.unwrap_or_else(|| match &**target {
                    target if *is_presence => format!("`{target}` is missing"),
                    "" => format!("expected {expected}"),
                    target => format!("`{target}` is `{value}`; expected {expected}"),
                }))
            }
        })
    }
}

/// The variables of templates of messages and suggestions.
fn variables(key: &str, path: &str, value: &Shown) -> minijinja::Value {
    let field = path.strip_prefix('/').and_then(|p| p.split('/').next()).unwrap_or_default();
    let json = match value {
        Shown::Null => String::new(),
        present => present.to_string(),
    };
    minijinja::context! { value => value.for_template(), json, key, path, field => unescape(field) }
}

/// Most issues of one check of one target.
const MOST_BLAMED: usize = 10_000;

/// The issues of a check that has failed: one, or one for each part of the target that is to blame.
pub(super) fn check_issues(
    text: &Arc<IssueText>,
    check: &Requirement,
    target: &LazyText,
    dispositions: &Dispositions,
    scope: &RuleScope<'_, '_>,
    of_each: bool,
) -> Vec<Issue> {
    let issue = |blamed| check_issue(text, check, target.clone(), dispositions, scope, blamed);
    let mut blamed = check.blame(scope);
    blamed.truncate(if of_each { MOST_BLAMED } else { 1 });
    if blamed.is_empty() {
        return vec![issue(None)];
    }
    blamed.into_iter().map(|one| issue(Some(one))).collect()
}

/// The issue of a check that has failed.
fn check_issue(
    text: &Arc<IssueText>,
    check: &Requirement,
    target: LazyText,
    dispositions: &Dispositions,
    scope: &RuleScope<'_, '_>,
    blamed: Option<Blame>,
) -> Issue {
    let fixed = text.message.as_ref().and_then(Template::fixed);
    let (path, message) = match (blamed, fixed) {
        (Some(blame), _) => {
            let message = rendered(text.message.as_ref(), scope, &blame.path);
            (blame.path.into(), LazyText::message(&message.unwrap_or(blame.message)))
        }
        (None, Some(fixed)) => (target, fixed.into()),
        (None, None) => {
            let made_of = MadeOf::Check {
                rule: Arc::clone(text),
                expected: Arc::clone(&check.expected),
                is_presence: check.is_presence,
                target: target.clone(),
                value: if text.message.is_some() {
                    Shown::of(scope.value)
                } else {
                    Shown::brief(scope.value)
                },
            };
            (target, LazyText::later(Finding::new(made_of)))
        }
    };
    let suggested_fix = text.suggestion.as_ref().and_then(|suggestion| match suggestion.fixed() {
        Some(fixed) => Some(fixed.into()),
        None => rendered(Some(suggestion), scope, &path).map(LazyText::from),
    });
    Issue {
        code: (&text.code).into(),
        severity: text.severity,
        disposition: text.disposition.unwrap_or_else(|| dispositions.of(&text.code, text.auto_fixable)),
        auto_fixable: text.auto_fixable,
        suggested_fix,
        path,
        message,
        rule: Some(Arc::clone(&text.rule)),
        source_span: None,
        places: Vec::new(),
        pre_existing: false,
    }
}

/// The issue that a script has found.
pub(super) fn script_issue(
    text: &IssueText,
    finding: ScriptFinding,
    dispositions: &Dispositions,
    scope: &RuleScope<'_, '_>,
) -> Issue {
    let path = finding.path;
    let message = finding
        .message
        .or_else(|| rendered(text.message.as_ref(), scope, &path))
        .unwrap_or_else(|| format!("the rule `{}` does not hold", text.rule));
    let suggested_fix: Option<String> =
        finding.suggested_fix.or_else(|| rendered(text.suggestion.as_ref(), scope, &path));
    let code = finding.code.map_or_else(|| LazyText::from(&text.code), LazyText::from);
    let auto_fixable = finding.auto_fixable.unwrap_or(text.auto_fixable);
    let said = finding.disposition.or(text.disposition);
    Issue {
        severity: finding.severity.unwrap_or(text.severity),
        disposition: said.unwrap_or_else(|| dispositions.of(&code, auto_fixable)),
        auto_fixable,
        code,
        path: path.into(),
        message: LazyText::message(&message),
        rule: Some(text.rule.clone()),
        suggested_fix: suggested_fix.map(LazyText::from),
        source_span: None,
        places: Vec::new(),
        pre_existing: false,
    }
}

/// The issue of an error that a schema has found in the value at `at`; `rule` is the rule that asked, if one did. It
/// has no disposition yet.
pub(super) fn schema_issue(
    check: &SchemaCheck,
    error: &ValidationError<'_>,
    at: &str,
    rule: Option<&IssueText>,
) -> Issue {
    let kind = error.kind();
    let mut path = format!("{at}{}", error.instance_path().as_str());
    if let ValidationErrorKind::Required { property: Value::String(name) } = kind {
        push_segment(&mut path, Segment::Key(name));
    }
    let known = check.codes.of(kind.keyword());
    let code: LazyText = match (known, rule) {
        (Some(known), _) => known.code.clone().into(),
        (None, Some(rule)) if check.codes == SchemaCodes::default() => (&rule.code).into(),
        (None, _) => format!("SCHEMA_{}", upper_snake(kind.keyword())).into(),
    };
    let severity = known.and_then(|known| known.severity).or(rule.map(|rule| rule.severity));
    let issue = plain_issue(code, severity.unwrap_or(Severity::Major), path, schema_message(error));
    let auto_fixable = known.map_or(rule.is_some_and(|rule| rule.auto_fixable), |known| known.auto_fixable);
    Issue { rule: rule.map(|rule| rule.rule.clone()), auto_fixable, ..issue }
}

/// An issue that no rule file words, without a disposition by its code yet.
pub(super) fn plain_issue(
    code: impl Into<LazyText>,
    severity: Severity,
    path: impl Into<LazyText>,
    message: impl AsRef<str>,
) -> Issue {
    Issue {
        disposition: Disposition::Correct,
        path: path.into(),
        message: LazyText::message(message.as_ref()),
        ..Issue::new(code, severity)
    }
}

fn rendered(template: Option<&Template>, scope: &RuleScope<'_, '_>, path: &str) -> Option<String> {
    let key = match scope.at.last() {
        Some(Segment::Key(key)) => key.to_owned(),
        Some(Segment::Index(index)) => index.to_string(),
        None => String::new(),
    };
    template?.render(|| variables(&key, path, &Shown::of(scope.value))).ok()
}

/// `additionalProperties` to `ADDITIONAL_PROPERTIES`.
fn upper_snake(keyword: &str) -> String {
    let mut out = String::new();
    for c in keyword.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        if c.is_alphanumeric() {
            out.extend(c.to_uppercase());
        }
    }
    out
}

//! Paths and messages of issues. The data of a message is kept, and the message is written when it is read.

use super::chain::broken_step;
use super::evaluate::{Scope, different, repetitions};
use super::issue::{Issue, LazyText};
use super::schema_wording::schema_message;
use crate::profile::{Dispositions, SchemaCodes};
use crate::rules::{Check, IssueText, Reference, SchemaCheck, Template, Test};
use crate::script::Finding as ScriptFinding;
use crate::value::{Disposition, Item, JsonPath, PathStep, Segment, Severity, push_segment, unescape};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Number, Value};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Longest value shown in a message, in characters.
const MAX_SHOWN: usize = 120;
/// Longest message, in characters.
const MAX_MESSAGE: usize = 1_000;

/// `text` cut to `limit` characters.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A value in a message: as JSON, so that a text `10` differs from the number, and anything long cut.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text_as_json(text),
        other => cut(&other.to_string(), MAX_SHOWN),
    }
}

/// A text as JSON; a long one is cut within its quotes.
fn text_as_json(text: &str) -> String {
    Value::from(cut(text, MAX_SHOWN)).to_string()
}

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

/// A value as messages show it.
#[derive(Debug)]
pub(super) enum Shown {
    Null,
    Bool(bool),
    Number(Number),
    Text(Box<str>),
    Other(Value),
    /// A list or mapping of which only the beginning was kept, as JSON.
    Cut(Box<str>),
}

impl Shown {
    pub(super) fn of(value: Item<'_>) -> Self {
        match value {
            Item::Null => Shown::Null,
            Item::Bool(b) => Shown::Bool(b),
            Item::Number(number) => Shown::Number(number.clone()),
            Item::Text(text) => Shown::Text(cut(text, MAX_SHOWN).into()),
            Item::List(_) | Item::Map(_) => Shown::Other(value.to_value()),
        }
    }

    /// Like [`Shown::of`], for messages that are no templates, which show the beginning of long values.
    fn brief(value: Item<'_>) -> Self {
        match value.tree() {
            Some(tree) => Shown::Cut(shown(tree).into()),
            None => Shown::of(value),
        }
    }

    fn for_template(&self) -> minijinja::Value {
        match self {
            // An absent value has no text; templates show it as such instead of a word for nothing.
            Shown::Null => minijinja::Value::from(""),
            Shown::Bool(b) => minijinja::Value::from(*b),
            Shown::Number(number) => minijinja::Value::from(minijinja::value::Serde(number)),
            Shown::Text(text) | Shown::Cut(text) => minijinja::Value::from(&**text),
            Shown::Other(value) => minijinja::Value::from(minijinja::value::Serde(value)),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Null => f.write_str("null"),
            Shown::Bool(b) => write!(f, "{b}"),
            Shown::Number(number) => write!(f, "{number}"),
            Shown::Text(text) => f.write_str(&text_as_json(text)),
            Shown::Cut(json) => f.write_str(json),
            Shown::Other(value) => f.write_str(&shown(value)),
        }
    }
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
    check: &Check,
    target: &LazyText,
    dispositions: &Dispositions,
    scope: &Scope<'_, '_>,
    of_each: bool,
) -> Vec<Issue> {
    let issue = |blamed| check_issue(text, check, target.clone(), dispositions, scope, blamed);
    let Some(test) = check.blames() else { return vec![issue(None)] };
    let mut blamed = blame(test, target, scope);
    blamed.truncate(if of_each { MOST_BLAMED } else { 1 });
    if blamed.is_empty() {
        return vec![issue(None)];
    }
    blamed.into_iter().map(|one| issue(Some(one))).collect()
}

/// The issue of a check that has failed.
fn check_issue(
    text: &Arc<IssueText>,
    check: &Check,
    target: LazyText,
    dispositions: &Dispositions,
    scope: &Scope<'_, '_>,
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
        pre_existing: false,
    }
}

/// The issue that a script has found.
pub(super) fn script_issue(
    text: &IssueText,
    finding: ScriptFinding,
    dispositions: &Dispositions,
    scope: &Scope<'_, '_>,
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

/// The exact part that made a test fail.
struct Blame {
    path: String,
    message: String,
}

/// Finds the parts to blame; none when the target as a whole is to blame.
fn blame(test: &Test, target: &str, scope: &Scope<'_, '_>) -> Vec<Blame> {
    let element = |index: usize, key: Option<&str>| {
        let mut path = target.to_owned();
        push_segment(&mut path, Segment::Index(index));
        if let Some(key) = key {
            push_segment(&mut path, Segment::Key(key));
        }
        path
    };
    let against = |must: &str, reference: &Reference| {
        let other = scope.first(reference)?;
        let (value, place) = (Shown::of(scope.value), pointer_of(reference, scope));
        let message = format!("`{target}` is `{value}`, which {must} `{other}` (see `{place}`)");
        Some(Blame { path: target.to_owned(), message })
    };
    match test {
        Test::Require(all) | Test::RequireWith(all) => {
            let missing = all.iter().filter(|one| !scope.has(one));
            let blamed = |one: &Reference| Blame {
                path: pointer_of(one, scope),
                message: format!("`{one}` is missing"),
            };
            missing.map(blamed).collect()
        }
        Test::Forbid(all) => {
            let forbidden = all.iter().filter(|one| scope.has(one));
            let blamed = |one: &Reference| Blame {
                path: pointer_of(one, scope),
                message: format!("`{one}` must not be given here"),
            };
            forbidden.map(blamed).collect()
        }
        Test::FormatNamedAt(reference) => Vec::from_iter(against("is not written as", reference)),
        Test::SameAs(reference) => Vec::from_iter(against("must be the same as", reference)),
        Test::AtMost(reference) => Vec::from_iter(against("must be at most", reference)),
        Test::AtLeast(reference) => Vec::from_iter(against("must be at least", reference)),
        Test::Unique { key } => repetitions(scope.value, key.as_deref())
            .filter_map(|(again, first)| {
                let item = scope.value.element(again)?;
                let value = Shown::of(key.as_deref().map_or(Some(item), |key| item.member(key))?);
                let path = element(again, key.as_deref());
                let first = element(first, key.as_deref());
                Some(Blame { message: format!("`{path}` is `{value}`, which is at `{first}` already"), path })
            })
            .collect(),
        Test::Distinct(reference) => {
            let repeated = scope.repeated(reference).into_iter().map(|((path, value), first)| Blame {
                message: format!("`{path}` is `{value}`, which is at `{first}` already"),
                path,
            });
            repeated.collect()
        }
        Test::Uniform { path } => {
            let what = path.as_ref().map_or_else(String::new, |path| format!(" in `{}`", path.as_str()));
            let differing = different(scope.value, path.as_ref(), scope.fuel).map(|at| {
                let at = element(at, None);
                Blame { message: format!("`{at}` differs{what} from the elements before it"), path: at }
            });
            differing.collect()
        }
        Test::PathResolves(chain) => {
            let broken = || {
                let position = broken_step(chain, scope.value, scope.candidate, scope.fuel)?;
                let step = scope.value.element(position)?;
                let said = chain.step.as_deref().map_or(Some(step), |member| step.member(member));
                let path = element(position, chain.step.as_deref());
                let value = said.map_or_else(String::new, |said| format!(" (`{}`)", Shown::of(said)));
                Some(Blame {
                    message: format!("the step `{path}`{value} leads nowhere in the document"),
                    path,
                })
            };
            Vec::from_iter(broken())
        }
        Test::Present
        | Test::Type(_)
        | Test::Matches(_)
        | Test::OneOf { .. }
        | Test::Range { .. }
        | Test::Quantity(_)
        | Test::Length { .. }
        | Test::Format(_)
        | Test::Equals(_)
        | Test::Contains { .. }
        | Test::Before(_)
        | Test::After(_)
        | Test::SumTo { .. }
        | Test::Resolves(_) => Vec::new(),
    }
}

/// The target of a reference; the rule's target for a path that does not name one location.
fn pointer_of(reference: &Reference, scope: &Scope<'_, '_>) -> String {
    let target = scope.at.to_string();
    let (mut pointer, path) = match reference {
        Reference::Field { name, .. } => {
            let mut pointer = String::new();
            push_segment(&mut pointer, Segment::Key(name));
            return pointer;
        }
        Reference::Root { path, .. } => (String::new(), path),
        Reference::Target(path) => (target.clone(), path),
        Reference::Holder { up, path } => match scope.above(*up) {
            Some(holder) => (holder.to_string(), path),
            None => return target,
        },
        // The element before another is not there to be corrected.
        Reference::Before(_) => return target,
    };
    if push_steps(&mut pointer, path).is_none() {
        return target;
    }
    pointer
}

fn push_steps(pointer: &mut String, path: &JsonPath) -> Option<()> {
    for step in path.steps()? {
        match step {
            PathStep::Key(key) => push_segment(pointer, Segment::Key(key)),
            PathStep::Index(index) => push_segment(pointer, Segment::Index(usize::try_from(*index).ok()?)),
            PathStep::Keys(_) | PathStep::Wildcard => return None,
        }
    }
    Some(())
}

fn rendered(template: Option<&Template>, scope: &Scope<'_, '_>, path: &str) -> Option<String> {
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

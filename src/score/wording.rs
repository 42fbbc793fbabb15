//! Paths and messages of issues. Runs only when something is wrong, so it may allocate.

use super::assessment::Issue;
use super::chain::broken_step;
use super::evaluate::{Scope, first_different, repetition};
use crate::profile::{Dispositions, SchemaCodes};
use crate::rules::{Check, IssueText, Program, Reference, SchemaCheck, Test};
use crate::script::Finding;
use crate::value::{JsonPath, PathStep, Segment, Severity, push_segment, unescape};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

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

/// A value in a message: texts without quotes, anything long cut.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text, MAX_SHOWN),
        other => cut(&other.to_string(), MAX_SHOWN),
    }
}

/// The issue of a check that has failed.
pub(super) fn check_issue(
    text: &IssueText,
    check: &Check,
    program: &Program,
    dispositions: &Dispositions,
    scope: &Scope<'_, '_>,
) -> Issue {
    let target = scope.at.to_string();
    let blamed =
        check.blames.and_then(|test| program.tests.get(test as usize)).and_then(|test| blame(test, scope));
    let (path, fallback) = match blamed {
        Some(blame) => (blame.path, blame.message),
        None if check.is_presence => (target.clone(), format!("`{target}` is missing")),
        None if target.is_empty() => (target.clone(), format!("expected {}", check.expected)),
        None => {
            let message = format!("`{target}` is `{}`; expected {}", shown(scope.value), check.expected);
            (target.clone(), message)
        }
    };
    let message = rendered(text.message.as_ref(), scope, &path).unwrap_or(fallback);
    Issue {
        code: text.code.clone(),
        severity: text.severity,
        disposition: text.disposition.unwrap_or_else(|| dispositions.of(&text.code, text.auto_fixable)),
        auto_fixable: text.auto_fixable,
        suggested_fix: rendered(text.suggestion.as_ref(), scope, &path),
        path,
        message: cut(&message, MAX_MESSAGE),
        rule: Some(text.rule.clone()),
        source_span: None,
        pre_existing: false,
    }
}

/// The issue that a script has found.
pub(super) fn script_issue(
    text: &IssueText,
    finding: Finding,
    dispositions: &Dispositions,
    scope: &Scope<'_, '_>,
) -> Issue {
    let path = finding.path;
    let message = finding
        .message
        .or_else(|| rendered(text.message.as_ref(), scope, &path))
        .unwrap_or_else(|| format!("the rule `{}` does not hold", text.rule));
    let suggested_fix = finding.suggested_fix.or_else(|| rendered(text.suggestion.as_ref(), scope, &path));
    let code = finding.code.unwrap_or_else(|| text.code.clone());
    let auto_fixable = finding.auto_fixable.unwrap_or(text.auto_fixable);
    let said = finding.disposition.or(text.disposition);
    Issue {
        severity: finding.severity.unwrap_or(text.severity),
        disposition: said.unwrap_or_else(|| dispositions.of(&code, auto_fixable)),
        auto_fixable,
        code,
        path,
        message: cut(&message, MAX_MESSAGE),
        rule: Some(text.rule.clone()),
        suggested_fix,
        source_span: None,
        pre_existing: false,
    }
}

/// The issue of an error that a schema has found in the value at `at`; `rule` is the rule that asked, if one did. It is not yet
/// handed to anyone.
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
    let code = match (known, rule) {
        (Some(known), _) => known.code.clone(),
        (None, Some(rule)) if check.codes == SchemaCodes::default() => rule.code.clone(),
        (None, _) => format!("SCHEMA_{}", upper_snake(kind.keyword())),
    };
    let severity = known.and_then(|known| known.severity).or(rule.map(|rule| rule.severity));
    let issue = plain_issue(&code, severity.unwrap_or(Severity::Major), path, error.to_string());
    let auto_fixable = known.map_or(rule.is_some_and(|rule| rule.auto_fixable), |known| known.auto_fixable);
    Issue { rule: rule.map(|rule| rule.rule.clone()), auto_fixable, ..issue }
}

/// An issue that no rule file words, not yet handed to anyone by its code.
pub(super) fn plain_issue(code: &str, severity: Severity, path: String, message: String) -> Issue {
    Issue {
        code: code.to_owned(),
        severity,
        disposition: crate::value::Disposition::Correct,
        auto_fixable: false,
        path,
        message: cut(&message, MAX_MESSAGE),
        rule: None,
        suggested_fix: None,
        source_span: None,
        pre_existing: false,
    }
}

/// What exactly made a test fail.
struct Blame {
    path: String,
    message: String,
}

/// Looks for it; `None` when the target as a whole is to blame.
fn blame(test: &Test, scope: &Scope<'_, '_>) -> Option<Blame> {
    let target = scope.at.to_string();
    let element = |index: usize, key: Option<&str>| {
        let mut path = target.clone();
        push_segment(&mut path, Segment::Index(index));
        if let Some(key) = key {
            push_segment(&mut path, Segment::Key(key));
        }
        path
    };
    let against = |must: &str, reference: &Reference| {
        let other = shown(&scope.first(reference)?);
        let (value, place) = (shown(scope.value), pointer_of(reference, scope));
        let message = format!("`{target}` is `{value}`, which {must} `{other}` (see `{place}`)");
        Some(Blame { path: target.clone(), message })
    };
    match test {
        Test::Require(all) | Test::RequireWith(all) => {
            let missing = all.iter().find(|one| !scope.has(one))?;
            Some(Blame { path: pointer_of(missing, scope), message: format!("`{missing}` is missing") })
        }
        Test::Forbid(all) => {
            let forbidden = all.iter().find(|one| scope.has(one))?;
            let message = format!("`{forbidden}` must not be given here");
            Some(Blame { path: pointer_of(forbidden, scope), message })
        }
        Test::FormatNamedAt(reference) => against("is not written as", reference),
        Test::SameAs(reference) => against("must be the same as", reference),
        Test::AtMost(reference) => against("must be at most", reference),
        Test::AtLeast(reference) => against("must be at least", reference),
        Test::Unique { key } => {
            let items = scope.value.as_array()?;
            let (again, first) = repetition(items, key.as_deref())?;
            let value =
                items.get(again).and_then(|item| key.as_deref().map_or(Some(item), |key| item.get(key)));
            let path = element(again, key.as_deref());
            let (value, first) = (shown(value?), element(first, key.as_deref()));
            Some(Blame { message: format!("`{path}` is `{value}`, which stands at `{first}` already"), path })
        }
        Test::Distinct(reference) => {
            let (path, first) = scope.repeated(reference)?;
            let value = scope.candidate.pointer(&path).map_or_else(String::new, shown);
            Some(Blame { message: format!("`{path}` is `{value}`, which stands at `{first}` already"), path })
        }
        Test::Uniform { path } => {
            let at = element(first_different(scope.value.as_array()?, path.as_ref(), scope.fuel)?, None);
            let what = path.as_ref().map_or_else(String::new, |path| format!(" in `{}`", path.as_str()));
            Some(Blame { message: format!("`{at}` differs{what} from the elements before it"), path: at })
        }
        Test::PathResolves(chain) => {
            let steps = scope.value.as_array()?;
            let position = broken_step(chain, steps, scope.candidate, scope.fuel)?;
            let step = steps.get(position)?;
            let said = chain.step.as_deref().map_or(Some(step), |member| step.get(member));
            let path = element(position, chain.step.as_deref());
            let value = said.map_or_else(String::new, |said| format!(" (`{}`)", shown(said)));
            Some(Blame { message: format!("the step `{path}`{value} leads nowhere in the document"), path })
        }
        _ => None,
    }
}

/// Where a reference points; the target itself for a path that does not name one place.
fn pointer_of(reference: &Reference, scope: &Scope<'_, '_>) -> String {
    let target = scope.at.to_string();
    let (mut pointer, path) = match reference {
        Reference::Field(name) => {
            let mut pointer = String::new();
            push_segment(&mut pointer, Segment::Key(name));
            return pointer;
        }
        Reference::Root(path) => (String::new(), path),
        Reference::Target(path) => (target.clone(), path),
        Reference::Holder { up, path } => match scope.above(*up) {
            Some(holder) => (holder.to_string(), path),
            None => return target,
        },
        // What is before an element is not there to be corrected.
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

fn rendered(template: Option<&crate::rules::Template>, scope: &Scope<'_, '_>, path: &str) -> Option<String> {
    let variables = || {
        let key = match scope.at.last() {
            Some(Segment::Key(key)) => key.to_owned(),
            Some(Segment::Index(index)) => index.to_string(),
            None => String::new(),
        };
        let value = match scope.value {
            Value::String(text) => minijinja::Value::from(cut(text, MAX_SHOWN)),
            // An absent value has no text; templates show it as such instead of a word for nothing.
            Value::Null => minijinja::Value::from(""),
            other => minijinja::Value::from(minijinja::value::Serde(other)),
        };
        let field = path.strip_prefix('/').and_then(|p| p.split('/').next()).unwrap_or_default();
        let field = unescape(field);
        minijinja::context! { value, key, path, field }
    };
    template?.render(variables).ok()
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

//! Paths and messages of issues. Runs only when something is wrong, so it may allocate.

use super::assessment::Issue;
use super::evaluate::Scope;
use crate::profile::Dispositions;
use crate::rules::{Check, IssueText, Program, Reference, Test};
use crate::script::Finding;
use crate::value::{JsonPath, Segment, Severity, Step, push_segment};
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
    scope: &Scope<'_>,
) -> Issue {
    let target = scope.at.to_string();
    let blamed =
        check.blames.and_then(|test| program.tests.get(test as usize)).and_then(|test| blame(test, scope));
    let fallback = match &blamed {
        Some((reference, true)) => format!("`{reference}` is missing"),
        Some((reference, false)) => format!("`{reference}` must not be given here"),
        None if check.is_presence => format!("`{target}` is missing"),
        None if target.is_empty() => format!("expected {}", check.expected),
        None => format!("`{target}` is `{}`; expected {}", shown(scope.value), check.expected),
    };
    let path = blamed.map_or_else(|| target.clone(), |(reference, _)| pointer_of(reference, &target));
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
    }
}

/// The issue that a script has found.
pub(super) fn script_issue(
    text: &IssueText,
    finding: Finding,
    dispositions: &Dispositions,
    scope: &Scope<'_>,
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
    }
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
    }
}

/// The reference that made a test fail, and whether it is missing (else it is there and must not be).
fn blame<'t>(test: &'t Test, scope: &Scope<'_>) -> Option<(&'t Reference, bool)> {
    match test {
        Test::Require(all) | Test::RequireWith(all) => {
            all.iter().find(|one| !scope.has(one)).map(|one| (one, true))
        }
        Test::Forbid(all) => all.iter().find(|one| scope.has(one)).map(|one| (one, false)),
        _ => None,
    }
}

/// Where a reference points; the target itself for a path that does not name one place.
fn pointer_of(reference: &Reference, target: &str) -> String {
    let (mut pointer, path) = match reference {
        Reference::Field(name) => {
            let mut pointer = String::new();
            push_segment(&mut pointer, Segment::Key(name));
            return pointer;
        }
        Reference::Root(path) => (String::new(), path),
        Reference::Target(path) => (target.to_owned(), path),
    };
    if push_steps(&mut pointer, path).is_none() {
        return target.to_owned();
    }
    pointer
}

fn push_steps(pointer: &mut String, path: &JsonPath) -> Option<()> {
    for step in path.steps()? {
        match step {
            Step::Key(key) => push_segment(pointer, Segment::Key(key)),
            Step::Index(index) => push_segment(pointer, Segment::Index(usize::try_from(*index).ok()?)),
            Step::Wildcard => return None,
        }
    }
    Some(())
}

fn rendered(template: Option<&crate::rules::Template>, scope: &Scope<'_>, path: &str) -> Option<String> {
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
        let field = field.replace("~1", "/").replace("~0", "~");
        minijinja::context! { value, key, path, field }
    };
    template?.render(variables).ok()
}

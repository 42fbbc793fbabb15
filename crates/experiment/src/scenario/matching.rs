//! Comparing what is expected with what was found.

use super::expect::ExpectedIssue;
use crate::diag::Span;
use crate::score::{Issue, SCRIPT_FAILED};
use crate::value::prose::{beginning, collapsed};
use serde_json::Value;

/// The most that two numbers may differ and still be equal. Wider than the loop's own 1e-9, so that an expert can write
/// 0.833333 for five sixths; far narrower than any bound of a policy.
pub(super) const TOLERANCE: f64 = 1e-6;

/// The longest part of a value that is shown, in characters.
pub(super) const LONGEST_SHOWN: usize = 400;
/// Like [`LONGEST_SHOWN`], for a text that lacks what it should contain.
pub(super) const LONGEST_TEXT: usize = 2000;
/// The most items of a list that are shown.
const MOST_SHOWN: usize = 8;

/// One thing that is not as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The subject of the difference, such as `assessments[0].scores.completeness`.
    pub path: String,
    /// The expected value.
    pub expected: String,
    /// The value that was found.
    pub found: String,
    /// The line of the test file that expects it, from 1.
    pub line: usize,
}

impl Difference {
    /// A difference from what `span` expects.
    pub(super) fn new(
        path: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
        span: &Span,
    ) -> Self {
        Difference {
            path: path.into(),
            expected: expected.into(),
            found: found.into(),
            line: span.location().line,
        }
    }
}

/// Finds where `found` differs from `expected`: mappings as far as `expected` goes, lists item by item, numbers within
/// [`TOLERANCE`].
pub(super) fn compare(
    path: &str,
    expected: &Value,
    found: Option<&Value>,
    span: &Span,
    out: &mut Vec<Difference>,
) {
    match (expected, found) {
        (Value::Object(members), Some(Value::Object(others))) => {
            for (key, value) in members {
                compare(&format!("{path}.{key}"), value, others.get(key), span, out);
            }
        }
        (Value::Array(items), Some(Value::Array(others))) if items.len() == others.len() => {
            for (at, (item, other)) in items.iter().zip(others).enumerate() {
                compare(&format!("{path}[{at}]"), item, Some(other), span, out);
            }
        }
        (Value::Number(_), Some(Value::Number(_))) if close(expected, found) => {}
        _ if Some(expected) == found => {}
        _ => out.push(Difference::new(
            path,
            shown(expected),
            found.map_or_else(|| "nothing".to_owned(), shown),
            span,
        )),
    }
}

fn close(expected: &Value, found: Option<&Value>) -> bool {
    match (expected.as_f64(), found.and_then(Value::as_f64)) {
        (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE,
        _ => false,
    }
}

/// A value as it is shown: words as they are, the rest as JSON, long ones cut.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => beginning(text, LONGEST_SHOWN),
        other => beginning(&other.to_string(), LONGEST_SHOWN),
    }
}

/// Several texts as one, the last ones counted only.
pub(super) fn listed(items: impl ExactSizeIterator<Item = String>) -> String {
    let more = items.len().saturating_sub(MOST_SHOWN);
    let mut shown: Vec<String> = items.take(MOST_SHOWN).collect();
    if shown.is_empty() {
        return "none".to_owned();
    }
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}

/// Returns whether a text has this part, whatever the white space.
pub(super) fn has(text: &str, part: &str) -> bool {
    collapsed(text).contains(&collapsed(part))
}

impl ExpectedIssue {
    /// Returns whether an issue is like this, as far as it is described.
    pub(super) fn fits(&self, issue: &Issue) -> bool {
        fn is<T: PartialEq + ?Sized>(expected: Option<&T>, found: &T) -> bool {
            expected.is_none_or(|expected| expected == found)
        }
        // What a script found is not what broke it: a failure fits only if its code is expected.
        let is_meant = issue.code != SCRIPT_FAILED || self.code.as_deref() == Some(SCRIPT_FAILED);
        is_meant
            && is(self.code.as_deref(), &*issue.code)
            && is(self.severity.as_ref(), &issue.severity)
            && is(self.disposition.as_ref(), &issue.disposition)
            && is(self.path.as_deref(), &*issue.path)
            && self.rule.as_deref().is_none_or(|rule| issue.rule.as_deref() == Some(rule))
            && is(self.auto_fixable.as_ref(), &issue.auto_fixable)
            && self.message.as_ref().is_none_or(|part| has(&issue.message, part))
            && self
                .suggested_fix
                .as_ref()
                .is_none_or(|part| issue.suggested_fix.as_ref().is_some_and(|fix| has(fix, part)))
    }

    /// The likeness of an issue: the number of the described fields that it shares.
    fn likeness(&self, issue: &Issue) -> usize {
        let shared = [
            self.code.as_deref() == Some(&*issue.code),
            self.path.as_deref() == Some(&*issue.path),
            self.severity == Some(issue.severity),
            self.disposition == Some(issue.disposition),
            self.auto_fixable == Some(issue.auto_fixable),
            self.rule.is_some() && self.rule.as_deref() == issue.rule.as_deref(),
        ];
        shared.into_iter().filter(|shared| *shared).count()
    }

    /// The issues that were found, the most alike first.
    pub(super) fn nearest(&self, found: &[Issue]) -> String {
        let mut order: Vec<&Issue> = found.iter().collect();
        order.sort_by_key(|issue| std::cmp::Reverse(self.likeness(issue)));
        listed(order.into_iter().map(issue_line))
    }
}

impl std::fmt::Display for ExpectedIssue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.code.clone());
        parts.extend(self.severity.map(|severity| severity.as_str().to_owned()));
        parts.extend(self.disposition.map(|disposition| disposition.as_str().to_owned()));
        parts.extend(self.path.as_ref().map(|path| place(path)));
        let fixable = |fixable| if fixable { "auto_fixable" } else { "not auto_fixable" };
        parts.extend(self.auto_fixable.map(|is| fixable(is).to_owned()));
        parts.extend(self.rule.as_ref().map(|rule| format!("of the rule `{rule}`")));
        parts.extend(self.message.as_ref().map(|part| format!("saying `{part}`")));
        parts.extend(self.suggested_fix.as_ref().map(|part| format!("suggesting `{part}`")));
        write!(f, "an issue {}", parts.join(" "))
    }
}

fn place(path: &str) -> String {
    if path.is_empty() { "about the whole".to_owned() } else { format!("at {path}") }
}

/// An issue in one line.
pub(super) fn issue_line(issue: &Issue) -> String {
    let (severity, disposition) = (issue.severity.as_str(), issue.disposition.as_str());
    let fixable = if issue.auto_fixable { " auto_fixable" } else { "" };
    let mut line = format!("{} {severity} {disposition}{fixable} {}", issue.code, place(&issue.path));
    if !issue.message.is_empty() {
        line.push_str(": ");
        line.push_str(&beginning(&collapsed(&issue.message), LONGEST_SHOWN));
    }
    line
}

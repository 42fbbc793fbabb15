//! Strict reading of the value that a rule function returns.

use super::error::ScriptFailure;
use super::limits::{Limit, MAX_FINDINGS};
use crate::diag::nearest;
use crate::value::{Disposition, Severity};
use rhai::{Dynamic, Map};

/// One issue as a script reports it. The rule supplies whatever is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finding {
    /// Kind of finding.
    pub code: Option<String>,
    /// The severity of the issue.
    pub severity: Option<Severity>,
    /// The party that handles it.
    pub disposition: Option<Disposition>,
    /// `true` if the loop can fix it.
    pub auto_fixable: Option<bool>,
    /// JSON Pointer; empty for the whole candidate.
    pub path: String,
    /// The description of the problem.
    pub message: Option<String>,
    /// A change that would fix it.
    pub suggested_fix: Option<String>,
}

const KEYS: [&str; 7] =
    ["code", "severity", "disposition", "auto_fixable", "path", "message", "suggested_fix"];

/// Reads `()`, a text, a map, or a list of texts and maps.
pub(super) fn findings(value: Dynamic) -> Result<Vec<Finding>, ScriptFailure> {
    if value.is_unit() {
        return Ok(Vec::new());
    }
    if value.is_array() {
        let items = value.into_array().map_err(unusable)?;
        if items.len() > MAX_FINDINGS {
            return Err(ScriptFailure::Limit(Limit::Findings));
        }
        return items.into_iter().filter(|item| !item.is_unit()).map(finding).collect();
    }
    finding(value).map(|one| vec![one])
}

fn unusable(kind: &str) -> ScriptFailure {
    ScriptFailure::Returned(format!("{kind}; expected nothing, an issue, or a list of issues"))
}

fn finding(value: Dynamic) -> Result<Finding, ScriptFailure> {
    if value.is_string() {
        let message = value.into_string().map_err(unusable)?;
        return Ok(Finding { message: Some(message), ..Finding::default() });
    }
    let kind = value.type_name();
    let Some(map) = value.try_cast::<Map>() else { return Err(unusable(kind)) };
    let mut finding = Finding::default();
    for (key, value) in map {
        if key == "auto_fixable" {
            finding.auto_fixable = Some(value.as_bool().map_err(|_| {
                ScriptFailure::Returned("an issue whose `auto_fixable` is not true or false".to_owned())
            })?);
            continue;
        }
        let is_known = KEYS.contains(&key.as_str());
        let Ok(text) = (if is_known { value.into_string() } else { Ok(String::new()) }) else {
            return Err(ScriptFailure::Returned(format!("an issue whose `{key}` is not text")));
        };
        match key.as_str() {
            "code" => finding.code = Some(text),
            "message" => finding.message = Some(text),
            "suggested_fix" => finding.suggested_fix = Some(text),
            "path" if text.is_empty() || text.starts_with('/') => finding.path = text,
            "path" => finding.path = format!("/{text}"),
            "severity" => {
                let known = Severity::ALL.into_iter().find(|s| s.as_str() == text);
                finding.severity = Some(known.ok_or_else(|| unknown_word("severity"))?);
            }
            "disposition" => {
                let all = [Disposition::Correct, Disposition::Escalate, Disposition::Warn];
                let known = all.into_iter().find(|d| d.as_str() == text);
                finding.disposition = Some(known.ok_or_else(|| unknown_word("disposition"))?);
            }
            other => {
                let other: String = other.chars().take(40).collect();
                let advice = match nearest(&other, KEYS) {
                    Some(guess) => format!("did you mean `{guess}`?"),
                    None => format!("known: {}", KEYS.map(|key| format!("`{key}`")).join(", ")),
                };
                return Err(ScriptFailure::Returned(format!(
                    "an issue with the unknown key `{other}`; {advice}"
                )));
            }
        }
    }
    Ok(finding)
}

fn unknown_word(what: &str) -> ScriptFailure {
    ScriptFailure::Returned(format!("an issue with an unknown {what}"))
}

//! Describes problems with a plugin's settings in words. The values stay out of them: they may be keys.

use crate::diag::nearest;
use jsonschema::error::ValidationErrorKind;
use loopctl_plugin_sdk::protocol::Manifest;
use serde_json::Value;

use super::error::sanitize_message;

/// The most mistakes that are listed.
const MOST: usize = 10;

/// One problem with the settings of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    /// The settings of which one must be given, when none is.
    pub missing: Vec<String>,
    /// A description of the problem.
    pub message: String,
}

/// Checks settings against the plugin's manifest.
///
/// # Errors
/// A message, when the manifest's own schema is not valid.
pub fn setting_problems(manifest: &Manifest, config: &Value) -> Result<Vec<SettingProblem>, String> {
    let Some(schema) = &manifest.config_schema else { return Ok(Vec::new()) };
    let validator = jsonschema::validator_for(schema).map_err(|error| {
        format!("the plugin's own schema is not valid: {}", sanitize_message(&error.to_string()))
    })?;
    let known: Vec<&str> = schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let problems = validator.iter_errors(config).take(MOST).map(|error| {
        let at = error.instance_path().to_string();
        let plain = |message: String| SettingProblem { missing: Vec::new(), message };
        match error.kind() {
            ValidationErrorKind::Required { property } if at.is_empty() => {
                let name = property.as_str().unwrap_or_default().to_owned();
                SettingProblem { message: format!("`{name}` is missing"), missing: vec![name] }
            }
            ValidationErrorKind::OneOfNotValid { .. } | ValidationErrorKind::AnyOf { .. }
                if at.is_empty() =>
            {
                match alternatives(schema) {
                    Some(names) => {
                        SettingProblem { message: format!("{} is missing", any_of(&names)), missing: names }
                    }
                    None => plain(sanitize_message(&error.masked().to_string())),
                }
            }
            ValidationErrorKind::OneOfMultipleValid { .. } if at.is_empty() => match alternatives(schema) {
                Some(names) => plain(format!("only one of {} may be given", quoted(&names).join(", "))),
                None => plain(sanitize_message(&error.masked().to_string())),
            },
            ValidationErrorKind::AdditionalProperties { unexpected } if at.is_empty() => {
                let names: Vec<String> = unexpected
                    .iter()
                    .map(|name| match nearest(name, known.iter().copied()) {
                        Some(guess) => {
                            format!(
                                "there is no setting `{}` (did you mean `{guess}`?)",
                                sanitize_message(name)
                            )
                        }
                        None => {
                            let all: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                            let there_are = match all.len() {
                                0 => "it has none".to_owned(),
                                _ => format!("known are {}", all.join(", ")),
                            };
                            format!("there is no setting `{}`, {there_are}", sanitize_message(name))
                        }
                    })
                    .collect();
                plain(names.join(", "))
            }
            _ if at.is_empty() => plain(sanitize_message(&error.masked().to_string())),
            _ => plain(format!("at `{at}`: {}", sanitize_message(&error.masked().to_string()))),
        }
    });
    Ok(problems.collect())
}

/// The settings of a schema whose alternatives each ask for one.
fn alternatives(schema: &Value) -> Option<Vec<String>> {
    let list = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    list.iter()
        .map(|branch| match branch.get("required")?.as_array()?.as_slice() {
            [name] => name.as_str().map(str::to_owned),
            _ => None,
        })
        .collect()
}

fn quoted(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}

/// The names in words that "is missing" follows.
pub(super) fn any_of(names: &[String]) -> String {
    quoted(names).join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(schema: Value, config: Value) -> Vec<String> {
        let manifest = json!({"name": "x", "version": "1", "abi": {"major": 1, "minor": 0}, "kind": "direct",
            "config_schema": schema});
        let manifest: Manifest = serde_json::from_value(manifest).unwrap();
        setting_problems(&manifest, &config).unwrap().into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn what_is_missing_or_misspelt_is_said_without_the_values() {
        let command = json!({"type": "object", "additionalProperties": false,
            "oneOf": [{"required": ["command"]}, {"required": ["program"]}],
            "properties": {"command": {"type": "string"}, "program": {"type": "string"}}});
        assert_eq!(said(command.clone(), json!({})), ["`command` or `program` is missing"]);
        assert_eq!(
            said(command.clone(), json!({"command": "a", "program": "b"})),
            ["only one of `command`, `program` may be given"]
        );
        assert_eq!(
            said(command.clone(), json!({"command": "a", "progam": "s3cret"})),
            ["there is no setting `progam` (did you mean `program`?)"]
        );
        assert_eq!(
            said(command.clone(), json!({"command": "a", "foo": 1})),
            ["there is no setting `foo`, known are `command`, `program`"]
        );
        assert_eq!(said(command, json!({"command": 3})), ["at `/command`: value is not of type \"string\""]);
        let scripted = json!({"type": "object", "required": ["file"]});
        assert_eq!(said(scripted, json!({})), ["`file` is missing"]);
    }
}

//! The input of a value of a field, by what the profile declares of it and by what was extracted.

use super::document::ReviewDocument;
use super::entry::Written;
use super::field_path::FieldPath;
use super::typed_value::{FieldType, shown};
use crate::plan::Plan;
use crate::score::is_name_of_date;
use serde_json::Value;

/// The way in which a value of a field is typed in.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldInput {
    /// One of these.
    Choice(Vec<String>),
    /// Any text; these are the usual ones.
    Text(Vec<String>),
    /// A day, or a part of one.
    Date,
    /// A number, perhaps a whole one.
    Number(bool),
    /// `true` or `false`.
    Truth,
    /// A value on each line; `true` if they are numbers.
    Lines(bool),
    /// JSON.
    Json,
}

impl FieldInput {
    /// That of a field of a document. Without a plan nothing is known of vocabularies.
    pub fn of(document: &ReviewDocument, path: &FieldPath, plan: Option<&Plan>) -> Self {
        let extracted = path.of(document.extraction()).filter(|value| crate::value::is_present(value));
        let of_field = FieldType::of(&document.declared, path, extracted);
        let known = of_field.choices();
        if !known.is_empty() && known.iter().all(Value::is_string) {
            return FieldInput::Choice(known.iter().map(shown).collect());
        }
        let name = path.last();
        match of_field.reads_as() {
            "integer" => FieldInput::Number(true),
            "number" => FieldInput::Number(false),
            "boolean" => FieldInput::Truth,
            "array" => match of_field.item_type() {
                Some("string") => FieldInput::Lines(false),
                Some("integer" | "number") => FieldInput::Lines(true),
                _ => FieldInput::Json,
            },
            "object" => FieldInput::Json,
            _ => {
                let rules = plan.map(|plan| plan.scoring.rules().evidence());
                let vocabulary = rules.and_then(|rules| rules.vocabulary_of(&name));
                let usual = vocabulary.map(|(_, vocabulary)| vocabulary.values.keys().cloned().collect());
                if usual.is_none() && is_name_of_date(&name) {
                    FieldInput::Date
                } else {
                    FieldInput::Text(usual.unwrap_or_default())
                }
            }
        }
    }

    /// Reads what was typed in as a value of the field.
    ///
    /// # Errors
    /// The expectation, and what was found.
    pub fn read(&self, typed: &str) -> Result<Written, String> {
        let FieldInput::Lines(of_numbers) = self else { return Ok(Written::Cell(typed.trim().to_owned())) };
        let lines = typed.lines().map(str::trim).filter(|line| !line.is_empty());
        let item = |line: &str| match of_numbers {
            false => Ok(Value::from(line)),
            true => serde_json::from_str(line)
                .ok()
                .filter(Value::is_number)
                .ok_or_else(|| format!("expected a number on each line, found `{line}`")),
        };
        lines.map(item).collect::<Result<Vec<Value>, String>>().map(|items| Written::Json(Value::from(items)))
    }

    /// A value as it appears in the input.
    pub fn typed(&self, value: &Value) -> String {
        match (self, value) {
            (FieldInput::Lines(_), Value::Array(items)) => {
                items.iter().map(shown).collect::<Vec<_>>().join("\n")
            }
            (FieldInput::Json, value) => serde_json::to_string_pretty(value).unwrap_or_default(),
            (_, value) => shown(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_are_items() {
        let lines = FieldInput::Lines(false);
        assert_eq!(lines.read("a\n\n b \n"), Ok(Written::Json(json!(["a", "b"]))));
        assert_eq!(lines.typed(&json!(["a", "b"])), "a\nb");
        assert_eq!(FieldInput::Lines(true).read("1\n2.5"), Ok(Written::Json(json!([1, 2.5]))));
        assert!(FieldInput::Lines(true).read("one").is_err_and(|why| why.contains("`one`")));
        assert_eq!(FieldInput::Truth.read(" true "), Ok(Written::Cell("true".to_owned())));
    }
}

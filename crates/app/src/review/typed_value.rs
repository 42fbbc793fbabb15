//! Checks whether a value can be one of its field, and finds the value that a cell of a table represents.

use super::entry::Written;
use super::field_path::FieldPath;
use super::fields::DeclaredFields;
use crate::experiment::evaluate::kind;
use crate::score::ValueComparison;
use crate::value::prose::{beginning, did_you_mean, listed};
use serde_json::Value;

/// The known facts about the values of a field.
#[derive(Clone, Copy)]
pub(super) struct FieldType<'a> {
    schema: Option<&'a Value>,
    /// The extracted value.
    extracted: Option<&'a Value>,
}

impl<'a> FieldType<'a> {
    /// By what the profile declares, and by what was extracted where it declares nothing.
    pub(super) fn of(declared: &'a DeclaredFields, path: &FieldPath, extracted: Option<&'a Value>) -> Self {
        FieldType { schema: declared.schema_at(path), extracted }
    }

    /// The types that its schema names; none where it names no types.
    fn types(self) -> Vec<&'a str> {
        match self.schema.and_then(|schema| schema.get("type")) {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The values that its schema names; none where any will do.
    pub(super) fn choices(self) -> &'a [Value] {
        let named = self.schema.and_then(|schema| schema.get("enum")?.as_array());
        named.map(Vec::as_slice).unwrap_or_default()
    }

    /// The type of the items of a list, where all are plain values of one type.
    pub(super) fn item_type(self) -> Option<&'a str> {
        if let Some(named) = self.schema.and_then(|schema| schema.get("items")?.get("type")?.as_str()) {
            return Some(named);
        }
        let items = self.extracted.and_then(Value::as_array).filter(|items| !items.is_empty())?;
        let all = |is: fn(&Value) -> bool| items.iter().all(is);
        if all(Value::is_string) { Some("string") } else { all(Value::is_number).then_some("number") }
    }

    /// The type that a cell is read as.
    pub(super) fn reads_as(self) -> &'a str {
        let types = self.types();
        let named = types.iter().find(|name| **name != "null").copied();
        named.unwrap_or(match self.extracted {
            Some(Value::Number(_)) => "number",
            Some(Value::Bool(_)) => "boolean",
            Some(Value::Array(_)) => "array",
            Some(Value::Object(_)) => "object",
            Some(Value::String(_) | Value::Null) | None => "string",
        })
    }

    /// The value that was written.
    ///
    /// # Errors
    /// The expectation, and what was found.
    pub(super) fn read(self, written: &Written) -> Result<Value, String> {
        let cell = match written {
            Written::Json(value) => return Ok(value.clone()),
            Written::Cell(cell) => cell,
        };
        let found = || format!("found `{}`", shortened(cell));
        let json = || serde_json::from_str::<Value>(cell).ok();
        match self.reads_as() {
            "integer" | "number" => json()
                .filter(Value::is_number)
                .ok_or_else(|| format!("expected a number such as 12 or 0.5, {}", found())),
            "boolean" => json()
                .filter(Value::is_boolean)
                .or_else(|| cell.to_lowercase().parse().ok().map(Value::Bool))
                .ok_or_else(|| format!("expected `true` or `false`, {}", found())),
            "array" => json()
                .filter(Value::is_array)
                .ok_or_else(|| format!("expected a list as JSON, such as `[\"a\", \"b\"]`, {}", found())),
            "object" => json().filter(Value::is_object).ok_or_else(|| {
                format!("expected an object as JSON, such as `{{\"ER\": \"positive\"}}`, {}", found())
            }),
            _ => Ok(Value::from(self.as_spelled(cell))),
        }
    }

    /// A word as the field's own values spell it, where one differs by its case alone.
    fn as_spelled<'b>(self, word: &'b str) -> &'b str
    where
        'a: 'b,
    {
        let mut known = self.choices().iter().filter_map(Value::as_str);
        if known.clone().any(|own| own == word) {
            return word;
        }
        known.find(|own| own.to_lowercase() == word.to_lowercase()).unwrap_or(word)
    }

    /// Checks that a value can be one of the field's.
    ///
    /// # Errors
    /// The expectation, and what was found.
    pub(super) fn admits(
        self,
        path: &FieldPath,
        value: &Value,
        comparison: Option<ValueComparison<'_>>,
    ) -> Result<(), String> {
        let types = self.types();
        let is = |name: &str| match name {
            "string" => value.is_string(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            _ => true,
        };
        if !types.is_empty() && !types.iter().any(|name| is(name)) {
            let expected: Vec<&str> =
                types.iter().filter(|name| **name != "null").map(|name| word(name)).collect();
            return Err(format!("expected {}, found {}", expected.join(" or "), kind(value)));
        }
        if let Some(Value::Array(known)) = self.schema.and_then(|schema| schema.get("enum"))
            && !known.contains(value)
        {
            let texts: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
            let all = format!("expected one of {}", listed(&texts));
            let help = match value.as_str() {
                Some(text) => did_you_mean(text, texts, all),
                None => all,
            };
            return Err(format!("`{}` is none of its values; {help}", shortened(&shown(value))));
        }
        match comparison.and_then(|comparison| comparison.field(&path.last()).expects_instead_of(value)) {
            Some(expected) => Err(format!("expected {expected}, found `{}`", shortened(&shown(value)))),
            None => Ok(()),
        }
    }
}

fn word(name: &str) -> &str {
    match name {
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "`true` or `false`",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

/// A value as a table shows it: a text as it is, all else as JSON.
pub(super) fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The reviewer's text, as much as a message needs.
fn shortened(text: &str) -> String {
    beginning(text, 40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_word_of_a_vocabulary_is_written_as_the_vocabulary_does() {
        let schema = json!({ "type": "string", "enum": ["G1", "g2", "G2", "Äußere"] });
        let field = FieldType { schema: Some(&schema), extracted: None };
        for (typed, read) in [("g1", "G1"), ("g2", "g2"), ("G2", "G2"), ("äUßERE", "Äußere"), ("g3", "g3")]
        {
            assert_eq!(field.read(&Written::Cell(typed.to_owned())), Ok(json!(read)), "{typed}");
        }
    }
}

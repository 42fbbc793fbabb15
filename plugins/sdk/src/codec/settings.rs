//! The common parts of configurations of codecs.

use serde_json::Value;

/// A text of the configuration; none when it is missing or blank.
pub fn configured(config: &Value, key: &str) -> Option<String> {
    config.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The placeholder of a key: a variable's name, or several with `|` between them, of which the first that is set counts.
/// One that isn't required is left out, with its header, when none is set.
pub fn secret(names: &str, required: bool) -> String {
    let optional = if required { "" } else { "?" };
    format!("${{secret:{names}{optional}}}")
}

/// The way in which the answer's shape is requested: `json_mode` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonMode {
    /// The API holds the model to the schema: `schema`, or nothing.
    Schema,
    /// The API holds the model to JSON, and the schema is in the prompt: `object`.
    Object,
    /// Nothing but the schema in the prompt: `none`.
    None,
}

impl JsonMode {
    /// As the configuration has it.
    pub fn configured(config: &Value) -> Self {
        match configured(config, "json_mode").as_deref() {
            Some("object") => Self::Object,
            Some("none") => Self::None,
            _ => Self::Schema,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blank_texts_are_not_configured() {
        let config = json!({"a": " x ", "b": " ", "c": 1});
        assert_eq!(configured(&config, "a").as_deref(), Some("x"));
        for key in ["b", "c", "d"] {
            assert_eq!(configured(&config, key), None, "{key}");
        }
    }

    #[test]
    fn keys_are_placeholders() {
        assert_eq!(secret("KEY", true), "${secret:KEY}");
        assert_eq!(secret("A|B", false), "${secret:A|B?}");
    }

    #[test]
    fn the_api_enforces_the_schema_unless_it_is_told_otherwise() {
        for (config, mode) in [
            (json!({}), JsonMode::Schema),
            (json!({"json_mode": "schema"}), JsonMode::Schema),
            (json!({"json_mode": "object"}), JsonMode::Object),
            (json!({"json_mode": "none"}), JsonMode::None),
        ] {
            assert_eq!(JsonMode::configured(&config), mode, "{config}");
        }
    }
}

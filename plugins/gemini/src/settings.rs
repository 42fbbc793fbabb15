//! The configuration.

use loopctl_plugin_sdk::codec::{BaseUrl, configured};
use loopctl_plugin_sdk::{Failure, Value};

/// How the answer's shape is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonMode {
    /// `responseJsonSchema`.
    Schema,
    /// `responseMimeType: application/json`, and the schema in the prompt.
    Object,
    /// Nothing but the schema in the prompt.
    None,
}

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) model: Option<String>,
    pub(crate) json_mode: JsonMode,
    pub(crate) max_tokens: Option<u64>,
    base: Option<BaseUrl>,
}

impl Settings {
    pub(crate) fn from_config(config: &Value) -> Self {
        let json_mode = match configured(config, "json_mode").as_deref() {
            Some("object") => JsonMode::Object,
            Some("none") => JsonMode::None,
            _ => JsonMode::Schema,
        };
        Self {
            model: configured(config, "model"),
            json_mode,
            max_tokens: config.get("max_tokens").and_then(Value::as_u64),
            base: configured(config, "base_url").map(|url| BaseUrl::parse(&url)),
        }
    }

    /// The path under the base URL. A model is `gemini-…`, or a resource such as `tunedModels/…`.
    ///
    /// # Errors
    /// A name that can't be part of a path.
    pub(crate) fn path(&self, model: &str) -> Result<String, Failure> {
        let version = if self.base.as_ref().is_some_and(BaseUrl::has_version) { "" } else { "/v1beta" };
        let resource = if model.contains('/') { model.to_owned() } else { format!("models/{model}") };
        let segments: Vec<&str> = resource.split('/').collect();
        if segments.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
            return Err(Failure::invalid_request("the model's name can't be used in a URL"));
        }
        let resource = segments.into_iter().map(escaped).collect::<Vec<_>>().join("/");
        Ok(format!("{version}/{resource}:generateContent"))
    }

    /// The key's placeholder: Google wants one, a gateway may not. Of two, Google's own libraries take the first.
    pub(crate) fn key(&self) -> &'static str {
        match &self.base {
            Some(base) if !base.is_within("googleapis.com") => "${secret:GOOGLE_API_KEY|GEMINI_API_KEY?}",
            _ => "${secret:GOOGLE_API_KEY|GEMINI_API_KEY}",
        }
    }
}

/// As a segment of a path: everything but letters, digits and `-._~` percent-encoded.
fn escaped(segment: &str) -> String {
    segment
        .bytes()
        .map(|byte| match byte {
            b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

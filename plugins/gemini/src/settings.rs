//! The configuration.

use loopctl_plugin_sdk::codec::{BaseUrl, JsonMode, configured, secret, segment};
use loopctl_plugin_sdk::{Failure, Value};

/// The address of the API, unless another is configured.
const HOST: &str = "https://generativelanguage.googleapis.com";

#[derive(Debug)]
pub(crate) struct GeminiSettings {
    pub(crate) model: Option<String>,
    pub(crate) json_mode: JsonMode,
    pub(crate) max_tokens: Option<u64>,
    base: Option<BaseUrl>,
    base_url: Option<String>,
}

impl GeminiSettings {
    pub(crate) fn from_config(config: &Value) -> Self {
        Self {
            model: configured(config, "model"),
            json_mode: JsonMode::configured(config),
            max_tokens: config.get("max_tokens").and_then(Value::as_u64),
            base: BaseUrl::configured(config),
            base_url: configured(config, "base_url"),
        }
    }

    /// The path under the base URL. A model is `gemini-…`, or a resource such as `tunedModels/…`.
    ///
    /// # Errors
    /// A name that can't be part of a path.
    pub(crate) fn path(&self, model: &str) -> Result<String, Failure> {
        let version = self.version();
        let resource = if model.contains('/') { model.to_owned() } else { format!("models/{model}") };
        let segments = resource.split('/').map(|name| segment(name, "the model's name"));
        let segments: Vec<String> = segments.collect::<Result<_, _>>()?;
        Ok(format!("{version}/{}:generateContent", segments.join("/")))
    }

    /// The API's version in paths, where the base URL doesn't name it.
    pub(crate) fn version(&self) -> &'static str {
        if self.base.as_ref().is_some_and(BaseUrl::has_version) { "" } else { "/v1beta" }
    }

    /// The base URL of uploads, beside the API: `…/upload/v1beta` of `…/v1beta`.
    pub(crate) fn beside(&self, what: &str) -> String {
        let base = self.base_url.as_deref().unwrap_or(HOST).trim_end_matches('/');
        let names_version = self.base.as_ref().is_some_and(BaseUrl::has_version);
        match base.rsplit_once("/v").filter(|_| names_version) {
            Some((before, version)) => format!("{before}/{what}/v{version}"),
            None => format!("{base}/{what}/v1beta"),
        }
    }

    /// The key's placeholder: Google wants one, a gateway may not. Of two, Google's own libraries take the first.
    pub(crate) fn key(&self) -> String {
        let required = self.base.as_ref().is_none_or(|base| base.is_within("googleapis.com"));
        secret("GOOGLE_API_KEY|GEMINI_API_KEY", required)
    }
}

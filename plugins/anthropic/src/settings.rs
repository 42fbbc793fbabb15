//! The configuration.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::Value;
use loopctl_plugin_sdk::codec::{BaseUrl, configured, secret};
use loopctl_plugin_sdk::protocol::CompletionRequest;

use crate::model::takes_forced_tool;

/// The API's version: the only one there has been since 2023.
const API_VERSION: &str = "2023-06-01";
/// Room for any extraction and some thinking; every model that is still served allows it.
const MAX_TOKENS: u64 = 16_384;

#[derive(Debug)]
pub(crate) struct AnthropicSettings {
    pub(crate) model: Option<String>,
    pub(crate) max_tokens: u64,
    pub(crate) beta: Option<String>,
    tool_choice: Option<String>,
    base: Option<BaseUrl>,
}

impl AnthropicSettings {
    pub(crate) fn from_config(config: &Value) -> Self {
        Self {
            model: configured(config, "model"),
            max_tokens: config.get("max_tokens").and_then(Value::as_u64).unwrap_or(MAX_TOKENS),
            beta: configured(config, "beta"),
            tool_choice: configured(config, "tool_choice"),
            base: BaseUrl::configured(config),
        }
    }

    pub(crate) fn path(&self) -> &'static str {
        if self.base.as_ref().is_some_and(BaseUrl::has_version) { "/messages" } else { "/v1/messages" }
    }

    /// The key's placeholder: Anthropic wants one, a gateway may not.
    pub(crate) fn key(&self) -> String {
        let required = self.base.as_ref().is_none_or(|base| base.is_within("anthropic.com"));
        secret("ANTHROPIC_API_KEY", required)
    }

    /// The headers that every request carries.
    pub(crate) fn headers(&self) -> BTreeMap<String, String> {
        let mut headers = BTreeMap::from([
            ("x-api-key".to_owned(), self.key()),
            ("anthropic-version".to_owned(), API_VERSION.to_owned()),
        ]);
        if let Some(beta) = &self.beta {
            headers.insert("anthropic-beta".to_owned(), beta.clone());
        }
        headers
    }

    /// Returns whether the tool must be called. A model that thinks can't be made to.
    pub(crate) fn forces_tool(&self, model: &str, request: &CompletionRequest) -> bool {
        match self.tool_choice.as_deref() {
            Some("force") => return true,
            Some(_) => return false,
            None => {}
        }
        let thinks = request
            .options
            .extra_body
            .get("thinking")
            .and_then(|thinking| thinking.get("type"))
            .and_then(Value::as_str)
            .is_some_and(|kind| kind != "disabled");
        !thinks && takes_forced_tool(model)
    }
}

//! The configuration, and what follows from where the requests go.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::codec::{BaseUrl, JsonMode, configured, escaped, secret, segment};
use loopctl_plugin_sdk::{Failure, Value};

use crate::model::reasons;

/// Azure's version of the API when none is configured: the latest that is generally available under dated names.
const AZURE_API_VERSION: &str = "2024-10-21";
const AZURE_DOMAINS: &[&str] =
    &["openai.azure.com", "openai.azure.us", "cognitiveservices.azure.com", "services.ai.azure.com"];

/// The service whose rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApiService {
    OpenAi,
    Azure,
    OpenRouter,
    /// A server that speaks the same API.
    Compatible,
}

#[derive(Debug)]
pub(crate) struct OpenAiSettings {
    pub(crate) service: ApiService,
    /// The text that a user writes before the model's name.
    pub(crate) provider: String,
    pub(crate) model: Option<String>,
    pub(crate) organization: Option<String>,
    pub(crate) json_mode: JsonMode,
    pub(crate) strict: bool,
    pub(crate) max_tokens: Option<u64>,
    max_tokens_field: Option<String>,
    base: Option<BaseUrl>,
    deployment: Option<String>,
    api_version: Option<String>,
}

impl OpenAiSettings {
    pub(crate) fn from_config(config: &Value) -> Result<Self, Failure> {
        let endpoint = configured(config, "endpoint").unwrap_or_else(|| "openai".to_owned());
        let base = BaseUrl::configured(config);
        if base.as_ref().is_some_and(|base| base.path().ends_with("/chat/completions")) {
            return Err(Failure::invalid_config("`base_url` must end before `/chat/completions`"));
        }
        let service = match (endpoint.as_str(), &base) {
            ("azure", Some(base)) if !base.is_within("api.openai.com") => ApiService::Azure,
            ("azure", _) => {
                return Err(Failure::invalid_config(
                    "Azure has a host per resource: set AZURE_OPENAI_ENDPOINT or `base_url` to `https://RESOURCE.openai.azure.com`",
                ));
            }
            ("openrouter", _) => ApiService::OpenRouter,
            ("openai", None) => ApiService::OpenAi,
            (_, Some(base)) if base.is_within("api.openai.com") => ApiService::OpenAi,
            (_, Some(base)) if base.is_within("openrouter.ai") => ApiService::OpenRouter,
            _ => ApiService::Compatible,
        };
        if base.is_none() && endpoint != "openai" {
            return Err(Failure::invalid_config(format!(
                "the endpoint `{endpoint}` needs a `base_url` in the configuration"
            )));
        }
        Ok(Self {
            service,
            provider: endpoint,
            model: configured(config, "model"),
            organization: configured(config, "organization"),
            json_mode: JsonMode::configured(config),
            strict: config.get("strict").and_then(Value::as_bool).unwrap_or(true),
            max_tokens: config.get("max_tokens").and_then(Value::as_u64),
            max_tokens_field: configured(config, "max_tokens_field"),
            base,
            deployment: configured(config, "deployment"),
            api_version: configured(config, "api_version"),
        })
    }

    /// The header with the key, as a placeholder. At the vendor's own host there must be one; a server that merely
    /// speaks the same API may not want any. No endpoint shows its server the key of another.
    pub(crate) fn key(&self) -> (&'static str, String) {
        let within = |domain: &&str| self.base.as_ref().is_some_and(|base| base.is_within(domain));
        let (header, before, required, names) = match self.service {
            ApiService::OpenAi => ("authorization", "Bearer ", true, "OPENAI_API_KEY"),
            ApiService::Azure => ("api-key", "", AZURE_DOMAINS.iter().any(within), "AZURE_OPENAI_API_KEY"),
            // A user who sets OPENAI_BASE_URL to this host has its key in OPENAI_API_KEY; one who asks for
            // `openrouter:…` doesn't mean to show it the key of another company.
            ApiService::OpenRouter if self.provider == "openai" => {
                ("authorization", "Bearer ", true, "OPENROUTER_API_KEY|OPENAI_API_KEY")
            }
            ApiService::OpenRouter => {
                ("authorization", "Bearer ", within(&"openrouter.ai"), "OPENROUTER_API_KEY")
            }
            ApiService::Compatible => ("authorization", "Bearer ", false, self.own_key()),
        };
        (header, format!("{before}{}", secret(names, required)))
    }

    /// The headers that every request carries: the key, and whose it is.
    pub(crate) fn headers(&self) -> BTreeMap<String, String> {
        let (header, key) = self.key();
        let mut headers = BTreeMap::from([(header.to_owned(), key)]);
        if let Some(organization) = &self.organization {
            headers.insert("openai-organization".to_owned(), organization.clone());
        }
        headers
    }

    /// The variable with the key of a server that speaks the same API. Only `openai` goes wherever OPENAI_BASE_URL says
    /// with OPENAI_API_KEY.
    fn own_key(&self) -> &'static str {
        match self.provider.as_str() {
            "ollama" => "OLLAMA_API_KEY",
            "vllm" => "VLLM_API_KEY",
            "llamacpp" => "LLAMACPP_API_KEY",
            "lmstudio" => "LMSTUDIO_API_KEY",
            _ => "OPENAI_API_KEY",
        }
    }

    /// The path under the base URL; `model` is part of it at Azure.
    ///
    /// # Errors
    /// A name that is not a single segment of a path.
    pub(crate) fn path(&self, model: &str) -> Result<String, Failure> {
        let base_path = self.base.as_ref().map_or("", BaseUrl::path);
        let versioned = self.base.as_ref().is_some_and(BaseUrl::has_version);
        if self.service != ApiService::Azure {
            let version = if versioned { "" } else { "/v1" };
            return Ok(format!("{version}/chat/completions"));
        }
        if versioned {
            // Azure's API without dates: https://RESOURCE.openai.azure.com/openai/v1, the deployment is the model.
            let query = self
                .api_version
                .as_deref()
                .map_or_else(String::new, |v| format!("?api-version={}", escaped(v)));
            return Ok(format!("/chat/completions{query}"));
        }
        let version = escaped(self.api_version.as_deref().unwrap_or(AZURE_API_VERSION));
        if base_path.contains("/deployments/") {
            // As Azure's portal shows it.
            return Ok(format!("/chat/completions?api-version={version}"));
        }
        let deployment = segment(self.deployment.as_deref().unwrap_or(model), "the deployment's name")?;
        let prefix = if base_path.ends_with("/openai") { "" } else { "/openai" };
        Ok(format!("{prefix}/deployments/{deployment}/chat/completions?api-version={version}"))
    }

    /// The model where none is named.
    pub(crate) fn default_model(&self) -> Option<&str> {
        self.model.as_deref().or(self.deployment.as_deref().filter(|_| self.service == ApiService::Azure))
    }

    /// The name of the limit on the answer. Servers that pass requests on to OpenAI get the name that it takes.
    pub(crate) fn max_tokens_field(&self, model: &str) -> &str {
        let usual = match self.service {
            ApiService::OpenAi | ApiService::Azure => "max_completion_tokens",
            ApiService::Compatible if reasons(model) => "max_completion_tokens",
            ApiService::OpenRouter | ApiService::Compatible => "max_tokens",
        };
        self.max_tokens_field.as_deref().unwrap_or(usual)
    }

    /// Returns whether there is a batch API: at OpenAI and Azure, and at gateways before them (`base_url` of `openai`).
    /// The other servers that speak chat completions have none.
    pub(crate) fn has_batches(&self) -> bool {
        matches!(self.service, ApiService::OpenAi | ApiService::Azure)
            || (self.service == ApiService::Compatible && self.provider == "openai")
    }

    /// The path of the batch API under the base URL. `rest` is `files`, `batches/ID`, …, and may have a query.
    ///
    /// # Errors
    /// Below a single deployment of Azure's there is none.
    pub(crate) fn batch_path(&self, rest: &str) -> Result<String, Failure> {
        let base_path = self.base.as_ref().map_or("", BaseUrl::path);
        let versioned = self.base.as_ref().is_some_and(BaseUrl::has_version);
        let (prefix, version) = match self.service {
            ApiService::Azure if base_path.contains("/deployments/") => {
                return Err(Failure::permanent(
                    "Azure's batches don't stand below a deployment: let `base_url` end before `/deployments/`, and name \
                     the deployment as the model",
                ));
            }
            ApiService::Azure if versioned => ("", self.api_version.as_deref()),
            ApiService::Azure => {
                let prefix = if base_path.ends_with("/openai") { "" } else { "/openai" };
                (prefix, Some(self.api_version.as_deref().unwrap_or(AZURE_API_VERSION)))
            }
            _ => (if versioned { "" } else { "/v1" }, None),
        };
        let query = version.map_or_else(String::new, |version| {
            let sign = if rest.contains('?') { '&' } else { '?' };
            format!("{sign}api-version={}", escaped(version))
        });
        Ok(format!("{prefix}/{rest}{query}"))
    }

    /// The endpoint that a line and its batch name: the path of a single call, without what is the same for
    /// all.
    pub(crate) fn batch_endpoint(&self) -> &'static str {
        let versioned = self.base.as_ref().is_some_and(BaseUrl::has_version);
        // Azure's API with dates knows no version in paths.
        if self.service == ApiService::Azure && !versioned {
            "/chat/completions"
        } else {
            "/v1/chat/completions"
        }
    }

    /// The deployment that lines name as their model, where it is part of the path of a single call.
    pub(crate) fn batch_model(&self) -> Option<&str> {
        let versioned = self.base.as_ref().is_some_and(BaseUrl::has_version);
        self.deployment.as_deref().filter(|_| self.service == ApiService::Azure && !versioned)
    }
}

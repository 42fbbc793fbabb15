//! The provider for chat completions as OpenAI defined them and many servers speak them.
//!
//! A pure codec: [`OpenAi`] writes `POST …/chat/completions` and reads what comes back; the host does the network.
//! What OpenAI and Azure also take in batches is in `batch`.
//! `docs/providers.md` describes it for users.

mod batch;
mod decode;
mod encode;
mod errors;
mod model;
mod settings;
pub mod strict;

use loopctl_plugin_sdk::codec::AdaptedSchemas;
use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpRequest, HttpResponse};
use loopctl_plugin_sdk::{BatchCodec, Failure, HttpCodec, Value, export_http_plugin};

use settings::OpenAiSettings;

/// The codec.
#[derive(Debug)]
pub struct OpenAi {
    settings: OpenAiSettings,
    schemas: AdaptedSchemas,
}

impl HttpCodec for OpenAi {
    fn open(config: &Value) -> Result<Self, Failure> {
        Ok(Self { settings: OpenAiSettings::from_config(config)?, schemas: AdaptedSchemas::default() })
    }

    fn encode(&self, request: &CompletionRequest) -> Result<HttpRequest, Failure> {
        encode::encode(&self.settings, &self.schemas, request)
    }

    fn decode(&self, response: &HttpResponse) -> Result<Completion, Failure> {
        decode::decode(&self.settings, response)
    }

    fn batch(&self) -> Option<&dyn BatchCodec> {
        Some(self)
    }
}

export_http_plugin!(OpenAi, include_str!("../plugin.json"), unless = "linked");

//! The provider for Anthropic's messages API.
//!
//! A pure codec: [`Anthropic`] writes `POST /v1/messages` and reads what comes back; the host does the network. The
//! answer comes as the input of a tool that the model has to call. `docs/providers.md` describes it for users.

mod batch;
mod decode;
mod encode;
mod errors;
mod model;
mod settings;
pub mod tool;

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpRequest, HttpResponse};
use loopctl_plugin_sdk::{BatchCodec, Failure, HttpCodec, Value, export_http_plugin};

use settings::AnthropicSettings;

/// The codec.
#[derive(Debug)]
pub struct Anthropic {
    settings: AnthropicSettings,
}

impl HttpCodec for Anthropic {
    fn open(config: &Value) -> Result<Self, Failure> {
        Ok(Self { settings: AnthropicSettings::from_config(config) })
    }

    fn encode(&self, request: &CompletionRequest) -> Result<HttpRequest, Failure> {
        encode::encode(&self.settings, request)
    }

    fn decode(&self, response: &HttpResponse) -> Result<Completion, Failure> {
        decode::decode(response)
    }

    fn batch(&self) -> Option<&dyn BatchCodec> {
        Some(self)
    }
}

export_http_plugin!(Anthropic, include_str!("../plugin.json"), unless = "linked");

//! The provider for Google's Gemini API.
//!
//! A pure codec: [`Gemini`] writes `POST /v1beta/models/MODEL:generateContent` and reads what comes back; the host does
//! the network. `docs/providers.md` describes it for users.

mod batch;
mod decode;
mod encode;
mod errors;
pub mod response_schema;
mod settings;

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpRequest, HttpResponse};
use loopctl_plugin_sdk::{BatchCodec, Failure, HttpCodec, Value, export_http_plugin};

use settings::GeminiSettings;

/// The codec.
#[derive(Debug)]
pub struct Gemini {
    settings: GeminiSettings,
}

impl HttpCodec for Gemini {
    fn open(config: &Value) -> Result<Self, Failure> {
        Ok(Self { settings: GeminiSettings::from_config(config) })
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

export_http_plugin!(Gemini, include_str!("../plugin.json"), unless = "linked");

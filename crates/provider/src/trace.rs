//! A span for each call, with the names that OpenTelemetry's semantic conventions for generative AI give its attributes
//! ([`crate::telemetry::names`]). What was asked and answered is not among them.

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, Usage};
use serde_json::json;
use tracing::field::{Empty, display};
use tracing::{Span, info_span};

use super::error::identifier;
use super::{CallFailure, Provider};
use crate::telemetry::names as n;
use crate::value::Usd;

/// The span of a call. Dropped before [`CallSpan::end`], the call was given up.
pub(super) struct CallSpan {
    span: Span,
    ended: bool,
    /// The cost if it is given up.
    unfinished: Option<f64>,
}

impl CallSpan {
    /// Begins the span of a call.
    pub(super) fn begin(provider: &Provider, request: &CompletionRequest) -> Self {
        let asked = provider.asked(request);
        let operation = operation(provider.provider_label());
        let name = asked.map_or_else(|| operation.to_owned(), |model| format!("{operation} {model}"));
        let server = provider.server();
        let options = &request.options;
        let span = info_span!(
            target: "loopctl",
            "chat",
            { n::SPAN_NAME } = name,
            { n::SPAN_KIND } = "client",
            documentId = request.document.id,
            stage = request.stage,
            iteration = request.iteration,
            attempt = request.attempt,
            { n::OPERATION } = operation,
            { n::PROVIDER } = conventional(provider.provider_label()),
            { n::REQUEST_MODEL } = asked,
            { n::TEMPERATURE } = options.temperature,
            { n::SEED } = options.seed,
            { n::MAX_TOKENS } = options.max_tokens,
            { n::OUTPUT_TYPE } = request.schema.is_some().then_some("json"),
            { n::SERVER_ADDRESS } = server.as_ref().map(|(host, _)| host.as_str()),
            { n::SERVER_PORT } = server.as_ref().map(|(_, port)| *port),
            { n::RESPONSE_MODEL } = Empty,
            { n::RESPONSE_ID } = Empty,
            { n::FINISH_REASONS } = Empty,
            { n::INPUT_TOKENS } = Empty,
            { n::CACHE_READ_TOKENS } = Empty,
            { n::OUTPUT_TOKENS } = Empty,
            { n::ERROR_TYPE } = Empty,
            cost_usd = Empty,
            cached = Empty,
            waited_ms = Empty,
        );
        let unfinished = provider.cost_unfinished(request).map(Usd::get);
        CallSpan { span, ended: false, unfinished }
    }

    /// The span in which the work on the call continues.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Fills in how the call ended.
    pub(super) fn end(mut self, outcome: &Result<Completion, CallFailure>, cached: bool) {
        self.ended = true;
        if cached {
            self.span.record("cached", true);
        }
        let cost = match outcome {
            Ok(completion) => {
                self.answered(completion);
                completion.usage.cost_usd
            }
            Err(failure) => {
                self.span.record(n::ERROR_TYPE, failure.kind.as_str());
                if let Some(usage) = &failure.usage {
                    self.used(usage);
                }
                failure.cost.map(Usd::get)
            }
        };
        self.cost(cost);
    }

    fn answered(&self, completion: &Completion) {
        let texts = [(n::RESPONSE_MODEL, &completion.model), (n::RESPONSE_ID, &completion.response_id)];
        for (name, text) in texts {
            if let Some(text) = text.as_deref().and_then(identifier) {
                self.span.record(name, text);
            }
        }
        if let Some(reason) = completion.finish_reason.as_deref().and_then(identifier) {
            self.span.record(n::FINISH_REASONS, display(json!([reason])));
        }
        self.used(&completion.usage);
    }

    fn used(&self, usage: &Usage) {
        if usage.input_tokens > 0 || usage.output_tokens > 0 {
            self.span.record(n::INPUT_TOKENS, usage.input_tokens);
            self.span.record(n::OUTPUT_TOKENS, usage.output_tokens);
        }
        if usage.cached_input_tokens > 0 {
            self.span.record(n::CACHE_READ_TOKENS, usage.cached_input_tokens);
        }
    }

    /// An unknown cost is `null`, not left out.
    fn cost(&self, cost: Option<f64>) {
        match cost {
            Some(cost) => self.span.record("cost_usd", cost),
            None => self.span.record("cost_usd", display("null")),
        };
    }
}

impl Drop for CallSpan {
    fn drop(&mut self) {
        if !self.ended {
            self.span.record(n::ERROR_TYPE, "cancelled");
            self.cost(self.unfinished);
        }
    }
}

/// The conventions' name for what a provider is asked to do.
fn operation(provider_label: &str) -> &'static str {
    match provider_label {
        "gemini" => "generate_content",
        _ => "chat",
    }
}

/// The conventions' name for a provider, where they have one.
fn conventional(provider_label: &str) -> &str {
    match provider_label {
        "gemini" => "gcp.gemini",
        "azure" => "azure.ai.openai",
        other => other,
    }
}

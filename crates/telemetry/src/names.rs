//! Every name of an attribute, event and metric that leaves the program, in this file alone.
//!
//! `gen_ai.*` are those of the semantic conventions for generative AI
//! (<https://github.com/open-telemetry/semantic-conventions-genai>, `docs/gen-ai`), as of commit
//! `27f82f09c4e797dda0832f0030e3bd3e747e4b9d` of 2026. All of them have the status "development", and no release is
//! tagged: to follow a later state, change this file and `docs/telemetry.md`. `gen_ai.client.token.usage` is the
//! exception: that state has replaced it, and dashboards of today read it.

#![expect(
    missing_docs,
    reason = "each constant has the value that its name says; `docs/telemetry.md` describes them"
)]

pub const OPERATION: &str = "gen_ai.operation.name";
pub const PROVIDER: &str = "gen_ai.provider.name";
pub const REQUEST_MODEL: &str = "gen_ai.request.model";
pub const TEMPERATURE: &str = "gen_ai.request.temperature";
pub const SEED: &str = "gen_ai.request.seed";
pub const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
pub const OUTPUT_TYPE: &str = "gen_ai.output.type";
pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub const RESPONSE_ID: &str = "gen_ai.response.id";
pub const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub const CACHE_READ_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub const SERVER_ADDRESS: &str = "server.address";
pub const SERVER_PORT: &str = "server.port";
pub const ERROR_TYPE: &str = "error.type";

/// The fields that set the name and kind of an exported span, and are not exported themselves.
pub const SPAN_NAME: &str = "otel.name";
pub const SPAN_KIND: &str = "otel.kind";

/// The target of events that are measured and not logged.
pub const MEASURES: &str = "loopctl::measures";

#[cfg(feature = "export")]
pub use exported::*;

#[cfg(feature = "export")]
mod exported {
    use super::{
        CACHE_READ_TOKENS, ERROR_TYPE, FINISH_REASONS, INPUT_TOKENS, MAX_TOKENS, OPERATION, OUTPUT_TOKENS,
        OUTPUT_TYPE, PROVIDER, REQUEST_MODEL, RESPONSE_ID, RESPONSE_MODEL, SEED, SERVER_ADDRESS, SERVER_PORT,
        TEMPERATURE,
    };

    /// The instrumentation scope.
    pub const SCOPE: &str = "loopctl";
    pub const SERVICE: &str = "service.name";
    pub const SERVICE_VERSION: &str = "service.version";
    pub const SERVICE_INSTANCE: &str = "service.instance.id";

    /// A run is a workflow.
    pub const INVOKE_WORKFLOW: &str = "invoke_workflow";
    pub const WORKFLOW: &str = "gen_ai.workflow.name";

    pub const EVALUATION: &str = "gen_ai.evaluation.result";
    pub const EVALUATION_NAME: &str = "gen_ai.evaluation.name";
    pub const EVALUATION_SCORE: &str = "gen_ai.evaluation.score.value";

    pub const DOCUMENT_TYPE: &str = "loopctl.document.type";
    pub const FINAL_STATUS: &str = "loopctl.document.final_status";
    pub const STOP_REASON: &str = "loopctl.document.stop_reason";
    pub const ITERATION: &str = "loopctl.iteration";
    pub const STAGE: &str = "loopctl.stage";
    pub const OUTCOME: &str = "loopctl.call.outcome";
    pub const ISSUE_CODE: &str = "loopctl.issue.code";
    pub const ISSUE_SEVERITY: &str = "loopctl.issue.severity";
    pub const TOKEN_TYPE: &str = "gen_ai.token.type";
    pub const TOKEN_MODALITY: &str = "gen_ai.token.modality";

    /// The names of fields of spans and events as attributes. A field that is not here is never exported.
    const ATTRIBUTES: [(&str, &str); 42] = [
        ("run", "loopctl.run.id"),
        ("profile", WORKFLOW),
        ("finished", "loopctl.run.finished"),
        ("passed", "loopctl.run.passed"),
        ("unusable", "loopctl.run.unusable"),
        ("provider_errors", "loopctl.run.provider_errors"),
        ("not_tried", "loopctl.run.not_tried"),
        ("cancelled", "loopctl.run.cancelled"),
        ("documentId", "loopctl.document.id"),
        ("document_type", DOCUMENT_TYPE),
        ("final_status", FINAL_STATUS),
        ("final_score", "loopctl.document.final_score"),
        ("stop_reason", STOP_REASON),
        ("iteration_count", "loopctl.document.iterations"),
        ("calls", "loopctl.usage.calls"),
        ("tokens", "loopctl.usage.tokens"),
        ("cost_usd", "loopctl.usage.cost_usd"),
        ("iteration", ITERATION),
        ("stage", STAGE),
        ("attempt", "loopctl.call.attempt"),
        ("cached", "loopctl.call.cached"),
        ("waited_ms", "loopctl.call.waited_ms"),
        ("transient", "loopctl.failure.transient"),
        ("reason", "loopctl.wait.reason"),
        ("for_ms", "loopctl.wait.for_ms"),
        ("failures", "loopctl.server.failures"),
        (OPERATION, OPERATION),
        (PROVIDER, PROVIDER),
        (REQUEST_MODEL, REQUEST_MODEL),
        (TEMPERATURE, TEMPERATURE),
        (SEED, SEED),
        (MAX_TOKENS, MAX_TOKENS),
        (OUTPUT_TYPE, OUTPUT_TYPE),
        (RESPONSE_MODEL, RESPONSE_MODEL),
        (RESPONSE_ID, RESPONSE_ID),
        (FINISH_REASONS, FINISH_REASONS),
        (INPUT_TOKENS, INPUT_TOKENS),
        (CACHE_READ_TOKENS, CACHE_READ_TOKENS),
        (OUTPUT_TOKENS, OUTPUT_TOKENS),
        (SERVER_ADDRESS, SERVER_ADDRESS),
        (SERVER_PORT, SERVER_PORT),
        (ERROR_TYPE, ERROR_TYPE),
    ];

    /// The attribute that a field is exported as, if it is.
    pub fn attribute(field: &str) -> Option<&'static str> {
        ATTRIBUTES.iter().find(|(name, _)| *name == field).map(|(_, attribute)| *attribute)
    }

    /// Events that are exported in the span in which they happened, by their names in the log.
    const EVENTS: [(&str, &str); 6] = [
        ("attempt_failed", "loopctl.attempt_failed"),
        ("waiting", "loopctl.waiting"),
        ("waited", "loopctl.waited"),
        ("left_alone", "loopctl.left_alone"),
        ("unreadable", "loopctl.unreadable"),
        ("stopped", "loopctl.stopped"),
    ];

    /// The event that one of a log is exported as, if it is.
    pub fn span_event(event: &str) -> Option<&'static str> {
        EVENTS.iter().find(|(name, _)| *name == event).map(|(_, exported)| *exported)
    }

    pub const CALL_DURATION: &str = "gen_ai.client.operation.duration";
    pub const WORKFLOW_DURATION: &str = "gen_ai.workflow.duration";
    /// Replaced in later states by the counters below it; see above.
    pub const TOKEN_USAGE: &str = "gen_ai.client.token.usage";
    pub const TOTAL_INPUT_TOKENS: &str = "gen_ai.client.inference.usage.input_tokens";
    pub const TOTAL_OUTPUT_TOKENS: &str = "gen_ai.client.inference.usage.output_tokens";
    pub const TOTAL_CACHE_READ_TOKENS: &str = "gen_ai.client.inference.usage.cache_read.input_tokens";
    pub const CALLS: &str = "loopctl.calls";
    pub const RETRIES: &str = "loopctl.calls.retries";
    pub const WAITED: &str = "loopctl.calls.waited";
    pub const COST: &str = "loopctl.cost";
    pub const COST_UNKNOWN: &str = "loopctl.calls.cost_unknown";
    pub const DOCUMENTS: &str = "loopctl.documents";
    pub const ISSUES: &str = "loopctl.issues";
    /// The measures of the reliability loop.
    pub const ITERATION_COUNT: &str = "marc.iteration_count";
    pub const FINAL_SCORE: &str = "marc.final_score";
    pub const THRESHOLD_MET_RATE: &str = "marc.threshold_met_rate";
    pub const PROCESSING_TIME: &str = "marc.processing_time_ms";
    pub const IMPROVEMENT: &str = "marc.improvement_per_iteration";

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Two fields with one name would overwrite each other.
        #[test]
        fn no_name_appears_twice() {
            for table in [&ATTRIBUTES[..], &EVENTS[..]] {
                for (at, (field, exported)) in table.iter().enumerate() {
                    let later = &table[at + 1..];
                    assert!(later.iter().all(|(f, e)| f != field && e != exported), "{field}");
                }
            }
            assert_eq!((attribute("text"), span_event("plugin_says")), (None, None));
        }
    }
}

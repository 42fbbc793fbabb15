//! The counts and measures, taken when a span ends or an event reports them.

use super::fields::EventFields;
use super::names as n;
use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter};
use opentelemetry::{KeyValue, StringValue, Value as Exported};
use serde_json::Value;
use std::time::Duration;

/// The buckets that the conventions advise: calls take from milliseconds to minutes.
const CALL_SECONDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];
const RUN_SECONDS: [f64; 10] = [1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0, 43200.0, 86400.0];
const DOCUMENT_MILLISECONDS: [f64; 11] =
    [100.0, 300.0, 1000.0, 3000.0, 10_000.0, 20_000.0, 30_000.0, 45_000.0, 60_000.0, 120_000.0, 300_000.0];
const SCORES: [f64; 12] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98];
const ITERATIONS: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0];
const IMPROVEMENTS: [f64; 10] = [-0.2, -0.1, -0.05, 0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];

pub(super) struct Instruments {
    call_duration: Histogram<f64>,
    workflow_duration: Histogram<f64>,
    token_usage: Histogram<u64>,
    input_tokens: Counter<u64>,
    output_tokens: Counter<u64>,
    cache_read_tokens: Counter<u64>,
    calls: Counter<u64>,
    retries: Counter<u64>,
    waited: Histogram<f64>,
    cost: Counter<f64>,
    cost_unknown: Counter<u64>,
    documents: Counter<u64>,
    issues: Counter<u64>,
    iteration_count: Histogram<u64>,
    final_score: Histogram<f64>,
    threshold_met_rate: Gauge<f64>,
    processing_time: Histogram<f64>,
    improvement: Histogram<f64>,
}

impl Instruments {
    pub(super) fn of(meter: &Meter) -> Self {
        let counter =
            |name, unit, what| meter.u64_counter(name).with_unit(unit).with_description(what).build();
        let histogram = |name, unit, what, bounds: &[f64]| {
            let made = meter.f64_histogram(name).with_unit(unit).with_description(what);
            made.with_boundaries(bounds.to_vec()).build()
        };
        let counts = |name, unit, what, bounds: &[f64]| {
            let made = meter.u64_histogram(name).with_unit(unit).with_description(what);
            made.with_boundaries(bounds.to_vec()).build()
        };
        Self {
            call_duration: histogram(
                n::CALL_DURATION,
                "s",
                "How long calls took, without waiting for their turn",
                &CALL_SECONDS,
            ),
            workflow_duration: histogram(n::WORKFLOW_DURATION, "s", "How long runs took", &RUN_SECONDS),
            token_usage: counts(n::TOKEN_USAGE, "{token}", "Input and output tokens of a call", &TOKENS),
            input_tokens: counter(n::TOTAL_INPUT_TOKENS, "{token}", "Input tokens, cached ones included"),
            output_tokens: counter(n::TOTAL_OUTPUT_TOKENS, "{token}", "Output tokens"),
            cache_read_tokens: counter(
                n::TOTAL_CACHE_READ_TOKENS,
                "{token}",
                "Input tokens from the provider's cache",
            ),
            calls: counter(n::CALLS, "{call}", "Calls by outcome"),
            retries: counter(n::RETRIES, "{call}", "Calls that were made again after a failed one"),
            waited: histogram(n::WAITED, "s", "How long calls waited for their turn", &CALL_SECONDS),
            cost: meter
                .f64_counter(n::COST)
                .with_unit("{USD}")
                .with_description("Cost of the calls whose cost is known")
                .build(),
            cost_unknown: counter(n::COST_UNKNOWN, "{call}", "Calls whose cost is unknown"),
            documents: counter(n::DOCUMENTS, "{document}", "Documents by final status"),
            issues: counter(n::ISSUES, "{issue}", "Issues of all candidates by code"),
            iteration_count: counts(
                n::ITERATION_COUNT,
                "{iteration}",
                "Candidates of a document",
                &ITERATIONS,
            ),
            final_score: histogram(n::FINAL_SCORE, "1", "The selected candidate's overall score", &SCORES),
            threshold_met_rate: meter
                .f64_gauge(n::THRESHOLD_MET_RATE)
                .with_unit("1")
                .with_description("Share of the documents of a run that passed")
                .build(),
            processing_time: histogram(
                n::PROCESSING_TIME,
                "ms",
                "How long documents took",
                &DOCUMENT_MILLISECONDS,
            ),
            improvement: histogram(
                n::IMPROVEMENT,
                "1",
                "Overall score compared with the iteration before",
                &IMPROVEMENTS,
            ),
        }
    }

    /// Records a call that has ended, of which these fields are known.
    pub(super) fn call(&self, fields: &EventFields, took: Duration) {
        let base = picked(
            fields,
            &[
                n::OPERATION,
                n::PROVIDER,
                n::REQUEST_MODEL,
                n::RESPONSE_MODEL,
                n::SERVER_ADDRESS,
                n::SERVER_PORT,
            ],
        );
        let error = picked(fields, &[n::ERROR_TYPE]);
        let cached = fields.0.get("cached").and_then(Value::as_bool).unwrap_or(false);
        let outcome = match fields.0.get(n::ERROR_TYPE).and_then(Value::as_str) {
            Some("cancelled") => "cancelled",
            Some(_) => "failed",
            None if cached => "cached",
            None => "answered",
        };
        let outcome = KeyValue::new(n::OUTCOME, outcome);
        self.calls.add(1, &[&base[..], &error, &[outcome]].concat());
        // No provider was asked.
        if cached {
            return;
        }
        let waited = Duration::from_millis(number(fields, "waited_ms").unwrap_or(0));
        self.call_duration.record(took.saturating_sub(waited).as_secs_f64(), &[&base[..], &error].concat());
        if !waited.is_zero() {
            self.waited.record(waited.as_secs_f64(), &base);
        }
        if number(fields, "attempt").is_some_and(|attempt| attempt > 1) {
            self.retries.add(1, &base);
        }
        // No provider says which of them are text.
        let modality = KeyValue::new(n::TOKEN_MODALITY, "unknown");
        let of_a_kind = [&base[..], &[modality]].concat();
        for (field, kind, total) in [
            (n::INPUT_TOKENS, Some("input"), &self.input_tokens),
            (n::OUTPUT_TOKENS, Some("output"), &self.output_tokens),
            (n::CACHE_READ_TOKENS, None, &self.cache_read_tokens),
        ] {
            let Some(tokens) = number(fields, field) else { continue };
            total.add(tokens, &of_a_kind);
            if let Some(kind) = kind {
                self.token_usage.record(tokens, &[&base[..], &[KeyValue::new(n::TOKEN_TYPE, kind)]].concat());
            }
        }
        match fields.0.get("cost_usd").and_then(Value::as_f64) {
            Some(cost) => self.cost.add(cost, &base),
            None => self.cost_unknown.add(1, &base),
        }
    }

    /// Records a document that has ended, in a run of these fields.
    pub(super) fn document(&self, fields: &EventFields, run: &EventFields, took: Duration) {
        let base = [picked(run, &["profile"]), picked(fields, &["document_type"])].concat();
        let ended = picked(fields, &["final_status", "stop_reason"]);
        self.documents.add(1, &[&base[..], &ended].concat());
        self.processing_time.record(took.as_secs_f64() * 1000.0, &base);
        if let Some(iterations) = number(fields, "iteration_count") {
            self.iteration_count.record(iterations, &base);
        }
        if let Some(score) = fields.0.get("final_score").and_then(Value::as_f64) {
            self.final_score.record(score, &base);
        }
    }

    /// Records that `met` of `of` documents of a run have passed.
    pub(super) fn threshold_met(&self, run: &EventFields, met: u64, of: u64) {
        #[expect(clippy::cast_precision_loss, reason = "no one has 2^53 documents")]
        self.threshold_met_rate.record(met as f64 / of as f64, &picked(run, &["profile"]));
    }

    pub(super) fn run(&self, fields: &EventFields, took: Duration) {
        self.workflow_duration.record(took.as_secs_f64(), &picked(fields, &["profile"]));
    }

    pub(super) fn improved(&self, by: f64, run: &EventFields) {
        self.improvement.record(by, &picked(run, &["profile"]));
    }

    /// Counts the issues of a candidate: `[code, severity]` for each.
    pub(super) fn found(&self, issues: &Value, run: &EventFields) {
        let base = picked(run, &["profile"]);
        for issue in issues.as_array().into_iter().flatten() {
            let text = |at: usize| issue.get(at).and_then(Value::as_str).unwrap_or_default().to_owned();
            let of = [KeyValue::new(n::ISSUE_CODE, text(0)), KeyValue::new(n::ISSUE_SEVERITY, text(1))];
            self.issues.add(1, &[&base[..], &of].concat());
        }
    }
}

fn number(fields: &EventFields, name: &str) -> Option<u64> {
    fields.0.get(name).and_then(Value::as_u64)
}

fn picked(fields: &EventFields, names: &[&str]) -> Vec<KeyValue> {
    names.iter().filter_map(|name| exported(name, fields.0.get(*name)?)).collect()
}

/// A field as an attribute, if it is one that is exported and has a value.
pub(super) fn exported(field: &str, value: &Value) -> Option<KeyValue> {
    let name = n::attribute(field)?;
    let value = match value {
        Value::Bool(value) => Exported::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Exported::I64(whole),
            None => Exported::F64(number.as_f64()?),
        },
        Value::String(text) => Exported::String(text.clone().into()),
        Value::Array(list) => {
            let texts =
                list.iter().map(|element| element.as_str().map(|text| StringValue::from(text.to_owned())));
            Exported::Array(texts.collect::<Option<Vec<_>>>()?.into())
        }
        Value::Null | Value::Object(_) => return None,
    };
    Some(KeyValue::new(name, value))
}

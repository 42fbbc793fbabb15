//! Measures from spans of calls: how many there were of each provider, how long they took, what they cost.

use super::Metrics;
use super::exposition::as_number;
use crate::telemetry::fields::EventFields;
use crate::telemetry::names as n;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// A layer that measures calls.
pub struct CallMeasures {
    metrics: Arc<Metrics>,
}

/// The state of a call in flight.
struct MeasuredCall {
    fields: EventFields,
    began: Instant,
}

impl CallMeasures {
    /// Measures calls into `metrics`, and ignores everything else.
    pub fn layer<S>(metrics: Arc<Metrics>) -> impl Layer<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let is_call = |of: &Metadata<'_>| {
            of.is_span() && of.name() == "chat" && of.target() == "loopctl" && *of.level() <= Level::INFO
        };
        CallMeasures { metrics }.with_filter(filter_fn(is_call).with_max_level_hint(LevelFilter::INFO))
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for CallMeasures {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = EventFields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(MeasuredCall { fields, began: Instant::now() });
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<MeasuredCall>()
        {
            record.record(&mut open.fields);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<MeasuredCall>() else { return };
        self.metrics.call_ended(&open.fields, open.began.elapsed());
    }
}

impl Metrics {
    fn call_ended(&self, fields: &EventFields, took: Duration) {
        let text = |name: &str| fields.0.get(name).and_then(Value::as_str);
        let number = |name: &str| fields.0.get(name).and_then(Value::as_u64);
        let provider = text(n::PROVIDER).unwrap_or("unknown");
        let model = text(n::REQUEST_MODEL).unwrap_or_default();
        let is_cached = fields.0.get("cached").and_then(Value::as_bool).unwrap_or(false);
        let outcome = match text(n::ERROR_TYPE) {
            Some("cancelled") => "cancelled",
            Some(_) => "failed",
            None if is_cached => "cached",
            None => "answered",
        };
        self.calls.add(&[provider, outcome], 1.0);
        // No provider was asked.
        if is_cached {
            return;
        }
        let waited = Duration::from_millis(number("waited_ms").unwrap_or(0));
        self.call_seconds.record(&[provider], took.saturating_sub(waited).as_secs_f64());
        if !waited.is_zero() {
            self.waited_seconds.record(&[provider], waited.as_secs_f64());
        }
        if number("attempt").is_some_and(|attempt| attempt > 1) {
            self.retries.add(&[provider], 1.0);
        }
        let tokens = [
            (n::INPUT_TOKENS, "input"),
            (n::OUTPUT_TOKENS, "output"),
            (n::CACHE_READ_TOKENS, "cached_input"),
        ];
        for (field, kind) in tokens {
            if let Some(tokens) = number(field) {
                self.tokens.add(&[provider, model, kind], as_number(tokens));
            }
        }
        match fields.0.get("cost_usd").and_then(Value::as_f64) {
            Some(cost) => self.cost.add(&[provider, model], cost),
            None => self.cost_unknown.add(&[provider, model], 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::QueueSnapshot;
    use tracing::field::Empty;
    use tracing_subscriber::Registry;
    use tracing_subscriber::layer::SubscriberExt;

    /// The values of one metric, without the lines that say what it is.
    fn samples(metrics: &Metrics, name: &str) -> Vec<String> {
        let text = metrics.text(&QueueSnapshot::default());
        text.lines().filter(|line| line.starts_with(name)).map(str::to_owned).collect()
    }

    #[test]
    fn calls_are_counted_when_their_spans_end() {
        let metrics = Arc::new(Metrics::default());
        let subscriber = Registry::default().with(CallMeasures::layer(Arc::clone(&metrics)));
        tracing::subscriber::with_default(subscriber, || {
            let call = |error: Option<&str>, cached: bool, attempt: u64| {
                let span = tracing::info_span!(
                    target: "loopctl", "chat", { n::PROVIDER } = "openai", { n::REQUEST_MODEL } = "m", attempt,
                    documentId = "case-17", { n::INPUT_TOKENS } = 40, { n::ERROR_TYPE } = error, cached, cost_usd = Empty,
                );
                if error.is_none() {
                    span.record("cost_usd", 0.25);
                }
            };
            call(None, false, 1);
            call(Some("rate_limited"), false, 1);
            call(None, false, 2);
            call(None, true, 1);
            tracing::info_span!(target: "other", "chat").in_scope(|| ());
            assert!(samples(&metrics, "loopctl_calls_total").len() == 3, "each of them has ended");
        });
        assert_eq!(
            samples(&metrics, "loopctl_calls_total"),
            [
                "loopctl_calls_total{provider=\"openai\",outcome=\"answered\"} 2",
                "loopctl_calls_total{provider=\"openai\",outcome=\"cached\"} 1",
                "loopctl_calls_total{provider=\"openai\",outcome=\"failed\"} 1",
            ]
        );
        let only = |name: &str, value: &str| assert_eq!(samples(&metrics, name), [value]);
        only("loopctl_call_retries_total", "loopctl_call_retries_total{provider=\"openai\"} 1");
        only("loopctl_cost_usd_total", "loopctl_cost_usd_total{provider=\"openai\",model=\"m\"} 0.5");
        only(
            "loopctl_tokens_total",
            "loopctl_tokens_total{provider=\"openai\",model=\"m\",type=\"input\"} 120",
        );
        only(
            "loopctl_calls_of_unknown_cost_total",
            "loopctl_calls_of_unknown_cost_total{provider=\"openai\",model=\"m\"} 1",
        );
        assert!(!metrics.text(&QueueSnapshot::default()).contains("case-17"));
    }
}

//! Export to a collector, from its start to its end. Nothing that happens here fails a run or delays it for longer than the
//! deadline at its end.

use super::endpoints::Endpoints;
use super::instruments::Instruments;
use super::names as n;
use super::spans::{Spans, is_inspected};
use super::transport::{Transport, Trouble};
use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{
    MetricExporter, Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator, Sampler, SdkTracerProvider};
use reqwest::Url;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Layer;
use tracing_subscriber::registry::LookupSpan;

/// The time that the end of a run waits for the collector.
const DEADLINE: Duration = Duration::from_secs(3);
/// The time that a collector has for an answer, if `OTEL_EXPORTER_OTLP_TIMEOUT` does not say.
const TIMEOUT: Duration = Duration::from_secs(10);

/// An export in progress. If it is dropped without [`Export::close`], what is not exported yet is lost.
pub struct Export {
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
    runtime: Runtime,
    trouble: Arc<Trouble>,
}

impl Export {
    /// Starts it. The spans of a subscriber with the layer are exported.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn start<S>(endpoints: &Endpoints) -> Result<(Self, impl Layer<S> + use<S>), String>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("loopctl-telemetry")
            .enable_all()
            .build()
            .map_err(|error| format!("can't start: {error}"))?;
        let trouble = Arc::new(Trouble::default());
        let transport = |endpoint: &Url, variable: &str| {
            Transport::new(endpoint, runtime.handle().clone(), timeout(variable), Arc::clone(&trouble))
        };
        let resource = resource();
        // One retry is enough for a connection that was closed meanwhile; a collector that is down would only be waited
        // for.
        let retry = || RetryPolicy::recommended().with_max_retries(1);
        let unusable = |_| "the exporter can't be set up".to_owned();

        let mut tracers = SdkTracerProvider::builder().with_resource(resource.clone());
        tracers = match &endpoints.traces {
            None => tracers.with_sampler(Sampler::AlwaysOff),
            Some(endpoint) => {
                let exporter = SpanExporter::builder()
                    .with_http()
                    .with_http_client(transport(endpoint, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")?)
                    .with_endpoint(endpoint.as_str())
                    .with_protocol(Protocol::HttpBinary)
                    .with_retry_policy(retry())
                    .build()
                    .map_err(unusable)?;
                tracers.with_batch_exporter(exporter)
            }
        };
        let mut meters = SdkMeterProvider::builder().with_resource(resource);
        if let Some(endpoint) = &endpoints.metrics {
            let exporter = MetricExporter::builder()
                .with_http()
                .with_http_client(transport(endpoint, "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT")?)
                .with_endpoint(endpoint.as_str())
                .with_protocol(Protocol::HttpBinary)
                .with_retry_policy(retry())
                .build()
                .map_err(unusable)?;
            meters = meters.with_periodic_exporter(exporter);
        }
        let export = Self { tracers: tracers.build(), meters: meters.build(), runtime, trouble };
        let spans = Spans {
            tracer: export.tracers.tracer(n::SCOPE),
            instruments: Instruments::of(&export.meters.meter(n::SCOPE)),
        };
        let filter = filter_fn(is_inspected).with_max_level_hint(LevelFilter::DEBUG);
        Ok((export, spans.with_filter(filter)))
    }

    /// Exports what is left, as far as the deadline allows, and returns the first thing that went wrong.
    pub fn close(self) -> Option<String> {
        let by = Instant::now() + DEADLINE;
        let (done, ended) = mpsc::channel();
        // The SDK waits for longer than we do, and for one of them after the other.
        let (tracers, meters) = (self.tracers.clone(), self.meters.clone());
        let done_too = done.clone();
        let begun = [
            std::thread::Builder::new().spawn(move || {
                let _ = tracers.shutdown_with_timeout(DEADLINE);
                let _ = done.send(());
            }),
            std::thread::Builder::new().spawn(move || {
                let _ = meters.shutdown_with_timeout(DEADLINE);
                let _ = done_too.send(());
            }),
        ];
        for _ in begun.iter().filter(|thread| thread.is_ok()) {
            if ended.recv_timeout(by.saturating_duration_since(Instant::now())).is_err() {
                let seconds = DEADLINE.as_secs();
                self.trouble.note(format!("the collector did not take everything within {seconds} s"));
                break;
            }
        }
        self.runtime.shutdown_background();
        self.trouble.first().map(str::to_owned)
    }
}

/// The timeout of one signal, otherwise of all; in milliseconds.
fn timeout(variable: &str) -> Duration {
    let set = |name: &str| std::env::var(name).ok()?.trim().parse().ok().map(Duration::from_millis);
    set(variable).or_else(|| set("OTEL_EXPORTER_OTLP_TIMEOUT")).unwrap_or(TIMEOUT)
}

/// The resource that exports. The standard variables take precedence over what is set here. It holds no name of the
/// machine or of the person.
fn resource() -> Resource {
    // Counts of two processes at the same time are two series.
    let instance = RandomIdGenerator::default().new_trace_id().to_string();
    let builder = Resource::builder_empty()
        .with_attributes([
            KeyValue::new(n::SERVICE, "loopctl"),
            KeyValue::new(n::SERVICE_VERSION, env!("CARGO_PKG_VERSION")),
            KeyValue::new(n::SERVICE_INSTANCE, instance),
        ])
        .with_detectors(&[Box::new(TelemetryResourceDetector), Box::new(EnvResourceDetector::new())]);
    match std::env::var("OTEL_SERVICE_NAME") {
        Ok(name) if !name.is_empty() => builder.with_service_name(name).build(),
        _ => builder.build(),
    }
}

//! Spans and events of `tracing` as those of OpenTelemetry.
//!
//! The crate `tracing-opentelemetry` does not fit: our fields have other names as attributes than in logs, those without
//! such a name must not be exported, lists must stay lists, and one event of a log is an evaluation for each dimension.

use super::fields::EventFields;
use super::instruments::{Instruments, exported};
use super::names as n;
use opentelemetry::trace::{SpanBuilder, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;
use serde_json::Value;
use std::time::Instant;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{self, Layer};
use tracing_subscriber::registry::{LookupSpan, SpanRef};

/// A layer that exports spans, and takes measures from them.
pub(super) struct Spans {
    pub(super) tracer: SdkTracer,
    pub(super) instruments: Instruments,
}

/// Returns whether a span or event is inspected: those of this program from level INFO up, and those to be measured.
/// Events of plugins, which may quote the document, and of other crates, which may show headers, are not.
pub(super) fn is_inspected(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let ours = target == "loopctl" || target.starts_with("loopctl::");
    target == n::MEASURES || ours && *metadata.level() <= Level::INFO
}

/// The state of a span while it is open.
struct OpenSpan {
    context: Context,
    fields: EventFields,
    began: Instant,
    /// The id of the last answer in an iteration, and of the one that is its candidate.
    answer: Option<Value>,
    candidate: Option<Value>,
    /// For a run: the number of documents that have passed, and of all that count.
    met: (u64, u64),
}

impl Spans {
    /// The span of the run. No lock is held on another span while it is inspected.
    fn run_of<'a, S: Subscriber + LookupSpan<'a>>(span: &SpanRef<'a, S>) -> Option<SpanRef<'a, S>> {
        span.scope().find(|outer| outer.name() == "run")
    }

    fn run_fields<'a, S: Subscriber + LookupSpan<'a>>(span: &SpanRef<'a, S>) -> EventFields {
        let run = Self::run_of(span);
        run.and_then(|run| run.extensions().get::<OpenSpan>().map(|open| open.fields.clone()))
            .unwrap_or_default()
    }

    fn document_ended<'a, S: Subscriber + LookupSpan<'a>>(&self, span: &SpanRef<'a, S>, open: &OpenSpan) {
        let run = Self::run_fields(span);
        self.instruments.document(&open.fields, &run, open.began.elapsed());
        let status = open.fields.0.get("final_status").and_then(Value::as_str);
        if status == Some("failed") {
            let why = open.fields.0.get("stop_reason").and_then(Value::as_str).unwrap_or_default();
            open.context.span().set_status(Status::error(why.to_owned()));
        }
        let (Some(status), Some(of)) = (status.filter(|status| *status != "skipped"), Self::run_of(span))
        else {
            return;
        };
        let met = of.extensions_mut().get_mut::<OpenSpan>().map(|open| {
            open.met.0 += u64::from(status == "passed");
            open.met.1 += 1;
            open.met
        });
        if let Some((met, of)) = met {
            self.instruments.threshold_met(&run, met, of);
        }
    }

    /// The scores of an iteration, one event for each.
    fn evaluated(&self, open: &OpenSpan, fields: &EventFields, run: &EventFields) {
        for (name, score) in fields.0.get("score").and_then(Value::as_object).into_iter().flatten() {
            let Some(score) = score.as_f64() else { continue };
            let mut attributes = vec![
                KeyValue::new(n::EVALUATION_NAME, name.clone()),
                KeyValue::new(n::EVALUATION_SCORE, score),
            ];
            attributes.extend(open.candidate.as_ref().and_then(|id| exported(n::RESPONSE_ID, id)));
            open.context.span().add_event(n::EVALUATION, attributes);
        }
        if let Some(by) = fields.0.get("improvement").and_then(Value::as_f64) {
            self.instruments.improved(by, run);
        }
    }
}

/// The builder of a span.
fn builder(name: &'static str, fields: &EventFields) -> SpanBuilder {
    let text = |field: &str| fields.0.get(field).and_then(Value::as_str);
    let mut attributes: Vec<KeyValue> =
        fields.0.iter().filter_map(|(field, value)| exported(field, value)).collect();
    let builder = match (text(n::SPAN_NAME), name) {
        (Some(given), _) => SpanBuilder::from_name(given.to_owned()),
        (None, "run") => {
            attributes.push(KeyValue::new(n::OPERATION, n::INVOKE_WORKFLOW));
            let profile = text("profile").unwrap_or_default();
            SpanBuilder::from_name(format!("{} {profile}", n::INVOKE_WORKFLOW))
        }
        (None, _) => SpanBuilder::from_name(name),
    };
    let kind = if text(n::SPAN_KIND) == Some("client") { SpanKind::Client } else { SpanKind::Internal };
    builder.with_kind(kind).with_attributes(attributes)
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: layer::Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = EventFields::default();
        attributes.record(&mut fields);
        let parent =
            span.parent().and_then(|parent| Some(parent.extensions().get::<OpenSpan>()?.context.clone()));
        let parent = parent.unwrap_or_default();
        let started = self.tracer.build_with_context(builder(span.name(), &fields), &parent);
        let context = parent.with_span(started);
        let began = Instant::now();
        let open = OpenSpan { context, fields, began, answer: None, candidate: None, met: (0, 0) };
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: layer::Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        let Some(open) = extensions.get_mut::<OpenSpan>() else { return };
        let mut new = EventFields::default();
        record.record(&mut new);
        let exporting = open.context.span();
        exporting.set_attributes(new.0.iter().filter_map(|(field, value)| exported(field, value)));
        if let Some(kind) = new.0.get(n::ERROR_TYPE).and_then(Value::as_str) {
            exporting.set_status(Status::error(kind.to_owned()));
        }
        open.fields.0.extend(new.0);
    }

    fn on_event(&self, event: &Event<'_>, context: layer::Context<'_, S>) {
        let Some(span) = context.event_span(event) else { return };
        let mut fields = EventFields::default();
        event.record(&mut fields);
        let name = fields.0.get("event").and_then(Value::as_str).unwrap_or_default();
        let run = Self::run_fields(&span);
        let mut extensions = span.extensions_mut();
        let Some(open) = extensions.get_mut::<OpenSpan>() else { return };
        match name {
            "marc_iteration" => self.evaluated(open, &fields, &run),
            "produced" => open.candidate = open.answer.take(),
            "issues" => self.instruments.found(fields.0.get("issues").unwrap_or(&Value::Null), &run),
            _ => {
                let Some(name) = n::span_event(name) else { return };
                let attributes = fields.0.iter().filter_map(|(field, value)| exported(field, value));
                open.context.span().add_event(name, attributes.collect());
            }
        }
    }

    fn on_close(&self, id: Id, context: layer::Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<OpenSpan>() else { return };
        match span.name() {
            "run" => self.instruments.run(&open.fields, open.began.elapsed()),
            "document" => self.document_ended(&span, &open),
            "chat" => {
                self.instruments.call(&open.fields, open.began.elapsed());
                let id = open.fields.0.get(n::RESPONSE_ID).cloned();
                if let Some(iteration) = span.parent()
                    && let Some(of) = iteration.extensions_mut().get_mut::<OpenSpan>()
                {
                    of.answer = id;
                }
            }
            _ => {}
        }
        open.context.span().end();
    }
}

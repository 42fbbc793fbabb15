//! A line for each thing that happens: one when a run begins, one when a run, a document or a call has ended, and one for
//! each event. Each has the ids of the run and the document in whose spans it happened.

use super::LogFormat;
use crate::provider::LOG_TARGET;
use loopctl_telemetry::fields::EventFields;
use loopctl_telemetry::names;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata};
use tracing_subscriber::Registry;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::Scope;

/// Writes a line for each thing that happens.
pub(super) struct LogLayer {
    pub(super) format: LogFormat,
    /// `true` if messages of plugins are written, too.
    pub(super) plugins: bool,
    pub(super) out: Mutex<Box<dyn Write + Send>>,
}

/// The data kept of an open span.
struct OpenSpan {
    fields: EventFields,
    began: Instant,
}

/// The ids of the run and the document in whose spans something happens. Not the process's: it runs many documents at
/// once.
const IDS: [&str; 2] = ["run", "documentId"];

impl LogLayer {
    /// Keeps only events of this program: other crates log requests, and their headers have keys in them.
    pub(super) fn filtered(self) -> impl Layer<Registry> {
        let plugins = self.plugins;
        let is_logged = move |metadata: &Metadata<'_>| {
            let target = metadata.target();
            if target == LOG_TARGET {
                return plugins;
            }
            *metadata.level() <= Level::INFO && (target == "loopctl" || target.starts_with("loopctl::"))
        };
        let most = if plugins { LevelFilter::DEBUG } else { LevelFilter::INFO };
        self.with_filter(filter_fn(is_logged).with_max_level_hint(most))
    }

    /// Writes a line: the ids of the surrounding spans, then the other fields.
    fn write(
        &self,
        event: &str,
        level: Level,
        scope: Option<Scope<'_, Registry>>,
        fields: Map<String, Value>,
    ) {
        let level = if fields.contains_key(names::ERROR_TYPE) { Level::WARN } else { level };
        let mut line = Map::new();
        let spans: Vec<_> = scope.into_iter().flatten().collect();
        for name in IDS {
            let found = fields.get(name).cloned().or_else(|| {
                spans.iter().find_map(|span| span.extensions().get::<OpenSpan>()?.fields.0.get(name).cloned())
            });
            line.extend(found.map(|id| (name.to_owned(), id)));
        }
        line.extend(fields);
        // Given by the line itself, or for exporters only.
        for name in ["event", names::SPAN_NAME, names::SPAN_KIND] {
            line.shift_remove(name);
        }
        let fields = line;
        let now = jiff::Timestamp::now().to_string();
        let line = match self.format {
            LogFormat::Json => json_line(event, level, fields, &now),
            LogFormat::Text => text_line(event, level, &fields, &now),
        };
        // A log that can't be written is no reason to stop a run.
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_all(line.as_bytes());
    }
}

/// `{"event": …, …, "timestamp": …}`, with the level where it is not the usual one.
fn json_line(event: &str, level: Level, fields: Map<String, Value>, now: &str) -> String {
    let mut line = Map::new();
    line.insert("event".to_owned(), event.into());
    if level != Level::INFO {
        line.insert("level".to_owned(), level.as_str().to_ascii_lowercase().into());
    }
    line.extend(fields);
    line.insert("timestamp".to_owned(), now.into());
    format!("{}\n", json!(line))
}

fn text_line(event: &str, level: Level, fields: &Map<String, Value>, now: &str) -> String {
    let mut line = format!("{now} {level:>5} {event}");
    for (name, value) in fields {
        let bare = |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && c != '"');
        let _ = match value.as_str().filter(bare) {
            Some(text) => write!(line, " {name}={text}"),
            None => write!(line, " {name}={value}"),
        };
    }
    line.push('\n');
    line
}

/// The name of the line for the end of a span, if it gets one.
fn end_of(span: &str) -> Option<&'static str> {
    match span {
        "run" => Some("run_finished"),
        "document" => Some("document_finished"),
        "chat" => Some("call_finished"),
        _ => None,
    }
}

impl Layer<Registry> for LogLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, Registry>) {
        let mut fields = EventFields::default();
        attributes.record(&mut fields);
        if attributes.metadata().name() == "run" {
            self.write("run_started", Level::INFO, None, fields.0.clone());
        }
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(OpenSpan { fields, began: Instant::now() });
        }
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, Registry>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<OpenSpan>()
        {
            record.record(&mut open.fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, Registry>) {
        let mut fields = EventFields::default();
        event.record(&mut fields);
        // An event without a name of its own goes by its message.
        let message = fields.0.shift_remove("message");
        let name = fields.0.get("event").or(message.as_ref()).and_then(Value::as_str).unwrap_or("note");
        let name = name.to_owned();
        self.write(&name, *event.metadata().level(), context.event_scope(event), fields.0);
    }

    fn on_close(&self, id: Id, context: Context<'_, Registry>) {
        let Some(span) = context.span(&id) else { return };
        let Some(event) = end_of(span.name()) else { return };
        let Some(OpenSpan { mut fields, began }) = span.extensions_mut().remove::<OpenSpan>() else { return };
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        fields.0.insert("duration_ms".to_owned(), took.into());
        self.write(event, Level::INFO, Some(span.scope()), fields.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    #[test]
    fn lines_say_first_what_happened_and_last_when() {
        let fields: Map<String, Value> =
            serde_json::from_str(r#"{"documentId": "a b", "score": {"overall": 0.5}, "reason": "x"}"#)
                .unwrap();
        assert_eq!(
            json_line("marc_iteration", Level::INFO, fields.clone(), "T"),
            "{\"event\":\"marc_iteration\",\"documentId\":\"a b\",\"score\":{\"overall\":0.5},\"reason\":\"x\",\"timestamp\":\"T\"}\n"
        );
        assert_eq!(
            text_line("waiting", Level::WARN, &fields, "T"),
            "T  WARN waiting documentId=\"a b\" score={\"overall\":0.5} reason=x\n"
        );
        assert!(json_line("x", Level::WARN, Map::new(), "T").contains("\"level\":\"warn\""));
    }

    /// Records what is written.
    #[derive(Clone, Default)]
    struct LogBuffer(std::sync::Arc<Mutex<Vec<u8>>>);

    impl Write for LogBuffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Documents that are run at the same time, on one thread or several, don't get each other's ids.
    #[test]
    fn a_line_has_the_ids_of_the_spans_round_it() {
        let written = LogBuffer::default();
        let lines =
            LogLayer { format: LogFormat::Json, plugins: false, out: Mutex::new(Box::new(written.clone())) };
        tracing::subscriber::with_default(Registry::default().with(lines.filtered()), || {
            let run = tracing::info_span!(target: "loopctl", "run", run = "r1");
            let documents = ["a", "b"]
                .map(|id| tracing::info_span!(target: "loopctl", parent: &run, "document", documentId = id));
            for document in [&documents[1], &documents[0]] {
                let iteration = tracing::info_span!(target: "loopctl", parent: document, "iteration");
                let _inside = iteration.enter();
                tracing::info!(target: "loopctl", event = "waited", waited_ms = 7);
            }
            tracing::info!(target: "loopctl", parent: &documents[1], event = "stopped");
            tracing::info!(target: "loopctl", parent: &run, event = "left_alone");
            tracing::info!(target: "loopctl", event = "nowhere");
            // From a library, and for measuring only.
            tracing::info!(target: "hyper", parent: &run, "a header");
            tracing::debug!(target: names::MEASURES, parent: &run, event = "issues");
        });
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let ids: Vec<String> = text
            .lines()
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                let word = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
                [word("event"), word("run"), word("documentId")].join(" ")
            })
            .collect();
        assert_eq!(
            ids,
            [
                "run_started r1 -",
                "waited r1 b",
                "waited r1 a",
                "stopped r1 b",
                "left_alone r1 -",
                "nowhere - -",
                "document_finished r1 a",
                "document_finished r1 b",
                "run_finished r1 -"
            ]
        );
    }
}

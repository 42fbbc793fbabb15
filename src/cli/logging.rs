//! `--log`: what happens in a run, line by line, for programs or for people.
//!
//! The lines are made of the library's spans and events: one when a run begins, one when a run, a document or a call has
//! ended, and one for each event. A field that was recorded by its text form is JSON where it reads as JSON, so that
//! lists and objects stay what they are.

use super::exit::Failure;
use super::sanitized::Sanitized;
use crate::provider::LOG_TARGET;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// The variable that asks for a log where `--log` does not.
const VARIABLE: &str = "LOOPCTL_LOG";

/// How a log is asked for.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct LogArguments {
    /// Log what happens, one line each; no document text and no values are in it [env: LOOPCTL_LOG]
    #[arg(long, value_enum, value_name = "FORMAT")]
    log: Option<LogFormat>,
    /// Add the log to this file instead of standard error
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// Log what provider plugins say, too: whether they quote documents is theirs to say
    #[arg(long)]
    log_plugins: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

impl LogArguments {
    /// Starts the log of this process, if one is asked for.
    pub(super) fn start(&self) -> Result<(), Failure> {
        let Some(format) = self.format()? else {
            let only = match (&self.log_file, self.log_plugins) {
                (None, false) => return Ok(()),
                (Some(_), _) => "`--log-file` says where, but not what to log",
                (None, true) => "`--log-plugins` adds to a log, and there is none",
            };
            return Err(Failure::usage(only).help("add `--log json` or `--log text`"));
        };
        let out: Box<dyn Write + Send> = match &self.log_file {
            None => Box::new(Sanitized::new(std::io::stderr(), false)),
            Some(path) => {
                let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
                Box::new(file.map_err(|error| {
                    Failure::broken(format!("can't write the log to `{}`: {error}", path.display()))
                })?)
            }
        };
        let lines = Lines { format, plugins: self.log_plugins, out: Mutex::new(out) };
        // Only a second log of the same process would fail, and there is none.
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines));
        Ok(())
    }

    fn format(&self) -> Result<Option<LogFormat>, Failure> {
        if self.log.is_some() {
            return Ok(self.log);
        }
        match std::env::var(VARIABLE) {
            Ok(word) if !word.is_empty() => LogFormat::from_str(&word, true).map(Some).map_err(|_| {
                Failure::usage(format!("`{VARIABLE}` is `{word}`")).help("set it to `text` or `json`")
            }),
            _ => Ok(None),
        }
    }
}

/// Writes a line for each thing that happens.
struct Lines {
    format: LogFormat,
    /// Whether what plugins say is written, too.
    plugins: bool,
    out: Mutex<Box<dyn Write + Send>>,
}

/// What is kept of a span while it is open.
struct Open {
    fields: Fields,
    began: Instant,
}

/// Fields in the order in which they were recorded.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let text = format!("{value:?}");
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        self.0.insert(field.name().to_owned(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Lines {
    fn write(&self, event: &str, level: Level, mut fields: Map<String, Value>) {
        let level = if fields.contains_key("error.type") { Level::WARN } else { level };
        // Said by the line itself, or for exporters only.
        for name in ["event", "otel.name", "otel.kind"] {
            fields.shift_remove(name);
        }
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

/// The line that the end of a span is worth.
fn end_of(span: &str) -> Option<&'static str> {
    match span {
        "run" => Some("run_finished"),
        "document" => Some("document_finished"),
        "chat" => Some("call_finished"),
        _ => None,
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    /// Only what this program says: other crates log requests, and their headers have keys in them.
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        let target = metadata.target();
        if target == LOG_TARGET {
            return self.plugins;
        }
        *metadata.level() <= Level::INFO && (target == "loopctl" || target.starts_with("loopctl::"))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(if self.plugins { LevelFilter::DEBUG } else { LevelFilter::INFO })
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if attributes.metadata().name() == "run" {
            self.write("run_started", Level::INFO, fields.0.clone());
        }
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(Open { fields, began: Instant::now() });
        }
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<Open>()
        {
            record.record(&mut open.fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        // What has no name of its own goes by its message.
        let message = fields.0.shift_remove("message");
        let name = fields.0.get("event").or(message.as_ref()).and_then(Value::as_str).unwrap_or("note");
        let name = name.to_owned();
        self.write(&name, *event.metadata().level(), fields.0);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(event) = end_of(span.name()) else { return };
        let Some(Open { mut fields, began }) = span.extensions_mut().remove::<Open>() else { return };
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        fields.0.insert("duration_ms".to_owned(), took.into());
        self.write(event, Level::INFO, fields.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

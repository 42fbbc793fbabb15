//! Standard output and standard error of a verb.

mod record_writer;
mod sanitized_writer;

pub use record_writer::RecordWriter;
pub use sanitized_writer::SanitizedWriter;

use crate::context::Context;
use crate::diag::{Problems, Style, render_human};
use crate::failure::Failure;
use crate::report::Paint;
use crate::requests::ResultFormat;
use crate::value::sanitize_line;
use serde::Serialize;
use serde_json::Value;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that gives the format of records if a request does not.
const FORMAT_VARIABLE: &str = "LOOPCTL_FORMAT";

/// The output streams of a verb. No text from outside reaches a terminal as a command to it.
pub struct Streams {
    /// Results.
    pub out: Box<dyn Write>,
    /// Progress and problems.
    pub err: Box<dyn Write>,
    /// Standard output is a terminal.
    pub out_is_terminal: bool,
    /// Colours on standard output.
    pub out_paint: Paint,
    /// Colours on standard error.
    pub err_paint: Paint,
    out_style: Style,
    err_style: Style,
    /// Lets everything through to standard output while it is on.
    exact: Arc<AtomicBool>,
    /// The latest advice: repeated below each of many mistakes, it would hide them.
    advised: Option<String>,
}

/// One of the two streams of a verb.
pub struct Stream<W> {
    /// Its writer.
    pub writer: W,
    /// `true` if it is a terminal.
    pub is_terminal: bool,
    /// `true` if colours are wanted.
    pub coloured: bool,
}

impl<W> Stream<W> {
    /// A file, a pipe, or memory.
    pub fn plain(writer: W) -> Self {
        Stream { writer, is_terminal: false, coloured: false }
    }
}

impl Streams {
    /// Streams of results and of messages.
    pub fn new(out: Stream<impl Write + 'static>, err: Stream<impl Write + 'static>) -> Self {
        let style = |coloured: bool| if coloured { Style::Coloured } else { Style::Plain };
        let sanitized = SanitizedWriter::new(out.writer, out.coloured);
        Streams {
            exact: sanitized.exact(),
            out: Box::new(sanitized),
            err: Box::new(SanitizedWriter::new(err.writer, err.coloured)),
            out_is_terminal: out.is_terminal,
            out_paint: Paint::new(out.coloured),
            err_paint: Paint::new(err.coloured),
            out_style: style(out.coloured),
            err_style: style(err.coloured),
            advised: None,
        }
    }

    /// The format of records: the one that is asked for, or the one that the environment names, else the default for
    /// the reader.
    ///
    /// # Errors
    /// When the environment names no format.
    pub fn record_format(
        &self,
        asked: Option<ResultFormat>,
        context: &Context,
    ) -> Result<ResultFormat, Failure> {
        if let Some(format) = asked {
            return Ok(format);
        }
        let named = context.variable(FORMAT_VARIABLE).filter(|name| !name.is_empty());
        match named.as_deref().map(str::to_lowercase).as_deref() {
            Some("text") => Ok(ResultFormat::Text),
            Some("json") => Ok(ResultFormat::Json),
            Some("jsonl") => Ok(ResultFormat::Jsonl),
            Some(_) => {
                let named = named.unwrap_or_default();
                Err(Failure::usage(format!("`{FORMAT_VARIABLE}` is `{named}`"))
                    .help("expected `text`, `json` or `jsonl`"))
            }
            None if self.out_is_terminal => Ok(ResultFormat::Text),
            None => Ok(ResultFormat::Jsonl),
        }
    }

    /// Writes a line to standard error. Failing to is no reason to stop.
    pub fn say(&mut self, line: &str) {
        let _ = writeln!(self.err, "{line}");
    }

    /// Writes a warning to standard error.
    pub fn warn(&mut self, message: &str) {
        let word = self.err_paint.warn("warning:");
        self.say(&format!("{word} {message}"));
    }

    /// Writes a note to standard error.
    pub fn note(&mut self, message: &str) {
        let word = self.err_paint.warn("note:");
        self.say(&format!("{word} {message}"));
    }

    /// Writes an answer: as text for people, as JSON for programs.
    ///
    /// # Errors
    /// When standard output can't be written to.
    pub fn write_answer<T: Serialize>(
        &mut self,
        format: ResultFormat,
        text: impl FnOnce(Paint) -> String,
        value: impl FnOnce() -> T,
    ) -> Result<(), Failure> {
        if format != ResultFormat::Text {
            return self.write_json(&value(), format);
        }
        self.out.write_all(text(self.out_paint).as_bytes())?;
        self.out.flush()?;
        Ok(())
    }

    /// Writes a value as JSON: indented, or on one line, where each element of a list has a line of its own.
    pub fn write_json(&mut self, value: &impl Serialize, format: ResultFormat) -> Result<(), Failure> {
        let value = serde_json::to_value(value).map_err(std::io::Error::from)?;
        match (format, &value) {
            (ResultFormat::Jsonl, Value::Array(elements)) => {
                elements.iter().try_for_each(|element| writeln!(self.out, "{element}"))?;
            }
            (ResultFormat::Jsonl, value) => writeln!(self.out, "{value}")?,
            (ResultFormat::Text | ResultFormat::Json, value) => writeln!(self.out, "{value:#}")?,
        }
        self.out.flush()?;
        Ok(())
    }

    /// Writes a text to standard output.
    ///
    /// # Errors
    /// When standard output can't be written to.
    pub fn write_text(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes())?;
        Ok(self.out.flush()?)
    }

    /// Writes a text: exactly, for a file or another program; on a terminal as [`Self::write_text`] does.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write_exactly(&mut self, text: &str) -> Result<(), Failure> {
        self.exact.store(!self.out_is_terminal, Ordering::Relaxed);
        let written = self.write_text(text);
        self.exact.store(false, Ordering::Relaxed);
        written
    }

    /// Shows problems on standard output, for a user who asked for them.
    pub fn write_problems(&mut self, problems: &Problems) -> std::io::Result<()> {
        if problems.is_empty() {
            return Ok(());
        }
        self.out.write_all(render_human(problems, self.out_style).as_bytes())
    }

    /// Shows problems on standard error.
    pub fn show(&mut self, problems: &Problems) {
        if !problems.is_empty() {
            let text = render_human(problems, self.err_style);
            let _ = self.err.write_all(text.as_bytes());
        }
    }
}

/// Shows why a verb failed.
pub fn complain(output: &mut Streams, failure: &Failure) {
    if failure.message.is_empty() {
        return;
    }
    let word = output.err_paint.bad("error:");
    output.say(&format!("{word} {}", sanitize_line(&failure.message)));
    if let Some(help) = failure.help.as_ref().filter(|help| output.advised.as_ref() != Some(*help)) {
        output.say(&format!("  help: {}", sanitize_line(help)));
    }
    output.advised.clone_from(&failure.help);
}

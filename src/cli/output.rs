//! Standard output and standard error.

use super::exit::Failure;
use super::sanitized::Sanitized;
use crate::diag::{Problems, Style, render_human};
use crate::report::Paint;
use crate::requests::ResultFormat;
use crate::value::sanitize_line;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;
use std::io::{IsTerminal, LineWriter, Write};

/// The variable that gives the format of records if `--format` does not.
const FORMAT_VARIABLE: &str = "LOOPCTL_FORMAT";

/// The format of results on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// One indented JSON value (a list, if there are several results)
    Json,
    /// One JSON value per line
    Jsonl,
}

/// `--format` of a verb that writes records: people get text, and programs lines.
#[derive(Args, Debug, Clone, Copy)]
pub(super) struct RecordFormat {
    /// Format of results on standard output [default: text on a terminal, else jsonl] [env: LOOPCTL_FORMAT]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
}

impl RecordFormat {
    /// The format of a request.
    pub(super) fn of_request(format: Option<ResultFormat>) -> Self {
        let format = format.map(|format| match format {
            ResultFormat::Text => Format::Text,
            ResultFormat::Json => Format::Json,
            ResultFormat::Jsonl => Format::Jsonl,
        });
        RecordFormat { format }
    }

    /// The format that the flag asks for.
    pub(super) fn request(self) -> Option<ResultFormat> {
        self.format.map(|format| match format {
            Format::Text => ResultFormat::Text,
            Format::Json => ResultFormat::Json,
            Format::Jsonl => ResultFormat::Jsonl,
        })
    }

    /// The format that the flag or the variable asks for, else the default for the reader.
    pub(super) fn chosen(self, output: &Output) -> Result<Format, Failure> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        match std::env::var(FORMAT_VARIABLE) {
            Ok(name) if !name.is_empty() => Format::from_str(&name, true).map_err(|_| {
                Failure::usage(format!("`{FORMAT_VARIABLE}` is `{name}`"))
                    .help("expected `text`, `json` or `jsonl`")
            }),
            _ if output.out_is_terminal => Ok(Format::Text),
            _ => Ok(Format::Jsonl),
        }
    }
}

/// The output streams of a verb.
pub(super) struct Output {
    /// Results.
    pub(super) out: Box<dyn Write>,
    /// Progress and problems.
    pub(super) err: Box<dyn Write>,
    /// Standard output is a terminal.
    pub(super) out_is_terminal: bool,
    /// Colours on standard output.
    pub(super) out_paint: Paint,
    /// Colours on standard error.
    pub(super) err_paint: Paint,
    out_style: Style,
    err_style: Style,
    /// The latest advice: repeated below each of many mistakes, it would hide them.
    advised: Option<String>,
}

impl Output {
    /// The output of this process: colours only on terminals, and none with `NO_COLOR`.
    pub(super) fn of_process() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let out_is_terminal = std::io::stdout().is_terminal();
        let (out_coloured, err_coloured) =
            (wanted && out_is_terminal, wanted && std::io::stderr().is_terminal());
        Output {
            out: Box::new(Sanitized::new(LineWriter::new(own_output()), out_coloured)),
            err: Box::new(Sanitized::new(std::io::stderr(), err_coloured)),
            out_is_terminal,
            out_paint: Paint::new(out_coloured),
            err_paint: Paint::new(err_coloured),
            out_style: if out_coloured { Style::Coloured } else { Style::Plain },
            err_style: if err_coloured { Style::Coloured } else { Style::Plain },
            advised: None,
        }
    }

    /// Writes a line to standard error. Failing to is no reason to stop.
    pub(super) fn say(&mut self, line: &str) {
        let _ = writeln!(self.err, "{line}");
    }

    /// Writes a value as JSON: indented, or on one line, where each element of a list has a line of its own.
    pub(super) fn write_json(&mut self, value: &impl Serialize, format: Format) -> Result<(), Failure> {
        let value = serde_json::to_value(value).map_err(std::io::Error::from)?;
        match (format, &value) {
            (Format::Jsonl, Value::Array(elements)) => {
                elements.iter().try_for_each(|element| writeln!(self.out, "{element}"))?;
            }
            (Format::Jsonl, value) => writeln!(self.out, "{value}")?,
            (Format::Text | Format::Json, value) => writeln!(self.out, "{value:#}")?,
        }
        self.out.flush()?;
        Ok(())
    }

    /// Shows problems on standard output, for a user who asked for them.
    pub(super) fn write_problems(&mut self, problems: &Problems) -> std::io::Result<()> {
        if problems.is_empty() {
            return Ok(());
        }
        self.out.write_all(render_human(problems, self.out_style).as_bytes())
    }

    /// Shows problems on standard error.
    pub(super) fn show(&mut self, problems: &Problems) {
        if !problems.is_empty() {
            let text = render_human(problems, self.err_style);
            let _ = self.err.write_all(text.as_bytes());
        }
    }
}

/// Takes standard output for this program alone. A plugin is loaded into the process, and its output would appear
/// between the results: whatever else writes to standard output from here on writes to standard error.
#[cfg(unix)]
fn own_output() -> Box<dyn Write> {
    use std::os::fd::AsFd;
    let own = std::io::stdout().as_fd().try_clone_to_owned();
    match own {
        Ok(own) if rustix::stdio::dup2_stdout(std::io::stderr()).is_ok() => {
            Box::new(std::fs::File::from(own))
        }
        // No descriptor is left, or there is no standard error.
        _ => Box::new(std::io::stdout()),
    }
}

#[cfg(not(unix))]
fn own_output() -> Box<dyn Write> {
    Box::new(std::io::stdout())
}

/// Writes records as JSON, as they come: one on each line, or as one list.
pub(super) struct RecordWriter {
    pub(super) format: Format,
    written: usize,
    /// The bytes not yet written.
    waiting: Vec<u8>,
    /// The number of bytes that may wait.
    most_waiting: usize,
}

impl RecordWriter {
    /// Writes each record at once.
    pub(super) fn new(format: Format) -> Self {
        RecordWriter { format, written: 0, waiting: Vec::new(), most_waiting: 0 }
    }

    /// Writes many records at once, or when flushed.
    pub(super) fn buffered(format: Format) -> Self {
        RecordWriter { most_waiting: 64 << 10, ..RecordWriter::new(format) }
    }

    /// Writes a record. Text is written by the caller, who knows how people read such a record.
    pub(super) fn write(&mut self, record: &impl Serialize, output: &mut Output) -> std::io::Result<()> {
        match self.format {
            Format::Text | Format::Jsonl => {
                serde_json::to_writer(&mut self.waiting, record)?;
                self.waiting.push(b'\n');
            }
            Format::Json => {
                let before = if self.written == 0 { "[\n" } else { ",\n" };
                self.waiting.extend_from_slice(before.as_bytes());
                serde_json::to_writer_pretty(&mut self.waiting, record)?;
            }
        }
        self.written += 1;
        if self.waiting.len() > self.most_waiting { self.flush(output) } else { Ok(()) }
    }

    /// Writes the waiting bytes.
    pub(super) fn flush(&mut self, output: &mut Output) -> std::io::Result<()> {
        if !self.waiting.is_empty() {
            output.out.write_all(&self.waiting)?;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Ends the list.
    pub(super) fn close(&self, output: &mut Output) -> std::io::Result<()> {
        if self.format == Format::Json {
            output.out.write_all(if self.written == 0 { b"[]\n" } else { b"\n]\n" })?;
        }
        output.out.flush()
    }
}

/// Shows why a verb failed.
pub(super) fn complain(output: &mut Output, failure: &Failure) {
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

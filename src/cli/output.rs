//! Standard output and standard error.

use super::exit::Failure;
use crate::diag::{Problems, Style, render_human};
use crate::report::{Paint, sanitize_line};
use clap::ValueEnum;
use std::io::{IsTerminal, Write};

/// How results are written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Table,
    /// One indented JSON value (a list, if there are several results)
    Json,
    /// One JSON value per line
    Jsonl,
}

/// Where a verb writes.
pub(super) struct Output {
    /// Results.
    pub(super) out: Box<dyn Write>,
    /// Progress and problems.
    pub(super) err: Box<dyn Write>,
    /// Colours on standard output.
    pub(super) out_paint: Paint,
    /// Colours on standard error.
    pub(super) err_paint: Paint,
    style: Style,
}

impl Output {
    /// Of this process: colours only on terminals, and none with `NO_COLOR`.
    pub(super) fn of_process() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let (out, err) = (std::io::stdout(), std::io::stderr());
        let (out_coloured, err_coloured) = (wanted && out.is_terminal(), wanted && err.is_terminal());
        Output {
            out: Box::new(std::io::LineWriter::new(out)),
            err: Box::new(err),
            out_paint: Paint::new(out_coloured),
            err_paint: Paint::new(err_coloured),
            style: if err_coloured { Style::Coloured } else { Style::Plain },
        }
    }

    /// A line to standard error. That nobody reads it is no reason to stop.
    pub(super) fn say(&mut self, line: &str) {
        let _ = writeln!(self.err, "{line}");
    }

    /// Shows problems on standard error.
    pub(super) fn show(&mut self, problems: &Problems) {
        if !problems.is_empty() {
            let text = render_human(problems, self.style);
            let _ = self.err.write_all(text.as_bytes());
        }
    }
}

/// Shows why a verb failed.
pub(super) fn complain(output: &mut Output, failure: &Failure) {
    if failure.message.is_empty() {
        return;
    }
    let word = output.err_paint.bad("error:");
    output.say(&format!("{word} {}", sanitize_line(&failure.message)));
    if let Some(help) = &failure.help {
        output.say(&format!("  help: {}", sanitize_line(help)));
    }
}

//! Standard output and standard error.

use super::exit::Failure;
use super::sanitized::Sanitized;
use crate::diag::{Problems, Style, render_human};
use crate::report::Paint;
use crate::value::sanitize_line;
use clap::ValueEnum;
use std::io::{IsTerminal, LineWriter, Write};

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
    /// Whether people read standard output as it is written.
    pub(super) out_is_terminal: bool,
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
        let out_is_terminal = std::io::stdout().is_terminal();
        let (out_coloured, err_coloured) =
            (wanted && out_is_terminal, wanted && std::io::stderr().is_terminal());
        Output {
            out: Box::new(Sanitized::new(LineWriter::new(own_output()), out_coloured)),
            err: Box::new(Sanitized::new(std::io::stderr(), err_coloured)),
            out_is_terminal,
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

/// Standard output for this program alone. A plugin is loaded into the process, and what it prints would stand between the
/// results: whatever else writes to standard output from here on writes to standard error.
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

//! The streams of this process.

use crate::streams::{Stream, Streams};
use std::io::{IsTerminal, LineWriter, Write};

/// The streams of this process: colours only on terminals, and none with `NO_COLOR`.
pub(super) fn process_streams() -> Streams {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let (out, err) = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
    Streams::new(
        Stream { writer: LineWriter::new(own_output()), is_terminal: out, coloured: wanted && out },
        Stream { writer: std::io::stderr(), is_terminal: err, coloured: wanted && err },
    )
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

//! The `loopctl` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    loopctl::cli::main()
}

//! A provider that asks any program of this machine: a script, a local model, a client of one's own.
//!
//! The program reads the request ([`CompletionRequest`]) as one JSON object from standard input, and writes its answer
//! to standard output. It is started anew for each call; several may run at once.
//!
//! ```yaml
//! stages:
//!   - id: extract
//!     provider: command              # or `command:a-model`, which the program finds in the request's options
//!     deadline: 60s                  # then the program is killed, and all that it started
//!     config:
//!       command: [python3, extract.py, --strict]    # or: program: python3, args: [extract.py, --strict]
//!       answer: value
//! ```
//!
//! | key | default | |
//! | --- | --- | --- |
//! | `command`, or `program` and `args` | | the program and its arguments; no shell reads them. A name is searched for in the folders of `PATH`, a path with a `/` from `cwd` |
//! | `answer` | `completion` | what standard output is: `completion`, a [`Completion`] (`{"value": …}` or `{"text": "…"}`, with `usage` and the rest if the program knows them); `value`, any JSON, which is the answer itself; `text`, what a model wrote |
//! | `env` | none | names of environment variables that the program sees besides `PATH`, `HOME`, `LANG`, `LC_ALL` and those for temporary files; no others, so that no key reaches a program that wasn't given it |
//! | `cwd` | loopctl's | its working directory |
//! | `max_output_bytes` | 8 MiB | a program that writes more is killed |
//! | `show_stderr` | `true` | whether a failure shows the end of what the program wrote to standard error; `false` when that may hold text of documents |
//!
//! An exit status other than 0 is a failure, shown with the status (or signal) and the last 300 characters of standard
//! error. The status 75 (`EX_TEMPFAIL` of `sysexits.h`) says that another try may succeed. A program need not read its
//! input. What it leaves running when it ends is killed with it (not on Windows).
//!
//! A profile with this provider runs programs, so the host asks for `--allow-commands`.

mod answer;
mod config;

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest};
use loopctl_plugin_sdk::{Cancel, DirectPlugin, Failure, Value, export_direct_plugin};

use loopctl_program::Program;

use crate::answer::AnswerKind;

/// A program that was found, and how to ask it.
#[derive(Debug)]
pub struct Command {
    program: Program,
    answer: AnswerKind,
}

impl DirectPlugin for Command {
    fn open(config: &Value) -> Result<Self, Failure> {
        config::read(config).map_err(Failure::invalid_config)
    }

    fn complete(&self, request: &CompletionRequest, cancel: &Cancel) -> Result<Completion, Failure> {
        let input = serde_json::to_vec(request)
            .map_err(|_| Failure::invalid_request("the request can't be written as JSON"))?;
        let output = self.program.run(input, cancel)?;
        self.answer
            .read(output)
            .map_err(|problem| Failure::transient(format!("the answer of `{}` {problem}", self.program.name)))
    }
}

export_direct_plugin!(Command, include_str!("../plugin.json"), unless = "linked");

#[cfg(test)]
mod tests {
    use super::*;
    use loopctl_plugin_sdk::protocol::Manifest;

    #[test]
    fn the_manifest_is_one_and_of_this_version() {
        let manifest: Manifest = serde_json::from_str(LOOPCTL_MANIFEST).unwrap();
        assert_eq!(
            (manifest.name.as_str(), manifest.version.as_str()),
            ("command", env!("CARGO_PKG_VERSION"))
        );
        assert!(manifest.runs_programs());
    }
}

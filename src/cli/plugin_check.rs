//! `loopctl plugin check`: whether a plugin keeps the contract.

use super::result_format::result_format;
use crate::conformance::{CheckFinding, CheckOutcome, ChildTask, Conformance, ConformanceReport, kind_name};
use crate::failure::{ExitStatus, Failure};
use crate::plugins::plugin_config;
use crate::provider::Providers;
use crate::report::Paint;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::sanitize_line;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[derive(Args)]
#[command(
    after_help = "Checking runs the plugin's code, in processes of their own. So a plugin from elsewhere has to be trusted first, again after each build: `loopctl plugin trust FILE`.\n\nExit status: 0 no check failed; 1 one failed, or the plugin may not run; 2 wrong usage."
)]
pub(super) struct Arguments {
    /// Name or path
    pub(super) plugin: String,
    /// A setting that the plugin is opened with, such as `file=answers.yaml` (repeatable) [default: the first of
    /// the `examples` in its `config_schema`]
    #[arg(long, value_name = "KEY=VALUE")]
    config: Vec<String>,
    /// Format of the result on standard output
    #[arg(long, value_parser = result_format(), default_value = "text")]
    format: ResultFormat,
    /// Seconds that one check may take before the plugin counts as hanging
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    limit: u64,
    /// The checks that this process is to run for another one, which waits for it
    #[arg(long, hide = true, value_name = "IDS", value_delimiter = ',', requires = "notes")]
    part: Vec<String>,
    /// File in which it notes them
    #[arg(long, hide = true, value_name = "FILE", requires = "part")]
    notes: Option<PathBuf>,
}

/// Checks the library at `path`, which the argument names.
pub(super) fn execute(
    arguments: &Arguments,
    providers: &Providers,
    path: &Path,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let config = plugin_config(&arguments.config, output)?;
    let limit = Duration::from_secs(arguments.limit);
    let conformance = Conformance { providers, path, config: &config, limit };
    if let Some(notes) = &arguments.notes {
        conformance.run_part(&arguments.part, notes)?;
        return Ok(ExitStatus::Success);
    }
    let child = |part: &ChildTask<'_>| -> std::io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["plugin", "check"]);
        for setting in &arguments.config {
            command.arg(format!("--config={setting}"));
        }
        command.arg(format!("--limit={}", arguments.limit));
        command.arg(format!("--part={}", part.checks.join(",")));
        command.arg("--notes").arg(part.notes).arg("--").arg(path);
        Ok(command)
    };
    let conforms = conformance.run(&child)?;
    output.write_answer(arguments.format, |paint| text(&conforms, paint), || conforms.to_json())?;
    Ok(if conforms.conforms() { ExitStatus::Success } else { ExitStatus::Broken })
}

fn text(conforms: &ConformanceReport, paint: Paint) -> String {
    let heading = match &conforms.manifest {
        Some(manifest) => format!(
            "{} {}, kind `{}`, ABI {}.{}",
            paint.strong(&format!("`{}`", sanitize_line(&manifest.name))),
            sanitize_line(&manifest.version),
            kind_name(manifest.kind),
            manifest.abi.major,
            manifest.abi.minor
        ),
        None => paint.strong("no plugin"),
    };
    let [passed, failed, skipped] = [CheckOutcome::Passed, CheckOutcome::Failed, CheckOutcome::Skipped]
        .map(|outcome| conforms.count(outcome));
    let findings: String = conforms.findings.iter().map(|finding| line(finding, paint)).collect();
    let path = paint.faint(&conforms.path.shown());
    format!("{heading}\n{path}\n{findings}{passed} passed, {failed} failed, {skipped} skipped\n")
}

fn line(finding: &CheckFinding, paint: Paint) -> String {
    let (word, asks) = (format!("{:<7}", finding.outcome.as_str()), finding.asks);
    let id = format!("{:<22}", finding.id);
    let found = sanitize_line(&finding.found);
    match finding.outcome {
        CheckOutcome::Passed => format!("{}  {id}  {asks}\n", paint.good(&word)),
        CheckOutcome::Skipped => format!("{}  {id}  {found}\n", paint.faint(&word)),
        CheckOutcome::Failed => {
            let help = finding.help.map_or_else(String::new, |help| format!("           help: {help}\n"));
            format!("{}  {id}  {asks}\n           found: {found}\n{help}", paint.bad(&word))
        }
    }
}

//! `loopctl plugin check`: whether a plugin keeps the contract.

use super::result_format::result_format;
use crate::conformance::{CheckFinding, CheckOutcome, ChildTask, Conformance, ConformanceReport, kind_name};
use crate::diag::{Problems, SourceFile, Span};
use crate::failure::{ExitStatus, Failure};
use crate::profile::Override;
use crate::provider::Providers;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::sanitize_line;
use crate::value::yaml::{Data, Node};
use clap::Args;
use serde_json::{Value, json};
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
    let config = config(&arguments.config, output)?;
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
    match arguments.format {
        ResultFormat::Text => human(&conforms, output)?,
        ResultFormat::Json | ResultFormat::Jsonl => {
            output.write_json(&as_json(&conforms), arguments.format)?
        }
    }
    Ok(if conforms.conforms() { ExitStatus::Success } else { ExitStatus::Broken })
}

/// The configuration that the settings make.
fn config(settings: &[String], output: &mut Streams) -> Result<Value, Failure> {
    let mut problems = Problems::new();
    let file = SourceFile::new("--config", "");
    let mut root = Node { span: Span::new(&file, 0, 0), data: Data::Map(Vec::new()) };
    for setting in settings {
        if let Some(setting) = Override::from_flag(setting, &mut problems) {
            setting.apply(&mut root, &mut problems);
        }
    }
    output.show(&problems);
    if problems.has_errors() {
        return Err(Failure::shown(ExitStatus::Usage));
    }
    Ok(root.to_json())
}

fn human(conforms: &ConformanceReport, output: &mut Streams) -> Result<(), Failure> {
    let paint = output.out_paint;
    match &conforms.manifest {
        Some(manifest) => writeln!(
            output.out,
            "{} {}, kind `{}`, ABI {}.{}",
            paint.strong(&format!("`{}`", sanitize_line(&manifest.name))),
            sanitize_line(&manifest.version),
            kind_name(manifest.kind),
            manifest.abi.major,
            manifest.abi.minor
        )?,
        None => writeln!(output.out, "{}", paint.strong("no plugin"))?,
    }
    writeln!(output.out, "{}", paint.faint(&conforms.path.shown()))?;
    for finding in &conforms.findings {
        line(finding, output)?;
    }
    let count = |outcome| conforms.count(outcome);
    writeln!(
        output.out,
        "{} passed, {} failed, {} skipped",
        count(CheckOutcome::Passed),
        count(CheckOutcome::Failed),
        count(CheckOutcome::Skipped)
    )?;
    Ok(())
}

fn line(finding: &CheckFinding, output: &mut Streams) -> Result<(), Failure> {
    let paint = output.out_paint;
    let (word, asks) = (format!("{:<7}", finding.outcome.as_str()), finding.asks);
    let id = format!("{:<22}", finding.id);
    let found = sanitize_line(&finding.found);
    match finding.outcome {
        CheckOutcome::Passed => writeln!(output.out, "{}  {id}  {asks}", paint.good(&word))?,
        CheckOutcome::Skipped => writeln!(output.out, "{}  {id}  {found}", paint.faint(&word))?,
        CheckOutcome::Failed => {
            writeln!(output.out, "{}  {id}  {asks}", paint.bad(&word))?;
            writeln!(output.out, "           found: {found}")?;
            if let Some(help) = finding.help {
                writeln!(output.out, "           help: {help}")?;
            }
        }
    }
    Ok(())
}

fn as_json(conforms: &ConformanceReport) -> Value {
    json!({
        "conforms": conforms.conforms(),
        "path": conforms.path,
        "sha256": conforms.sha256,
        "manifest": conforms.manifest,
        "passed": conforms.count(CheckOutcome::Passed),
        "failed": conforms.count(CheckOutcome::Failed),
        "skipped": conforms.count(CheckOutcome::Skipped),
        "checks": conforms.findings,
    })
}

//! What `validate` and `correct` share: one extraction, one document, one step of the loop.

use super::exit::{Exit, Failure};
use super::loading::ProfileArguments;
use super::logging::LogArguments;
use super::output::{Format, Output};
use super::run::{JournalPlace, Work};
use super::tape::RecorderArguments;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct StepArguments {
    #[command(flatten)]
    profile: ProfileArguments,
    /// Type of the document, instead of classifying it
    #[arg(long = "type", value_name = "TYPE")]
    document_type: Option<String>,
    /// The extraction to start from
    #[arg(long, value_name = "FILE")]
    extraction: PathBuf,
    /// Write extractions and validations to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Prices of models, before those of `prices.yaml` here, in $LOOPCTL_HOME and in loopctl itself [env: LOOPCTL_PRICES]
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    #[command(flatten)]
    log: LogArguments,
    /// Let the profile run programs of this machine: its validators, and those that the provider `command` asks
    #[arg(long)]
    allow_commands: bool,
    #[command(flatten)]
    tape: RecorderArguments,
    /// How the result is written to standard output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The document: a file, or `-` for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
}

impl StepArguments {
    /// Runs the loop with `forced` laid over the profile, so that it ends after the step.
    pub(super) fn run(
        &self,
        forced: &[&str],
        needs_provider: bool,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        Work {
            plan: self.profile.plan(forced, output)?,
            document_type: self.document_type.clone(),
            out: self.out.clone(),
            extraction: Some(self.extraction.clone()),
            journal: JournalPlace::Memory,
            prices: self.prices.clone(),
            log: self.log.clone(),
            format: self.format,
            quiet: false,
            inputs: vec![self.input.clone()],
            needs_provider,
            allow_commands: self.allow_commands,
            tape: self.tape.clone(),
            unfinished: false,
            keep_going: false,
            watching: None,
        }
        .run(output)
    }
}

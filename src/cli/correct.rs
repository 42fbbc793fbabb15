//! `loopctl correct`: one correction of one extraction.

use super::exit::{Exit, Failure};
use super::loading::ProfileArguments;
use super::output::{Format, Output};
use super::run::{JournalPlace, Work};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    profile: ProfileArguments,
    /// Type of the document, instead of classifying it
    #[arg(long = "type", value_name = "TYPE")]
    document_type: Option<String>,
    /// The extraction to correct
    #[arg(long, value_name = "FILE")]
    extraction: PathBuf,
    /// Write extractions and validations to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How the result is written to standard output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The document: a file, or `-` for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
}

/// The loop with room for one correction, whose candidate is handed back whatever it scores. An extraction that is
/// accepted as it stands is not corrected.
pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let forced = ["stop={max_iterations: 2}", "gate=null", "on_escalate=continue", "select.return=last"];
    let plan = arguments.profile.plan(&forced, output)?;
    Work {
        plan,
        document_type: arguments.document_type.clone(),
        out: arguments.out.clone(),
        extraction: Some(arguments.extraction.clone()),
        journal: JournalPlace::Memory,
        format: arguments.format,
        quiet: false,
        inputs: vec![arguments.input.clone()],
        needs_provider: true,
    }
    .run(output)
}

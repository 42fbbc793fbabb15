//! `loopctl score`: assess without any provider.

use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT, PROFILE};
use super::loading::PolicyArguments;
use super::passwords::PasswordArguments;
use super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::scoring::{ScoreRequest, score};
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Scores alone do not say whether an extraction passes: `loopctl validate` does, for one extraction and its document.\n\nExit status: 0 all were scored, whatever the scores; 1 a record could not be read; 2 wrong usage or an invalid profile."
)]
pub(super) struct Arguments {
    #[command(flatten, next_help_heading = PROFILE)]
    profile: PolicyArguments,
    /// Type of the document (for records that don't name theirs)
    #[arg(long = "type", value_name = "TYPE", help_heading = DOCUMENTS)]
    document_type: Option<String>,
    /// The text that a `.json` extraction was made from
    #[arg(long, value_name = "TEXT", help_heading = DOCUMENTS)]
    source: Option<PathBuf>,
    #[command(flatten)]
    passwords: PasswordArguments,
    /// Take this value for a dimension instead of measuring it (repeatable)
    #[arg(long, value_name = "DIM=X", help_heading = DOCUMENTS)]
    given: Vec<String>,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
    /// `.json` (one extraction) or `.jsonl` (one record per line: id, document_type, extraction, and optionally source,
    /// given and evidence); `-` reads records from standard input
    #[arg(required = true, value_name = "FILE", help_heading = ARGUMENTS)]
    files: Vec<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = ScoreRequest {
        profile: arguments.profile.selected(),
        document_type: arguments.document_type.clone(),
        source: arguments.source.clone(),
        given: arguments.given.clone(),
        format: arguments.format.format,
        files: arguments.files.clone(),
    };
    Ok(ExitStatus::whole(score(&request, &arguments.passwords.context()?, output)?))
}

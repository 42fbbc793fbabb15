//! `loopctl next`: the loop as data, for callers who drive their own model.

use super::headings::{ARGUMENTS, OUTPUT, PROFILE};
use super::loading::PolicyArguments;
use super::passwords::PasswordArguments;
use crate::failure::{ExitStatus, Failure};
use crate::next_answer::{NextRequest, answer_next, exit_of};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten, next_help_heading = PROFILE)]
    profile: PolicyArguments,
    /// Set a variable of the profile's prompts to a literal text (repeatable)
    #[arg(long = "var", value_name = "NAME=TEXT", help_heading = PROFILE)]
    variables: Vec<String>,
    /// Name of every judge, whose answers are in the history; `none` to do without
    #[arg(long, help_heading = PROFILE)]
    judge: Option<String>,
    #[command(flatten)]
    passwords: PasswordArguments,
    /// Format of the answer
    #[arg(long, value_enum, default_value = "json", help_heading = OUTPUT)]
    format: NextFormat,
    /// The document and the history as JSON: a file, or `-` for standard input
    #[arg(value_name = "FILE", default_value = "-", help_heading = ARGUMENTS)]
    input: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NextFormat {
    /// Indented
    Json,
    /// On one line
    Jsonl,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let mut profile = arguments.profile.selected();
    profile.spec.variables.clone_from(&arguments.variables);
    profile.spec.judge.clone_from(&arguments.judge);
    let request = NextRequest { profile, input: arguments.input.clone() };
    let answer = answer_next(&request, &arguments.passwords.context()?, output)?;
    let format = match arguments.format {
        NextFormat::Json => ResultFormat::Json,
        NextFormat::Jsonl => ResultFormat::Jsonl,
    };
    output.write_json(&answer, format)?;
    Ok(exit_of(&answer))
}

//! `loopctl next`: the loop as data, for callers who drive their own model.

use super::headings::{ARGUMENTS, OUTPUT, PROFILE};
use super::loading::{PolicyArguments, context, library};
use crate::failure::{ExitStatus, Failure};
use crate::ingest::read_next_input;
use crate::next::{Mistake, NextAnswer, NextError, NextInput};
use crate::plans::refuse_profiles;
use crate::policy::{FinalStatus, StopReason};
use crate::streams::{Streams, complain};
use crate::value::ShownPath;
use clap::{Args, ValueEnum};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest input, in bytes: a document and some hundred candidates.
const MAX_INPUT: u64 = 128 << 20;

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
    refuse_profiles(context(), &[&arguments.input])?;
    let mut profile = arguments.profile.selected();
    profile.spec.variables.clone_from(&arguments.variables);
    profile.spec.judge.clone_from(&arguments.judge);
    let plan = profile.plan(context(), &library(), &[], output)?;
    let value = read(&arguments.input)?;
    let input = match NextInput::parse(&value) {
        Ok(input) => input,
        Err(mistakes) => return Err(usage(&mistakes, output)),
    };
    let document = read_next_input(&input).map_err(|error| {
        let help = error.help();
        Failure::broken(format!("/document/path: {error}")).help(help)
    })?;
    let answer = match crate::next::next(&plan, &document, input.document_type.as_deref(), &input.history) {
        Ok(answer) => answer,
        Err(NextError::Input(mistakes)) => return Err(usage(&mistakes, output)),
        Err(error @ NextError::NoStage { .. }) => {
            return Err(Failure::usage(error.to_string()).help("add `stages:` with a prompt and an output"));
        }
        Err(NextError::UnsetVariable { profile, variable }) => {
            let message = format!("the prompt of the profile `{profile}` needs the variable `{variable}`");
            return Err(Failure::usage(message).help(format!("give it with `--var {variable}=TEXT`")));
        }
        Err(error) => return Err(Failure::broken(error.to_string())),
    };
    for warning in input.ignored.iter().chain(&answer.warnings) {
        let word = output.err_paint.warn("warning:");
        output.say(&format!("{word} {}", crate::value::sanitize_line(warning)));
    }
    let text = match arguments.format {
        NextFormat::Json => serde_json::to_string_pretty(&answer),
        NextFormat::Jsonl => serde_json::to_string(&answer),
    }
    .map_err(|error| Failure::broken(format!("the answer can't be written as JSON: {error}")))?;
    writeln!(output.out, "{text}")?;
    output.out.flush()?;
    Ok(exit_of(&answer))
}

/// The exit status of an answer. A loop that continues has not failed.
fn exit_of(answer: &NextAnswer) -> ExitStatus {
    match &answer.outcome {
        None => ExitStatus::Success,
        Some(outcome) => match (outcome.final_status, &outcome.stop_reason) {
            (FinalStatus::Passed | FinalStatus::Skipped, _) => ExitStatus::Success,
            (_, StopReason::ProviderError) => ExitStatus::Broken,
            _ => ExitStatus::NotPassed,
        },
    }
}

/// Shows every mistake but the last, which ends the verb.
fn usage(mistakes: &[Mistake], output: &mut Streams) -> Failure {
    let failure = |mistake: &Mistake| {
        let failure = Failure::usage(mistake.to_string());
        match &mistake.help {
            Some(help) => failure.help(help.clone()),
            None => failure,
        }
    };
    match mistakes.split_last() {
        Some((last, others)) => {
            others.iter().for_each(|mistake| complain(output, &failure(mistake)));
            failure(last)
        }
        None => Failure::usage("the input can't be used"),
    }
}

fn read(path: &Path) -> Result<Value, Failure> {
    let (name, reader): (String, Box<dyn Read>) = if path.as_os_str() == "-" {
        ("standard input".to_owned(), Box::new(std::io::stdin()))
    } else {
        let file = crate::disk::open_input(path)
            .map_err(|error| Failure::broken(format!("can't read `{}`: {error}", path.shown())))?;
        (format!("`{}`", path.shown()), Box::new(file))
    };
    let mut bytes = Vec::new();
    reader
        .take(MAX_INPUT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::broken(format!("can't read {name}: {error}")))?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(Failure::usage(format!("{name} has more than {MAX_INPUT} bytes")));
    }
    // The byte order mark that some editors put first.
    let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    serde_json::from_slice(json).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Failure::broken(format!("{name} is not JSON ({place})"))
            .help("write `{\"document\": {\"text\": …}, \"history\": [{\"candidate\": …}]}`")
    })
}

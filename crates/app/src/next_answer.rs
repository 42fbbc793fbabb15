//! The next step of a loop that its caller drives, from the document and the history.

use crate::context::Context;
use crate::failure::{ExitStatus, Failure};
use crate::ingest::read_next_input;
use crate::named_input::NamedInput;
use crate::next::{Mistake, NextAnswer, NextError, NextInput, next};
use crate::plans::refuse_profiles;
use crate::policy::{FinalStatus, StopReason};
use crate::profiles::SelectedProfile;
use crate::scoring::without_mark;
use crate::streams::{Streams, complain};
use crate::value::sanitize_line;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Largest input, in bytes: a document and some hundred candidates.
const MAX_INPUT: u64 = 128 << 20;

/// A request for the next step.
#[derive(Debug, Clone, PartialEq)]
pub struct NextRequest {
    /// The profile that decides.
    pub profile: SelectedProfile,
    /// The document and the history as JSON; `-` for standard input.
    pub input: PathBuf,
}

/// Decides about a history, and says what to ask next.
///
/// # Errors
/// When the profile, the input or the document can't be used.
pub fn answer_next(
    request: &NextRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<NextAnswer, Failure> {
    refuse_profiles(context, &[&request.input])?;
    let plan = request.profile.plan(context, &context.library(), &[], output)?;
    let value = read(&request.input)?;
    let input = NextInput::parse(&value).map_err(|mistakes| wrong_input(&mistakes, output))?;
    let reader = context.reader().clone().with_ingest(&plan.profile.ingest);
    let document = read_next_input(&input, &reader)
        .map_err(|error| Failure::broken(format!("/document/path: {error}")).help(error.help()))?;
    let answer = next(&plan, &document, input.document_type.as_deref(), &input.history)
        .map_err(|error| failed(error, output))?;
    for warning in input.ignored.iter().chain(&answer.warnings) {
        output.warn(&sanitize_line(warning));
    }
    Ok(answer)
}

/// The exit status of an answer. A loop that continues has not failed.
pub fn exit_of(answer: &NextAnswer) -> ExitStatus {
    match &answer.outcome {
        None => ExitStatus::Success,
        Some(outcome) => match (outcome.final_status, &outcome.stop_reason) {
            (FinalStatus::Passed | FinalStatus::Skipped, _) => ExitStatus::Success,
            (_, StopReason::ProviderError) => ExitStatus::Broken,
            _ => ExitStatus::NotPassed,
        },
    }
}

fn failed(error: NextError, output: &mut Streams) -> Failure {
    match error {
        NextError::Input(mistakes) => wrong_input(&mistakes, output),
        NextError::NoStage { .. } => {
            Failure::usage(error.to_string()).help("add `stages:` with a prompt and an output")
        }
        NextError::UnsetVariable { profile, variable } => {
            let message = format!("the prompt of the profile `{profile}` needs the variable `{variable}`");
            Failure::usage(message).help(format!("give it with `--var {variable}=TEXT`"))
        }
        error => Failure::broken(error.to_string()),
    }
}

/// Shows every mistake but the last, which ends the verb.
fn wrong_input(mistakes: &[Mistake], output: &mut Streams) -> Failure {
    let failure =
        |mistake: &Mistake| Failure { help: mistake.help.clone(), ..Failure::usage(mistake.to_string()) };
    match mistakes.split_last() {
        Some((last, others)) => {
            others.iter().for_each(|mistake| complain(output, &failure(mistake)));
            failure(last)
        }
        None => Failure::usage("the input can't be used"),
    }
}

fn read(path: &Path) -> Result<Value, Failure> {
    let input = NamedInput::open(path)?;
    let name = input.name.clone();
    let bytes = input
        .read(MAX_INPUT)?
        .ok_or_else(|| Failure::usage(format!("{name} has more than {MAX_INPUT} bytes")))?;
    serde_json::from_slice(without_mark(&bytes)).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Failure::broken(format!("{name} is not JSON ({place})"))
            .help("write `{\"document\": {\"text\": …}, \"history\": [{\"candidate\": …}]}`")
    })
}

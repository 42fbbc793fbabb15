//! `loopctl simulate`: policies tried on trajectories.

use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT, PROFILE};
use super::journal_argument::JournalArgument;
use super::loading::{context, or_default};
use super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::profiles::SelectedProfile;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::trials::{SimulationRequest, simulate};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The content that lines of trajectories must have.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Require {
    /// The issues of each candidate, even if there are none (`issues: []`)
    Issues,
}

#[derive(Args)]
pub(super) struct Arguments {
    /// Profile by name or path (repeatable, to compare several)
    #[arg(long, short, default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default, help_heading = PROFILE)]
    profile: Vec<String>,
    /// Set a key of each profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE", help_heading = PROFILE)]
    settings: Vec<String>,
    /// Take the overall score from this recorded dimension, whatever the profiles' weights
    #[arg(long, value_name = "DIM", help_heading = PROFILE)]
    overall_from: Option<String>,
    /// Refuse documents whose lines lack what policies may inspect
    #[arg(long, value_name = "WHAT", value_enum, help_heading = DOCUMENTS)]
    require: Option<Require>,
    /// Try the profiles on the documents of a run, as `loopctl runs list` names it, instead of files
    ///
    /// Exact as long as a policy asks for the candidates that were recorded; where it would continue differently, its
    /// end is not known. Refused where prompts, feedback or rules differ, because other candidates would have come.
    /// Prompts and feedback templates are compared by their text, regardless of file names.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["files", "require"], help_heading = DOCUMENTS)]
    run: Option<String>,
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
    /// JSON lines, one document each: `{"id": …, "iterations": [{"scores": {…}, "issues": […], …}]}`; `-` is standard
    /// input
    #[arg(required_unless_present = "run", value_name = "FILE", help_heading = ARGUMENTS)]
    files: Vec<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let profile = |name: &String| SelectedProfile::of(name, &arguments.settings);
    let request = SimulationRequest {
        profiles: arguments.profile.iter().map(profile).collect(),
        overall_from: arguments.overall_from.clone(),
        run: arguments.run.clone(),
        journal: arguments.journal.spec(),
        files: arguments.files.clone(),
        requires_issues: arguments.require.is_some(),
        format,
    };
    let simulation = simulate(&request, context(), output)?;
    if format == ResultFormat::Text {
        output.out.write_all(simulation.text(output.out_paint).as_bytes())?;
        output.out.flush()?;
    }
    Ok(ExitStatus::whole(simulation.is_whole))
}

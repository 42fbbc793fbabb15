//! `loopctl profile diff`.

use super::loading::{OverrideArguments, context};
use super::prove::EffortArguments;
use super::result_format::result_format;
use crate::failure::{ExitStatus, Failure};
use crate::profile_comparison::{ProfileComparisonRequest, compare_profiles};
use crate::profiles::SelectedProfile;
use crate::proofs::prove_alike;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

/// The maximum number of documents that are named without `--all`.
const USUALLY_NAMED: usize = 20;

#[derive(Args)]
#[command(
    after_help = "The two are compared by what they do, not by how they are written: each line says what holds of both, with what changes in it, as in `at least 0.95 → 0.98`. Settings that differ without any effect are named last.\n\nWith `--trajectories`, the recorded documents that would end otherwise are listed: status, stop reason, the candidate that is returned, how many candidates are made.\n\nFlags are laid over B only. Without B, A is compared with itself under those flags. The exit status is 0 whether the two differ or not; with `--exit-code` it is 3 when they do, and with `--prove` also when it was not shown that they do not. It is 2 when one can't be used, 1 when a trajectory can't be read."
)]
pub(super) struct Arguments {
    /// Profile by name or path: the present one
    #[arg(value_name = "A")]
    before: String,
    /// Profile by name or path: the changed one [default: A, with the flags laid over it]
    #[arg(value_name = "B")]
    after: Option<String>,
    #[command(flatten)]
    over: OverrideArguments,
    /// Recorded documents (JSON lines, as `loopctl simulate` reads them; repeatable; `-` is standard input)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    trajectories: Vec<PathBuf>,
    /// For the trajectories, take the overall score from this recorded dimension, whatever the profiles' weights
    #[arg(long, value_name = "DIM", requires = "trajectories")]
    overall_from: Option<String>,
    /// Name every document that ends differently, not only the first 20
    #[arg(long, requires = "trajectories")]
    all: bool,
    /// Prove that the two decide alike in every run, or show the shortest in which they do not, and whether one accepts
    /// only what the other accepts; nothing else is compared then
    #[arg(long, conflicts_with_all = ["trajectories", "all", "prices"])]
    prove: bool,
    #[command(flatten)]
    effort: EffortArguments,
    /// Exit with status 3 if the two behave differently
    #[arg(long)]
    exit_code: bool,
    /// Format of the differences; as JSON: `before`, `after`, `same`, `changes`, `settings`, `files`, and with
    /// trajectories `documents`
    #[arg(long, value_parser = result_format(), default_value = "text")]
    format: ResultFormat,
    /// Price table that takes precedence over the others (see `docs/costs.md`)
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let profiles = arguments.profiles()?;
    if arguments.prove {
        let [before, after] = &profiles;
        let answer = prove_alike([before, after], arguments.effort.effort(), context(), output)?;
        output.write_answer(arguments.format, |paint| answer.text(paint), || answer.to_json())?;
        arguments.effort.write(&answer.runs())?;
        return Ok(ExitStatus::passed(!arguments.exit_code || answer.comparison.same() == Some(true)));
    }
    let is_short = arguments.format == ResultFormat::Text && !arguments.all;
    let request = ProfileComparisonRequest {
        profiles,
        prices: arguments.prices.clone(),
        trajectories: arguments.trajectories.clone(),
        overall_from: arguments.overall_from.clone(),
        most_named: if is_short { USUALLY_NAMED } else { usize::MAX },
    };
    let answer = compare_profiles(&request, context(), output)?;
    output.write_answer(arguments.format, |paint| answer.text(paint), || answer.to_json())?;
    if answer.documents.is_some_and(|documents| !documents.is_whole) {
        return Ok(ExitStatus::Broken);
    }
    Ok(ExitStatus::passed(!arguments.exit_code || answer.comparison.is_same()))
}

impl Arguments {
    /// The present profile and the changed one.
    fn profiles(&self) -> Result<[SelectedProfile; 2], Failure> {
        if self.after.is_none() && self.over.is_empty() {
            let problem = Failure::usage("there is nothing to compare the profile with");
            return Err(problem.help(
                "name a second profile, or lay a setting over the first: `--config accept.overall=0.9`",
            ));
        }
        let after = self.after.as_ref().unwrap_or(&self.before);
        Ok([OverrideArguments::default().on(&self.before), self.over.on(after)])
    }
}

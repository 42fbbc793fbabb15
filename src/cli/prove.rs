//! `loopctl prove`.

use super::loading::{OverrideArguments, context, or_default};
use super::result_format::result_format;
use crate::experiment::Trajectory;
use crate::experiment::prove::Effort;
use crate::failure::{ExitStatus, Failure};
use crate::proofs::{ProofRequest, prove, write_runs};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "A promise is what must hold of every run, whatever candidates score (`promises:` in the profile, see `docs/prove.md`). Every run is tried over a grid of values: each constant of the policy, just below and just above it, and the ends of what can be scored. A promise that does not hold is shown with a shortest run that breaks it. One that was not broken holds only if all was tried that may break it; else it is `not shown`, and why.\n\nExit status: 0 every promise holds; 1 a file can't be written; 2 the profile or a promise can't be used; 3 a promise is broken, or not shown (unless `--allow-not-shown`)."
)]
pub(super) struct Arguments {
    /// Profile by name, or by path (`./mine.yaml`)
    #[arg(value_name = "PROFILE", default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default)]
    profile: String,
    #[command(flatten)]
    over: OverrideArguments,
    /// A file with more promises (`promises: [{ always: calls <= 6 }]`; repeatable)
    #[arg(long, value_name = "FILE")]
    promises: Vec<PathBuf>,
    #[command(flatten)]
    effort: EffortArguments,
    /// Exit with status 0 even if promises are not shown to hold, as long as none is broken
    #[arg(long)]
    allow_not_shown: bool,
    /// Format of the proof on standard output
    #[arg(long, value_parser = result_format(), default_value = "text")]
    format: ResultFormat,
}

/// The effort of a search, and the location of runs that show something.
#[derive(Args, Clone)]
pub(super) struct EffortArguments {
    /// Maximum number of decisions of the complete search; beyond it, runs are tried only at random
    #[arg(long, value_name = "N", default_value_t = Effort::default().decisions)]
    decisions: u64,
    /// Number of runs tried at random, in addition
    #[arg(long, value_name = "N", default_value_t = Effort::default().random)]
    random: u64,
    /// Seed of the random runs: the same number tries the same runs
    #[arg(long, value_name = "N", default_value_t = Effort::default().seed)]
    seed: u64,
    /// Write the runs that show it, as `loopctl simulate` reads them: to one file, or one file each into a folder (a
    /// path that ends in `/`, or an existing folder)
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

impl EffortArguments {
    pub(super) fn effort(&self) -> Effort {
        Effort { decisions: self.decisions, random: self.random, seed: self.seed }
    }

    /// Writes the runs that show something.
    pub(super) fn write(&self, runs: &[&Trajectory]) -> Result<(), Failure> {
        self.out.as_deref().map_or(Ok(()), |path| write_runs(path, runs))
    }
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = ProofRequest {
        profile: arguments.over.on(&arguments.profile),
        promises: arguments.promises.clone(),
        effort: arguments.effort.effort(),
    };
    let answer = prove(&request, context(), output)?;
    output.write_answer(arguments.format, |paint| answer.text(paint), || answer.to_json())?;
    arguments.effort.write(&answer.runs())?;
    let proof = &answer.proof;
    Ok(ExitStatus::passed(proof.holds() || arguments.allow_not_shown && !proof.is_broken()))
}

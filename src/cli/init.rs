//! `loopctl init`: a project to begin with.

use super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::project::begin;
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "The project passes `check`, `test` and `run` as it is, without a model and without a key. Its files are few and commented; what they do not say is inherited from the profile. Nothing that is there already is written over."
)]
pub(super) struct Arguments {
    /// Folder of the project; created if missing
    #[arg(default_value = ".", value_name = "DIR")]
    dir: PathBuf,
    /// Shipped profile to start from, by name
    #[arg(long, short, default_value = "balanced", value_name = "NAME")]
    profile: String,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let plan = begin(&arguments.dir, &arguments.profile, context(), output)?;
    output.write_text(&plan.text(&arguments.dir))?;
    Ok(ExitStatus::Success)
}

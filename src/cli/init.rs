//! `loopctl init`: a project to begin with.

use super::loading::context;
use super::new::{refused, report};
use crate::failure::{ExitStatus, Failure};
use crate::project::{starter, write};
use crate::streams::Streams;
use crate::value::ShownPath;
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
    let dir = &arguments.dir;
    if dir.symlink_metadata().is_ok() && !dir.is_dir() {
        return Err(Failure::usage(format!("`{}` is a file, not a folder", dir.shown())).help("name another"));
    }
    // What the project will find when it is used: itself, the user's own folder, the shipped files.
    let library = context().library_from(dir.clone());
    let plan = starter(dir, &arguments.profile, &library).map_err(|refusal| refused(refusal, output))?;
    write(dir, &plan.changes).map_err(super::new::not_written)?;
    report(dir, &plan, output)?;
    Ok(ExitStatus::Success)
}

//! `loopctl profile`: lists, shows, explains and compares profiles.

use super::loading::{OverrideArguments, or_default};
use super::{profile_diff, profile_explain, profile_list, profile_show};
use crate::failure::{ExitStatus, Failure};
use crate::streams::Streams;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    verb: ProfileVerb,
}

#[derive(Subcommand)]
enum ProfileVerb {
    /// List every profile that can be loaded by name, with its purpose and its source
    List(profile_list::Arguments),
    /// Show all settings of a profile, those of its ancestors and the defaults included
    Show(profile_show::Arguments),
    /// Explain in plain words what a profile does, worked out from the compiled policy
    Explain(profile_explain::Arguments),
    /// Show the changes in behaviour from one profile to another
    Diff(profile_diff::Arguments),
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    match &arguments.verb {
        ProfileVerb::List(arguments) => profile_list::execute(arguments, output),
        ProfileVerb::Show(arguments) => profile_show::execute(arguments, output),
        ProfileVerb::Explain(arguments) => profile_explain::execute(arguments, output),
        ProfileVerb::Diff(arguments) => profile_diff::execute(arguments, output),
    }
}

/// One profile by name or path, with the settings laid over it.
#[derive(Args)]
pub(super) struct NamedProfileArguments {
    /// Profile by name, or by path (`./mine.yaml`)
    #[arg(value_name = "PROFILE", default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default)]
    pub(super) profile: String,
    #[command(flatten)]
    pub(super) over: OverrideArguments,
}

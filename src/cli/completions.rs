//! `loopctl completions`: scripts with which a shell completes verbs, flags and the names of profiles.

use super::loading::library;
use crate::failure::{ExitStatus, Failure};
use crate::profile::available;
use crate::streams::Streams;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::{Shell, generate};

#[derive(Args)]
#[command(
    after_help = "bash:        loopctl completions bash > ~/.local/share/bash-completion/completions/loopctl\n\
                  zsh:         loopctl completions zsh > DIR/_loopctl, where DIR is one of $fpath\n\
                  fish:        loopctl completions fish > ~/.config/fish/completions/loopctl.fish\n\
                  elvish:      loopctl completions elvish >> ~/.config/elvish/rc.elv\n\
                  powershell:  loopctl completions powershell >> $PROFILE\n\n\
                  In bash, zsh and fish, profiles are completed by the names that are known when this is run: those that ship, those in ./profiles and\n\
                  those in $LOOPCTL_HOME/profiles. Run it again when there are others."
)]
pub(super) struct Arguments {
    /// Shell to complete in
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    // Clap needs names that live as long as the process, which ends when these are printed.
    let names: Vec<&'static str> = available(&library()).into_iter().map(|name| &*name.leak()).collect();
    let mut command = with_profiles(super::command(), &names);
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "loopctl", &mut script);
    output.out.write_all(&script)?;
    output.out.flush()?;
    Ok(ExitStatus::Success)
}

/// Offers these names as values of every `--profile`.
fn with_profiles(command: Command, names: &[&'static str]) -> Command {
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let below =
        |command: Command, verb: &String| command.mut_subcommand(verb, |verb| with_profiles(verb, names));
    let command = verbs.iter().fold(command, below);
    command.mut_args(|argument| {
        if argument.get_long() == Some("profile") {
            argument.value_parser(PossibleValuesParser::new(names.iter().copied()))
        } else {
            argument
        }
    })
}

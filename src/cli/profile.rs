//! `loopctl profile list`.

use super::exit::{Exit, Failure};
use super::loading::library;
use super::output::Output;
use crate::diag::Problems;
use crate::profile::{available, load};
use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Name every profile that can be loaded by name, with what it is for
    List,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let Verb::List = arguments.verb;
    let library = library();
    let names = available(&library);
    let width = names.iter().map(String::len).max().unwrap_or(0);
    for name in names {
        let mut problems = Problems::new();
        let environment = |variable: &str| std::env::var(variable).ok();
        let about = match load(&name, &library, &[], &environment, &mut problems) {
            Some(loaded) if !problems.has_errors() => loaded.profile.description,
            _ => format!("(can't be used; see `loopctl check {name}`)"),
        };
        writeln!(output.out, "{name:width$}  {about}")?;
    }
    Ok(Exit::Success)
}

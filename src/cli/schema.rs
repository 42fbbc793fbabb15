//! `loopctl schema`: what editors need to know of our YAML.

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::diag::nearest;
use crate::explain::schema::{FILE_KINDS, FileKind};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The kind of file: profile, rules, rubric, extraction, classification, prices, scenarios or rule-tests; without
    /// it, all are listed
    name: Option<String>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let Some(name) = &arguments.name else {
        let width = FILE_KINDS.iter().map(|kind| kind.name.len()).max().unwrap_or_default();
        for kind in &FILE_KINDS {
            writeln!(output.out, "{:width$}  {}", kind.name, kind.place)?;
        }
        return Ok(Exit::Success);
    };
    let Some(kind) = FileKind::named(name) else {
        let known: Vec<&str> = FILE_KINDS.iter().map(|kind| kind.name).collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(guess) => format!("did you mean `{guess}`? Known: {}", known.join(", ")),
            None => format!("known: {}", known.join(", ")),
        };
        return Err(Failure::usage(format!("no schema is called `{name}`")).help(help));
    };
    output.out.write_all(kind.schema_text().as_bytes())?;
    Ok(Exit::Success)
}

//! `loopctl schema`: the schemas of our YAML for editors, and of extractions from documents.

use super::loading::library;
use crate::diag::{Problem, nearest};
use crate::failure::{ExitStatus, Failure};
use crate::profile::Files;
use crate::reference::{FILE_KINDS, FileKind};
use crate::rules::whole_schema;
use crate::streams::Streams;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The kind of file: profile, rules, rubric, extraction, vocabulary, context, classification, evidence, prices,
    /// label-map, experiment, scenarios, rule-tests or vocabulary-tests; or a document type, such as pathology; without
    /// it, all are listed
    name: Option<String>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let Some(name) = &arguments.name else {
        let types = document_types();
        let names = FILE_KINDS.iter().map(|kind| kind.name.len()).chain(types.iter().map(String::len));
        let width = names.max().unwrap_or_default();
        for kind in &FILE_KINDS {
            writeln!(output.out, "{:width$}  {}", kind.name, kind.place)?;
        }
        for name in &types {
            writeln!(output.out, "{name:width$}  what is extracted from a document of this type")?;
        }
        return Ok(ExitStatus::Success);
    };
    let Some(kind) = FileKind::named(name) else {
        let types = document_types();
        if types.contains(name) {
            let library = library();
            let file = library.read(&format!("schemas/{name}.schema.json")).map_err(unreadable)?;
            let schema = file.map(|file| whole_schema(&file, &library)).transpose().map_err(unreadable)?;
            writeln!(output.out, "{:#}", schema.unwrap_or_default())?;
            return Ok(ExitStatus::Success);
        }
        let known: Vec<&str> =
            FILE_KINDS.iter().map(|kind| kind.name).chain(types.iter().map(String::as_str)).collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(guess) => format!("did you mean `{guess}`? Known: {}", known.join(", ")),
            None => format!("known: {}", known.join(", ")),
        };
        return Err(Failure::usage(format!("no schema is called `{name}`")).help(help));
    };
    output.out.write_all(kind.schema_text().as_bytes())?;
    Ok(ExitStatus::Success)
}

/// Names of the document types with a local or shipped schema.
fn document_types() -> Vec<String> {
    let paths = library().list("schemas", ".schema.json");
    let names = paths.iter().filter_map(|path| path.strip_prefix("schemas/")?.strip_suffix(".schema.json"));
    names.filter(|name| FileKind::named(name).is_none()).map(str::to_owned).collect()
}

fn unreadable(problem: Problem) -> Failure {
    let failure = Failure::broken(problem.message);
    match problem.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

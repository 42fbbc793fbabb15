//! `loopctl read`: how a document was read, and how the values of an extraction are bound to it.

use super::headings::{ARGUMENTS, OUTPUT, PROFILE};
use super::loading::{PolicyArguments, context};
use super::result_format::result_format;
use crate::failure::{ExitStatus, Failure};
use crate::outline::{OutlineRequest, SectionsRequest, file_sections, outline};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl read invoice.txt\n  loopctl read report.txt --clauses\n  loopctl read scans.pdf --sections --profile clinical\n  loopctl read invoice.txt --extraction invoice.json --format json\n\nNothing is scored and no one is asked: `loopctl validate` says whether an extraction passes, `loopctl explain FILE --field NAME` what the vocabularies of a profile read.\n\nExit status: 0 the document was read, whatever is bound; 1 a file can't be read; 2 wrong usage."
)]
pub(super) struct Arguments {
    /// The statements of each sentence, with the words that act in them: doubt, denial, another person
    #[arg(long)]
    clauses: bool,
    /// An extraction, whose values are shown with what binds them to the document; `-` for standard input
    #[arg(long, short, value_name = "FILE")]
    extraction: Option<PathBuf>,
    /// Show how the file would be split into documents, by the classification of a profile
    #[arg(long, conflicts_with_all = ["clauses", "extraction"])]
    sections: bool,
    #[command(flatten, next_help_heading = PROFILE)]
    profile: PolicyArguments,
    /// Maximum number of lines, sentences and values to show
    #[arg(long, value_name = "N", default_value_t = 500, help_heading = OUTPUT)]
    lines: usize,
    /// Output format
    #[arg(long, value_parser = result_format(), default_value = "text", help_heading = OUTPUT)]
    format: ResultFormat,
    /// The document; `-` for standard input
    #[arg(value_name = "FILE", help_heading = ARGUMENTS)]
    file: PathBuf,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    if arguments.sections {
        let request = SectionsRequest { file: arguments.file.clone(), profile: arguments.profile.selected() };
        let sections = file_sections(&request, context(), context().reader(), output)?;
        output.write_answer(arguments.format, |paint| sections.text(paint), || &sections)?;
        return Ok(ExitStatus::Success);
    }
    let request = OutlineRequest {
        file: arguments.file.clone(),
        extraction: arguments.extraction.clone(),
        clauses: arguments.clauses,
        most: arguments.lines,
    };
    let outline = outline(&request, context().reader(), output)?;
    output.write_answer(arguments.format, |paint| outline.text(paint), || &outline)?;
    Ok(ExitStatus::Success)
}

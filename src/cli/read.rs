//! `loopctl read`: how a document was read, and how the values of an extraction are bound to it.

use super::headings::OUTPUT;
use super::passwords::PasswordArguments;
use super::result_format::result_format;
use crate::failure::{ExitStatus, Failure};
use crate::outline::{OutlineRequest, outline};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl read invoice.txt\n  loopctl read report.txt --clauses\n  loopctl read invoice.txt --extraction invoice.json --format json\n\nNothing is scored and no one is asked: `loopctl validate` says whether an extraction passes, `loopctl explain FILE --field NAME` what the vocabularies of a profile read.\n\nExit status: 0 the document was read, whatever is bound; 1 a file can't be read; 2 wrong usage."
)]
pub(super) struct Arguments {
    /// The statements of each sentence, with the words that act in them: doubt, denial, another person
    #[arg(long)]
    clauses: bool,
    /// An extraction, whose values are shown with what binds them to the document; `-` for standard input
    #[arg(long, short, value_name = "FILE")]
    extraction: Option<PathBuf>,
    #[command(flatten)]
    passwords: PasswordArguments,
    /// Maximum number of lines, sentences and values to show
    #[arg(long, value_name = "N", default_value_t = 500, help_heading = OUTPUT)]
    lines: usize,
    /// Output format
    #[arg(long, value_parser = result_format(), default_value = "text", help_heading = OUTPUT)]
    format: ResultFormat,
    /// The document; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = OutlineRequest {
        file: arguments.file.clone(),
        extraction: arguments.extraction.clone(),
        clauses: arguments.clauses,
        most: arguments.lines,
    };
    let outline = outline(&request, arguments.passwords.context()?.reader(), output)?;
    output.write_answer(arguments.format, |paint| outline.text(paint), || &outline)?;
    Ok(ExitStatus::Success)
}

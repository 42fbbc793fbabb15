//! `loopctl read`: what is seen of a document, how it was read, and how the values of an extraction are bound to it.

use super::headings::OUTPUT;
use super::passwords::PasswordArguments;
use super::result_format::result_format;
use crate::failure::{ExitStatus, Failure};
use crate::outline::{
    OutlineRequest, PageNumbers, PageViewRequest, SectionsRequest, document_text, file_sections, outline,
    write_page_view,
};
use crate::profiles::SelectedProfile;
use crate::requests::{ProfileSpec, ResultFormat};
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl read invoice.txt\n  loopctl read report.txt --clauses\n  loopctl read report.pdf --text | less\n  loopctl read report.pdf --html report.html\n  loopctl read scans.pdf --sections --profile clinical\n  loopctl read invoice.pdf --extraction invoice.json --format json\n\nJSON has all that is seen of the document: its text, its type, its pages with the box of each word, and the parts that its file marks.\n\nNothing is scored and no one is asked: `loopctl validate` says whether an extraction passes, `loopctl explain FILE --field NAME` what the vocabularies of a profile read.\n\nExit status: 0 the document was read, whatever is bound; 1 a file can't be read; 2 wrong usage."
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
    /// Show how the file would be split into documents, by the classification of the profile
    #[arg(long, conflicts_with_all = ["clauses", "extraction", "text", "html"])]
    sections: bool,
    /// Print the text alone, exactly as values are looked up in it
    #[arg(long, conflicts_with_all = ["clauses", "extraction", "format", "html"], help_heading = OUTPUT)]
    text: bool,
    /// Write the pages to this file as a self-contained HTML page: their pictures with a box for each word, beside the
    /// text. It works without a network
    #[arg(long, value_name = "FILE.html", conflicts_with_all = ["clauses", "extraction", "format"], help_heading = OUTPUT)]
    html: Option<PathBuf>,
    /// The pages of `--html`, such as `3-7` [default: the first 50]
    #[arg(long, value_name = "PAGES", requires = "html", help_heading = OUTPUT)]
    pages: Option<PageNumbers>,
    /// The profile whose `classify` tells the type of the document, and whose `ingest` tells how it is read [default:
    /// `$LOOPCTL_PROFILE`, else `balanced`, as with `run`]
    #[arg(long, short, value_name = "PROFILE")]
    profile: Option<String>,
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
    let context = &arguments.passwords.context()?;
    if arguments.text {
        let text = document_text(&arguments.file, context, output)?;
        output.write_exactly(&text)?;
        return Ok(ExitStatus::Success);
    }
    let profile = || arguments.profile.clone().unwrap_or_else(|| context.usual_profile());
    if arguments.sections {
        let spec = ProfileSpec { name: profile(), ..ProfileSpec::default() };
        let selected = SelectedProfile { spec, ..SelectedProfile::default() };
        let request = SectionsRequest { file: arguments.file.clone(), profile: selected };
        let sections = file_sections(&request, context, context.reader(), output)?;
        output.write_answer(arguments.format, |paint| sections.text(paint), || &sections)?;
        return Ok(ExitStatus::Success);
    }
    if let Some(page) = &arguments.html {
        let file = arguments.file.clone();
        let (to, pages) = (page.clone(), arguments.pages);
        write_page_view(&PageViewRequest { file, to, pages, profile: profile() }, context, output)?;
        return Ok(ExitStatus::Success);
    }
    let is_text = arguments.format == ResultFormat::Text;
    let request = OutlineRequest {
        file: arguments.file.clone(),
        extraction: arguments.extraction.clone(),
        clauses: arguments.clauses,
        most: arguments.lines,
        profile: if is_text { arguments.profile.clone() } else { Some(profile()) },
    };
    let outline = outline(&request, context, output)?;
    output.write_answer(arguments.format, |paint| outline.text(paint), || &outline)?;
    Ok(ExitStatus::Success)
}

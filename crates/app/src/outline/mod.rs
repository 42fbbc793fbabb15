//! Outlines: the cells, labels, values and statements that are read from a document, and how the values of an extraction
//! are bound to them.
//!
//! - `opened_source`: the document, opened; `seen_document` and `seen_page`: its text, type, structure and pages as data;
//! - `document_outline`: its lines, cells and sentences, with `positions`; `leaves`: the values of an extraction;
//! - `text`: all that for people; `page_view`: the pages (`page_numbers`) with their words as HTML,
//!   beside the text (`view_lines`).

mod document_outline;
mod file_sections;
mod leaves;
mod opened_source;
mod page_numbers;
mod page_view;
mod positions;
mod seen_document;
mod seen_page;
mod text;
mod view_lines;

pub use document_outline::DocumentOutline;
pub use file_sections::{FileSections, SectionsRequest, file_sections};
pub use page_numbers::PageNumbers;
pub use page_view::{PageViewRequest, write_page_view};

use crate::context::Context;
use crate::failure::Failure;
use crate::ingest::DocumentReader;
use crate::named_input::NamedInput;
use crate::plan::Plan;
use crate::profiles::SelectedProfile;
use crate::requests::ProfileSpec;
use crate::result::is_result;
use crate::scoring::without_mark;
use crate::streams::Streams;
use crate::value::ShownPath;
use opened_source::OpenedSource;
use positions::Positions;
use seen_document::SeenDocument;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Largest document and extraction, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A request for an outline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutlineRequest {
    /// The document; `-` for standard input.
    pub file: PathBuf,
    /// An extraction, whose values are shown with what binds them; `-` for standard input.
    pub extraction: Option<PathBuf>,
    /// The statements of each sentence are wanted.
    pub clauses: bool,
    /// The most lines, sentences and values.
    pub most: usize,
    /// The profile that tells the type of the document, and how it is read; `None` for the usual way, without a type.
    pub profile: Option<String>,
}

/// Reads the outline of a document.
///
/// # Errors
/// When a file can't be read, or is not what it should be.
pub fn outline(
    request: &OutlineRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<DocumentOutline, Failure> {
    let is_input = |path: &Path| path.as_os_str() == "-";
    if is_input(&request.file) && request.extraction.as_deref().is_some_and(is_input) {
        return Err(Failure::usage("the document and the extraction can't both come from standard input")
            .help("name a file for one of them"));
    }
    let plan = plan(request.profile.as_deref(), context, output)?;
    let opened = OpenedSource::open(&request.file, &reader_of(plan.as_ref(), context), output)?;
    let candidate = request.extraction.as_deref().map(extraction).transpose()?;
    let classifier = plan.and_then(|plan| plan.classifier);
    let text = opened.source.text();
    let positions = Positions::of(text, opened.source.pages());
    let seen = SeenDocument::of(&opened, classifier.as_ref(), &positions);
    let structure = loopctl_ground::Document::read(text);
    Ok(DocumentOutline::read(seen, &positions, &structure, candidate.as_ref(), request))
}

/// Reads the text of a document, exactly as values are looked up in it.
///
/// # Errors
/// When the file can't be read, or has no text.
pub fn document_text(file: &Path, context: &Context, output: &mut Streams) -> Result<String, Failure> {
    Ok(OpenedSource::open(file, context.reader(), output)?.source.text().to_owned())
}

/// The reader of documents, as a profile has them read.
fn reader_of(plan: Option<&Plan>, context: &Context) -> DocumentReader {
    let reader = context.reader().clone();
    plan.map_or_else(|| reader.clone(), |plan| reader.clone().with_ingest(&plan.profile.ingest))
}

/// The plan of a profile, if one is named.
fn plan(profile: Option<&str>, context: &Context, output: &mut Streams) -> Result<Option<Plan>, Failure> {
    let Some(profile) = profile else { return Ok(None) };
    let spec = ProfileSpec { name: profile.to_owned(), ..ProfileSpec::default() };
    let selected = SelectedProfile { spec, ..SelectedProfile::default() };
    selected.plan_to_score(context, &context.library(), output).map(Some)
}

/// The name of a file in messages.
fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.shown().into_owned() }
}

fn extraction(path: &Path) -> Result<Value, Failure> {
    let bytes = bytes(path)?;
    let help = "an extraction is one JSON object; `loopctl repair` puts damaged JSON right";
    let value: Value = serde_json::from_slice(without_mark(&bytes)).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Failure::broken(format!("{}:{line}:{column}: the extraction is not JSON", shown(path))).help(help)
    })?;
    match value {
        Value::Object(_) if is_result(&value) => {
            Err(Failure::usage(format!("`{}` is a result of a run; an extraction is read", shown(path)))
                .help("write its `extraction` to a file of its own"))
        }
        Value::Object(_) => Ok(value),
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Err(Failure::broken(format!("{}:1:1: the extraction is no JSON object", shown(path))).help(help))
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    NamedInput::open(path)?.read(MAX_BYTES)?.ok_or_else(|| {
        Failure::broken(format!("`{}` has more than {MAX_BYTES} bytes", shown(path)))
            .help("cut it into documents")
    })
}

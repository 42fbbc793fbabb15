//! Outlines: the cells, labels, values and statements that are read from a document, and how the values of an extraction
//! are bound to them.

mod document_outline;
mod file_sections;
mod leaves;
mod positions;
mod text;

pub use document_outline::DocumentOutline;
pub use file_sections::{FileSections, SectionsRequest, file_sections};

use crate::failure::Failure;
use crate::ingest::DocumentReader;
use crate::named_input::NamedInput;
use crate::result::is_result;
use crate::scoring::{text_of_file, without_mark};
use crate::streams::Streams;
use crate::value::ShownPath;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Largest document and extraction, in bytes.
const MAX_BYTES: u64 = 64 << 20;

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
}

/// Reads the outline of a document.
///
/// # Errors
/// When a file can't be read, or is not what it should be.
pub fn outline(
    request: &OutlineRequest,
    reader: &DocumentReader,
    output: &mut Streams,
) -> Result<DocumentOutline, Failure> {
    let is_input = |path: &Path| path.as_os_str() == "-";
    if is_input(&request.file) && request.extraction.as_deref().is_some_and(is_input) {
        return Err(Failure::usage("the document and the extraction can't both come from standard input")
            .help("name a file for one of them"));
    }
    let text = document(&request.file, reader, output)?;
    let candidate = request.extraction.as_deref().map(extraction).transpose()?;
    let structure = loopctl_ground::Document::read(&text);
    let name = shown(&request.file);
    Ok(DocumentOutline::read(name, &structure, candidate.as_ref(), request.clauses, request.most))
}

/// The name of a file in messages.
fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.shown().into_owned() }
}

fn document(path: &Path, reader: &DocumentReader, output: &mut Streams) -> Result<String, Failure> {
    let text = text_of_file(&shown(path), bytes(path)?, reader, output)?;
    if text.trim_start().starts_with('{') && serde_json::from_str(&text).is_ok_and(|json| is_result(&json)) {
        return Err(Failure::usage(format!("`{}` is a result of a run; a document is read", shown(path)))
            .help("name the document that it is a result of; `loopctl explain` tells of a result"));
    }
    Ok(text)
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

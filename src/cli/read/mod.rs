//! `loopctl read`: the cells, labels, values and statements that are read from a document, and how the values of an
//! extraction are bound to them.

mod leaves;
mod page;
mod positions;
mod text;

use super::headings::OUTPUT;
use super::result_format::result_format;
use crate::disk::{self, ReadError};
use crate::failure::{ExitStatus, Failure};
use crate::ingest::SourceText;
use crate::requests::ResultFormat;
use crate::result::is_result;
use crate::scoring::without_mark;
use crate::streams::Streams;
use crate::value::ShownPath;
use clap::Args;
use page::OutlinePage;
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Largest document and extraction, in bytes.
const MAX_BYTES: u64 = 64 << 20;

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
    let is_input = |path: &Path| path.as_os_str() == "-";
    if is_input(&arguments.file) && arguments.extraction.as_deref().is_some_and(is_input) {
        return Err(Failure::usage("the document and the extraction can't both come from standard input")
            .help("name a file for one of them"));
    }
    let text = document(&arguments.file)?;
    let candidate = arguments.extraction.as_deref().map(extraction).transpose()?;
    let structure = loopctl_ground::Document::read(&text);
    let name = shown(&arguments.file);
    let page = OutlinePage::read(&name, &structure, candidate.as_ref(), arguments.clauses, arguments.lines);
    match arguments.format {
        ResultFormat::Json | ResultFormat::Jsonl => output.write_json(&page, arguments.format)?,
        ResultFormat::Text => {
            let written = text::told(&page, output.out_paint);
            output.out.write_all(written.as_bytes())?;
            output.out.flush()?;
        }
    }
    Ok(ExitStatus::Success)
}

/// The name of a file in messages.
fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.shown().into_owned() }
}

fn document(path: &Path) -> Result<String, Failure> {
    let text = SourceText::from_bytes(bytes(path)?)
        .map_err(|error| Failure::broken(format!("`{}`: {error}", shown(path))).help(error.help()))?;
    let text = text.as_str();
    if text.trim_start().starts_with('{') && serde_json::from_str(text).is_ok_and(|json| is_result(&json)) {
        return Err(Failure::usage(format!("`{}` is a result of a run; a document is read", shown(path)))
            .help("name the document that it is a result of; `loopctl explain` tells of a result"));
    }
    Ok(text.to_owned())
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
    let too_large = || {
        Failure::broken(format!("`{}` has more than {MAX_BYTES} bytes", shown(path)))
            .help("cut it into documents")
    };
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::broken(format!("can't read standard input: {error}")))?;
        return if bytes.len() as u64 > MAX_BYTES { Err(too_large()) } else { Ok(bytes) };
    }
    disk::read_input(path, MAX_BYTES).map_err(|error| match error {
        ReadError::TooLarge { .. } => too_large(),
        _ => Failure::broken(format!("can't read `{}`: {error}", shown(path))),
    })
}

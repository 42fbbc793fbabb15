//! The document of which an outline is made.

use super::{bytes, shown};
use crate::failure::Failure;
use crate::ingest::DocumentReader;
use crate::result::is_result;
use crate::scoring::SourceDocument;
use crate::streams::Streams;
use std::path::Path;

/// A document, and what kind of file it is.
pub(super) struct OpenedSource {
    pub(super) source: SourceDocument,
    /// The whole file.
    pub(super) bytes: Vec<u8>,
    /// The media type of a file that is not plain text.
    pub(super) media_type: Option<&'static str>,
}

impl OpenedSource {
    /// Opens a document, which must not be a result.
    pub(super) fn open(path: &Path, reader: &DocumentReader, output: &mut Streams) -> Result<Self, Failure> {
        let bytes = bytes(path)?;
        let media_type = DocumentReader::media_type(&bytes);
        let source = SourceDocument::of_bytes(&shown(path), bytes.clone(), reader, output)?;
        let text = source.text();
        if text.trim_start().starts_with('{') && serde_json::from_str(text).is_ok_and(|json| is_result(&json))
        {
            return Err(Failure::usage(format!(
                "`{}` is a result of a run; a document is read",
                shown(path)
            ))
            .help("name the document that it is a result of; `loopctl explain` tells of a result"));
        }
        Ok(OpenedSource { source, bytes, media_type })
    }
}

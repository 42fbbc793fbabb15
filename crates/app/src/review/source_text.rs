//! The document that a result was made from, if it is still there as it was.

use crate::ingest::{Document, DocumentReader, Input, InputRecord, Origin};
use crate::value::{DocumentId, ShownPath};
use std::path::Path;
use std::sync::Arc;

/// A document, or the reason why it is not available.
pub enum SourceText {
    /// Its bytes are those that the run read.
    Unchanged(Arc<Document>),
    /// The reason why nothing of it can be shown.
    NotThere(String),
}

/// The location of a document, and the digest of its bytes.
#[derive(Debug, Clone, Copy)]
pub struct RecordedSource<'a> {
    /// The reader of files that are not plain text.
    pub reader: &'a DocumentReader,
    /// The folder in which relative paths begin; the working directory, where none is given.
    pub folder: Option<&'a Path>,
    /// Its id in the run.
    pub id: &'a DocumentId,
    /// Its file, if it has one; within the working directory, if it is not absolute.
    pub path: Option<&'a Path>,
    /// Its origin, where that is more than a file: an [`InputRecord`] as JSON.
    pub record: Option<&'a str>,
    /// SHA-256 of the bytes that the run read, in hexadecimal.
    pub digest: &'a str,
}

/// The bytes of a document, which are those that the run read.
#[derive(Clone)]
pub struct SourceFile {
    input: Input,
    bytes: Vec<u8>,
}

impl SourceFile {
    /// Reads the bytes of a document again.
    ///
    /// # Errors
    /// The reason why it is not available.
    pub fn read(recorded: RecordedSource<'_>) -> Result<Self, String> {
        let of_record = || {
            let record: InputRecord = serde_json::from_str(recorded.record?).ok()?;
            // Standard input is not there a second time.
            Some(Input::from_record(record)).filter(|input| !matches!(input.origin(), Origin::Stdin))
        };
        let of_file = |path: &Path| Input::new(recorded.id.clone(), Origin::File(path.to_path_buf()));
        let input = of_record().or_else(|| recorded.path.map(of_file));
        let input = input.ok_or_else(|| "the document is not a file of its own".to_owned())?;
        let input = match recorded.folder {
            Some(folder) => input.below(folder),
            None => input,
        };
        let bytes = input.file_bytes().map_err(|error| error.to_string())?;
        if input.digest_of(&bytes) != recorded.digest {
            let what =
                recorded.path.map_or_else(|| "the document".to_owned(), |path| format!("`{}`", path.shown()));
            return Err(format!("{what} has changed since the run"));
        }
        Ok(SourceFile { input, bytes })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, owned.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The reader of its file, with the password that is kept for that.
    pub fn reader(&self, reader: &DocumentReader) -> DocumentReader {
        reader.for_file(self.input.origin().file())
    }

    /// The document, as a reader reads it.
    ///
    /// # Errors
    /// The reason why it is not available.
    pub fn document(self, reader: &DocumentReader) -> Result<Document, String> {
        self.input.document(self.bytes, reader).map_err(|error| error.to_string())
    }
}

impl SourceText {
    /// Reads a document again.
    pub fn read(recorded: RecordedSource<'_>) -> Self {
        match SourceFile::read(recorded).and_then(|file| file.document(recorded.reader)) {
            Ok(document) => SourceText::Unchanged(Arc::new(document)),
            Err(why) => SourceText::NotThere(why),
        }
    }

    /// The document.
    pub fn document(&self) -> Option<&Document> {
        match self {
            SourceText::Unchanged(document) => Some(document),
            SourceText::NotThere(_) => None,
        }
    }

    /// Its text; `None` of an image, too.
    pub fn text(&self) -> Option<&str> {
        self.document()?.text.as_ref().ok().map(|text| text.as_str())
    }
}

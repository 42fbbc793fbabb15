//! A document whose text values are held against, read from a file.

use super::read_bounded;
use crate::failure::Failure;
use crate::ingest::{Document, DocumentReader, Encoding, Pages, SourceText};
use crate::streams::Streams;
use crate::value::{DocumentId, ShownPath};
use std::path::Path;

/// A document with a text.
pub struct SourceDocument {
    /// The document.
    pub document: Document,
    text: SourceText,
}

impl SourceDocument {
    /// Reads a document. Pages of which no text is read are reported, and an encoding that was guessed.
    ///
    /// # Errors
    /// When it can't be read, or has no text.
    pub fn read(path: &Path, reader: &DocumentReader, output: &mut Streams) -> Result<Self, Failure> {
        Self::of_bytes(&path.shown(), read_bounded(path)?, reader, output)
    }

    /// The document of these bytes, with this name in messages. Pages of which no text is read are reported, and an encoding that was guessed.
    ///
    /// # Errors
    /// When it has no text.
    pub fn of_bytes(
        shown: &str,
        bytes: Vec<u8>,
        reader: &DocumentReader,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let document = reader.document(DocumentId::new(shown), bytes);
        let doubts = document.doubts();
        let files = document.unread_attachments().filter(|_| document.media.is_some());
        for remark in doubts.into_iter().chain(files) {
            output.warn(&format!("`{shown}`: {remark}"));
        }
        match document.text.clone() {
            Ok(text) => {
                if let Encoding::Guessed { name } = text.encoding() {
                    output.warn(&format!("`{shown}`: its encoding was guessed to be {name}"));
                }
                Ok(SourceDocument { document, text })
            }
            Err(error) => Err(Failure::broken(format!("`{shown}`: {error}")).help(error.help())),
        }
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_str()
    }

    /// The encoding of a text file; that of the text of other files is ours.
    #[must_use]
    pub fn source(&self) -> &SourceText {
        &self.text
    }

    /// Its pages, if its reader saw any.
    #[must_use]
    pub fn pages(&self) -> Option<&Pages> {
        self.document.pages.as_deref()
    }
}

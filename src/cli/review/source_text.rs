//! The document that a result was made from, if it is still there as it was.

use crate::ingest::{Document, Input, Origin};
use crate::store::StoredDocument;

/// A document, or why it is not to be had.
pub(super) enum SourceText {
    /// Its bytes are those that the run read.
    Unchanged(Box<Document>),
    /// Why nothing of it can be shown.
    NotThere(String),
}

impl SourceText {
    /// Reads the file of a document. The working directory must be that of the run.
    pub(super) fn of(stored: &StoredDocument) -> Self {
        let Some(path) = &stored.record.path else {
            return SourceText::NotThere("the document is no file of its own".to_owned());
        };
        match Input::new(stored.record.id.clone(), Origin::File(path.clone())).read() {
            Ok(document) if document.digest == stored.record.source_digest => {
                SourceText::Unchanged(Box::new(document))
            }
            Ok(_) => SourceText::NotThere(format!("`{}` has changed since the run", path.display())),
            Err(error) => SourceText::NotThere(error.to_string()),
        }
    }

    /// Its text; `None` of an image, too.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            SourceText::Unchanged(document) => document.text.as_ref().ok().map(|text| text.as_str()),
            SourceText::NotThere(_) => None,
        }
    }
}

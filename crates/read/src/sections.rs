//! Sections of a file that holds several documents, as documents of their own.

use super::{Document, DocumentReader, Input, InputError, Origin, SourceText};
use crate::value::{DocumentId, digest_bytes};
use loopctl_core::document::{Classifier, UNKNOWN};
use std::ops::Range;
use std::sync::Arc;

impl Input {
    /// The sections of this file, each as a document of its own, under its name with `#` and their number. Only this
    /// document if it has one section, is not a file, has a type already, or can't be read: then reading it says why.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub fn split(self, classifier: &Classifier, reader: &DocumentReader) -> Result<Vec<Input>, InputError> {
        let Origin::File(file) = self.origin() else { return Ok(vec![self]) };
        if self.document_type().is_some() {
            return Ok(vec![self]);
        }
        let document = self.read(reader)?;
        let Ok(text) = &document.text else { return Ok(vec![self]) };
        let found = classifier.sections(text.as_str(), document.pages.as_deref(), &document.structure);
        if found.len() < 2 {
            return Ok(vec![self]);
        }
        let numbered = (1..).zip(found);
        let split = numbered.map(|(section, found): (usize, _)| {
            let origin = Origin::Section {
                file: file.clone(),
                section,
                text: found.text,
                digest: document.digest.clone(),
            };
            let name = format!("{}#{section}", self.name());
            let input = Input::found(name, format!("{}#{section}", self.qualified()), origin);
            let known = Some(found.document_type).filter(|found| found != UNKNOWN);
            known.into_iter().fold(input.with_variables_of(&self), Input::with_document_type)
        });
        Ok(split.collect())
    }
}

/// The section of a document that these bytes of its text are, with its pages and structure; `None` if they are not within it.
pub(super) fn section_of(whole: &Document, text: &Range<usize>) -> Option<Document> {
    let own = whole.text.as_ref().ok()?.as_str().get(text.clone())?;
    Some(Document {
        digest: section_digest(&whole.digest, text),
        text: SourceText::from_bytes(own.as_bytes().to_vec()),
        pages: whole.pages.as_ref().map(|pages| Arc::new(pages.within(text))),
        structure: Arc::new(whole.structure.within(text)),
        // The file itself shows more than the section; its own pages can be drawn.
        media: None,
        file: whole.file.clone(),
        ..Document::from_bytes(DocumentId::new(whole.id.as_str()), Vec::new())
    })
}

/// The digest of a section of a file with this digest.
pub(super) fn section_digest(file: &str, text: &Range<usize>) -> String {
    digest_bytes(format!("{file}#{}-{}", text.start, text.end).as_bytes())
}

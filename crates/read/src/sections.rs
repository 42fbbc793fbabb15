//! Sections of a file that holds several documents, as documents of their own.

use super::{Document, Input, Origin, SourceText};
use crate::value::{DocumentId, digest_bytes};
use loopctl_core::document::{Classifier, Section, UNKNOWN};
use std::ops::Range;
use std::sync::Arc;

impl Input {
    /// The sections of this file, of which this is the document, each as a document of its own, under its name with `#` and
    /// their number. None if it is one document, is not a file, has a type already, or has no text.
    #[must_use]
    pub fn sections(&self, document: &Document, classifier: &Classifier) -> Vec<Input> {
        let Origin::File(file) = self.origin() else { return Vec::new() };
        if self.document_type().is_some() {
            return Vec::new();
        }
        let found = sections_of(document, classifier);
        let sections = found.len();
        let numbered = (1..).zip(found);
        let inputs = numbered.map(|(section, found): (usize, _)| {
            let origin = Origin::Section {
                file: file.clone(),
                section,
                sections,
                text: found.text,
                digest: document.digest.clone(),
            };
            let name = format!("{}#{section}", self.name());
            let input = Input::found(name, format!("{}#{section}", self.qualified()), origin);
            let known = Some(found.document_type).filter(|found| found != UNKNOWN);
            known.into_iter().fold(input.with_variables_of(self), Input::with_document_type)
        });
        inputs.collect()
    }
}

/// The sections of a document that was read from a file of several documents, each as a document of its own: with its type,
/// text and pages, under the id of the whole with `#` and its number. None if it is one document, has a type already, or has
/// no text.
#[must_use]
pub fn section_documents(document: &Document, classifier: &Classifier) -> Vec<Document> {
    if document.document_type.is_some() {
        return Vec::new();
    }
    let numbered = (1..).zip(sections_of(document, classifier));
    let documents = numbered.filter_map(|(section, found): (usize, _)| {
        Some(Document {
            id: DocumentId::new(format!("{}#{section}", document.id)),
            document_type: Some(found.document_type).filter(|found| found != UNKNOWN),
            variables: document.variables.clone(),
            ..section_of(document, &found.text)?
        })
    });
    documents.collect()
}

/// The sections of a document; none if it has only one.
fn sections_of(document: &Document, classifier: &Classifier) -> Vec<Section> {
    let Ok(text) = &document.text else { return Vec::new() };
    let found = classifier.sections(text.as_str(), document.pages.as_deref(), &document.structure);
    if found.len() < 2 { Vec::new() } else { found }
}

/// The section of a document that these bytes of its text are, with its pages and structure; `None` if they are not within
/// it. Where there is no text, nor has the section one.
pub(super) fn section_of(whole: &Document, text: &Range<usize>) -> Option<Document> {
    let own = match &whole.text {
        Ok(whole) => SourceText::from_bytes(whole.as_str().get(text.clone())?.as_bytes().to_vec()),
        Err(why) => Err(why.clone()),
    };
    Some(Document {
        digest: section_digest(&whole.digest, text),
        text: own,
        pages: whole.pages.as_ref().map(|pages| Arc::new(pages.within(text))),
        structure: Arc::new(whole.structure.within(text)),
        // The file itself shows more than the section; its own pages can be drawn.
        media: None,
        file: whole.file.clone(),
        ..Document::from_bytes(whole.id.clone(), Vec::new())
    })
}

/// The digest of a section of a file with this digest.
pub(super) fn section_digest(file: &str, text: &Range<usize>) -> String {
    digest_bytes(format!("{file}#{}-{}", text.start, text.end).as_bytes())
}

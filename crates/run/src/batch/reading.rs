//! Documents of the queue, read; a file of several documents is split into its sections.

use super::queued;
use super::worker::BatchContext;
use crate::ingest::{Document, DocumentReader, InputError};
use crate::split_files::split_rules;
use crate::store::{ClaimedDocument, QueuedDocument};

/// A document of the queue, read.
pub(super) enum Reading {
    /// It is one document.
    Document {
        document: Box<Document>,
        /// The reader that draws its pages.
        reader: Box<DocumentReader>,
    },
    /// It is a file of several documents.
    Sections {
        /// SHA-256 of its bytes, in hexadecimal.
        digest: String,
        /// Its sections, in their order.
        sections: Vec<QueuedDocument>,
    },
}

impl Reading {
    /// Reads a document that was claimed. What is read of a file that is split is kept for its sections.
    pub(super) fn of(
        claimed: &ClaimedDocument,
        context: &BatchContext,
        reader: &DocumentReader,
    ) -> Result<Self, InputError> {
        let input = queued::allowed(queued::input_of(claimed)?, context.within.as_deref())?;
        let document = input.read(reader)?;
        let classifier = split_rules(&context.session.plan)
            .map(|(classifier, _)| classifier)
            // A type that is given is that of the whole file.
            .filter(|_| context.document_type.is_none() && context.supplied.is_none());
        let sections = classifier.map_or_else(Vec::new, |classifier| input.sections(&document, classifier));
        if sections.is_empty() {
            let reader = Box::new(reader.for_file(input.origin().file()));
            return Ok(Reading::Document { document: Box::new(document), reader });
        }
        let digest = document.digest.clone();
        reader.keep_for_sections(document);
        Ok(Reading::Sections { digest, sections: sections.iter().map(queued::document_of).collect() })
    }
}

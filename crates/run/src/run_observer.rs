//! Observers of documents while they are run.

use super::batches::BatchNews;
use crate::engine::Event;
use crate::ingest::{Document, InputError, ReadingProgress};
use crate::result::DocumentResult;
use crate::value::{DocumentId, Millis};

/// Is notified of what happens, as it happens. Reports are made from this.
pub trait RunObserver {
    /// Returns whether it wants the contents of documents. Of many at once, each is handed over whole.
    fn wants_documents(&self) -> bool {
        true
    }
    /// Returns whether it wants the events of a document before it is over.
    fn wants_events(&self) -> bool {
        true
    }
    /// Every input was found: the run has this many documents, including those of earlier processes, of which
    /// `finished` were over before.
    fn listed(&mut self, _documents: u64, _finished: u64) {}
    /// A document is read, and OCR has come to a page.
    fn reading(&mut self, _id: &DocumentId, _progress: ReadingProgress) {}
    /// A document was read; its loop is about to begin.
    fn read(&mut self, _document: &Document) {}
    /// A file was split into so many sections, which are documents of the run in its place.
    fn split(&mut self, _file: &DocumentId, _sections: usize) {}
    /// A document's loop begins.
    fn started(&mut self, id: &DocumentId, document_type: &str);
    /// Something happened in it, `at` after it began.
    fn event(&mut self, id: &DocumentId, at: Millis, event: &Event);
    /// It is over.
    fn finished(&mut self, result: &DocumentResult);
    /// An input could not be read at all.
    fn unusable(&mut self, error: &InputError);
    /// A document was quarantined without a result, for this reason.
    fn set_aside(&mut self, _id: &DocumentId, _why: &str) {}
    /// It waits for answers from a batch, and is begun again when they have come.
    fn parked(&mut self, _id: &DocumentId) {}
    /// Something happened to a batch.
    fn batch(&mut self, _news: &BatchNews) {}
    /// The provider failed with a transient error, so the next document waits.
    fn pausing(&mut self, _pause: Millis) {}
    /// The batch ends early, because the provider is gone: this many documents wait, and some of them are named. `why`
    /// is why the latest document failed, one of `in_a_row` whose provider did.
    fn gave_up(&mut self, _why: &str, _in_a_row: usize, _not_tried: (usize, &[DocumentId])) {}
}

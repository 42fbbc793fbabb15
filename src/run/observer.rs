//! Who looks on while documents are run.

use super::batches::BatchNews;
use crate::engine::Event;
use crate::ingest::{Document, InputError};
use crate::result::DocumentResult;
use crate::value::{DocumentId, Millis};

/// Is told what happens, as it happens. Reports are made of this.
pub trait Observer {
    /// Whether it wants to be told what documents say. Of many at once, each is handed over whole.
    fn wants_documents(&self) -> bool {
        true
    }
    /// Whether it wants to be told what happens in a document before it is over.
    fn wants_events(&self) -> bool {
        true
    }
    /// Every input was found: the run has so many documents, those of earlier processes with them, of which `finished` were
    /// over before.
    fn listed(&mut self, _documents: u64, _finished: u64) {}
    /// A document was read; its loop is about to begin.
    fn read(&mut self, _document: &Document) {}
    /// A document's loop begins.
    fn started(&mut self, id: &DocumentId, document_type: &str);
    /// Something happened in it, `at` after it began.
    fn event(&mut self, id: &DocumentId, at: Millis, event: &Event);
    /// It is over.
    fn finished(&mut self, result: &DocumentResult);
    /// An input could not be read at all.
    fn unusable(&mut self, error: &InputError);
    /// A document was given up without a result, and why.
    fn set_aside(&mut self, _id: &DocumentId, _why: &str) {}
    /// It waits for answers that come with a batch, and is begun again when they are there.
    fn parked(&mut self, _id: &DocumentId) {}
    /// Something happened to a batch.
    fn batch(&mut self, _news: &BatchNews) {}
    /// The provider failed with a transient error, so the next document waits.
    fn pausing(&mut self, _pause: Millis) {}
    /// The batch ends early, because the provider is gone: so many documents wait, and some of them are named. `why` the latest
    /// document failed, one of `in_a_row` whose provider did.
    fn gave_up(&mut self, _why: &str, _in_a_row: usize, _not_tried: (usize, &[DocumentId])) {}
}

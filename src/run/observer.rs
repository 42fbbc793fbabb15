//! Who looks on while documents are run.

use crate::engine::Event;
use crate::ingest::{Document, Input, InputError};
use crate::result::DocumentResult;
use crate::value::{DocumentId, Millis};

/// Is told what happens, as it happens. Reports are made of this.
pub trait Observer {
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
    /// The provider failed for a reason that may pass, so the next document waits.
    fn pausing(&mut self, _pause: Millis) {}
    /// The batch ends early, because the provider is gone: `rest` is not tried. `why` the latest document failed, one of
    /// `in_a_row` whose provider did.
    fn gave_up(&mut self, _why: &str, _in_a_row: usize, _rest: &[Input]) {}
}

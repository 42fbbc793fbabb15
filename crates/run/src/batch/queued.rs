//! Inputs as the journal's queue has them.

use crate::disk::lies_within;
use crate::ingest::{Input, InputError, InputRecord, Origin};
use crate::store::{ClaimedDocument, QueuedDocument};
use std::path::{Path, PathBuf};

/// An input as it is put into the queue.
pub(super) fn document_of(input: &Input) -> QueuedDocument {
    let place = input.identity();
    let plain = matches!(input.origin(), Origin::File(_))
        && input.document_type().is_none()
        && input.variables().is_empty();
    // An input that is not a plain file holds more than its path says, and maybe the text itself.
    let source = (!plain).then(|| serde_json::to_string(&input.to_record()).ok()).flatten();
    QueuedDocument {
        names: vec![input.name().to_owned(), input.qualified().to_owned(), input.unambiguous()],
        path: input.origin().path().map(Into::into),
        source,
        place,
    }
}

/// The input to read for a document of the queue.
pub(super) fn input_of(claimed: &ClaimedDocument) -> Result<Input, InputError> {
    let id = claimed.id.clone();
    let record = claimed.source.as_deref().map(serde_json::from_str::<InputRecord>);
    match (record, &claimed.path) {
        // Standard input can't be read again.
        (Some(Ok(record)), _) if claimed.attempts > 0 && record.is_stdin() => Err(InputError::NotKept { id }),
        (Some(Ok(record)), _) => Ok(Input::from_record(record).with_id(id)),
        (None, Some(path)) => Ok(Input::new(id, Origin::File(path.clone()))),
        _ => Err(InputError::NotKept { id }),
    }
}

/// The input, if its file lies in one of these folders.
pub(super) fn allowed(input: Input, within: Option<&[PathBuf]>) -> Result<Input, InputError> {
    let lies_there = |file: &Path| within.is_none_or(|folders| lies_within(file, folders));
    if input.origin().file().is_none_or(lies_there) {
        return Ok(input);
    }
    Err(InputError::NotAllowed { origin: input.origin().clone() })
}

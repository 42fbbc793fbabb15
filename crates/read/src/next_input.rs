//! Reads the document that an input of `next` names.

use super::{Document, DocumentReader, Input, InputError, Origin};
use crate::next::{NextInput, Text};
use crate::value::{DocumentId, os_text};

/// The document of an input of `next`, read from its file if it has one.
///
/// # Errors
/// When there are no bytes, or too many. A text that can't be used is not an error here: see [`Document::text`].
pub fn read_next_input(input: &NextInput, reader: &DocumentReader) -> Result<Document, InputError> {
    let id = |without: &str| input.id.clone().unwrap_or_else(|| DocumentId::new(without));
    match &input.document {
        Text::Inline(text) => Ok(Document::from_text(id("document").as_str(), text.as_str())),
        Text::File(path) => {
            let stem = path.file_stem().map_or_else(|| "document".into(), os_text);
            let document = Input::new(id(&stem), Origin::File(path.clone())).read(reader)?;
            Ok(reader.with_pages_counted(document))
        }
    }
}

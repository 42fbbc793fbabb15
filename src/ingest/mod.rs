//! From an argument of the command line to a document: which files are meant, their bytes as text, their type.

mod classify;
mod media;
mod read;
mod text;

pub use classify::{Classification, Classifier, LOOKED_AT_CHARACTERS, Matched, UNKNOWN};
pub use media::{MEDIA_ENDINGS, Media};
pub use read::{
    Document, ENDINGS, FoundInputs, Input, InputError, MAX_DOCUMENT_BYTES, Origin, find, find_also,
};
pub use text::{Encoding, SourceText, Unreadable};

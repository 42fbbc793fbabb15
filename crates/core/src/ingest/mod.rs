//! From the arguments of a command to documents: the files and records that are meant, their bytes as text, their type.

mod classify;
mod endings;
mod error;
mod find;
mod input;
mod input_record;
mod lines;
mod listing;
#[cfg(test)]
mod listing_tests;
mod media;
mod names;
mod origin;
mod patterns;
mod records;
mod skipped;
mod text;
mod walk;

pub use classify::UNKNOWN;
pub use classify::{Classification, Classifier, Matched};
pub use error::InputError;
pub use find::{FoundInputs, find, find_all};
pub use input::MAX_DOCUMENT_BYTES;
pub use input::{Document, Input};
pub use input_record::InputRecord;
pub use listing::{Listing, Wanted};
pub use media::MEDIA_ENDINGS;
pub use media::Media;
pub use names::Names;
pub use origin::Origin;
pub use skipped::{SkipReason, Skipped};
pub use text::{Encoding, SourceText, Unreadable};

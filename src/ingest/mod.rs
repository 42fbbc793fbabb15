//! From an argument of the command line to a document: which files are meant, their bytes as text, their type.

mod classify;
mod media;
mod read;
mod text;

pub(crate) use classify::UNKNOWN;
pub use classify::{Classification, Classifier, Matched};
pub(crate) use media::MEDIA_ENDINGS;
pub use media::Media;
pub(crate) use read::find_also;
pub use read::{Document, FoundInputs, Input, InputError, Origin, find};
pub use text::{Encoding, SourceText, Unreadable};

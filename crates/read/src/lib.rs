//! Documents of loopctl: the files and records that the arguments of a command name, found and read.
//!
//! - [`find()`] and [`Listing`]: from arguments (files, folders, patterns, lists) to [`Input`]s, and what was left out.
//! - [`Input::read`]: from an input to a [`Document`], with a bound on its size.
//! - [`references_of`]: the files that judges hold candidates against.

// This crate reads files; it uses no clock, processes or threads.
#![cfg_attr(not(test), deny(clippy::disallowed_types))]

pub use loopctl_core::document::{
    Classification, Classifier, CutReason, Document, DocumentPage, Encoding, MEDIA_ENDINGS, MarkedPart,
    Matched, Media, PageBox, PagePassage, PageWord, Pages, PartRole, Section, SourceText, Structure, UNKNOWN,
    Unreadable,
};
use loopctl_core::{diag, disk, next, plan, profile, value};

mod endings;
mod error;
mod file_kind;
mod file_text;
mod find;
mod input;
mod input_record;
mod lines;
mod listing;
#[cfg(test)]
mod listing_tests;
mod names;
mod next_input;
mod origin;
mod patterns;
mod pdf;
mod page_picture;
mod reader;
mod reader_task;
mod records;
mod references;
mod sections;
mod skipped;
mod walk;

pub use error::InputError;
pub use find::{FoundInputs, find, find_all};
pub use input::{Input, MAX_DOCUMENT_BYTES};
pub use input_record::InputRecord;
pub use listing::{Listing, Wanted};
pub use names::Names;
pub use next_input::read_next_input;
pub use origin::Origin;
pub use page_picture::PagePicture;
pub use reader::{DocumentReader, answer_contained};
pub use references::{references_of, without_references};
pub use skipped::{SkipReason, Skipped};

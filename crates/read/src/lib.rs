//! Documents of loopctl: the files and records that the arguments of a command name, found and read.
//!
//! - [`find()`] and [`Listing`]: from arguments (files, folders, patterns, lists) to [`Input`]s, and what was left out.
//! - [`Input::read`]: from an input to a [`Document`], with a bound on its size.
//! - [`references_of`]: the files that judges hold candidates against.

// This crate reads files; it uses no clock, and processes only by way of `loopctl_program`. Threads share pages among them.
#![cfg_attr(not(test), deny(clippy::disallowed_types))]

pub use loopctl_core::document::{
    Classification, Classifier, CutReason, Document, DocumentPage, DoubtfulWord, Encoding, GateFinding,
    MEDIA_ENDINGS, MarkedPart, Matched, Media, OtherReading, PageBox, PageOcr, PageOrigin, PagePassage,
    PageSignal, PageSignals, PageWord, Pages, PartRole, ReadingDoubt, Section, SourceText, Structure,
    UNKNOWN, Unreadable,
};
use loopctl_core::{diag, disk, next, plan, profile, value};

mod endings;
mod error;
mod file_kind;
mod file_passwords;
mod file_reader;
mod file_text;
mod find;
mod grey_picture;
#[cfg(test)]
mod hostile_tests;
mod image_file;
mod input;
mod input_record;
mod kept_readings;
mod lines;
mod listing;
#[cfg(test)]
mod listing_tests;
mod markup;
mod names;
mod next_input;
mod ocr;
mod office;
mod opened_file;
mod origin;
mod page_ink;
mod page_layout;
mod page_picture;
mod patterns;
mod pdf;
mod reader;
#[expect(clippy::disallowed_types, reason = "watches for the end of the process that waits")]
mod reader_messages;
mod reader_task;
mod reading_progress;
mod records;
mod references;
mod script_digits;
mod sections;
mod shared_readings;
mod skipped;
mod sound_answer;
mod text_encoding;
mod walk;

pub use error::InputError;
pub use file_passwords::FilePassword;
pub use file_reader::{answer_contained, answer_unlimited};
pub use find::{FoundInputs, find, find_all};
pub use input::{Input, MAX_DOCUMENT_BYTES};
pub use input_record::InputRecord;
pub use listing::{Listing, Wanted};
pub use names::Names;
pub use next_input::read_next_input;
pub use ocr::OcrSettings;
pub use origin::Origin;
pub use page_picture::PagePicture;
pub use reader::{DocumentReader, OpenPages};
pub use reading_progress::ReadingProgress;
pub use references::{references_of, without_references};
pub use sections::section_documents;
pub use skipped::{SkipReason, Skipped};

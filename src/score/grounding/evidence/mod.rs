//! What supports a leaf: a quote that says its value, or the mentions of its field, each in its context.

mod context;
mod lexicon;
mod mentions;
mod passages;
mod quote;
mod reading;
mod verdict;

pub(crate) use lexicon::Lexicon;
pub(crate) use passages::Passages;
pub use verdict::Support;
pub(crate) use verdict::{Finding, Verdict};
pub(super) use lexicon::write_words;
pub(super) use reading::{Document, Field, is_quantity};
pub(super) use verdict::{Judge, Searched};

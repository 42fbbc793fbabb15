//! The mentions of a field, each in its context.

mod context;
mod lexicon;
mod mentions;
mod passages;
mod phrases;
mod quote;
mod reading;
mod scopes;
mod table;
mod texts;
mod wordings;

pub(crate) use lexicon::Lexicon;
pub(super) use lexicon::write_words;
pub(crate) use passages::{Passages, Wordings};
pub(super) use quote::places as quote_tokens;
pub(super) use reading::Document;
pub(crate) use scopes::Scope;

//! What supports a leaf: a quote that says its value, or the mentions of its field, each in its context.

mod asked;
mod beside;
mod context;
mod field;
mod judging;
mod labels;
mod lexicon;
mod literal;
mod mentions;
mod own_words;
mod owner;
mod passages;
mod phrases;
mod quote;
mod quoted;
mod reading;
mod row;
mod scopes;
mod subject;
mod support;
mod table;
mod texts;
mod wordings;

pub(super) use field::Field;
pub(super) use judging::{Judge, Searched};
pub(crate) use lexicon::Lexicon;
pub(super) use lexicon::write_words;
pub(super) use literal::is_quantity;
pub(crate) use owner::{shown_apart, shown_around};
pub(crate) use passages::Passages;
pub(super) use quote::places as quote_tokens;
pub(super) use reading::Document;
pub(crate) use scopes::Scope;
pub use support::Support;
pub(crate) use support::{Finding, Verdict};

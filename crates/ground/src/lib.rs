//! Grounding: reads a document once, and says for each value of a record whether the document writes it where that field of that
//! item belongs, whole, and as a fact.
//!
//! ```text
//!                    ┌─► rows, cells, words, numbers, dates ─► places of a value ─► judge ─► Verdict (cell, label, …)
//! text ─► Document ──┤
//!                    └─► tokens ─► sentence ─► statement ─► read_claim ─► candidates, each read ─► Pattern ─► Trust ─┐
//!                                                       │                                   └─► Doubt             ├─► Reading
//!                                                       └─► rivals, which say another value ──────────────────────┘
//! ```
//!
//! Two readers share a document. [`judge`] needs no word of any language: the items of a list have rows, their members
//! have columns, other fields have labels. [`read_claim`] reads prose, with words of `words/clauses.txt`: it looks for
//! the passages that may say a value, holds each against three questions, where, what and how ([`read_passage`]), and
//! weighs those that say another value; [`Trust`] says how often passages of a pattern were right ([`bounds`]).
//! [`outline`] has what they both read, for inspection.

pub mod bounds;
mod cell_doubt;
mod clause;
mod columns;
mod date;
mod document;
mod field;
mod field_names;
mod find;
mod fold;
mod grid;
mod groups;
mod judge;
mod label;
mod layout;
mod leaves;
mod left_behind;
mod markup;
mod number;
pub mod outline;
mod quantity;
mod rows;
mod steps;
mod transposed;

#[cfg(test)]
mod hostile;

pub use clause::{
    Act, Claim, CountedFrom, Counts, CueWords, Doubt, Known, Labels, Naming, Passage, Pattern, Precision,
    Reading, Scope, Trust, Trusted, UnknownPattern, ValueKind, Wording, is_denied_at, is_exact, is_nowhere,
    named_places, quote_places, read_claim, read_passage, read_wording, scopes, sentence_around,
};
pub use date::{Day, days_in};
pub use document::Document;
pub use field_names::FieldNames;
pub use fold::folded;
pub use grid::GridCell;
pub use judge::{Binding, Support, Verdict, judge};
pub use left_behind::{LeftRow, Mention, Sort, SoughtField, is_used, left_rows, mentions};

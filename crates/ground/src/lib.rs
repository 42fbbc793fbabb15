//! Grounding: reads a document once, and says for each value of a record whether the document writes it where that field of that
//! item belongs, whole, and as a fact.
//!
//! ```text
//!                    ┌─► rows, cells, words, numbers, dates ─► places of a value ─► judge ─► Verdict (cell, label, …)
//! text ─► Document ──┤
//!                    └─► tokens ─► sentence ─► statement ─► read_passage ─► Pattern (number/statement) ─► Trust
//!                                                       └─► Doubt (range_end, another_person, …)
//! ```
//!
//! Two readers share a document. [`judge`] needs no word of any language: the items of a list have rows, their members have columns,
//! other fields have labels. [`read_passage`] reads prose, with words of `words/clauses.txt`: a passage that somebody has found is
//! held against three questions, where, what and how, and [`Trust`] says how often passages of its pattern were right ([`bounds`]). [`outline`] has
//! what they both read, for whoever looks at it.

pub mod bounds;
mod clause;
mod columns;
mod date;
mod document;
mod field;
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
    Claim, CountedFrom, Counts, Doubt, Found, Labels, Naming, Passage, Pattern, Precision, Trust,
    UnknownPattern, ValueKind, find_passage, is_denied_at, is_exact, is_named, is_nowhere, read_opposite,
    read_passage,
};
pub use document::Document;
pub use grid::GridCell;
pub use judge::{Binding, FieldNames, Support, Verdict, judge};
pub use left_behind::{LeftRow, Mention, Sort, SoughtField, is_used, left_rows, mentions};

//! Grounding: reads a document once into rows, cells, words, numbers and dates, and says for each value of a record whether the
//! document writes it where that field of that item belongs.
//!
//! No word of any language is needed for rows and columns; labels are compared with the names of fields.
//!
//! ```text
//! text ─► Document (rows, cells, words, numbers, dates) ─► places of a value ─► binding (cell, label, none) ─► Verdict
//! ```

mod clause;
mod columns;
mod date;
mod document;
mod field;
mod find;
mod fold;
mod judge;
mod label;
mod layout;
mod leaves;
mod markup;
mod number;
mod rows;

pub use clause::{
    Claim, Counts, Doubt, Naming, Passage, Pattern, Precision, Trust, UnknownPattern, ValueKind, find_passage, read_opposite, read_passage,
};
pub use document::Document;
pub use find::is_printed;
pub use judge::{Binding, Support, Verdict, judge};

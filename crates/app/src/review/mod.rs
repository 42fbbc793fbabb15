//! Decisions of people about the results of a run, without a clock, files or a screen.
//!
//! - `decision`: the decision of one reviewer; `field_path` names the field, `fields` lists those of an extraction;
//! - `queue`: why a document waits for a person, and the order in which they do;
//! - `reviewed`: the outcome of the decisions about a document; `document` holds both together; `questions` are those
//!   that a person answers before it is accepted; `found` is what was found in the document, field by field;
//! - `draw`: which documents are reviewed regardless of their results, and which twice;
//! - `shown`: a document as a reviewer is shown it, with a `passage` of its text for each value; `source_text` reads that again;
//! - `labels`: decisions as corrections, which `evaluate` reads;
//! - `worksheet`: a table to fill in; `cells` is how texts are written in it, `entry` a row that was filled in,
//!   `entry_json` one that is JSON, `entry_check` finds its errors, `typed_value` checks whether a value can be one of
//!   its field, `field_input` is how one is typed in;
//! - `agreement`: how often two reviewers decide alike;
//! - `scoring`: the profile's assessment of a corrected extraction.

mod agreement;
mod cells;
mod decision;
mod document;
mod draw;
mod entry;
mod entry_check;
mod entry_json;
mod field_input;
mod field_path;
mod fields;
mod found;
mod labels;
mod leaf_labels;
mod passage;
mod questions;
mod queue;
mod reviewed;
mod scoring;
mod shown;
mod source_text;
mod typed_value;
mod worksheet;

pub use agreement::{Agreement, FieldAgreement};
pub use decision::{Action, Decision, How};
pub use document::ReviewDocument;
pub use draw::{Draws, Shares};
pub use entry::{Entry, EntryError, Written};
pub use entry_check::{EntryContext, checked_entries};
pub use entry_json::read_entry_lines;
pub use field_input::FieldInput;
pub use field_path::FieldPath;
pub use fields::DeclaredFields;
pub use labels::{Correction, DocumentVerdict, corrections};
pub use leaf_labels::{LeafLabels, pattern_of};
pub use passage::PlacedText;
pub use queue::{Doubts, QueueEntry, Reason, ReviewCounts, doubts, reasons, sort};
pub use reviewed::{CorrectedType, ReviewState, Reviewed, standing};
pub use scoring::{ReviewedScore, score_extraction};
pub use shown::{
    Beside, NOT_LOOKED_FOR, ShownDecision, ShownDocument, ShownField, ShownIssue, ShownQuestion,
};
pub use source_text::{RecordedSource, SourceFile, SourceText};
pub use worksheet::{WorksheetRow, read_worksheet, rows_of, write_csv};

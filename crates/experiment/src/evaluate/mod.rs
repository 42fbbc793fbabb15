//! Results evaluated against labelled documents (`loopctl evaluate`).
//!
//! - `label`: what is known to be true of a document; `label_json`, `label_table` and `label_map` read it from our own
//!   JSON, corrections of reviewers, tables, and foreign JSON; `settle` settles labels of several people;
//! - `clusters`: which documents belong together, and how much figures of them show;
//! - `document_names`: which label is about which document;
//! - `example_map`: a map for a table that has none;
//! - `outcome`: the outcome of each labelled field, `document_outcome`: of a document;
//! - `evaluator`: takes labels and results, `summary`, `tally` and `risk` sum up their outcomes, `evaluation` is the
//!   whole of it.

mod clusters;
mod document_names;
mod document_outcome;
mod evaluation;
mod evaluator;
mod example_map;
mod label;
mod label_json;
mod label_map;
mod label_table;
mod outcome;
mod risk;
mod settle;
mod summary;
mod tally;

pub use evaluation::{CostFigures, Evaluation, FieldFigures, LookAtDocument, TypeFigures, UnusableLabel};
pub use evaluator::Evaluator;
pub use example_map::unknown_fields;
pub use label::{LabelError, LabelRecord, moment_or_day};
pub use label_json::{kind, read_json, read_json_line};
pub use label_map::{LabelMap, WrittenLabelMap};
pub use label_table::{TableLines, delimiter, read_table};

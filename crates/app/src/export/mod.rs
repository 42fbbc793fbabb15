//! Results of a run as files for other programs: tables (CSV, XLSX), and FHIR. One document at a time, so that a run of any size
//! can be exported.
//!
//! - `document`: the exported data of one document; `corrections`: reviewers' corrections from files, applied to it;
//!   `decided`: their decisions in the journal;
//! - `cell` and `columns`: a document as a row; `csv_table` and `workbook`: rows as files;
//! - `fhir`: a document as a bundle.

mod cell;
mod columns;
mod corrections;
mod csv_table;
mod decided;
mod document;
pub mod fhir;
mod workbook;

pub use cell::Cell;
pub use columns::{Columns, ExportedRun, TooManyFields};
pub use corrections::{Applied, Corrections, Disagreement};
pub use csv_table::CsvTable;
pub use decided::decided;
pub use document::{DocumentDecision, ExportedDocument};
pub use workbook::{MOST_ROWS, Workbook};

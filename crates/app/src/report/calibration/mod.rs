//! A calibration for people: `report` says what is shown, `plot` draws the risk of each threshold against its coverage, `words` has
//! the statements in words.

mod evidence;
mod plot;
mod report;
mod words;

pub use evidence::evidence_text;
pub(super) use report::report;
pub use words::{audit_text, needed_text};

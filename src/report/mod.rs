//! What people and programs read about runs: pure functions of events and results.

mod comparison;
mod live;
mod paint;
mod summary;

pub use comparison::comparison;
pub use live::{Live, decision_line};
pub use paint::{Paint, tame};
pub use summary::{assessment_table, closing, document_summary, sparkline};

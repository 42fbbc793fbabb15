//! What people and programs read about runs: pure functions of events and results.

mod comparison;
mod junit;
mod live;
mod paint;
mod policy_changes;
mod rescoring;
mod scenarios;
mod summary;

pub use comparison::comparison;
pub use junit::junit;
pub use live::{Live, decision_line};
pub use paint::Paint;
pub use policy_changes::{documents_text, policy_changes_text};
pub use rescoring::{rescoring_json, rescoring_lines};
pub use scenarios::{suite_lines, suites_closing, suites_json, unusable_line};
pub use summary::{assessment_table, closing, document_summary, sparkline};

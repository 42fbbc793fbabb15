//! A calibration as text, and as a page of HTML with the risk of each threshold against its coverage.

mod evidence;
mod page_view;
mod plot;
mod text;

pub use evidence::evidence_text;
pub(super) use page_view::Page;
pub use text::{audit_text, calibration_text, needed_text};

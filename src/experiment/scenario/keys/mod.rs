//! Every mapping of test files with its keys: what the decoders beside this folder read.

mod case;
mod expect;
mod rule_case;

pub use case::SCENARIOS;
pub(super) use case::{CASE, STEP, STEP_ISSUE};
pub(super) use expect::{ASSESSMENT, EXPECT, ISSUE, REQUEST, TEXT};
pub(super) use rule_case::RULE_CASE;
pub use rule_case::RULE_TESTS;

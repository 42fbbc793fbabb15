//! Every mapping of test files with its keys: what the decoders beside this folder read.

mod case;
mod expect;

pub(crate) use case::SCENARIOS;
pub(super) use case::{CASE, STEP, STEP_ISSUE};
pub(super) use expect::{EXPECT, REQUEST, TEXT};

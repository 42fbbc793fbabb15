//! Every mapping of the files under `rules/` with its keys: what the decoders beside this folder read.

mod checks;
mod rule;

pub(super) use checks::{CHECKS, place};
pub use rule::RULES;
pub(super) use rule::{CONDITION, RULE};

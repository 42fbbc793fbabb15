//! The mappings of the files under `rules/` with their keys: what the decoders beside this folder read.

mod rule;

pub use rule::RULES;
pub(super) use rule::{ALL, ANY, CONDITION, NOT, RULE};

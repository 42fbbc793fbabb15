//! Every mapping of the files under `rules/` with its keys: what the decoders beside this folder read.

mod checks;
mod extraction;
mod rule;

pub(super) use checks::{CHAIN, CHECKS, FORMAT_NAMED, LENGTH, MATCHES, ONE_OF, RANGE, SUM};
pub(crate) use extraction::EXTRACTION;
pub(super) use extraction::{ABSENT, FIELD as EXTRACTED_FIELD, KINDS, PATTERN, TAKE};
pub(crate) use rule::RULES;
pub(super) use rule::{CONDITION, RULE};

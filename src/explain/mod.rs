//! What a policy will do and what a run did, in words that its author can check.

pub(crate) mod json_diff;
pub mod policy;
pub(crate) mod run;
pub(crate) mod settings;

//! Explanations of policies and runs, in words that the author of a policy can check.

pub(crate) mod json_diff;
pub mod policy;
pub(crate) mod run;
pub(crate) mod settings;

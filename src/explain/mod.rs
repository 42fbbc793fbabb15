//! What a policy will do and what a run did, in words that its author can check.

pub mod json_diff;
pub mod policy;
pub mod run;
pub mod settings;

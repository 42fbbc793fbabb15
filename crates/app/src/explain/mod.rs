//! Explanations of policies and runs, in words that the author of a policy can check.

pub mod json_diff;
pub mod policy;
pub mod run;
pub mod settings;

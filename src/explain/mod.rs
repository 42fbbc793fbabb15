//! What a policy will do and what a run did, in words that its author can check.

pub mod policy;
pub mod settings;

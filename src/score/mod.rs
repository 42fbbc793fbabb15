//! score
pub mod grounding;

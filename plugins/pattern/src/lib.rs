//! pattern
pub mod extract;
pub mod patterns;
mod sections;
mod verbatim;

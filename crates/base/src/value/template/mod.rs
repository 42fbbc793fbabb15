//! Templates and conditions: one template engine for all of them, which counts what they take.

mod blocks;
mod comparisons;
mod compile;
mod engine;
mod filters;
mod limits;
mod meter;
mod operations;

pub use blocks::{MAX_BLOCK_BYTES, long_block};
pub use comparisons::Comparisons;
pub use engine::{Engine, KeptTemplate, Program, fill_in_path};
pub use limits::Limits;
pub use limits::{CONDITION, MESSAGE, PATH, PROMPT};
pub use operations::{Operation, unknown_functions, unknown_operations};

//! Templates and conditions: one template engine for all of them, which counts what they take.

mod blocks;
mod compile;
mod engine;
mod filters;
mod limits;
mod meter;
mod operations;

pub use blocks::{MAX_BLOCK_BYTES, long_block};
pub use engine::{Engine, Formatter, Program, fill_in_path};
pub use limits::{CONDITION, Limits, MAX_OPERATORS, MESSAGE, PATH, PROMPT};
pub use operations::{Operation, unknown_functions, unknown_operations};

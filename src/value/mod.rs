//! JSON values, the YAML they come from, and the small exact types of the loop.

mod candidate;
mod decimal;
mod fuel;
mod json_path;
mod kebab;
mod pointer;
mod quantity;
mod template;
mod usage;
mod wild;
mod words;
pub mod declare;
pub mod decode;
pub mod prose;
pub mod shape;
pub mod yaml;
pub mod yaml_text;

pub use candidate::{Digest, MAX_CANDIDATE_DEPTH, canonical, digest_bytes, is_deeper, is_present};
pub use decimal::{Decimal, Digits, compare_numbers};
pub use fuel::{Cancel, Fuel};
pub use json_path::{JsonPath, PathError, PathStep, Steps};
pub use kebab::to_kebab;
pub use pointer::{Pointer, Segment, escape, index_of, push_segment, unescape, unescape_fragment};
pub use quantity::{DocumentId, EPSILON, Millis, Score, Usd, at_least, below};
pub use template::{
    CONDITION, Engine, Formatter, Limits, MAX_BLOCK_BYTES, MAX_OPERATORS, MESSAGE, Operation, PATH, PROMPT,
    Program, fill_in_path, long_block, unknown_functions, unknown_operations,
};
pub use usage::Usage;
pub use wild::{is_wild, sanitize_line};
pub use words::{Disposition, Severity};

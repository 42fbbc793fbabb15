//! JSON values, the YAML they come from, and the small exact types of the loop.

mod candidate;
mod json_path;
mod pointer;
mod quantity;
mod template_blocks;
mod template_operations;
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
pub use json_path::{JsonPath, PathError, PathStep, Steps};
pub use pointer::{Pointer, Segment, push_segment};
pub use quantity::{DocumentId, EPSILON, Millis, Score, Usd, at_least, below};
pub use template_blocks::{MAX_BLOCK_BYTES, long_block};
pub use template_operations::{Operation, unknown_operations};
pub use usage::Usage;
pub use wild::is_wild;
pub use words::{Disposition, Severity};

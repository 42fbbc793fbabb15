//! Properties of a regular expression that are found without compiling it, which takes milliseconds for one that names
//! many letters or words: whether a text can match it, and how large it becomes.

mod needs;
mod size;

pub use needs::Needs;
pub use size::most_bytes;

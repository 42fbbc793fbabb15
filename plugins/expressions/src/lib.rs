//! What can be told of a regular expression without compiling it, which takes milliseconds for one that speaks of many letters or
//! words: whether a text can have it, and how large it becomes.

mod needs;
mod size;

pub use needs::Needs;
pub use size::most_bytes;

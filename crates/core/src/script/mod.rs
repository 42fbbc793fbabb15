//! The Rhai sandbox: limits, and the API that scripts see.
//!
//! A script is a file under `rules/`. A rule names one of its functions as `her2.rhai#agree`:
//!
//! - a rule function `fn agree(candidate, source)` returns `()`, a text, an issue map, or a list of them;
//! - a measure function `fn score(candidate, source)` returns a number, which is clamped to [0, 1].
//!
//! `candidate` is a map, `source` a text (`()` when there is none). `present(x)` says whether a value counts as
//! present, `number(text)` gives the first number in a text; the functions of `search.rs` look for printed text.

mod calls;
mod error;
mod finding;
pub mod limits;
mod meter;
mod sandbox;
mod search;
mod set;

#[doc(hidden)]
pub use error::ScriptError;
#[doc(hidden)]
pub use finding::Finding;
pub use set::FunctionId;
#[doc(hidden)]
pub use set::{Arguments, ScriptSet};

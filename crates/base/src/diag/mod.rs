//! Problems in what people wrote: where they are, what they mean, how they are shown.
//!
//! A check never stops at the first mistake: it pushes each [`Problem`] into [`Problems`] and continues, so that one
//! run shows everything. A problem carries a stable [`Code`], the [`Span`] it is about, and what to do about it.

mod code;
mod mask;
mod nearest;
mod problem;
mod problems;
mod render;
mod sarif;
mod source;

pub use code::Code;
#[doc(hidden)]
pub use nearest::nearest;
pub use problem::{Level, Problem};
pub use problems::Problems;
pub use render::{Style, render_human, render_json};
#[doc(hidden)]
pub use sarif::render_sarif;
pub use source::{SourceFile, Span};

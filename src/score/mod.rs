//! The hot path: candidate + source → assessment, by running a compiled program.

mod assessment;

pub use assessment::{Assessment, Evidence, Issue, Scores, SourceSpan};

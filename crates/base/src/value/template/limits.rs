//! The most that a template may take.
//!
//! A template comes with a profile or a rules file, which someone else may have written. Steps alone don't bound it:
//! one step can double a text. So the bytes that its operators, filters and output touch are counted as well.

/// Most operators (`+`, `or`, `==`, …) in one block or condition. The template engine goes through all operands of an
/// operator, at each operator, when it compiles.
pub(super) const MAX_OPERATORS: usize = 200;

/// The limits of one kind of template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest text of the template itself, in bytes.
    pub source_bytes: usize,
    /// Most steps of one rendering.
    pub steps: u64,
    /// Most bytes that one rendering touches: what its operators and filters read and make, and what it writes.
    pub bytes: u64,
}

/// Prompts of stages, judges and feedback: they hold a document and an answer, several times at most.
pub const PROMPT: Limits = Limits { source_bytes: 1 << 20, steps: 4_000_000, bytes: 256 << 20 };

/// Messages of rules, which name a field and a value.
pub const MESSAGE: Limits = Limits { source_bytes: 16 << 10, steps: 20_000, bytes: 4 << 20 };

/// Paths, such as `schemas/{{ document_type }}.schema.json`.
pub const PATH: Limits = Limits { source_bytes: 4 << 10, steps: 1_000, bytes: 64 << 10 };

/// Conditions (`when`, `skip_when`), which may inspect the answer of a stage.
pub const CONDITION: Limits = Limits { source_bytes: 4 << 10, steps: 10_000, bytes: 16 << 20 };

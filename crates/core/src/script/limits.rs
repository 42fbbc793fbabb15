//! Limits on the resources of a script. Every bound is far above what a rule needs and far below what would be felt.

/// Steps of one call. A rule that walks a 200-field document takes some 5,000. One step can cost a search through a
/// whole text or a copy of a whole array, so the bytes are counted as well.
pub const MAX_OPERATIONS: u64 = 200_000;
/// Bytes that one call touches: those of each variable whenever it is read, and of texts that it lengthens. A rule that
/// reads a report of 100 kB takes as much each time that it names it.
pub const MAX_TOUCHED_BYTES: u64 = 64 << 20;
/// Bytes of one script: a text literal in it is touched without being counted.
pub const MAX_SCRIPT_BYTES: usize = 32 << 10;
/// Nested calls. Deeper recursion than this is a loop in disguise, and a native stack is finite.
pub const MAX_CALL_DEPTH: usize = 32;
/// Nesting of expressions outside functions, checked when a script is compiled.
pub const MAX_EXPRESSION_DEPTH: usize = 64;
/// Nesting of expressions inside functions; each level costs native stack on every nested call.
pub const MAX_FUNCTION_EXPRESSION_DEPTH: usize = 32;
/// Bytes of one text. Sources are handed over whole, so this is a large document.
pub const MAX_STRING_BYTES: usize = 2 << 20;
/// Elements of one array, nested ones included. Copying a value calls itself at each level, so this also bounds the
/// native stack that `a = [a]` in a loop can use up.
pub const MAX_ARRAY_ITEMS: usize = 2_000;
/// Members of one map, nested ones included; bounded like arrays.
pub const MAX_MAP_MEMBERS: usize = 2_000;
/// Variables alive at one time.
pub const MAX_VARIABLES: usize = 1_000;
/// Functions in one script.
pub const MAX_FUNCTIONS: usize = 200;
/// Issues that one call may return; a rule that finds more is broken.
pub const MAX_FINDINGS: usize = 1_000;

/// A bound that a script has gone over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// [`MAX_OPERATIONS`].
    Operations,
    /// [`MAX_TOUCHED_BYTES`].
    TouchedBytes,
    /// [`MAX_CALL_DEPTH`].
    CallDepth,
    /// [`MAX_STRING_BYTES`], [`MAX_ARRAY_ITEMS`] or [`MAX_MAP_MEMBERS`].
    DataSize,
    /// [`MAX_VARIABLES`].
    Variables,
    /// [`MAX_FINDINGS`].
    Findings,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Operations => write!(f, "{MAX_OPERATIONS} operations"),
            Limit::TouchedBytes => write!(f, "{MAX_TOUCHED_BYTES} bytes read or made"),
            Limit::CallDepth => write!(f, "{MAX_CALL_DEPTH} nested calls"),
            Limit::DataSize => write!(
                f,
                "{MAX_STRING_BYTES} bytes of text, {MAX_ARRAY_ITEMS} array elements or {MAX_MAP_MEMBERS} map members"
            ),
            Limit::Variables => write!(f, "{MAX_VARIABLES} variables"),
            Limit::Findings => write!(f, "{MAX_FINDINGS} issues"),
        }
    }
}

//! How many documents of a batch came to what.

/// How a batch ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchEnd {
    /// Documents with a result.
    pub finished: usize,
    /// Those of them that passed or were rightly skipped.
    pub passed: usize,
    /// Those of `passed` that fitted no document type well enough, although the profile tells types apart.
    pub of_unknown_type: usize,
    /// Inputs that could not be read.
    pub unusable: usize,
    /// Those of `finished` whose provider failed.
    pub provider_errors: usize,
    /// Inputs that were not tried, because someone stopped it or the provider is gone.
    pub not_tried: usize,
    /// Whether someone stopped it.
    pub cancelled: bool,
}

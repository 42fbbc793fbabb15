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
    /// Those of `finished` that an earlier process had finished, and that were left as they are.
    pub skipped: usize,
    /// Inputs that were named before, and are run once.
    pub repeated: usize,
    /// Inputs that could not be read.
    pub unusable: usize,
    /// Documents without a result: their worker panicked, or what is recorded of them can't be gone on with.
    pub set_aside: usize,
    /// Those of `finished` whose provider failed.
    pub provider_errors: usize,
    /// Documents of the run without a result, or whose provider failed, whichever process worked on them.
    pub broken: usize,
    /// Documents of the run that were left in the middle, whichever process did, and go on when it is resumed.
    pub given_up: usize,
    /// Documents that still wait, because someone stopped it, the provider is gone, or the run's budget is spent.
    pub not_tried: usize,
    /// Whether the run's budget is spent.
    pub over_budget: bool,
    /// Whether someone stopped it.
    pub cancelled: bool,
}

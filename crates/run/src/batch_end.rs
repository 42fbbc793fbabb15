//! The number of documents of a batch by outcome.

/// The outcome of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchEnd {
    /// Documents with a result.
    pub finished: usize,
    /// Those of them that passed or were rightly skipped.
    pub passed: usize,
    /// Those of `passed` that fitted no document type well enough, although the profile distinguishes types.
    pub of_unknown_type: usize,
    /// Those of `finished` that an earlier process had finished, and that were left as they are.
    pub skipped: usize,
    /// Inputs that were named before, and are run once.
    pub repeated: usize,
    /// Inputs that could not be read.
    pub unusable: usize,
    /// Quarantined documents without a result: their worker panicked, or their record can't be resumed.
    pub set_aside: usize,
    /// Those of `finished` whose provider failed.
    pub provider_errors: usize,
    /// Documents of the run without a result, or whose provider failed, whichever process worked on them.
    pub broken: usize,
    /// Documents of the run that any process left in the middle, and that continue when it is resumed.
    pub given_up: usize,
    /// Documents that still wait, because the run was stopped, the provider is gone, or the run's budget is spent.
    pub not_tried: usize,
    /// `true` if the run's budget is spent.
    pub over_budget: bool,
    /// `true` if the run was stopped.
    pub cancelled: bool,
}

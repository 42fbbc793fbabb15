//! The measures that objectives and constraints can be about: numbers of one document under a policy.

use crate::diag::nearest;
use crate::value::prose;

/// A number of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Overall score of the returned candidate, as the reference weighs it; 0 without one.
    Overall,
    /// 1 if a candidate was accepted, else 0.
    Passed,
    /// 1 if the result needs review: by the policy's `review.when`, or because a person must decide about an issue.
    Review,
    /// Dollars.
    CostUsd,
    /// Time, in milliseconds.
    ElapsedMs,
    /// Tokens, read and written.
    Tokens,
    /// Calls.
    Calls,
    /// Candidates that were assessed.
    IterationCount,
    /// Rollbacks.
    Rollbacks,
    /// Critical issues of the returned candidate.
    CriticalIssues,
    /// Major issues of the returned candidate.
    MajorIssues,
    /// Minor issues of the returned candidate.
    MinorIssues,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 12] = [
        Measure::Overall,
        Measure::Passed,
        Measure::Review,
        Measure::CostUsd,
        Measure::ElapsedMs,
        Measure::Tokens,
        Measure::Calls,
        Measure::IterationCount,
        Measure::Rollbacks,
        Measure::CriticalIssues,
        Measure::MajorIssues,
        Measure::MinorIssues,
    ];

    /// Its name in expressions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Measure::Overall => "overall",
            Measure::Passed => "passed",
            Measure::Review => "review",
            Measure::CostUsd => "cost_usd",
            Measure::ElapsedMs => "elapsed_ms",
            Measure::Tokens => "tokens",
            Measure::Calls => "calls",
            Measure::IterationCount => "iteration_count",
            Measure::Rollbacks => "rollbacks",
            Measure::CriticalIssues => "critical_issues",
            Measure::MajorIssues => "major_issues",
            Measure::MinorIssues => "minor_issues",
        }
    }

    /// The measure of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.name() == name)
    }

    /// Its index in [`Measure::ALL`].
    pub(super) fn place(self) -> usize {
        Self::ALL.iter().position(|measure| *measure == self).unwrap_or_default()
    }

    /// Returns whether it depends on issues, which a line need not give.
    #[must_use]
    pub fn looks_at_issues(self) -> bool {
        matches!(
            self,
            Measure::CriticalIssues | Measure::MajorIssues | Measure::MinorIssues | Measure::Review
        )
    }

    /// The message about a name that is not a measure; `None` if it is one.
    pub(super) fn unknown(name: &str) -> Option<String> {
        if Measure::named(name).is_some() {
            return None;
        }
        let names = || Measure::ALL.into_iter().map(Measure::name);
        Some(match nearest(name, names()) {
            Some(guess) => format!("nothing is measured that is called `{name}`: did you mean `{guess}`?"),
            None => {
                format!("nothing is measured that is called `{name}`; there are {}", prose::listed(names()))
            }
        })
    }
}

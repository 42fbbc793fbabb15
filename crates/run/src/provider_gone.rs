//! Detection of a provider that is gone, and the time to wait for one that may come back.

use crate::policy::StopReason;
use crate::result::DocumentResult;
use crate::score::{Issue, JUDGE_FAILED};
use crate::value::{Disposition, Millis};

/// The number of documents in a row whose provider failed that ends a batch. With the pauses between them it is given
/// some minutes to come back, and thousands of documents are not spent on one that is gone.
pub(crate) const MOST_PROVIDER_ERRORS_IN_A_ROW: usize = 10;

/// The pause after `in_a_row` documents whose provider failed with a transient error: a second, then twice as long each
/// time, up to 30 seconds.
pub(super) fn pause_after(in_a_row: usize) -> Millis {
    let doublings = in_a_row.saturating_sub(1).min(5);
    Millis((1_000 << doublings).min(30_000))
}

/// The reason that a document failed through its provider, or lacks the verdict of a judge without a stand-in.
pub(super) fn provider_failure(result: &DocumentResult) -> Option<&str> {
    if result.stop_reason == StopReason::ProviderError {
        return Some(result.detail.as_deref().unwrap_or("its provider failed"));
    }
    unheard(issues_of(result)).map(|issue| issue.message.as_str())
}

/// The issues of the candidate that a document returned.
pub(super) fn issues_of(result: &DocumentResult) -> &[Issue] {
    result.best_validation.as_ref().map_or(&[], |validation| &validation.issues)
}

/// The issue of the returned candidate that says that the document lacks the verdict of a judge without a stand-in.
pub(super) fn unheard(issues: &[Issue]) -> Option<&Issue> {
    issues.iter().find(|issue| issue.code == JUDGE_FAILED && issue.disposition == Disposition::Escalate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_of_a_batch_add_up_to_some_minutes() {
        let pauses: Vec<u64> = (1..MOST_PROVIDER_ERRORS_IN_A_ROW).map(|n| pause_after(n).0 / 1_000).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30, 30, 30]);
        for many in [0, 64, 65, 10_000, usize::MAX] {
            assert!((1_000..=30_000).contains(&pause_after(many).0), "{many}");
        }
    }
}

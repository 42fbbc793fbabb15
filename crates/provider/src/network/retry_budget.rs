//! Bounds how many calls of one server may be made again: a token bucket, as in the SDKs of AWS, so that an outage does
//! not multiply the load.

use crate::profile;

/// One retry, in the bucket's unit: fractions add up exactly.
const ONE: u64 = 1_000_000;

/// The bucket. It starts full.
#[derive(Debug)]
pub(super) struct RetryBudget {
    left: u64,
    full: u64,
    per_success: u64,
}

impl RetryBudget {
    pub(super) fn new(settings: profile::RetryBudget) -> Self {
        let full = u64::from(settings.retries) * ONE;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to a million")]
        let per_success = (settings.per_success.clamp(0.0, 1.0) * 1e6).round() as u64;
        Self { left: full, full, per_success }
    }

    /// Returns whether a retry could be paid for.
    pub(super) fn affords(&self) -> bool {
        self.left >= ONE
    }

    /// Pays for a retry; `false` when there is not enough left.
    pub(super) fn take(&mut self) -> bool {
        let affords = self.affords();
        if affords {
            self.left -= ONE;
        }
        affords
    }

    /// A call succeeded.
    pub(super) fn succeeded(&mut self) {
        self.left = (self.left + self.per_success).min(self.full);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn budget(retries: u32, per_success: f64) -> RetryBudget {
        RetryBudget::new(profile::RetryBudget { retries, per_success })
    }

    #[test]
    fn successes_pay_for_retries() {
        let mut budget = budget(2, 0.2);
        assert!(budget.take() && budget.take() && !budget.take());
        for _ in 0..4 {
            budget.succeeded();
        }
        assert!(!budget.affords());
        budget.succeeded();
        assert!(budget.take() && !budget.take());
    }

    #[test]
    fn without_any_there_are_none() {
        assert!(!budget(0, 1.0).affords());
    }

    proptest! {
        #[test]
        fn never_more_retries_than_were_there_or_earned(
            retries in 0_u32..20, per_success in 0.0..=1.0_f64, calls in proptest::collection::vec(any::<bool>(), 0..200)
        ) {
            let mut budget = budget(retries, per_success);
            let (mut taken, mut earned) = (0.0, 0.0);
            for succeeds in calls {
                if succeeds {
                    budget.succeeded();
                    earned += per_success;
                } else if budget.take() {
                    taken += 1.0;
                }
                prop_assert!(taken <= f64::from(retries) + earned + 1e-3);
            }
        }
    }
}

//! A call's deadline.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::CallProgress;
use crate::error::{CallError, FailureKind};

/// The time left of a call's deadline. Only what is done under [`Deadline::bound`] uses it up, so that waiting for
/// one's turn doesn't.
#[derive(Debug)]
pub(super) struct Deadline {
    whole: Duration,
    left: Duration,
    progress: CallProgress,
}

impl Deadline {
    pub(super) fn new(deadline: Duration) -> Self {
        Self { whole: deadline, left: deadline, progress: CallProgress::default() }
    }

    /// This deadline, reporting how far the call has come to `progress`.
    pub(super) fn telling(self, progress: &CallProgress) -> Self {
        Self { progress: progress.clone(), ..self }
    }

    /// The progress to which the call reports.
    pub(super) fn progress(&self) -> &CallProgress {
        &self.progress
    }

    /// The time until which it may wait for another call, whose deadline is assumed to be much the same; `None` for no
    /// limit.
    #[cfg(feature = "network")]
    pub(super) fn patient_until(&self) -> Option<Instant> {
        Instant::now().checked_add(self.left)
    }

    /// Awaits `work` for as long as is left.
    ///
    /// # Errors
    /// When it takes longer.
    pub(super) async fn bound<T>(&mut self, work: impl Future<Output = T>) -> Result<T, CallError> {
        let began = Instant::now();
        let outcome = timeout(self.left, work).await;
        self.left = self.left.saturating_sub(began.elapsed());
        outcome.map_err(|_| {
            CallError::new(FailureKind::Deadline, format!("no answer within {} ms", self.whole.as_millis()))
                .help("`deadline` of the stage or judge gives it more time")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::sleep;

    #[tokio::test(start_paused = true)]
    async fn only_bounded_work_uses_the_deadline_up() {
        let mut deadline = Deadline::new(Duration::from_secs(10));
        deadline.bound(sleep(Duration::from_secs(6))).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        deadline.bound(sleep(Duration::from_secs(3))).await.unwrap();
        let fault = deadline.bound(sleep(Duration::from_secs(2))).await.unwrap_err();
        assert_eq!(fault.kind, FailureKind::Deadline);
        assert!(fault.message.contains("10000 ms"), "{}", fault.message);
    }
}

//! The time to wait before the next poll of a batch: seconds at first, minutes later.

use std::time::Duration;
use tokio::sync::watch;

/// The first pause.
const FIRST: Duration = Duration::from_secs(5);

/// Pauses of which each is twice as long as the one before.
pub(super) struct Pauses {
    next: Duration,
    longest: Duration,
    leave: watch::Receiver<bool>,
}

impl Pauses {
    pub(super) fn new(longest: Duration, leave: watch::Receiver<bool>) -> Self {
        Pauses { next: FIRST.min(longest), longest, leave }
    }

    /// The length of the next pause.
    pub(super) fn next(&self) -> Duration {
        self.next
    }

    /// Begins with short pauses again.
    pub(super) fn again(&mut self) {
        self.next = FIRST.min(self.longest);
    }

    /// Waits; `false` when it is time to leave.
    pub(super) async fn wait(&mut self) -> bool {
        let pause = self.next;
        self.next = self.next.saturating_mul(2).min(self.longest);
        if *self.leave.borrow() {
            return false;
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => true,
            // If the sender is gone, everything ends.
            _ = self.leave.wait_for(|leave| *leave) => false,
        }
    }
}

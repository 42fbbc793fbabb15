//! Signals to stop: at once, or when calls in flight are done.

use tokio::sync::watch;

/// Receives the signals that stop the session.
#[derive(Debug, Clone)]
pub(super) struct StopSignals {
    /// Calls in flight are given up.
    pub(super) cancelled: watch::Receiver<bool>,
    /// No other call is begun; those in flight are waited for.
    pub(super) draining: watch::Receiver<bool>,
}

impl StopSignals {
    /// Returns whether calls in flight are given up.
    pub(super) fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Returns whether no other call is begun.
    pub(super) fn takes_no_calls(&self) -> bool {
        *self.draining.borrow() || self.is_cancelled()
    }

    /// Waits until calls in flight are given up.
    pub(super) async fn give_up(&mut self) {
        becomes_true(&mut self.cancelled).await;
    }

    /// Waits until no other call is begun.
    pub(super) async fn no_more_calls(&mut self) {
        tokio::select! {
            () = becomes_true(&mut self.cancelled) => {}
            () = becomes_true(&mut self.draining) => {}
        }
    }
}

/// Waits until it is true. If the sender is gone, it waits forever.
pub(super) async fn becomes_true(told: &mut watch::Receiver<bool>) {
    if told.wait_for(|told| *told).await.is_err() {
        std::future::pending::<()>().await;
    }
}

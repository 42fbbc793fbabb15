//! Being told to stop: at once, or when what is under way is done.

use tokio::sync::watch;

/// Hears that somebody stops the session.
#[derive(Debug, Clone)]
pub(super) struct Stops {
    /// Calls that are under way are given up.
    pub(super) cancelled: watch::Receiver<bool>,
    /// No other call is begun; those that are under way are waited for.
    pub(super) draining: watch::Receiver<bool>,
}

impl Stops {
    /// Whether calls that are under way are given up.
    pub(super) fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Whether no other call is begun.
    pub(super) fn takes_no_calls(&self) -> bool {
        *self.draining.borrow() || self.is_cancelled()
    }

    /// Waits until calls that are under way are given up.
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

/// Waits until it is true. Where nobody can say so any more, because the sender is gone, it waits for ever.
pub(super) async fn becomes_true(told: &mut watch::Receiver<bool>) {
    if told.wait_for(|told| *told).await.is_err() {
        std::future::pending::<()>().await;
    }
}

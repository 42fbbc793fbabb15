//! Announces that there is something to read in the journal.

use tokio::sync::watch;

/// Announces that something was written. Listeners read from the journal what it was, so that a slow or late one misses
/// nothing.
#[derive(Debug)]
pub struct Feed(watch::Sender<u64>);

impl Default for Feed {
    fn default() -> Self {
        Feed(watch::channel(0).0)
    }
}

impl Feed {
    /// Something was written, or is about to be.
    pub fn written(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Subscribes to what is written from now on.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}

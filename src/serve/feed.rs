//! Says that there is something to be read in the journal.

use tokio::sync::watch;

/// Says that something was written. What, whoever listens reads from the journal: so nothing is lost to one who is slow, or comes late.
#[derive(Debug)]
pub(crate) struct Feed(watch::Sender<u64>);

impl Default for Feed {
    fn default() -> Self {
        Feed(watch::channel(0).0)
    }
}

impl Feed {
    /// Something was written, or is about to be.
    pub(crate) fn written(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Hears of what is written from here on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}

//! The plugin boundary: the only part of loopctl that has unsafe code.
//!
//! What crosses it is bytes and numbers. What a plugin hands over is taken at its word only as far as the contract
//! has it vouch for memory; sizes, counts, order and repetition of its calls are all checked.

mod call;
mod copy;
mod ending;
mod host;
mod load;
mod probe;

pub(super) use call::Instance;
pub use ending::Working;
pub use host::LogLine;
pub(super) use host::{Payload, Reply};
pub(super) use load::{LINKED, Library};
pub(super) use probe::{Answer, Call, Entry, Ledger, Offer, Opened, Opening, Started, Table};

use std::sync::mpsc;
use std::time::Duration;

/// Runs `work` on a thread of its own and waits for at most `limit`. What comes later is dropped there, so it must
/// clean up after itself.
///
/// # Errors
/// In words, when there is no result in time.
fn bounded<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name("loopctl-plugin".to_owned())
        .spawn(move || {
            let _ = sender.send(work());
        })
        .map_err(|error| format!("can't start a thread: {error}"))?;
    receiver.recv_timeout(limit).map_err(|_| {
        ending::something_hangs();
        format!("it took longer than {} s", limit.as_secs())
    })
}

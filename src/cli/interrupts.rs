//! Requests to stop: Ctrl-C; SIGTERM, which service managers and batch systems send; SIGHUP, which comes when a
//! terminal is closed or a connection breaks.

use super::process_host::say;
use crate::execution::StopRequests;
use crate::failure::ExitStatus;
use crate::provider::ProgramGuard;
use crate::value::Millis;

/// Begins to listen for requests to stop, in the runtime that this is called in.
pub(super) fn listen(stops: StopRequests) {
    tokio::spawn(pass_on(stops));
}

/// Passes interrupts on. After the first, no other call is begun, and those in flight are waited for, at most for their
/// patience: they are paid for, which is reported. The second gives them up, and what is finished is kept; the third
/// ends the process. A hangup counts only as a first one: shells and service managers send it once more, or beside
/// SIGTERM, and what has been paid for is still to be recorded.
async fn pass_on(stops: StopRequests) {
    if let Some(mut interrupts) = Interrupts::hear() {
        let first = interrupts.next().await;
        // Kept for those who subscribe later, as a watch does when the documents are done.
        stops.drain.send_replace(true);
        if stops.is_reported() && stops.patience > Millis::default() && first == Signal::Interrupt {
            say("stopping after the calls in flight; once more abandons them");
        }
        tokio::select! {
            () = tokio::time::sleep(stops.patience.duration()) => {}
            () = interrupts.once_more() => {}
        }
        stops.stop.send_replace(true);
        interrupts.once_more().await;
        ProgramGuard::abandon(ExitStatus::Interrupted.code());
    }
    // Without interrupts the channels stay open until the run is over.
    std::future::pending::<()>().await;
}

impl Interrupts {
    /// Waits for the next signal that is not a hangup.
    async fn once_more(&mut self) {
        while self.next().await == Signal::Hangup {}
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    /// Ctrl-C or SIGTERM.
    Interrupt,
    /// The terminal or connection is gone.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no hangups elsewhere"))]
    Hangup,
}

#[cfg(unix)]
struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Interrupts {
    fn hear() -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let hangup = ends_with_terminal().then(|| signal(SignalKind::hangup()).ok()).flatten();
        let interrupt = signal(SignalKind::interrupt()).ok()?;
        Some(Interrupts { interrupt, terminate: signal(SignalKind::terminate()).ok()?, hangup })
    }

    async fn next(&mut self) -> Signal {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Interrupt,
            () = hangup => Signal::Hangup,
        }
    }
}

/// Returns whether a hangup would end this process as things are. It would not if ignored, as under `nohup`, and
/// listening for it would undo that. Only Linux tells (bit 0 of the ignored signals is SIGHUP); elsewhere hangups are
/// left alone.
#[cfg(unix)]
fn ends_with_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 0)
}

#[cfg(not(unix))]
struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    fn hear() -> Option<Self> {
        Some(Interrupts)
    }

    async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}

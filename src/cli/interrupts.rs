//! Being told to stop: Ctrl-C, and SIGTERM, by which service managers and batch systems say so.

use super::exit::Exit;
use crate::provider::Working;
use tokio::sync::watch;

/// The first interrupt ends the current document and keeps what is finished; the second ends the process.
pub(super) async fn listen(stop: watch::Sender<bool>) {
    if let Some(mut interrupts) = Interrupts::hear() {
        interrupts.next().await;
        let _ = stop.send(true);
        interrupts.next().await;
        Working::abandon(Exit::Interrupted.code());
    }
    // Without interrupts the channel stays open until the run is over.
    std::future::pending::<()>().await;
}

#[cfg(unix)]
struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Interrupts {
    fn hear() -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = signal(SignalKind::interrupt()).ok()?;
        Some(Interrupts { interrupt, terminate: signal(SignalKind::terminate()).ok()? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    fn hear() -> Option<Self> {
        Some(Interrupts)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

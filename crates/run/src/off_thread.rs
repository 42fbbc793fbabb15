//! Work on large candidates beside the driver, which keeps hearing signals and the clock.

use super::stop_signals::becomes_true;
use crate::store::StoreError;
use crate::value::Cancel;
use std::time::Duration;
use tokio::sync::watch;

/// The time for which work in progress continues after the run is stopped, or after its time is up: what has been paid
/// for is worth a moment, and most work takes far less.
const GRACE: Duration = Duration::from_secs(1);

/// The size in bytes up to which assessing a text takes too little time to keep other documents waiting.
pub(super) const FEW_BYTES: usize = 8 << 10;

/// Runs work that may wait for a disk: the executor has other documents to handle.
pub(super) async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(lost) => match lost.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(StoreError::ShuttingDown),
        },
    }
}

/// Runs `work` on a thread of its own. `cancel` tells it to end when the session is stopped, or when `left` is over,
/// and what it has by then is returned.
///
/// Work on few `bytes` of document and answer is done at once: to hand it over takes longer.
pub(super) async fn off_thread<T: Send + 'static>(
    cancel: Cancel,
    cancelled: watch::Receiver<bool>,
    left: Option<Duration>,
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= FEW_BYTES {
        return work();
    }
    with_grace(GRACE, cancel, cancelled, left, work).await
}

async fn with_grace<T: Send + 'static>(
    grace: Duration,
    cancel: Cancel,
    mut cancelled: watch::Receiver<bool>,
    left: Option<Duration>,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let mut working = tokio::task::spawn_blocking(work);
    let over = async {
        match left {
            Some(left) => tokio::time::sleep(left.max(grace)).await,
            None => std::future::pending().await,
        }
    };
    let stopped = async {
        becomes_true(&mut cancelled).await;
        tokio::time::sleep(grace).await;
    };
    let done = tokio::select! {
        done = &mut working => done,
        () = stopped => { cancel.cancel(); working.await }
        () = over => { cancel.cancel(); working.await }
    };
    match done {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is being shut down, and this with it.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Fuel;

    #[test]
    fn work_without_end_ends_when_the_run_is_stopped_or_its_time_is_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for (stop, left) in [(true, None), (false, Some(Duration::from_millis(5)))] {
            let (sender, cancelled) = watch::channel(stop);
            let cancel = Cancel::default();
            let fuel = Fuel::new(u64::MAX, &cancel);
            let ended = runtime.block_on(with_grace(Duration::ZERO, cancel, cancelled, left, move || {
                while fuel.spend(0) {
                    std::thread::yield_now();
                }
                "ended"
            }));
            assert_eq!(ended, "ended");
            drop(sender);
        }
    }
}

//! Limits that a process sets itself before it touches what it does not trust.

use std::io;
use std::process::exit;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The status of a process that ended itself because its time was over.
const OUT_OF_TIME: i32 = 124;

/// The most that a process may use.
#[derive(Debug, Clone, Copy)]
pub struct ProcessLimits {
    /// Address space, in bytes; on systems that know such a limit.
    pub memory: u64,
    /// Time on a processor; on systems that know such a limit.
    pub processor: Duration,
    /// Time in all: then the process ends with status 124.
    pub time: Duration,
}

/// Limits this process from here on. What goes beyond ends it.
///
/// # Errors
/// When the system refuses a limit, or a thread.
pub fn limit_this_process(limits: &ProcessLimits) -> io::Result<()> {
    limit_memory(limits)?;
    #[cfg(unix)]
    limit(rustix::process::Resource::Cpu, limits.processor.as_secs(), Maximum::Lowered)?;
    let time = limits.time;
    start_watch(move || {
        std::thread::sleep(time);
        exit(OUT_OF_TIME);
    })
}

/// The limits of a process that does one task after the other: each has the same time, and between them it waits without an
/// end. Memory is that of all of them.
#[derive(Debug)]
pub struct LimitedTasks {
    processor: Duration,
    time: Duration,
    /// The time that the task in hand has from now; `None` when there is none.
    left: Sender<Option<Duration>>,
}

impl LimitedTasks {
    /// Limits this process from here on. What goes beyond ends it.
    ///
    /// # Errors
    /// When the system refuses a limit, or a thread.
    pub fn limit_this_process(limits: &ProcessLimits) -> io::Result<Self> {
        limit_memory(limits)?;
        let (left, told) = channel();
        start_watch(move || {
            let mut left: Option<Duration> = None;
            loop {
                let next = match left {
                    Some(left) => told.recv_timeout(left),
                    None => told.recv().map_err(RecvTimeoutError::from),
                };
                match next {
                    Ok(next) => left = next,
                    Err(RecvTimeoutError::Timeout) => exit(OUT_OF_TIME),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        })?;
        Ok(LimitedTasks { processor: limits.processor, time: limits.time, left })
    }

    /// Does a task within the limits of one.
    ///
    /// # Errors
    /// When the system refuses a limit.
    pub fn within<T>(&self, task: impl FnOnce() -> T) -> io::Result<T> {
        #[cfg(unix)]
        {
            use rustix::time::{ClockId, clock_gettime};
            // The system counts all that the process has used.
            let used = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or_default();
            let most = used.saturating_add(1).saturating_add(self.processor.as_secs());
            limit(rustix::process::Resource::Cpu, most, Maximum::Kept)?;
        }
        let _ = self.left.send(Some(self.time));
        let done = task();
        let _ = self.left.send(None);
        Ok(done)
    }
}

/// Limits the address space, and leaves no picture of a document on the disk after a crash.
fn limit_memory(limits: &ProcessLimits) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::Resource;
        // Other systems count the shared memory of the system's libraries, too, which is more than any limit.
        #[cfg(target_os = "linux")]
        limit(Resource::As, limits.memory, Maximum::Lowered)?;
        limit(Resource::Core, 0, Maximum::Lowered)?;
    }
    Ok(())
}

/// The limit up to which a process may raise its own.
#[cfg(unix)]
#[derive(Debug, Clone, Copy)]
enum Maximum {
    /// It can't be raised again.
    Lowered,
    /// It is what it was.
    Kept,
}

/// Sets a limit, as far as the maximum of the system allows it.
#[cfg(unix)]
fn limit(resource: rustix::process::Resource, wanted: u64, maximum: Maximum) -> io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};
    let before = getrlimit(resource).maximum;
    let current = before.map_or(wanted, |before| before.min(wanted));
    let maximum = match maximum {
        Maximum::Lowered => Some(current),
        Maximum::Kept => before,
    };
    Ok(setrlimit(resource, Rlimit { current: Some(current), maximum })?)
}

fn start_watch(watch: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("loopctl-limit".to_owned()).spawn(watch).map(drop)
}

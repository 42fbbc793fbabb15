//! ProcessLimits that a process sets itself before it touches what it does not trust.

use std::io;
use std::process::exit;
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

/// ProcessLimits this process from here on. What goes beyond ends it.
///
/// # Errors
/// When the system refuses a limit, or a thread.
pub fn limit_this_process(limits: &ProcessLimits) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let most = |resource: Resource, wanted: u64| {
            let maximum = getrlimit(resource).maximum.map_or(wanted, |maximum| maximum.min(wanted));
            setrlimit(resource, Rlimit { current: Some(maximum), maximum: Some(maximum) })
        };
        // Other systems count the shared memory of the system's libraries, too, which is more than any limit.
        #[cfg(target_os = "linux")]
        most(Resource::As, limits.memory)?;
        most(Resource::Cpu, limits.processor.as_secs())?;
        // A crash leaves no picture of a document on the disk.
        most(Resource::Core, 0)?;
    }
    let time = limits.time;
    let watch = move || {
        std::thread::sleep(time);
        exit(OUT_OF_TIME);
    };
    std::thread::Builder::new().name("loopctl-limit".to_owned()).spawn(watch).map(drop)
}

//! A program together with everything that it starts, so that all of it can be ended at once.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};

/// The running program. Where the system has process groups, the program leads one of its own.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    /// `None` once the program is over and forgotten: its number may by then be another's.
    child: Mutex<Option<Child>>,
    #[cfg(unix)]
    leader: rustix::process::Pid,
}

impl ProcessGroup {
    /// Starts the program.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Self, Pipes)> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn()?;
        let pipes =
            Pipes { stdin: child.stdin.take(), stdout: child.stdout.take(), stderr: child.stderr.take() };
        #[cfg(unix)]
        let leader = rustix::process::Pid::from_child(&child);
        Ok((
            Self {
                child: Mutex::new(Some(child)),
                #[cfg(unix)]
                leader,
            },
            pipes,
        ))
    }

    /// Ends everything of the group. Never waits; harmless when it is over.
    pub(crate) fn kill(&self) {
        if let Some(child) = self.child.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            self.kill_all(child);
        }
    }

    /// Waits until the program itself has ended, and ends what it left running.
    pub(crate) fn wait(&self) -> io::Result<ExitStatus> {
        self.wait_for_leader()?;
        let mut guard = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut child) = guard.take() else { return Err(io::ErrorKind::NotFound.into()) };
        // Until it is waited for, its number, and so the group's, is no one else's.
        self.kill_all(&mut child);
        child.wait()
    }

    #[cfg(unix)]
    fn kill_all(&self, _child: &mut Child) {
        // It fails only when nothing is left.
        let _ = rustix::process::kill_process_group(self.leader, rustix::process::Signal::KILL);
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "the same signature on every system")]
    fn kill_all(&self, child: &mut Child) {
        let _ = child.kill();
    }

    #[cfg(unix)]
    fn wait_for_leader(&self) -> io::Result<()> {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        loop {
            match waitid(WaitId::Pid(self.leader), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => return Ok(()),
            }
        }
    }

    #[cfg(not(unix))]
    fn wait_for_leader(&self) -> io::Result<()> {
        loop {
            match self.child.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                Some(child) if child.try_wait()?.is_none() => {}
                _ => return Ok(()),
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

/// The ends of the program's standard streams.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<std::process::ChildStdin>,
    pub(crate) stdout: Option<std::process::ChildStdout>,
    pub(crate) stderr: Option<std::process::ChildStderr>,
}

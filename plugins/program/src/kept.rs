//! A program that is kept running, and answers one request after the other.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use loopctl_plugin_sdk::Failure;

use crate::deadline::Deadline;
use crate::frame::{read_frame, write_frame};
use crate::group::{Pipes, ProcessGroup};
use crate::run::{Program, start};

/// A running program that reads requests from its standard input and writes an answer to each to its standard output, in
/// [frames](crate::read_frame). What it writes to standard error is lost. It is killed, with all that it started, when this
/// is dropped, and after a request that it did not answer.
#[derive(Debug)]
pub struct KeptProgram {
    program: Arc<Program>,
    group: Arc<ProcessGroup>,
    requests: Sender<Arc<Vec<u8>>>,
    events: Receiver<ProcessEvent>,
    /// `true` once its standard output is closed.
    is_closed: bool,
    /// Its end, once it is over.
    ended: Option<io::Result<ExitStatus>>,
}

/// The events while it runs.
#[derive(Debug)]
enum ProcessEvent {
    /// An answer, or the error for which there is none.
    Answer(io::Result<Vec<u8>>),
    /// Standard output is closed.
    Closed,
    /// The program is over.
    Ended(io::Result<ExitStatus>),
}

impl KeptProgram {
    /// Starts a program. Its answers have at most [`Program::max_output`] bytes each.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start(program: Arc<Program>) -> Result<Self, Failure> {
        let mut command = program.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (group, pipes) =
            ProcessGroup::start(&mut command).map_err(|error| program.not_started(&error))?;
        let group = Arc::new(group);
        let (requests, told) = channel();
        let (tell, events) = channel();
        let watched = watch(&group, pipes, told, tell, program.max_output);
        // From here on it is killed when it is dropped.
        let kept = KeptProgram { program, group, requests, events, is_closed: false, ended: None };
        watched.map_err(|error| kept.program.not_started(&error))?;
        Ok(kept)
    }

    /// Sends a message that has no answer of its own. It is written while this process does something else.
    pub fn send(&self, message: Arc<Vec<u8>>) {
        // One that is over reads nothing; the next answer says so.
        let _ = self.requests.send(message);
    }

    /// The answer to a request, for which it has so much time.
    ///
    /// # Errors
    /// When it ends or its time is over before it has answered, or the answer is too long. No other request is answered
    /// then.
    pub fn ask(&mut self, request: Vec<u8>, time: Duration) -> Result<Vec<u8>, Failure> {
        self.send(Arc::new(request));
        let answer = self.answer(Deadline::after(time), time);
        if answer.is_err() {
            self.group.kill();
        }
        answer
    }

    fn answer(&mut self, end: Deadline, time: Duration) -> Result<Vec<u8>, Failure> {
        let name = &self.program.name;
        loop {
            // What it wrote before its end is read first.
            match self.ended.take_if(|_| self.is_closed) {
                Some(Ok(status)) => return Err(self.program.failed(status, &[])),
                Some(Err(error)) => return Err(Failure::transient(format!("`{name}`: {error}"))),
                None => {}
            }
            let event = match end.left() {
                Some(left) => self.events.recv_timeout(left),
                None => self.events.recv().map_err(RecvTimeoutError::from),
            };
            match event {
                Ok(ProcessEvent::Answer(Ok(answer))) => return Ok(answer),
                Ok(ProcessEvent::Answer(Err(error))) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(Failure::permanent(format!("`{name}` was killed: it wrote {error}")));
                }
                // It was cut off in the middle, and its end says why.
                Ok(ProcessEvent::Answer(Err(_)) | ProcessEvent::Closed) => self.is_closed = true,
                Ok(ProcessEvent::Ended(status)) => self.ended = Some(status),
                Err(RecvTimeoutError::Timeout) => return Err(self.program.too_slow(time)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::permanent(format!("`{name}` was lost")));
                }
            }
        }
    }
}

impl Drop for KeptProgram {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// Threads that pass messages on to the program, read its answers and wait for its end. They end with the program.
fn watch(
    group: &Arc<ProcessGroup>,
    pipes: Pipes,
    told: Receiver<Arc<Vec<u8>>>,
    tell: Sender<ProcessEvent>,
    most: u64,
) -> io::Result<()> {
    let (waited, teller) = (Arc::clone(group), tell.clone());
    let waiting = start("loopctl-wait", move || {
        let _ = teller.send(ProcessEvent::Ended(waited.wait()));
    });
    if waiting.is_err() {
        group.kill();
        let _ = group.wait();
    }
    waiting?;
    let mut stdin = pipes.stdin;
    start("loopctl-stdin", move || {
        // The stream is closed when no other request can come.
        for message in told {
            let written = stdin.as_mut().map(|stdin| write_frame(stdin, &message));
            if !matches!(written, Some(Ok(()))) {
                return;
            }
        }
    })?;
    let stdout = pipes.stdout;
    start("loopctl-stdout", move || {
        let Some(mut stdout) = stdout else { return };
        loop {
            let event = match read_frame(&mut stdout, most) {
                Ok(Some(answer)) => ProcessEvent::Answer(Ok(answer)),
                Ok(None) => ProcessEvent::Closed,
                Err(error) => ProcessEvent::Answer(Err(error)),
            };
            let is_last = !matches!(event, ProcessEvent::Answer(Ok(_)));
            if tell.send(event).is_err() || is_last {
                return;
            }
        }
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const HOUR: Duration = Duration::from_secs(3_600);

    fn program(script: &str) -> KeptProgram {
        KeptProgram::start(Arc::new(Program {
            name: "kept".to_owned(),
            file: PathBuf::from("/bin/sh"),
            arguments: vec!["-c".to_owned(), script.to_owned()],
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: None,
            max_output: 100,
            show_stderr: false,
        }))
        .unwrap()
    }

    fn refused(kept: &mut KeptProgram, time: Duration) -> String {
        kept.ask(b"page 1".to_vec(), time).unwrap_err().error.message
    }

    #[test]
    fn requests_are_answered_one_after_the_other() {
        // It returns each frame as it came.
        let mut kept = program("exec cat");
        for request in [&b"page 1"[..], b"", b"page 3"] {
            assert_eq!(kept.ask(request.to_vec(), HOUR).unwrap(), request);
        }
        kept.send(Arc::new(b"the file".to_vec()));
        assert_eq!(kept.ask(b"page 4".to_vec(), HOUR).unwrap(), b"the file", "its answer comes first");
    }

    #[test]
    fn a_program_that_does_not_answer_is_killed() {
        assert_eq!(refused(&mut program("exit 7"), HOUR), "`kept` ended with exit status: 7");
        let mut slow = program("exec tail -f /dev/null");
        let late = refused(&mut slow, Duration::from_millis(10));
        assert_eq!(late, "`kept` took more than 0.01 seconds and was killed");
        assert_eq!(refused(&mut slow, HOUR), "`kept` ended with signal: 9 (SIGKILL)");
        let cut = refused(&mut program(r"printf '\0\0\0\0\0\0\0\11grade'"), HOUR);
        assert_eq!(cut, "`kept` ended with exit status: 0");
        let long = refused(&mut program(r"printf '\0\0\0\0\0\0\1\0'; exec tail -f /dev/null"), HOUR);
        assert!(long.contains("a message of 256 bytes, more than the 100"), "{long}");
    }

    #[test]
    fn a_program_is_killed_when_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("open-while-it-runs");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let kept = program(&format!("exec tail -f /dev/null > '{}'", path.display()));
        let mut open = std::fs::File::open(&path).unwrap();
        drop(kept);
        let mut written = Vec::new();
        assert_eq!(std::io::Read::read_to_end(&mut open, &mut written).unwrap(), 0);
    }
}

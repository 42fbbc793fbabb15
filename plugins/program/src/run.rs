//! Runs a program once: input in, output out, within bounds.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use loopctl_plugin_sdk::{Cancel, Failure};

use crate::deadline::Deadline;
use crate::group::{Pipes, ProcessGroup};

/// The length of the end of standard error that is kept, in bytes, and shown, in characters.
const KEPT_STDERR: usize = 4096;
const SHOWN_STDERR: usize = 300;

/// `EX_TEMPFAIL` of `sysexits.h`: "temporary failure; user is invited to retry".
const TRY_AGAIN: i32 = 75;

/// A program, and how to run it.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its name in messages.
    pub name: String,
    /// The file to run.
    pub file: PathBuf,
    /// The arguments, passed as they are: no shell reads them.
    pub arguments: Vec<String>,
    /// All that it sees of the environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Its working directory, if not the process's.
    pub cwd: Option<PathBuf>,
    /// The most that it may write to standard output, in bytes.
    pub max_output: u64,
    /// `true` if a failure shows the end of what it wrote to standard error.
    pub show_stderr: bool,
}

/// The events while a program runs.
enum Event {
    /// The host gave the call up; everything has been killed.
    Cancelled,
    /// The program is over.
    Ended(io::Result<ExitStatus>),
    /// Standard output is closed; this is all of it, or one byte more than is allowed.
    Output(io::Result<Vec<u8>>),
    /// Standard error is closed; this was its end.
    Complaint(Vec<u8>),
}

impl Program {
    /// Runs the program with `input` as its standard input; what it writes to standard output is returned. Blocks until
    /// it has ended; what it left running is killed then, and all of it as soon as `cancel` says so.
    ///
    /// # Errors
    /// When it can't be started, writes too much, or ends with anything but 0.
    pub fn run(&self, input: Vec<u8>, cancel: &Cancel) -> Result<Vec<u8>, Failure> {
        self.run_until(input, cancel, None)
    }

    /// Like [`Program::run`], and kills the program after so much time.
    ///
    /// # Errors
    /// Those of [`Program::run`], and when its time is over.
    pub fn run_within(&self, input: Vec<u8>, cancel: &Cancel, time: Duration) -> Result<Vec<u8>, Failure> {
        self.run_until(input, cancel, Some(time))
    }

    /// The command that starts it. Its streams are those of this process.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.file);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command
    }

    fn run_until(&self, input: Vec<u8>, cancel: &Cancel, time: Option<Duration>) -> Result<Vec<u8>, Failure> {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        cancel.check()?;
        let (group, pipes) = ProcessGroup::start(&mut command).map_err(|error| self.not_started(&error))?;
        let group = Arc::new(group);
        let (tell, events) = channel();
        self.watch(&group, pipes, input, &tell).map_err(|error| {
            group.kill();
            self.not_started(&error)
        })?;
        let (killer, teller) = (Arc::clone(&group), tell);
        cancel.on_cancel(move || {
            killer.kill();
            let _ = teller.send(Event::Cancelled);
        });

        let end = time.map(Deadline::after);
        let (mut status, mut output, mut complaint) = (None, None, None);
        // A program that hands its streams to one that left the group is waited for until the host gives up.
        while status.is_none() || output.is_none() || complaint.is_none() {
            let event = match end.and_then(Deadline::left) {
                Some(left) => events.recv_timeout(left),
                None => events.recv().map_err(RecvTimeoutError::from),
            };
            match event {
                Err(RecvTimeoutError::Timeout) => {
                    group.kill();
                    return Err(self.too_slow(time.unwrap_or_default()));
                }
                Ok(Event::Cancelled) => return Err(Failure::cancelled()),
                Ok(Event::Ended(ended)) => status = Some(ended),
                Ok(Event::Output(Ok(bytes))) if bytes.len() as u64 > self.max_output => {
                    group.kill();
                    return Err(Failure::permanent(format!(
                        "`{}` wrote more than {} bytes and was killed",
                        self.name, self.max_output
                    )));
                }
                Ok(Event::Output(bytes)) => output = Some(bytes),
                Ok(Event::Complaint(end)) => complaint = Some(end),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::permanent(format!("`{}` was lost", self.name)));
                }
            }
        }
        let lost = |error: io::Error| Failure::transient(format!("`{}`: {error}", self.name));
        match (status, output) {
            (Some(Ok(status)), Some(output)) if status.success() => output.map_err(lost),
            (Some(Ok(status)), _) => Err(self.failed(status, &complaint.unwrap_or_default())),
            (Some(Err(error)), _) => Err(lost(error)),
            (None, _) => Err(Failure::permanent(format!("`{}` was lost", self.name))),
        }
    }

    /// Threads that feed the program, listen to it and wait for its end. They end with the program.
    fn watch(
        &self,
        group: &Arc<ProcessGroup>,
        pipes: Pipes,
        input: Vec<u8>,
        tell: &Sender<Event>,
    ) -> io::Result<()> {
        let waited = Arc::clone(group);
        let teller = tell.clone();
        let waiting = start("loopctl-wait", move || {
            let _ = teller.send(Event::Ended(waited.wait()));
        });
        if waiting.is_err() {
            group.kill();
            let _ = group.wait();
        }
        waiting?;
        if let Some(mut stdin) = pipes.stdin {
            start("loopctl-stdin", move || {
                // A program that answers without reading everything is not a failure.
                let _ = stdin.write_all(&input);
            })?;
        }
        let (stdout, teller) = (pipes.stdout, tell.clone());
        let most = self.max_output.saturating_add(1);
        start("loopctl-stdout", move || {
            let mut bytes = Vec::new();
            let read = stdout.map_or(Ok(0), |stdout| stdout.take(most).read_to_end(&mut bytes));
            let _ = teller.send(Event::Output(read.map(|_| bytes)));
        })?;
        let (stderr, teller) = (pipes.stderr, tell.clone());
        start("loopctl-stderr", move || {
            let end = stderr.map_or_else(Vec::new, end_of);
            let _ = teller.send(Event::Complaint(end));
        })
    }

    pub(crate) fn too_slow(&self, time: Duration) -> Failure {
        let (name, time) = (&self.name, time.as_secs_f32());
        Failure::permanent(format!("`{name}` took more than {time} seconds and was killed"))
    }

    pub(crate) fn not_started(&self, error: &io::Error) -> Failure {
        let message = format!("`{}` can't be started: {error}", self.file.display());
        match error.kind() {
            io::ErrorKind::NotFound => Failure::permanent(format!(
                "{message}; it was there before, unless the interpreter that its first line names is missing"
            )),
            // Too many processes, too little memory.
            io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => Failure::transient(message),
            _ => Failure::permanent(message),
        }
    }

    pub(crate) fn failed(&self, status: ExitStatus, complaint: &[u8]) -> Failure {
        let said = if self.show_stderr { last_words(complaint) } else { String::new() };
        let said = if said.is_empty() { said } else { format!("; standard error: {said}") };
        let message = format!("`{}` ended with {status}{said}", self.name);
        if status.code() == Some(TRY_AGAIN) {
            Failure::transient(message)
        } else {
            Failure::permanent(message)
        }
    }
}

pub(crate) fn start(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(|_| ())
}

/// Reads to the end, and keeps the last [`KEPT_STDERR`] bytes.
fn end_of(mut stream: impl Read) -> Vec<u8> {
    let mut kept = VecDeque::new();
    let mut chunk = [0; KEPT_STDERR];
    loop {
        match stream.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return kept.into(),
            Ok(count) => {
                kept.extend(chunk.iter().take(count));
                kept.drain(..kept.len().saturating_sub(KEPT_STDERR));
            }
        }
    }
}

/// The end of standard error, as one line of at most [`SHOWN_STDERR`] characters without control characters.
fn last_words(complaint: &[u8]) -> String {
    let text = String::from_utf8_lossy(complaint);
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    let length = line.chars().count();
    if length <= SHOWN_STDERR {
        return line;
    }
    let tail: String = line.chars().skip(length.saturating_sub(SHOWN_STDERR)).collect();
    format!("…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_complaint_is_one_tame_line() {
        assert_eq!(last_words(b" Traceback:\n\n  \x1b[31mValueError\r\n"), "Traceback: [31mValueError");
        let long = "é".repeat(5000);
        let shown = last_words(&end_of(long.as_bytes()));
        assert_eq!(shown.chars().count(), SHOWN_STDERR + 1);
        assert!(shown.starts_with("…é") && shown.ends_with('é'), "{shown}");
    }

    #[test]
    #[cfg(unix)]
    fn a_program_that_never_ends_is_killed_when_its_time_is_over() {
        let endless = Program {
            name: "endless".to_owned(),
            file: PathBuf::from("/bin/sh"),
            arguments: vec!["-c".to_owned(), "exec tail -f /dev/null".to_owned()],
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: None,
            max_output: 10,
            show_stderr: false,
        };
        let failure = endless.run_within(Vec::new(), &Cancel::new(), Duration::from_millis(10)).unwrap_err();
        assert_eq!(failure.error.message, "`endless` took more than 0.01 seconds and was killed");
        let echo = Program { arguments: vec!["-c".to_owned(), "cat".to_owned()], ..endless };
        let hour = Duration::from_secs(3_600);
        assert_eq!(echo.run_within(b"grade 2".to_vec(), &Cancel::new(), hour).unwrap(), b"grade 2");
    }

    #[test]
    fn only_the_end_is_kept() {
        let mut text = vec![b'a'; 3 * KEPT_STDERR];
        text.extend(b"the end");
        let end = end_of(text.as_slice());
        assert_eq!(end.len(), KEPT_STDERR);
        assert!(end.ends_with(b"the end"));
    }
}

//! A folder of its own for each test, and the `loopctl` command run in it as on a machine where nothing is set up.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Long enough for anything that ends at all, on any machine: only a test that fails waits so long.
pub(crate) const PLENTY: Duration = Duration::from_secs(600);

/// Variables that would change what the command does.
const FOREIGN: [&str; 9] =
    ["LOOPCTL_", "MARC_", "OTEL_", "XDG_", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "CONTRARY_", "OPENAI_"];

/// The command's working directory, with a home beside it. Gone when it is dropped.
pub(crate) struct Workspace {
    dir: tempfile::TempDir,
}

/// A command that has ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["work", "home", "loopctl-home"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        Workspace { dir }
    }

    /// A path in the working directory.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join("work").join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("loopctl-home")
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Puts one of `tests/documents` into the working directory.
    pub(crate) fn document(&self, name: &str) -> PathBuf {
        self.write(name, std::fs::read(documents().join(name)).unwrap())
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Names of the files in a folder, sorted; those of SQLite's log left out, which come and go.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
            .collect();
        names.sort();
        names
    }

    /// The command, ready for more arguments and variables.
    pub(crate) fn loopctl(&self, arguments: &[&str]) -> Command {
        let mut command = Command::from_std(self.process());
        command.args(arguments).timeout(PLENTY);
        command
    }

    /// Like [`Workspace::loopctl`], as a process of the standard library, for tests that talk to it while it runs.
    pub(crate) fn process(&self) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_loopctl"));
        without_foreign(&mut command);
        command.current_dir(self.path(""));
        command.env("HOME", self.dir.path().join("home")).env("LOOPCTL_HOME", self.home());
        command
    }

    /// Gives any command a home of its own, where nothing is set up, and finds it the `loopctl` under test before all others.
    pub(crate) fn isolate(&self, command: &mut std::process::Command) {
        without_foreign(command);
        let own = Path::new(env!("CARGO_BIN_EXE_loopctl")).parent().unwrap();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(own.to_path_buf()).chain(std::env::split_paths(&others));
        command.env("PATH", std::env::join_paths(folders).unwrap()).env("HOME", self.dir.path().join("home"));
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.loopctl(arguments))
    }

    /// Runs it and reads its one JSON value.
    pub(crate) fn run_json(&self, arguments: &[&str]) -> Value {
        self.run(arguments).json()
    }
}

fn without_foreign(command: &mut std::process::Command) {
    for (name, _) in std::env::vars_os() {
        let shown = name.to_string_lossy();
        if FOREIGN.iter().any(|foreign| shown.starts_with(foreign)) || shown.ends_with("_API_KEY") {
            command.env_remove(name);
        }
    }
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The exit status must be this.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "standard output:\n{}\nstandard error:\n{}", self.out, self.err);
        self
    }

    /// Standard error must hold each of these.
    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not said:\n{}", self.err);
        }
        self
    }

    /// Standard output must hold each of these: what was asked for was found.
    #[track_caller]
    pub(crate) fn finds(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(
                self.out.contains(part),
                "`{part}` is not found:\n{}\nstandard error:\n{}",
                self.out,
                self.err
            );
        }
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| {
            panic!("{error}\nstandard output:\n{}\nstandard error:\n{}", self.out, self.err)
        })
    }

    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

pub(crate) fn documents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents")
}

/// Waits until no process has this number. One that was killed may not have been reaped by the system yet.
#[cfg(unix)]
pub(crate) fn wait_until_gone(process: &str) {
    until(&format!("process {process} is gone"), || {
        let state = Command::new("ps").args(["-o", "stat=", "-p", process]).output().unwrap();
        let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
        (state.is_empty() || state.starts_with('Z')).then_some(())
    });
}

/// Polls, for as long as anything may take, until there is something to be found of another process.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(begun.elapsed() < PLENTY, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

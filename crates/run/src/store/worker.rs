//! The process that works on a run, and whether it still does.

use crate::value::ShownPath;
use std::fmt;

/// A process, as far as one of the same machine can tell it from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessId {
    /// The machine since it was started, and the part of it in which process numbers count.
    pub machine: String,
    /// The process's number, and when it began.
    pub process: String,
}

impl fmt::Display for ProcessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.process.split(' ').next().unwrap_or_default();
        let host = self.machine.split(' ').next().unwrap_or_default();
        write!(f, "process {number} on `{host}`")
    }
}

impl ProcessId {
    /// This process.
    #[must_use]
    pub fn own() -> Self {
        let number = std::process::id();
        ProcessId { machine: machine(), process: format!("{number} {}", started(number).unwrap_or_default()) }
    }

    /// Returns whether the process is certainly gone. `false` on another machine, or if the system does not tell.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        if self.machine != machine() || !tells() {
            return false;
        }
        let Some((number, began)) = self.process.split_once(' ') else { return false };
        number.parse().is_ok_and(|number| started(number).as_deref() != Some(began))
    }
}

/// The machine's name, its boot and the process's namespace, as far as the system tells: in another container the same
/// number is another process.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let name = read("/proc/sys/kernel/hostname");
    format!(
        "{} {} {}",
        if name.is_empty() { "this-machine" } else { &name },
        read("/proc/sys/kernel/random/boot_id"),
        namespace.shown()
    )
}

/// Returns whether the system reports which processes there are.
fn tells() -> bool {
    started(std::process::id()).is_some()
}

/// The time at which a process began, in ticks since the machine was started; `None` of one that is gone or a zombie.
fn started(number: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The program's name is in brackets and may hold anything.
    let mut rest = stat.rsplit_once(')')?.1.split_whitespace();
    if matches!(rest.next(), Some("Z" | "X")) {
        return None;
    }
    rest.nth(18).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_there_and_one_that_began_at_another_time_is_gone() {
        let own = ProcessId::own();
        assert!(!own.is_gone());
        if tells() {
            let other = ProcessId { process: format!("{} 1", std::process::id()), ..own.clone() };
            assert!(other.is_gone());
            let never = ProcessId { process: "4194999 1".to_owned(), ..own.clone() };
            assert!(never.is_gone());
        }
        let elsewhere = ProcessId { machine: "other boot pid".to_owned(), process: "1 1".to_owned() };
        assert!(!elsewhere.is_gone());
        assert_eq!(elsewhere.to_string(), "process 1 on `other`");
    }
}

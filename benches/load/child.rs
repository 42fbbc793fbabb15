//! The resources that a process took.

use super::LoadFailure;
use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};

/// The resources that a process took until its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChildUsage {
    wall: Duration,
    cpu: Duration,
    peak_kib: u64,
}

impl ChildUsage {
    /// Runs a command to its end. Linux only: other systems don't say.
    pub(super) fn of(mut command: Command) -> Result<Self, LoadFailure> {
        let began = Instant::now();
        let mut child = command.spawn()?;
        let (mut peak_kib, mut cpu) = (0, Duration::ZERO);
        let process = format!("/proc/{}", child.id());
        loop {
            // A process that has ended and was not waited for says what it took.
            let stat = std::fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
            let fields: Vec<&str> =
                stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect()).unwrap_or_default();
            let ticks =
                |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or_default();
            cpu = cpu.max(Duration::from_millis((ticks(11) + ticks(12)) * 10));
            let status = std::fs::read_to_string(format!("{process}/status")).unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|peak| peak.trim().trim_end_matches("kB").trim().parse().ok());
            peak_kib = peak_kib.max(peak.unwrap_or_default());
            if matches!(fields.first(), None | Some(&("Z" | "X"))) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let status = child.wait()?;
        if !status.success() {
            return Err(format!("the command ended with {status}").into());
        }
        Ok(ChildUsage { wall: began.elapsed(), cpu, peak_kib })
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of documents")]
    pub(super) fn cpu_per(&self, count: usize) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / count.max(1) as f64
    }

    pub(super) fn peak_kib(&self) -> u64 {
        self.peak_kib
    }
}

impl fmt::Display for ChildUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} s, {:.2} s CPU, peak {} KiB",
            self.wall.as_secs_f64(),
            self.cpu.as_secs_f64(),
            self.peak_kib
        )
    }
}

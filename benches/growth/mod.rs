//! Growth of times with what is assessed, as tables: `cargo bench -- growth`.
#![expect(clippy::print_stdout, reason = "a bench says what it has measured")]

mod desk;
mod grounding;
mod history;
mod profile;
mod reading;
mod text;

use std::time::{Duration, Instant};

/// Twice as much takes twice as long, and this is far more than a busy machine makes of it.
const GROSSLY_WRONG: f64 = 3.0;

pub(crate) fn tables() {
    profile::table();
    text::table();
    history::table();
    grounding::table();
    reading::table();
    desk::table();
}

/// The review desk alone: `cargo bench -- desk`.
pub(crate) fn desk() {
    desk::table();
}

/// The reading of documents alone: `cargo bench -- reading`.
pub(crate) fn reading() {
    reading::table();
}

/// The median of as many runs as fit into a moment, three at least.
fn median(mut run: impl FnMut() -> Duration) -> Duration {
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.len() < 3 || (begun.elapsed() < Duration::from_millis(100) && times.len() < 101) {
        times.push(run());
    }
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Prints times by size, each size twice the one before, with the factor of each doubling.
fn print_doublings(name: &str, unit: &str, rows: &[(usize, Duration)]) {
    println!("{name}, in microseconds\n{unit:>10}{:>12}{:>10}", "time", "factor");
    let mut above: Option<Duration> = None;
    for (size, time) in rows {
        let factor = above.map(|above| time.as_secs_f64() / above.as_secs_f64());
        let shown = factor.map_or_else(String::new, |factor| format!("{factor:.2}"));
        println!("{size:>10}{:>12.2}{shown:>10}", time.as_secs_f64() * 1e6);
        above = Some(*time);
    }
    println!();
    // Over two doublings, so that one time that was disturbed fails nothing.
    for rows in rows.windows(3) {
        if let [(less, before), _, (more, after)] = rows {
            let factor = (after.as_secs_f64() / before.as_secs_f64()).sqrt();
            assert!(factor <= GROSSLY_WRONG, "{name}: from {less} to {more} {unit} by {factor:.2} each time");
        }
    }
}

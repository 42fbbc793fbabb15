//! Many documents over the loopback: what a document costs compared to a hand-written loop, how much memory it takes,
//! how large the journal gets, and what a run loses that is killed again and again.
//!
//! ```text
//! cargo run --release --example load -- cost 100000      CPU per document, memory, journal
//! cargo run --release --example load -- memory           peak memory at 1,000 and at 100,000 documents
//! cargo run --release --example load -- kills 1000       kill -9 at random moments, in batches of 100 documents
//! cargo run --release --example load -- processes        one, two and four processes on one run
//! cargo run --release --example load -- start            from the start of the program to its first call
//! cargo run --release --example load -- service 1000     documents submitted by 50 clients at once, two kills
//! ```
//!
//! Expects `loopctl` beside the folder of examples, as `cargo build --release` leaves it.

#![expect(clippy::print_stdout, reason = "a program that measures and says what it found")]

mod by_hand;
mod child;
mod kills;
mod project;
mod server;
mod service;

use child::ChildUsage;
use project::LoadProject;
use server::Server;
use std::path::Path;
use std::time::Duration;

pub(crate) type LoadFailure = Box<dyn std::error::Error>;

/// At the same time.
const JOBS: usize = 64;

fn main() -> Result<(), LoadFailure> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_else(|| "cost".to_owned());
    let count = arguments.next().map(|count| count.replace([',', '_'], "").parse::<usize>()).transpose()?;
    match what.as_str() {
        "cost" => cost(count.unwrap_or(10_000)),
        "memory" => memory(count.unwrap_or(100_000)),
        "kills" => kills(count.unwrap_or(100)),
        "processes" => processes(count.unwrap_or(2_000)),
        "service" => service(count.unwrap_or(1_000)),
        "start" => start(count.unwrap_or(20)),
        // The hand-written loop is measured as a process of its own, too.
        "by-hand" => {
            let (folder, address) =
                (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
            by_hand::run(folder.as_ref(), &address, JOBS)
        }
        other => Err(format!("`{other}` is none of cost, memory, kills, processes, start, service").into()),
    }
}

/// `target/release/examples/load` lies beside `target/release/loopctl`.
fn project(count: usize) -> Result<LoadProject, LoadFailure> {
    let own = std::env::current_exe()?;
    LoadProject::new(own.ancestors().nth(2).unwrap_or(Path::new(".")).join("loopctl"), count)
}

fn kills(kills: usize) -> Result<(), LoadFailure> {
    let own = std::env::current_exe()?;
    let loopctl = own.ancestors().nth(2).unwrap_or(Path::new(".")).join("loopctl");
    println!("{}", kills::run(&loopctl, kills)?);
    Ok(())
}

fn service(documents: usize) -> Result<(), LoadFailure> {
    let own = std::env::current_exe()?;
    let loopctl = own.ancestors().nth(2).unwrap_or(Path::new(".")).join("loopctl");
    println!("{}", service::run(&loopctl, documents, 50, 2)?);
    Ok(())
}

fn cost(count: usize) -> Result<(), LoadFailure> {
    let project = project(count)?;
    let server = Server::start(Duration::ZERO)?;
    let ours = ChildUsage::of(project.run(server.address(), JOBS))?;
    let answered = server.take();
    project.assert_passed(count)?;
    let journal = project.journal_bytes()?;
    let by_hand = ChildUsage::of(project.by_hand(server.address())?)?;
    let asked_by_hand = server.take();
    assert_eq!(answered.calls, asked_by_hand.calls, "both loops make the same calls");
    println!(
        "{count} documents of {} bytes, {} calls, {JOBS} at once",
        project.document_bytes(),
        answered.calls
    );
    println!("  loopctl  {ours}  ({:.0} µs CPU per document)", ours.cpu_per(count));
    println!("  by hand  {by_hand}  ({:.0} µs CPU per document)", by_hand.cpu_per(count));
    println!("  ratio of CPU  {:.2}  (goal 1.5)", ours.cpu_per(count) / by_hand.cpu_per(count));
    println!(
        "  journal  {journal} bytes, {:.2} times what was answered ({} bytes; goal 3)",
        ratio(journal, answered.bytes),
        answered.bytes
    );
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "shown with two decimals")]
fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other.max(1) as f64
}

fn memory(most: usize) -> Result<(), LoadFailure> {
    let mut peaks = Vec::new();
    for count in [1_000, most] {
        let project = project(count)?;
        let server = Server::start(Duration::ZERO)?;
        let measured = ChildUsage::of(project.run(server.address(), JOBS))?;
        project.assert_passed(count)?;
        println!("{count:>8} documents  {measured}");
        peaks.push(measured.peak_kib());
    }
    let ratio = ratio(peaks.get(1).copied().unwrap_or_default(), peaks.first().copied().unwrap_or(1));
    println!("  ratio of peak memory  {ratio:.2}  (goal 1.10, and at most 65536 KiB)");
    Ok(())
}

fn processes(count: usize) -> Result<(), LoadFailure> {
    for processes in [1, 2, 4] {
        let project = project(count)?;
        // A server that takes its time: each process has so many calls in flight, and more processes more.
        let server = Server::start(Duration::from_millis(20))?;
        let began = std::time::Instant::now();
        let first = project.run(server.address(), 4).spawn()?;
        let mut all = vec![first];
        // The run is there once its first call is.
        server.wait_for_calls(1);
        for _ in 1..processes {
            all.push(project.resume(server.address(), 4).spawn()?);
        }
        for mut process in all {
            process.wait()?;
        }
        let took = began.elapsed();
        project.assert_passed(count)?;
        let answered = server.take();
        println!(
            "{processes} processes: {count} documents in {:.1} s, {} calls, {} of them twice",
            took.as_secs_f64(),
            answered.calls,
            answered.twice
        );
    }
    Ok(())
}

fn start(times: usize) -> Result<(), LoadFailure> {
    let project = project(1)?;
    let server = Server::start(Duration::ZERO)?;
    let mut took = Vec::new();
    for _ in 0..times {
        server.take();
        let began = std::time::Instant::now();
        let mut child = project.run(server.address(), 1).spawn()?;
        took.push(server.wait_for_calls(1).duration_since(began));
        child.wait()?;
        project.clear()?;
    }
    took.sort();
    let middle = took.get(took.len() / 2).copied().unwrap_or_default();
    println!("start to first call: median {:.1} ms of {times}  (goal 60)", middle.as_secs_f64() * 1e3);
    Ok(())
}

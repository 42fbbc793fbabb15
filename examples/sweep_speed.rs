//! The speed at which recordings are read, decided on, and swept:
//! `cargo run --release --example sweep_speed -- runs.jsonl…`
//!
//! Documents are taken again and again until there are 2,000. Each number is of one core, but for the sweep, which takes all.

#![expect(clippy::print_stdout, reason = "it says what it measures")]

use loopctl::diag::Problems;
use loopctl::experiment::sweep::{Candidate, Experiment, Goals, Split, Trial};
use loopctl::experiment::{Decider, Trajectories};
use loopctl::policy::ScriptCriteria;
use loopctl::profile::{Library, Override, load};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const DOCUMENTS: usize = 2_000;
const POLICIES: usize = 10_000;
/// Each measurement takes so long.
const LONG: Duration = Duration::from_secs(2);

const EXPERIMENT: &str = "
documents: { trajectories: [runs.jsonl] }
space: {}
objectives: [{ maximize: overall }, { minimize: cost_usd }]
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    for file in std::env::args().skip(1) {
        text.push_str(&std::fs::read_to_string(file)?);
    }
    let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    if lines.is_empty() {
        return Err("name files of trajectories".into());
    }
    let mut trajectories = Trajectories::new(false);
    let (mut bytes, began) = (0, Instant::now());
    while began.elapsed() < LONG {
        trajectories.clear();
        for line in lines.iter().cycle().take(DOCUMENTS) {
            trajectories.read_line(line)?;
            bytes += line.len() + 1;
        }
    }
    println!("read            {:.0} MB/s", per_second(bytes, began) / 1e6);

    let candidate = |settings: &[String]| -> Option<Candidate> {
        let mut problems = Problems::new();
        let usual = ["assess.quality=given", "overall.from=quality"].map(str::to_owned);
        let settings: Vec<Override> = usual
            .iter()
            .chain(settings)
            .filter_map(|flag| Override::from_flag(flag, &mut problems))
            .collect();
        let loaded = load("balanced", &Library::embedded(), &settings, &|_| None, &mut problems)?;
        let scripts = ScriptCriteria::default();
        Some(Candidate {
            policy: loaded.profile.policy,
            scripts,
            review: None,
            dimensions: Vec::new(),
            told_otherwise: false,
        })
    };
    let balanced = candidate(&[]).ok_or("`balanced` can't be used")?;
    let mut decider = Decider::new(&trajectories, &balanced.policy, &balanced.scripts);
    let (mut decided, began) = (0, Instant::now());
    while began.elapsed() < LONG {
        decided += (0..DOCUMENTS).filter(|document| decider.decide(*document).is_some()).count();
    }
    println!("decided         {:.2} million trajectories/s", per_second(decided, began) / 1e6);

    let mut problems = Problems::new();
    let file = loopctl::diag::SourceFile::new("experiment", EXPERIMENT);
    let experiment = Experiment::parse(&file, &mut problems).ok_or("the experiment can't be used")?;
    let goals = Goals::of(&experiment, &balanced.policy);
    let split = Split::of(&trajectories, 0.5, 1);
    let began = Instant::now();
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let work = || {
        let mut trial = Trial::new(&trajectories, &goals);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= POLICIES {
                return;
            }
            if let Some(candidate) = candidate(&settings(number)) {
                assert!(trial.evaluate(&candidate, &split.train).is_ok());
            }
        }
    };
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    println!(
        "swept           {POLICIES} policies on {DOCUMENTS} documents in {:.1} s on {cores} cores",
        began.elapsed().as_secs_f64()
    );
    Ok(())
}

/// 10,000 different policies.
fn settings(number: usize) -> Vec<String> {
    vec![
        format!("stop.max_iterations={}", 1 + number % 20),
        format!("stop.rollbacks={}", 1 + number / 20 % 5),
        format!("stop.stagnation.window={}", 2 + number / 100 % 4),
        format!("stop.stagnation.epsilon=0.0{}", 1 + number / 400 % 5),
        format!("accept.overall=0.9{}", 1 + number / 2_000 % 5),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn per_second(count: usize, began: Instant) -> f64 {
    count as f64 / began.elapsed().as_secs_f64()
}

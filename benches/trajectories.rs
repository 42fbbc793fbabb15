//! Policies on recorded runs: how many documents are decided on in a second, and how fast lines are read.
//!
//! `cargo bench -- trajectories`. The recordings are those of `examples/trajectories`, over and over.

use crate::documents::shipped;
use criterion::{Criterion, Throughput};
use loopctl::experiment::{Decider, Trajectories, Trajectory, simulate};
use loopctl::policy::ScriptCriteria;
use loopctl::profile::{LoopPolicy, Overall};
use std::hint::black_box;

const RECORDED: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/trajectories/loopgain-bench.jsonl"));
/// So many times, some 2,000 documents.
const TIMES: usize = 46;

pub(crate) fn bench(criterion: &mut Criterion) {
    let lines: Vec<&[u8]> = RECORDED.lines().map(str::as_bytes).collect();
    let mut trajectories = Trajectories::new(true);
    for line in lines.iter().cycle().take(lines.len() * TIMES) {
        trajectories.read_line(line).unwrap();
    }
    let scripts = ScriptCriteria::default();

    let mut group = criterion.benchmark_group("trajectories");
    group.throughput(Throughput::Elements(trajectories.documents() as u64));
    for name in ["balanced", "definition", "batch", "literature"] {
        let policy = on_quality(name);
        group.bench_function(format!("{name}, decided"), |b| {
            let mut decider = Decider::new(&trajectories, &policy, &scripts);
            b.iter(|| {
                for document in 0..trajectories.documents() {
                    black_box(decider.decide(document));
                }
            });
        });
    }
    let policy = on_quality("balanced");
    let trajectories: Vec<Trajectory> = lines.iter().map(|line| Trajectory::parse(line).unwrap()).collect();
    group.throughput(Throughput::Elements(trajectories.len() as u64));
    group.bench_function("balanced, with a record of each decision", |b| {
        b.iter(|| {
            trajectories.iter().map(|one| simulate(&policy, &scripts, one).decisions.len()).sum::<usize>()
        });
    });

    group.throughput(Throughput::Bytes(RECORDED.len() as u64));
    group.bench_function("read", |b| {
        b.iter(|| {
            lines
                .iter()
                .map(|line| Trajectory::parse(black_box(line)).unwrap().iterations.len())
                .sum::<usize>()
        });
    });
    group.finish();
}

/// A shipped policy with the recorded dimension as its overall score.
fn on_quality(name: &str) -> LoopPolicy {
    let mut policy = LoopPolicy::clone(&shipped(name).policy);
    policy.overall = Overall::From("quality".to_owned());
    policy
}

//! The costs of loopctl, in one binary: each further binary would link everything again.
//!
//! `cargo bench` runs all in about a minute; `cargo bench -- score` those whose name has that word. Each number that
//! matters is next to one from the same run to compare it with.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a bench that can't be set up has nothing to measure")]

mod by_hand;
mod compile;
mod documents;
mod engine_step;
mod growth;
mod plugin_round_trip;
mod score;
mod trajectories;

use criterion::Criterion;
use std::time::Duration;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((by_hand::COUNTED, rest)) =
        arguments.split_first().map(|(first, rest)| (first.as_str(), rest))
    {
        return by_hand::repeat(rest);
    }
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    compile::bench(&mut criterion);
    score::bench(&mut criterion);
    engine_step::bench(&mut criterion);
    plugin_round_trip::bench(&mut criterion);
    trajectories::bench(&mut criterion);
    criterion.final_summary();
    // Not criterion's: what counts is how the cells of a table compare to each other.
    let filters: Vec<String> = arguments.into_iter().filter(|word| !word.starts_with('-')).collect();
    let asked = |name: &str| filters.is_empty() || filters.iter().any(|word| word == name);
    if asked("growth") {
        growth::tables();
    } else if asked("desk") {
        growth::desk();
    }
    if !asked("growth") && asked("reading") {
        growth::reading();
    }
    if asked("ratios") {
        by_hand::table();
    }
    if asked("instructions") {
        by_hand::instructions();
    }
}

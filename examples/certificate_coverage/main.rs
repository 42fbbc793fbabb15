//! The rate at which certificates of `loopctl calibrate` break their promise, by simulation: a table, and status 1
//! where it is above 6 % of the repetitions (the chance to err, 5 %, and one percent for the simulation).
//!
//! ```sh
//! cargo run --release --example certificate_coverage            # 2,000 repetitions of each
//! cargo run --release --example certificate_coverage -- 20000
//! ```

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a program for developers that prints a table")]
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of a simulation"
)]

mod simulation;

use simulation::{DELTA, SimulationOutcome, any_time, audit, models, once, one_batch, two_types};
use std::process::ExitCode;

fn main() -> ExitCode {
    let repetitions = std::env::args().nth(1).and_then(|number| number.parse().ok()).unwrap_or(2_000);
    println!("{repetitions} repetitions; shares in percent; the promise may be broken in 5");
    println!("{:<34} {:<22} {:>7} {:>7} {:>9}", "what", "documents", "broken", "found", "accepted");
    let mut highest: f64 = 0.0;
    let mut row = |what: &str, documents: &str, outcome: SimulationOutcome| {
        let SimulationOutcome { broken, found, accepted } = outcome;
        highest = highest.max(broken);
        println!(
            "{what:<34} {documents:<22} {:>7.2} {:>7.1} {:>9.1}",
            broken * 100.0,
            found * 100.0,
            accepted * 100.0
        );
    };
    for target in [0.02, 0.05] {
        let models = models(target);
        let percent = target * 100.0;
        for reviewed in [300, 1_000] {
            for model in &models {
                let outcome = once(model, target, reviewed, repetitions, 1);
                row(&format!("{percent} %, {reviewed} reviewed"), model.name, outcome);
            }
        }
        for model in &models {
            let outcome = one_batch(model, target, (2_000, 600), repetitions, 2);
            row(&format!("{percent} %, 600 of a batch of 2000"), model.name, outcome);
        }
        for model in &models {
            let outcome = any_time(model, target, 1_500, repetitions, 3);
            row(&format!("{percent} %, every look up to 1500"), model.name, outcome);
        }
        let pair = [&models[0], &models[3]];
        row(
            &format!("{percent} %, two types of 1000"),
            "six scores, too many",
            two_types(pair, target, 1_000, repetitions, 4),
        );
        row(
            &format!("{percent} %, drift in 1000 audited"),
            "as promised / thrice",
            audit(target, 3.0, 1_000, repetitions, 5),
        );
    }
    println!("highest: {:.2}", highest * 100.0);
    if highest > DELTA + 0.01 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

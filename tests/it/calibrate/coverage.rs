//! The rate at which certificates break their promise, by simulation on models that were not used to develop them. The
//! short version is part of every test run; `cargo run --release --example certificate_coverage` is the whole one and
//! prints the table.

#[path = "../../../examples/certificate_coverage/simulation.rs"]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of a simulation")]
mod simulation;

use simulation::{DELTA, any_time, audit, models, once, one_batch, two_types};

const TARGET: f64 = 0.05;

/// The rate that the chance to err, one percent and three standard errors of so many repetitions allow.
fn allowed(repetitions: u32) -> f64 {
    DELTA + 0.01 + 3.0 * (DELTA * (1.0 - DELTA) / f64::from(repetitions)).sqrt()
}

#[test]
fn the_models_are_as_hard_as_they_say() {
    let models = models(TARGET);
    // Something can be promised of the first three, and nothing of the others.
    for (model, possible) in models.iter().zip([true, true, true, false, false]) {
        let any = simulation::grid().iter().any(|at| model.coverage(*at) > 0.2 && model.risk(*at) <= TARGET);
        assert_eq!(any, possible, "{}", model.name);
    }
    let confident = &models[2];
    assert!(
        confident.risk(1.0) > TARGET && confident.risk(0.95) < TARGET,
        "errors do not fall with the score"
    );
}

#[test]
fn a_promise_is_seldom_broken() {
    let repetitions = 300;
    for model in &models(TARGET) {
        for reviewed in [200, 600] {
            let outcome = once(model, TARGET, reviewed, repetitions, 11);
            assert!(outcome.broken <= allowed(repetitions), "{}, {reviewed}: {outcome:?}", model.name);
        }
        let outcome = one_batch(model, TARGET, (600, 250), repetitions, 12);
        assert!(outcome.broken <= allowed(repetitions), "{}, one batch: {outcome:?}", model.name);
        let outcome = any_time(model, TARGET, 600, repetitions, 13);
        assert!(outcome.broken <= allowed(repetitions), "{}, any time: {outcome:?}", model.name);
    }
    // What is too cautious is of no use.
    assert!(once(&models(TARGET)[0], TARGET, 600, repetitions, 11).found > 0.5);
}

#[test]
fn types_share_the_chance_to_err_and_an_audit_seldom_cries_wolf() {
    let repetitions = 300;
    let models = models(TARGET);
    let outcome = two_types([&models[0], &models[3]], TARGET, 400, repetitions, 14);
    assert!(outcome.broken <= allowed(repetitions), "{outcome:?}");
    let outcome = audit(TARGET, 3.0, 500, repetitions, 15);
    assert!(outcome.broken <= allowed(repetitions) && outcome.found > 0.9, "{outcome:?}");
}

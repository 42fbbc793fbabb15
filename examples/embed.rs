//! The loop in a program of yours: `cargo run --example embed --features bundled --target-dir target/bundled`.
//!
//! A program of yours depends on loopctl as `docs/rust.md` shows: the feature `bundled` links the shipped providers in,
//! `network` lets those ask models that go by HTTP.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use loopctl::Loop;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clinical = Loop::builder().profile("clinical").provider("pattern").build()?;
    let (liver, thyroid) = tokio::join!(
        clinical.run("liver", include_str!("reports/liver-resection.txt")),
        clinical.run("thyroid", include_str!("reports/thyroid-resection.txt")),
    );
    for result in [liver?, thyroid?] {
        let status = result.final_status.as_str();
        let overall = result.best_validation.as_ref().map(|best| best.overall);
        println!("{}: {status}, overall {}", result.id, overall.unwrap_or_default());
    }
    Ok(())
}

//! A run that is killed again and again loses nothing. `cargo run --release --example load -- kills 1000` is the long version.

#[path = "../../benches/load/kills.rs"]
mod killing;
#[expect(dead_code, reason = "some of it is for measuring")]
#[path = "../../benches/load/project.rs"]
mod project;
#[expect(dead_code, reason = "some of it is for measuring")]
#[path = "../../benches/load/server.rs"]
mod server;

type Failure = Box<dyn std::error::Error>;

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    killing::run(env!("CARGO_BIN_EXE_loopctl").as_ref(), 12).unwrap();
}

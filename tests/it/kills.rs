//! A run that is killed again and again loses nothing, and neither does a service. `cargo run --release --example load -- kills 1000` and
//! `-- service 1000` are the long versions.

#[path = "../../benches/load/kills.rs"]
mod killing;
#[expect(dead_code, reason = "some of it is for measuring")]
#[path = "../../benches/load/project.rs"]
mod project;
#[expect(dead_code, reason = "some of it is for measuring")]
#[path = "../../benches/load/server.rs"]
mod server;

#[path = "../../benches/load/service.rs"]
mod service;

type LoadFailure = Box<dyn std::error::Error>;

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    killing::run(env!("CARGO_BIN_EXE_loopctl").as_ref(), 12).unwrap();
}

#[cfg(unix)]
#[test]
fn a_service_that_is_killed_loses_no_document_and_does_none_twice() {
    service::run(env!("CARGO_BIN_EXE_loopctl").as_ref(), 60, 12, 2).unwrap();
}

//! The telemetry of a run, and its names: those of spans and events ([`names`]), their fields ([`fields`]), and the
//! export to a collector (feature `export`), which only the user of the program switches on.
//!
//! - `endpoints`: the destination, by the flag and the standard variables.
//! - `spans`: spans and events of `tracing` become those of OpenTelemetry.
//! - `instruments`: the counts and measures that are taken from them.
//! - `transport`: requests to the collector, on a runtime of their own.
//! - `export`: starts all of these, and ends them within a deadline.

#[cfg(feature = "export")]
use loopctl_base::value;

#[cfg(feature = "export")]
pub mod endpoints;
#[cfg(feature = "export")]
pub mod export;
#[cfg(feature = "export")]
pub mod fields;
#[cfg(feature = "export")]
mod instruments;
pub mod names;
#[cfg(feature = "export")]
mod spans;
#[cfg(feature = "export")]
mod transport;

//! The telemetry of a run, and its names: those of spans and events ([`names`]), their fields ([`fields`]), and the
//! export to a collector (feature `telemetry`), which only the user of the program switches on.
//!
//! - [`endpoints`]: the destination, by the flag and the standard variables.
//! - [`spans`]: spans and events of `tracing` become those of OpenTelemetry.
//! - [`instruments`]: the counts and measures of them.
//! - [`transport`]: requests to the collector, on a runtime of their own.
//! - [`export`]: all of it together, and its end within a deadline.

#[cfg(feature = "telemetry")]
pub(crate) mod endpoints;
#[cfg(feature = "telemetry")]
pub(crate) mod export;
#[cfg(feature = "telemetry")]
pub(crate) mod fields;
#[cfg(feature = "telemetry")]
mod instruments;
pub(crate) mod names;
#[cfg(feature = "telemetry")]
mod spans;
#[cfg(feature = "telemetry")]
mod transport;

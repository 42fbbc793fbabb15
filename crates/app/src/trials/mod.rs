//! Documents that other policies are tried on: trajectories from files, and recorded runs.

mod recorded;
mod trajectory_files;

pub use recorded::{recorded_run, say_without_candidate};
pub use trajectory_files::{Observations, Policy, TrajectoryReading, overall_from};

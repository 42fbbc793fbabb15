//! Policies tried on documents of trajectories from files and of recorded runs.

mod policy_trial;
mod recorded;
mod simulation;
mod trajectory_files;
mod tried_profile;

pub(crate) use policy_trial::PolicyTrial;
pub(crate) use recorded::{recorded_run, say_without_candidate};
pub use simulation::{Simulation, SimulationRequest, simulate};
pub(crate) use trajectory_files::TrajectoryReading;
pub use tried_profile::TriedProfile;
pub(crate) use tried_profile::overall_from;

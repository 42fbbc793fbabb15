//! The candidates of runs that are over, scored again with another plan, without asking anybody.

mod course;
mod kept;
mod standing;

pub use course::Course;
pub use kept::{Kept, Rescored, Room};
pub use standing::Standing;

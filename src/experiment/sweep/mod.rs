//! Which policy of many is best on recorded runs (`loopctl sweep`).
//!
//! An [`Experiment`] is a file: profiles, a [`Space`] of settings laid over them, what is wanted ([`Objective`]) and what must
//! hold. Every policy of the space is tried on every document ([`Trial`]); which are best is looked at on one part of the
//! documents, and how good those are is said on the other ([`Findings`]). All of it follows from the file and the recordings.

mod compare;
mod expression;
mod file;
mod findings;
mod front;
mod measures;
mod range;
mod space;
mod split;
mod trial;

pub use file::{Documents, Experiment, Goal, Objective, Resampling, SplitKeys};
pub use findings::{Comparison, Counts, Findings, ObjectiveName, PassedComparison, ShownPolicy, Verdict};
pub use front::{Standing, front};
pub use measures::Measure;
pub use space::{MOST_POLICIES, Space};
pub use split::Split;
pub use trial::{Candidate, Evaluation, Goals, Trial};

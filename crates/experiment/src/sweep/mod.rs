//! The search for the best of many policies on recorded runs (`loopctl sweep`).
//!
//! An [`Experiment`] is a file: profiles, a [`Space`] of settings laid over them, what is wanted ([`Objective`]) and
//! what must hold. Every policy of the space is tried on every document ([`Trial`]); the best are chosen on one part of
//! the documents ([`Choice`]), and judged on the other ([`Findings`]). All of it follows from the file and the
//! recordings.
//!
//! Where documents would have to be run first, which costs money, policies race ([`Race`]): they all run on a few documents, the
//! worse half is dropped, the others get twice as many ([`Schedule`]), within a budget ([`Spending`]).

mod candidate;
mod choice;
mod compare;
mod expression;
mod file;
mod findings;
mod front;
mod measured;
mod measures;
mod race;
mod range;
mod schedule;
mod space;
mod spending;
mod split;
mod trial;
mod usable;

pub use candidate::Candidate;
pub use candidate::RecordedBy;
pub use choice::{Choice, Counts, Tried};
pub use compare::{Comparison, Difference, PassedComparison, ShownOutcomes, Standing, Verdict};
pub use file::{Documents, Experiment, Goal, Objective, RaceKeys, Resampling, SplitKeys};
pub use findings::{DocumentCounts, Findings, Method, ObjectiveName, ShownPolicy, SplitDocuments};
pub use front::front;
pub use measured::Measured;
pub use measures::Measure;
pub use race::{Drop, Dropped, DroppedPolicy, Limits, Race, RaceFindings, Round};
pub use schedule::{Heat, Schedule};
pub use space::{MOST_POLICIES, Space};
pub use spending::Spending;
pub use split::Split;
pub use trial::{Evaluation, Goals, Outcomes, Trial};

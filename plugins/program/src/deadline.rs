//! Deadlines: the time until which something may take.

use std::time::{Duration, Instant};

/// A time in the future; none if that is farther than the clock counts.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline after so much time from now.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Deadline(Instant::now().checked_add(time))
    }

    /// The time that is left; `None` without an end.
    #[must_use]
    pub fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Returns whether no time is left.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }
}

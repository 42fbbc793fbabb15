//! The time at which saved files are inspected: editors write a file in several steps, and no one wants a report on
//! each.

use crate::value::Millis;

/// The quiet that shows that an editor is done.
pub(super) const QUIET: Millis = Millis(120);
/// The longest wait for quiet: a file that is written all the time must not hide changes of others.
pub(super) const LONGEST: Millis = Millis(2_000);

/// Waits for quiet after the first of several changes. Times count from any fixed moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Debounce {
    stirred: Option<(Millis, Millis)>,
}

impl Debounce {
    /// Records a change.
    pub(super) fn stir(&mut self, now: Millis) {
        let first = self.stirred.map_or(now, |(first, _)| first);
        self.stirred = Some((first, now));
    }

    /// The time of the inspection; `None` while nothing has changed.
    #[must_use]
    pub(super) fn due(&self) -> Option<Millis> {
        let (first, latest) = self.stirred?;
        Some(latest.saturating_add(QUIET).min(first.saturating_add(LONGEST)))
    }

    /// Clears the changes, which are being inspected.
    pub(super) fn settle(&mut self) {
        self.stirred = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_changes_are_looked_at_once_and_not_put_off_for_ever() {
        let mut settling = Debounce::default();
        assert_eq!(settling.due(), None);
        settling.stir(Millis(1_000));
        assert_eq!(settling.due(), Some(Millis(1_120)));
        settling.stir(Millis(1_100));
        assert_eq!(settling.due(), Some(Millis(1_220)));
        for at in (1_200..2_990).step_by(10) {
            settling.stir(Millis(at));
        }
        assert_eq!(settling.due(), Some(Millis(3_000)));
        settling.settle();
        assert_eq!(settling.due(), None);
        settling.stir(Millis(5_000));
        assert_eq!(settling.due(), Some(Millis(5_120)));
    }
}

//! A limit of the work that something may still do. The pure modules have no clock: they count what they inspect
//! instead, stop at a limit, and stop when cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A signal for work on another thread to stop, shared by all clones.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Sends the signal.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the signal was sent.
    #[must_use]
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A limit of work: what is inspected is counted, and nothing more is inspected once the count exceeds the limit.
///
/// Once it is spent, or cancelled, it stays so. Code that works with it reports that something was left out: what was
/// not inspected is never taken to be right.
#[derive(Debug)]
pub struct Fuel {
    /// One thread counts; it is atomic to be shared with what it calls.
    spent: AtomicU64,
    limit: u64,
    cancel: Cancel,
}

impl Fuel {
    /// A limit of so many steps, until someone cancels.
    #[must_use]
    pub fn new(limit: u64, cancel: &Cancel) -> Self {
        Fuel { spent: AtomicU64::new(0), limit, cancel: cancel.clone() }
    }

    /// A limit of so many steps, never cancelled.
    #[must_use]
    pub fn of(limit: u64) -> Self {
        Fuel::new(limit, &Cancel::default())
    }

    /// Counts steps that are about to be done; `false` when they must not be.
    #[inline]
    pub fn spend(&self, steps: u64) -> bool {
        self.spent.store(self.spent().saturating_add(steps), Ordering::Relaxed);
        !self.is_spent()
    }

    /// Counts as many steps as there are things.
    #[inline]
    pub fn spend_on(&self, things: usize) -> bool {
        self.spend(u64::try_from(things).unwrap_or(u64::MAX))
    }

    /// Returns whether nothing more may be done.
    #[must_use]
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.spent() > self.limit || self.cancel.is_cancelled()
    }

    /// The number of steps that were counted.
    #[must_use]
    #[inline]
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// The signal that it listens to.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Begins again.
    pub fn refill(&mut self) {
        *self.spent.get_mut() = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_or_a_word_ends_work_for_good() {
        let fuel = Fuel::of(10);
        assert!(fuel.spend(10));
        assert!(!fuel.spend(1));
        assert!(!fuel.spend(0));
        assert_eq!(fuel.spent(), 11);
        let cancel = Cancel::default();
        let fuel = Fuel::new(u64::MAX, &cancel);
        assert!(fuel.spend(u64::MAX));
        cancel.cancel();
        assert!(fuel.is_spent() && !fuel.spend(0));
    }
}

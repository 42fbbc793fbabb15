//! Bounds on the work of drawing pages: what draws them can't be told to stop, so it is unwound.

use super::super::file_text::Unread;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The most steps of a document, and more for each of its pages. A glyph is one, and each point of a line; a step takes
/// some fifty nanoseconds. Hundreds of maps have fewer. Tests don't wait.
const MOST_STEPS: u64 = if cfg!(test) { 2_000_000 } else { 50_000_000 };
const STEPS_OF_PAGE: u64 = if cfg!(test) { 10_000 } else { 1_000_000 };

/// The steps that a document may still take.
#[derive(Debug)]
pub(super) struct StepsLeft(u64);

impl StepsLeft {
    /// The steps of a document with so many pages.
    pub(super) fn of_pages(pages: usize) -> Self {
        let pages = u64::try_from(pages).unwrap_or(u64::MAX);
        StepsLeft(MOST_STEPS.saturating_add(pages.saturating_mul(STEPS_OF_PAGE)))
    }

    /// The number of steps that are left.
    pub(super) fn count(&self) -> u64 {
        self.0
    }

    /// Takes steps; within [`bounded`], the work ends when none are left.
    pub(super) fn take(&mut self, steps: u64) {
        match self.0.checked_sub(steps) {
            Some(left) => self.0 = left,
            None => give_up(Unread::TooMuchWork),
        }
    }
}

/// Ends the work within [`bounded`] for this reason.
pub(super) fn give_up(why: Unread) -> ! {
    // No message is written for it, unlike for a panic.
    resume_unwind(Box::new(why))
}

/// The result of work that may be given up, or that breaks.
pub(super) fn bounded<T>(work: impl FnOnce() -> T) -> Result<T, Unread> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|thrown| match thrown.downcast::<Unread>() {
        Ok(why) => *why,
        Err(_) => Unread::Lost { why: "a part of it can't be drawn".to_owned() },
    })
}

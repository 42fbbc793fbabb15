//! Bounds on the work of drawing pages: what draws them can't be told to stop, so it is unwound.

use super::super::file_text::Unread;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The most steps of a document: a glyph is one, and each point of a line. Hundreds of maps have fewer. Tests don't wait.
const MOST_STEPS: u64 = if cfg!(test) { 1_000_000 } else { 50_000_000 };

/// The steps that a document may still take.
#[derive(Debug)]
pub(super) struct StepsLeft(u64);

impl Default for StepsLeft {
    fn default() -> Self {
        StepsLeft(MOST_STEPS)
    }
}

impl StepsLeft {
    /// Takes steps; within [`bounded`], the work ends when none are left.
    pub(super) fn take(&mut self, steps: usize) {
        match u64::try_from(steps).ok().and_then(|steps| self.0.checked_sub(steps)) {
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

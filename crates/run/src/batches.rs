//! The settings for batches of vendors in a run, and the news about them.

use crate::value::{Millis, sanitize_line};
use std::fmt;
use std::time::Duration;

/// The settings for calls of providers that have batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSettings {
    /// `true` if calls wait for a batch. Otherwise only batches that were submitted before are waited for.
    pub used: bool,
    /// The time to wait for a batch from its submission. Then it is cancelled, and its unanswered calls are made
    /// online.
    pub wait: Millis,
    /// After the first batch, fewer calls than this are made online.
    pub tail: u64,
    /// The longest pause between two polls of a batch.
    pub longest_pause: Duration,
}

impl Default for BatchSettings {
    fn default() -> Self {
        BatchSettings {
            used: false,
            wait: Millis(24 * 3_600_000),
            tail: 50,
            longest_pause: Duration::from_secs(300),
        }
    }
}

/// An event of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchNews {
    /// A vendor has it.
    Submitted {
        /// The vendor's name for it.
        handle: String,
        /// The provider's name.
        provider: String,
        /// The number of calls in it.
        calls: u64,
    },
    /// It was submitted by an earlier process, or its answer was lost; and it was found.
    Found {
        /// The vendor's name for it.
        handle: String,
        /// The number of its calls that are not answered here.
        calls: u64,
    },
    /// Something failed that may succeed later.
    Trouble {
        /// The vendor's name for it, or ours.
        batch: String,
        /// The failure.
        why: String,
        /// The pause before it is tried again.
        pause: Millis,
    },
    /// It was waited for long enough, and the vendor is asked to end it.
    TooLate {
        /// The vendor's name for it.
        handle: String,
        /// The time waited.
        waited: Millis,
    },
    /// Its answers are stored.
    Answered(BatchAnswers),
    /// The vendor was asked to forget it and did not say that it has.
    NotDeleted {
        /// The vendor's name for it.
        handle: String,
        /// The reason.
        why: String,
    },
    /// These calls are not worth a batch, and are made online.
    Online {
        /// The number of calls.
        calls: u64,
    },
    /// No batch can be made, or its answers are not available. Documents that wait for one keep waiting.
    Refused {
        /// The reason.
        why: String,
    },
}

/// The outcome of a batch's lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchAnswers {
    /// The vendor's name for it.
    pub handle: String,
    /// Answers of a model.
    pub answered: u64,
    /// Calls that failed, expired or were cancelled.
    pub failed: u64,
    /// Calls that it did not mention.
    pub missing: u64,
    /// Of all these, calls that are made online.
    pub online: u64,
    /// Results of calls that had one already.
    pub again: u64,
    /// Results of calls that were not made.
    pub unknown: u64,
    /// The ids of some of these.
    pub unknown_ids: Vec<String>,
    /// Lines that are not results.
    pub unreadable: u64,
}

impl fmt::Display for BatchNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchNews::Submitted { handle, provider, calls } => {
                write!(f, "batch `{}` of `{provider}`: {} submitted", clean(handle), calls_of(*calls))
            }
            BatchNews::Found { handle, calls } => {
                write!(f, "batch `{}`: found, with {} to be answered", clean(handle), calls_of(*calls))
            }
            BatchNews::Trouble { batch, why, pause } => {
                write!(f, "batch `{}`: {}; tried again in {pause}", clean(batch), clean(why))
            }
            BatchNews::TooLate { handle, waited } => {
                write!(
                    f,
                    "batch `{}`: waited for {waited}; the calls that are left are made online",
                    clean(handle)
                )
            }
            BatchNews::Answered(answers) => answers.fmt(f),
            BatchNews::NotDeleted { handle, why } => {
                write!(f, "batch `{}`: the vendor may still have its files: {}", clean(handle), clean(why))
            }
            BatchNews::Online { calls } => write!(f, "{} left, made online", calls_of(*calls)),
            BatchNews::Refused { why } => write!(f, "no batch: {}", clean(why)),
        }
    }
}

impl fmt::Display for BatchAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "batch `{}`: {} answered", clean(&self.handle), calls_of(self.answered))?;
        let counts = [
            (self.failed, "failed"),
            (self.missing, "without a result"),
            (self.online, "to be made online"),
            (self.again, "answered twice"),
            (self.unreadable, "unreadable"),
        ];
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} {what}")?;
        }
        if self.unknown > 0 {
            let ids: Vec<String> = self.unknown_ids.iter().map(|id| format!("`{}`", clean(id))).collect();
            write!(f, ", {} that no one asked for ({})", self.unknown, ids.join(", "))?;
        }
        Ok(())
    }
}

fn clean(text: &str) -> String {
    sanitize_line(text).to_string()
}

fn calls_of(count: u64) -> String {
    if count == 1 { "1 call".to_owned() } else { format!("{count} calls") }
}

//! What a run does with the batches of vendors, and what is told of them.

use crate::value::{Millis, sanitize_line};
use std::fmt;
use std::time::Duration;

/// How calls are made of providers that have batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSettings {
    /// Whether they wait for a batch. Otherwise only those are waited for that were submitted before.
    pub used: bool,
    /// How long a batch is waited for, from when it was submitted. Then it is cancelled, and what it has not answered is asked
    /// online.
    pub wait: Millis,
    /// After the first batch, fewer calls than this are made online.
    pub tail: u64,
    /// The longest pause between two looks at a batch.
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

/// What happened to a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchNews {
    /// A vendor has it.
    Submitted {
        /// What the vendor calls it.
        handle: String,
        /// Whose.
        provider: String,
        /// How many calls are in it.
        calls: u64,
    },
    /// It was submitted by an earlier process, or its answer was lost; and there it is.
    Found {
        /// What the vendor calls it.
        handle: String,
        /// How many calls of it are not answered here.
        calls: u64,
    },
    /// Something failed that may go well later.
    Trouble {
        /// What the vendor calls it, or we do.
        batch: String,
        /// What failed.
        why: String,
        /// It is tried again after this.
        pause: Millis,
    },
    /// It was waited for long enough, and the vendor is asked to end it.
    TooLate {
        /// What the vendor calls it.
        handle: String,
        /// For how long.
        waited: Millis,
    },
    /// Its answers are kept.
    Answered(BatchAnswers),
    /// The vendor was asked to forget it and did not say that it has.
    NotDeleted {
        /// What the vendor calls it.
        handle: String,
        /// Why.
        why: String,
    },
    /// So many calls are not worth a batch, and are made online.
    Online {
        /// How many.
        calls: u64,
    },
    /// No batch can be made, or its answers are not to be had. Documents that wait for one go on waiting.
    Refused {
        /// Why.
        why: String,
    },
}

/// What the lines of a batch came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchAnswers {
    /// What the vendor calls it.
    pub handle: String,
    /// Answers of a model.
    pub answered: u64,
    /// Calls that failed, expired or were cancelled.
    pub failed: u64,
    /// Calls of which it said nothing.
    pub missing: u64,
    /// Of all these, calls that are made online.
    pub online: u64,
    /// Results of calls that had one.
    pub again: u64,
    /// Results that nobody asked for.
    pub nobodys: u64,
    /// The ids of some of these.
    pub nobodys_ids: Vec<String>,
    /// Lines that are no results.
    pub unreadable: u64,
}

impl fmt::Display for BatchNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchNews::Submitted { handle, provider, calls } => {
                write!(f, "batch `{}` of `{provider}`: {} submitted", clean(handle), calls_of(*calls))
            }
            BatchNews::Found { handle, calls } => {
                write!(f, "batch `{}`: it is there, with {} to be answered", clean(handle), calls_of(*calls))
            }
            BatchNews::Trouble { batch, why, pause } => {
                write!(f, "batch `{}`: {}; once more in {pause}", clean(batch), clean(why))
            }
            BatchNews::TooLate { handle, waited } => {
                write!(f, "batch `{}`: waited for {waited}; what is left is made online", clean(handle))
            }
            BatchNews::Answered(answers) => answers.fmt(f),
            BatchNews::NotDeleted { handle, why } => {
                write!(f, "batch `{}`: the vendor may still have its files: {}", clean(handle), clean(why))
            }
            BatchNews::Online { calls } => write!(f, "{} left, which are made online", calls_of(*calls)),
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
        if self.nobodys > 0 {
            let ids: Vec<String> = self.nobodys_ids.iter().map(|id| format!("`{}`", clean(id))).collect();
            write!(f, ", {} that nobody asked for ({})", self.nobodys, ids.join(", "))?;
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

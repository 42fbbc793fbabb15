//! The documents of a run that wait for a person.

use crate::context::Context;
use crate::failure::Failure;
use crate::journals::{JournalSpec, ReviewedRun};
use crate::report::{Paint, review_queue_text};
use crate::review::{QueueEntry, ReviewCounts, sort};
use crate::store::StoredRun;

/// A request for the documents of a run that wait for a person, or were decided about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewQueueRequest {
    /// The run; `None` for the latest.
    pub run: Option<String>,
    /// Its journal.
    pub journal: JournalSpec,
    /// The word for a reason, if only documents that wait for it are wanted.
    pub reason: Option<String>,
    /// The word for a state, if only documents whose review is in it are wanted.
    pub state: Option<String>,
}

/// The documents of a run that wait for a person, or were decided about.
#[derive(Debug)]
pub struct ReviewQueue {
    /// The run.
    pub run: StoredRun,
    /// The documents that are wanted, the most urgent first.
    pub documents: Vec<QueueEntry>,
    /// The number of all such documents of the run in each state.
    pub counts: ReviewCounts,
}

/// Finds the documents of a run that wait for a person, or were decided about.
///
/// # Errors
/// When there is no such run, or the journal can't be read.
pub fn review_queue(request: &ReviewQueueRequest, context: &Context) -> Result<ReviewQueue, Failure> {
    let mut opened = ReviewedRun::open(&request.journal, request.run.as_deref(), context)?;
    let (mut documents, mut counts) = (Vec::new(), ReviewCounts::default());
    opened.each(None, |_, document| {
        let Some(entry) = QueueEntry::of(&document) else { return };
        counts.add(entry.state);
        if request.wants(&entry) {
            documents.push(entry);
        }
    })?;
    sort(&mut documents);
    Ok(ReviewQueue { run: opened.run, documents, counts })
}

impl ReviewQueueRequest {
    fn wants(&self, entry: &QueueEntry) -> bool {
        let has_reason = |name: &String| entry.reasons.iter().any(|reason| reason.as_str() == name);
        self.reason.as_ref().is_none_or(has_reason)
            && self.state.as_ref().is_none_or(|state| entry.state.as_str() == state)
    }
}

impl ReviewQueue {
    /// For people.
    pub fn text(&self, paint: Paint) -> String {
        review_queue_text(&self.run, &self.documents, self.counts, paint)
    }
}

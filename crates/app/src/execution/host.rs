//! The process that carries out a run.

use crate::failure::Failure;
use crate::ingest::ReadingProgress;
use crate::rescore::RescoreBuffer;
use crate::result::DocumentResult;
use crate::streams::Streams;
use crate::value::Millis;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// A maker of a line of progress; it makes none where none can be redrawn.
pub type MakeProgressLine = fn() -> Option<Box<dyn ProgressLine>>;

/// The process that carries out a run. The default one has no terminal, and never asks a run to stop.
#[derive(Debug, Clone, Copy)]
pub struct RunHost {
    /// Begins to pass on requests to stop. It is called in the runtime of the run, before its first document.
    pub listen: fn(StopRequests),
    /// The line of progress of a batch, if there is a place for it.
    pub progress_line: MakeProgressLine,
    /// Reports, on any thread, what keeps a run from beginning.
    pub say: fn(&str),
}

impl Default for RunHost {
    fn default() -> Self {
        RunHost { listen: |_| {}, progress_line: || None, say: |_| {} }
    }
}

/// A line that shows the progress of a batch, below all that is written.
pub trait ProgressLine {
    /// Every input was found: the run has this many documents, of which `finished` were over before.
    fn listed(&mut self, documents: u64, finished: u64);
    /// Shows the page of a document that is read; none when it has been.
    fn reading(&mut self, page: Option<ReadingProgress>);
    /// Counts so many sections in place of their file.
    fn split(&mut self, sections: usize);
    /// Counts a document that has ended with a result.
    fn finished(&mut self, result: &DocumentResult, output: &mut Streams);
    /// Counts a document that has ended without one.
    fn failed(&mut self, output: &mut Streams);
    /// Writes to standard error or output, above the line.
    fn above(&self, write: &mut dyn FnMut());
}

/// Scores documents again whenever their profile is saved, until it is asked to stop. It is called in the runtime of the
/// run, when all documents are done.
pub type RescoreWatch = Box<dyn FnOnce(RescoreBuffer, &StopRequests, &mut Streams) -> Result<(), Failure>>;

/// Requests to stop a run.
#[derive(Debug, Clone)]
pub struct StopRequests {
    /// Becomes true when no other call is to be begun.
    pub drain: watch::Sender<bool>,
    /// Becomes true when calls in flight are to be given up.
    pub stop: watch::Sender<bool>,
    /// The time that calls in flight have.
    pub patience: Millis,
    reported: Arc<AtomicBool>,
}

impl StopRequests {
    /// No request yet. `reported` says whether the first one is reported, because calls in flight are paid for.
    pub fn new(patience: Millis, reported: bool) -> Self {
        let (drain, stop) = (watch::Sender::new(false), watch::Sender::new(false));
        StopRequests { drain, stop, patience, reported: Arc::new(AtomicBool::new(reported)) }
    }

    /// Returns whether a request is reported.
    pub fn is_reported(&self) -> bool {
        self.reported.load(Ordering::Relaxed)
    }

    /// Has no other request reported: no call is in flight any more.
    pub(super) fn report_no_more(&self) {
        self.reported.store(false, Ordering::Relaxed);
    }
}

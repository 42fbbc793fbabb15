//! Reads the outcomes of the lines of a batch, one after the other: never more than one is held.

use std::time::Duration;

use loopctl_plugin_sdk::abi::LC_MAX_OUTPUT;
use loopctl_plugin_sdk::protocol::HttpRequest;
use loopctl_plugin_sdk::protocol::batch::{BatchResult, BatchStep, BatchTurn, is_batch_id};

use super::BatchHandle;
use super::step::garbage;
use crate::error::{CallError, FailureKind};
use crate::network::{Download, HttpAttempt, IncomingLine};
use crate::{CallFailure, Provider};

/// The most ids of unknown lines that are named; the others are counted.
const NAMED: usize = 20;
/// No batch has its results in more answers than this.
const MOST_DOWNLOADS: usize = 100;

/// The caller's verdict on a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultDisposition {
    /// It was awaited.
    Taken,
    /// The line had a result before; this one is ignored.
    Again,
    /// No line of that id was sent.
    Unknown,
    /// It was enough: nothing more is read.
    Enough,
}

/// A summary of what was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BatchDownload {
    /// Results that were awaited.
    pub taken: u64,
    /// Results of lines that had one before.
    pub again: u64,
    /// Lines that are not results, aren't UTF-8 or are too long.
    pub unreadable: u64,
    /// Results of lines that were never sent.
    pub unknown: u64,
    /// The ids of some of those.
    pub unknown_ids: Vec<String>,
}

impl Provider {
    /// Reads the results of a batch that is over, in the order in which they come, and passes each to `sink`, which
    /// returns its verdict. A line without a result is one that the vendor left out. The deadline is for all of it.
    ///
    /// # Errors
    /// A failure of the plugin or the network, or a missed deadline. What `sink` was given until then remains
    /// valid.
    #[doc(hidden)]
    pub async fn batch_results(
        &self,
        handle: &BatchHandle,
        deadline: Duration,
        mut sink: impl FnMut(BatchResult) -> ResultDisposition + Send,
    ) -> Result<BatchDownload, CallFailure> {
        let mut http_attempt = self.batch_attempt(&handle.0, None, deadline);
        let read = self.read_results(handle, &mut sink, &mut http_attempt).await;
        read.map_err(|fault| self.batch_failure(fault, &http_attempt))
    }

    pub(super) async fn read_results(
        &self,
        handle: &BatchHandle,
        sink: &mut (dyn FnMut(BatchResult) -> ResultDisposition + Send),
        http_attempt: &mut HttpAttempt,
    ) -> Result<BatchDownload, CallError> {
        let ask = |turn: BatchTurn| BatchStep::Results { handle: handle.0.clone(), turn };
        let downloads: Vec<HttpRequest> = self.batch_turns(ask, http_attempt).await?;
        if downloads.len() > MOST_DOWNLOADS {
            return Err(garbage("has more downloads than a batch can need"));
        }
        for download in &downloads {
            self.batch_may_send(download)?;
        }
        let mut read = BatchDownload::default();
        for download in downloads {
            if !self.read_download(handle, download, &mut read, sink, http_attempt).await? {
                break;
            }
        }
        Ok(read)
    }

    /// Returns whether there is more to read.
    async fn read_download(
        &self,
        handle: &BatchHandle,
        request: HttpRequest,
        read: &mut BatchDownload,
        sink: &mut (dyn FnMut(BatchResult) -> ResultDisposition + Send),
        http_attempt: &mut HttpAttempt,
    ) -> Result<bool, CallError> {
        let link = self.batch_link()?;
        let mut lines =
            match link.download(request, longest_line(link.longest_answer()), http_attempt).await? {
                Download::Lines(lines) => lines,
                Download::Refused(answer) => {
                    // The plugin knows what a refusal means.
                    http_attempt.heard(&answer);
                    let turn = BatchTurn { response: Some(answer), ..BatchTurn::default() };
                    let step = BatchStep::Poll { handle: handle.0.clone(), turn };
                    let refused = self.batch_ask::<serde_json::Value>(&step, http_attempt).await;
                    return Err(refused.err().unwrap_or_else(|| garbage("is none to a refusal")));
                }
            };
        while let Some(line) = lines.next(http_attempt).await? {
            let IncomingLine::Text(line) = line else {
                read.unreadable = read.unreadable.saturating_add(1);
                continue;
            };
            let result: Result<BatchResult, CallError> =
                self.batch_ask(&BatchStep::Result { line }, http_attempt).await;
            match result {
                Ok(result) if is_batch_id(&result.custom_id) => {
                    let id = result.custom_id.clone();
                    match sink(result) {
                        ResultDisposition::Taken => read.taken = read.taken.saturating_add(1),
                        ResultDisposition::Again => read.again = read.again.saturating_add(1),
                        ResultDisposition::Enough => return Ok(false),
                        ResultDisposition::Unknown => {
                            read.unknown = read.unknown.saturating_add(1);
                            if read.unknown_ids.len() < NAMED {
                                read.unknown_ids.push(id);
                            }
                        }
                    }
                }
                // A result whose id can't be one of ours is not even passed on.
                Ok(_) => read.unreadable = read.unreadable.saturating_add(1),
                Err(fault) if is_of_the_line(&fault) => read.unreadable = read.unreadable.saturating_add(1),
                Err(fault) => return Err(fault),
            }
        }
        Ok(true)
    }
}

/// Returns whether this line alone can't be read.
fn is_of_the_line(fault: &CallError) -> bool {
    matches!(fault.kind, FailureKind::InvalidRequest | FailureKind::Garbage | FailureKind::TooLarge)
}

/// The answer in a line may be as long as one that comes alone, with the text around it, and escaped.
fn longest_line(answer: usize) -> usize {
    answer.saturating_mul(2).min(LC_MAX_OUTPUT)
}

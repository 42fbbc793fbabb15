//! The batch whose handle was lost: it was made, and the answer that said so never came, or was never written down.

use std::time::Duration;

use jiff::{Timestamp, ToSpan};
use loopctl_plugin_sdk::protocol::batch::{BatchSince, BatchState, BatchStep, BatchTurn, FoundBatch};

use super::step::checked_id;
use super::{BatchHandle, BatchSearchOutcome, LostBatch, ResultDisposition};
use crate::error::CallError;
use crate::network::HttpAttempt;
use crate::{CallFailure, Provider};

/// The most by which the clocks of the vendor and of this machine, or of the one that submitted, may differ.
const CLOCKS_APART_MINUTES: i64 = 15;

impl Provider {
    /// Looks for a batch whose handle was lost. Where the vendor keeps our own id, the answer is certain; where it doesn't,
    /// batches that have ended are known by the ids in their results, and those that haven't may be the one.
    ///
    /// # Errors
    /// A failure of the plugin or the network, or a missed deadline. That says nothing about the batch.
    #[doc(hidden)]
    pub async fn batch_find(
        &self,
        sought: LostBatch<'_>,
        deadline: Duration,
    ) -> Result<BatchSearchOutcome, CallFailure> {
        let mut http_attempt = self.batch_attempt(sought.own_id, None, deadline);
        let found = self.found(sought, &mut http_attempt).await;
        found.map_err(|fault| self.batch_failure(fault, &http_attempt))
    }

    async fn found(
        &self,
        sought: LostBatch<'_>,
        http_attempt: &mut HttpAttempt,
    ) -> Result<BatchSearchOutcome, CallError> {
        checked_id(sought.own_id)?;
        let since = sought.since.and_then(|since| since.checked_sub(CLOCKS_APART_MINUTES.minutes()).ok());
        let since = since.map(|since| BatchSince { unix: since.as_second(), utc: to_the_second(since) });
        let ask = |turn: BatchTurn| {
            let own_id = sought.own_id.to_owned();
            BatchStep::Find { own_id, since: since.clone(), turn }
        };
        let batches: Vec<FoundBatch> = self.batch_turns(ask, http_attempt).await?;
        if let Some(sure) = batches.iter().find(|batch| batch.sure) {
            return Ok(BatchSearchOutcome::Found(BatchHandle(sure.handle.clone())));
        }
        let lines = sought.custom_ids.len() as u64;
        let may_be = |batch: &FoundBatch| batch.lines.is_none_or(|known| known == lines);
        let mut unknown = Vec::new();
        for batch in batches.into_iter().filter(may_be) {
            let handle = BatchHandle(batch.handle);
            if sought.known.contains(&handle) {
                continue;
            }
            match self.is_it(&handle, sought, http_attempt).await? {
                Some(true) => return Ok(BatchSearchOutcome::Found(handle)),
                Some(false) => {}
                None => unknown.push(handle),
            }
        }
        Ok(if unknown.is_empty() {
            BatchSearchOutcome::NotThere
        } else {
            BatchSearchOutcome::Unknown(unknown)
        })
    }

    /// Returns whether a batch has our lines, by the first of its results; `None` when there is none to see.
    async fn is_it(
        &self,
        handle: &BatchHandle,
        sought: LostBatch<'_>,
        http_attempt: &mut HttpAttempt,
    ) -> Result<Option<bool>, CallError> {
        let ask = |turn: BatchTurn| BatchStep::Poll { handle: handle.0.clone(), turn };
        let state: BatchState = self.batch_turns(ask, http_attempt).await?;
        if !state.status.has_results() {
            return Ok(None);
        }
        let mut is_it = None;
        let mut look = |result: loopctl_plugin_sdk::protocol::batch::BatchResult| {
            is_it = Some(sought.custom_ids.contains(&result.custom_id));
            ResultDisposition::Enough
        };
        self.read_results(handle, &mut look, http_attempt).await?;
        Ok(is_it)
    }
}

fn to_the_second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

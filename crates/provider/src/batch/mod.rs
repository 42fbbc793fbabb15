//! The vendors' batch APIs: many calls in one file, answered within a day, for half the price.
//!
//! | file | its one job |
//! | --- | --- |
//! | `line` | one call as a line |
//! | `step` | one step of the API: what the plugin asks for is sent, until the step ends |
//! | `submit` | a file of lines becomes a batch |
//! | `find` | the batch whose handle was lost |
//! | `results` | the outcomes of the lines, one after the other |
//! | `stored` | an answer that was kept, read as if it had just come |
//!
//! Nothing is remembered here, and nothing is made again: the caller journals its intent before
//! [`Provider::batch_submit`], and looks with [`Provider::batch_find`] before it submits anything a second time.

mod find;
mod line;
mod results;
mod step;
mod stored;
mod submit;

use std::collections::HashSet;

use loopctl_plugin_sdk::protocol::batch::{BatchState, BatchStatus};
use serde::{Deserialize, Serialize};

use super::{CallFailure, Provider};

pub use results::{BatchDownload, ResultDisposition};
pub use stored::without_result;
pub use submit::SubmitFailure;

/// The vendor's id of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BatchHandle(pub String);

impl std::fmt::Display for BatchHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&super::error::sanitize_message(&self.0))
    }
}

/// The properties that all lines of one batch share.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BatchGroup {
    /// The model that is asked.
    pub model: Option<String>,
    /// The part of the API that is asked, in the plugin's own words.
    pub endpoint: String,
}

/// One call as a line of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchLine {
    /// Distinguishes it from other lines.
    pub custom_id: String,
    /// JSON without a line break. A file of lines has a `\n` between them.
    pub text: Vec<u8>,
    /// The group of lines with which it may share a batch.
    pub group: BatchGroup,
}

/// A batch whose handle was lost.
#[derive(Debug, Clone, Copy)]
pub struct LostBatch<'a> {
    /// As it was submitted.
    pub own_id: &'a str,
    /// The ids of all its lines.
    pub custom_ids: &'a HashSet<String>,
    /// The time before which it was not submitted.
    pub since: Option<jiff::Timestamp>,
    /// Other batches, which it is not.
    pub known: &'a [BatchHandle],
}

/// The outcome of a search for a batch whose handle was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchSearchOutcome {
    /// It is this one.
    Found(BatchHandle),
    /// The vendor has no such batch: it was never made.
    NotThere,
    /// It may be one of these, and no one can tell until they have ended. Submitting it again could mean paying twice.
    Unknown(Vec<BatchHandle>),
}

/// The numbers of a batch's lines, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchCounts {
    /// All, once they are counted.
    pub total: u64,
    /// Answered.
    pub succeeded: u64,
    /// Failed, expired, canceled.
    pub failed: u64,
}

impl From<&BatchState> for BatchCounts {
    fn from(state: &BatchState) -> Self {
        Self { total: state.total, succeeded: state.succeeded, failed: state.failed }
    }
}

impl Provider {
    /// The state of a batch.
    ///
    /// # Errors
    /// A failure of the plugin or the network, or a missed deadline.
    #[doc(hidden)]
    pub async fn batch_poll(
        &self,
        handle: &BatchHandle,
        deadline: std::time::Duration,
    ) -> Result<BatchState, CallFailure> {
        let mut http_attempt = self.batch_attempt(&handle.0, None, deadline);
        let ask =
            |turn| loopctl_plugin_sdk::protocol::batch::BatchStep::Poll { handle: handle.0.clone(), turn };
        let polled = self.batch_turns::<BatchState>(ask, &mut http_attempt).await;
        polled.map_err(|fault| self.batch_failure(fault, &http_attempt)).map(told)
    }

    /// Asks the vendor to end a batch. It ends some time later, with what was done until then.
    ///
    /// # Errors
    /// A failure of the plugin or the network, or a missed deadline.
    #[doc(hidden)]
    pub async fn batch_cancel(
        &self,
        handle: &BatchHandle,
        deadline: std::time::Duration,
    ) -> Result<(), CallFailure> {
        let mut http_attempt = self.batch_attempt(&handle.0, None, deadline);
        let ask =
            |turn| loopctl_plugin_sdk::protocol::batch::BatchStep::Cancel { handle: handle.0.clone(), turn };
        let canceled = self.batch_turns::<()>(ask, &mut http_attempt).await;
        canceled.map_err(|fault| self.batch_failure(fault, &http_attempt))
    }

    /// Has the vendor forget a batch with its files, as far as its API allows.
    ///
    /// # Errors
    /// A failure of the plugin or the network, or a missed deadline.
    #[doc(hidden)]
    pub async fn batch_delete(
        &self,
        handle: &BatchHandle,
        deadline: std::time::Duration,
    ) -> Result<(), CallFailure> {
        let mut http_attempt = self.batch_attempt(&handle.0, None, deadline);
        let ask =
            |turn| loopctl_plugin_sdk::protocol::batch::BatchStep::Delete { handle: handle.0.clone(), turn };
        let deleted = self.batch_turns::<()>(ask, &mut http_attempt).await;
        deleted.map_err(|fault| self.batch_failure(fault, &http_attempt))
    }

    /// A key that differs between providers whose lines can't share a batch, also across processes.
    pub fn batch_key(&self) -> String {
        let config = String::from_utf8_lossy(self.shared.opened.config());
        let name = format!("{}\n{}\n{config}", self.identity().name, self.provider_label());
        crate::value::digest_bytes(name.as_bytes())
    }

    /// The fraction of its price that a call costs in a batch, where the price table has one.
    #[doc(hidden)]
    pub fn batch_price_factor(&self, asked: Option<&str>) -> Option<f64> {
        self.shared.meter.batch_factor(asked)
    }
}

/// A state as it may be shown: a reason only where there is one, on one line.
fn told(state: BatchState) -> BatchState {
    let reason = state.reason.map(|reason| super::error::sanitize_message(&reason));
    let failed = state.status == BatchStatus::Failed;
    BatchState { reason: reason.filter(|reason| failed && !reason.is_empty()), ..state }
}

//! A file of lines becomes a batch.

use std::path::Path;
use std::time::Duration;

use loopctl_plugin_sdk::abi::LC_MAX_OUTPUT;
use loopctl_plugin_sdk::protocol::batch::{BatchLimits, BatchStep, BatchTurn, NewBatch};

use super::step::{checked_id, garbage};
use super::{BatchGroup, BatchHandle};
use crate::error::{CallError, FailureKind};
use crate::network::{HttpAttempt, UploadSize};
use crate::{CallFailure, Provider};

/// The reason why there is not a handle of a batch.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{failure}")]
pub struct SubmitFailure {
    /// The failure.
    pub failure: CallFailure,
    /// `true` if there may be a batch all the same, because the answer to the request that makes it was lost or says
    /// nothing. Then [`Provider::batch_find`] has to say that there is none before the lines are submitted again.
    pub may_exist: bool,
}

impl Provider {
    /// Makes a batch of a file of lines, with `\n` between them. `own_id` is the caller's name for it, of 1 to 64
    /// `A-Z a-z 0-9 _ -`, and never given to another batch. The deadline is for all of it, uploading included.
    ///
    /// # Errors
    /// A failure of the plugin, the network or the disk, a missed deadline, too many lines, or a profile that refuses
    /// batches.
    #[doc(hidden)]
    pub async fn batch_submit(
        &self,
        own_id: &str,
        group: &BatchGroup,
        lines: &Path,
        deadline: Duration,
    ) -> Result<BatchHandle, SubmitFailure> {
        let mut http_attempt = self.batch_attempt(own_id, group.model.as_deref(), deadline);
        let mut creating = false;
        let submitted = self.submitted(own_id, group, lines, &mut creating, &mut http_attempt).await;
        submitted.map_err(|fault| SubmitFailure {
            failure: self.batch_failure(fault, &http_attempt),
            may_exist: creating,
        })
    }

    async fn submitted(
        &self,
        own_id: &str,
        group: &BatchGroup,
        path: &Path,
        creating: &mut bool,
        http_attempt: &mut HttpAttempt,
    ) -> Result<BatchHandle, CallError> {
        if !self.batch_link()?.allows_batch() {
            let problem = "the profile doesn't allow batches";
            let help = "if documents may stay with the vendor for days, say `network: { batch: allowed }`";
            return Err(CallError::new(FailureKind::Permanent, problem).help(help).unsent());
        }
        checked_id(own_id)?;
        let limits: Option<BatchLimits> =
            self.batch_ask(&BatchStep::Limits, http_attempt).await.map_err(CallError::unsent)?;
        let Some(limits) = limits else {
            let problem = "the service has no batches";
            return Err(CallError::new(FailureKind::InvalidRequest, problem).unsent());
        };
        let counted = {
            let path = path.to_owned();
            tokio::task::spawn_blocking(move || UploadSize::of(&path, LC_MAX_OUTPUT)).await
        };
        let counted = counted.unwrap_or_else(|_| {
            Err(CallError::new(FailureKind::Permanent, "the lines could not be counted").unsent())
        })?;
        check(counted, limits)?;
        let batch = NewBatch {
            own_id: own_id.to_owned(),
            model: group.model.clone(),
            endpoint: group.endpoint.clone(),
            lines: counted.count,
            bytes: counted.bytes,
        };
        let ask = |turn: BatchTurn| BatchStep::Submit { batch: batch.clone(), turn };
        let handle: String =
            self.batch_turns_with(ask, Some((counted, path)), creating, http_attempt).await?;
        if handle.is_empty() || handle.len() > 512 || handle.chars().any(char::is_control) {
            return Err(garbage("is not a handle of a batch"));
        }
        Ok(BatchHandle(handle))
    }
}

fn check(lines: UploadSize, limits: BatchLimits) -> Result<(), CallError> {
    let BatchLimits { max_lines, max_bytes, .. } = limits;
    let problem = match lines {
        UploadSize { count: 0, .. } => "a batch needs lines".to_owned(),
        UploadSize { count, .. } if count > max_lines => {
            format!("a batch of {count} lines is more than the {max_lines} that the vendor takes")
        }
        UploadSize { bytes, count } if bytes.saturating_add(count) > max_bytes => {
            format!("lines of {bytes} bytes are more than the {max_bytes} that the vendor takes in a batch")
        }
        _ => return Ok(()),
    };
    Err(CallError::new(FailureKind::TooLarge, problem).unsent())
}

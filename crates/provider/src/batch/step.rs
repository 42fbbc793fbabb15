//! One step of a batch API. The plugin says what to send; the host sends it and shows the plugin what came back, until
//! the plugin ends the step.

use std::path::Path;
use std::time::Duration;

use loopctl_plugin_sdk::abi::LC_BATCH;
use loopctl_plugin_sdk::protocol::HttpRequest;
use loopctl_plugin_sdk::protocol::batch::{BatchAnswer, BatchLimits, BatchRequest, BatchStep, BatchTurn};
use serde::de::DeserializeOwned;

use crate::complete::to_json;
use crate::deadline::Deadline;
use crate::error::{CallError, FailureKind};
use crate::network::{HttpAttempt, HttpTransport, UploadSize};
use crate::value::Usd;
use crate::{CallFailure, Provider};

/// The most requests of a step, more than any needs: a plugin that never ends is stopped.
const MOST_TURNS: usize = 300;
/// The longest that a plugin may have the host wait before a request.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The time that the plugin may take for a step without a request.
const PLUGIN_TIME: Duration = Duration::from_secs(30);

impl Provider {
    /// The limits of one batch; none where the provider, or the service that it is open for, has no batches.
    ///
    /// # Errors
    /// The plugin's failure.
    #[doc(hidden)]
    pub async fn batch_limits(&self) -> Result<Option<BatchLimits>, CallFailure> {
        if !self.shared.link.as_ref().is_some_and(HttpTransport::speaks_batch) {
            return Ok(None);
        }
        let mut http_attempt = self.batch_attempt("limits", None, PLUGIN_TIME);
        let limits =
            self.batch_ask(&BatchStep::Limits, &mut http_attempt).await.and_then(|limits| match limits {
                Some(BatchLimits { max_lines: 0, .. } | BatchLimits { max_bytes: 0, .. }) => {
                    Err(garbage("has limits that no batch can keep"))
                }
                limits => Ok(limits),
            });
        limits.map_err(|fault| self.batch_failure(fault, &http_attempt))
    }

    /// The network access of a provider that has batches.
    pub(super) fn batch_link(&self) -> Result<&HttpTransport, CallError> {
        let link = self.shared.link.as_ref().filter(|link| link.speaks_batch());
        link.ok_or_else(|| {
            CallError::new(FailureKind::InvalidRequest, "the provider has no batches").unsent()
        })
    }

    pub(super) fn batch_attempt(
        &self,
        subject: &str,
        model: Option<&str>,
        deadline: Duration,
    ) -> HttpAttempt {
        let model = model.or(self.model()).map(str::to_owned);
        HttpAttempt::of_batch(format!("batch\n{subject}"), model, Deadline::new(deadline))
    }

    /// A failed step, as it is reported. Asking about a batch costs nothing.
    pub(super) fn batch_failure(&self, fault: CallError, http_attempt: &HttpAttempt) -> CallFailure {
        let fault = match &self.shared.link {
            Some(link) => link.failed(fault, http_attempt),
            None => fault,
        };
        let mut failure = fault.of(self.provider_label().to_owned(), self.model().map(str::to_owned));
        if failure.status == Some(404) {
            // It is not the model that is unknown, as it would be for a single call.
            let help =
                "the vendor has no such batch or file, any more or with this key; else check the base URL";
            failure.help = Some(help.to_owned());
        }
        CallFailure { cost: Some(Usd::default()), ..failure }
    }

    /// The plugin's answer to one question.
    pub(super) async fn batch_ask<T: DeserializeOwned>(
        &self,
        step: &BatchStep,
        http_attempt: &mut HttpAttempt,
    ) -> Result<T, CallError> {
        let input = to_json(step)?;
        let instance =
            http_attempt.deadline.bound(self.shared.opened.instance()).await.and_then(|opened| opened)?;
        let reply = http_attempt.deadline.bound(instance.call(LC_BATCH, input)).await?;
        self.check(&instance, reply)
    }

    /// A step that sends no lines.
    pub(super) async fn batch_turns<T: DeserializeOwned>(
        &self,
        ask: impl Fn(BatchTurn) -> BatchStep,
        http_attempt: &mut HttpAttempt,
    ) -> Result<T, CallError> {
        self.batch_turns_with(ask, None, &mut false, http_attempt).await
    }

    /// A step, with the lines that one of its requests may carry. `creating` tells whether the batch may have begun: a
    /// request that makes it went out, and no answer says that it was not made.
    pub(super) async fn batch_turns_with<T: DeserializeOwned>(
        &self,
        ask: impl Fn(BatchTurn) -> BatchStep,
        lines: Option<(UploadSize, &Path)>,
        creating: &mut bool,
        http_attempt: &mut HttpAttempt,
    ) -> Result<T, CallError> {
        let link = self.batch_link()?;
        let mut turn = BatchTurn::default();
        for _ in 0..MOST_TURNS {
            let next = match self.batch_ask(&ask(turn), http_attempt).await? {
                BatchAnswer::Done(done) => return Ok(done),
                BatchAnswer::Send(next) => *next,
            };
            if next.after_ms > 0 {
                let pause = Duration::from_millis(next.after_ms).min(LONGEST_PAUSE);
                http_attempt.deadline.bound(tokio::time::sleep(pause)).await?;
            }
            let BatchRequest { request, upload, creates, state, .. } = next;
            *creating |= creates;
            let sent = match (upload, lines) {
                (None, _) => link.exchange(request, http_attempt).await,
                (Some(around), Some((lines, path))) => match lines.body(path, around) {
                    Ok(body) => link.upload(request, body, http_attempt).await,
                    Err(fault) => Err(fault),
                },
                (Some(_), None) => Err(garbage("wants lines sent where there are none").unsent()),
            };
            let response = match sent {
                Ok(response) => response,
                Err(fault) => {
                    *creating &= fault.sent || !creates;
                    return Err(fault);
                }
            };
            // A server that refuses a request has not done what it asks for.
            *creating &= !creates || !matches!(response.status, 300..=407 | 410..=499);
            http_attempt.heard(&response);
            turn = BatchTurn { state, response: Some(response) };
        }
        Err(garbage("never reaches the end of a step"))
    }

    /// Checks that the host would send this, without sending it.
    pub(super) fn batch_may_send(&self, request: &HttpRequest) -> Result<(), CallError> {
        let refused = |problem: String| CallError::new(FailureKind::Permanent, problem).unsent();
        self.batch_link()?.would_send(request).map_err(refused)
    }
}

/// The fault for an answer that no plugin can mean.
pub(super) fn garbage(problem: &str) -> CallError {
    CallError::new(FailureKind::Garbage, format!("the plugin's answer {problem}"))
}

/// Checks the id of a batch or a line.
pub(super) fn checked_id(id: &str) -> Result<(), CallError> {
    if loopctl_plugin_sdk::protocol::batch::is_batch_id(id) {
        return Ok(());
    }
    let problem = "the id of a batch or line must be 1 to 64 of `A-Z a-z 0-9 _ -`";
    Err(CallError::new(FailureKind::InvalidRequest, problem).unsent())
}

//! One call as a line of a batch.

use std::borrow::Cow;
use std::time::Duration;

use loopctl_plugin_sdk::abi::LC_ENCODE;
use loopctl_plugin_sdk::protocol::batch::{self, BatchStep};
use loopctl_plugin_sdk::protocol::{CompletionRequest, HttpRequest};

use super::step::{checked_id, garbage};
use super::{BatchGroup, BatchLine};
use crate::complete::to_json;
use crate::error::CallError;
use crate::network::{HttpAttempt, HttpTransport};
use crate::{CallFailure, Provider};

/// The time that the plugin may take over one line.
const PLUGIN_TIME: Duration = Duration::from_secs(60);

impl Provider {
    /// A call as a line of a batch. `custom_id` is 1 to 64 of `A-Z a-z 0-9 _ -`. Nothing is sent.
    ///
    /// # Errors
    /// When the provider has no batches, or a line can't carry the call, as with headers of its own.
    #[doc(hidden)]
    pub async fn batch_line(
        &self,
        request: &CompletionRequest,
        custom_id: &str,
    ) -> Result<BatchLine, CallFailure> {
        let mut http_attempt = self.batch_attempt(custom_id, self.asked(request), PLUGIN_TIME);
        let line = self.encoded_line(request, custom_id, &mut http_attempt).await;
        line.map_err(|fault| self.batch_failure(fault.unsent(), &http_attempt))
    }

    async fn encoded_line(
        &self,
        request: &CompletionRequest,
        custom_id: &str,
        http_attempt: &mut HttpAttempt,
    ) -> Result<BatchLine, CallError> {
        self.batch_link()?;
        checked_id(custom_id)?;
        HttpTransport::check_request(request)?;
        let model = self.asked(request);
        let mut request = Cow::Borrowed(request);
        if request.options.model.as_deref() != model {
            request.to_mut().options.model = model.map(str::to_owned);
        }
        let json = to_json(request.as_ref())?;
        let instance =
            http_attempt.deadline.bound(self.shared.opened.instance()).await.and_then(|opened| opened)?;
        let encoded = http_attempt.deadline.bound(instance.call(LC_ENCODE, json)).await?;
        let call: HttpRequest = self.check(&instance, encoded)?;
        let step = BatchStep::Line { custom_id: custom_id.to_owned(), request: call };
        let batch::BatchLine { text, model, endpoint } = self.batch_ask(&step, http_attempt).await?;
        if text.is_empty() || text.contains(['\n', '\r']) {
            return Err(garbage("is not one line of a batch: it is empty, or has a line break"));
        }
        let group = BatchGroup { model, endpoint };
        Ok(BatchLine { custom_id: custom_id.to_owned(), text: text.into_bytes(), group })
    }
}

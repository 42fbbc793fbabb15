//! An answer that was kept, read as if it had just come.

use std::collections::BTreeMap;
use std::time::Duration;

use loopctl_plugin_sdk::abi::LC_DECODE;
use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpResponse};
use tracing::Instrument;

use crate::absent::without_absent;
use crate::complete::to_json;
use crate::deadline::Deadline;
use crate::error::{CallError, FailureKind};
use crate::network::HttpAttempt;
use crate::quotation::without_quotations;
use crate::reply::sensible;
use crate::trace::CallSpan;
use crate::value::Usd;
use crate::{CallFailure, CallOutcome, Provider};

/// The time that the plugin may take to read one answer.
const PLUGIN_TIME: Duration = Duration::from_secs(60);

/// The header of a substitute for a missing result. Plugins give results headers of their own making only.
const NO_RESULT: &str = "x-loopctl-batch-without-result";

/// The substitute for the result of a line for which a batch has nothing readable. The line may be answered the next
/// time, and may have been answered, and paid for, this time.
#[doc(hidden)]
#[must_use]
pub fn without_result() -> HttpResponse {
    let headers = BTreeMap::from([(NO_RESULT.to_owned(), "true".to_owned())]);
    HttpResponse { status: 200, headers, body: String::new() }
}

impl Provider {
    /// The outcome of a line of a batch: `answer` is read by the plugin like one that was asked for online, and judged,
    /// measured and reported like it. It is charged at the price table's prices for batches.
    #[doc(hidden)]
    pub async fn call_with_answer(&self, request: &CompletionRequest, answer: HttpResponse) -> CallOutcome {
        let model = self.asked(request);
        let call = CallSpan::begin(self, request);
        let decoded = self.decoded(request, answer).instrument(call.span()).await;
        let meter = &self.shared.meter;
        let outcome = match decoded {
            Ok(mut completion) => {
                completion.usage.cost_usd = meter.cost_in_batch(&completion, model).map(Usd::get);
                Ok(completion)
            }
            Err(fault) => {
                let cost = meter.cost_of_failed_line(&fault, model);
                let failure = fault.of(self.provider_label().to_owned(), model.map(str::to_owned));
                Err(CallFailure { cost, ..failure })
            }
        };
        call.end(&outcome, false);
        CallOutcome::stored(outcome)
    }

    async fn decoded(
        &self,
        request: &CompletionRequest,
        answer: HttpResponse,
    ) -> Result<Completion, CallError> {
        let Some(link) = &self.shared.link else {
            return Err(CallError::new(FailureKind::InvalidRequest, "the provider has no batches").unsent());
        };
        let mut http_attempt = HttpAttempt::new(request, Deadline::new(PLUGIN_TIME));
        let outcome = if answer.headers.contains_key(NO_RESULT) {
            let message = "the batch has no result of this call that can be read";
            Err(CallError::new(FailureKind::Transient, message))
        } else {
            http_attempt.heard(&answer);
            self.read_answer(&answer, &mut http_attempt).await
        };
        // A server that turns a request away charges nothing for it.
        let free = answer.status >= 400;
        let outcome = outcome
            .map(|completion| without_absent(completion, request.schema.as_ref()))
            .map_err(|fault| CallError { free, ..fault });
        let document = request.source.as_deref().unwrap_or_default();
        link.settle(outcome, http_attempt).map_err(|fault| {
            let fault = self.shared.network.bounded(fault);
            CallError { message: without_quotations(fault.message, document), ..fault }
        })
    }

    async fn read_answer(
        &self,
        answer: &HttpResponse,
        http_attempt: &mut HttpAttempt,
    ) -> Result<Completion, CallError> {
        let instance =
            http_attempt.deadline.bound(self.shared.opened.instance()).await.and_then(|opened| opened)?;
        let decoded = http_attempt.deadline.bound(instance.call(LC_DECODE, to_json(answer)?)).await?;
        self.check(&instance, decoded).and_then(sensible)
    }
}

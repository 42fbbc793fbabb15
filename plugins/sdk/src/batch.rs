//! Plugins that speak their vendor's batch API, too.

use serde_json::Value;

use crate::Failure;
use crate::http::to_json;
use crate::protocol::batch::{
    BatchAnswer, BatchLimits, BatchLine, BatchResult, BatchSince, BatchState, BatchStep, BatchTurn,
    FoundBatch, NewBatch,
};
use crate::protocol::{HttpRequest, HttpResponse};

/// A vendor's batch API. As pure as [`HttpCodec`](crate::HttpCodec): each step of several turns begins without a response,
/// and is asked again with each.
pub trait BatchCodec {
    /// The limits of one batch; none where the endpoint has no batches.
    fn limits(&self) -> Option<BatchLimits>;

    /// A call as a line. `request` is what `encode` gave.
    ///
    /// # Errors
    /// [`Failure::invalid_request`] when a line can't carry it, as with headers of its own.
    fn line(&self, custom_id: &str, request: &HttpRequest) -> Result<BatchLine, Failure>;

    /// Makes a batch; ends with its handle.
    ///
    /// # Errors
    /// The reason that the server gave.
    fn submit(&self, batch: &NewBatch, turn: &BatchTurn) -> Result<BatchAnswer<String>, Failure>;

    /// Looks for batches that have, or may have, the host's own id.
    ///
    /// # Errors
    /// The reason that the server gave.
    fn find(
        &self,
        own_id: &str,
        since: Option<&BatchSince>,
        turn: &BatchTurn,
    ) -> Result<BatchAnswer<Vec<FoundBatch>>, Failure>;

    /// The state of a batch.
    ///
    /// # Errors
    /// The reason that the server gave.
    fn poll(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<BatchState>, Failure>;

    /// The requests whose responses have a result in each line.
    ///
    /// # Errors
    /// The reason that the server gave.
    fn results(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<Vec<HttpRequest>>, Failure>;

    /// Interprets a line of the results.
    ///
    /// # Errors
    /// [`Failure::invalid_request`] when it is none. Its text is never in the message.
    fn result(&self, line: &str) -> Result<BatchResult, Failure>;

    /// Asks the vendor to end a batch.
    ///
    /// # Errors
    /// The reason that the server gave.
    fn cancel(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<()>, Failure>;

    /// Has the vendor forget a batch with its files. One that is gone already is fine.
    ///
    /// # Errors
    /// The reason that the server gave.
    fn delete(&self, handle: &str, turn: &BatchTurn) -> Result<BatchAnswer<()>, Failure>;
}

/// The answer of a codec to LC_BATCH.
pub(crate) fn answer(codec: &dyn BatchCodec, input: &[u8]) -> Result<Vec<u8>, Failure> {
    let step: BatchStep = serde_json::from_slice(input).map_err(|_| {
        Failure::invalid_request("the step of a batch isn't one that this plugin understands")
    })?;
    match step {
        BatchStep::Limits => to_json(&codec.limits()),
        BatchStep::Line { custom_id, request } => to_json(&codec.line(&custom_id, &request)?),
        BatchStep::Submit { batch, turn } => to_json(&codec.submit(&batch, &turn)?),
        BatchStep::Find { own_id, since, turn } => to_json(&codec.find(&own_id, since.as_ref(), &turn)?),
        BatchStep::Poll { handle, turn } => to_json(&codec.poll(&handle, &turn)?),
        BatchStep::Results { handle, turn } => to_json(&codec.results(&handle, &turn)?),
        BatchStep::Result { line } => to_json(&codec.result(&line)?),
        BatchStep::Cancel { handle, turn } => to_json(&codec.cancel(&handle, &turn)?),
        BatchStep::Delete { handle, turn } => to_json(&codec.delete(&handle, &turn)?),
    }
}

impl BatchTurn {
    /// A text that was put into `state`.
    pub fn word(&self, key: &str) -> Option<&str> {
        self.state.get(key).and_then(Value::as_str)
    }

    /// The response to the last request; none in the first turn.
    pub fn heard(&self) -> Option<&HttpResponse> {
        self.response.as_ref()
    }
}

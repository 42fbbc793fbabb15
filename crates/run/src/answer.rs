//! Turns a provider's completion or failure into input of the engine.

use crate::engine::{CallFailed, Input, Produced};
use crate::exchange::{QuotedAnswer, RawAnswer};
use crate::provider::{CallOutcome, Provider, protocol};
use crate::value::{Millis, Usage, Usd};
use std::sync::Arc;
use std::time::Duration;

/// The answer of a provider, if there is one.
pub(super) fn said_in(called: &CallOutcome) -> Option<RawAnswer<'_>> {
    let completion = called.outcome.as_ref().ok()?;
    match (&completion.value, &completion.text) {
        (Some(value), _) => Some(RawAnswer::Value(value)),
        (None, Some(text)) => Some(RawAnswer::Text(text)),
        (None, None) => None,
    }
}

/// Turns a completion or a failure into input of the engine. `read` makes a value of the provider's answer: see
/// [`crate::exchange::stage_answer`]. An answer that it can't read is not kept in the cache.
pub(super) fn answer_of(
    provider: &Provider,
    called: &CallOutcome,
    read: impl FnOnce(RawAnswer<'_>) -> Result<QuotedAnswer, String>,
) -> Result<Produced, CallFailed> {
    // A request that was not sent, or was answered from the cache, is not a call.
    let sent = !called.cached && called.outcome.as_ref().map_or_else(|failure| failure.sent, |_| true);
    let one_call = |tokens, cost| Usage { calls: u64::from(sent), ..Usage::of_call(tokens, cost) };
    let tokens = |usage: protocol::Usage| usage.input_tokens.saturating_add(usage.output_tokens);
    let millis = |pause: Duration| Millis(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
    let completion = called.outcome.as_ref().map_err(|failure| CallFailed {
        message: failure.to_string(),
        transient: failure.may_pass(),
        permanent: !failure.may_pass(),
        retry_after: failure.retry_after.map(millis),
        backoff: failure.backoff.map(millis),
        usage: one_call(failure.usage.map_or(0, tokens), failure.cost),
    })?;
    let usage = one_call(tokens(completion.usage), completion.usage.cost_usd.and_then(Usd::new));
    let notes = completion.notes.clone();
    let refused = |why: String| CallFailed {
        message: format!("provider `{}` answered with {why}", provider.provider_label()),
        transient: true,
        usage,
        ..CallFailed::default()
    };
    let Some(said) = said_in(called) else { return Err(refused("nothing".to_owned())) };
    let QuotedAnswer { repaired, quotes } = read(said).map_err(|why| {
        called.disown();
        refused(why)
    })?;
    let candidate = Arc::new(repaired.value);
    Ok(Produced { candidate, quotes, usage, notes, repairs: repaired.steps })
}

/// The input that stops the run; calls in flight are counted when the run gets it.
pub(super) fn stop() -> Input {
    Input::Stop { in_flight: Usage::default() }
}

/// Ends the document, not the process, for what can't happen with a checked profile.
pub(super) fn impossible(message: &str) -> Input {
    Input::Failed(impossible_reason(message))
}

pub(super) fn impossible_reason(message: &str) -> CallFailed {
    CallFailed { message: message.to_owned(), permanent: true, ..CallFailed::default() }
}

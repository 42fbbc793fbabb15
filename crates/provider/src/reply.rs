//! Turns a plugin's reply into a completion that makes sense, or a fault.

use std::time::Duration;

use loopctl_plugin_sdk::protocol::{Completion, OUT_OF_CREDIT, PluginError, Usage, VERSION};
use serde::Deserialize;

use super::FailureKind;
use super::error::{CallError, sanitize_message};
use super::plugin::{Payload, Reply};

/// The fault for what is too large to cross the boundary.
pub(super) fn too_large(what: &str, bytes: usize) -> CallError {
    CallError::new(
        FailureKind::TooLarge,
        format!("the {what} has {bytes} bytes, more than cross the plugin boundary"),
    )
}

/// The fault that a reply with a status other than success reports.
pub(super) fn fault_of(reply: &Reply) -> CallError {
    let kind = FailureKind::from_status(reply.status).unwrap_or(FailureKind::Permanent);
    let error: PluginError = match &reply.payload {
        Payload::Bytes(json) => serde_json::from_slice(json).unwrap_or_default(),
        Payload::TooLarge(_) => PluginError::default(),
    };
    let mut message = sanitize_message(&error.message);
    if message.is_empty() {
        message = "the plugin didn't say why".to_owned();
    }
    // Numbers that the boundary doesn't name are the plugin's own, and its documentation may list them.
    if kind == FailureKind::Permanent && reply.status != loopctl_plugin_sdk::abi::LC_PERMANENT {
        message = format!("{message} (status {})", reply.status);
    }
    let fault = CallError::new(kind, message).took(usage_of(&error));
    let told = error.detail.as_ref().and_then(|detail| detail.get(OUT_OF_CREDIT));
    let out_of_credit = kind == FailureKind::Permanent && told == Some(&serde_json::Value::Bool(true));
    CallError { retry_after: error.retry_after_ms.map(Duration::from_millis), out_of_credit, ..fault }
}

/// The usage that a plugin reports for an answer that is none: cut, refused, withheld.
fn usage_of(error: &PluginError) -> Usage {
    let told = error.detail.as_ref().and_then(|detail| detail.get("usage"));
    let usage: Usage = told.and_then(|usage| Usage::deserialize(usage).ok()).unwrap_or_default();
    // No provider can mean a negative cost.
    Usage { cost_usd: usage.cost_usd.filter(|cost| *cost >= 0.0), ..usage }
}

/// Rejects what JSON can say but no provider can mean.
pub fn sensible(completion: Completion) -> Result<Completion, CallError> {
    let garbage = |problem: &str| {
        let usage =
            Usage { cost_usd: completion.usage.cost_usd.filter(|cost| *cost >= 0.0), ..completion.usage };
        Err(CallError::new(FailureKind::Garbage, format!("the plugin's answer {problem}")).took(usage))
    };
    if completion.version > VERSION {
        return garbage("is of a version that this loopctl doesn't know");
    }
    if completion.value.is_none() && completion.text.is_none() {
        return garbage("has neither `value` nor `text`");
    }
    if completion.usage.cost_usd.is_some_and(|cost| cost < 0.0) {
        return garbage("has a negative cost");
    }
    Ok(completion)
}

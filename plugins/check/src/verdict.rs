//! Checks that an answer is one that the contract knows. Errors are in words: these end up in reports.

use loopctl_plugin_sdk::abi;
use loopctl_plugin_sdk::abi::{LC_MAX_OUTPUT, LC_OK, LC_PANIC, lc_status};
use loopctl_plugin_sdk::protocol::{Completion, PluginError};
use serde::de::DeserializeOwned;

use super::check::{CheckResult, broken};
use super::samples::CANARY;
use crate::provider::error::sanitize_message;
use crate::provider::plugin::{Payload, ProbedInstance, RawReply};
use crate::provider::reply::sensible;

/// The plugin's reply.
pub(super) enum PluginReply {
    /// OK, and a completion that makes sense.
    Done(Box<Completion>),
    /// Anything else, with an error that says why.
    Failed(lc_status, PluginError),
}

impl PluginReply {
    /// Describes it in words.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Done(completion) => {
                let what = if completion.value.is_some() { "a value" } else { "a text" };
                format!("it answered with {what}")
            }
            Self::Failed(status, error) => {
                format!("it answered {}: {}", name(*status), sanitize_message(&error.message))
            }
        }
    }
}

/// A completion or an error, as the contract has them.
pub(super) fn said(answer: &RawReply, doing: &str) -> Result<PluginReply, String> {
    if answer.status == LC_OK {
        completion(answer, doing).map(|completion| PluginReply::Done(Box::new(completion)))
    } else {
        failure(answer, doing).map(|(status, error)| PluginReply::Failed(status, error))
    }
}

/// An error with a status that the contract knows and a body that says why.
pub(super) fn failure(answer: &RawReply, doing: &str) -> Result<(lc_status, PluginError), String> {
    let status = answer.status;
    let body = bytes(answer, doing)?;
    let error: Option<PluginError> = serde_json::from_slice(body).ok();
    if status == LC_PANIC {
        let why = error.map(|error| error.message).filter(|message| !message.is_empty());
        return Err(format!(
            "it panicked while {doing}: {}",
            sanitize_message(&why.unwrap_or_else(|| "it doesn't say where".to_owned()))
        ));
    }
    if status == LC_OK {
        return Err(format!("it said OK while {doing}, which is to be an error"));
    }
    if !is_known(status) {
        return Err(format!(
            "it answered with status {status} while {doing}, which is neither one of the ABI's nor one of its own \
             (from {})",
            abi::LC_FIRST_CUSTOM
        ));
    }
    let Some(error) = error else {
        let what = if body.is_empty() { "no error body" } else { "an error body that isn't JSON" };
        return Err(format!("it answered {} with {what} while {doing}", name(status)));
    };
    if error.message.trim().is_empty() {
        return Err(format!("it answered {} without a `message` while {doing}", name(status)));
    }
    let detail = error.detail.as_ref().map(ToString::to_string).unwrap_or_default();
    if error.message.contains(CANARY) || detail.contains(CANARY) {
        return Err(format!("its error quotes the document's text while {doing}"));
    }
    Ok((status, error))
}

/// An error of just this status.
pub(super) fn failure_of(answer: &RawReply, expected: &[lc_status], doing: &str) -> Result<String, String> {
    let (status, error) = failure(answer, doing)?;
    if expected.contains(&status) {
        return Ok(error.message);
    }
    let expected: Vec<String> = expected.iter().map(|status| name(*status)).collect();
    Err(format!("it answered {} instead of {} while {doing}", name(status), expected.join(" or ")))
}

/// The bytes of an answer of status OK, read as what they must be.
pub(super) fn payload<T: DeserializeOwned>(answer: &RawReply, what: &str, doing: &str) -> Result<T, String> {
    if answer.status != LC_OK {
        let (status, error) = failure(answer, doing)?;
        return Err(format!(
            "it answered {} while {doing}: {}",
            name(status),
            sanitize_message(&error.message)
        ));
    }
    let json = bytes(answer, doing)?;
    serde_json::from_slice(json).map_err(|error| {
        let problem = if error.is_data() { format!("not {what}") } else { "not JSON".to_owned() };
        format!(
            "it said OK while {doing}, and its answer of {} bytes is {problem} (line {}, column {})",
            json.len(),
            error.line(),
            error.column()
        )
    })
}

fn completion(answer: &RawReply, doing: &str) -> Result<Completion, String> {
    let completion: Completion = payload(answer, "a completion", doing)?;
    sensible(completion).map_err(|fault| format!("it said OK while {doing}, but {}", fault.message))
}

/// The bytes, if their buffer is as the contract has it.
pub(super) fn bytes<'a>(answer: &'a RawReply, doing: &str) -> Result<&'a [u8], String> {
    if answer.points_nowhere {
        return Err(format!("its buffer has a length and no address (`ptr` is null) while {doing}"));
    }
    match &answer.payload {
        Payload::Bytes(bytes) => Ok(bytes),
        Payload::TooLarge(bytes) => Err(format!(
            "it answered {bytes} bytes while {doing}, more than the {LC_MAX_OUTPUT} that the host takes"
        )),
    }
}

fn is_known(status: lc_status) -> bool {
    (LC_OK..=abi::LC_ABI_MISMATCH).contains(&status) || status >= abi::LC_FIRST_CUSTOM
}

/// A status as the header calls it.
pub(super) fn name(status: lc_status) -> String {
    let name = match status {
        LC_OK => "OK",
        abi::LC_INVALID_CONFIG => "INVALID_CONFIG",
        abi::LC_INVALID_REQUEST => "INVALID_REQUEST",
        abi::LC_TRANSIENT => "TRANSIENT",
        abi::LC_RATE_LIMITED => "RATE_LIMITED",
        abi::LC_UNAUTHORIZED => "UNAUTHORIZED",
        abi::LC_PERMANENT => "PERMANENT",
        abi::LC_CANCELLED => "CANCELLED",
        LC_PANIC => "PANIC",
        abi::LC_ABI_MISMATCH => "ABI_MISMATCH",
        _ => return format!("status {status}"),
    };
    name.to_owned()
}

/// Checks that the buffers of several answers to the same call are freed, or need no freeing. Without `drop` they must
/// be static, and so at one address: bytes at another address each time were allocated, and no one can free them.
pub(super) fn freed(answers: &[RawReply]) -> Result<(), String> {
    let mut places: Vec<usize> = answers
        .iter()
        .filter(|answer| !answer.has_drop && answer.address != 0)
        .map(|answer| answer.address)
        .collect();
    places.sort_unstable();
    places.dedup();
    if places.len() > 1 {
        return Err(format!(
            "{} answers to the same call came without `drop`, in {} places: allocated and never freed",
            answers.len(),
            places.len()
        ));
    }
    Ok(())
}

/// Checks that every byte that was lent to an instance came back as it was, and closes the instance.
pub(super) fn untouched(opened: ProbedInstance) -> CheckResult {
    let wrote = opened.wrote_into_input();
    opened.close();
    if wrote {
        broken("it wrote into bytes that the host had lent to it")
    } else {
        Ok("nothing was written into them".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answer(status: lc_status, body: &[u8]) -> RawReply {
        RawReply {
            status,
            payload: Payload::Bytes(body.to_vec()),
            address: 0,
            has_drop: false,
            points_nowhere: false,
        }
    }

    fn bodies() -> impl Strategy<Value = Vec<u8>> {
        let known = prop::sample::select(vec![
            &b"{}"[..],
            b"null",
            b"[]",
            br#"{"value": 1}"#,
            br#"{"value": null}"#,
            br#"{"text": ""}"#,
            br#"{"text": 7}"#,
            br#"{"message": "no"}"#,
            br#"{"message": " "}"#,
            br#"{"value": 1, "usage": {"cost_usd": -1}}"#,
        ]);
        prop_oneof![known.prop_map(<[u8]>::to_vec), prop::collection::vec(any::<u8>(), 0..40)]
    }

    proptest! {
        #[test]
        fn only_an_answer_or_a_reason_is_taken(status in -3..1100i32, body in bodies()) {
            match said(&answer(status, &body), "trying") {
                Ok(PluginReply::Done(done)) => prop_assert!(
                    status == LC_OK && (done.value.is_some() || done.text.is_some())
                ),
                Ok(PluginReply::Failed(of, error)) => {
                    prop_assert!(of == status && status != LC_OK && status != LC_PANIC);
                    prop_assert!(!(10..abi::LC_FIRST_CUSTOM).contains(&status) && status > 0);
                    prop_assert!(!error.message.trim().is_empty());
                }
                Err(why) => prop_assert!(why.contains("while trying"), "{}", why),
            }
        }
    }

    #[test]
    fn bytes_without_drop_are_static_or_lost() {
        let at = |address, has_drop| RawReply { address, has_drop, ..answer(0, b"x") };
        assert_eq!(freed(&[at(8, false), at(8, false)]), Ok(()));
        assert_eq!(freed(&[at(8, true), at(16, true)]), Ok(()));
        assert!(freed(&[at(8, false), at(16, false)]).is_err());
    }

    #[test]
    fn an_error_does_not_quote_the_document() {
        let quotes = format!(r#"{{"message": "can't read {CANARY}"}}"#);
        let said = failure(&answer(abi::LC_PERMANENT, quotes.as_bytes()), "trying").unwrap_err();
        assert_eq!(said, "its error quotes the document's text while trying");
    }

    #[test]
    fn buffers_that_are_none_are_not_read() {
        let nowhere = RawReply { points_nowhere: true, ..answer(LC_OK, b"") };
        assert!(said(&nowhere, "trying").is_err());
        let large = RawReply { payload: Payload::TooLarge(99), ..answer(LC_OK, b"") };
        assert!(said(&large, "trying").is_err_and(|why| why.contains("99 bytes")));
    }
}

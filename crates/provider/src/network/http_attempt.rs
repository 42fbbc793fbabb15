//! One call on its way through the network, and what its end means for the next.

use std::sync::Arc;
use std::time::Duration;

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpResponse};

use super::limits::RateLimiter;
use super::server::{RETRY_HELP, Server, readable};
use super::verdict::{Recipient, ResponseMeta, judged};
use super::{HttpTransport, backoff, retry_after};
use crate::deadline::Deadline;
use crate::error::{CallError, FailureKind};

/// The approximate number of bytes of text in a token, in English and in JSON.
const BYTES_PER_TOKEN: u64 = 4;
/// The tokens that an answer without `max_tokens` is assumed to need.
const USUAL_ANSWER: u64 = 1_000;
/// The tokens that an image or a page of a document is assumed to need.
const PER_ATTACHMENT: u64 = 1_500;

/// One attempt at a call.
pub(crate) struct HttpAttempt {
    /// The time left of the deadline.
    pub(crate) deadline: Deadline,
    /// From 1.
    pub(super) attempt: u32,
    /// Distinguishes this call from others, in all its attempts.
    call: String,
    model: Option<String>,
    max_tokens: Option<u64>,
    attachments: (u64, u64),
    counts_tokens: bool,
    /// The tokens that it was estimated to take, when it got its turn.
    pub(super) tokens: u64,
    /// The variables whose values were sent.
    pub(super) variables: Vec<String>,
    /// Those that would have been sent, were they set.
    pub(super) unset: Vec<String>,
    /// The reason why a key was left out of the request, and how to allow it.
    pub(super) withheld: Option<String>,
    /// For readers of the journal.
    pub(crate) notes: Vec<String>,
    /// The notice that the server is left alone from here on.
    pub(super) notice: Option<String>,
    pub(super) server: Option<Arc<Server>>,
    pub(super) lane: Option<Arc<RateLimiter>>,
    heard: Option<ResponseMeta>,
}

impl HttpAttempt {
    pub(crate) fn new(request: &CompletionRequest, deadline: Deadline) -> Self {
        let bytes = request.attachments.iter().map(|file| file.data.len() as u64).sum();
        Self {
            deadline,
            attempt: request.attempt,
            call: format!("{}\n{}\n{}", request.document.id, request.stage, request.iteration),
            model: request.options.model.clone(),
            max_tokens: request.options.max_tokens,
            attachments: (request.attachments.len() as u64, bytes),
            counts_tokens: true,
            tokens: 0,
            variables: Vec::new(),
            unset: Vec::new(),
            withheld: None,
            notes: Vec::new(),
            notice: None,
            server: None,
            lane: None,
            heard: None,
        }
    }

    /// A request that serves a batch. Its tokens count when the batch is done, against limits of its own.
    pub(crate) fn of_batch(subject: String, model: Option<String>, deadline: Deadline) -> Self {
        let request = CompletionRequest::default();
        Self { call: subject, model, counts_tokens: false, ..Self::new(&request, deadline) }
    }

    /// Remembers what the server answered.
    pub(crate) fn heard(&mut self, answer: &HttpResponse) {
        self.heard = Some(ResponseMeta::of(answer));
    }

    /// The number of tokens that a call with a body of so many bytes will take, read and written.
    pub(super) fn estimated(&self, body: usize) -> u64 {
        if !self.counts_tokens {
            return 0;
        }
        let (files, bytes) = self.attachments;
        let text = (body as u64).saturating_sub(bytes) / BYTES_PER_TOKEN;
        let answer = self.max_tokens.unwrap_or(USUAL_ANSWER);
        text.saturating_add(answer).saturating_add(files.saturating_mul(PER_ATTACHMENT))
    }
}

impl HttpTransport {
    /// The outcome of a call, with what the network knows of it: whether it may be made again, and when.
    pub(crate) fn settle(
        &self,
        outcome: Result<Completion, CallError>,
        http_attempt: HttpAttempt,
    ) -> Result<Completion, CallError> {
        match outcome {
            Ok(completion) => {
                let usage = completion.usage;
                let taken = usage.input_tokens.saturating_add(usage.output_tokens);
                if let Some(lane) = http_attempt.lane.filter(|_| taken > 0) {
                    lane.took(http_attempt.tokens, taken);
                }
                Ok(completion)
            }
            Err(fault) => {
                if let (Some(lane), Some(usage)) = (&http_attempt.lane, fault.usage.as_deref()) {
                    lane.took(http_attempt.tokens, usage.input_tokens.saturating_add(usage.output_tokens));
                }
                Err(self.failed(fault, &http_attempt))
            }
        }
    }

    /// A failure, with what the network knows of it.
    pub(crate) fn failed(&self, fault: CallError, http_attempt: &HttpAttempt) -> CallError {
        let asked = Recipient {
            model: http_attempt.model.as_deref(),
            base: self.egress.base(),
            variables: &http_attempt.variables,
            unset: &http_attempt.unset,
        };
        let mut fault = match &http_attempt.heard {
            Some(heard) => judged(fault, heard, asked),
            None => fault,
        };
        if fault.kind == FailureKind::Unauthorized && fault.help.is_none() {
            fault.help.clone_from(&http_attempt.withheld);
        }
        if let Some(notice) = &http_attempt.notice {
            fault.message = format!("{}; {notice}", fault.message);
        }
        if !fault.kind.may_pass() || fault.gives_up {
            return fault;
        }
        let told =
            |heard: &ResponseMeta| retry_after::asked(&heard.headers, heard.status, jiff::Timestamp::now());
        fault.retry_after = fault.retry_after.or_else(|| http_attempt.heard.as_ref().and_then(told));
        fault = self.network.bounded(fault);
        match fault.retry_after {
            Some(wait) if !fault.gives_up && fault.kind == FailureKind::RateLimited => {
                // The other calls of this key would fail as well.
                if let Some(lane) = &http_attempt.lane {
                    lane.hold(wait);
                }
            }
            None if !fault.gives_up => fault.backoff = Some(self.pause(http_attempt)),
            _ => {}
        }
        let spent = fault.kind != FailureKind::CircuitOpen
            && http_attempt.server.as_ref().is_some_and(|server| !server.affords_retry());
        if spent && !fault.gives_up {
            fault.gives_up = true;
            fault.message = format!("{}; too many calls were made again already", fault.message);
            fault.help = Some(RETRY_HELP.to_owned());
        }
        fault
    }

    fn pause(&self, http_attempt: &HttpAttempt) -> Duration {
        let call = format!("{}\n{}", self.name, http_attempt.call);
        let pause = backoff::pause(self.network.seed, &call, http_attempt.attempt.saturating_sub(1));
        pause.min(self.network.settings.max_retry_wait.duration())
    }
}

impl super::NetworkState {
    /// A wait that is longer than anyone would wait ends the call.
    pub(crate) fn bounded(&self, fault: CallError) -> CallError {
        let most = self.settings.max_retry_wait;
        match fault.retry_after {
            Some(wait) if wait > most.duration() && fault.kind.may_pass() && !fault.gives_up => CallError {
                gives_up: true,
                message: format!(
                    "{}; it asks to wait {}, more than `network.max_retry_wait` ({most})",
                    fault.message,
                    readable(wait)
                ),
                ..fault
            },
            _ => fault,
        }
    }
}

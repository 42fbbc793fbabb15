//! An open provider: one request in, one completion or typed failure out, within a deadline.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use loopctl_plugin_sdk::abi::{LC_DECODE, LC_ENCODE, LC_MAX_INPUT};
use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpRequest};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tracing::Instrument;

use super::absent::without_absent;
use super::call_meter::CallMeter;
use super::deadline::Deadline;
use super::error::{CallError, identifier, sanitize_message};
use super::network::{HttpAttempt, HttpTransport, NetworkState};
use super::opened_plugin::OpenedPlugin;
use super::plugin::{Instance, Library, Payload, Reply};
use super::progress::CallProgress;
use super::quotation::without_quotations;
use super::reply::{fault_of, sensible, too_large};
use super::tape::{CacheEntry, RecordedCall, RecordedOutcome, Recorder};
use super::trace::CallSpan;
use super::{CallFailure, FailureKind, ProviderError};
use crate::value::{Millis, Usd};

/// The code that answers: what a journal needs to know to have a run repeated.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct PluginIdentity {
    /// The manifest's name.
    pub name: String,
    /// The manifest's version.
    pub version: String,
    /// SHA-256 of the library in lower-case hexadecimal; of the manifest, if the plugin is linked in.
    pub digest: String,
    /// The library, with symbolic links resolved; `(linked)` if the plugin is part of the program.
    #[serde(with = "crate::value::path_serde")]
    pub path: PathBuf,
}

/// An open provider. Clones share the instance.
#[derive(Clone)]
pub struct Provider {
    pub(super) shared: Arc<ProviderState>,
    model: Option<String>,
}

pub(super) struct ProviderState {
    identity: PluginIdentity,
    pub(super) opened: OpenedPlugin,
    pub(super) network: Arc<NetworkState>,
    /// Of `http` plugins.
    pub(super) link: Option<HttpTransport>,
    pub(super) meter: CallMeter,
    tape: Option<Recorder>,
}

/// The outcome of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The completion, or why there is none.
    pub outcome: Result<Completion, CallFailure>,
    /// The time for which the call counts in a run that is recorded or replayed; `None` in any other, where it counts
    /// for the time it took.
    pub took: Option<Millis>,
    /// `true` if the cache answered, so that no provider was asked or paid.
    pub cached: bool,
    entry: Option<CacheEntry>,
}

impl CallOutcome {
    /// The outcome of a call for which no provider had to be asked any more.
    #[cfg(feature = "network")]
    pub(super) fn stored(outcome: Result<Completion, CallFailure>) -> Self {
        CallOutcome { outcome, took: None, cached: false, entry: None }
    }

    /// Returns whether the provider was not asked, because it is left alone for a while.
    pub fn left_alone(&self) -> bool {
        matches!(&self.outcome, Err(failure) if failure.kind == FailureKind::CircuitOpen)
    }

    /// Returns whether it failed as every other call of the provider will until a person fixes the cause.
    pub fn is_of_the_account(&self) -> bool {
        self.outcome.as_ref().is_err_and(CallFailure::is_of_the_account)
    }

    /// Reports that the answer was of no use: the cache, if it holds it, never serves it again.
    pub fn disown(&self) {
        if let Some(entry) = &self.entry {
            entry.remove();
        }
    }
}

impl Provider {
    #[expect(clippy::too_many_arguments, reason = "each is one part of the provider")]
    pub(super) fn open(
        identity: PluginIdentity,
        library: Arc<Library>,
        network: Arc<NetworkState>,
        link: Option<HttpTransport>,
        meter: CallMeter,
        config: Vec<u8>,
        model: Option<String>,
        tape: Option<Recorder>,
    ) -> Result<Self, ProviderError> {
        let opened = OpenedPlugin::new(library, config).map_err(|reply| {
            let fault = fault_of(&reply);
            match fault.kind {
                FailureKind::InvalidConfig => {
                    ProviderError::Config { provider: identity.name.clone(), problem: fault.message }
                }
                kind => ProviderError::Open { provider: identity.name.clone(), kind, problem: fault.message },
            }
        })?;
        let shared = ProviderState { identity, opened, network, link, meter, tape };
        Ok(Self { shared: Arc::new(shared), model })
    }

    /// The code that answers.
    pub fn identity(&self) -> &PluginIdentity {
        &self.shared.identity
    }

    /// The model of the specification, such as `gpt-x` of `openai:gpt-x`.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The name under which price tables know it: that of its endpoint (`ollama`), else its own.
    pub fn provider_label(&self) -> &str {
        self.shared.meter.provider_label()
    }

    /// Returns whether the costs of calls that ask for this model will be known; `None` when that can't be known before
    /// they are made.
    pub fn knows_costs(&self, asked: Option<&str>) -> Option<bool> {
        self.shared.meter.knows(asked)
    }

    /// Returns whether a price table makes a call free, though the provider charges by the one that ships with loopctl.
    pub fn is_made_free(&self, asked: Option<&str>) -> bool {
        self.shared.meter.is_made_free(asked)
    }

    /// The cost of a call that was given up before it ended; `None` when that is unknown.
    pub fn cost_unfinished(&self, request: &CompletionRequest) -> Option<Usd> {
        self.shared.meter.cost_unfinished(self.asked(request))
    }

    /// The model that is asked: that of the specification, such as `openai:gpt-x`, else the request's. A user who names
    /// a model with the provider means it, whichever model a profile was written for.
    pub fn asked<'a>(&'a self, request: &'a CompletionRequest) -> Option<&'a str> {
        self.model.as_deref().or(request.options.model.as_deref())
    }

    /// Has a request name the model that will be asked, so that it need not be copied to do so.
    pub fn name_model(&self, request: &mut CompletionRequest) {
        if let Some(model) = &self.model {
            request.options.model = Some(model.clone());
        }
    }

    /// The source of an answer: the service and the model, as in a specification, such as `ollama:llama3`.
    pub fn answered(&self, request: &CompletionRequest, completion: &Completion) -> String {
        match completion.model.as_deref().and_then(identifier).or(self.asked(request)) {
            Some(model) => format!("{}:{}", self.provider_label(), sanitize_message(model)),
            None => self.provider_label().to_owned(),
        }
    }

    /// Host and port that requests of an `http` plugin go to.
    pub fn server(&self) -> Option<(String, u16)> {
        self.shared.link.as_ref().and_then(HttpTransport::server)
    }

    /// The number of answers that came late, twice or for a call that never was. Counts those of the whole
    /// library.
    pub fn dropped_answers(&self) -> u64 {
        self.shared.opened.library().dropped_answers()
    }

    /// One call. Needs a tokio runtime with time and IO enabled. Dropping the future cancels the call.
    ///
    /// # Errors
    /// A failure of the plugin or the network, a missed deadline, or an answer that makes no sense.
    pub async fn complete(
        &self,
        request: &CompletionRequest,
        deadline: Duration,
    ) -> Result<Completion, CallFailure> {
        self.call(request, deadline, &CallProgress::default()).await.outcome
    }

    /// Like [`Provider::complete`], with the time it took by a tape, and whether the cache answered. `progress` reports
    /// how far it has come, also when it is given up.
    pub async fn call(
        &self,
        request: &CompletionRequest,
        deadline: Duration,
        progress: &CallProgress,
    ) -> CallOutcome {
        let fresh_deadline = || Deadline::new(deadline).telling(progress);
        let model = self.asked(request);
        let call = CallSpan::begin(self, request);
        let mut ended = self.take(request, model, fresh_deadline(), false).instrument(call.span()).await;
        if ended.cached && ended.outcome.is_err() {
            // What was of use once no longer is; the plugin may have changed.
            ended = self.take(request, model, fresh_deadline(), true).instrument(call.span()).await;
        }
        let RecordedOutcome { outcome, took, cached, entry } = ended;
        let meter = &self.shared.meter;
        let outcome = match outcome {
            Ok(mut completion) => {
                completion.usage.cost_usd = meter.cost(&completion, model).map(Usd::get);
                Ok(completion)
            }
            Err(fault) => {
                let cost = meter.cost_of_failure(&fault, model);
                let failure = fault.of(self.provider_label().to_owned(), model.map(str::to_owned));
                Err(CallFailure { cost, ..failure })
            }
        };
        call.end(&outcome, cached);
        CallOutcome { outcome, took, cached, entry }
    }

    /// One attempt; a `fresh` one bypasses the cache. Everything that decides how the caller proceeds after a failed
    /// one precedes the end of the take, which records that decision and restores it on replay.
    async fn take(
        &self,
        request: &CompletionRequest,
        model: Option<&str>,
        deadline: Deadline,
        fresh: bool,
    ) -> RecordedOutcome {
        let mut take = RecordedCall::new(self.shared.tape.as_ref(), fresh, deadline.progress());
        let outcome = self.attempt(request, model, deadline, &mut take).await;
        let document = request.source.as_deref().unwrap_or_default();
        // A wait that is asked for may be too long to be granted; that holds for `direct` plugins too.
        take.end(outcome.map_err(|fault| {
            let fault = self.shared.network.bounded(fault);
            CallError { message: without_quotations(fault.message, document), ..fault }
        }))
    }

    async fn attempt(
        &self,
        request: &CompletionRequest,
        model: Option<&str>,
        mut deadline: Deadline,
        take: &mut RecordedCall,
    ) -> Result<Completion, CallError> {
        let mut request = Cow::Borrowed(request);
        if request.options.model.as_deref() != model {
            request.to_mut().options.model = model.map(str::to_owned);
        }
        match &self.shared.link {
            None => {
                let json = to_json(request.as_ref()).map_err(CallError::unsent)?;
                let (name, config) = (&self.shared.identity.name, self.shared.opened.config());
                let question = take.direct(name, config, &request);
                let digest = keeps(deadline.progress(), [name.as_bytes(), config, &json]);
                let answer = async {
                    let instance =
                        deadline.bound(self.shared.opened.instance()).await.and_then(|opened| opened);
                    let instance = instance.map_err(CallError::unsent)?;
                    deadline.progress().sends();
                    let reply = deadline.bound(instance.complete(json)).await?;
                    self.check(&instance, reply)
                };
                sensible(take.ask(question, move || digest, answer).await?)
            }
            Some(link) => {
                let instance = deadline.bound(self.shared.opened.instance()).await.and_then(|opened| opened);
                let instance = instance.map_err(CallError::unsent)?;
                let mut http_attempt = HttpAttempt::new(&request, deadline);
                HttpTransport::check_request(&request).map_err(CallError::unsent)?;
                let outcome = self.over(link, &instance, &request, &mut http_attempt, take).await;
                take.note(std::mem::take(&mut http_attempt.notes));
                let outcome = outcome.map(|completion| without_absent(completion, request.schema.as_ref()));
                link.settle(outcome, http_attempt)
            }
        }
    }

    /// A call of an `http` plugin: encoded by the plugin, sent by the host, decoded by the plugin.
    async fn over(
        &self,
        link: &HttpTransport,
        instance: &Arc<Instance>,
        request: &CompletionRequest,
        http_attempt: &mut HttpAttempt,
        take: &mut RecordedCall,
    ) -> Result<Completion, CallError> {
        let json = to_json(request).map_err(CallError::unsent)?;
        let encoded =
            http_attempt.deadline.bound(instance.call(LC_ENCODE, json)).await.map_err(CallError::unsent)?;
        let asked: HttpRequest = self.check(instance, encoded).map_err(CallError::unsent)?;
        let url = take.is_recorded().then(|| link.url(&asked)).flatten();
        let question = take.http(&self.shared.identity.name, request, &asked, url.as_deref());
        let parts = [
            self.shared.identity.name.as_bytes(),
            asked.method.as_bytes(),
            asked.path.as_bytes(),
            asked.body.as_bytes(),
        ];
        let digest = keeps(http_attempt.deadline.progress(), parts);
        let answer = take.ask(question, move || digest, link.exchange(asked, http_attempt)).await?;
        http_attempt.heard(&answer);
        let decoded = http_attempt.deadline.bound(instance.call(LC_DECODE, to_json(&answer)?)).await?;
        // A server that turns a request away charges nothing for it.
        let free = answer.status >= 400;
        self.check(instance, decoded).and_then(sensible).map_err(|fault| CallError { free, ..fault })
    }

    /// A reply's payload, parsed as the type that it must have.
    pub(super) fn check<T: DeserializeOwned>(
        &self,
        instance: &Arc<Instance>,
        reply: Reply,
    ) -> Result<T, CallError> {
        if FailureKind::from_status(reply.status).is_some() {
            let fault = fault_of(&reply);
            if fault.kind == FailureKind::Panic {
                self.shared.opened.poison(instance);
            }
            return Err(fault);
        }
        match reply.payload {
            Payload::TooLarge(bytes) => Err(too_large("answer", bytes)),
            // The position of the error, and not the text there, which may be the document.
            Payload::Bytes(json) => serde_json::from_slice(&json).map_err(|error| {
                let what =
                    if error.is_data() { "not the JSON that a plugin answers with" } else { "not JSON" };
                CallError::new(
                    FailureKind::Garbage,
                    format!(
                        "the plugin's answer of {} bytes is {what} (line {}, column {})",
                        json.len(),
                        error.line(),
                        error.column()
                    ),
                )
            }),
        }
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provider")
            .field("identity", &self.shared.identity)
            .field("model", &self.model)
            .finish()
    }
}

/// A digest of everything that decides an answer, in this order, if the answer is kept; else empty.
fn keeps<const N: usize>(progress: &CallProgress, parts: [&[u8]; N]) -> Vec<u8> {
    if progress.store().is_none() {
        return Vec::new();
    }
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    digest.finalize().to_vec()
}

pub(super) fn to_json(payload: &impl serde::Serialize) -> Result<Vec<u8>, CallError> {
    let json = serde_json::to_vec(payload)
        .map_err(|_| CallError::new(FailureKind::InvalidRequest, "the request can't be written as JSON"))?;
    if json.len() > LC_MAX_INPUT { Err(too_large("request", json.len())) } else { Ok(json) }
}

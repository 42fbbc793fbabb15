//! An open provider: one request in, one completion or typed failure out, within a deadline.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loopctl_plugin_sdk::abi::{LC_DECODE, LC_ENCODE, LC_MAX_INPUT};
use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpRequest, PluginError, Usage, VERSION};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tracing::Instrument;

use super::absent::without_absent;
use super::error::{Fault, tame};
use super::meter::Meter;
use super::network::{Errand, Link, Network, Patience};
use super::plugin::{Instance, Library, LogLine, Payload, Reply};
use super::tape::{Ended, Entry, Take, Tape};
use super::trace::CallSpan;
use super::{CallFailure, FailureKind, ProviderError};
use crate::value::{Millis, Usd};

/// Which code answers: what a journal needs to know to have a run repeated.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PluginIdentity {
    /// The manifest's name.
    pub name: String,
    /// The manifest's version.
    pub version: String,
    /// SHA-256 of the library in lower-case hexadecimal; of the manifest, if the plugin is linked in.
    pub digest: String,
    /// The library, with symbolic links resolved; `(linked)` if the plugin is part of the program.
    pub path: PathBuf,
}

/// An open provider. Clones share the instance.
#[derive(Clone)]
pub struct Provider {
    shared: Arc<Shared>,
    model: Option<String>,
}

struct Shared {
    identity: PluginIdentity,
    library: Arc<Library>,
    config: Vec<u8>,
    network: Arc<Network>,
    /// Of `http` plugins.
    link: Option<Link>,
    meter: Meter,
    tape: Option<Tape>,
    current: Mutex<Current>,
}

/// What came of a call.
#[derive(Debug)]
pub struct Called {
    /// The completion, or why there is none.
    pub outcome: Result<Completion, CallFailure>,
    /// What the call counts for in the time of a run that is recorded or replayed; `None` in any other, where it counts
    /// for the time it took.
    pub took: Option<Millis>,
    /// Whether the cache answered, so that nobody was asked or paid.
    pub cached: bool,
    entry: Option<Entry>,
}

impl Called {
    /// Whether the provider was not asked, because it is left alone for a while.
    pub fn left_alone(&self) -> bool {
        matches!(&self.outcome, Err(failure) if failure.kind == FailureKind::CircuitOpen)
    }

    /// Says that the answer was of no use: the cache, if it holds it, never serves it again.
    pub fn disown(&self) {
        if let Some(entry) = &self.entry {
            entry.remove();
        }
    }
}

struct Current {
    instance: Arc<Instance>,
    state: Health,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    /// Never panicked.
    Well,
    /// Panicked, and will be opened again.
    Poisoned,
    /// Opened again after a panic.
    Reopened,
    /// Panicked again.
    Dead,
}

impl Provider {
    #[expect(clippy::too_many_arguments, reason = "each is one part of the provider")]
    pub(super) fn open(
        identity: PluginIdentity,
        library: Arc<Library>,
        network: Arc<Network>,
        link: Option<Link>,
        meter: Meter,
        config: Vec<u8>,
        model: Option<String>,
        tape: Option<Tape>,
    ) -> Result<Self, ProviderError> {
        let instance = Instance::open(&library, config.clone()).map_err(|reply| {
            let fault = fault_of(&reply);
            match fault.kind {
                FailureKind::InvalidConfig => {
                    ProviderError::Config { provider: identity.name.clone(), problem: fault.message }
                }
                kind => ProviderError::Open { provider: identity.name.clone(), kind, problem: fault.message },
            }
        })?;
        let current = Mutex::new(Current { instance, state: Health::Well });
        let shared = Shared { identity, library, config, network, link, meter, tape, current };
        Ok(Self { shared: Arc::new(shared), model })
    }

    /// Which code answers.
    pub fn identity(&self) -> &PluginIdentity {
        &self.shared.identity
    }

    /// The model of the specification, such as `gpt-x` of `openai:gpt-x`.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The name under which price tables know it: that of its endpoint (`ollama`), else its own.
    pub fn seller(&self) -> &str {
        self.shared.meter.seller()
    }

    /// Whether the costs of calls that ask for this model will be known; `None` when that can't be said before they are
    /// made.
    pub fn knows_costs(&self, asked: Option<&str>) -> Option<bool> {
        self.shared.meter.knows(asked)
    }

    /// What a call cost if it was given up before it ended; `None` when that is unknown.
    pub fn cost_unfinished(&self, request: &CompletionRequest) -> Option<Usd> {
        self.shared.meter.cost_unfinished(self.asked(request))
    }

    /// The model that is asked: that of the specification, such as `openai:gpt-x`, else the request's. Whoever names a
    /// model with the provider means it, whatever a profile was written for.
    pub(crate) fn asked<'a>(&'a self, request: &'a CompletionRequest) -> Option<&'a str> {
        self.model.as_deref().or(request.options.model.as_deref())
    }

    /// Who gave an answer: the service and the model, as a specification has them, such as `ollama:llama3`.
    pub fn answered(&self, request: &CompletionRequest, completion: &Completion) -> String {
        match completion.model.as_deref().or(self.asked(request)) {
            Some(model) => format!("{}:{}", self.seller(), tame(model)),
            None => self.seller().to_owned(),
        }
    }

    /// Host and port that requests go to, of an `http` plugin.
    pub fn server(&self) -> Option<(String, u16)> {
        self.shared.link.as_ref().and_then(Link::server)
    }

    /// How many answers came late, twice or for a call that never was. Counts the whole library's.
    pub fn dropped_answers(&self) -> u64 {
        self.shared.library.dropped_answers()
    }

    /// What the plugin has written to its log since the last time.
    pub fn take_log(&self) -> Vec<LogLine> {
        self.shared.library.take_log()
    }

    /// One call. Needs a tokio runtime with time and IO enabled. Dropping the future cancels the call.
    ///
    /// # Errors
    /// Whatever the plugin or the network said, a missed deadline, or an answer that makes no sense.
    pub async fn complete(
        &self,
        request: &CompletionRequest,
        deadline: Duration,
    ) -> Result<Completion, CallFailure> {
        self.call(request, deadline, None).await.outcome
    }

    /// The same, with how long it took by a tape, and whether the cache answered. A call whose turn would come after
    /// `run_left`, which is what is left to the whole run, is not sent.
    pub async fn call(
        &self,
        request: &CompletionRequest,
        deadline: Duration,
        run_left: Option<Duration>,
    ) -> Called {
        let patience = || Patience::new(deadline).within(run_left);
        let model = self.asked(request);
        let call = CallSpan::begin(self, request);
        let mut ended = self.take(request, model, patience(), false).instrument(call.span()).await;
        if ended.cached && ended.outcome.is_err() {
            // What was of use once is not any more; the plugin may have changed.
            ended = self.take(request, model, patience(), true).instrument(call.span()).await;
        }
        let Ended { outcome, took, cached, entry } = ended;
        let meter = &self.shared.meter;
        let outcome = match outcome {
            Ok(mut completion) => {
                completion.usage.cost_usd = meter.cost(&completion, model).map(Usd::get);
                Ok(completion)
            }
            Err(fault) => {
                let cost = meter.cost_of_failure(&fault, model);
                let failure = fault.of(self.seller().to_owned(), model.map(str::to_owned));
                Err(CallFailure { cost, ..failure })
            }
        };
        call.end(&outcome, cached);
        Called { outcome, took, cached, entry }
    }

    /// One attempt; a `fresh` one leaves the cache aside. Whatever decides how a failed one goes on stands before the
    /// end of the take, which records that decision and puts it back on replay.
    async fn take(
        &self,
        request: &CompletionRequest,
        model: Option<&str>,
        patience: Patience,
        fresh: bool,
    ) -> Ended {
        let mut take = Take::new(self.shared.tape.as_ref(), fresh);
        let outcome = self.attempt(request, model, patience, &mut take).await;
        // Whoever asks for a long wait, `direct` plugins too, is not waited for.
        take.end(outcome.map_err(|fault| self.shared.network.bounded(fault)))
    }

    async fn attempt(
        &self,
        request: &CompletionRequest,
        model: Option<&str>,
        mut patience: Patience,
        take: &mut Take,
    ) -> Result<Completion, Fault> {
        let mut request = Cow::Borrowed(request);
        if request.options.model.as_deref() != model {
            request.to_mut().options.model = model.map(str::to_owned);
        }
        match &self.shared.link {
            None => {
                let json = to_json(request.as_ref())?;
                let question = take.direct(&self.shared.identity.name, &self.shared.config, &request);
                let answer = async {
                    let instance = patience.bound(self.instance()).await.and_then(|opened| opened);
                    let instance = instance.map_err(Fault::unsent)?;
                    let reply = patience.bound(instance.complete(json)).await?;
                    self.check(&instance, reply)
                };
                sensible(take.ask(question, answer).await?)
            }
            Some(link) => {
                let instance = patience.bound(self.instance()).await.and_then(|opened| opened);
                let instance = instance.map_err(Fault::unsent)?;
                let mut errand = Errand::new(&request, patience);
                Link::check_request(&request).map_err(Fault::unsent)?;
                let outcome = self.over(link, &instance, &request, &mut errand, take).await;
                let outcome = outcome.map(|completion| without_absent(completion, request.schema.as_ref()));
                link.settle(outcome, errand)
            }
        }
    }

    /// A call of an `http` plugin: encoded by the plugin, sent by the host, decoded by the plugin.
    async fn over(
        &self,
        link: &Link,
        instance: &Arc<Instance>,
        request: &CompletionRequest,
        errand: &mut Errand,
        take: &mut Take,
    ) -> Result<Completion, Fault> {
        let json = to_json(request).map_err(Fault::unsent)?;
        let encoded = errand.patience.bound(instance.call(LC_ENCODE, json)).await.map_err(Fault::unsent)?;
        let asked: HttpRequest = self.check(instance, encoded).map_err(Fault::unsent)?;
        let url = link.url(&asked);
        let question = take.http(&self.shared.identity.name, request, &asked, url.as_deref());
        let answer = take.ask(question, link.exchange(asked, errand)).await?;
        errand.heard(&answer);
        let decoded = errand.patience.bound(instance.call(LC_DECODE, to_json(&answer)?)).await?;
        // Who turns a request away charges nothing for it.
        let free = answer.status >= 400;
        self.check(instance, decoded).and_then(sensible).map_err(|fault| Fault { free, ..fault })
    }

    /// The instance to call: opened again, once, if it has panicked.
    async fn instance(&self) -> Result<Arc<Instance>, Fault> {
        {
            let current = self.current();
            match current.state {
                Health::Well | Health::Reopened => return Ok(Arc::clone(&current.instance)),
                Health::Dead => {
                    return Err(Fault::new(
                        FailureKind::Panic,
                        "the plugin has panicked twice and takes no more calls",
                    ));
                }
                Health::Poisoned => {}
            }
        }
        let shared = Arc::clone(&self.shared);
        let opened =
            tokio::task::spawn_blocking(move || Instance::open(&shared.library, shared.config.clone()))
                .await
                .map_err(|_| Fault::new(FailureKind::Panic, "the plugin could not be opened again"))?
                .map_err(|reply| fault_of(&reply));
        let mut current = self.current();
        match (current.state, opened) {
            (Health::Poisoned, Ok(fresh)) => {
                let old = std::mem::replace(&mut current.instance, Arc::clone(&fresh));
                current.state = Health::Reopened;
                drop(current);
                // Closing may take a moment; not under the lock.
                drop(old);
                Ok(fresh)
            }
            // Another call was faster.
            (Health::Reopened, _) => Ok(Arc::clone(&current.instance)),
            (_, Err(fault)) => {
                current.state = Health::Dead;
                // Whatever it says, there is no second attempt at opening it again.
                Err(Fault::new(
                    FailureKind::Panic,
                    format!("the plugin panicked and can't be opened again: {}", fault.message),
                ))
            }
            (_, Ok(_)) => {
                Err(Fault::new(FailureKind::Panic, "the plugin has panicked twice and takes no more calls"))
            }
        }
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Current> {
        self.shared.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reply's payload, as what it must be.
    fn check<T: DeserializeOwned>(&self, instance: &Arc<Instance>, reply: Reply) -> Result<T, Fault> {
        if FailureKind::from_status(reply.status).is_some() {
            let fault = fault_of(&reply);
            if fault.kind == FailureKind::Panic {
                self.poison(instance);
            }
            return Err(fault);
        }
        match reply.payload {
            Payload::TooLarge(bytes) => Err(too_large("answer", bytes)),
            // Where it goes wrong, and not what stands there, which may be the document.
            Payload::Bytes(json) => serde_json::from_slice(&json).map_err(|error| {
                let what =
                    if error.is_data() { "not the JSON that a plugin answers with" } else { "not JSON" };
                Fault::new(
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

    fn poison(&self, instance: &Arc<Instance>) {
        let mut current = self.current();
        // Calls of the old instance may still fail after another has taken its place.
        if Arc::ptr_eq(&current.instance, instance) {
            current.state = match current.state {
                Health::Well | Health::Poisoned => Health::Poisoned,
                Health::Reopened | Health::Dead => Health::Dead,
            };
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

fn to_json(payload: &impl serde::Serialize) -> Result<Vec<u8>, Fault> {
    let json = serde_json::to_vec(payload)
        .map_err(|_| Fault::new(FailureKind::InvalidRequest, "the request can't be written as JSON"))?;
    if json.len() > LC_MAX_INPUT { Err(too_large("request", json.len())) } else { Ok(json) }
}

fn too_large(what: &str, bytes: usize) -> Fault {
    Fault::new(
        FailureKind::TooLarge,
        format!("the {what} has {bytes} bytes, more than cross the plugin boundary"),
    )
}

fn fault_of(reply: &Reply) -> Fault {
    let kind = FailureKind::from_status(reply.status).unwrap_or(FailureKind::Permanent);
    let error: PluginError = match &reply.payload {
        Payload::Bytes(json) => serde_json::from_slice(json).unwrap_or_default(),
        Payload::TooLarge(_) => PluginError::default(),
    };
    let mut message = tame(&error.message);
    if message.is_empty() {
        message = "the plugin didn't say why".to_owned();
    }
    // Numbers that the boundary doesn't name are the plugin's own, and its documentation may list them.
    if kind == FailureKind::Permanent && reply.status != loopctl_plugin_sdk::abi::LC_PERMANENT {
        message = format!("{message} (status {})", reply.status);
    }
    let fault = Fault::new(kind, message).took(usage_of(&error));
    Fault { retry_after: error.retry_after_ms.map(Duration::from_millis), ..fault }
}

/// What a plugin says that an answer took which is none: cut, refused, withheld.
fn usage_of(error: &PluginError) -> Usage {
    let told = error.detail.as_ref().and_then(|detail| detail.get("usage"));
    let usage: Usage = told.and_then(|usage| Usage::deserialize(usage).ok()).unwrap_or_default();
    // No provider can mean a negative cost.
    Usage { cost_usd: usage.cost_usd.filter(|cost| *cost >= 0.0), ..usage }
}

/// What JSON can say and no provider can mean.
pub(super) fn sensible(completion: Completion) -> Result<Completion, Fault> {
    let garbage = |problem: &str| {
        let usage =
            Usage { cost_usd: completion.usage.cost_usd.filter(|cost| *cost >= 0.0), ..completion.usage };
        Err(Fault::new(FailureKind::Garbage, format!("the plugin's answer {problem}")).took(usage))
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

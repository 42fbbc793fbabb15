//! One call: asked and kept, played, or answered from the cache.

use std::future::Future;

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpRequest, PluginKind, Usage};
use tokio::time::Instant;

use super::body::Body;
use super::exchange::{CallOrigin, Exchange, Failed, Recordable, Summary};
use super::recording_key::RecordingKey;
use super::{Lookup, Recorder, RecorderMode};
use crate::error::CallError;
use crate::value::Millis;
use crate::{CallProgress, FailureKind};

/// The note on a completion from the cache.
const FROM_CACHE: &str = "answered from the cache";

/// A request that goes out, and its sender.
#[derive(Debug, Clone)]
pub(crate) struct RecordedQuestion {
    pub(super) key: RecordingKey,
    /// The key under which a recording that was made elsewhere has it.
    pub(super) elsewhere: Option<RecordingKey>,
    pub(super) summary: Summary,
    pub(super) asker: CallOrigin,
}

/// One call in progress.
pub(crate) struct RecordedCall {
    tape: Option<Recorder>,
    /// `true` if the cache may not answer it.
    fresh: bool,
    /// The progress of the call.
    progress: CallProgress,
    /// The host's notes on it, besides the plugin's.
    notes: Vec<String>,
    state: CallState,
}

enum CallState {
    /// Nothing has gone out.
    Before,
    /// The provider was asked, with this outcome.
    Asked { question: RecordedQuestion, number: usize, exchange: Box<Exchange> },
    /// No provider was asked.
    Played { question: RecordedQuestion, exchange: Box<Exchange> },
}

/// The outcome of a call.
pub(crate) struct RecordedOutcome {
    pub(crate) outcome: Result<Completion, CallError>,
    /// The time for which it counts in a run that is recorded or replayed.
    pub(crate) took: Option<Millis>,
    /// `true` if the cache answered.
    pub(crate) cached: bool,
    /// The entry of the answer in the cache.
    pub(crate) entry: Option<CacheEntry>,
}

/// An answer in the cache.
#[derive(Debug, Clone)]
pub(crate) struct CacheEntry {
    tape: Recorder,
    key: RecordingKey,
}

impl CacheEntry {
    /// Removes it, so that it is never served again.
    pub(crate) fn remove(&self) {
        self.tape.forget(&self.key);
    }
}

impl RecordedCall {
    /// A call that is about to be made. `fresh` for one that the cache may not answer.
    pub(crate) fn new(tape: Option<&Recorder>, fresh: bool, progress: &CallProgress) -> Self {
        let progress = progress.clone();
        Self { tape: tape.cloned(), fresh, progress, notes: Vec::new(), state: CallState::Before }
    }

    /// Returns whether it is recorded, replayed, or answered by the cache.
    pub(crate) fn is_recorded(&self) -> bool {
        self.tape.is_some()
    }

    /// The request that an `http` plugin wants to send, and the URL it goes to; `None` without a tape.
    pub(crate) fn http(
        &self,
        provider: &str,
        request: &CompletionRequest,
        asked: &HttpRequest,
        url: Option<&str>,
    ) -> Option<RecordedQuestion> {
        let tape = self.tape.as_ref()?;
        let key = RecordingKey::of_http(provider, asked);
        let replays = tape.mode() == RecorderMode::Replay;
        Some(RecordedQuestion {
            key: if tape.mode() == RecorderMode::Cache { key.put(&request.stage, url) } else { key },
            elsewhere: replays.then(|| RecordingKey::of_http_elsewhere(provider, asked)).flatten(),
            summary: Summary {
                provider: provider.to_owned(),
                kind: PluginKind::Http,
                model: request.options.model.clone(),
                method: Some(asked.method.clone()),
                // A query may be confidential.
                path: asked.path.split('?').next().map(str::to_owned),
                bytes: asked.body.len(),
                body: tape.keeps_requests().then(|| Body::of(&asked.body)),
            },
            asker: asker_of(request),
        })
    }

    /// The question that a `direct` plugin is asked; `None` without a tape.
    pub(crate) fn direct(
        &self,
        provider: &str,
        config: &[u8],
        request: &CompletionRequest,
    ) -> Option<RecordedQuestion> {
        let tape = self.tape.as_ref()?;
        let mut shown = request.clone();
        // A user may have written a key there.
        shown.options.extra_headers.values_mut().for_each(|value| "[not kept]".clone_into(value));
        let json = serde_json::to_string(&shown).unwrap_or_default();
        Some(RecordedQuestion {
            key: RecordingKey::of_direct(provider, config, request),
            elsewhere: None,
            summary: Summary {
                provider: provider.to_owned(),
                kind: PluginKind::Direct,
                model: request.options.model.clone(),
                method: None,
                path: None,
                bytes: json.len(),
                body: tape.keeps_requests().then(|| Body::of(&json)),
            },
            asker: asker_of(request),
        })
    }

    /// Asks, unless the answer is there already: then `perform` is never begun. `asked` is a digest of all that decides
    /// the answer.
    pub(crate) async fn ask<T: Recordable>(
        &mut self,
        question: Option<RecordedQuestion>,
        asked: impl FnOnce() -> Vec<u8>,
        perform: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let (Some(tape), Some(question)) = (self.tape.clone(), question) else {
            return self.perform(asked, perform).await;
        };
        // An answer that the engine could not use is not served again.
        if !self.fresh && question.asker.attempt <= 1 {
            match tape.cached(&question) {
                Ok(Some(exchange)) => return self.play(question, Box::new(exchange)),
                Ok(None) => {}
                Err(error) => self.notes.push(format!("the cache was not used: {error}")),
            }
        }
        let number = match tape.cue(&question)? {
            Lookup::Ask(number) => number,
            Lookup::Play(exchange) => return self.play(question, exchange),
        };
        let since = Instant::now();
        let answer = self.perform(asked, perform).await;
        // Waiting for its turn is not part of what it took.
        let took = since.elapsed().saturating_sub(self.progress.waited_for());
        let mut exchange = Exchange::new(&question.asker, took);
        let answer = answer.and_then(|answer| {
            answer.keep(&mut exchange);
            T::kept(&exchange).ok_or_else(unusable)
        });
        self.state = CallState::Asked { question, number, exchange: Box::new(exchange) };
        answer
    }

    /// Asks, and keeps the answer before it is inspected; what an earlier process kept is not asked for again.
    async fn perform<T: Recordable>(
        &self,
        asked: impl FnOnce() -> Vec<u8>,
        perform: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let Some(store) = self.progress.store() else { return perform.await };
        let asked = asked();
        if let Some(answer) = store.kept(&asked).and_then(|kept| T::from_raw(&kept)) {
            return Ok(answer);
        }
        let answer = perform.await?;
        if let Some(raw) = answer.to_raw() {
            store.keep(asked, raw).await;
        }
        Ok(answer)
    }

    /// Adds what happened to the call on its way, for readers of the result. A replay, to which nothing happens,
    /// repeats it.
    pub(crate) fn note(&mut self, notes: Vec<String>) {
        self.notes.extend(notes);
    }

    fn play<T: Recordable>(
        &mut self,
        question: RecordedQuestion,
        exchange: Box<Exchange>,
    ) -> Result<T, CallError> {
        let answer = match (T::kept(&exchange), &exchange.failed) {
            (Some(answer), _) => Ok(answer),
            (None, Some(failed)) => Err(CallError::from(failed)),
            (None, None) => Err(unusable()),
        };
        self.state = CallState::Played { question, exchange };
        answer
    }

    /// Ends the call with this outcome, whatever decided it: the answer, its decoding, or the deadline.
    pub(crate) fn end(mut self, mut outcome: Result<Completion, CallError>) -> RecordedOutcome {
        let Some(tape) = self.tape.take() else {
            if let Ok(completion) = &mut outcome {
                completion.notes.extend(self.notes);
            }
            return RecordedOutcome { outcome, took: None, cached: false, entry: None };
        };
        let counts = tape.mode() != RecorderMode::Cache;
        let (mut took, mut cached, mut entry) = (Millis(0), false, None);
        match self.state {
            CallState::Before => {}
            CallState::Asked { question, number, mut exchange } => {
                took = exchange.elapsed_ms;
                exchange.failed = outcome.as_ref().err().map(Failed::from);
                if counts && exchange.failed.is_none() {
                    exchange.notes.clone_from(&self.notes);
                }
                tape.keep(&question, number, *exchange);
                entry = Some(CacheEntry { tape: tape.clone(), key: question.key });
            }
            CallState::Played { question, exchange } if tape.mode() == RecorderMode::Cache => {
                cached = true;
                entry = Some(CacheEntry { tape: tape.clone(), key: question.key });
                took = exchange.elapsed_ms;
                if let Ok(completion) = &mut outcome {
                    completion.usage = Usage { cost_usd: Some(0.0), ..Usage::default() };
                    completion.notes.push(FROM_CACHE.to_owned());
                }
            }
            CallState::Played { exchange, .. } => {
                took = exchange.elapsed_ms;
                self.notes = exchange.notes;
                // Whether or not its answer can be read this time: the deadline may have been missed over it.
                if let Some(failed) = &exchange.failed {
                    outcome = Err(CallError::from(failed));
                }
            }
        }
        if let Ok(completion) = &mut outcome {
            completion.notes.extend(self.notes);
        }
        RecordedOutcome {
            outcome,
            took: counts.then_some(took),
            cached,
            entry: entry.filter(|_| tape.mode() == RecorderMode::Cache),
        }
    }
}

fn asker_of(request: &CompletionRequest) -> CallOrigin {
    CallOrigin { stage: request.stage.clone(), iteration: request.iteration, attempt: request.attempt }
}

fn unusable() -> CallError {
    CallError::new(FailureKind::Garbage, "the cassette holds an answer of another kind of provider")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Requests;
    use loopctl_plugin_sdk::protocol::HttpResponse;
    use std::collections::BTreeMap;

    fn asked() -> HttpRequest {
        HttpRequest {
            method: "POST".into(),
            path: "/chat".into(),
            headers: BTreeMap::new(),
            body: "{}".into(),
            base_url: None,
        }
    }

    fn request() -> CompletionRequest {
        CompletionRequest { stage: "extract".into(), attempt: 1, ..CompletionRequest::default() }
    }

    #[tokio::test]
    async fn each_exchange_is_written_once_into_a_file_of_its_own() {
        let place = tempfile::tempdir().unwrap();
        let answer = |status| HttpResponse { status, headers: BTreeMap::new(), body: "{}".into() };
        let tape = Recorder::record(place.path(), Requests::Digests).unwrap();
        let written = || {
            let mut files: Vec<_> = std::fs::read_dir(place.path())
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .map(|path| (path.file_name().unwrap().len(), std::fs::read_to_string(path).unwrap()))
                .collect();
            files.sort();
            files
        };
        for status in [200, 201, 202] {
            let before = written();
            let mut take = RecordedCall::new(Some(&tape), false, &CallProgress::default());
            let question = take.http("openai", &request(), &asked(), None);
            take.ask(question, Vec::new, async { Ok(answer(status)) }).await.unwrap();
            take.end(Ok(Completion::default()));
            // What was written before stays as it is.
            let after = written();
            assert_eq!(after.len(), before.len() + 1);
            assert!(before.iter().all(|file| after.contains(file)));
        }
        let tape = Recorder::replay(place.path()).unwrap();
        for status in [200, 201, 202] {
            let mut take = RecordedCall::new(Some(&tape), false, &CallProgress::default());
            let question = take.http("openai", &request(), &asked(), None);
            let played = take.ask(question, Vec::new, async { Ok(answer(0)) }).await.unwrap();
            assert_eq!(played.status, status);
        }
    }

    /// A replay holds no answers: each is read when it is played.
    #[tokio::test]
    async fn an_answer_is_read_when_it_is_played() {
        let place = tempfile::tempdir().unwrap();
        let answer = HttpResponse { status: 200, headers: BTreeMap::new(), body: "before".into() };
        let tape = Recorder::record(place.path(), Requests::Digests).unwrap();
        let mut take = RecordedCall::new(Some(&tape), false, &CallProgress::default());
        let question = take.http("openai", &request(), &asked(), None);
        take.ask(question, Vec::new, async { Ok(answer.clone()) }).await.unwrap();
        take.end(Ok(Completion::default()));

        let tape = Recorder::replay(place.path()).unwrap();
        let file = std::fs::read_dir(place.path()).unwrap().next().unwrap().unwrap().path();
        let written = std::fs::read_to_string(&file).unwrap();
        assert!(written.contains("before"));
        std::fs::write(&file, written.replace("before", "after")).unwrap();
        let mut take = RecordedCall::new(Some(&tape), false, &CallProgress::default());
        let question = take.http("openai", &request(), &asked(), None);
        let played = take.ask(question, Vec::new, async { Ok(answer) }).await.unwrap();
        assert_eq!(played.body, "after");
    }

    #[tokio::test]
    async fn remarks_about_a_call_are_played_with_it() {
        let place = tempfile::tempdir().unwrap();
        let answer = HttpResponse { status: 200, headers: BTreeMap::new(), body: "{}".into() };
        let notes = |ended: RecordedOutcome| ended.outcome.unwrap().notes;

        let tape = Recorder::record(place.path(), Requests::Digests).unwrap();
        let mut take = RecordedCall::new(Some(&tape), false, &CallProgress::default());
        let question = take.http("openai", &request(), &asked(), None);
        take.ask(question, Vec::new, async { Ok(answer.clone()) }).await.unwrap();
        take.note(vec!["waited 2.0 s".to_owned()]);
        assert_eq!(notes(take.end(Ok(Completion::default()))), ["waited 2.0 s"]);

        let tape = Recorder::replay(place.path()).unwrap();
        let mut take = RecordedCall::new(Some(&tape), false, &CallProgress::default());
        let question = take.http("openai", &request(), &asked(), None);
        take.ask(question, Vec::new, async { Ok(answer) }).await.unwrap();
        assert_eq!(notes(take.end(Ok(Completion::default()))), ["waited 2.0 s"]);
    }

    #[tokio::test]
    async fn a_call_that_failed_over_its_answer_fails_again() {
        let place = tempfile::tempdir().unwrap();
        let answer = HttpResponse { status: 200, headers: BTreeMap::new(), body: "{}".into() };

        let tape = Recorder::record(place.path(), Requests::Digests).unwrap();
        let mut take = RecordedCall::new(Some(&tape), false, &CallProgress::default());
        let question = take.http("openai", &request(), &asked(), None);
        take.ask(question, Vec::new, async { Ok(answer.clone()) }).await.unwrap();
        let late = CallError::new(FailureKind::Deadline, "no answer in time");
        let recorded = take.end(Err(late)).outcome.unwrap_err();

        let tape = Recorder::replay(place.path()).unwrap();
        let mut take = RecordedCall::new(Some(&tape), false, &CallProgress::default());
        let question = take.http("openai", &request(), &asked(), None);
        let unasked = async { Err::<HttpResponse, _>(CallError::new(FailureKind::Permanent, "asked")) };
        assert_eq!(take.ask(question, Vec::new, unasked).await.unwrap(), answer);
        // This time the plugin was fast enough.
        let replayed = take.end(Ok(Completion::default())).outcome.unwrap_err();
        assert_eq!((replayed.kind, replayed.message), (recorded.kind, recorded.message));
    }
}

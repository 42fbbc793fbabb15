//! A document's call waits for a batch, or its answer has come with one.

use super::super::super::call::{CallPostponer, PostponeDecision};
use super::super::super::document_log::DocumentLog;
use super::super::super::off_thread::on_blocking_thread;
use super::super::super::prior_work::PriorWork;
use crate::provider::protocol::batch::BatchLimits;
use crate::provider::protocol::{CompletionRequest, HttpResponse};
use crate::provider::{AnswerStore, CallOutcome, Provider};
use crate::store::{DocumentKey, Journal, LineState, PostponedCall, RunId, StoreError, custom_id};
use crate::value::digest_bytes;
use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;

/// The state of batches that the documents of a run share.
#[derive(Debug)]
pub(in super::super) struct WaveContext {
    journal: Arc<Journal>,
    run: RunId,
    /// The time at which the run began: runs of two journals may have one id.
    began: String,
    used: bool,
    /// `true` if too few calls are left for a batch.
    online: AtomicBool,
    /// The limits of one batch, by provider; `None` for those that have none.
    limits: Mutex<HashMap<String, Option<BatchLimits>>>,
}

impl WaveContext {
    pub(super) fn new(journal: Arc<Journal>, run: RunId, began: String, used: bool) -> Self {
        WaveContext { journal, run, began, used, online: AtomicBool::new(false), limits: Mutex::default() }
    }

    /// Makes calls online from here on.
    pub(super) fn make_online(&self) {
        self.online.store(true, Ordering::Relaxed);
    }

    fn takes_calls(&self) -> bool {
        self.used && !self.online.load(Ordering::Relaxed)
    }

    /// The limits of one batch of a provider; `None` if it has none.
    pub(super) async fn limits(&self, provider: &Provider) -> Option<BatchLimits> {
        let key = provider.batch_key();
        let mut limits = self.limits.lock().await;
        if let Some(known) = limits.get(&key) {
            return *known;
        }
        let found = provider.batch_limits().await.ok().flatten();
        limits.insert(key, found);
        found
    }

    /// Returns what has the calls of a document wait; `None` if all are made online. `known` is whether it was worked
    /// on before.
    pub(in super::super) async fn postponer(
        self: &Arc<Self>,
        document: DocumentKey,
        log: &DocumentLog,
        prior: &PriorWork,
        known: bool,
    ) -> Result<Option<Arc<dyn CallPostponer>>, StoreError> {
        let mut lines = Vec::new();
        if known {
            let journal = Arc::clone(&self.journal);
            lines = on_blocking_thread(move || journal.postponed(document)).await?;
        }
        if !self.used && lines.is_empty() {
            return Ok(None);
        }
        Ok(Some(Arc::new(DocumentCalls {
            context: Arc::clone(self),
            document,
            log: log.clone(),
            lines: lines.into_iter().collect(),
            answers: prior.answers.keys().cloned().collect(),
        })))
    }
}

/// The calls of one document.
#[derive(Debug)]
struct DocumentCalls {
    context: Arc<WaveContext>,
    document: DocumentKey,
    log: DocumentLog,
    /// Those that were postponed before.
    lines: HashMap<String, LineState>,
    /// Those whose answer an earlier process kept.
    answers: BTreeSet<String>,
}

impl CallPostponer for DocumentCalls {
    fn ask<'a>(
        &'a self,
        call: &'a str,
        provider: &'a Provider,
        request: &'a CompletionRequest,
        answers: Option<&'a Arc<dyn AnswerStore>>,
    ) -> Pin<Box<dyn Future<Output = PostponeDecision> + Send + 'a>> {
        Box::pin(self.decide(call, provider, request, answers))
    }
}

impl DocumentCalls {
    async fn decide(
        &self,
        call: &str,
        provider: &Provider,
        request: &CompletionRequest,
        answers: Option<&Arc<dyn AnswerStore>>,
    ) -> PostponeDecision {
        let state = self.lines.get(call).copied();
        if state == Some(LineState::Online) {
            return PostponeDecision::No;
        }
        if state == Some(LineState::Sent) {
            // It may be paid for already.
            self.log.postpone(call.to_owned(), None);
            return PostponeDecision::Yes;
        }
        if state != Some(LineState::Answered) && !self.context.takes_calls() {
            return PostponeDecision::No;
        }
        if self.context.limits(provider).await.is_none() {
            return PostponeDecision::No;
        }
        let custom_id = custom_id(&self.context.began, &self.context.run, self.document, call);
        // A request that no line can carry is made online, where it fails if it is wrong.
        let Ok(line) = provider.batch_line(request, &custom_id).await else { return PostponeDecision::No };
        let question = digest_bytes(&line.text).into_bytes();
        let kept = answers.and_then(|answers| answers.kept(&question));
        if let Some(response) = kept.and_then(|kept| serde_json::from_slice::<HttpResponse>(&kept).ok()) {
            let called = provider.call_with_answer(request, response).await;
            return PostponeDecision::Answered(Box::new(self.priced(call, provider, request, called)));
        }
        // An answer that came online is read by the call itself.
        let online = state != Some(LineState::Answered) && self.answers.contains(call);
        let group = serde_json::to_string(&line.group).ok();
        let (Some(group), false, true) = (group, online, self.context.takes_calls()) else {
            return PostponeDecision::No;
        };
        let sent = PostponedCall {
            call: call.to_owned(),
            custom_id,
            provider: provider.batch_key(),
            group,
            question,
            line: line.text,
        };
        self.log.postpone(call.to_owned(), Some(sent));
        PostponeDecision::Yes
    }

    /// Notes what was saved. Failed calls are to be in the next batch, which is a pause already.
    fn priced(
        &self,
        call: &str,
        provider: &Provider,
        request: &CompletionRequest,
        mut called: CallOutcome,
    ) -> CallOutcome {
        match &mut called.outcome {
            Ok(completion) => {
                let factor = provider.batch_price_factor(provider.asked(request));
                if let (Some(cost), Some(factor)) = (completion.usage.cost_usd, factor)
                    && factor > 0.0
                    && factor < 1.0
                {
                    self.log.saved(call, cost / factor - cost);
                }
            }
            Err(failure) if failure.may_pass() => failure.retry_after = Some(Duration::ZERO),
            Err(_) => {}
        }
        called
    }
}

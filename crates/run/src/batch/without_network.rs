//! Replaces `waves` in a build without the feature `network`, where no provider has batches.

use super::super::batches::BatchSettings;
use super::super::call::CallPostponer;
use super::super::document_log::DocumentLog;
use super::super::prior_work::PriorWork;
use super::super::session::Session;
use super::QueueState;
use super::worker::WorkerEvent;
use crate::store::{DocumentKey, Journal, StoreError, WorkerId};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// The shared state, which is empty here.
pub(super) struct WaveContext;

impl WaveContext {
    pub(super) async fn postponer(
        self: &Arc<Self>,
        _: DocumentKey,
        _: &DocumentLog,
        _: &PriorWork,
        _: bool,
    ) -> Result<Option<Arc<dyn CallPostponer>>, StoreError> {
        Ok(None)
    }
}

/// The handler of batches, of which there are none.
pub(super) struct Waves(Arc<WaveContext>);

impl Waves {
    pub(super) fn new(
        _: BatchSettings,
        _: &Session,
        _: (&Arc<Journal>, WorkerId),
        _: UnboundedSender<WorkerEvent>,
    ) -> Result<Self, StoreError> {
        Ok(Waves(Arc::new(WaveContext)))
    }

    pub(super) fn context(&self) -> &Arc<WaveContext> {
        &self.0
    }

    pub(super) fn is_idle(&self) -> bool {
        true
    }

    pub(super) fn leave(&self) {}

    pub(super) async fn ended(&mut self) {
        std::future::pending().await
    }

    pub(super) fn take_in(&mut self, (): ()) -> Result<(), StoreError> {
        Ok(())
    }

    pub(super) async fn go_on(&mut self) -> Result<QueueState, StoreError> {
        Ok(QueueState::Nothing)
    }
}

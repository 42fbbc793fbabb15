//! Stands in for `waves` in a build without the feature `network`, where no provider has batches.

use super::super::batches::BatchSettings;
use super::super::call::Later;
use super::super::document_log::DocumentLog;
use super::super::earlier::Earlier;
use super::super::session::Session;
use super::Next;
use super::worker::Notice;
use crate::store::{DocumentKey, Journal, StoreError, WorkerId};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// The shared state, which is empty here.
pub(super) struct WaveRoom;

impl WaveRoom {
    pub(super) async fn later(
        self: &Arc<Self>,
        _: DocumentKey,
        _: &DocumentLog,
        _: &Earlier,
        _: bool,
    ) -> Result<Option<Arc<dyn Later>>, StoreError> {
        Ok(None)
    }
}

/// The handler of batches, of which there are none.
pub(super) struct Waves(Arc<WaveRoom>);

impl Waves {
    pub(super) fn new(
        _: BatchSettings,
        _: &Session,
        _: (&Arc<Journal>, WorkerId),
        _: UnboundedSender<Notice>,
    ) -> Result<Self, StoreError> {
        Ok(Waves(Arc::new(WaveRoom)))
    }

    pub(super) fn room(&self) -> &Arc<WaveRoom> {
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

    pub(super) async fn go_on(&mut self) -> Result<Next, StoreError> {
        Ok(Next::Nothing)
    }
}

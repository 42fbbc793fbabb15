//! The confirmation that something was kept, which comes when it is on the disk.

use super::StoreError;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Resolves when the data that it was given for is on the disk, or can't be kept. Dropping it takes nothing back.
#[derive(Debug)]
#[must_use = "whether it was kept is known only from here"]
pub struct Receipt<T = ()>(ReceiptState<T>);

#[derive(Debug)]
enum ReceiptState<T> {
    Known(Option<Result<T, StoreError>>),
    Awaited(oneshot::Receiver<Result<T, StoreError>>),
}

impl<T> Receipt<T> {
    /// For a result that is known already.
    pub fn known(result: Result<T, StoreError>) -> Self {
        Receipt(ReceiptState::Known(Some(result)))
    }

    /// Waits on this thread, which must be none of an executor's.
    ///
    /// # Errors
    /// When it can't be kept.
    pub fn wait(self) -> Result<T, StoreError> {
        match self.0 {
            ReceiptState::Known(result) => result.unwrap_or(Err(StoreError::ShuttingDown)),
            ReceiptState::Awaited(receiver) => {
                receiver.blocking_recv().unwrap_or(Err(StoreError::ShuttingDown))
            }
        }
    }

    /// For a result that another thread will send.
    #[cfg(feature = "journal")]
    pub(super) fn awaited(receiver: oneshot::Receiver<Result<T, StoreError>>) -> Self {
        Receipt(ReceiptState::Awaited(receiver))
    }
}

impl<T: Unpin> Future for Receipt<T> {
    type Output = Result<T, StoreError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.get_mut().0 {
            ReceiptState::Known(result) => {
                Poll::Ready(result.take().unwrap_or(Err(StoreError::ShuttingDown)))
            }
            ReceiptState::Awaited(receiver) => {
                Pin::new(receiver).poll(context).map(|said| said.unwrap_or(Err(StoreError::ShuttingDown)))
            }
        }
    }
}

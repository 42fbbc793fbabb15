//! Work that waits for the disk or takes long, on a thread that may.

use super::api::ApiError;

/// Does `work` on a thread that may wait.
///
/// # Errors
/// Those of the work; that it panicked.
pub(super) async fn on_blocking_thread<T, E>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    E: Into<ApiError> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(Into::into),
        Err(_) => Err(ApiError::broken("a mistake in loopctl itself, please report it")),
    }
}

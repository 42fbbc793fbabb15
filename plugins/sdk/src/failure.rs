//! The failure that a plugin reports when it can't answer.

use std::time::Duration;

use loopctl_plugin_abi::{self as abi, lc_status};
use serde_json::Value;

use crate::protocol::PluginError;

/// The failure of a call, or of the opening of an instance. The host decides whether to retry.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// One of the ABI's statuses, or the plugin's own from [`abi::LC_FIRST_CUSTOM`].
    pub status: lc_status,
    /// The error that is reported.
    pub error: PluginError,
}

impl Failure {
    /// A failure of any status.
    pub fn new(status: lc_status, message: impl Into<String>) -> Self {
        Self { status, error: PluginError { message: message.into(), ..PluginError::default() } }
    }

    /// The configuration is unusable; say which key and what to write instead.
    pub fn invalid_config(message: impl Into<String>) -> Self {
        Self::new(abi::LC_INVALID_CONFIG, message)
    }

    /// The request can't be answered in this form.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(abi::LC_INVALID_REQUEST, message)
    }

    /// It may pass.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::new(abi::LC_TRANSIENT, message)
    }

    /// Too many requests; `retry_after` when the provider says how long to wait.
    pub fn rate_limited(message: impl Into<String>, retry_after: Option<Duration>) -> Self {
        let mut failure = Self::new(abi::LC_RATE_LIMITED, message);
        failure.error.retry_after_ms =
            retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        failure
    }

    /// A key is missing, wrong or not allowed to do this.
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(abi::LC_UNAUTHORIZED, message)
    }

    /// It would fail again.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self::new(abi::LC_PERMANENT, message)
    }

    /// The host asked for the end.
    pub fn cancelled() -> Self {
        Self::new(abi::LC_CANCELLED, "the call was cancelled")
    }

    /// Adds details for those who investigate it. Never document text, never a secret.
    #[must_use]
    pub fn with_detail(mut self, detail: Value) -> Self {
        self.error.detail = Some(detail);
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (status {})", self.error.message, self.status)
    }
}

impl std::error::Error for Failure {}

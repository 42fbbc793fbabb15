//! Replaces the network in a build without the feature `network`: plugins of kind `http` are found and refused.

use std::sync::Arc;

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, HttpRequest, HttpResponse, Manifest};
use serde_json::Value;

use super::deadline::Deadline;
use super::error::CallError;
use crate::profile::{Author, Network as Settings};

/// The source of the values of environment variables, by name.
type EnvironmentSource = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Nothing to seed.
pub(super) struct Seed(pub(super) u64);

/// The state that opened providers would share.
pub(super) struct NetworkState;

impl NetworkState {
    pub(super) fn new(_: EnvironmentSource) -> Self {
        Self
    }

    pub(super) fn with_environment(&self, _: EnvironmentSource) -> Self {
        Self
    }

    pub(super) fn with_settings(&self, _: Settings) -> Self {
        Self
    }

    pub(super) fn with_seed(&self, Seed(_): Seed) -> Self {
        Self
    }

    pub(super) fn bounded(&self, fault: CallError) -> CallError {
        fault
    }
}

/// Network access, which this build lacks: the type has no values.
pub(super) enum HttpTransport {}

impl HttpTransport {
    /// # Errors
    /// Always.
    pub(super) fn new(
        _: Arc<NetworkState>,
        _: &Manifest,
        _: Option<&str>,
        _: &Value,
        _: Author,
    ) -> Result<(Self, Value), String> {
        Err("it needs the network, and this program was built without the feature `network` of loopctl"
            .to_owned())
    }

    pub(super) fn check_request(_: &CompletionRequest) -> Result<(), CallError> {
        Ok(())
    }

    pub(super) fn server(&self) -> Option<(String, u16)> {
        match *self {}
    }

    pub(super) fn url(&self, _: &HttpRequest) -> Option<String> {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "the network's is async")]
    pub(super) async fn exchange(
        &self,
        _: HttpRequest,
        _: &mut HttpAttempt,
    ) -> Result<HttpResponse, CallError> {
        match *self {}
    }

    pub(super) fn settle(
        &self,
        _: Result<Completion, CallError>,
        _: HttpAttempt,
    ) -> Result<Completion, CallError> {
        match *self {}
    }
}

/// One attempt at a call that is never made.
pub(super) struct HttpAttempt {
    pub(super) deadline: Deadline,
    pub(super) notes: Vec<String>,
}

impl HttpAttempt {
    pub(super) fn new(_: &CompletionRequest, deadline: Deadline) -> Self {
        Self { deadline, notes: Vec::new() }
    }

    pub(super) fn heard(&mut self, _: &HttpResponse) {}
}

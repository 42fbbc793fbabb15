//! Whether a plugin's request would be sent, without sending it.

use loopctl_plugin_sdk::protocol::HttpRequest;
use reqwest::Method;

use super::Link;
use super::secrets::Filled;
use crate::provider::error::tame;

impl Link {
    /// What [`Link::exchange`] asks of a request before it goes out.
    ///
    /// # Errors
    /// In words, why it would not be sent.
    pub(in crate::provider) fn would_send(&self, request: &HttpRequest) -> Result<(), String> {
        let url = self.egress.url(request)?;
        Method::from_bytes(request.method.as_bytes())
            .map_err(|_| format!("`{}` is not an HTTP method", tame(&request.method)))?;
        Filled::of(&request.headers, &self.keys, &url, &self.network.environment)
            .map(|_| ())
            .map_err(|fault| fault.message)
    }
}

//! The network on behalf of `http` plugins. A plugin never sees a secret's value, and never chooses a host that its
//! manifest or the user didn't name.
//!
//! | file | its one job |
//! | --- | --- |
//! | `endpoint` | resolves the service that a plugin talks to, and its address |
//! | `egress` | where requests may go |
//! | `request_keys` | the secrets that they may carry, and where to |
//! | `secrets` | filling those in |
//! | `redact` | taking them out of answers |
//! | `client` | the HTTP client, proxies, and the faults its errors become |
//! | `exchange` | one request and its answer, whole and bounded |
//! | `upload` | a body that is read from a file while it is sent |
//! | `download` | an answer that is read line by line |
//! | `http_attempt` | one attempt at a call, and what its end means for the next |
//! | `verdict` | what a status makes of a failure |
//! | `retry_after` | how long a server asks to wait |
//! | `rate_limit` | the IETF's headers of what remains of a limit |
//! | `backoff` | how long to wait when it doesn't ask |
//! | `limits` | how fast one server is asked with one key |
//! | `server` | the state of one server |
//! | `breaker` | when it is left alone |
//! | `retry_budget` | how many of its calls may be made again |
//!
//! Time is tokio's, so that tests can stop it.

mod backoff;
mod breaker;
mod client;
mod download;
mod egress;
mod endpoint;
mod exchange;
mod http_attempt;
mod limits;
mod method;
mod rate_limit;
mod redact;
mod request_keys;
mod retry_after;
mod retry_budget;
mod secret_files;
mod secrets;
mod server;
mod upload;
mod verdict;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use loopctl_plugin_sdk::protocol::{CompletionRequest, HttpRequest, Manifest};
use serde_json::Value;

use crate::error::{CallError, FailureKind};
use crate::profile::{Author, BatchUse, Limits, Network as Settings};
pub(super) use backoff::Seed;
pub(super) use download::{Download, IncomingLine};
pub(super) use http_attempt::HttpAttempt;
pub use request_keys::SERVICE_HOSTS;
pub(super) use upload::UploadSize;

use client::Clients;
use egress::{Egress, ServerOrigin};
use limits::RateLimiter;
use request_keys::RequestKeys;
use server::Server;

/// The source of the values of environment variables, by name.
pub(super) type EnvironmentSource = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The state that all opened providers of a [`super::Providers`] share.
pub struct NetworkState {
    environment: EnvironmentSource,
    settings: Settings,
    seed: Seed,
    clients: Clients,
    servers: Mutex<HashMap<ServerOrigin, Arc<Server>>>,
    lanes: Mutex<Lanes>,
}

/// By the variables of the keys, too: each key has its own limits.
type Lanes = HashMap<(ServerOrigin, Vec<String>), Arc<RateLimiter>>;

impl NetworkState {
    /// With the usual settings, knowing nothing of any server.
    pub fn new(environment: EnvironmentSource) -> Self {
        Self {
            environment,
            settings: Settings::default(),
            seed: Seed::random(),
            clients: Clients::default(),
            servers: Mutex::default(),
            lanes: Mutex::default(),
        }
    }

    /// This network in another environment, knowing nothing of any server.
    pub(super) fn with_environment(&self, environment: EnvironmentSource) -> Self {
        Self { settings: self.settings.clone(), seed: self.seed, ..Self::new(environment) }
    }

    /// This network with other settings, knowing nothing of any server.
    pub(super) fn with_settings(&self, settings: Settings) -> Self {
        Self { settings, seed: self.seed, ..Self::new(Arc::clone(&self.environment)) }
    }

    /// This network with another seed, knowing nothing of any server.
    pub(super) fn with_seed(&self, seed: Seed) -> Self {
        Self { settings: self.settings.clone(), seed, ..Self::new(Arc::clone(&self.environment)) }
    }

    /// The state shared with the other calls of a server, and with those of the same key. The first caller sets the
    /// limits.
    fn shared(
        &self,
        origin: ServerOrigin,
        variables: Vec<String>,
        limits: Limits,
    ) -> (Arc<Server>, Arc<RateLimiter>) {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let server = servers
            .entry(origin.clone())
            .or_insert_with(|| Arc::new(Server::new(origin.to_string(), &self.settings)));
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let lane = lanes.entry((origin, variables)).or_insert_with(|| Arc::new(RateLimiter::new(limits)));
        (Arc::clone(server), Arc::clone(lane))
    }
}

/// An opened `http` plugin's access to the network.
pub struct HttpTransport {
    network: Arc<NetworkState>,
    egress: Egress,
    keys: RequestKeys,
    /// The endpoint's name, else the plugin's.
    name: String,
    limits: Limits,
    /// `true` if the plugin says that it speaks its vendor's batch API.
    speaks_batch: bool,
}

impl HttpTransport {
    /// From the manifest, the endpoint that the specification names, and the configuration, which comes back completed.
    /// `author` wrote the base URL in it.
    ///
    /// # Errors
    /// A message, when they lead nowhere.
    pub fn new(
        network: Arc<NetworkState>,
        manifest: &Manifest,
        endpoint: Option<&str>,
        config: &Value,
        author: Author,
    ) -> Result<(Self, Value), String> {
        if request_keys::placeholder_in(config) {
            return Err(format!(
                "`{}…}}` is in it: {}",
                request_keys::PLACEHOLDER,
                request_keys::PLUGINS_ONLY
            ));
        }
        let destination = endpoint::resolve(manifest, endpoint, config, &network.environment)?;
        let plain_http = config.get("allow_http").and_then(Value::as_bool).unwrap_or(false);
        let listed = network.settings.egress.clone();
        let keys = RequestKeys::new(manifest, destination.endpoint, config, author, &network.environment)?
            .through(&network.settings.proxy);
        keys.check_token(config, &destination.base)?;
        let egress = Egress::new(manifest, destination.base, plain_http, listed)?;
        let name =
            destination.endpoint.map_or_else(|| manifest.name.clone(), |endpoint| endpoint.name.clone());
        let limits = |name: &str| network.settings.limits.get(&name.replace('-', "_")).copied();
        let limits = limits(&name).or_else(|| limits(&manifest.name)).unwrap_or_default();
        let speaks_batch = manifest.speaks_batch();
        let link = Self { network, egress, keys, name, limits, speaks_batch };
        Ok((link, destination.config))
    }

    /// Refuses a request in which a user wrote a placeholder for a key. The body is not inspected: keys are filled in
    /// headers only, and a document may hold any text.
    ///
    /// # Errors
    /// When there is such a placeholder.
    pub(super) fn check_request(request: &CompletionRequest) -> Result<(), CallError> {
        let options = &request.options;
        let mut written = options.extra_headers.values().chain(&options.model);
        if !written.any(|text| text.contains(request_keys::PLACEHOLDER)) {
            return Ok(());
        }
        let problem = format!(
            "`{}…}}` is in `extra_headers` or `model`: {}",
            request_keys::PLACEHOLDER,
            request_keys::PLUGINS_ONLY
        );
        Err(CallError::new(FailureKind::InvalidRequest, problem))
    }

    /// Returns whether the plugin says that it speaks its vendor's batch API.
    pub(super) fn speaks_batch(&self) -> bool {
        self.speaks_batch
    }

    /// Returns whether documents may be sent in batches.
    pub(super) fn allows_batch(&self) -> bool {
        self.network.settings.batch == BatchUse::Allowed
    }

    /// The longest answer, or line of one, that is accepted, in bytes.
    pub(super) fn longest_answer(&self) -> usize {
        usize::try_from(self.network.settings.max_response_bytes).unwrap_or(usize::MAX)
    }

    /// Host and port that requests go to.
    pub(super) fn server(&self) -> Option<(String, u16)> {
        self.egress.server()
    }

    /// The URL of a plugin's request, if it may go there.
    pub(super) fn url(&self, request: &HttpRequest) -> Option<String> {
        self.egress.url(request).ok().map(String::from)
    }
}

#[cfg(test)]
mod tests {
    use super::EnvironmentSource;
    use loopctl_plugin_sdk::protocol::{AbiVersion, Manifest, PluginKind};
    use std::sync::Arc;

    pub(super) fn manifest(hosts: &[&str]) -> Manifest {
        Manifest {
            name: "t".into(),
            version: "1".into(),
            abi: AbiVersion { major: 1, minor: 0 },
            kind: PluginKind::Http,
            description: String::new(),
            capabilities: vec![],
            config_schema: None,
            secrets: vec!["KEY".into()],
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            endpoints: Vec::new(),
        }
    }

    #[test]
    fn an_answer_of_the_most_bytes_crosses_the_boundary() {
        let most = crate::profile::Network::default().max_response_bytes;
        assert_eq!(most, loopctl_plugin_sdk::abi::LC_MAX_OUTPUT as u64);
    }

    pub(super) fn environment(set: &[(&str, &str)]) -> EnvironmentSource {
        let set: Vec<_> = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Arc::new(move |name| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
    }
}

//! The network on behalf of `http` plugins. A plugin never sees a secret's value, and never chooses a host that its
//! manifest or the user didn't name.
//!
//! | file | its one job |
//! | --- | --- |
//! | `endpoint` | which service a plugin talks to, and where that is |
//! | `egress` | where requests may go |
//! | `secrets` | which secrets they may carry |
//! | `client` | the HTTP client, and what its errors come to |
//! | `patience` | a call's deadline |
//! | `exchange` | one request and its answer, whole and bounded |
//! | `rehearsal` | whether a request would be sent, without sending it |

mod client;
mod egress;
mod endpoint;
mod exchange;
mod patience;
mod rehearsal;
mod secrets;

use std::sync::Arc;
use std::time::Duration;

use loopctl_plugin_sdk::protocol::Manifest;
use serde_json::Value;

pub(super) use endpoint::endpoint_named;
pub(super) use patience::Patience;

use client::Clients;
use egress::Egress;

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Where the values of environment variables come from: by name.
pub(super) type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What all opened providers of a [`super::Providers`] share.
pub(super) struct Network {
    environment: Environment,
    clients: Clients,
}

impl Network {
    pub(super) fn new(environment: Environment) -> Self {
        Self { environment, clients: Clients::default() }
    }
}

/// An opened `http` plugin's way to the network.
pub(super) struct Link {
    network: Arc<Network>,
    egress: Egress,
    declared_secrets: Vec<String>,
}

impl Link {
    /// From the manifest, the endpoint that the specification names, and the configuration, which comes back completed.
    ///
    /// # Errors
    /// In words, when they lead nowhere.
    pub(super) fn new(
        network: Arc<Network>,
        manifest: &Manifest,
        endpoint: Option<&str>,
        config: &Value,
    ) -> Result<(Self, Value), String> {
        let destination = endpoint::resolve(manifest, endpoint, config, &network.environment)?;
        let plain_http = config.get("allow_http").and_then(Value::as_bool).unwrap_or(false);
        let egress = Egress::new(manifest, destination.base, plain_http)?;
        let link = Self { network, egress, declared_secrets: manifest.secrets.clone() };
        Ok((link, destination.config))
    }

    /// Host and port that requests go to.
    pub(super) fn server(&self) -> Option<(String, u16)> {
        self.egress.server()
    }
}

/// One call on its way through the network.
pub(super) struct Errand {
    pub(super) patience: Patience,
}

#[cfg(test)]
mod tests {
    use super::Environment;
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

    pub(super) fn environment(set: &[(&str, &str)]) -> Environment {
        let set: Vec<_> = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Arc::new(move |name| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
    }
}

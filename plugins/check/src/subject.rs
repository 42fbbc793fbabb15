//! The plugin as checks see it: file, manifest, library, table, instances.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopctl_plugin_sdk::protocol::{HttpRequest, Manifest, PluginKind};
use serde_json::Value;

use super::verdict;
use crate::profile::Author;
use crate::provider::ProviderError;
use crate::provider::inspect::PluginFile;
use crate::provider::network::{HttpTransport, NetworkState};
use crate::provider::plugin::{Ledger, OfferedHost, OpenOutcome, PluginEntry, PluginTable, ProbedInstance};

/// One plugin under examination, in one process. Nothing of it runs before a check asks for it.
pub(super) struct PluginUnderTest<'a> {
    pub(super) file: &'a PluginFile,
    /// As the plugin gets it: with what the host adds.
    pub(super) config: Value,
    /// The host's network for plugins of kind `http`, or why there is none.
    link: Option<Result<HttpTransport, String>>,
    limit: Duration,
    ends: Cell<Instant>,
    ledger: OnceCell<&'static Ledger>,
    entry: OnceCell<Result<PluginEntry, ProviderError>>,
    table: OnceCell<Option<Arc<PluginTable>>>,
}

impl<'a> PluginUnderTest<'a> {
    /// `limit` is the time that one check may wait for answers.
    pub(super) fn new(file: &'a PluginFile, config: &Value, limit: Duration) -> Self {
        let (link, config) = linked(&file.manifest, given_or_example(&file.manifest, config));
        Self {
            file,
            config,
            link,
            limit,
            ends: Cell::new(Instant::now()),
            ledger: OnceCell::new(),
            entry: OnceCell::new(),
            table: OnceCell::new(),
        }
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.file.manifest
    }

    /// A check begins.
    pub(super) fn begin(&self) {
        let now = Instant::now();
        // A limit that no clock can hold is none; a day replaces it.
        self.ends.set(now.checked_add(self.limit).unwrap_or(now + Duration::from_secs(86_400)));
    }

    /// The time at which the check that runs stops waiting for answers.
    pub(super) fn ends(&self) -> Instant {
        self.ends.get()
    }

    /// The limit in seconds, for messages about it.
    pub(super) fn limit(&self) -> f64 {
        self.limit.as_secs_f64()
    }

    /// Does `work` this often, or as often as half of the check's time allows, for plugins that are slow by nature.
    pub(super) fn repeat<E>(
        &self,
        times: usize,
        mut work: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, E> {
        let enough = self.ends().checked_sub(self.limit / 2).unwrap_or_else(|| self.ends());
        let mut done = 0;
        while done < times && (done < 2 || Instant::now() < enough) {
            work(done)?;
            done += 1;
        }
        Ok(done)
    }

    /// The record of what the plugin tells its host.
    pub(super) fn ledger(&self) -> &'static Ledger {
        self.ledger.get_or_init(Ledger::leak)
    }

    /// The exported function.
    pub(super) fn entry(&self) -> Result<&PluginEntry, String> {
        self.entry.get_or_init(|| PluginEntry::load(self.file)).as_ref().map_err(ToString::to_string)
    }

    /// The table that it gave to a host like this one.
    pub(super) fn table(&self) -> Result<&Arc<PluginTable>, String> {
        let entry = self.entry()?;
        self.table
            .get_or_init(|| entry.offer(self.ledger(), OfferedHost::Ours))
            .as_ref()
            .ok_or_else(|| "it refuses this host".to_owned())
    }

    /// An instance with the configuration as it was given.
    pub(super) fn open(&self) -> Result<ProbedInstance, String> {
        match self.table()?.open(self.config.to_string().as_bytes()) {
            OpenOutcome::Opened(opened) => Ok(opened),
            OpenOutcome::Nothing => Err("`open` returned OK and set no instance".to_owned()),
            OpenOutcome::Refused(answer) => {
                let (status, error) = verdict::failure(&answer, "opening with the given configuration")?;
                Err(format!("`open` refused with {}: {}", verdict::name(status), error.message))
            }
        }
    }

    /// Checks that an http plugin's requests have a destination.
    pub(super) fn has_link(&self) -> Result<(), String> {
        match &self.link {
            Some(Err(problem)) => Err(problem.clone()),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Checks that the host would send this request for the plugin.
    pub(super) fn would_send(&self, request: &HttpRequest) -> Result<(), String> {
        match &self.link {
            Some(Ok(link)) => link.would_send(request),
            Some(Err(problem)) => Err(problem.clone()),
            None => Ok(()),
        }
    }
}

/// The configuration that was given, or, where none was, the first example of the manifest's `config_schema`.
fn given_or_example<'a>(manifest: &'a Manifest, given: &'a Value) -> &'a Value {
    let is_empty = given.as_object().is_none_or(serde_json::Map::is_empty);
    let example = || manifest.config_schema.as_ref()?.get("examples")?.get(0);
    if is_empty { example().unwrap_or(given) } else { given }
}

/// The host's network for this plugin, with something in the place of each secret, and the configuration with what the
/// host adds to it.
fn linked(manifest: &Manifest, config: &Value) -> (Option<Result<HttpTransport, String>>, Value) {
    if manifest.kind == PluginKind::Direct {
        return (None, config.clone());
    }
    let secrets = manifest.secrets.clone();
    let environment = move |name: &str| {
        if secrets.iter().any(|secret| secret == name) {
            return Some("stands-for-a-secret".to_owned());
        }
        std::env::var(name).ok()
    };
    let network = Arc::new(NetworkState::new(Arc::new(environment)));
    match HttpTransport::new(network, manifest, None, config, Author::User) {
        Ok((link, config)) => (Some(Ok(link)), config),
        Err(problem) => (Some(Err(problem)), config.clone()),
    }
}

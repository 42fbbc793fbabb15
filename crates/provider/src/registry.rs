//! The registry: from the name in a profile to an open provider, and what `loopctl plugin` shows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopctl_plugin_sdk::Linked;
use loopctl_plugin_sdk::protocol::{Manifest, PluginKind};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::call_meter::CallMeter;
use super::error::sanitize_message;
use super::inspect::{PluginFile, hex};
use super::locate::{self, Spec, SpecTarget, endpoint_named, same_name};
use super::network::{HttpTransport, NetworkState, Seed};
use super::plugin::{LINKED, Library};
use super::settings::setting_problems;
use super::tape::Recorder;
use super::{
    Inspected, PluginIdentity, PluginPaths, Prices, Provider, ProviderError, TrustOutcome, TrustState, trust,
};
use crate::profile;

/// All providers there are. Cheap to clone.
#[derive(Clone)]
pub struct Providers {
    shared: Arc<RegistryState>,
}

#[derive(Clone)]
struct RegistryState {
    paths: PluginPaths,
    network: Arc<NetworkState>,
    linked: Vec<OpenablePlugin>,
    programs_allowed: bool,
    prices: Arc<Prices>,
    tape: Option<Recorder>,
}

/// A plugin that can be opened.
type OpenablePlugin = (PluginIdentity, Manifest, Arc<Library>);

/// One line of `loopctl plugin list`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProviderEntry {
    /// From the file's name.
    pub name: String,
    /// The library; `(linked)` if the plugin is part of the program.
    pub path: PathBuf,
    /// The inspected plugin, or what is wrong with it.
    pub plugin: Result<Inspected, ProviderError>,
    /// `true` if the name means this one; else another one of that name takes precedence.
    pub used: bool,
}

/// A plugin that is linked into this program.
fn take_in(plugin: Linked) -> Result<OpenablePlugin, ProviderError> {
    let (library, manifest, json) = Library::linked(plugin.entry())?;
    let identity = PluginIdentity {
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        digest: hex(&Sha256::digest(&json)),
        path: PathBuf::from(LINKED),
    };
    Ok((identity, manifest, library))
}

impl Providers {
    /// Providers in the folders of `paths`, with secrets, addresses and proxies from the process's environment and the
    /// prices that ship with loopctl.
    pub fn new(paths: PluginPaths) -> Self {
        let network = NetworkState::new(Arc::new(|name| std::env::var(name).ok()));
        let network = Arc::new(network);
        #[cfg(feature = "bundled")]
        let linked = super::bundled::BUNDLED.into_iter().filter_map(|plugin| take_in(plugin).ok()).collect();
        #[cfg(not(feature = "bundled"))]
        let linked = Vec::new();
        let prices = Arc::new(Prices::shipped());
        let shared = RegistryState { paths, network, linked, programs_allowed: false, prices, tape: None };
        Self { shared: Arc::new(shared) }
    }

    /// With another environment: the values of variables by name. Secrets, base URLs and proxies come from it.
    #[must_use]
    pub fn with_environment(self, variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.with(|network| network.with_environment(Arc::new(variable)))
    }

    /// With a profile's settings of the network. What is opened with them from here on shares limits, circuit breakers
    /// and retry budgets.
    #[must_use]
    pub fn with_network(self, settings: profile::Network) -> Self {
        self.with(|network| network.with_settings(settings))
    }

    /// With pauses between attempts that are the same in each process with this seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        self.with(|network| network.with_seed(Seed(seed)))
    }

    fn with(self, change: impl FnOnce(&NetworkState) -> NetworkState) -> Self {
        let mut shared = Arc::unwrap_or_clone(self.shared);
        shared.network = Arc::new(change(&shared.network));
        Self { shared: Arc::new(shared) }
    }

    /// With other prices for calls whose cost the provider does not report.
    #[must_use]
    pub fn with_prices(self, prices: Prices) -> Self {
        let mut shared = Arc::unwrap_or_clone(self.shared);
        shared.prices = Arc::new(prices);
        Self { shared: Arc::new(shared) }
    }

    /// Sets whether plugins may be opened that run programs of this machine (the capability
    /// [`runs-programs`](super::protocol::RUNS_PROGRAMS)); by default they may not. A profile names the programs, and
    /// it may be someone else's.
    #[must_use]
    pub fn with_programs_allowed(self, allowed: bool) -> Self {
        let mut shared = Arc::unwrap_or_clone(self.shared);
        shared.programs_allowed = allowed;
        Self { shared: Arc::new(shared) }
    }

    /// With calls that are recorded, replayed, or answered from a cache.
    #[must_use]
    pub fn with_tape(self, tape: Recorder) -> Self {
        let mut shared = Arc::unwrap_or_clone(self.shared);
        shared.tape = Some(tape);
        Self { shared: Arc::new(shared) }
    }

    /// With a plugin that is linked into this program, before any file of the same name:
    /// `with_linked(loopctl_scripted::LOOPCTL_PLUGIN)`. All plugins export the same symbol, so a program that links several
    /// in needs the feature `bundled`, or that of each plugin under which it exports none.
    ///
    /// # Errors
    /// When its table isn't what its kind needs.
    pub fn with_linked(self, plugin: Linked) -> Result<Self, ProviderError> {
        let loaded = take_in(plugin)?;
        let mut shared = Arc::unwrap_or_clone(self.shared);
        // Before one of the same name that is already linked.
        shared.linked.retain(|(known, ..)| !same_name(&known.name, &loaded.0.name));
        shared.linked.push(loaded);
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Opens a provider: `pattern`, `openai:model`, `./libmine.so`, or an endpoint of a plugin, as in `ollama:model`.
    /// `config` is the plugin's configuration, `null` for none. The caller answers for its `base_url`: the server there
    /// gets the user's key.
    ///
    /// # Errors
    /// When there is no such plugin, it may not run, it can't be loaded, or it refuses its configuration.
    pub fn open(&self, spec: &str, config: &Value) -> Result<Provider, ProviderError> {
        self.open_by(spec, config, profile::Author::User)
    }

    /// Like [`Providers::open`], with a `base_url` that `author` wrote. One that only a profile names gets no key,
    /// unless it is where the plugin's manifest has the endpoint anyway, or on this machine: a profile may be someone
    /// else's.
    ///
    /// # Errors
    /// Those of [`Providers::open`].
    pub fn open_by(
        &self,
        spec: &str,
        config: &Value,
        author: profile::Author,
    ) -> Result<Provider, ProviderError> {
        let Spec { target, model } = Spec::parse(spec)?;
        let ((identity, manifest, library), endpoint) = match target {
            SpecTarget::Name(name) => self.named(&name)?,
            SpecTarget::Path(path) => (self.load(&path, None)?, None),
        };
        if manifest.runs_programs() && !self.shared.programs_allowed {
            return Err(ProviderError::ProgramsNotAllowed { provider: manifest.name });
        }
        let problem = |problem: String| ProviderError::Config { provider: manifest.name.clone(), problem };
        let empty = Value::Object(serde_json::Map::new());
        let config = if config.is_null() { empty } else { config.clone() };
        let network = Arc::clone(&self.shared.network);
        let (link, config) = match manifest.kind {
            PluginKind::Direct => (None, config),
            PluginKind::Http => {
                let endpoint = endpoint.as_deref();
                let (link, config) =
                    HttpTransport::new(Arc::clone(&network), &manifest, endpoint, &config, author)
                        .map_err(problem)?;
                (Some(link), config)
            }
        };
        check_config(&manifest, &config)?;
        let meter = CallMeter::new(Arc::clone(&self.shared.prices), &manifest, &config);
        let config = serde_json::to_vec(&config).map_err(|error| problem(error.to_string()))?;
        let tape = self.shared.tape.clone();
        Provider::open(identity, library, network, link, meter, config, model, tape)
    }

    /// The plugin of this name, else the one that has an endpoint of this name, and that endpoint.
    fn named(&self, name: &str) -> Result<(OpenablePlugin, Option<String>), ProviderError> {
        if let Some(linked) = self.linked(name) {
            return Ok((linked.clone(), None));
        }
        match locate::find(&self.shared.paths, name) {
            Some(path) => Ok((self.load(&path, Some(name))?, None)),
            None => {
                let plugin = self.speaking(name)?;
                let loaded = match self.linked(&plugin) {
                    Some(linked) => linked.clone(),
                    None => self.load(&self.path_of(&plugin)?, Some(&plugin))?,
                };
                Ok((loaded, Some(name.to_owned())))
            }
        }
    }

    /// The name of the only plugin that has an endpoint of this name. Runs no plugin code.
    fn speaking(&self, endpoint: &str) -> Result<String, ProviderError> {
        let manifests: Vec<Manifest> =
            self.used().into_iter().filter_map(|listed| Some(listed.plugin.ok()?.manifest)).collect();
        let mut plugins: Vec<String> = manifests
            .iter()
            .filter(|manifest| endpoint_named(manifest, endpoint).is_some())
            .map(|manifest| manifest.name.clone())
            .collect();
        match (plugins.pop(), plugins.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                plugins.push(last);
                Err(ProviderError::Ambiguous { name: endpoint.to_owned(), plugins })
            }
            (None, _) => {
                let endpoints = manifests.iter().flat_map(|manifest| &manifest.endpoints);
                Err(self.unknown(endpoint, endpoints.map(|endpoint| endpoint.name.clone())))
            }
        }
    }

    /// Every plugin that is found, in the order of names; of several of a name, the one that is used comes first.
    /// Copies of a file in several folders are listed once. Runs no plugin code.
    pub fn list(&self) -> Vec<ProviderEntry> {
        self.listing(locate::find_each(&self.shared.paths))
    }

    /// Every plugin that a name means, in the order of names. Runs no plugin code.
    pub fn used(&self) -> Vec<ProviderEntry> {
        let nearest = locate::find_all(&self.shared.paths).into_iter();
        self.listing(nearest.map(|(name, path)| (name, vec![path])))
    }

    fn listing(&self, files: impl IntoIterator<Item = (String, Vec<PathBuf>)>) -> Vec<ProviderEntry> {
        let mut listed: Vec<ProviderEntry> = self.built_in().collect();
        for (name, paths) in files.into_iter().filter(|(name, _)| self.linked(name).is_none()) {
            let mut known = BTreeSet::new();
            for (place, path) in paths.into_iter().enumerate() {
                let plugin = self.inspect(&path);
                let file = plugin.as_ref().ok().map(|plugin| (plugin.digest.clone(), plugin.trust.may_run()));
                if file.is_none_or(|file| known.insert(file)) {
                    listed.push(ProviderEntry { name: name.clone(), path, plugin, used: place == 0 });
                }
            }
        }
        // Those of a name stay as they are.
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        listed
    }

    fn built_in(&self) -> impl Iterator<Item = ProviderEntry> {
        self.shared.linked.iter().map(|(identity, manifest, _)| ProviderEntry {
            name: identity.name.clone(),
            path: identity.path.clone(),
            plugin: Ok(Inspected {
                path: identity.path.clone(),
                digest: identity.digest.clone(),
                manifest: manifest.clone(),
                trust: TrustState::Installation,
            }),
            used: true,
        })
    }

    /// The plugin of this name, if it is part of the program.
    pub fn built_in_named(&self, name: &str) -> Option<Inspected> {
        self.built_in().find(|known| same_name(&known.name, name))?.plugin.ok()
    }

    /// The plugin of this name alone, as [`Providers::list`] has it: no other library is read.
    fn listed(&self, name: &str) -> Option<Result<Inspected, ProviderError>> {
        if let Some(known) = self.built_in().find(|known| same_name(&known.name, name)) {
            return Some(known.plugin);
        }
        let all = locate::find_all(&self.shared.paths);
        let found = all.into_iter().find(|(known, _)| same_name(known, name));
        found.map(|(_, path)| self.inspect(&path))
    }

    /// The library that a name means.
    ///
    /// # Errors
    /// When there is none; the error lists those that exist. [`ProviderError::BuiltIn`] when the plugin of that name is
    /// linked in.
    pub fn path_of(&self, name: &str) -> Result<PathBuf, ProviderError> {
        if let Some((identity, ..)) = self.linked(name) {
            return Err(ProviderError::BuiltIn { name: identity.name.clone() });
        }
        locate::find(&self.shared.paths, name).ok_or_else(|| self.unknown(name, std::iter::empty()))
    }

    fn unknown(&self, name: &str, also: impl Iterator<Item = String>) -> ProviderError {
        let linked = self.shared.linked.iter().map(|(identity, ..)| identity.name.clone());
        locate::unknown(&self.shared.paths, name, linked.chain(also).collect())
    }

    /// The facts about the plugin that a specification such as `openai:model` names, found as [`Providers::open`]
    /// would, but without running any of it; [`Inspected::trust`] says whether it may run.
    ///
    /// # Errors
    /// When there is no such plugin.
    pub fn find(&self, spec: &str) -> Result<Inspected, ProviderError> {
        let Spec { target, .. } = Spec::parse(spec)?;
        let path = match target {
            SpecTarget::Path(path) => path,
            SpecTarget::Name(name) => {
                let found = match self.listed(&name) {
                    Some(found) => Some(found),
                    None => self.listed(&self.speaking(&name)?),
                };
                match found {
                    Some(plugin) => return plugin,
                    None => self.path_of(&name)?,
                }
            }
        };
        self.inspect(&path)
    }

    /// Returns whether a specification names a library by its path, or is invalid.
    pub fn is_named_by_path(spec: &str) -> bool {
        !matches!(Spec::parse(spec), Ok(Spec { target: SpecTarget::Name(_), .. }))
    }

    /// Inspects a library: what it says about itself and whether it may run. Runs no plugin code.
    ///
    /// # Errors
    /// When it is not a plugin that this loopctl could load.
    pub fn inspect(&self, path: &Path) -> Result<Inspected, ProviderError> {
        self.inspected(PluginFile::read(path)?)
    }

    /// Writes the library's digest into the lock file, so that these very bytes may run. Runs no plugin code.
    ///
    /// # Errors
    /// When it is not a plugin, or the lock file can't be read or written.
    pub fn trust(&self, path: &Path) -> Result<TrustOutcome, ProviderError> {
        let file = PluginFile::read(path)?;
        let (lock_file, replaced) = trust::lock(&self.shared.paths, &file)?;
        Ok(TrustOutcome { plugin: self.inspected(file)?, lock_file, replaced })
    }

    /// `Ok` for a library that may run.
    pub fn may_run(&self, file: &PluginFile) -> Result<(), ProviderError> {
        trust::require(&self.shared.paths, file)
    }

    fn inspected(&self, file: PluginFile) -> Result<Inspected, ProviderError> {
        let trust = trust::judge(&self.shared.paths, &file)?;
        Ok(Inspected { path: file.path, digest: file.digest, manifest: file.manifest, trust })
    }

    fn linked(&self, name: &str) -> Option<&OpenablePlugin> {
        self.shared.linked.iter().find(|(identity, ..)| same_name(&identity.name, name))
    }

    fn load(&self, path: &Path, name: Option<&str>) -> Result<OpenablePlugin, ProviderError> {
        let file = PluginFile::read(path)?;
        if let Some(name) = name
            && !same_name(name, &file.manifest.name)
        {
            return Err(ProviderError::WrongName {
                path: file.path,
                expected: name.to_owned(),
                found: file.manifest.name,
            });
        }
        trust::require(&self.shared.paths, &file)?;
        let identity = PluginIdentity {
            name: file.manifest.name.clone(),
            version: file.manifest.version.clone(),
            digest: file.digest.clone(),
            path: file.path.clone(),
        };
        let manifest = file.manifest.clone();
        let library = Library::load(file)?;
        Ok((identity, manifest, library))
    }
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Providers").field("paths", &self.shared.paths).finish_non_exhaustive()
    }
}

/// Checks the configuration against the manifest's schema. Its values stay out of the message: they may be keys.
pub fn check_config(manifest: &Manifest, config: &Value) -> Result<(), ProviderError> {
    let problem = |problem: String| ProviderError::Config { provider: manifest.name.clone(), problem };
    let found = setting_problems(manifest, config).map_err(problem)?;
    let messages: Vec<String> = found.into_iter().map(|found| found.message).collect();
    if messages.is_empty() { Ok(()) } else { Err(problem(sanitize_message(&messages.join("; ")))) }
}

//! The registry: from what a profile names to an open provider, and what `loopctl plugin` shows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopctl_plugin_sdk::Linked;
use loopctl_plugin_sdk::protocol::Manifest;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::complete::egress_of;
use super::error::tame;
use super::http::Secrets;
use super::inspect::{PluginFile, hex};
use super::locate::{self, Spec, Target, same_name};
use super::meter::Meter;
use super::plugin::{LINKED, Library};
use super::trust;
use super::{Inspected, PluginIdentity, PluginPaths, Prices, Provider, ProviderError, TrustState, Trusted};

/// All providers there are. Cheap to clone.
#[derive(Clone)]
pub struct Providers {
    shared: Arc<Shared>,
}

#[derive(Clone)]
struct Shared {
    paths: PluginPaths,
    secrets: Secrets,
    linked: Vec<(PluginIdentity, Manifest, Arc<Library>)>,
    prices: Arc<Prices>,
}

/// One line of `loopctl plugin list`.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// From the file's name.
    pub name: String,
    /// The library; `(linked)` if the plugin is part of the program.
    pub path: PathBuf,
    /// What is known of it, or what is wrong with it.
    pub plugin: Result<Inspected, ProviderError>,
}

impl Providers {
    /// Providers in the places of `paths`, with secrets from the environment and the prices that ship with loopctl.
    pub fn new(paths: PluginPaths) -> Self {
        let secrets: Secrets = Arc::new(|name| std::env::var(name).ok());
        Self {
            shared: Arc::new(Shared {
                paths,
                secrets,
                linked: Vec::new(),
                prices: Arc::new(Prices::shipped()),
            }),
        }
    }

    /// With secrets from elsewhere: by the name that a plugin's manifest declares.
    #[must_use]
    pub fn with_secrets(self, secrets: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        let mut shared = Arc::unwrap_or_clone(self.shared);
        shared.secrets = Arc::new(secrets);
        Self { shared: Arc::new(shared) }
    }

    /// With other prices for calls whose cost the provider does not tell.
    #[must_use]
    pub fn with_prices(self, prices: Prices) -> Self {
        let mut shared = Arc::unwrap_or_clone(self.shared);
        shared.prices = Arc::new(prices);
        Self { shared: Arc::new(shared) }
    }

    /// With a plugin that is linked into this program, before any file of the same name:
    /// `with_linked(loopctl_scripted::LOOPCTL_PLUGIN)`. All plugins export the same symbol, so the linker takes one
    /// per program.
    ///
    /// # Errors
    /// When its table isn't what its kind needs.
    pub fn with_linked(self, plugin: Linked) -> Result<Self, ProviderError> {
        let (library, manifest, json) = Library::linked(plugin.entry())?;
        let identity = PluginIdentity {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            digest: hex(&Sha256::digest(&json)),
            path: PathBuf::from(LINKED),
        };
        let mut shared = Arc::unwrap_or_clone(self.shared);
        shared.linked.push((identity, manifest, library));
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Opens a provider: `pattern`, `openai:model`, `./libmine.so`. `config` is the profile's, `null` for none.
    ///
    /// # Errors
    /// When there is no such plugin, it may not run, it can't be loaded, or it refuses its configuration.
    pub fn open(&self, spec: &str, config: &Value) -> Result<Provider, ProviderError> {
        let Spec { target, model } = Spec::parse(spec)?;
        let empty = Value::Object(serde_json::Map::new());
        let config = if config.is_null() { &empty } else { config };
        let (identity, manifest, library) = match target {
            Target::Name(name) => match self.linked(&name) {
                Some(linked) => linked.clone(),
                None => self.load(&self.path_of(&name)?, Some(&name))?,
            },
            Target::Path(path) => self.load(&path, None)?,
        };
        check_config(&manifest, config)?;
        let egress = egress_of(&manifest, config, Arc::clone(&self.shared.secrets))?;
        let meter = Meter::new(Arc::clone(&self.shared.prices), &manifest, config);
        let config = serde_json::to_vec(config).map_err(|error| ProviderError::Config {
            provider: manifest.name.clone(),
            problem: error.to_string(),
        })?;
        Provider::open(identity, library, egress, meter, config, model)
    }

    /// Every plugin that could be named, in the order of names. Runs no plugin code.
    pub fn list(&self) -> Vec<Listed> {
        let mut listed: Vec<Listed> = self
            .shared
            .linked
            .iter()
            .map(|(identity, manifest, _)| Listed {
                name: identity.name.clone(),
                path: identity.path.clone(),
                plugin: Ok(Inspected {
                    path: identity.path.clone(),
                    digest: identity.digest.clone(),
                    manifest: manifest.clone(),
                    trust: TrustState::Installation,
                }),
            })
            .collect();
        for (name, path) in locate::find_all(&self.shared.paths) {
            if self.linked(&name).is_none() {
                let plugin = self.inspect(&path);
                listed.push(Listed { name, path, plugin });
            }
        }
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        listed
    }

    /// The library that a name stands for.
    ///
    /// # Errors
    /// When there is none; the error names those that there are.
    pub fn path_of(&self, name: &str) -> Result<PathBuf, ProviderError> {
        locate::find(&self.shared.paths, name).ok_or_else(|| {
            let linked = self.shared.linked.iter().map(|(identity, ..)| identity.name.clone()).collect();
            locate::unknown(&self.shared.paths, name, linked)
        })
    }

    /// What is known of the plugin that a specification such as `openai:model` names, found as [`Providers::open`]
    /// would, but without running any of it; [`Inspected::trust`] says whether it may run.
    ///
    /// # Errors
    /// When there is no such plugin.
    pub fn find(&self, spec: &str) -> Result<Inspected, ProviderError> {
        let Spec { target, .. } = Spec::parse(spec)?;
        let path = match target {
            Target::Path(path) => path,
            Target::Name(name) => {
                match self.list().into_iter().find(|known| locate::same_name(&known.name, &name)) {
                    Some(listed) => return listed.plugin,
                    None => self.path_of(&name)?,
                }
            }
        };
        self.inspect(&path)
    }

    /// What a library says about itself and whether it may run. Runs no plugin code.
    ///
    /// # Errors
    /// When it is no plugin that this loopctl could load.
    pub fn inspect(&self, path: &Path) -> Result<Inspected, ProviderError> {
        self.inspected(PluginFile::read(path)?)
    }

    /// Writes the library's digest into the lock file, so that these very bytes may run. Runs no plugin code.
    ///
    /// # Errors
    /// When it is no plugin, or the lock file can't be read or written.
    pub fn trust(&self, path: &Path) -> Result<Trusted, ProviderError> {
        let file = PluginFile::read(path)?;
        let (lock_file, replaced) = trust::lock(&self.shared.paths, &file)?;
        Ok(Trusted { plugin: self.inspected(file)?, lock_file, replaced })
    }

    fn inspected(&self, file: PluginFile) -> Result<Inspected, ProviderError> {
        let trust = trust::judge(&self.shared.paths, &file)?;
        Ok(Inspected { path: file.path, digest: file.digest, manifest: file.manifest, trust })
    }

    fn linked(&self, name: &str) -> Option<&(PluginIdentity, Manifest, Arc<Library>)> {
        self.shared.linked.iter().find(|(identity, ..)| same_name(&identity.name, name))
    }

    fn load(
        &self,
        path: &Path,
        name: Option<&str>,
    ) -> Result<(PluginIdentity, Manifest, Arc<Library>), ProviderError> {
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

/// Holds the configuration against the manifest's schema. The values in it stay out of the message: they may be keys.
fn check_config(manifest: &Manifest, config: &Value) -> Result<(), ProviderError> {
    let problem = |problem: String| ProviderError::Config { provider: manifest.name.clone(), problem };
    let Some(schema) = &manifest.config_schema else { return Ok(()) };
    let validator = jsonschema::validator_for(schema).map_err(|error| {
        problem(format!("the plugin's own schema is not valid: {}", tame(&error.to_string())))
    })?;
    let problems: Vec<String> = validator
        .iter_errors(config)
        .take(10)
        .map(|error| {
            let at = error.instance_path().to_string();
            let text = error.masked().to_string();
            if at.is_empty() { text } else { format!("at `{at}`: {text}") }
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problem(tame(&problems.join("; ")))) }
}

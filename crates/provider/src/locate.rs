//! Finds plugins, and parses a provider's specification.

use std::collections::BTreeMap;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use loopctl_plugin_sdk::protocol::{Endpoint, Manifest};

use super::ProviderError;

/// The locations that matter to plugins. Made once from the environment, and passed on, so that nothing else reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PluginPaths {
    /// `LOOPCTL_PLUGIN_PATH`: folders that come first.
    pub search: Vec<PathBuf>,
    /// `LOOPCTL_HOME`, or `loopctl` in the user's configuration folder: holds `plugins/` and the lock file.
    pub home: Option<PathBuf>,
    /// The running program, whose folder is the installation.
    pub exe: Option<PathBuf>,
}

impl PluginPaths {
    /// As this process finds them: by its environment, and its executable.
    pub fn from_env() -> Self {
        Self::of_environment(|name| std::env::var_os(name), std::env::current_exe().ok())
    }

    /// As the variables `LOOPCTL_PLUGIN_PATH`, `LOOPCTL_HOME`, `XDG_CONFIG_HOME` and `HOME` name them, and the executable.
    pub fn of_environment(var: impl Fn(&str) -> Option<OsString>, exe: Option<PathBuf>) -> Self {
        let set = |name| var(name).filter(|value| !value.is_empty());
        let search = set("LOOPCTL_PLUGIN_PATH")
            .map(|list| std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect())
            .unwrap_or_default();
        let home = set("LOOPCTL_HOME")
            .map(PathBuf::from)
            // The specification of XDG has relative paths ignored.
            .or_else(|| {
                set("XDG_CONFIG_HOME")
                    .map(PathBuf::from)
                    .filter(|path| path.is_absolute())
                    .map(|path| path.join("loopctl"))
            })
            .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".config/loopctl")));
        Self { search, home, exe: exe.and_then(|exe| exe.canonicalize().ok()) }
    }

    /// Every folder that may hold plugins, nearest first.
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut folders = self.search.clone();
        folders.extend(self.home.as_ref().map(|home| home.join("plugins")));
        if let Some(dir) = self.exe_dir() {
            // In a cargo build, files in `deps` are never older than those beside the program.
            folders.extend([dir.join("plugins"), dir.join("deps"), dir.to_owned()]);
        }
        folders.extend(self.lib_dir().map(|lib| lib.join("plugins")));
        folders
    }

    /// Folders of `LOOPCTL_PLUGIN_PATH` that don't exist.
    pub fn missing(&self) -> impl Iterator<Item = &Path> {
        self.search.iter().map(PathBuf::as_path).filter(|folder| !folder.is_dir())
    }

    /// The lock file.
    pub fn lock_file(&self) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join("plugins.lock"))
    }

    /// The trees that belong to the installation, as they are on disk, whether they exist or not.
    pub(super) fn installation(&self) -> Vec<PathBuf> {
        let lib = self.lib_dir();
        self.exe_dir()
            .map(Path::to_owned)
            .into_iter()
            .chain(lib)
            .filter_map(|dir| dir.canonicalize().ok())
            .collect()
    }

    fn exe_dir(&self) -> Option<&Path> {
        self.exe.as_deref().and_then(Path::parent)
    }

    fn lib_dir(&self) -> Option<PathBuf> {
        self.exe_dir().and_then(Path::parent).map(|prefix| prefix.join("lib/loopctl"))
    }
}

/// A parsed specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spec {
    pub(super) target: SpecTarget,
    /// The text after the name's `:`.
    pub(super) model: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SpecTarget {
    Name(String),
    Path(PathBuf),
}

impl Spec {
    /// `pattern`, `openai:gpt-x`, `./libmine.so`, `./libmine.so:model`.
    pub(super) fn parse(spec: &str) -> Result<Self, ProviderError> {
        let bad = || ProviderError::BadName { spec: super::error::sanitize_message(spec) };
        if spec.contains('\0') {
            return Err(bad());
        }
        let (head, model) = match spec.split_once(':') {
            // Models may have slashes; one letter before a colon is a drive.
            Some((name, model)) if name.len() > 1 && is_name(name) => (name.to_owned(), Some(model)),
            _ => match spec.rsplit_once(DLL_SUFFIX) {
                // A path ends in the suffix, or in the suffix and a model.
                Some((stem, rest)) if rest.is_empty() || rest.starts_with(':') => {
                    (format!("{stem}{DLL_SUFFIX}"), rest.strip_prefix(':'))
                }
                _ => (spec.to_owned(), None),
            },
        };
        let model = match model.map(str::trim) {
            Some("") => return Err(bad()),
            model => model.map(str::to_owned),
        };
        if is_path(&head) || head.ends_with(DLL_SUFFIX) {
            return Ok(Self { target: SpecTarget::Path(head.into()), model });
        }
        if !is_name(&head) {
            return Err(bad());
        }
        Ok(Self { target: SpecTarget::Name(head), model })
    }
}

/// Returns whether a manifest or a profile may give a plugin this name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn is_path(text: &str) -> bool {
    text.contains('/') || text.contains(std::path::MAIN_SEPARATOR)
}

/// The endpoint of `manifest` that goes by this name.
pub(super) fn endpoint_named<'m>(manifest: &'m Manifest, name: &str) -> Option<&'m Endpoint> {
    manifest.endpoints.iter().find(|endpoint| same_name(&endpoint.name, name))
}

/// Returns whether two names mean the same plugin: a crate `loopctl-my-llm` makes a library `loopctl_my_llm`.
pub fn same_name(one: &str, other: &str) -> bool {
    one.replace('-', "_") == other.replace('-', "_")
}

/// The library of that name in the nearest folder that has one.
pub(super) fn find(paths: &PluginPaths, name: &str) -> Option<PathBuf> {
    let file = format!("{DLL_PREFIX}loopctl_{}{DLL_SUFFIX}", name.replace('-', "_"));
    paths.folders().into_iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// Every library by its name, the nearest of each name.
pub(super) fn find_all(paths: &PluginPaths) -> BTreeMap<String, PathBuf> {
    let nearest = |(name, files): (String, Vec<PathBuf>)| Some((name, files.into_iter().next()?));
    find_each(paths).into_iter().filter_map(nearest).collect()
}

/// Every library by its name, the nearest first.
pub(super) fn find_each(paths: &PluginPaths) -> BTreeMap<String, Vec<PathBuf>> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for folder in paths.folders() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let file = entry.file_name();
            let name = file.to_str().and_then(|file| {
                file.strip_prefix(DLL_PREFIX)?.strip_prefix("loopctl_")?.strip_suffix(DLL_SUFFIX)
            });
            if let Some(name) = name.filter(|name| !name.is_empty())
                && entry.path().is_file()
            {
                found.entry(name.to_owned()).or_default().push(entry.path());
            }
        }
    }
    found
}

/// The error for an unknown name, with the nearest known one. `available` are names besides those of libraries.
pub(super) fn unknown(paths: &PluginPaths, name: &str, mut available: Vec<String>) -> ProviderError {
    available.extend(find_all(paths).into_keys());
    available.sort();
    available.dedup();
    let spelled = name.to_ascii_lowercase();
    let guess = available
        .iter()
        .map(|other| (strsim::damerau_levenshtein(&spelled, other), other))
        .filter(|(distance, other)| *distance <= 1 + other.len() / 4)
        .min()
        .map(|(_, other)| other.clone())
        .or_else(|| {
            of_vendor(&spelled).filter(|guess| {
                let provider = guess.split_once(':').map_or(guess.as_str(), |(provider, _)| provider);
                available.iter().any(|other| other == provider)
            })
        });
    ProviderError::Unknown { name: name.to_owned(), guess, available, searched: paths.folders() }
}

/// The specification meant by the name of a vendor or of a model: `claude`, `gpt-5-mini`.
fn of_vendor(name: &str) -> Option<String> {
    let (provider, is_model) = match name.split('-').next()? {
        "gpt" | "chatgpt" => ("openai", true),
        "claude" => ("anthropic", true),
        "gemini" => ("gemini", true),
        "google" => ("gemini", false),
        "llama" => ("ollama", true),
        _ => return None,
    };
    Some(if is_model && name.contains('-') { format!("{provider}:{name}") } else { provider.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, model: Option<&str>) -> Spec {
        Spec { target: SpecTarget::Name(name.into()), model: model.map(Into::into) }
    }

    #[test]
    fn specifications_are_names_or_paths() {
        assert_eq!(Spec::parse("pattern").unwrap(), named("pattern", None));
        assert_eq!(Spec::parse("openai:gpt-x:latest").unwrap(), named("openai", Some("gpt-x:latest")));
        assert_eq!(Spec::parse("ollama:org/model").unwrap(), named("ollama", Some("org/model")));
        let lib = format!("./libmine{DLL_SUFFIX}");
        assert_eq!(
            Spec::parse(&lib).unwrap(),
            Spec { target: SpecTarget::Path(lib.clone().into()), model: None }
        );
        assert_eq!(
            Spec::parse(&format!("{lib}:m")).unwrap(),
            Spec { target: SpecTarget::Path(lib.into()), model: Some("m".into()) }
        );
        for bad in ["", "a b", "openai:", "..", ":x", "a\0b"] {
            assert!(Spec::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn home_is_found_in_order() {
        let with = |pairs: &[(&str, &str)]| {
            let pairs: Vec<_> = pairs.iter().map(|(k, v)| ((*k).to_owned(), OsString::from(v))).collect();
            PluginPaths::of_environment(
                |name| pairs.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone()),
                None,
            )
        };
        assert_eq!(with(&[("HOME", "/h")]).home, Some("/h/.config/loopctl".into()));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")]).home, Some("/x/loopctl".into()));
        assert_eq!(with(&[("LOOPCTL_HOME", "/l"), ("XDG_CONFIG_HOME", "/x")]).home, Some("/l".into()));
        assert_eq!(with(&[("LOOPCTL_HOME", ""), ("HOME", "/h")]).home, Some("/h/.config/loopctl".into()));
        assert_eq!(with(&[]).home, None);
    }
}

//! Decides which plugins may run: those of the installation, and those whose digest is in the lock file.

#[cfg(unix)]
use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::inspect::PluginFile;
use super::{PluginPaths, ProviderError};
#[cfg(unix)]
use crate::disk::Stranger;
use crate::disk::{self, Access, ReadError};
use crate::value::ShownPath;

const MAX_LOCK: u64 = 1 << 20;
const LOCK_VERSION: u32 = 1;

/// The verdict on whether a plugin may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// It is part of the installation, which others can't write.
    Installation,
    /// Its digest is in the lock file.
    Locked,
    /// It needs an entry in the lock file, for this reason.
    Untrusted {
        /// The reason, in words.
        reason: String,
    },
    /// The lock file has another digest for its path.
    Changed {
        /// The one in the lock file.
        expected: String,
    },
}

impl TrustState {
    /// Returns whether it may run.
    pub fn may_run(&self) -> bool {
        matches!(self, Self::Installation | Self::Locked)
    }
}

/// The outcome of `trust`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TrustOutcome {
    /// The plugin.
    pub plugin: super::Inspected,
    /// The lock file that has the entry.
    pub lock_file: PathBuf,
    /// The digest that the entry had before, if it had another.
    pub replaced: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lock {
    version: u32,
    plugins: Vec<TrustedPlugin>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedPlugin {
    name: String,
    version: String,
    #[serde(with = "crate::value::path_serde")]
    path: PathBuf,
    sha256: String,
}

/// Judges whether `file` may run.
pub(super) fn judge(paths: &PluginPaths, file: &PluginFile) -> Result<TrustState, ProviderError> {
    let reason = match in_installation(paths, file) {
        Ok(()) => return Ok(TrustState::Installation),
        Err(reason) => reason,
    };
    let Some(lock_file) = paths.lock_file() else { return Ok(TrustState::Untrusted { reason }) };
    let lock = read_lock(&lock_file)?;
    // An entry for this path decides; a plugin that was only moved keeps its trust.
    if let Some(entry) = lock.plugins.iter().find(|entry| entry.path == file.path) {
        return Ok(if entry.sha256 == file.digest {
            TrustState::Locked
        } else {
            TrustState::Changed { expected: entry.sha256.clone() }
        });
    }
    Ok(if lock.plugins.iter().any(|entry| entry.sha256 == file.digest) {
        TrustState::Locked
    } else {
        TrustState::Untrusted { reason }
    })
}

/// `Ok` for a plugin that may run.
pub(super) fn require(paths: &PluginPaths, file: &PluginFile) -> Result<(), ProviderError> {
    match judge(paths, file)? {
        TrustState::Installation | TrustState::Locked => Ok(()),
        TrustState::Untrusted { reason } => {
            Err(ProviderError::Untrusted { path: file.path.clone(), digest: file.digest.clone(), reason })
        }
        TrustState::Changed { expected } => {
            Err(ProviderError::Changed { path: file.path.clone(), expected, found: file.digest.clone() })
        }
    }
}

/// Writes an entry for `file`. Returns the lock file and the previous digest, if it was another.
pub(super) fn lock(
    paths: &PluginPaths,
    file: &PluginFile,
) -> Result<(PathBuf, Option<String>), ProviderError> {
    let lock_file = paths.lock_file().ok_or_else(|| ProviderError::Home {
        path: PathBuf::from("plugins.lock"),
        problem: "neither LOOPCTL_HOME nor HOME is set".to_owned(),
    })?;
    let home = lock_file.parent().unwrap_or(Path::new("."));
    let denied =
        |error: std::io::Error| ProviderError::Home { path: lock_file.clone(), problem: error.to_string() };
    std::fs::create_dir_all(home).map_err(denied)?;
    // Two that trust at once take turns; released when dropped.
    #[cfg(unix)]
    let turn = File::open(home).map_err(denied)?;
    #[cfg(unix)]
    turn.lock().map_err(denied)?;

    let mut lock = read_lock(&lock_file)?;
    let replaced =
        lock.plugins.iter().find(|entry| entry.path == file.path).map(|entry| entry.sha256.clone());
    lock.plugins.retain(|entry| entry.path != file.path);
    lock.plugins.push(TrustedPlugin {
        name: file.manifest.name.clone(),
        version: file.manifest.version.clone(),
        path: file.path.clone(),
        sha256: file.digest.clone(),
    });
    lock.plugins.sort_by(|a, b| a.path.cmp(&b.path));

    let mut text = serde_json::to_vec_pretty(&lock).map_err(|error| denied(error.into()))?;
    text.push(b'\n');
    disk::replace(&lock_file, &text, Access::Owner).map_err(denied)?;
    Ok((lock_file, replaced.filter(|before| *before != file.digest)))
}

fn read_lock(path: &Path) -> Result<Lock, ProviderError> {
    let bad = |problem: String| ProviderError::Lock { path: path.to_owned(), problem };
    let json = match disk::read_own(path, MAX_LOCK) {
        Ok(json) => json,
        Err(ReadError::Missing) => return Ok(Lock { version: LOCK_VERSION, plugins: Vec::new() }),
        Err(error) => return Err(bad(error.to_string())),
    };
    // Anyone who may write the folder may replace the file.
    disk::check_place(path).map_err(bad)?;
    let lock: Lock = serde_json::from_slice(&json).map_err(|error| bad(error.to_string()))?;
    if lock.version != LOCK_VERSION {
        return Err(bad(format!("it is of version {}, this loopctl knows {LOCK_VERSION}", lock.version)));
    }
    Ok(lock)
}

/// `Ok` if the file is part of the installation and no one else could have put it there; else the reason why
/// not.
fn in_installation(paths: &PluginPaths, file: &PluginFile) -> Result<(), String> {
    let trees = paths.installation();
    let Some(root) = trees.iter().find(|tree| file.path.starts_with(tree)) else {
        return Err("it is not part of the installation".to_owned());
    };
    // The executable's owner could replace the executable, so nothing is lost by trusting what else they own.
    let owner = paths.exe.as_deref().and_then(|exe| std::fs::metadata(exe).ok());
    check_place(&file.path, &file.metadata, owner.as_ref())?;
    for dir in file.path.ancestors().skip(1).take_while(|dir| dir.starts_with(root)) {
        let metadata =
            std::fs::metadata(dir).map_err(|error| format!("`{}` can't be checked: {error}", dir.shown()))?;
        check_place(dir, &metadata, owner.as_ref())?;
    }
    Ok(())
}

#[cfg(unix)]
fn check_place(
    path: &Path,
    metadata: &std::fs::Metadata,
    exe: Option<&std::fs::Metadata>,
) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let shown = path.shown();
    match disk::stranger_to(metadata, exe.map_or(0, MetadataExt::uid)) {
        None => Ok(()),
        Some(Stranger::Owner(_)) => {
            Err(format!("`{shown}` belongs to neither root nor the owner of loopctl"))
        }
        Some(Stranger::Everybody) => Err(format!("others may write `{shown}` (`chmod o-w`)")),
        Some(Stranger::Group(group)) => {
            Err(format!("the members of the group {group} may write `{shown}` (`chmod g-w`)"))
        }
    }
}

/// Elsewhere the location alone decides: the standard library doesn't tell who may write there.
#[cfg(not(unix))]
fn check_place(_: &Path, _: &std::fs::Metadata, _: Option<&std::fs::Metadata>) -> Result<(), String> {
    Ok(())
}

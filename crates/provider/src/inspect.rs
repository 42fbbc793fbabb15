//! Reads a plugin's file: its bytes, their digest, and the manifest embedded in them. Runs no plugin code.

use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use loopctl_plugin_sdk::abi::{LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_MAGIC, LC_MAX_MANIFEST};
use loopctl_plugin_sdk::protocol::Manifest;
use regex::bytes::Regex;
use sha2::{Digest, Sha256};

use super::locate::is_name;
use super::trust::TrustState;
use super::{ProviderError, error::sanitize_message};
use crate::disk::{self, ReadError};

/// The largest file that is read, in bytes: larger than any shared library worth loading.
const MAX_FILE: u64 = 256 << 20;

/// The facts about a plugin that are known without running it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Inspected {
    /// The library, with symbolic links resolved.
    pub path: PathBuf,
    /// SHA-256 of its bytes, in lower-case hexadecimal.
    pub digest: String,
    /// The plugin's description of itself.
    pub manifest: Manifest,
    /// The verdict on whether it may run.
    pub trust: TrustState,
}

/// A library's bytes and what they say. All that follows, trust and loading, is about these very bytes.
pub struct PluginFile {
    /// The library, with symbolic links resolved.
    pub path: PathBuf,
    /// The bytes of the file, at most 256 MiB.
    pub bytes: Vec<u8>,
    /// SHA-256 of the bytes, in lower-case hexadecimal.
    pub digest: String,
    /// The plugin's description of itself, as embedded in the library.
    pub manifest: Manifest,
    /// The JSON of the manifest, byte for byte as it is embedded.
    pub manifest_json: Vec<u8>,
    /// Of the file that was read, not of the file that has its name now.
    pub metadata: Metadata,
}

/// This loopctl's version of the boundary.
pub fn host_abi() -> String {
    format!("{LC_ABI_MAJOR}.{LC_ABI_MINOR}")
}

impl PluginFile {
    /// Reads a plugin's file and the manifest in it, without running any of its code.
    ///
    /// # Errors
    /// Fails if the file can't be read, is not a plugin, or has an invalid manifest or another ABI version.
    pub fn read(path: &Path) -> Result<Self, ProviderError> {
        let unreadable = |error: std::io::Error| ProviderError::Unreadable {
            path: path.to_owned(),
            problem: error.to_string(),
        };
        let not_a_plugin =
            |problem: &str| ProviderError::NotAPlugin { path: path.to_owned(), problem: problem.to_owned() };

        let path = path.canonicalize().map_err(unreadable)?;
        let file = disk::open(&path).map_err(|error| match error {
            ReadError::Folder | ReadError::Special(_) => not_a_plugin(&error.to_string()),
            _ => ProviderError::Unreadable { path: path.clone(), problem: error.to_string() },
        })?;
        let metadata = file.metadata().map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(not_a_plugin("it is larger than 256 MiB"));
        }
        if super::elf::cut_short(&bytes) {
            return Err(not_a_plugin("the file is cut short"));
        }
        let (manifest, manifest_json) = find_manifest(&path, &bytes)?;
        let digest = hex(&Sha256::digest(&bytes));
        Ok(Self { path, bytes, digest, manifest, manifest_json, metadata })
    }
}

/// SHA-256 or any other bytes, in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn find_manifest(path: &Path, bytes: &[u8]) -> Result<(Manifest, Vec<u8>), ProviderError> {
    static MAGIC: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let pattern: String = LC_MANIFEST_MAGIC.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        Regex::new(&format!("(?-u){pattern}")).ok()
    });
    let bad = |problem: String| ProviderError::BadManifest { path: path.to_owned(), problem };
    let mut found: Option<(Manifest, &[u8])> = None;
    let mut wrong = None;
    for mark in MAGIC.iter().flat_map(|magic| magic.find_iter(bytes)) {
        let json = match blob(bytes.get(mark.end()..).unwrap_or_default()) {
            Some(json) => json,
            // The magic alone is not a manifest: a program that looks for manifests holds it, too.
            None => {
                wrong.get_or_insert_with(|| "its length is wrong".to_owned());
                continue;
            }
        };
        match (parse(json), &found) {
            (Ok(manifest), None) => found = Some((manifest, json)),
            (Ok(_), Some((_, first))) if *first == json => {}
            (Ok(_), Some(_)) => return Err(bad("the file holds two different ones".to_owned())),
            (Err(problem), _) => wrong = Some(problem),
        }
    }
    let Some((manifest, json)) = found else {
        return Err(wrong.map_or_else(
            || ProviderError::NotAPlugin {
                path: path.to_owned(),
                problem: "it holds no manifest".to_owned(),
            },
            bad,
        ));
    };
    if manifest.abi.major != LC_ABI_MAJOR {
        return Err(ProviderError::AbiMismatch {
            path: path.to_owned(),
            host: host_abi(),
            plugin: format!("{}.{}", manifest.abi.major, manifest.abi.minor),
        });
    }
    if !is_name(&manifest.name) {
        return Err(bad("`name` may have letters, digits, `-` and `_`".to_owned()));
    }
    Ok((manifest, json.to_vec()))
}

fn blob(after_magic: &[u8]) -> Option<&[u8]> {
    let (length, rest) = after_magic.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    if length > LC_MAX_MANIFEST {
        return None;
    }
    rest.get(..length)
}

/// Parses a manifest, and sanitizes what goes to terminals and journals.
pub fn parse(json: &[u8]) -> Result<Manifest, String> {
    let mut manifest: Manifest =
        serde_json::from_slice(json).map_err(|error| sanitize_message(&error.to_string()))?;
    manifest.version = sanitize_message(&manifest.version);
    manifest.description = sanitize_message(&manifest.description);
    if manifest.version.is_empty() {
        return Err("`version` is empty".to_owned());
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{"name": "a", "version": "1", "abi": {"major": 1, "minor": 0}, "kind": "direct"}"#;

    fn with(json: &str) -> Vec<u8> {
        let mut bytes = LC_MANIFEST_MAGIC.to_vec();
        bytes.extend(u32::try_from(json.len()).unwrap().to_le_bytes());
        bytes.extend(json.as_bytes());
        bytes
    }

    fn look(bytes: &[u8]) -> Result<Manifest, ProviderError> {
        find_manifest(Path::new("x.so"), bytes).map(|(manifest, _)| manifest)
    }

    #[test]
    fn a_manifest_is_found_wherever_it_stands() {
        let mut bytes = b"\x7fELF....".to_vec();
        bytes.extend(LC_MANIFEST_MAGIC); // the magic alone
        bytes.extend([0xff; 40]);
        bytes.extend(with(JSON));
        bytes.extend(with(JSON)); // the same once more
        assert_eq!(look(&bytes).unwrap().name, "a");
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(matches!(look(b"hello"), Err(ProviderError::NotAPlugin { .. })));
        assert!(matches!(look(&with("{}")), Err(ProviderError::BadManifest { .. })));
        let mut cut = with(JSON);
        cut.truncate(40);
        assert!(matches!(look(&cut), Err(ProviderError::BadManifest { .. })));
        let mut two = with(JSON);
        two.extend(with(&JSON.replace("\"a\"", "\"b\"")));
        assert!(look(&two).unwrap_err().to_string().contains("two different"));
        let other = look(&with(&JSON.replace("\"major\": 1", "\"major\": 7"))).unwrap_err();
        assert!(other.to_string().contains("speaks plugin ABI 7.0, this loopctl speaks 1.1"), "{other}");
        assert!(look(&with(&JSON.replace("\"a\"", "\"../a\""))).is_err());
    }
}

//! The file of a key. One file each, in JSON that people can read, compare and commit.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::TapeError;
use super::exchange::{Exchange, Summary};
use super::key::Key;

/// The version of the format.
const FORMAT: u32 = 1;

/// All exchanges of a key, in the order in which they were begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cassette {
    loopctl_cassette: u32,
    pub(super) key: Key,
    pub(super) request: Summary,
    pub(super) exchanges: Vec<Exchange>,
}

/// What is read first, because the rest depends on it.
#[derive(Deserialize)]
struct Version {
    loopctl_cassette: u32,
}

impl Cassette {
    pub(super) fn new(key: Key, request: Summary, exchanges: Vec<Exchange>) -> Self {
        Self { loopctl_cassette: FORMAT, key, request, exchanges }
    }

    /// Reads what is in the file of a key.
    fn parse(path: &Path, key: &Key, json: &[u8]) -> Result<Self, TapeError> {
        let damaged = |line: usize, column: usize, problem: &str| TapeError::Damaged {
            path: path.to_owned(),
            line,
            column,
            problem: problem.to_owned(),
        };
        let not_read = |error: serde_json::Error| {
            let problem =
                if error.is_data() { "this is not what a cassette holds here" } else { "it is not JSON" };
            damaged(error.line(), error.column(), problem)
        };
        let Version { loopctl_cassette: found } = serde_json::from_slice(json).map_err(not_read)?;
        if found != FORMAT {
            return Err(TapeError::Format { path: path.to_owned(), found, known: FORMAT });
        }
        let cassette: Self = serde_json::from_slice(json).map_err(not_read)?;
        if cassette.key != *key {
            return Err(damaged(1, 1, "its `key` is not its name"));
        }
        let holds = |exchange: &Exchange| exchange.is_answer() || exchange.failed.is_some();
        match cassette.exchanges.iter().position(|exchange| !holds(exchange)) {
            Some(at) => Err(damaged(
                1,
                1,
                &format!("exchange {} has neither `response`, `completion` nor `failed`", at + 1),
            )),
            None => Ok(cassette),
        }
    }
}

/// Where cassettes stand. What is written to it is its owner's alone: answers quote documents.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// One that stands there already.
    pub(super) fn existing(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// One to write to. Made if there is none.
    pub(super) fn writable(path: &Path) -> Result<Self, TapeError> {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "permissions are set on Unix alone"))]
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        Self::make(Self::existing(path), &builder)
    }

    /// Makes it, and tries that it can be written to, before anything is paid for.
    fn make(self, builder: &std::fs::DirBuilder) -> Result<Self, TapeError> {
        let made = match (self.path.parent(), self.path.is_dir()) {
            (_, true) => Ok(()),
            (Some(parent), false) if !parent.as_os_str().is_empty() => {
                std::fs::create_dir_all(parent).and_then(|()| match builder.create(&self.path) {
                    // Another process was faster.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists && self.path.is_dir() => {
                        Ok(())
                    }
                    made => made,
                })
            }
            (_, false) => builder.create(&self.path),
        };
        match made.and_then(|()| self.temporary()) {
            Ok(_) => Ok(self),
            Err(error) => Err(self.unusable(&error)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn unusable(&self, error: &io::Error) -> TapeError {
        TapeError::Folder { path: self.path.clone(), problem: plain(error) }
    }

    fn file_of(&self, key: &Key) -> PathBuf {
        self.path.join(format!("{key}.json"))
    }

    /// The keys that have a file, in order. Other files are none of ours.
    fn keys(&self) -> Result<Vec<Key>, TapeError> {
        let list = || {
            let mut keys = Vec::new();
            for entry in std::fs::read_dir(&self.path)? {
                let name = entry?.file_name();
                keys.extend(name.to_str().and_then(|name| Key::parse(name.strip_suffix(".json")?)));
            }
            keys.sort();
            Ok(keys)
        };
        list().map_err(|error: io::Error| self.unusable(&error))
    }

    /// Whether what is in it is cassettes, and not other files with such names.
    pub(super) fn holds_cassettes(&self) -> bool {
        let first = self.keys().ok().and_then(|keys| keys.into_iter().next());
        first.is_some_and(|key| matches!(self.read(&key), Ok(Some(_))))
    }

    /// Whether there is a cassette in it.
    pub(super) fn is_recorded(&self) -> Result<bool, TapeError> {
        self.keys().map(|keys| !keys.is_empty())
    }

    /// Every cassette in it, in the order of keys.
    pub(super) fn read_all(&self) -> Result<Vec<Cassette>, TapeError> {
        self.keys()?.iter().filter_map(|key| self.read(key).transpose()).collect()
    }

    /// The cassette of a key, if there is one.
    pub(super) fn read(&self, key: &Key) -> Result<Option<Cassette>, TapeError> {
        let path = self.file_of(key);
        // A pipe would be waited for, and a device has no end.
        let read = std::fs::metadata(&path)
            .and_then(|found| found.is_file().then(|| std::fs::read(&path)).transpose());
        match read {
            Ok(Some(json)) => Cassette::parse(&path, key, &json).map(Some),
            Ok(None) => Err(TapeError::Unreadable { path, problem: "it is not a file".to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TapeError::Unreadable { path, problem: plain(&error) }),
        }
    }

    /// Writes a cassette in the place of an earlier one. Whoever reads meanwhile finds the one or the other, whole.
    pub(super) fn write(&self, cassette: &Cassette) -> Result<(), TapeError> {
        let path = self.file_of(&cassette.key);
        let replace = || {
            let mut json = serde_json::to_vec_pretty(cassette)?;
            json.push(b'\n');
            let mut file = self.temporary()?;
            file.write_all(&json)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            Ok(())
        };
        replace()
            .map_err(|error: io::Error| TapeError::Unwritable { path: path.clone(), problem: plain(&error) })
    }

    /// Removes the cassette of a key, if there is one.
    pub(super) fn remove(&self, key: &Key) -> Result<(), TapeError> {
        let path = self.file_of(key);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(TapeError::Unwritable { path, problem: plain(&error) })
            }
            _ => Ok(()),
        }
    }

    /// A file beside the cassettes that removes itself unless it is given a name. It is its owner's alone.
    fn temporary(&self) -> io::Result<tempfile::NamedTempFile> {
        tempfile::Builder::new().prefix(".loopctl-").suffix(".tmp").tempfile_in(&self.path)
    }
}

/// The cause without the name of a temporary file, which means nothing to anybody.
fn plain(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error).to_string()
}

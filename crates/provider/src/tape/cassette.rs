//! The files of a key: one for each exchange, in JSON that people can read, compare and commit.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::TapeError;
use super::exchange::{Exchange, Summary};
use super::recording_key::RecordingKey;
use crate::disk::{self, Access, ReadError};

/// The largest file, in bytes. Many times the size of an answer.
const MAX_FILE: u64 = 512 << 20;

/// The version of the format.
const FORMAT: u32 = 1;

/// Exchanges of a key, in the order in which they were begun. A recording has one in each file; a file that people made of
/// several is read, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cassette {
    loopctl_cassette: u32,
    pub(super) key: RecordingKey,
    pub(super) request: Summary,
    pub(super) exchanges: Vec<Exchange>,
}

/// The version, which is read first, because the rest depends on it.
#[derive(Deserialize)]
struct Version {
    loopctl_cassette: u32,
}

impl Cassette {
    pub(super) fn new(key: RecordingKey, request: Summary, exchanges: Vec<Exchange>) -> Self {
        Self { loopctl_cassette: FORMAT, key, request, exchanges }
    }

    /// Reads what is in the file of a key.
    fn parse(path: &Path, key: &RecordingKey, json: &[u8]) -> Result<Self, TapeError> {
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

/// The address of a file: the first exchange of a key is number 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) key: RecordingKey,
    pub(super) number: usize,
}

impl Address {
    /// The first, or only, one of a key.
    pub(super) fn first(key: &RecordingKey) -> Self {
        Self { key: key.clone(), number: 0 }
    }

    fn file_name(&self) -> String {
        match self.number {
            0 => format!("{}.json", self.key),
            number => format!("{}_{number}.json", self.key),
        }
    }

    fn parse(file_name: &str) -> Option<Self> {
        let stem = file_name.strip_suffix(".json")?;
        match stem.split_once('_') {
            None => Some(Self::first(&RecordingKey::parse(stem)?)),
            Some((key, number)) => {
                let address = Self { key: RecordingKey::parse(key)?, number: number.parse().ok()? };
                (address.number > 0 && address.file_name() == file_name).then_some(address)
            }
        }
    }
}

/// The folder of cassettes. What is written to it is its owner's alone: answers quote documents.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// One that exists already.
    pub(super) fn existing(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// One to write to. Created if there is none.
    pub(super) fn writable(path: &Path) -> Result<Self, TapeError> {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "permissions are set on Unix alone"))]
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        Self::make(Self::existing(path), &builder)
    }

    /// Creates it, and checks that it can be written to, before anything is paid for.
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
        match made.and_then(|()| disk::try_folder(&self.path)) {
            Ok(()) => Ok(self),
            Err(error) => Err(self.unusable(&error)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn unusable(&self, error: &io::Error) -> TapeError {
        TapeError::Folder { path: self.path.clone(), problem: error.to_string() }
    }

    fn file_of(&self, address: &Address) -> PathBuf {
        self.path.join(address.file_name())
    }

    /// The files of cassettes, in order. Others are ignored.
    fn addresses(&self) -> Result<Vec<Address>, TapeError> {
        let list = || {
            let mut addresses = Vec::new();
            for entry in std::fs::read_dir(&self.path)? {
                addresses.extend(entry?.file_name().to_str().and_then(Address::parse));
            }
            addresses.sort();
            Ok(addresses)
        };
        list().map_err(|error: io::Error| self.unusable(&error))
    }

    /// Returns whether it holds cassettes, and not other files with such names.
    pub(super) fn holds_cassettes(&self) -> bool {
        let first = self.addresses().ok().and_then(|addresses| addresses.into_iter().next());
        first.is_some_and(|address| matches!(self.read(&address), Ok(Some(_))))
    }

    /// Returns whether there is a cassette in it.
    pub(super) fn is_recorded(&self) -> Result<bool, TapeError> {
        self.addresses().map(|addresses| !addresses.is_empty())
    }

    /// Passes every cassette in it to `visit`, in the order of keys and numbers. One is in memory at a time.
    pub(super) fn each(&self, mut visit: impl FnMut(Address, Cassette)) -> Result<(), TapeError> {
        for address in self.addresses()? {
            if let Some(cassette) = self.read(&address)? {
                visit(address, cassette);
            }
        }
        Ok(())
    }

    /// Reads the cassette at an address, if there is one.
    pub(super) fn read(&self, address: &Address) -> Result<Option<Cassette>, TapeError> {
        let path = self.file_of(address);
        let found = disk::read(&path, MAX_FILE);
        Self::parsed(path, &address.key, found)
    }

    /// Like [`Folder::read`], if no one but this user can have written it: anyone who could put an answer there would
    /// decide about documents.
    pub(super) fn read_own(&self, address: &Address) -> Result<Option<Cassette>, TapeError> {
        let path = self.file_of(address);
        let found = disk::read_own(&path, MAX_FILE);
        Self::parsed(path, &address.key, found)
    }

    fn parsed(
        path: PathBuf,
        key: &RecordingKey,
        found: Result<Vec<u8>, ReadError>,
    ) -> Result<Option<Cassette>, TapeError> {
        match found {
            Ok(json) => Cassette::parse(&path, key, &json).map(Some),
            Err(ReadError::Missing) => Ok(None),
            Err(error) => Err(TapeError::Unreadable { path, problem: error.to_string() }),
        }
    }

    /// Writes a cassette in the place of an earlier one. Concurrent readers find the one or the other, whole.
    pub(super) fn write(&self, number: usize, cassette: &Cassette) -> Result<(), TapeError> {
        let path = self.file_of(&Address { key: cassette.key.clone(), number });
        let replace = || {
            let mut json = serde_json::to_vec_pretty(cassette)?;
            json.push(b'\n');
            disk::replace(&path, &json, Access::Owner)
        };
        replace().map_err(|error: io::Error| TapeError::Unwritable {
            path: path.clone(),
            problem: error.to_string(),
        })
    }

    /// Removes a cassette, if there is one.
    pub(super) fn remove(&self, address: &Address) -> Result<(), TapeError> {
        let path = self.file_of(address);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(TapeError::Unwritable { path, problem: error.to_string() })
            }
            _ => Ok(()),
        }
    }
}

//! The settings of the service, from the command line.

use jiff::SignedDuration;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// The settings of the service: its addresses, and what it takes.
#[derive(Debug, Clone)]
pub struct ServiceSettings {
    /// The journal that is served.
    pub journal: ServedJournal,
    /// The address on which it listens.
    pub listen: SocketAddr,
    /// Names, with or without a port, by which it is addressed beside those of this machine.
    pub hosts: Vec<String>,
    /// The folder that keeps uploaded documents.
    pub uploads: PathBuf,
    /// Folders from which documents may be named by their paths.
    pub folders: Vec<PathBuf>,
    /// The most documents of one profile that may wait.
    pub most_waiting: u64,
    /// The largest document, in bytes.
    pub most_bytes: u64,
    /// The number of documents of one profile at the same time, if set.
    pub jobs: Option<usize>,
    /// The profile of documents that name none.
    pub profile: String,
    /// The time for which what a user did is kept in the access log.
    pub keep_access: SignedDuration,
    /// The time for which uploads are kept about which nothing is left to do or to decide; `None` for ever.
    pub keep_uploads: Option<SignedDuration>,
}

/// A journal that is served, as its reader has to know it: another one has other documents and other tokens.
#[derive(Debug, Clone)]
pub struct ServedJournal {
    /// The whole path of its file.
    pub file: PathBuf,
    /// The folder in which the service was started.
    pub started_in: PathBuf,
    /// The reason why this journal is served and no other.
    pub by: ChosenBy,
}

/// The reason for serving one journal and no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// It was named with `--data`.
    Data,
    /// It was named with `--journal`.
    Journal,
    /// It is the service's own, in the folder in which it was started.
    Folder,
    /// It is that of the latest run, which is kept below this folder.
    LatestRun,
}

/// The reason why an address can't be listened on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressError {
    /// Other machines would reach it, and that is not allowed.
    #[error("`{0}` can be reached by other machines")]
    Remote(SocketAddr),
    /// Other machines reach it, and by which name is not known.
    #[error("a service for other machines needs the name by which they ask for it")]
    NoHost,
}

impl AddressError {
    /// Returns advice on what to do about it.
    pub(crate) fn help(&self) -> &'static str {
        match self {
            AddressError::Remote(_) => {
                "listen on 127.0.0.1, or say `--allow-remote` and put a proxy with TLS before it"
            }
            AddressError::NoHost => "name it with `--host loopctl.example.org` (repeatable)",
        }
    }
}

impl ServiceSettings {
    /// Refuses an address that other machines reach unless that is allowed, and a name for it is given.
    ///
    /// # Errors
    /// The condition that is missing.
    pub(crate) fn check_address(&self, allow_remote: bool) -> Result<(), AddressError> {
        if is_loopback(self.listen.ip()) {
            return Ok(());
        }
        if !allow_remote {
            return Err(AddressError::Remote(self.listen));
        }
        if self.hosts.is_empty() { Err(AddressError::NoHost) } else { Ok(()) }
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(listen: &str, hosts: &[&str]) -> ServiceSettings {
        ServiceSettings {
            journal: ServedJournal { file: PathBuf::new(), started_in: PathBuf::new(), by: ChosenBy::Folder },
            listen: listen.parse().unwrap(),
            hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
            uploads: PathBuf::new(),
            folders: Vec::new(),
            most_waiting: 1,
            most_bytes: 1,
            jobs: None,
            profile: "balanced".to_owned(),
            keep_access: SignedDuration::from_hours(1),
            keep_uploads: None,
        }
    }

    #[test]
    fn other_machines_reach_it_only_when_somebody_said_so() {
        for local in ["127.0.0.1:80", "127.9.9.9:80", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
            assert_eq!(settings(local, &[]).check_address(false), Ok(()));
        }
        for remote in ["0.0.0.0:80", "[::]:80", "10.0.0.1:80"] {
            let listen = remote.parse().unwrap();
            assert_eq!(settings(remote, &["a"]).check_address(false), Err(AddressError::Remote(listen)));
            assert_eq!(settings(remote, &[]).check_address(true), Err(AddressError::NoHost));
            assert_eq!(settings(remote, &["a"]).check_address(true), Ok(()));
        }
    }
}

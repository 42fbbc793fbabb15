//! The store of submitted documents: one folder for each, which holds the file under a name made of the one that it
//! had.

use super::submission::{Submission, SubmissionContent, SubmitError};
use crate::disk::{self, Access, ReadError};
use crate::settings::ServiceSettings;
use crate::value::{DocumentId, sanitize_line};
use crate::value::{os_text, path_text};
use jiff::Timestamp;
use std::fs;
use std::path::{Path, PathBuf};

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 120;

/// The longest ending that stays when a name is too long, in characters.
const LONGEST_ENDING: usize = 10;

/// The folder of uploads, and those from which documents may be named.
#[derive(Debug)]
pub(super) struct Uploads {
    folder: PathBuf,
    allowed: Vec<PathBuf>,
    most_bytes: u64,
}

impl Uploads {
    pub(super) fn new(settings: &ServiceSettings) -> Self {
        let folder = std::path::absolute(&settings.uploads).unwrap_or_else(|_| settings.uploads.clone());
        let most_bytes = settings.most_bytes.min(Submission::MOST_BYTES);
        Uploads { folder, allowed: settings.folders.clone(), most_bytes }
    }

    /// The folder in which all that is submitted is kept.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The bytes that are submitted, with the name of the file.
    pub(super) fn read(
        &self,
        content: SubmissionContent,
        name: Option<String>,
    ) -> Result<(Vec<u8>, String), SubmitError> {
        let (bytes, name) = match content {
            SubmissionContent::Bytes(bytes) => (bytes, name),
            SubmissionContent::Path(path) => {
                let own = path.file_name().map(|name| os_text(name).into_owned());
                (self.read_allowed(&path)?, name.or(own))
            }
        };
        if bytes.len() as u64 > self.most_bytes {
            return Err(SubmitError::TooLarge { most: self.most_bytes });
        }
        if bytes.is_empty() {
            return Err(SubmitError::Empty);
        }
        Ok((bytes, file_name(name.as_deref())))
    }

    /// Keeps a file for a job. When this returns it is on the disk.
    pub(super) fn keep(&self, job: &str, name: &str, bytes: &[u8]) -> Result<PathBuf, SubmitError> {
        let folder = self.folder_of(job);
        let made = disk::make_private_folder(&folder).and_then(|()| {
            let path = folder.join(name);
            disk::replace(&path, bytes, Access::Owner).map(|()| path)
        });
        made.map_err(SubmitError::Keep)
    }

    /// Removes what was kept for a job that was not taken.
    pub(super) fn discard(&self, job: &str) {
        // Nothing asks for a file that is left behind.
        let _ = fs::remove_dir_all(self.folder_of(job));
    }

    /// The jobs for which something was kept before a time, by their ids, which begin with that time.
    pub(super) fn before(&self, time: Timestamp) -> Vec<String> {
        let shards = folders_in(&self.folder);
        let jobs = shards.iter().flat_map(|shard| folders_in(shard));
        let names = jobs.filter_map(|job| Some(job.file_name()?.to_str()?.to_owned()));
        names.filter(|job| kept_at(job).is_some_and(|at| at < time)).collect()
    }

    /// The folder of what was kept for a job. Jobs are spread over folders, so that none has too many entries.
    pub(super) fn folder_of(&self, job: &str) -> PathBuf {
        let shard: String = job.chars().rev().take(2).collect();
        self.folder.join(shard).join(job)
    }

    /// The file at a path in one of the allowed folders, where links are followed.
    fn read_allowed(&self, path: &Path) -> Result<Vec<u8>, SubmitError> {
        let refused = |why: String| SubmitError::Path { path: sanitize_line(&path_text(path)), why };
        if self.allowed.is_empty() {
            return Err(refused("the service was started without `--folder`".to_owned()));
        }
        for folder in &self.allowed {
            for below in paths_below(folder, path) {
                match disk::read_below(folder, below, self.most_bytes) {
                    Ok(Some(bytes)) => return Ok(bytes),
                    Ok(None) | Err(ReadError::Missing) => {}
                    Err(ReadError::TooLarge { limit }) => return Err(SubmitError::TooLarge { most: limit }),
                    // The client must not learn where it leads.
                    Err(ReadError::Outside { .. }) => {
                        return Err(refused("it leads out of its folder".to_owned()));
                    }
                    Err(error) => return Err(refused(error.to_string())),
                }
            }
        }
        Err(refused("none of the folders that are allowed has such a file".to_owned()))
    }
}

/// The readings of a path in a folder: relative to the folder, or written as from where the folder itself was named.
fn paths_below<'p>(folder: &Path, path: &'p Path) -> Vec<&'p str> {
    let within = path.strip_prefix(folder).ok().or_else(|| {
        // `docs/in.txt` of `--folder docs`, however the folder was made absolute.
        let name = Path::new(folder.file_name()?);
        path.strip_prefix(name).ok()
    });
    let relative = path.is_relative().then_some(path);
    relative.into_iter().chain(within).filter_map(Path::to_str).collect()
}

/// The folders in a folder.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

/// The time at which a job was submitted, by its id.
fn kept_at(job: &str) -> Option<Timestamp> {
    let millis = i64::from_str_radix(job.get(..12)?, 16).ok()?;
    Timestamp::from_millisecond(millis).ok()
}

/// A name that is valid in any folder, as close as possible to the one that was given.
fn file_name(given: Option<&str>) -> String {
    let last = given.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
    let last: Vec<char> = last.trim().chars().collect();
    // The part that is left out is before the ending.
    let (begin, end) = last.split_at(last.len().saturating_sub(LONGEST_ENDING));
    let short: String = begin.iter().take(LONGEST_NAME - LONGEST_ENDING).chain(end).collect();
    let mut name = DocumentId::new(short).file_stem();
    while name.len() > LONGEST_NAME {
        // The ending stays.
        let middle = name.char_indices().nth(name.chars().count() / 2).map_or(0, |(at, _)| at);
        name.remove(middle);
    }
    if name == "document" { "document.txt".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_in_the_folder_or_one_that_begins_with_its_name() {
        for (folder, path, below) in [
            ("/data/docs", "in.txt", vec!["in.txt"]),
            ("/data/docs", "docs/in.txt", vec!["docs/in.txt", "in.txt"]),
            ("/data/docs", "/data/docs/a/in.txt", vec!["a/in.txt"]),
            ("docs", "docs/in.txt", vec!["docs/in.txt", "in.txt"]),
            ("/data/docs", "/data/other/in.txt", vec![]),
            ("/data/docs", "../docs/in.txt", vec!["../docs/in.txt"]),
        ] {
            assert_eq!(paths_below(Path::new(folder), Path::new(path)), below, "{path}");
        }
    }

    #[test]
    fn names_of_files_lead_nowhere() {
        for (given, kept) in [
            (Some("report-1.txt"), "report-1.txt"),
            (Some("../../etc/passwd"), "passwd"),
            (Some("C:\\scans\\Müller, A.pdf"), "Müller__A.pdf"),
            (Some(".."), "document.txt"),
            (Some("a\0b\r\nc.txt"), "a_b__c.txt"),
            (Some("  "), "document.txt"),
            (None, "document.txt"),
        ] {
            assert_eq!(file_name(given), kept);
        }
        let long = file_name(Some(&format!("{}.txt", "ä".repeat(500))));
        assert!(long.len() <= LONGEST_NAME && long.ends_with(".txt"), "{long}");
    }
}

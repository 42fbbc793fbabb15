//! Submissions of documents, and the reasons why one is not taken.

use crate::diag::{Problems, Style, render_human};
use crate::ingest::{FilePassword, MAX_DOCUMENT_BYTES, Unreadable};
use crate::profiles::ProfileRequest;
use crate::request_settings::SettingError;
use crate::run::OpenError;
use crate::store::StoreError;
use crate::value::sanitize_line;
use std::path::PathBuf;

/// The content of a submission.
pub(crate) enum SubmissionContent {
    /// The document itself.
    Bytes(Vec<u8>),
    /// A file in one of the folders from which documents may be named.
    Path(PathBuf),
}

/// A document that is submitted.
pub(crate) struct Submission {
    /// The document itself, or its path.
    pub(crate) content: SubmissionContent,
    /// The name of its file, if given.
    pub(crate) file_name: Option<String>,
    /// Its password, if it needs one: in memory only.
    pub(crate) password: Option<FilePassword>,
    /// Its type, if known.
    pub(crate) document_type: Option<String>,
    /// The profile that is to be used.
    pub(crate) profile: ProfileRequest,
    /// The name of the submitter.
    pub(crate) submitter: String,
    /// The rule by which it is one that was submitted before.
    pub(crate) duplicate_rule: DuplicateRule,
}

/// The rule by which two submissions of one submitter are one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DuplicateRule {
    /// Never.
    Never,
    /// If they have this key of the submitter's own.
    Key(String),
    /// If file, type and settings are the same, and the profile is unchanged.
    Content,
}

/// A number of bytes, as people say it.
fn size(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MB", bytes >> 20) } else { format!("{bytes} bytes") }
}

/// The reason why a document is not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubmitError {
    /// There is nothing in it.
    #[error("the document is empty")]
    Empty,
    /// It has too many bytes.
    #[error("the document has more than {}", size(*most))]
    TooLarge {
        /// The most bytes that are taken.
        most: u64,
    },
    /// It is encrypted, and stays so.
    #[error("{0}")]
    Locked(Unreadable),
    /// The path leads to none of the folders that are allowed, or to nothing that can be read.
    #[error("`{path}` can't be submitted by its path: {why}")]
    Path {
        /// As it was given.
        path: String,
        /// The reason.
        why: String,
    },
    /// The profile has no such type.
    #[error("the profile has no document type `{given}`; it has {known}")]
    UnknownType {
        /// As it was given.
        given: String,
        /// Those that it has.
        known: String,
    },
    /// There is no profile of this name.
    #[error("there is no profile `{given}`")]
    UnknownProfile {
        /// As it was given.
        given: String,
        /// One with a similar name.
        guess: Option<String>,
    },
    /// A setting that may not be laid over a profile, or too many of them.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The profile can't be used.
    #[error("{}", first_problem(.0))]
    Profile(Problems),
    /// A provider that it asks can't be asked.
    #[error(transparent)]
    Provider(#[from] OpenError),
    /// So many profiles with different settings are at work that there is no room for another.
    #[error("{most} profiles with different settings are at work")]
    TooManySettings {
        /// The most at the same time.
        most: usize,
    },
    /// So many documents wait that no other is taken.
    #[error("{waiting} documents of this profile wait")]
    Full {
        /// The number of waiting documents.
        waiting: u64,
    },
    /// The key was used for another submission.
    #[error("the idempotency key was used for another document")]
    KeyTaken,
    /// The file could not be kept.
    #[error("the document could not be kept: {0}")]
    Keep(std::io::Error),
    /// The journal could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn first_problem(problems: &Problems) -> String {
    let drawn = render_human(problems, Style::Plain);
    let line = drawn.lines().find(|line| line.contains("error")).or_else(|| drawn.lines().next());
    sanitize_line(line.unwrap_or("the profile can't be used"))
}

impl Submission {
    /// The most bytes of a document, regardless of the settings.
    pub(super) const MOST_BYTES: u64 = MAX_DOCUMENT_BYTES;
}

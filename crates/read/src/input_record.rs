//! An input as a journal keeps it, so that another process reads the same document.

use crate::value::{DocumentId, path_serde};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The stored form of an input. Paths are absolute. It holds text of a document only where that came through a pipe,
/// and is nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    pub(super) id: DocumentId,
    pub(super) name: String,
    pub(super) qualified: String,
    pub(super) origin: StoredOrigin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) identity: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) document_type: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) variables: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_named: bool,
}

impl InputRecord {
    /// Returns whether it came from standard input, which can be read only once.
    pub fn is_stdin(&self) -> bool {
        matches!(self.origin, StoredOrigin::Stdin)
    }

    /// The file that it is a section of, and the number of the section, from 1; `None` for any other input.
    #[must_use]
    pub fn section(&self) -> Option<(&Path, usize)> {
        match &self.origin {
            StoredOrigin::Section { file, section, .. } => Some((file, *section)),
            StoredOrigin::File { .. }
            | StoredOrigin::Stdin
            | StoredOrigin::Record { .. }
            | StoredOrigin::Piped { .. } => None,
        }
    }
}

/// The source of the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub(super) enum StoredOrigin {
    File {
        #[serde(with = "path_serde")]
        path: PathBuf,
    },
    Stdin,
    Record {
        #[serde(with = "path_serde")]
        file: PathBuf,
        line: u64,
        offset: u64,
    },
    Section {
        #[serde(with = "path_serde")]
        file: PathBuf,
        section: usize,
        sections: usize,
        text: Range<usize>,
        digest: String,
    },
    Piped {
        line: u64,
        text: StoredText,
    },
}

/// A text that is not shown in logs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct StoredText(String);

impl From<&str> for StoredText {
    fn from(text: &str) -> Self {
        StoredText(text.to_owned())
    }
}

impl From<StoredText> for std::sync::Arc<str> {
    fn from(text: StoredText) -> Self {
        text.0.into()
    }
}

impl fmt::Debug for StoredText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Origin};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_kept_is_what_was_found(name in "[a-z/]{1,9}", line: u64, offset: u64, kind in 0..5, text: String) {
            let path = PathBuf::from("/data").join(&name);
            let origin = match kind {
                0 => Origin::File(path),
                1 => Origin::Stdin,
                2 => Origin::Record { file: path, line, offset },
                3 => Origin::Section { file: path, section: 2, sections: 4, text: 3..9, digest: name.clone() },
                _ => Origin::Piped { line, text: text.as_str().into() },
            };
            for input in [
                Input::new(DocumentId::new(name.as_str()), origin.clone()),
                Input::found(name.clone(), name.clone(), origin),
            ] {
                let written = serde_json::to_string(&input.to_record()).unwrap();
                let read = Input::from_record(serde_json::from_str(&written).unwrap());
                prop_assert_eq!(&read, &input);
                prop_assert_eq!(read.identity(), input.identity());
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_is_kept_and_a_text_is_not_shown() {
        let path = crate::value::path_of("/data/r\\xE9port.txt");
        let input = Input::new(DocumentId::new("x"), Origin::File(path));
        let written = serde_json::to_string(&input.to_record()).unwrap();
        assert_eq!(Input::from_record(serde_json::from_str(&written).unwrap()), input);
        let piped = Input::new(DocumentId::new("x"), Origin::Piped { line: 3, text: "Secret".into() });
        assert!(!format!("{piped:?}{:?}", piped.to_record()).contains("Secret"));
    }
}

//! The files of a run in its `--out` folder: whole or not there at all.

use super::StoreError;
use crate::disk::{self, Access};
use crate::value::{DocumentId, ShownPath, digest_bytes};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// Longest name that a document has in its files, in bytes. With the longest ending it stays below the 255 bytes that
/// file systems allow.
const MOST_STEM_BYTES: usize = 160;

/// Separates a shortened name from its digest. No name that could be kept whole contains it.
const DIGEST_MARK: char = '~';

/// The content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Artifact {
    /// The candidate of an iteration, counted from 0.
    Extraction(u32),
    /// The assessment of an iteration, counted from 0.
    Validation(u32),
    /// The result of the document.
    Result,
    /// The result of a file whose sections are documents of their own.
    Merged,
}

impl Artifact {
    /// The end of the file name: `-extraction.json`, `-validation_corrected2.json`, `-result.json`.
    #[must_use]
    pub fn ending(self) -> String {
        match self {
            Artifact::Extraction(0) => "-extraction.json".to_owned(),
            Artifact::Validation(0) => "-validation.json".to_owned(),
            Artifact::Extraction(iteration) => format!("-extraction_corrected{iteration}.json"),
            Artifact::Validation(iteration) => format!("-validation_corrected{iteration}.json"),
            Artifact::Result => "-result.json".to_owned(),
            Artifact::Merged => "-merged.json".to_owned(),
        }
    }
}

/// A folder that takes artifacts. Can be shared by threads.
#[derive(Debug, Clone)]
pub struct Artifacts {
    folder: PathBuf,
    /// `true` if a written file survives a loss of power: not needed where it can be written again.
    synced: bool,
}

impl Artifacts {
    /// Makes the folder if there is none, and tries that it can be written to, before any paid work is done.
    ///
    /// # Errors
    /// [`StoreError::Folder`].
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let folder = folder.into();
        match disk::make_private_folder(&folder).and_then(|()| disk::try_folder(&folder)) {
            Ok(()) => Ok(Artifacts { folder, synced: true }),
            Err(source) => Err(StoreError::Folder { path: folder, source }),
        }
    }

    /// Like `self`, where a journal on the disk holds all that is written: a loss of power may take the latest files,
    /// which are then written again from there.
    #[must_use]
    pub fn projected(self) -> Self {
        Artifacts { synced: false, ..self }
    }

    /// The folder within this one, made if there is none, of documents beyond the first thousand.
    ///
    /// # Errors
    /// [`StoreError::Folder`].
    pub fn within(&self, shard: Option<&str>) -> Result<Self, StoreError> {
        let Some(shard) = shard else { return Ok(self.clone()) };
        let folder = self.folder.join(shard);
        match disk::make_private_folder(&folder) {
            Ok(()) => Ok(Artifacts { folder, synced: self.synced }),
            Err(source) => Err(StoreError::Folder { path: folder, source }),
        }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of an artifact, whether it exists or not. Different documents never share a file.
    #[must_use]
    pub fn path(&self, document: &DocumentId, artifact: Artifact) -> PathBuf {
        self.folder.join(format!("{}{}", stem(document), artifact.ending()))
    }

    /// Writes a value as indented JSON, replacing an earlier file. When it fails or the process is killed, the earlier
    /// file (or none) is still there. Its owner alone may read it, as with the journal: both hold what documents say.
    ///
    /// # Errors
    /// [`StoreError::Artifact`] or [`StoreError::Json`].
    pub fn write(
        &self,
        document: &DocumentId,
        artifact: Artifact,
        value: &impl Serialize,
    ) -> Result<PathBuf, StoreError> {
        let path = self.path(document, artifact);
        let mut bytes = serde_json::to_vec_pretty(value)
            .map_err(|source| StoreError::Json { what: format!("`{}`", path.shown()), source })?;
        bytes.push(b'\n');
        let written = if self.synced {
            disk::replace(&path, &bytes, Access::Owner)
        } else {
            disk::replace_unsynced(&path, &bytes)
        };
        match written {
            Ok(()) => Ok(path),
            Err(source) => Err(StoreError::Artifact { path, source }),
        }
    }

    /// Removes the candidates and assessments of a document from iteration `from` on, so that the corrections of two
    /// runs are never side by side.
    ///
    /// # Errors
    /// [`StoreError::Artifact`] when a file is there and can't be removed.
    pub fn discard_from(&self, document: &DocumentId, from: u32) -> Result<(), StoreError> {
        let there = |iteration| {
            [Artifact::Extraction(iteration), Artifact::Validation(iteration)]
                .into_iter()
                .any(|artifact| self.path(document, artifact).symlink_metadata().is_ok())
        };
        // From the last down, so that what is left of a discarding that was cut short has no gap to stop at.
        let end = (from..u32::MAX).find(|iteration| !there(*iteration)).unwrap_or(u32::MAX);
        for iteration in (from..end).rev() {
            self.remove(document, Artifact::Validation(iteration))?;
            self.remove(document, Artifact::Extraction(iteration))?;
        }
        Ok(())
    }

    fn remove(&self, document: &DocumentId, artifact: Artifact) -> Result<(), StoreError> {
        let path = self.path(document, artifact);
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(StoreError::Artifact { path, source }),
        }
    }
}

/// The name of a document in its files: its id where that can be a file name, else as much of it as can, and a digest
/// of the whole.
fn stem(document: &DocumentId) -> String {
    let mut stem = document.file_stem();
    if stem == document.as_str() && stem.len() <= MOST_STEM_BYTES {
        return stem;
    }
    let end = (0..=stem.len().min(MOST_STEM_BYTES)).rev().find(|at| stem.is_char_boundary(*at)).unwrap_or(0);
    stem.truncate(end);
    stem.push(DIGEST_MARK);
    stem.extend(digest_bytes(document.as_str().as_bytes()).chars().take(12));
    stem
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashSet;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn artifacts() -> (tempfile::TempDir, Artifacts) {
        let dir = tempfile::tempdir().unwrap();
        let artifacts = Artifacts::new(dir.path().join("new/out")).unwrap();
        (dir, artifacts)
    }

    #[test]
    fn files_are_named_for_document_kind_and_iteration() {
        let (_dir, artifacts) = artifacts();
        let id = DocumentId::new("report-1");
        for artifact in [
            Artifact::Extraction(0),
            Artifact::Validation(0),
            Artifact::Extraction(1),
            Artifact::Validation(1),
            Artifact::Extraction(12),
            Artifact::Result,
        ] {
            artifacts.write(&id, artifact, &json!({"grade": 2})).unwrap();
        }
        assert_eq!(
            names(artifacts.folder()),
            [
                "report-1-extraction.json",
                "report-1-extraction_corrected1.json",
                "report-1-extraction_corrected12.json",
                "report-1-result.json",
                "report-1-validation.json",
                "report-1-validation_corrected1.json",
            ]
        );
        let text = std::fs::read_to_string(artifacts.path(&id, Artifact::Result)).unwrap();
        assert_eq!(text, "{\n  \"grade\": 2\n}\n");
    }

    #[test]
    fn a_later_write_replaces_the_earlier() {
        let (_dir, artifacts) = artifacts();
        let id = DocumentId::new("a");
        artifacts.write(&id, Artifact::Result, &"a long first value").unwrap();
        let path = artifacts.write(&id, Artifact::Result, &"b").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "\"b\"\n");
        assert_eq!(names(artifacts.folder()).len(), 1);
    }

    #[test]
    fn ids_that_no_file_name_can_hold_stay_apart_and_inside() {
        let (_dir, artifacts) = artifacts();
        let long = "ß".repeat(500);
        let ids = ["a/b", "a_b", "a:b", "../a_b", "", ".", "..", "document", &long, &long[..480], "a_b~1"];
        let paths: HashSet<_> = ids
            .iter()
            .map(|id| artifacts.write(&DocumentId::new(*id), Artifact::Extraction(99), &1).unwrap())
            .collect();
        assert_eq!(paths.len(), ids.len());
        assert!(paths.iter().all(|path| path.parent() == Some(artifacts.folder())));
        assert_eq!(names(artifacts.folder()).len(), ids.len());
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let (_dir, artifacts) = artifacts();
        let id = DocumentId::new("a");
        let target = artifacts.path(&id, Artifact::Result);
        // A folder in the way makes the last step, the renaming, fail.
        std::fs::create_dir_all(target.join("x")).unwrap();
        let error = artifacts.write(&id, Artifact::Result, &1).unwrap_err();
        assert!(matches!(error, StoreError::Artifact { .. }));
        assert!(
            error.to_string().contains("a-result.json") && !error.to_string().contains(".loopctl-"),
            "{error}"
        );
        assert_eq!(names(artifacts.folder()), ["a-result.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_their_owner_may_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let (_dir, artifacts) = artifacts();
        for artifact in [Artifact::Extraction(0), Artifact::Validation(0), Artifact::Result] {
            let path = artifacts.write(&DocumentId::new("a"), artifact, &1).unwrap();
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_folder_that_vanished_is_named() {
        let (dir, artifacts) = artifacts();
        std::fs::remove_dir_all(dir.path().join("new")).unwrap();
        let error = artifacts.write(&DocumentId::new("a"), Artifact::Result, &1).unwrap_err();
        assert!(
            matches!(&error, StoreError::Artifact { path, .. } if path.ends_with("new/out/a-result.json"))
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_refused_before_any_work() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        for folder in [file.clone(), file.join("out")] {
            let error = Artifacts::new(&folder).unwrap_err();
            assert!(matches!(&error, StoreError::Folder { path, .. } if *path == folder));
            assert!(!error.help().is_empty());
        }
    }

    #[test]
    fn discarding_removes_one_documents_later_files_and_no_others() {
        let (_dir, artifacts) = artifacts();
        let (mine, other) = (DocumentId::new("a"), DocumentId::new("a-b"));
        for id in [&mine, &other] {
            for iteration in 0..4 {
                artifacts.write(id, Artifact::Extraction(iteration), &1).unwrap();
            }
            artifacts.write(id, Artifact::Validation(0), &1).unwrap();
            artifacts.write(id, Artifact::Result, &1).unwrap();
        }
        artifacts.discard_from(&mine, 2).unwrap();
        let left: Vec<_> =
            names(artifacts.folder()).into_iter().filter(|name| !name.starts_with("a-b-")).collect();
        assert_eq!(
            left,
            ["a-extraction.json", "a-extraction_corrected1.json", "a-result.json", "a-validation.json"]
        );
        assert_eq!(names(artifacts.folder()).len(), 10);
    }

    #[test]
    fn discarding_that_is_cut_short_leaves_no_gap() {
        let (_dir, artifacts) = artifacts();
        let id = DocumentId::new("a");
        for iteration in 0..4 {
            artifacts.write(&id, Artifact::Extraction(iteration), &1).unwrap();
        }
        // A folder in the way cuts it short after two.
        let blocked = artifacts.path(&id, Artifact::Validation(1));
        std::fs::create_dir(&blocked).unwrap();
        assert!(artifacts.discard_from(&id, 0).is_err());
        std::fs::remove_dir(&blocked).unwrap();
        assert_eq!(names(artifacts.folder()), ["a-extraction.json", "a-extraction_corrected1.json"]);
        artifacts.discard_from(&id, 0).unwrap();
        assert!(names(artifacts.folder()).is_empty());
    }

    #[test]
    fn a_thousand_documents_share_a_folder() {
        let (_dir, artifacts) = artifacts();
        assert_eq!(artifacts.within(None).unwrap().folder(), artifacts.folder());
        let within = artifacts.within(Some("0001")).unwrap();
        within.write(&DocumentId::new("a"), Artifact::Result, &1).unwrap();
        assert!(artifacts.folder().join("0001/a-result.json").is_file());
    }

    #[test]
    fn a_value_without_a_json_form_is_an_error() {
        let (_dir, artifacts) = artifacts();
        let value = std::collections::HashMap::from([((1, 2), 3)]);
        let error = artifacts.write(&DocumentId::new("a"), Artifact::Result, &value).unwrap_err();
        assert!(matches!(error, StoreError::Json { .. }));
        assert!(names(artifacts.folder()).is_empty());
    }
}

//! Files of the fuzz targets' corpus: each is read or refused, and what is read is sound.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

#[cfg(unix)]
mod answers;
mod messages;
mod soundness;

use loopctl_core::value::DocumentId;
use loopctl_read::DocumentReader;
use std::path::{Path, PathBuf};

/// The corpus of the messages to the process that reads files, and that of its answers.
const TASKS: &str = "reader_tasks";
const ANSWERS: &str = "reader_answers";

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

fn below(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn documents_of_the_corpus_are_read_or_refused_and_sound() {
    let kinds =
        below(&corpus()).into_iter().filter(|kind| !kind.ends_with(TASKS) && !kind.ends_with(ANSWERS));
    let files: Vec<PathBuf> = kinds.flat_map(|kind| below(&kind)).collect();
    assert!(files.len() > 30, "{} files", files.len());
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let reader = DocumentReader::in_process();
        let _ = reader.page_picture(&bytes, 1, 0.25);
        let document = reader.document(DocumentId::new("x"), bytes);
        assert_eq!(soundness::fault_of(&document), None, "{}", path.display());
    }
}

#[test]
fn tasks_of_the_corpus_have_answers_or_are_refused() {
    for path in below(&corpus().join(TASKS)) {
        let fault = messages::fault_of_answers(&std::fs::read(&path).unwrap());
        assert_eq!(fault, None, "{}", path.display());
    }
}

#[test]
#[cfg(unix)]
fn answers_of_the_corpus_are_sound_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let reader = answers::AnsweredReader::in_folder(folder.path());
    for path in below(&corpus().join(ANSWERS)) {
        let document = reader.document(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(soundness::fault_of(&document), None, "{}", path.display());
    }
}

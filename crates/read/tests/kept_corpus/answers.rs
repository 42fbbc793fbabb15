//! A reader whose process gives any answer.

use loopctl_core::value::DocumentId;
use loopctl_program::write_frame;
use loopctl_read::{Document, DocumentReader};
use std::io;
use std::path::{Path, PathBuf};

/// A reader whose process answers each task with the same bytes.
pub(crate) struct AnsweredReader {
    reader: DocumentReader,
    /// The file that holds the answer.
    answer: PathBuf,
}

impl AnsweredReader {
    /// A reader with its answer in a folder.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let answer = folder.join(format!("loopctl-{}.answer", std::process::id()));
        let arguments = vec![answer.to_string_lossy().into_owned()];
        AnsweredReader { reader: DocumentReader::contained("/bin/cat".into(), arguments), answer }
    }

    /// The document of a file to whose reader this is the answer. Its pages are counted if it has no text.
    pub(crate) fn document(&self, answer: &[u8]) -> io::Result<Document> {
        let mut stream = Vec::new();
        write_frame(&mut stream, answer)?;
        std::fs::write(&self.answer, stream)?;
        let document = self.reader.document(DocumentId::new("x"), b"%PDF-1.7\n".to_vec());
        Ok(self.reader.with_pages_counted(document))
    }
}

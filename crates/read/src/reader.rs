//! Readers of files that are not plain text, in this process or in one of their own.

use super::file_kind::FileKind;
use super::file_text::{FileText, Unread};
use super::page_picture::PagePicture;
use super::reader_task::{self, ReaderTask, ReadingSettings};
use super::{Document, Media, SourceText, Unreadable};
use loopctl_core::value::{DocumentId, digest_bytes};
use loopctl_plugin_sdk::Cancel;
use loopctl_program::{ProcessLimits, Program, limit_this_process};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The bounds of a process that reads a file: memory in bytes, time on a processor and time in all.
const LIMITS: ProcessLimits =
    ProcessLimits { memory: 2 << 30, processor: Duration::from_secs(60), time: Duration::from_secs(120) };
/// The longest answer of such a process, in bytes: the text, and the location of each word.
const MOST_ANSWER: u64 = 256 << 20;

/// The way in which files are read that are not plain text.
///
/// A file from outside may be made to crash what reads it, or to occupy it for ever. Programs therefore read it in a
/// process of its own ([`DocumentReader::contained`]), which is ended at its limits: the file is then one document that could
/// not be read.
#[derive(Debug, Clone, Default)]
pub struct DocumentReader {
    /// The program that reads, if it is another process.
    program: Option<Arc<Program>>,
    settings: ReadingSettings,
}

impl DocumentReader {
    /// A reader in this process, for hosts that trust their documents or are themselves contained.
    #[must_use]
    pub fn in_process() -> Self {
        DocumentReader::default()
    }

    /// A reader that starts `file` with `arguments` for each file: a program that calls [`answer_contained`].
    #[must_use]
    pub fn contained(file: PathBuf, arguments: Vec<String>) -> Self {
        let program = Program {
            name: "loopctl contained-reader".to_owned(),
            file,
            arguments,
            environment: Vec::new(),
            cwd: None,
            max_output: MOST_ANSWER,
            // It may repeat the document.
            show_stderr: false,
        };
        DocumentReader { program: Some(Arc::new(program)), settings: ReadingSettings::default() }
    }

    /// This reader, with passwords to try on files that need one.
    #[must_use]
    pub fn with_passwords(mut self, passwords: Vec<String>) -> Self {
        self.settings.passwords = passwords;
        self
    }

    /// Returns whether a file of these bytes is read by a reader of its own. Plain text is not.
    #[must_use]
    pub fn has_reader_for(bytes: &[u8]) -> bool {
        FileKind::of(bytes).is_some()
    }

    /// The document that these bytes of a file are, with its text if it has any.
    #[must_use]
    pub fn document(&self, id: DocumentId, bytes: Vec<u8>) -> Document {
        let (media, kind) = (Media::of(&bytes), FileKind::of(&bytes));
        let mut document = match kind {
            None => Document::from_bytes(id, bytes),
            Some(kind) => {
                let digest = digest_bytes(&bytes);
                let read = self.read(kind, bytes);
                Document { digest, ..document_of(id, read) }
            }
        };
        document.media = media;
        document
    }

    /// A picture of a page of a file, with so many pixels for a point (72 to an inch).
    ///
    /// # Errors
    /// When the file has no such page, or can't be drawn.
    pub fn page_picture(&self, bytes: &[u8], page: usize, scale: f32) -> Result<PagePicture, Unreadable> {
        let kind = FileKind::of(bytes).ok_or(Unread::NoPage { page })?;
        let settings = self.settings.clone();
        let picture = match &self.program {
            None => kind.picture(bytes.to_vec(), page, scale, &settings),
            Some(program) => {
                let task = ReaderTask::Picture { page, scale, settings };
                ask(program, &task, bytes).and_then(reader_task::picture_of)
            }
        };
        Ok(picture?)
    }

    /// Reads the text of a file.
    fn read(&self, kind: FileKind, bytes: Vec<u8>) -> Result<FileText, Unread> {
        let Some(program) = &self.program else { return kind.read(bytes, &self.settings) };
        let task = ReaderTask::Text { settings: self.settings.clone() };
        reader_task::text_of(&ask(program, &task, &bytes)?)
    }
}

/// The document of a file with this text.
fn document_of(id: DocumentId, read: Result<FileText, Unread>) -> Document {
    let mut document = Document::from_bytes(id, Vec::new());
    match read {
        Ok(read) => {
            document.text = SourceText::from_bytes(read.text.into_bytes());
            document.pages = read.pages.map(Arc::new);
            document.structure = Arc::new(read.structure);
        }
        Err(why) => document.text = Err(why.into()),
    }
    document
}

/// The answer of another process to a task.
fn ask(program: &Program, task: &ReaderTask, bytes: &[u8]) -> Result<Vec<u8>, Unread> {
    let lost = |why: String| Unread::Lost { why };
    let input = task.sent_with(bytes).map_err(|error| lost(error.to_string()))?;
    program.run(input, &Cancel::new()).map_err(|failure| lost(failure.error.message))
}

/// Does the task that `input` holds, as the process that [`DocumentReader::contained`] starts, and writes its answer to
/// `output`. Its process is limited from here on.
///
/// # Errors
/// When the process can't be limited, the task can't be read, or its streams fail.
pub fn answer_contained(input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
    limit_this_process(&LIMITS)?;
    reader_task::answer(input, output)
}

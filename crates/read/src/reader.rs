//! Readers of files that are not plain text, in this process or in one of their own.

use super::file_text::{FileText, Unread};
use super::{Document, Media, SourceText, pdf};
use loopctl_core::value::DocumentId;
use loopctl_plugin_sdk::Cancel;
use loopctl_program::{ProcessLimits, Program, limit_this_process};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The bounds of a process that reads a file: memory in bytes, time on a processor and time in all.
const LIMITS: ProcessLimits =
    ProcessLimits { memory: 2 << 30, processor: Duration::from_secs(60), time: Duration::from_secs(120) };
/// The media type of what it reads.
const PDF: &str = "application/pdf";
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
}

/// The answer of a process that reads a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReaderAnswer {
    Read(FileText),
    Unread(Unread),
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
        DocumentReader { program: Some(Arc::new(program)) }
    }

    /// The document that these bytes of a file are, with its text if it has any.
    #[must_use]
    pub fn document(&self, id: DocumentId, bytes: Vec<u8>) -> Document {
        let Some(media) = Media::of(&bytes) else { return Document::from_bytes(id, bytes) };
        let mut document = Document::from_bytes(id, bytes);
        if media.media_type() == PDF {
            match self.read_pdf(media.bytes()) {
                Ok(read) => {
                    document.text = SourceText::from_bytes(read.text.into_bytes());
                    document.pages = Some(Arc::new(read.pages));
                }
                Err(why) => document.text = Err(why.into()),
            }
        }
        Document { media: Some(media), ..document }
    }

    /// Reads the text of a PDF file.
    fn read_pdf(&self, bytes: &[u8]) -> Result<FileText, Unread> {
        let Some(program) = &self.program else { return pdf::read(bytes.to_vec()) };
        let lost = |why: &str| Unread::Lost { why: why.to_owned() };
        let answer =
            program.run(bytes.to_vec(), &Cancel::new()).map_err(|failure| lost(&failure.error.message))?;
        match serde_json::from_slice(&answer) {
            Ok(ReaderAnswer::Read(text)) => Ok(text),
            Ok(ReaderAnswer::Unread(why)) => Err(why),
            Err(_) => Err(lost("its reader gave no answer")),
        }
    }
}

/// Reads a file from `input`, as the process that [`DocumentReader::contained`] starts, and writes what it is to `output`. Its
/// process is limited from here on.
///
/// # Errors
/// When the process can't be limited, or its streams fail.
pub fn answer_contained(input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
    limit_this_process(&LIMITS)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let answer = match pdf::read(bytes) {
        Ok(text) => ReaderAnswer::Read(text),
        Err(why) => ReaderAnswer::Unread(why),
    };
    serde_json::to_writer(&mut *output, &answer)?;
    output.flush()
}

//! Tasks for a process that reads a file: a line of JSON, then the file's bytes.

use super::file_kind::FileKind;
use super::file_text::{FileText, Unread};
use super::page_picture::PagePicture;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufRead, Read, Write};

/// The longest first line of a task, in bytes.
const MOST_TASK: u64 = 1 << 20;

/// The ways in which files are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ReadingSettings {
    /// Passwords to try on files that need one.
    pub(super) passwords: Vec<FilePassword>,
}

/// A password, which no message shows.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct FilePassword(String);

impl FilePassword {
    /// This password.
    pub(super) fn new(password: String) -> Self {
        FilePassword(password)
    }

    /// The password itself.
    pub(super) fn shown(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for FilePassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a password")
    }
}

/// A task for a reader.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReaderTask {
    /// Read the text.
    Text {
        /// The way to read it.
        settings: ReadingSettings,
    },
    /// Draw a page.
    Picture {
        /// The number of the page, from 1.
        page: usize,
        /// Pixels for a point of the page.
        scale: f32,
        /// The way to read it.
        settings: ReadingSettings,
    },
}

/// The answer of a process that reads a file. A picture is answered by its PNG file alone.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReaderAnswer {
    Read(FileText),
    Unread(Unread),
}

impl ReaderTask {
    /// The task and the file, as they are sent to a process.
    pub(super) fn sent_with(&self, bytes: &[u8]) -> serde_json::Result<Vec<u8>> {
        let mut sent = serde_json::to_vec(self)?;
        sent.reserve(bytes.len() + 1);
        sent.push(b'\n');
        sent.extend_from_slice(bytes);
        Ok(sent)
    }
}

/// Does the task that `input` holds, and writes the answer.
pub(super) fn answer(input: impl Read, output: &mut dyn Write) -> io::Result<()> {
    let mut input = io::BufReader::new(input);
    let mut line = Vec::new();
    input.by_ref().take(MOST_TASK).read_until(b'\n', &mut line)?;
    let task: ReaderTask = serde_json::from_slice(&line)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let Some(kind) = FileKind::of(&bytes) else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a kind of file with a reader"));
    };
    let unread = match task {
        ReaderTask::Text { settings } => match kind.read(bytes, &settings) {
            Ok(text) => {
                serde_json::to_writer(&mut *output, &ReaderAnswer::Read(text))?;
                return output.flush();
            }
            Err(unread) => unread,
        },
        ReaderTask::Picture { page, scale, settings } => match kind.picture(bytes, page, scale, &settings) {
            Ok(picture) => {
                output.write_all(picture.png())?;
                return output.flush();
            }
            Err(unread) => unread,
        },
    };
    serde_json::to_writer(&mut *output, &ReaderAnswer::Unread(unread))?;
    output.flush()
}

/// The text in an answer.
pub(super) fn text_of(answer: &[u8]) -> Result<FileText, Unread> {
    match serde_json::from_slice(answer) {
        Ok(ReaderAnswer::Read(text)) => Ok(text),
        Ok(ReaderAnswer::Unread(why)) => Err(why),
        Err(_) => Err(no_answer()),
    }
}

/// The picture in an answer.
pub(super) fn picture_of(answer: Vec<u8>) -> Result<PagePicture, Unread> {
    match serde_json::from_slice(&answer) {
        Ok(ReaderAnswer::Unread(why)) => Err(why),
        Ok(ReaderAnswer::Read(_)) => Err(no_answer()),
        Err(_) => PagePicture::from_png(answer).ok_or_else(no_answer),
    }
}

fn no_answer() -> Unread {
    Unread::Lost { why: "its reader gave no answer".to_owned() }
}

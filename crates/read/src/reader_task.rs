//! Tasks for a process that reads a file: a line of JSON, then the file's bytes.

use super::file_kind::FileKind;
use super::file_text::{FileText, Unread};
use super::ocr::{LineSheet, OcrSettings, PictureFrame, SheetTask, Turn, even_light, lines_of, prepared};
use super::page_ink::{INK_DPI, PageInk};
use super::page_layout::rectangle;
use super::page_picture::PagePicture;
use loopctl_core::document::PageBox;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufRead, Read, Write};

/// The longest first line of a task, in bytes.
const MOST_TASK: u64 = 16 << 20;

/// The ways in which files are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ReadingSettings {
    /// Passwords to try on files that need one.
    pub(super) passwords: Vec<FilePassword>,
    /// The way in which scans are read; `None` if they are not.
    pub(super) ocr: Option<OcrSettings>,
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
    /// Draw a page for OCR.
    Scan {
        /// The number of the page, from 1.
        page: usize,
        /// Its turn; as its lines run, if it is not known.
        turn: Option<Turn>,
        /// The way to read it.
        settings: ReadingSettings,
    },
    /// Count the marks of a page that look like letters and lie outside of words.
    Ink {
        /// The number of the page, from 1.
        page: usize,
        /// The places of its words.
        words: Vec<PageBox>,
        /// The way to read it.
        settings: ReadingSettings,
    },
    /// Draw lines of a page that was drawn for OCR.
    Lines {
        /// The number of the page, from 1.
        page: usize,
        /// The lines.
        sheet: SheetTask,
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
    /// A page for OCR; its PNG file follows on the next line.
    Scan(PictureFrame),
    /// The number of marks that look like letters.
    Ink(usize),
    /// Lines of a page; their PNG file follows on the next line.
    Lines(LineSheet),
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
        ReaderTask::Scan { page, turn, settings } => match scan(kind, bytes, page, turn, &settings) {
            Ok((frame, png)) => return drawn(&ReaderAnswer::Scan(frame), &png, output),
            Err(unread) => unread,
        },
        ReaderTask::Ink { page, words, settings } => {
            match unread_letters(kind, bytes, page, &words, &settings) {
                Ok(letters) => {
                    serde_json::to_writer(&mut *output, &ReaderAnswer::Ink(letters))?;
                    return output.flush();
                }
                Err(unread) => unread,
            }
        }
        ReaderTask::Lines { page, sheet, settings } => match lines(kind, bytes, page, &sheet, &settings) {
            Ok((sheet, png)) => return drawn(&ReaderAnswer::Lines(sheet), &png, output),
            Err(unread) => unread,
        },
    };
    serde_json::to_writer(&mut *output, &ReaderAnswer::Unread(unread))?;
    output.flush()
}

/// Writes an answer, and a picture on the next line.
fn drawn(answer: &ReaderAnswer, png: &[u8], output: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, answer)?;
    output.write_all(b"\n")?;
    output.write_all(png)?;
    output.flush()
}

/// Draws a page for OCR.
pub(super) fn scan(
    kind: FileKind,
    bytes: Vec<u8>,
    page: usize,
    turn: Option<Turn>,
    settings: &ReadingSettings,
) -> Result<(PictureFrame, Vec<u8>), Unread> {
    let (picture, points) = kind.grey(bytes, page, dots_per_inch(settings), settings)?;
    let prepared = prepared(picture, points, turn);
    let png = prepared.picture.png().ok_or(Unread::NoPage { page })?;
    Ok((prepared.frame, png))
}

/// Counts the marks of a page that look like letters and lie outside of words.
pub(super) fn unread_letters(
    kind: FileKind,
    bytes: Vec<u8>,
    page: usize,
    words: &[PageBox],
    settings: &ReadingSettings,
) -> Result<usize, Unread> {
    let (mut picture, points) = kind.grey(bytes, page, INK_DPI, settings)?;
    even_light(&mut picture);
    Ok(PageInk::new(picture, points).letters_outside(words.iter().copied().map(rectangle)))
}

/// Draws lines of a page that was drawn for OCR.
pub(super) fn lines(
    kind: FileKind,
    bytes: Vec<u8>,
    page: usize,
    sheet: &SheetTask,
    settings: &ReadingSettings,
) -> Result<(LineSheet, Vec<u8>), Unread> {
    let (picture, points) = kind.grey(bytes, page, dots_per_inch(settings), settings)?;
    let (sheet, picture) = lines_of(&prepared(picture, points, Some(sheet.turn)), sheet);
    let png = picture.png().ok_or(Unread::NoPage { page })?;
    Ok((sheet, png))
}

fn dots_per_inch(settings: &ReadingSettings) -> f64 {
    settings.ocr.clone().unwrap_or_default().dots_per_inch()
}

/// The page for OCR in an answer.
pub(super) fn scan_of(answer: &[u8]) -> Result<(PictureFrame, Vec<u8>), Unread> {
    match parted(answer)? {
        (ReaderAnswer::Scan(frame), png) => Ok((frame, png.to_vec())),
        (ReaderAnswer::Unread(why), _) => Err(why),
        (ReaderAnswer::Read(_) | ReaderAnswer::Ink(_) | ReaderAnswer::Lines(_), _) => Err(no_answer()),
    }
}

/// The number of marks in an answer.
pub(super) fn ink_of(answer: &[u8]) -> Result<usize, Unread> {
    match parted(answer)? {
        (ReaderAnswer::Ink(letters), _) => Ok(letters),
        (ReaderAnswer::Unread(why), _) => Err(why),
        (ReaderAnswer::Read(_) | ReaderAnswer::Scan(_) | ReaderAnswer::Lines(_), _) => Err(no_answer()),
    }
}

/// The lines of a page in an answer.
pub(super) fn lines_answered(answer: &[u8]) -> Result<(LineSheet, Vec<u8>), Unread> {
    match parted(answer)? {
        (ReaderAnswer::Lines(sheet), png) => Ok((sheet, png.to_vec())),
        (ReaderAnswer::Unread(why), _) => Err(why),
        (ReaderAnswer::Read(_) | ReaderAnswer::Ink(_) | ReaderAnswer::Scan(_), _) => Err(no_answer()),
    }
}

/// The first line of an answer, and the bytes after it.
fn parted(answer: &[u8]) -> Result<(ReaderAnswer, &[u8]), Unread> {
    let end = answer.iter().position(|byte| *byte == b'\n').unwrap_or(answer.len());
    let (line, rest) = answer.split_at_checked(end).ok_or_else(no_answer)?;
    let answer = serde_json::from_slice(line).map_err(|_| no_answer())?;
    Ok((answer, rest.get(1..).unwrap_or_default()))
}

/// The text in an answer.
pub(super) fn text_of(answer: &[u8]) -> Result<FileText, Unread> {
    match serde_json::from_slice(answer) {
        Ok(ReaderAnswer::Read(text)) => Ok(text),
        Ok(ReaderAnswer::Unread(why)) => Err(why),
        Ok(ReaderAnswer::Scan(_) | ReaderAnswer::Ink(_) | ReaderAnswer::Lines(_)) | Err(_) => {
            Err(no_answer())
        }
    }
}

/// The picture in an answer.
pub(super) fn picture_of(answer: Vec<u8>) -> Result<PagePicture, Unread> {
    match serde_json::from_slice(&answer) {
        Ok(ReaderAnswer::Unread(why)) => Err(why),
        Ok(ReaderAnswer::Read(_) | ReaderAnswer::Scan(_) | ReaderAnswer::Ink(_) | ReaderAnswer::Lines(_)) => {
            Err(no_answer())
        }
        Err(_) => PagePicture::from_png(answer).ok_or_else(no_answer),
    }
}

fn no_answer() -> Unread {
    Unread::Lost { why: "its reader gave no answer".to_owned() }
}

//! Tasks about a file, and their answers, as they pass between two processes.

use super::file_passwords::FilePassword;
use super::file_text::{FileText, Unread};
use super::ocr::{LineSheet, OcrSettings, PictureFrame, SheetTask, Turn};
use super::page_picture::PictureSize;
use loopctl_core::document::PageBox;
use serde::{Deserialize, Serialize};

/// The ways in which files are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ReadingSettings {
    /// Passwords to try on files that need one.
    pub(super) passwords: Vec<FilePassword>,
    /// The way in which scans are read; `None` if they are not.
    pub(super) ocr: Option<OcrSettings>,
}

/// A task about a file. Pages are counted from 1.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReaderTask {
    /// Read the text.
    Text,
    /// Count the pages.
    PageCount,
    /// Draw a page.
    Picture {
        page: usize,
        /// The size of its picture.
        size: PictureSize,
    },
    /// Draw a page for OCR.
    Scan {
        page: usize,
        /// Its turn; as its lines run, if it is not known.
        turn: Option<Turn>,
    },
    /// Count the marks of a page that look like letters and lie outside of words.
    Ink {
        page: usize,
        /// The places of its words.
        words: Vec<PageBox>,
    },
    /// Draw lines of a page that was drawn for OCR.
    Lines {
        page: usize,
        /// The lines.
        sheet: SheetTask,
    },
}

impl ReaderTask {
    /// The page that it is about.
    pub(super) fn page(&self) -> Option<usize> {
        match self {
            ReaderTask::Text | ReaderTask::PageCount => None,
            ReaderTask::Picture { page, .. }
            | ReaderTask::Scan { page, .. }
            | ReaderTask::Ink { page, .. }
            | ReaderTask::Lines { page, .. } => Some(*page),
        }
    }
}

/// The answer to a task. A picture is a PNG file, which follows the rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReaderAnswer {
    /// The text.
    Text(FileText),
    /// A page.
    Picture {
        #[serde(skip)]
        png: Vec<u8>,
    },
    /// A page for OCR.
    Scan {
        frame: PictureFrame,
        #[serde(skip)]
        png: Vec<u8>,
    },
    /// The number of pages.
    PageCount { pages: usize },
    /// The number of marks that look like letters.
    Ink { letters: usize },
    /// Lines of a page.
    Lines {
        sheet: LineSheet,
        #[serde(skip)]
        png: Vec<u8>,
    },
    /// There is none, for this reason.
    Unread(Unread),
}

impl ReaderAnswer {
    /// The answer as bytes: a line of JSON, then its picture.
    pub(super) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        match self {
            ReaderAnswer::Picture { png }
            | ReaderAnswer::Scan { png, .. }
            | ReaderAnswer::Lines { png, .. } => bytes.extend_from_slice(png),
            ReaderAnswer::Text(_)
            | ReaderAnswer::PageCount { .. }
            | ReaderAnswer::Ink { .. }
            | ReaderAnswer::Unread(_) => {}
        }
        Ok(bytes)
    }

    /// The answer that these bytes are.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn from_bytes(mut bytes: Vec<u8>) -> Result<Self, Unread> {
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(no_answer)?;
        let mut rest = bytes.split_off(end);
        let answer = serde_json::from_slice(&bytes).map_err(|_| no_answer())?;
        // The end of the line.
        rest.drain(..1);
        match answer {
            ReaderAnswer::Picture { .. } => Ok(ReaderAnswer::Picture { png: rest }),
            ReaderAnswer::Scan { frame, .. } => Ok(ReaderAnswer::Scan { frame, png: rest }),
            ReaderAnswer::Lines { sheet, .. } => Ok(ReaderAnswer::Lines { sheet, png: rest }),
            ReaderAnswer::Text(_) | ReaderAnswer::PageCount { .. } | ReaderAnswer::Ink { .. } => Ok(answer),
            ReaderAnswer::Unread(why) => Err(why),
        }
    }
}

/// The reason why there is no answer where another one came, or none.
pub(super) fn no_answer() -> Unread {
    Unread::Lost { why: "its reader gave no answer".to_owned() }
}

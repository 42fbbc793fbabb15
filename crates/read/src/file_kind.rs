//! Kinds of files that are read by a reader of their own, as their first bytes tell.

use super::file_text::{FileText, Unread};
use super::page_picture::PagePicture;
use super::pdf;
use super::reader_task::ReadingSettings;

/// A kind of file that is not plain text, and has a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Pdf,
}

impl FileKind {
    /// The kind of a file of these bytes; `None` for plain text, and for what nothing here reads.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        bytes.starts_with(b"%PDF-").then_some(FileKind::Pdf)
    }

    /// The media type of a file of this kind.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            FileKind::Pdf => "application/pdf",
        }
    }

    /// Reads a file of this kind.
    pub(super) fn read(self, bytes: Vec<u8>, settings: &ReadingSettings) -> Result<FileText, Unread> {
        match self {
            FileKind::Pdf => pdf::read(bytes, settings),
        }
    }

    /// Draws a page, counted from 1, of a file of this kind.
    pub(super) fn picture(
        self,
        bytes: Vec<u8>,
        page: usize,
        scale: f32,
        settings: &ReadingSettings,
    ) -> Result<PagePicture, Unread> {
        match self {
            FileKind::Pdf => pdf::picture(bytes, page, scale, settings),
        }
    }
}

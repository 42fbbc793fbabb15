//! Kinds of files that are read by a reader of their own, as their first bytes tell.

use super::file_text::{FileText, Unread};
use super::grey_picture::GreyPicture;
use super::image_file::{self, ImageKind};
use super::page_picture::PagePicture;
use super::pdf;
use super::reader_task::ReadingSettings;

/// A kind of file that is not plain text, and has a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Pdf,
    Image(ImageKind),
}

impl FileKind {
    /// The kind of a file of these bytes; `None` for plain text, and for what nothing here reads.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if pdf::is_pdf(bytes) {
            return Some(FileKind::Pdf);
        }
        ImageKind::of(bytes).map(FileKind::Image)
    }

    /// Returns whether a file of this kind has text only where OCR reads it.
    pub(super) fn needs_ocr(self) -> bool {
        match self {
            FileKind::Pdf => false,
            FileKind::Image(_) => true,
        }
    }

    /// Reads a file of this kind.
    pub(super) fn read(self, bytes: Vec<u8>, settings: &ReadingSettings) -> Result<FileText, Unread> {
        match self {
            FileKind::Pdf => pdf::read(bytes, settings),
            FileKind::Image(kind) => image_file::read(kind, bytes),
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
            FileKind::Image(kind) => image_file::picture(kind, &bytes, page, scale),
        }
    }

    /// Draws a page, counted from 1, in grey with about so many dots per inch; and the points of the page for each pixel.
    pub(super) fn grey(
        self,
        bytes: Vec<u8>,
        page: usize,
        dpi: f64,
        settings: &ReadingSettings,
    ) -> Result<(GreyPicture, f64), Unread> {
        match self {
            FileKind::Pdf => pdf::grey(bytes, page, dpi, settings),
            FileKind::Image(kind) => image_file::grey(kind, &bytes, page, dpi),
        }
    }
}

//! Kinds of files that are read by a reader of their own, as their first bytes tell.

use super::file_text::{FileText, Unread};
use super::page_picture::PagePicture;
use super::reader_task::ReadingSettings;
use super::{html, pdf, xml};

/// A kind of file that is not plain text, and has a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Pdf,
    /// A page, in UTF-8.
    Html,
    /// XML, in UTF-8.
    Xml,
}

impl FileKind {
    /// The kind of a file of these bytes; `None` for plain text, and for what nothing here reads.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"%PDF-") {
            return Some(FileKind::Pdf);
        }
        // What markup is, is told by its beginning and end; it may be long.
        if !bytes.trim_ascii_start().starts_with(b"<") && !bytes.starts_with(b"\xEF\xBB\xBF") {
            return None;
        }
        Self::of_text(std::str::from_utf8(bytes).ok()?)
    }

    /// The kind of a file of this text; `None` if it is read as it is.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        if html::is_page(text) {
            Some(FileKind::Html)
        } else if xml::is_xml(text) {
            Some(FileKind::Xml)
        } else {
            None
        }
    }

    /// Returns whether files of this kind are text, in any encoding.
    pub(super) fn is_text(self) -> bool {
        match self {
            FileKind::Html | FileKind::Xml => true,
            FileKind::Pdf => false,
        }
    }

    /// Reads a file of this kind.
    pub(super) fn read(self, bytes: Vec<u8>, settings: &ReadingSettings) -> Result<FileText, Unread> {
        match self {
            FileKind::Pdf => pdf::read(bytes, settings),
            FileKind::Html => html::read(&String::from_utf8_lossy(&bytes)),
            FileKind::Xml => xml::read(&String::from_utf8_lossy(&bytes)),
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
            FileKind::Html | FileKind::Xml => Err(Unread::NoPage { page }),
        }
    }
}

//! Kinds of files that are read by a reader of their own, as their first bytes tell.

use super::image_file::ImageKind;
use super::markup::{html, xml};
use super::office::{compound_file, mail, rtf};
use super::pdf;

/// A kind of file that is not plain text, and has a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Pdf,
    Image(ImageKind),
    /// A ZIP archive: an office document, or something that is refused with better advice than by its first bytes.
    Package,
    /// The container of old and of encrypted office documents.
    Compound,
    RichText,
    Mail,
    /// A page, in UTF-8.
    Html,
    /// XML, in UTF-8.
    Xml,
}

impl FileKind {
    /// The kind of a file of these bytes; `None` for plain text, and for what nothing here reads.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if pdf::is_pdf(bytes) {
            Some(FileKind::Pdf)
        } else if let Some(kind) = ImageKind::of(bytes) {
            Some(FileKind::Image(kind))
        } else if bytes.starts_with(b"PK\x03\x04") {
            Some(FileKind::Package)
        } else if bytes.starts_with(compound_file::SIGNATURE) {
            Some(FileKind::Compound)
        } else if bytes.starts_with(rtf::SIGNATURE) {
            Some(FileKind::RichText)
        } else if bytes.trim_ascii_start().starts_with(b"<") || bytes.starts_with(b"\xEF\xBB\xBF") {
            // Markup is told by its beginning and end, and may be long.
            Self::of_text(std::str::from_utf8(bytes).ok()?)
        } else if mail::is_mail(bytes) {
            Some(FileKind::Mail)
        } else {
            None
        }
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

    /// Returns whether a file of this kind has text only where OCR reads it.
    pub(super) fn needs_ocr(self) -> bool {
        matches!(self, FileKind::Image(_))
    }

    /// Returns whether files of this kind are text, in any encoding.
    pub(super) fn is_text(self) -> bool {
        match self {
            FileKind::Html | FileKind::Xml => true,
            FileKind::Pdf
            | FileKind::Image(_)
            | FileKind::Package
            | FileKind::Compound
            | FileKind::RichText
            | FileKind::Mail => false,
        }
    }

    /// The media type of a file of this kind.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            FileKind::Pdf => "application/pdf",
            FileKind::Image(kind) => kind.media_type(),
            FileKind::Package => "application/zip",
            FileKind::Compound => "application/x-ole-storage",
            FileKind::RichText => "application/rtf",
            FileKind::Mail => "message/rfc822",
            FileKind::Html => "text/html",
            FileKind::Xml => "application/xml",
        }
    }

    /// Returns whether files of this kind have pages that can be drawn.
    pub(super) fn has_drawn_pages(self) -> bool {
        match self {
            FileKind::Pdf | FileKind::Image(_) => true,
            FileKind::Package
            | FileKind::Compound
            | FileKind::RichText
            | FileKind::Mail
            | FileKind::Html
            | FileKind::Xml => false,
        }
    }
}

//! Kinds of files that are read by a reader of their own, as their first bytes tell.

use super::file_text::{FileText, Unread};
use super::office_unread::OfficeFormat;
use super::page_picture::PagePicture;
use super::reader_task::ReadingSettings;
use super::{compound_file, mail, package_reader, pdf, rtf};

/// A kind of file that is not plain text, and has a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Pdf,
    /// A ZIP archive: an office document, or something that is refused with better advice than by its first bytes.
    Package,
    /// The container of old and of encrypted office documents.
    Compound,
    RichText,
    Mail,
}

impl FileKind {
    /// The kind of a file of these bytes; `None` for plain text, and for what nothing here reads.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"%PDF-") {
            Some(FileKind::Pdf)
        } else if bytes.starts_with(b"PK\x03\x04") {
            Some(FileKind::Package)
        } else if bytes.starts_with(compound_file::SIGNATURE) {
            Some(FileKind::Compound)
        } else if bytes.starts_with(rtf::SIGNATURE) {
            Some(FileKind::RichText)
        } else if mail::is_mail(bytes) {
            Some(FileKind::Mail)
        } else {
            None
        }
    }

    /// Reads a file of this kind.
    pub(super) fn read(self, bytes: Vec<u8>, settings: &ReadingSettings) -> Result<FileText, Unread> {
        match self {
            FileKind::Pdf => pdf::read(bytes, settings),
            FileKind::Package => package_reader::read(&bytes),
            FileKind::Compound => Err(compound_file::refusal(&bytes)),
            FileKind::RichText => rtf::read(&bytes).map_err(|fault| fault.of(OfficeFormat::RichText)),
            FileKind::Mail => mail::read(&bytes).map_err(|fault| fault.of(OfficeFormat::Mail)),
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
            FileKind::Package | FileKind::Compound | FileKind::RichText | FileKind::Mail => {
                Err(Unread::NoPage { page })
            }
        }
    }
}

//! A file that is open: parsed once, for all tasks about it.

use super::file_kind::FileKind;
use super::file_text::{FileText, Unread};
use super::grey_picture::GreyPicture;
use super::image_file::{self, ImageKind};
use super::markup::{html, xml};
use super::ocr::{PreparedPicture, SheetTask, Turn, even_light, lines_of, prepared};
use super::office::office_unread::OfficeFormat;
use super::office::{compound_file, mail, package_reader, rtf};
use super::page_ink::{INK_DPI, PageInk};
use super::page_layout::rectangle;
use super::page_picture::{PagePicture, PictureSize};
use super::pdf;
use super::reader_task::{ReaderAnswer, ReaderTask, ReadingSettings};
use hayro_interpret::hayro_syntax::Pdf;
use loopctl_core::document::PageBox;
use std::sync::{Arc, Mutex, PoisonError};

/// A file that is open.
pub(super) struct OpenedFile {
    content: FileContent,
    settings: ReadingSettings,
    /// The page that was drawn for OCR last: its lines are asked for next.
    drawn: Mutex<Option<(usize, Arc<PreparedPicture>)>>,
}

/// The content of a file, parsed where that pays for more than one task.
enum FileContent {
    Pdf(Box<Pdf>),
    Image(ImageKind, Arc<Vec<u8>>),
    /// A file without pages that can be drawn.
    Flow(FileKind, Arc<Vec<u8>>),
}

impl OpenedFile {
    /// Opens a file of this kind.
    ///
    /// # Errors
    /// When it is a PDF that needs a password or is damaged.
    pub(super) fn open(
        kind: FileKind,
        bytes: Arc<Vec<u8>>,
        settings: ReadingSettings,
    ) -> Result<Self, Unread> {
        let content = match kind {
            FileKind::Pdf => FileContent::Pdf(Box::new(pdf::opened(bytes, &settings)?)),
            FileKind::Image(kind) => FileContent::Image(kind, bytes),
            FileKind::Package
            | FileKind::Compound
            | FileKind::RichText
            | FileKind::Mail
            | FileKind::Html
            | FileKind::Xml => FileContent::Flow(kind, bytes),
        };
        Ok(OpenedFile { content, settings, drawn: Mutex::default() })
    }

    /// Does a task.
    ///
    /// # Errors
    /// When the file has no text, or no such page, or can't be drawn.
    pub(super) fn answer(&self, task: &ReaderTask) -> Result<ReaderAnswer, Unread> {
        match task {
            ReaderTask::Text => Ok(ReaderAnswer::Text(self.text()?)),
            ReaderTask::PageCount => Ok(ReaderAnswer::PageCount { pages: self.page_count()? }),
            ReaderTask::Picture { page, size } => {
                let picture = self.picture(*page, *size)?;
                Ok(ReaderAnswer::Picture { png: picture.into_png() })
            }
            ReaderTask::Scan { page, turn } => self.scan(*page, *turn),
            ReaderTask::Ink { page, words } => self.unread_letters(*page, words),
            ReaderTask::Lines { page, sheet } => self.lines(*page, sheet),
        }
    }

    /// Its text.
    pub(super) fn text(&self) -> Result<FileText, Unread> {
        match &self.content {
            FileContent::Pdf(pdf) => pdf::read(pdf, &self.settings),
            FileContent::Image(kind, bytes) => image_file::read(*kind, bytes),
            FileContent::Flow(kind, bytes) => flow_text(*kind, bytes),
        }
    }

    /// The number of its pages.
    fn page_count(&self) -> Result<usize, Unread> {
        match &self.content {
            FileContent::Pdf(pdf) => pdf::page_count(pdf),
            FileContent::Image(kind, bytes) => image_file::page_count(*kind, bytes),
            FileContent::Flow(..) => Err(Unread::NoPages),
        }
    }

    /// A page, counted from 1, as a person sees it.
    fn picture(&self, page: usize, size: PictureSize) -> Result<PagePicture, Unread> {
        match &self.content {
            FileContent::Pdf(pdf) => pdf::picture(pdf, page, size),
            FileContent::Image(kind, bytes) => image_file::picture(*kind, bytes, page, size),
            FileContent::Flow(..) => Err(Unread::NoPage { page }),
        }
    }

    /// A page, counted from 1, in grey with about so many dots per inch; and the points of the page for each pixel.
    fn grey(&self, page: usize, dpi: f64) -> Result<(GreyPicture, f64), Unread> {
        match &self.content {
            FileContent::Pdf(pdf) => pdf::grey(pdf, page, dpi),
            FileContent::Image(kind, bytes) => image_file::grey(*kind, bytes, page, dpi),
            FileContent::Flow(..) => Err(Unread::NoPage { page }),
        }
    }

    /// Draws a page for OCR.
    fn scan(&self, page: usize, turn: Option<Turn>) -> Result<ReaderAnswer, Unread> {
        let prepared = Arc::new(self.prepared(page, turn)?);
        let png = prepared.picture.png().ok_or(Unread::NoPage { page })?;
        let frame = prepared.frame.clone();
        *self.drawn.lock().unwrap_or_else(PoisonError::into_inner) = Some((page, prepared));
        Ok(ReaderAnswer::Scan { frame, png })
    }

    /// Counts the marks of a page that look like letters and lie outside of words.
    fn unread_letters(&self, page: usize, words: &[PageBox]) -> Result<ReaderAnswer, Unread> {
        let (mut picture, points) = self.grey(page, INK_DPI)?;
        even_light(&mut picture);
        let ink = PageInk::new(picture, points);
        Ok(ReaderAnswer::Ink { letters: ink.letters_outside(words.iter().copied().map(rectangle)) })
    }

    /// Draws lines of a page that was drawn for OCR.
    fn lines(&self, page: usize, task: &SheetTask) -> Result<ReaderAnswer, Unread> {
        let drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let drawn = drawn.filter(|(drawn, picture)| *drawn == page && picture.frame.turn == task.turn);
        let prepared = match drawn {
            Some((_, prepared)) => prepared,
            None => Arc::new(self.prepared(page, Some(task.turn))?),
        };
        let (sheet, picture) = lines_of(&prepared, task);
        let png = picture.png().ok_or(Unread::NoPage { page })?;
        Ok(ReaderAnswer::Lines { sheet, png })
    }

    fn prepared(&self, page: usize, turn: Option<Turn>) -> Result<PreparedPicture, Unread> {
        let (picture, points) = self.grey(page, self.dots_per_inch())?;
        Ok(prepared(picture, points, turn))
    }

    fn dots_per_inch(&self) -> f64 {
        self.settings.ocr.clone().unwrap_or_default().dots_per_inch()
    }
}

/// The text of a file without pages that can be drawn.
fn flow_text(kind: FileKind, bytes: &[u8]) -> Result<FileText, Unread> {
    match kind {
        FileKind::Package => package_reader::read(bytes),
        FileKind::Compound => Err(compound_file::refusal(bytes)),
        FileKind::RichText => rtf::read(bytes).map_err(|fault| fault.of(OfficeFormat::RichText)),
        FileKind::Mail => mail::read(bytes).map_err(|fault| fault.of(OfficeFormat::Mail)),
        FileKind::Html => html::read(&String::from_utf8_lossy(bytes)),
        FileKind::Xml => xml::read(&String::from_utf8_lossy(bytes)),
        FileKind::Pdf | FileKind::Image(_) => Err(Unread::Damaged),
    }
}

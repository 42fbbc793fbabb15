//! Readers of files that are not plain text, in this process or in one of their own.

use super::file_kind::FileKind;
use super::file_text::{FileText, Unread};
use super::ocr::{LineSheet, OcrSettings, PagePictures, PictureFrame, SheetTask, Turn, read_scans};
use super::page_picture::{PagePicture, PictureSize};
use super::reader_task::{self, FilePassword, ReaderTask, ReadingSettings};
use super::text_encoding;
use super::{Document, DocumentPage, Media, PageBox, Pages, SourceText, Unreadable};
use loopctl_core::profile::{GateStep, Ingest, PageGate};
use loopctl_core::value::{DocumentId, digest_bytes};
use loopctl_plugin_sdk::Cancel;
use loopctl_program::{ProcessLimits, Program, limit_this_process};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The bounds of a process that reads a file: memory in bytes, time on a processor and time in all.
const LIMITS: ProcessLimits =
    ProcessLimits { memory: 2 << 30, processor: Duration::from_secs(60), time: Duration::from_secs(120) };
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
    settings: ReadingSettings,
    /// Bounds on the signals of pages.
    gate: PageGate,
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
        DocumentReader { program: Some(Arc::new(program)), ..DocumentReader::default() }
    }

    /// This reader, with more passwords to try on files that need one.
    #[must_use]
    pub fn with_passwords(mut self, passwords: Vec<String>) -> Self {
        self.settings.passwords.extend(passwords.into_iter().map(FilePassword::new));
        self
    }

    /// This reader, with the reading settings of a profile.
    #[must_use]
    pub fn with_ingest(mut self, ingest: &Ingest) -> Self {
        self.gate = ingest.gate.clone();
        self.settings.ocr = ingest.ocr.settings().map(OcrSettings::from);
        self
    }

    /// This reader, which reads images, and pages that are only a picture, by OCR.
    #[must_use]
    pub fn with_ocr(mut self, settings: OcrSettings) -> Self {
        self.settings.ocr = Some(settings);
        self
    }

    /// Returns whether a file of these bytes is read by a reader of its own. Plain text is not.
    #[must_use]
    pub fn has_reader_for(bytes: &[u8]) -> bool {
        FileKind::of(bytes).is_some()
    }

    /// The document that these bytes of a file are, with its text if it has any.
    #[must_use]
    pub fn document(&self, id: DocumentId, bytes: Vec<u8>) -> Document {
        match FileKind::of(&bytes).filter(|kind| !kind.is_text()) {
            None => {
                let media = Media::of(&bytes);
                Document { media, ..self.text_document(id, bytes) }
            }
            Some(kind) if kind.has_drawn_pages() => self.drawn_document(id, kind, bytes),
            Some(kind) => {
                let digest = digest_bytes(&bytes);
                Document { digest, ..document_of(id, self.read(kind, bytes.into())) }
            }
        }
    }

    /// The document of a file whose pages can be drawn.
    fn drawn_document(&self, id: DocumentId, kind: FileKind, bytes: Vec<u8>) -> Document {
        let file: Arc<[u8]> = bytes.into();
        let document = if kind.needs_ocr() && self.settings.ocr.is_none() {
            Document { text: text_encoding::source_of(file.to_vec()), ..Document::from_bytes(id, Vec::new()) }
        } else {
            document_of(id, self.read(kind, Arc::clone(&file)))
        };
        Document { digest: digest_bytes(&file), media: Media::of_shared(&file), file: Some(file), ..document }
    }

    /// This document. If it has no text, its pages are counted, so that they can be drawn.
    #[must_use]
    pub fn with_pages_counted(&self, document: Document) -> Document {
        let Some(file) =
            document.file.as_ref().filter(|_| document.text.is_err() && document.pages.is_none())
        else {
            return document;
        };
        match self.page_count(file) {
            Ok(count) => Document { pages: Some(Arc::new(Pages::unread(count))), ..document },
            Err(_) => document,
        }
    }

    /// The number of pages of a file.
    fn page_count(&self, bytes: &[u8]) -> Result<usize, Unread> {
        let kind = FileKind::of(bytes).ok_or(Unread::NoPages)?;
        let settings = self.settings.clone();
        match &self.program {
            None => kind.page_count(bytes.to_vec(), &settings),
            Some(program) => {
                reader_task::count_of(&ask(program, &ReaderTask::PageCount { settings }, bytes)?)
            }
        }
    }

    /// The document of a file of text in any encoding: as it is, or as its markup shows it.
    fn text_document(&self, id: DocumentId, bytes: Vec<u8>) -> Document {
        let digest = digest_bytes(&bytes);
        let source = text_encoding::source_of(bytes);
        let marked =
            source.as_ref().ok().and_then(|source| Some((FileKind::of_text(source.as_str())?, source)));
        let document = match marked {
            None => Document { text: source, ..Document::from_bytes(id, Vec::new()) },
            Some((kind, source)) => {
                let read = self.read(kind, source.as_str().as_bytes().into());
                let mut document = document_of(id, read);
                let shown = document.text;
                document.text =
                    shown.and_then(|shown| SourceText::from_decoded(shown.as_str(), source.encoding()));
                document
            }
        };
        Document { digest, ..document }
    }

    /// The media type of a file that is not plain text, by its first bytes; `None` for text, and for what nothing here
    /// reads.
    #[must_use]
    pub fn media_type(bytes: &[u8]) -> Option<&'static str> {
        FileKind::of(bytes).map(FileKind::media_type)
    }

    /// A picture of a page of a file, with so many pixels for a point (72 to an inch).
    ///
    /// # Errors
    /// When the file has no such page, or can't be drawn.
    pub fn page_picture(&self, bytes: &[u8], page: usize, scale: f32) -> Result<PagePicture, Unreadable> {
        self.picture(bytes, page, PictureSize::Scale(scale))
    }

    /// A picture of a page of a file whose longest side has so many pixels. An image with fewer is not enlarged.
    ///
    /// # Errors
    /// When the file has no such page, or can't be drawn.
    pub fn page_picture_within(
        &self,
        bytes: &[u8],
        page: usize,
        pixels: u64,
    ) -> Result<PagePicture, Unreadable> {
        self.picture(bytes, page, PictureSize::LongestSide(pixels))
    }

    fn picture(&self, bytes: &[u8], page: usize, size: PictureSize) -> Result<PagePicture, Unreadable> {
        let kind = FileKind::of(bytes).ok_or(Unread::NoPage { page })?;
        let settings = self.settings.clone();
        let picture = match &self.program {
            None => kind.picture(bytes.to_vec(), page, size, &settings),
            Some(program) => {
                let task = ReaderTask::Picture { page, size, settings };
                ask(program, &task, bytes).and_then(reader_task::picture_of)
            }
        };
        Ok(picture?)
    }

    /// Reads the text of a file.
    fn read(&self, kind: FileKind, bytes: Arc<[u8]>) -> Result<FileText, Unread> {
        let read = match &self.program {
            None => kind.read(bytes.to_vec(), &self.settings)?,
            Some(program) => {
                let task = ReaderTask::Text { settings: self.settings.clone() };
                reader_task::text_of(&ask(program, &task, &bytes)?)?
            }
        };
        let read = held_against(read, &self.gate);
        let Some(ocr) = &self.settings.ocr else { return passed(read) };
        let read = for_ocr(read, &self.gate);
        let agreement = self.gate.layer_agreement.0.filter(|(_, then)| *then == GateStep::Ocr);
        let pictures = FilePictures { reader: self, kind, bytes };
        let scanned = read_scans(read, &pictures, ocr, agreement.map(|(least, _)| least))?;
        passed(held_against(scanned, &self.gate))
    }
}

/// The pictures of a file's pages, for OCR.
struct FilePictures<'a> {
    reader: &'a DocumentReader,
    kind: FileKind,
    bytes: Arc<[u8]>,
}

impl PagePictures for FilePictures<'_> {
    fn prepared(&self, page: usize, turn: Option<Turn>) -> Result<(PictureFrame, Vec<u8>), Unread> {
        let settings = self.reader.settings.clone();
        match &self.reader.program {
            None => reader_task::scan(self.kind, self.bytes.to_vec(), page, turn, &settings),
            Some(program) => {
                let task = ReaderTask::Scan { page, turn, settings };
                reader_task::scan_of(&ask(program, &task, &self.bytes)?)
            }
        }
    }

    fn unread_letters(&self, page: usize, words: &[PageBox]) -> Result<usize, Unread> {
        let settings = self.reader.settings.clone();
        match &self.reader.program {
            None => reader_task::unread_letters(self.kind, self.bytes.to_vec(), page, words, &settings),
            Some(program) => {
                let task = ReaderTask::Ink { page, words: words.to_vec(), settings };
                reader_task::ink_of(&ask(program, &task, &self.bytes)?)
            }
        }
    }

    fn lines(&self, page: usize, sheet: SheetTask) -> Result<(LineSheet, Vec<u8>), Unread> {
        let settings = self.reader.settings.clone();
        match &self.reader.program {
            None => reader_task::lines(self.kind, self.bytes.to_vec(), page, &sheet, &settings),
            Some(program) => {
                let task = ReaderTask::Lines { page, sheet, settings };
                reader_task::lines_answered(&ask(program, &task, &self.bytes)?)
            }
        }
    }
}

/// A text, with what a gate finds about its pages.
fn held_against(text: FileText, gate: &PageGate) -> FileText {
    FileText { pages: text.pages.map(|pages| pages.held_against(gate)), ..text }
}

/// A text, with the pages that a gate wants to be read by OCR, and those whose text layer it wants to be compared with that.
fn for_ocr(mut text: FileText, gate: &PageGate) -> FileText {
    let Some(pages) = &text.pages else { return text };
    let is_beyond = |page: &DocumentPage| page.findings.iter().any(|finding| finding.then == GateStep::Ocr);
    for (number, page) in (1..).zip(pages.iter()) {
        if text.for_ocr.contains(&number) {
            continue;
        }
        if is_beyond(page) {
            text.for_ocr.push(number);
        } else if gate.layer_agreement.0.is_some() && !page.words.is_empty() {
            text.to_compare.push(number);
        }
    }
    text.for_ocr.sort_unstable();
    text
}

/// A text whose pages pass: none of them has a finding by which a document fails.
fn passed(text: FileText) -> Result<FileText, Unread> {
    match text.pages.as_ref().and_then(Pages::failures) {
        Some(why) => Err(Unread::Refused { why }),
        None => Ok(text),
    }
}

/// The document of a file with this text.
fn document_of(id: DocumentId, read: Result<FileText, Unread>) -> Document {
    let mut document = Document::from_bytes(id, Vec::new());
    match read {
        Ok(read) => {
            document.text = SourceText::from_bytes(read.text.into_bytes());
            document.pages = read.pages.map(Arc::new);
            document.structure = Arc::new(read.structure);
            document.attachments = read.attachments;
        }
        Err(why) => document.text = Err(why.into()),
    }
    document
}

/// The answer of another process to a task.
fn ask(program: &Program, task: &ReaderTask, bytes: &[u8]) -> Result<Vec<u8>, Unread> {
    let lost = |why: String| Unread::Lost { why };
    let input = task.sent_with(bytes).map_err(|error| lost(error.to_string()))?;
    program.run(input, &Cancel::new()).map_err(|failure| lost(failure.error.message))
}

/// Does the task that `input` holds, as the process that [`DocumentReader::contained`] starts, and writes its answer to
/// `output`. Its process is limited from here on.
///
/// # Errors
/// When the process can't be limited, the task can't be read, or its streams fail.
pub fn answer_contained(input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
    limit_this_process(&LIMITS)?;
    reader_task::answer(input, output)
}

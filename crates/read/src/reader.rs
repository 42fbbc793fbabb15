//! Readers of files that are not plain text, in this process or in one of their own.

use super::file_kind::FileKind;
use super::file_passwords::{FilePassword, FilePasswords};
use super::file_reader::{FileReader, MOST_ANSWER};
use super::file_text::{FileText, Unread};
use super::kept_readings::{KeptReadings, ReadingKey};
use super::names::absolute;
use super::ocr::{OcrSettings, read_scans};
use super::page_picture::{PagePicture, PictureSize};
use super::reader_task::ReadingSettings;
use super::reading_progress::{ReadingObserver, ReadingProgress};
use super::shared_readings::SharedReadings;
use super::text_encoding;
use super::{Document, DocumentPage, Encoding, Media, Pages, SourceText, Unreadable};
use loopctl_core::profile::{GateStep, Ingest, PageGate};
use loopctl_core::value::{DocumentId, digest_bytes};
use loopctl_program::Program;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The key in a PDF that has it encrypted.
const ENCRYPTED: &[u8] = b"/Encrypt";

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
    /// The passwords of single files, which the clones of a reader have in common, with whatever settings.
    passwords: Arc<FilePasswords>,
    /// Bounds on the signals of pages.
    gate: PageGate,
    /// The readings of files for their sections, which the clones of a reader have in common.
    shared: Arc<SharedReadings>,
    /// The latest readings, if they are kept; the clones of a reader have it in common, with whatever settings.
    kept: Option<Arc<KeptReadings>>,
    /// Is told how far a long file is read.
    observer: Option<ReadingObserver>,
}

impl DocumentReader {
    /// A reader in this process, for hosts that trust their documents or are themselves contained.
    #[must_use]
    pub fn in_process() -> Self {
        DocumentReader::default()
    }

    /// A reader that starts `file` with `arguments` for each file: a program that calls [`answer_contained`](crate::answer_contained).
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
        self.anew()
    }

    /// Keeps the password of one file in memory, for this reader and its clones: they try it on this file only.
    pub fn keep_password(&self, file: &Path, password: FilePassword) {
        self.passwords.keep(absolute(file), password);
    }

    /// Drops the passwords of all files in a folder.
    pub fn forget_passwords_below(&self, folder: &Path) {
        self.passwords.forget_below(&absolute(folder));
    }

    /// Returns whether the password of a file in this folder is kept.
    #[must_use]
    pub fn has_password_below(&self, folder: &Path) -> bool {
        self.passwords.has_below(&absolute(folder))
    }

    /// This reader, with the password that is kept for a file. It shares all else with this one.
    #[must_use]
    pub fn for_file(&self, file: Option<&Path>) -> Self {
        let password = file.and_then(|file| self.passwords.of(&absolute(file)));
        self.with_password(password)
    }

    fn with_password(&self, password: Option<FilePassword>) -> Self {
        let mut reader = self.clone();
        reader.settings.passwords.extend(password);
        reader
    }

    /// Returns whether these bytes of a file may need a password.
    #[must_use]
    pub fn is_encrypted(bytes: &[u8]) -> bool {
        FileKind::of(bytes) == Some(FileKind::Pdf) && contains(bytes, ENCRYPTED)
    }

    /// The reason why a file stays closed to this reader, with a password that was given for it; `None` if it does not.
    /// Whatever else is wrong with the file shows when it is read.
    #[must_use]
    pub fn lock(&self, bytes: &[u8], password: Option<&FilePassword>) -> Option<Unreadable> {
        let kind = FileKind::of(bytes)?;
        let reader = self.with_password(password.cloned());
        let counted = reader.opened(kind, Arc::new(bytes.to_vec())).and_then(|file| file.page_count());
        match counted {
            Err(why @ (Unread::Protected | Unread::WrongPassword | Unread::UnknownEncryption)) => {
                Some(why.into())
            }
            Ok(_) | Err(_) => None,
        }
    }

    /// This reader, with the reading settings of a profile.
    #[must_use]
    pub fn with_ingest(mut self, ingest: &Ingest) -> Self {
        self.gate = ingest.gate.clone();
        self.settings.ocr = ingest.ocr.settings().map(OcrSettings::from);
        self.anew()
    }

    /// This reader, which reads images, and pages that are only a picture, by OCR.
    #[must_use]
    pub fn with_ocr(mut self, settings: OcrSettings) -> Self {
        self.settings.ocr = Some(settings);
        self.anew()
    }

    /// This reader, which tells each page of a document that OCR begins. Pages are read at the same time, so that it is told
    /// on any thread.
    #[must_use]
    pub fn observed(self, tell: impl Fn(ReadingProgress) + Send + Sync + 'static) -> Self {
        DocumentReader { observer: Some(ReadingObserver::new(tell)), ..self }
    }

    /// This reader, which keeps what it reads for a while, and reads a file that is opened again from there. For hosts that run
    /// long and show what they have read.
    #[must_use]
    pub fn keeping_readings(self) -> Self {
        DocumentReader { kept: Some(Arc::default()), ..self }
    }

    /// This reader, without what it has read: it would read it otherwise.
    fn anew(self) -> Self {
        DocumentReader { shared: Arc::default(), ..self }
    }

    /// Returns whether this reader reads every file as another one does.
    #[must_use]
    pub fn reads_like(&self, other: &Self) -> bool {
        self.settings == other.settings && self.gate == other.gate
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
                let read = self.read(kind, Arc::new(bytes));
                Document { digest, ..document_of(id, read) }
            }
        }
    }

    /// The document of a file whose pages can be drawn.
    fn drawn_document(&self, id: DocumentId, kind: FileKind, bytes: Vec<u8>) -> Document {
        let file = Arc::new(bytes);
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
    fn page_count(&self, bytes: &Arc<Vec<u8>>) -> Result<usize, Unread> {
        let kind = FileKind::of(bytes).ok_or(Unread::NoPages)?;
        self.opened(kind, Arc::clone(bytes))?.page_count()
    }

    /// Keeps the document of a file for its sections, which are then read from it.
    pub fn keep_for_sections(&self, document: Document) {
        self.shared.keep(document);
    }

    /// The document of a file with this digest and these bytes, for the section with this number of so many.
    pub(super) fn shared_document(
        &self,
        id: &DocumentId,
        (digest, bytes): (&str, Vec<u8>),
        section: (usize, usize),
    ) -> Arc<Document> {
        self.shared.take(digest, section, || self.document(id.clone(), bytes))
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
                let read = self.read(kind, Arc::new(source.as_str().as_bytes().to_vec()));
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
        let kind = FileKind::of(bytes).ok_or(Unread::NoPage { page })?;
        Ok(self.opened(kind, Arc::new(bytes.to_vec()))?.picture(page, PictureSize::Scale(scale))?)
    }

    /// The pages of a file, opened once for all pictures of them.
    ///
    /// # Errors
    /// When the file has no pages, or can't be opened.
    pub fn open_pages(&self, bytes: Arc<Vec<u8>>) -> Result<OpenPages, Unreadable> {
        let kind = FileKind::of(&bytes).ok_or(Unread::NoPages)?;
        Ok(OpenPages(self.opened(kind, bytes)?))
    }

    /// The reader of one file.
    fn opened(&self, kind: FileKind, bytes: Arc<Vec<u8>>) -> Result<FileReader, Unread> {
        match &self.program {
            None => FileReader::in_process(kind, bytes, self.settings.clone()),
            Some(program) => FileReader::contained(Arc::clone(program), bytes, &self.settings),
        }
        .map(|file| file.observed(self.observer.clone()))
    }

    /// Reads the text of a file.
    fn read(&self, kind: FileKind, bytes: Arc<Vec<u8>>) -> Result<FileText, Unread> {
        let Some(kept) = &self.kept else { return self.read_anew(kind, bytes) };
        let (settings, gate) = (self.settings.clone(), self.gate.clone());
        let key = ReadingKey { digest: digest_bytes(&bytes), settings, gate };
        if let Some(text) = kept.find(&key) {
            return Ok(text);
        }
        let text = self.read_anew(kind, bytes)?;
        kept.keep(key, &text);
        Ok(text)
    }

    fn read_anew(&self, kind: FileKind, bytes: Arc<Vec<u8>>) -> Result<FileText, Unread> {
        let file = self.opened(kind, bytes)?;
        let read = held_against(file.text()?, &self.gate);
        let Some(ocr) = &self.settings.ocr else { return passed(read) };
        let read = for_ocr(read, &self.gate);
        let agreement = self.gate.layer_agreement.0.filter(|(_, then)| *then == GateStep::Ocr);
        let scanned = read_scans(read, &file, ocr, agreement.map(|(least, _)| least))?;
        passed(held_against(scanned, &self.gate))
    }
}

/// The pages of a file that is open.
pub struct OpenPages(FileReader);

impl OpenPages {
    /// A picture of a page whose longest side has so many pixels. An image with fewer is not enlarged.
    ///
    /// # Errors
    /// When there is no such page, or it can't be drawn.
    pub fn picture_within(&self, page: usize, pixels: u64) -> Result<PagePicture, Unreadable> {
        Ok(self.0.picture(page, PictureSize::LongestSide(pixels))?)
    }
}

/// Returns whether bytes hold these.
fn contains(bytes: &[u8], sought: &[u8]) -> bool {
    bytes.windows(sought.len()).any(|window| window == sought)
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
            // It was decoded: a first word that looks like a kind of file, or an invisible one, is a word.
            document.text = SourceText::from_decoded(&read.text, Encoding::Utf8);
            document.pages = read.pages.map(Arc::new);
            document.structure = Arc::new(read.structure);
            document.attachments = read.attachments;
        }
        Err(why) => document.text = Err(why.into()),
    }
    document
}

//! Pages of a document that are read by OCR, beside each other, and put in their place in its text.

use super::engine::{Engines, OcrEngine};
use super::engine_slots::{engine_slot, processors};
use super::layer::{LayerWord, agreement, completed, is_unknown, layer_words, to_page};
use super::placement::placed;
use super::proofreading::{SecondLook, second_looks, sheet_task, stretches};
use super::tesseract_table::OcrWord;
use super::word_ink::parted;
use super::{LineSheet, OcrSettings, PictureFrame, SheetTask, Turn};
use crate::file_text::{FileText, Unread};
use crate::page_layout::{LaidWord, PlacedText, page_box};
use loopctl_core::document::{
    DocumentPage, OtherReading, PageBox, PageOcr, PageOrigin, PageSignals, PageWord, Pages,
};
use loopctl_program::Deadline;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The mean confidence from which a reading is not tried in other directions, and the characters that it has at least.
const UPRIGHT_CONFIDENCE: u8 = 75;
const UPRIGHT_CHARACTERS: usize = 12;
/// A word that was surely read: its confidence, and the letters and digits that it has, at least.
const LEGIBLE_CONFIDENCE: u8 = 70;
const LEGIBLE_CHARACTERS: usize = 3;
/// The sizes at which an engine reads lines again that it read before, in parts of the first picture's.
const AGAIN: [f64; 2] = [0.67, 1.2];

/// The pictures of a document's pages.
pub(in super::super) trait PagePictures: Sync {
    /// The picture of a page for OCR, as a PNG file: turned as told, or as its lines run.
    fn prepared(&self, page: usize, turn: Option<Turn>) -> Result<(PictureFrame, Vec<u8>), Unread>;

    /// A page is begun, so many of all that are read by OCR.
    fn begun(&self, _page: usize, _pages: usize) {}

    /// The number of marks of a page that look like letters and lie outside of these words.
    fn unread_letters(&self, page: usize, words: &[PageBox]) -> Result<usize, Unread>;

    /// Lines of that picture, one below the other, as a PNG file.
    fn lines(&self, page: usize, task: SheetTask) -> Result<(LineSheet, Vec<u8>), Unread>;
}

/// Reads the pages of a file that its reader leaves to OCR, and puts their words into its text.
///
/// # Errors
/// When an engine is missing or fails on a page, or when there are too many pages.
pub(in super::super) fn read_scans(
    read: FileText,
    pictures: &dyn PagePictures,
    settings: &OcrSettings,
    least_agreement: Option<f64>,
) -> Result<FileText, Unread> {
    if read.for_ocr.is_empty() && read.to_compare.is_empty() {
        return Ok(read);
    }
    match Engines::of(settings) {
        Ok(engines) => scanned(read, pictures, &engines, settings, least_agreement),
        // The pages that it would have read stay pictures, which a person is told.
        Err(_) if read.to_compare.is_empty() && !read.text.trim().is_empty() => Ok(read),
        Err(why) => Err(Unread::NoEngine { why }),
    }
}

/// Reads those pages by these engines.
pub(super) fn scanned(
    read: FileText,
    pictures: &dyn PagePictures,
    engines: &Engines,
    settings: &OcrSettings,
    least_agreement: Option<f64>,
) -> Result<FileText, Unread> {
    let wanted = read.for_ocr.len() + read.to_compare.len();
    if wanted > settings.most_pages {
        return Err(Unread::TooManyScans { pages: wanted, most: settings.most_pages });
    }
    let scans = all_scans(&read, pictures, engines, settings, least_agreement)?;
    let pages = read.pages.as_ref().map_or(0, Pages::len);
    let read = with_scans(read, scans)?;
    if read.text.trim().is_empty() {
        return Err(Unread::NoText { pages, engine: Some(engines.first.name().to_owned()) });
    }
    Ok(read)
}

/// A page that was read by OCR.
struct ScannedPage {
    page: usize,
    text: String,
    words: Vec<LaidWord>,
    frame: PictureFrame,
    ocr: PageOcr,
    /// The agreement of the text layer with it.
    agreement: Option<f32>,
    /// `true` if that layer can't be trusted.
    is_replaced: bool,
    /// The marks that look like letters and lie outside of the words.
    unread: usize,
}

/// Reads pages, as many at once as there are processors.
fn all_scans(
    read: &FileText,
    pictures: &dyn PagePictures,
    engines: &Engines,
    settings: &OcrSettings,
    least_agreement: Option<f64>,
) -> Result<Vec<ScannedPage>, Unread> {
    let pages: Vec<usize> = read.for_ocr.iter().chain(&read.to_compare).copied().collect();
    let deadline = Deadline::after(settings.document_time);
    let next = AtomicUsize::new(0);
    let scans = Mutex::new(Ok(Vec::with_capacity(pages.len())));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(page) = pages.get(at) else { return };
            pictures.begun(at + 1, pages.len());
            let scan = if deadline.is_over() {
                Err(Unread::ScansTooSlow { page: *page })
            } else {
                let shown = read.pages.as_ref().and_then(|pages| pages.iter().nth(page.saturating_sub(1)));
                let layer = shown.map_or_else(Vec::new, |shown| layer_words(read, shown));
                let is_unknown = shown.is_some_and(is_unknown);
                let left = Cell::new(settings.page_time);
                PageScan {
                    page: *page,
                    pictures,
                    engines,
                    settings,
                    layer,
                    is_unknown,
                    least_agreement,
                    left,
                }
                .read()
            };
            let mut scans = scans.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match (&mut *scans, scan) {
                (Ok(read), Ok(scan)) => read.push(scan),
                (Ok(_), Err(why)) => *scans = Err(why),
                (Err(_), _) => return,
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..processors().min(pages.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut scans = scans.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)?;
    scans.sort_by_key(|scan| scan.page);
    Ok(scans)
}

/// A page to be read by OCR.
struct PageScan<'a> {
    page: usize,
    pictures: &'a dyn PagePictures,
    engines: &'a Engines,
    settings: &'a OcrSettings,
    /// The words of its text layer.
    layer: Vec<LayerWord>,
    /// `true` if that layer can't be trusted.
    is_unknown: bool,
    /// The agreement below which it can't, either.
    least_agreement: Option<f64>,
    /// The time that is left to engines for it; while they wait for each other, it is not spent.
    left: Cell<Duration>,
}

/// The words of a page's picture, and how sure they are.
struct PageReading {
    frame: PictureFrame,
    words: Vec<OcrWord>,
    confidence: u8,
}

impl PageScan<'_> {
    fn read(&self) -> Result<ScannedPage, Unread> {
        let mut reading = self.first_reading()?;
        let looks = self.proofread(&mut reading)?;
        let PageReading { frame, words, confidence } = reading;
        let to_page = to_page(&frame);
        let scanned = placed(&words, &looks, &frame);
        let seen = scanned.iter().map(|word| LayerWord {
            text: word.text.clone(),
            bounds: to_page.transform_rect_bbox(word.bounds),
        });
        let agreement = agreement(&self.layer, &seen.collect::<Vec<_>>());
        let lies = |agreement: f32| self.least_agreement.is_some_and(|least| f64::from(agreement) < least);
        let is_replaced = self.is_unknown || agreement.is_some_and(lies);
        let mut laid = PlacedText::default();
        laid.write(if is_replaced {
            scanned
        } else {
            completed(scanned, &self.layer, &frame, self.settings.least_confidence)
        });
        let boxes: Vec<PageBox> =
            laid.words.iter().map(|word| page_box(to_page.transform_rect_bbox(word.bounds))).collect();
        let unread = self.pictures.unread_letters(self.page, &boxes)?;
        let ocr = PageOcr {
            engine: self.engines.first.name().to_owned(),
            confidence,
            least_confidence: self.least_confidence(),
            turned: frame.turn.degrees(),
            skew: skew(&frame),
            proofread_by: self.second_name(),
            differing: Vec::new(),
            unread_ink: Vec::new(),
        };
        let (page, text, words) = (self.page, laid.text, laid.words);
        Ok(ScannedPage { page, text, words, frame, ocr, agreement, is_replaced, unread })
    }

    /// The reading in the direction that its lines seem to have; in the one in which most is read if that is little.
    fn first_reading(&self) -> Result<PageReading, Unread> {
        let mut best = self.reading(None)?;
        let Some(turns) = best.frame.has_ink.then(|| best.frame.turn.and_others()) else { return Ok(best) };
        for turn in turns.into_iter().skip(1) {
            if best.confidence >= UPRIGHT_CONFIDENCE && characters(&best.words) >= UPRIGHT_CHARACTERS {
                break;
            }
            let turned = self.reading(Some(turn))?;
            if legible(&turned.words) > legible(&best.words) {
                best = turned;
            }
        }
        Ok(best)
    }

    fn reading(&self, turn: Option<Turn>) -> Result<PageReading, Unread> {
        let (frame, png) = self.pictures.prepared(self.page, turn)?;
        let words = if frame.has_ink { self.ask(&*self.engines.first, png)? } else { Vec::new() };
        let sureness: usize =
            words.iter().map(|word| word.text.chars().count() * usize::from(word.confidence)).sum();
        let confidence = u8::try_from(sureness / characters(&words).max(1)).unwrap_or(100);
        Ok(PageReading { frame, words, confidence })
    }

    /// For each word what a second look at it found, after words with digits were parted where their ink has a blank.
    fn proofread(&self, reading: &mut PageReading) -> Result<Vec<SecondLook>, Unread> {
        let stretches = stretches(&reading.words);
        if stretches.is_empty() {
            return Ok(Vec::new());
        }
        let scales = if self.engines.second_is_first() { AGAIN.to_vec() } else { vec![1.0] };
        let task = sheet_task(&reading.words, &stretches, reading.frame.turn, scales);
        let (sheet, png) = self.pictures.lines(self.page, task)?;
        let (words, stretches) = parted(std::mem::take(&mut reading.words), &stretches, &sheet.ink);
        reading.words = words;
        let Some(second) = &self.engines.second else { return Ok(Vec::new()) };
        let again = self.ask(&**second, png)?;
        Ok(second_looks(&mut reading.words, &stretches, &sheet, &again))
    }

    fn ask(&self, engine: &dyn OcrEngine, png: Vec<u8>) -> Result<Vec<OcrWord>, Unread> {
        let _slot = engine_slot();
        let page_time = self.left.get();
        let deadline = Deadline::after(page_time);
        let words = engine.read(png, &OcrSettings { page_time, ..self.settings.clone() });
        self.left.set(deadline.left().unwrap_or(page_time));
        words.map_err(|why| Unread::OcrFailed {
            page: self.page,
            why: if self.left.get().is_zero() {
                format!("its readings took more than {} seconds in all", self.settings.page_time.as_secs())
            } else {
                why
            },
        })
    }

    /// Two engines that agree are surer than the confidence of one; an engine that agrees with itself is not.
    fn least_confidence(&self) -> u8 {
        match &self.engines.second {
            Some(_) if !self.engines.second_is_first() => 0,
            Some(_) | None => self.settings.least_confidence,
        }
    }

    fn second_name(&self) -> Option<String> {
        let second = self.engines.second.as_ref()?;
        let again = if self.engines.second_is_first() { " at another size" } else { "" };
        Some(format!("{}{again}", second.name()))
    }
}

/// Degrees by which the lines of a page rise to the right.
#[expect(clippy::cast_possible_truncation, reason = "a few degrees")]
fn skew(frame: &PictureFrame) -> f32 {
    (-frame.skew * 100.0).round() as f32 / 100.0
}

fn characters(words: &[OcrWord]) -> usize {
    words.iter().map(|word| word.text.chars().count()).sum()
}

/// The characters of words that were surely read; rules of tables and noise make short or doubtful ones.
fn legible(words: &[OcrWord]) -> usize {
    let length = |word: &OcrWord| word.text.chars().filter(|c| c.is_alphanumeric()).count();
    let sure = words.iter().filter(|word| word.confidence >= LEGIBLE_CONFIDENCE);
    sure.map(length).filter(|length| *length >= LEGIBLE_CHARACTERS).sum()
}

/// A file's text with the pages that were read by OCR in their place. Parts that the file marks move with their pages.
fn with_scans(read: FileText, scans: Vec<ScannedPage>) -> Result<FileText, Unread> {
    let Some(pages) = read.pages else { return Err(Unread::Damaged) };
    let mut scans = scans.into_iter().peekable();
    let mut text = String::with_capacity(read.text.len());
    let mut placed = Vec::with_capacity(pages.len());
    let mut moves: Vec<PageMove> = Vec::new();
    for (number, page) in (1..).zip(pages.iter()) {
        if number > 1 {
            text.push('\u{c}');
        }
        let start = text.len();
        let scan = scans.next_if(|scan| scan.page == number);
        placed.push(match scan {
            Some(scan) if scan.is_replaced || !read.to_compare.contains(&number) => {
                text.push_str(&scan.text);
                scanned_page(page, scan, start, text.len())?
            }
            compared => {
                text.push_str(read.text.get(page.text.clone()).unwrap_or_default());
                moves.push(PageMove { from: page.text.clone(), to: start });
                let moved = moved_page(page, start)?;
                let layer_agreement = compared.and_then(|scan| scan.agreement);
                DocumentPage { signals: PageSignals { layer_agreement, ..moved.signals }, ..moved }
            }
        });
    }
    let structure = read.structure.moved(|part| moves.iter().find_map(|moved| moved.of(part)));
    Ok(FileText { text, pages: Some(Pages::new(placed)), structure, ..FileText::default() })
}

/// A page whose text now begins elsewhere.
struct PageMove {
    from: std::ops::Range<usize>,
    to: usize,
}

impl PageMove {
    /// The new place of a part of the page.
    fn of(&self, part: &std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
        let is_within = self.from.start <= part.start && part.end <= self.from.end;
        is_within.then(|| part.start - self.from.start + self.to..part.end - self.from.start + self.to)
    }
}

fn moved_page(page: &DocumentPage, start: usize) -> Result<DocumentPage, Unread> {
    let moved = PageMove { from: page.text.clone(), to: start };
    let words = page.words.iter().map(|word| {
        let text = moved.of(&word.text())?;
        let placed = PageWord::new(text, word.bounds())?;
        Some(word.confidence().map_or(placed, |percent| placed.with_confidence(percent)))
    });
    let words = words.collect::<Option<Vec<PageWord>>>().ok_or(Unread::TooLong)?;
    Ok(DocumentPage { text: start..start + page.text.len(), words, ..page.clone() })
}

fn scanned_page(
    page: &DocumentPage,
    scan: ScannedPage,
    start: usize,
    end: usize,
) -> Result<DocumentPage, Unread> {
    let ScannedPage { text: read, words: laid, frame, mut ocr, agreement, unread, .. } = scan;
    let to_page = to_page(&frame);
    let letters = read.chars().filter(|c| c.is_alphanumeric()).count();
    let signals = PageSignals {
        unread_ink: (unread + letters > 0).then(|| share(unread, unread + letters)),
        skew: Some(ocr.skew.abs()),
        ocr_confidence: (letters > 0).then(|| f32::from(ocr.confidence) / 100.0),
        layer_agreement: agreement,
        ..page.signals
    };
    let mut words = Vec::with_capacity(laid.len());
    for word in laid {
        let text = start + word.text.start..start + word.text.end;
        let bounds = page_box(to_page.transform_rect_bbox(word.bounds));
        let placed = PageWord::new(text.clone(), bounds).ok_or(Unread::TooLong)?;
        words.push(match &word.ocr {
            Some(mark) => placed.with_confidence(mark.confidence),
            None => placed,
        });
        let Some(mark) = word.ocr else { continue };
        if mark.has_unread_ink {
            ocr.unread_ink.push(text.clone());
        }
        if let Some(reads) = mark.other {
            ocr.differing.push(OtherReading { text, reads });
        }
    }
    // A picture of which nothing was read is still one; so are words that neither fonts nor OCR tell.
    let is_picture = words.is_empty() && (page.is_picture || !page.words.is_empty());
    let origin = PageOrigin::Ocr(ocr);
    Ok(DocumentPage { text: start..end, words, is_picture, signals, origin, ..page.clone() })
}

#[expect(clippy::cast_precision_loss, reason = "letters of a page")]
fn share(part: usize, whole: usize) -> f32 {
    part as f32 / whole as f32
}

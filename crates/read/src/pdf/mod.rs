//! PDF files: the text that their pages show, and where.
//!
//! [`glyphs`] collects what a page draws; [`words`] are glyphs that touch; `page_layout` writes them as text.

mod glyphs;
mod picture;
#[cfg(test)]
pub(super) mod tests;
mod words;

use self::glyphs::{Glyph, GlyphCollector};
pub(super) use self::picture::{grey, picture};

use self::words::words_by_direction;
use super::file_text::{FileText, Unread};
use super::page_layout::{PlacedText, page_box};
use super::reader_task::ReadingSettings;
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf, PdfData};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use loopctl_core::document::{DocumentPage, PageOrigin, PageWord, Pages};

/// The most pages of a document.
const MOST_PAGES: usize = 5_000;
/// The most glyphs of a document: a thousand full pages have some four million.
const MOST_GLYPHS: usize = 5_000_000;
/// The share of glyphs without a known character from which a document counts as unreadable, in percent.
const MOST_UNKNOWN_PERCENT: usize = 10;
/// The part of a page without text that a picture covers if it may be the scan of a text, in percent.
const PICTURE_PERCENT: f64 = 20.0;
/// A page whose visible glyphs are fewer than this part of its invisible ones is a scan with a layer of text, in percent.
const LAYER_PERCENT: usize = 10;

/// Reads the text of a PDF file.
///
/// # Errors
/// When it needs a password, is damaged, is too long, or shows no text.
pub(super) fn read(bytes: Vec<u8>, settings: &ReadingSettings) -> Result<FileText, Unread> {
    let pdf = open(bytes, settings)?;
    let pages = pdf.pages();
    if pages.is_empty() {
        return Err(Unread::Damaged);
    }
    if pages.len() > MOST_PAGES {
        return Err(Unread::TooLong);
    }
    let cache = InterpreterCache::new();
    let mut seen = GlyphCounts::default();
    let mut text = PlacedText::default();
    let mut placed = Vec::with_capacity(pages.len());
    let mut for_ocr = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        if at > 0 {
            text.text.push('\u{c}');
        }
        let before = seen;
        let page = read_page(page, &cache, &pdf, &mut seen, &mut text)?;
        if page.words.is_empty() || seen.since(before).are_unknown() {
            for_ocr.push(at + 1);
        }
        placed.push(page);
    }
    if text.words.is_empty() && settings.ocr.is_none() {
        return Err(Unread::NoText { pages: placed.len(), engine: None });
    }
    if seen.are_unknown() && settings.ocr.is_none() {
        return Err(Unread::UnknownCharacters { percent: seen.unknown.saturating_mul(100) / seen.glyphs });
    }
    Ok(FileText { text: text.text, pages: Some(Pages::new(placed)), for_ocr, ..FileText::default() })
}

/// Opens a file, with the first of the passwords that opens it if it needs one.
fn open(bytes: Vec<u8>, settings: &ReadingSettings) -> Result<Pdf, Unread> {
    let bytes: PdfData = bytes.into();
    let unread = |error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Unread::Protected,
        LoadPdfError::Decryption(_) => Unread::UnknownEncryption,
        LoadPdfError::Invalid => Unread::Damaged,
    };
    let mut opened = Pdf::new(bytes.clone()).map_err(unread);
    for password in &settings.passwords {
        if opened.as_ref().err() != Some(&Unread::Protected) {
            break;
        }
        opened = Pdf::new_with_password(bytes.clone(), password).map_err(unread);
    }
    opened
}

/// Counts of what the pages so far show.
#[derive(Clone, Copy, Default)]
struct GlyphCounts {
    glyphs: usize,
    /// Glyphs of which no character is known.
    unknown: usize,
}

impl GlyphCounts {
    /// The counts since earlier ones.
    fn since(self, earlier: Self) -> Self {
        GlyphCounts { glyphs: self.glyphs - earlier.glyphs, unknown: self.unknown - earlier.unknown }
    }

    /// Returns whether so many characters are not known that the text can't be read.
    fn are_unknown(self) -> bool {
        self.unknown.saturating_mul(100) > self.glyphs.saturating_mul(MOST_UNKNOWN_PERCENT)
    }
}

fn read_page<'a>(
    page: &PdfPage<'a>,
    cache: &InterpreterCache<'a>,
    pdf: &'a Pdf,
    seen: &mut GlyphCounts,
    text: &mut PlacedText,
) -> Result<DocumentPage, Unread> {
    let (width, height) = page.render_dimensions();
    let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let to_page = Affine::new(page.initial_transform(true).as_coeffs().map(f64::from));
    let mut context = Context::new(to_page, bounds, cache, pdf.xref(), InterpreterSettings::default());
    let mut collector = GlyphCollector::with_room_for(MOST_GLYPHS.saturating_sub(seen.glyphs));
    interpret_page(page, &mut context, &mut collector);
    if collector.is_full() {
        return Err(Unread::TooLong);
    }
    let picture = collector.picture();
    let glyphs = readable(collector.into_glyphs(), bounds);
    seen.glyphs += glyphs.len();
    seen.unknown += glyphs.iter().filter(|glyph| glyph.text.is_none()).count();
    let (start, mut words) = (text.text.len(), Vec::new());
    for directed in words_by_direction(&glyphs) {
        let first = text.words.len();
        text.write(directed.words);
        for word in text.words.iter().skip(first) {
            let bounds = page_box(directed.to_page.transform_rect_bbox(word.bounds));
            words.push(PageWord::new(word.text.clone(), bounds).ok_or(Unread::TooLong)?);
        }
    }
    let is_picture = words.is_empty() && picture * 100.0 > bounds.area() * PICTURE_PERCENT;
    Ok(DocumentPage {
        width,
        height,
        text: start..text.text.len(),
        words,
        is_picture,
        origin: PageOrigin::TextLayer,
    })
}

/// The glyphs that a reader of the page sees; of a scan, those of the layer of text that lies over it.
fn readable(glyphs: Vec<Glyph>, page: Rect) -> Vec<Glyph> {
    let on_page: Vec<Glyph> = glyphs.into_iter().filter(|glyph| page.contains(glyph.origin)).collect();
    let visible = on_page.iter().filter(|glyph| glyph.is_visible).count();
    let invisible = on_page.len() - visible;
    let is_scan = visible.saturating_mul(100) < invisible.saturating_mul(LAYER_PERCENT);
    on_page.into_iter().filter(|glyph| is_scan || glyph.is_visible).collect()
}

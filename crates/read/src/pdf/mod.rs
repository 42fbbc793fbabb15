//! PDF files: the text that their pages show, and where.
//!
//! [`glyphs`] collects what a page draws; [`words`] are glyphs that touch; `page_layout` writes them as text.

mod glyphs;
#[cfg(test)]
mod hidden_tests;
mod picture;
mod sight;
#[cfg(test)]
pub(super) mod tests;
mod visibility;
mod words;

use self::glyphs::GlyphCollector;
use self::picture::draw_grey;
pub(super) use self::picture::{grey, picture};
use self::sight::Sighted;

use self::words::words_by_direction;
use super::file_text::{FileText, Unread};
use super::page_ink::{INK_DPI, PageInk};
use super::page_layout::{PlacedText, page_box};
use super::reader_task::ReadingSettings;
use hayro::RenderCache;
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf, PdfData};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use loopctl_core::document::{DocumentPage, PageBox, PageSignals, PageWord, Pages};

/// The most pages of a document.
const MOST_PAGES: usize = 5_000;
/// The most glyphs of a document: a thousand full pages have some four million.
const MOST_GLYPHS: usize = 5_000_000;
/// The share of glyphs without a known character from which a document counts as unreadable, in percent.
const MOST_UNKNOWN_PERCENT: usize = 10;
/// The part of a page without text that a picture covers if it may be the scan of a text, in percent.
const PICTURE_PERCENT: f64 = 20.0;

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
    let (cache, drawn) = (InterpreterCache::new(), RenderCache::new());
    let mut seen = GlyphCounts::default();
    let mut text = PlacedText::default();
    let mut placed = Vec::with_capacity(pages.len());
    let mut for_ocr = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        if at > 0 {
            text.text.push('\u{c}');
        }
        let before = seen;
        let page = read_page(page, &cache, &drawn, &pdf, &mut seen, &mut text)?;
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
    page: &'a PdfPage<'a>,
    cache: &InterpreterCache<'a>,
    drawn: &RenderCache<'a>,
    pdf: &'a Pdf,
    counts: &mut GlyphCounts,
    text: &mut PlacedText,
) -> Result<DocumentPage, Unread> {
    let (width, height) = page.render_dimensions();
    let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let to_page = Affine::new(page.initial_transform(true).as_coeffs().map(f64::from));
    let mut context = Context::new(to_page, bounds, cache, pdf.xref(), InterpreterSettings::default());
    let mut collector = GlyphCollector::with_room_for(MOST_GLYPHS.saturating_sub(counts.glyphs));
    interpret_page(page, &mut context, &mut collector);
    if collector.is_full() {
        return Err(Unread::TooLong);
    }
    let picture = collector.picture();
    let ink = draw_grey(page, drawn, INK_DPI).map(|(picture, points)| PageInk::new(picture, points));
    let ink = ink.ok_or(Unread::Damaged)?;
    let Sighted { seen: glyphs, hidden_words } = Sighted::of(collector.into_glyphs(), bounds, &ink);
    let unknown = glyphs.iter().filter(|glyph| glyph.text.is_none()).count();
    counts.glyphs += glyphs.len();
    counts.unknown += unknown;
    let (start, mut words) = (text.text.len(), Vec::new());
    for directed in words_by_direction(&glyphs) {
        let first = text.words.len();
        text.write(directed.words);
        for word in text.words.iter().skip(first) {
            let bounds = page_box(directed.to_page.transform_rect_bbox(word.bounds));
            words.push(PageWord::new(word.text.clone(), bounds).ok_or(Unread::TooLong)?);
        }
    }
    let unread = ink.letters_outside(words.iter().map(|word| rectangle(word.bounds())));
    let signals = PageSignals {
        unknown_characters: share(unknown, glyphs.len()),
        hidden_words: Some(number(hidden_words)),
        unread_ink: share(unread, unread + glyphs.len()),
        picture_area: Some(fraction(picture / bounds.area())),
        ..PageSignals::default()
    };
    let is_picture = words.is_empty() && picture * 100.0 > bounds.area() * PICTURE_PERCENT;
    Ok(DocumentPage {
        width,
        height,
        text: start..text.text.len(),
        words,
        is_picture,
        signals,
        ..DocumentPage::default()
    })
}

/// A part of a whole; `None` of nothing.
fn share(part: usize, whole: usize) -> Option<f32> {
    (whole > 0).then(|| number(part) / number(whole))
}

#[expect(clippy::cast_precision_loss, reason = "glyphs of a page")]
fn number(count: usize) -> f32 {
    count as f32
}

#[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
fn fraction(value: f64) -> f32 {
    value.clamp(0.0, 1.0) as f32
}

fn rectangle(bounds: PageBox) -> Rect {
    let (left, top) = (f64::from(bounds.left), f64::from(bounds.top));
    Rect::new(left, top, left + f64::from(bounds.width), top + f64::from(bounds.height))
}

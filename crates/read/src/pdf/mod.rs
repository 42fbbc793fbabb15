//! PDF files: the text that their pages show, and where.
//!
//! [`glyphs`] collects what a page draws; [`words`] are glyphs that touch; `page_layout` writes them as text.
//! [`annotations`] and [`form_fields`] add what is seen and not part of the page's drawing; [`visibility`] and [`sight`]
//! tell what is seen; [`drawing_work`], with what it looks into before ([`content_sizes`], [`inflation`], [`image_size`],
//! [`object_chains`]), counts what would be drawn, and [`bounded`] ends what is too much.

mod annotations;
mod attachments;
mod bounded;
mod content_sizes;
mod drawing_work;
mod form_fields;
mod glyph_shape;
mod glyphs;
#[cfg(test)]
mod hidden_tests;
mod image_size;
mod missing_parts;
mod inflation;
mod object_chains;
mod open;
mod owner_password;
mod picture;
mod placed_value;
mod plain_page;
mod sight;
#[cfg(test)]
pub(super) mod tests;
mod text_string;
mod visibility;
mod words;

use self::annotations::AnnotatedPage;
use self::attachments::Attachments;
use self::bounded::bounded;
use self::drawing_work::DrawingWork;
use self::form_fields::FormFields;
use self::glyphs::GlyphCollector;
use self::missing_parts::{BrokenPictures, missing_parts};
pub(super) use self::open::is_pdf;
use self::open::{open, reopen};
use self::picture::{POINTS_PER_INCH, draw_grey};
pub(super) use self::picture::{grey, page_count, picture};
use self::sight::Sighted;

use self::words::words_by_direction;
use super::file_text::{FileText, Unread};
use super::page_ink::{INK_DPI, PageInk};
use super::page_layout::{PlacedText, page_box, rectangle};
use super::reader_task::ReadingSettings;
use hayro::RenderCache;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Dict;
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, RenderContent, interpret_page};
use loopctl_core::document::{DocumentPage, PageSignals, PageWord, Pages};
use std::ops::Range;
use std::sync::Arc;

/// The most pages of a document.
const MOST_PAGES: usize = 5_000;
/// The pages that are read before the file is opened anew, which frees what was kept for them; and how often it is at most.
const PAGES_AT_ONCE: usize = 50;
const MOST_OPENED: usize = 20;
/// The most glyphs of a document: a thousand full pages have some four million.
const MOST_GLYPHS: usize = 5_000_000;
/// The longest text, in bytes: more can't be part of a request.
const MOST_TEXT: usize = 15 << 20;
/// The most pixels that are looked at for ink: eight pages of paper. Larger pages are drawn smaller.
const MOST_INK_PIXELS: f64 = 9_000_000.0;
/// The share of glyphs without a known character from which a document counts as unreadable, in percent.
const MOST_UNKNOWN_PERCENT: usize = 10;
/// The part of a page without text that a picture covers if it may be the scan of a text, in percent.
const PICTURE_PERCENT: f64 = 20.0;

/// Opens a PDF file.
///
/// # Errors
/// When it needs a password, or is damaged.
pub(super) fn opened(bytes: Arc<Vec<u8>>, settings: &ReadingSettings) -> Result<Pdf, Unread> {
    bounded(|| open(bytes, settings))?
}

/// Reads the text of a PDF file.
///
/// # Errors
/// When it is too long, shows no text, or shows a text in place of what it is about.
pub(super) fn read(pdf: &Pdf, settings: &ReadingSettings) -> Result<FileText, Unread> {
    bounded(|| read_opened(pdf, settings))?
}

fn read_opened(pdf: &Pdf, settings: &ReadingSettings) -> Result<FileText, Unread> {
    let pages = pdf.pages();
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()).unwrap_or_default();
    let mut attachments = Attachments::of(&catalog);
    if catalog.contains_key(b"Collection") {
        return Err(Unread::Portfolio { files: attachments.into_names() });
    }
    let fields = FormFields::of(&catalog);
    if fields.is_dynamic {
        return Err(Unread::DynamicForm);
    }
    if pages.is_empty() {
        let count = catalog.get::<Dict<'_>>(b"Pages").and_then(|pages| pages.get::<i32>(b"Count"));
        return Err(if count == Some(0) { Unread::NoPages } else { Unread::Damaged });
    }
    if pages.len() > MOST_PAGES {
        return Err(Unread::TooLong);
    }
    let mut read = ReadPages {
        counts: GlyphCounts { glyphs: 0, unknown: 0, work: DrawingWork::of_pages(pages.len()) },
        text: PlacedText::default(),
        placed: Vec::with_capacity(pages.len()),
        for_ocr: Vec::new(),
    };
    let at_once = PAGES_AT_ONCE.max(pages.len().div_ceil(MOST_OPENED));
    for first in (0..pages.len()).step_by(at_once) {
        let own = first..first.saturating_add(at_once);
        if first == 0 {
            read.add(pdf, own, &fields, &mut attachments)?;
        } else {
            read.add(&reopen(pdf, settings)?, own, &fields, &mut attachments)?;
        }
    }
    let ReadPages { counts: seen, text, placed, for_ocr } = read;
    let is_whole = |page: &DocumentPage| page.signals.missing_parts == Some(0.0);
    if text.words.is_empty() && for_ocr.is_empty() && placed.iter().all(is_whole) {
        return Err(Unread::Blank { pages: placed.len() });
    }
    if text.words.is_empty() && (settings.ocr.is_none() || for_ocr.is_empty()) {
        return Err(Unread::NoText { pages: placed.len(), engine: None });
    }
    if are_unknown(seen.unknown, seen.glyphs) && settings.ocr.is_none() {
        return Err(Unread::UnknownCharacters { percent: seen.unknown.saturating_mul(100) / seen.glyphs });
    }
    let (pages, attachments) = (Some(Pages::new(placed)), attachments.into_names());
    Ok(FileText { text: text.text, pages, attachments, for_ocr, ..FileText::default() })
}

/// The pages that were read so far.
struct ReadPages {
    counts: GlyphCounts,
    text: PlacedText,
    placed: Vec<DocumentPage>,
    /// The numbers of those that OCR may read.
    for_ocr: Vec<usize>,
}

impl ReadPages {
    /// Reads some pages of a file.
    fn add(
        &mut self,
        pdf: &Pdf,
        pages: Range<usize>,
        fields: &FormFields,
        attachments: &mut Attachments,
    ) -> Result<(), Unread> {
        let (cache, drawn) = (InterpreterCache::new(), RenderCache::new());
        for (at, page) in pdf.pages().iter().enumerate().take(pages.end).skip(pages.start) {
            if at > 0 {
                self.text.text.push('\u{c}');
            }
            let reader = OpenedPage { page, pdf, fields, cache: &cache, drawn: &drawn };
            let before = (self.counts.glyphs, self.counts.unknown);
            let (page, has_ink) = reader.read(&mut self.counts, attachments, &mut self.text)?;
            let (glyphs, unknown) = (self.counts.glyphs - before.0, self.counts.unknown - before.1);
            if (page.words.is_empty() && has_ink) || are_unknown(unknown, glyphs) {
                self.for_ocr.push(at + 1);
            }
            self.placed.push(page);
            if self.text.text.len() > MOST_TEXT {
                return Err(Unread::TooLong);
            }
        }
        Ok(())
    }
}

/// Counts of what the pages so far show.
struct GlyphCounts {
    glyphs: usize,
    /// Glyphs of which no character is known.
    unknown: usize,
    work: DrawingWork,
}

/// Returns whether so many characters are not known that the text can't be read.
fn are_unknown(unknown: usize, glyphs: usize) -> bool {
    unknown.saturating_mul(100) > glyphs.saturating_mul(MOST_UNKNOWN_PERCENT)
}

/// A page, and what of its file its reader needs.
struct OpenedPage<'p, 'a> {
    page: &'a PdfPage<'a>,
    pdf: &'a Pdf,
    fields: &'p FormFields,
    cache: &'p InterpreterCache<'a>,
    drawn: &'p RenderCache<'a>,
}

impl OpenedPage<'_, '_> {
    /// Reads the page, and returns whether anything is seen on it.
    fn read(
        &self,
        counts: &mut GlyphCounts,
        attachments: &mut Attachments,
        text: &mut PlacedText,
    ) -> Result<(DocumentPage, bool), Unread> {
        let page = self.page;
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let to_page = Affine::new(page.initial_transform(true).as_coeffs().map(f64::from));
        let settings =
            InterpreterSettings { render_content: RenderContent::PAGE, ..InterpreterSettings::default() };
        let mut context = Context::new(to_page, bounds, self.cache, self.pdf.xref(), settings);
        let room = MOST_GLYPHS.saturating_sub(counts.glyphs);
        let dpi = INK_DPI.min(POINTS_PER_INCH * (MOST_INK_PIXELS / bounds.area()).sqrt());
        let work = counts.work.on(page, bounds, dpi / POINTS_PER_INCH);
        let mut collector = GlyphCollector::with_room_for(room, work);
        interpret_page(page, &mut context, &mut collector);
        let annotated = AnnotatedPage { page, to_page, fields: self.fields };
        annotated.draw(&mut context, &mut collector, attachments);
        let picture = collector.picture();
        let broken = BrokenPictures::default();
        let (glyphs, is_plain) = collector.into_glyphs();
        let ink = if is_plain {
            None
        } else {
            let (picture, points) =
                draw_grey(page, self.drawn, dpi, &broken.counted()).ok_or(Unread::Damaged)?;
            Some(PageInk::new(picture, points))
        };
        let Sighted { seen: glyphs, hidden_words } = Sighted::of(glyphs, bounds, ink.as_ref());
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
        let unread = ink
            .as_ref()
            .map_or(0, |ink| ink.letters_outside(words.iter().map(|word| rectangle(word.bounds()))));
        let signals = PageSignals {
            unknown_characters: share(unknown, glyphs.len()),
            hidden_words: Some(number(hidden_words)),
            unread_ink: share(unread, unread + glyphs.len()),
            missing_parts: Some(number(missing_parts(page) + broken.count())),
            picture_area: Some(fraction(picture / bounds.area())),
            ..PageSignals::default()
        };
        let is_picture = words.is_empty() && picture * 100.0 > bounds.area() * PICTURE_PERCENT;
        let text = start..text.text.len();
        let page =
            DocumentPage { width, height, text, words, is_picture, signals, ..DocumentPage::default() };
        let has_ink = ink.map_or(!page.words.is_empty(), |ink| ink.is_seen(bounds));
        Ok((page, has_ink))
    }
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

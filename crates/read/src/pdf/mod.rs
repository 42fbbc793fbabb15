//! PDF files: the text that their pages show, and where.
//!
//! [`glyphs`] collects what a page draws; [`words`] are glyphs that touch; [`lines`], words of one baseline;
//! [`columns`], the order in which parts of a page are read; [`layout`] writes them as text. [`annotations`] and
//! [`form_fields`] add what is seen and not part of the page's drawing; [`bounded`] ends what draws too much.

mod annotations;
mod attachments;
mod bounded;
mod columns;
mod form_fields;
mod glyphs;
mod layout;
mod lines;
mod open;
mod owner_password;
mod picture;
mod placed_value;
mod right_to_left;
mod sizes;
#[cfg(test)]
mod tests;
mod text_string;
mod words;

use self::annotations::AnnotatedPage;
use self::attachments::Attachments;
use self::bounded::{StepsLeft, bounded};
use self::form_fields::FormFields;
use self::glyphs::{Glyph, GlyphCollector};
pub(super) use self::open::is_pdf;
use self::open::open;
pub(super) use self::picture::picture;

use self::layout::PlacedText;
use self::words::words_by_direction;
use super::file_text::{FileText, Unread};
use super::reader_task::ReadingSettings;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Dict;
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, RenderContent, interpret_page};
use loopctl_core::document::{DocumentPage, PageBox, PageWord, Pages};

/// The most pages of a document.
const MOST_PAGES: usize = 5_000;
/// The most glyphs of a document: a thousand full pages have some four million.
const MOST_GLYPHS: usize = 5_000_000;
/// The longest text, in bytes: more can't be part of a request.
const MOST_TEXT: usize = 15 << 20;
/// The share of glyphs without a known character from which a document counts as unreadable, in percent.
const MOST_UNKNOWN_PERCENT: usize = 10;
/// The part of a page without text that a picture covers if it may be the scan of a text, in percent.
const PICTURE_PERCENT: f64 = 20.0;
/// A page whose visible glyphs are fewer than this part of its invisible ones is a scan with a layer of text, in percent.
const LAYER_PERCENT: usize = 10;

/// Reads the text of a PDF file.
///
/// # Errors
/// When it needs a password, is damaged, is too long, shows no text, or shows a text in place of what it is about.
pub(super) fn read(bytes: Vec<u8>, settings: &ReadingSettings) -> Result<FileText, Unread> {
    bounded(|| read_opened(&open(bytes, settings)?))?
}

fn read_opened(pdf: &Pdf) -> Result<FileText, Unread> {
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
    let cache = InterpreterCache::new();
    let mut seen = GlyphCounts::default();
    let mut text = PlacedText::default();
    let mut placed = Vec::with_capacity(pages.len());
    for (at, page) in pages.iter().enumerate() {
        if at > 0 {
            text.text.push('\u{c}');
        }
        let reader = OpenedPage { page, pdf, fields: &fields, cache: &cache };
        placed.push(reader.read(&mut seen, &mut attachments, &mut text)?);
        if text.text.len() > MOST_TEXT {
            return Err(Unread::TooLong);
        }
    }
    if text.words.is_empty() {
        return Err(Unread::NoText { pages: placed.len() });
    }
    if seen.unknown.saturating_mul(100) > seen.glyphs.saturating_mul(MOST_UNKNOWN_PERCENT) {
        return Err(Unread::UnknownCharacters { percent: seen.unknown.saturating_mul(100) / seen.glyphs });
    }
    let (pages, attachments) = (Some(Pages::new(placed)), attachments.into_names());
    Ok(FileText { text: text.text, pages, attachments, ..FileText::default() })
}

/// Counts of what the pages so far show.
#[derive(Default)]
struct GlyphCounts {
    glyphs: usize,
    /// Glyphs of which no character is known.
    unknown: usize,
    steps: StepsLeft,
}

/// A page, and what of its file its reader needs.
struct OpenedPage<'p, 'a> {
    page: &'p PdfPage<'a>,
    pdf: &'a Pdf,
    fields: &'p FormFields,
    cache: &'p InterpreterCache<'a>,
}

impl OpenedPage<'_, '_> {
    fn read(
        &self,
        seen: &mut GlyphCounts,
        attachments: &mut Attachments,
        text: &mut PlacedText,
    ) -> Result<DocumentPage, Unread> {
        let page = self.page;
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let to_page = Affine::new(page.initial_transform(true).as_coeffs().map(f64::from));
        let settings =
            InterpreterSettings { render_content: RenderContent::PAGE, ..InterpreterSettings::default() };
        let mut context = Context::new(to_page, bounds, self.cache, self.pdf.xref(), settings);
        let room = MOST_GLYPHS.saturating_sub(seen.glyphs);
        let mut collector = GlyphCollector::with_room_for(room, &mut seen.steps);
        interpret_page(page, &mut context, &mut collector);
        let annotated = AnnotatedPage { page, to_page, fields: self.fields };
        annotated.draw(&mut context, &mut collector, attachments);
        let picture = collector.picture();
        let glyphs = readable(collector.into_glyphs(), bounds);
        seen.glyphs += glyphs.len();
        seen.unknown += glyphs.iter().filter(|glyph| glyph.text.is_none()).count();
        let (start, mut words) = (text.text.len(), Vec::new());
        for directed in words_by_direction(&glyphs) {
            let first = text.words.len();
            text.write(directed.words);
            for (range, frame) in text.words.iter().skip(first) {
                let bounds = page_box(directed.to_page.transform_rect_bbox(*frame));
                words.push(PageWord::new(range.clone(), bounds).ok_or(Unread::TooLong)?);
            }
        }
        let is_picture = words.is_empty() && picture * 100.0 > bounds.area() * PICTURE_PERCENT;
        Ok(DocumentPage { width, height, text: start..text.text.len(), words, is_picture })
    }
}

/// The glyphs that a reader of the page sees; of a scan, those of the layer of text that lies over it.
fn readable(glyphs: Vec<Glyph>, page: Rect) -> Vec<Glyph> {
    let on_page: Vec<Glyph> = glyphs.into_iter().filter(|glyph| page.contains(glyph.origin)).collect();
    let visible = on_page.iter().filter(|glyph| glyph.is_visible).count();
    let invisible = on_page.len() - visible;
    let is_scan = visible.saturating_mul(100) < invisible.saturating_mul(LAYER_PERCENT);
    on_page.into_iter().filter(|glyph| is_scan || glyph.is_visible).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "points on a page; a thousandth is finer than ink")]
fn page_box(bounds: Rect) -> PageBox {
    let point = |value: f64| (value * 100.0).round() as f32 / 100.0;
    PageBox {
        left: point(bounds.x0),
        top: point(bounds.y0),
        width: point(bounds.width()),
        height: point(bounds.height()),
    }
}

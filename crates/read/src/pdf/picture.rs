//! Pages of PDF files as pictures.

use super::super::file_text::Unread;
use super::super::grey_picture::{GreyPicture, shade};
use super::super::page_picture::{PagePicture, PictureSize};
use super::drawing_work::DrawingWork;
use hayro::hayro_interpret::kurbo::{Affine, Rect};
use hayro::hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::page::Page as PdfPage;
use hayro::vello_cpu::Pixmap;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use image::RgbImage;

/// The most pixels of a picture, and the most of one side.
const MOST_PIXELS: f32 = 40_000_000.0;
const MOST_SIDE: f32 = 20_000.0;
pub(super) const POINTS_PER_INCH: f64 = 72.0;

/// Draws a page, counted from 1, on white.
///
/// # Errors
/// When the file has no such page.
pub(in super::super) fn picture(pdf: &Pdf, page: usize, size: PictureSize) -> Result<PagePicture, Unread> {
    super::bounded(|| {
        let found = page.checked_sub(1).and_then(|at| pdf.pages().get(at)).ok_or(Unread::NoPage { page })?;
        let (width, height) = found.render_dimensions();
        let scale = size.scale(width, height);
        count(pdf, found, f64::from(scale));
        let drawn = draw(found, &RenderCache::new(), scale, &InterpreterSettings::default());
        let (width, height) = (u32::from(drawn.width()), u32::from(drawn.height()));
        // It is drawn on white, so nothing of it is transparent.
        let pixels = drawn.data().iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b]).collect();
        RgbImage::from_raw(width, height, pixels).and_then(PagePicture::of).ok_or(Unread::NoPage { page })
    })?
}

/// The number of pages.
///
/// # Errors
/// When the file has no pages or too many.
pub(in super::super) fn page_count(pdf: &Pdf) -> Result<usize, Unread> {
    super::bounded(|| match pdf.pages().len() {
        0 => Err(Unread::NoPages),
        pages if pages > super::MOST_PAGES => Err(Unread::TooLong),
        pages => Ok(pages),
    })?
}

/// Draws a page, counted from 1, in grey with so many dots per inch; and the points of the page for each pixel.
///
/// # Errors
/// When the file has no such page.
pub(in super::super) fn grey(pdf: &Pdf, page: usize, dpi: f64) -> Result<(GreyPicture, f64), Unread> {
    super::bounded(|| {
        let found = page.checked_sub(1).and_then(|at| pdf.pages().get(at)).ok_or(Unread::NoPage { page })?;
        count(pdf, found, dpi / POINTS_PER_INCH);
        draw_grey(found, &RenderCache::new(), dpi, &InterpreterSettings::default())
            .ok_or(Unread::NoPage { page })
    })?
}

/// Counts the work of drawing a page; it is given up if it is too much.
fn count<'a>(pdf: &'a Pdf, page: &PdfPage<'a>, scale: f64) {
    let (width, height) = page.render_dimensions();
    let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let to_page = Affine::new(page.initial_transform(true).as_coeffs().map(f64::from));
    let mut work = DrawingWork::of_pages(1);
    let mut counted = work.on(page, bounds, scale.min(most_scale(width, height).into()));
    let cache = InterpreterCache::new();
    let mut context = Context::new(to_page, bounds, &cache, pdf.xref(), InterpreterSettings::default());
    interpret_page(page, &mut context, &mut counted);
}

/// Draws a page in grey with so many dots per inch; and the points of the page for each pixel. `None` for one without pixels.
pub(super) fn draw_grey<'a>(
    page: &'a PdfPage<'a>,
    cache: &RenderCache<'a>,
    dpi: f64,
    settings: &InterpreterSettings,
) -> Option<(GreyPicture, f64)> {
    #[expect(clippy::cast_possible_truncation, reason = "pixels for a point")]
    let drawn = draw(page, cache, (dpi / POINTS_PER_INCH) as f32, settings);
    let (width, height) = (usize::from(drawn.width()), usize::from(drawn.height()));
    let shades = drawn.data().iter().map(|pixel| shade([pixel.r, pixel.g, pixel.b])).collect();
    let points = f64::from(page.render_dimensions().0) / f64::from(drawn.width().max(1));
    Some((GreyPicture::new(width, height, shades)?, points))
}

/// The pixels of a page, on white; fewer than `scale` asks for where the page is larger than any paper.
fn draw<'a>(
    page: &'a PdfPage<'a>,
    cache: &RenderCache<'a>,
    scale: f32,
    settings: &InterpreterSettings,
) -> Pixmap {
    let (width, height) = page.render_dimensions();
    let scale = scale.min(most_scale(width, height));
    let pixels = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    hayro::render(page, cache, settings, &RenderSettings::default(), &pixels)
}

/// The most pixels for a point of a page of this size.
fn most_scale(width: f32, height: f32) -> f32 {
    (MOST_PIXELS / (width * height)).sqrt().min(MOST_SIDE / width).min(MOST_SIDE / height)
}

//! Ink of a drawn page: where a person sees something, and how much of that looks like text that was not read.

use super::marks::Marks;
use super::picture::draw;
use hayro::RenderCache;
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::kurbo::Rect;

/// Pixels for a point: strokes of the smallest print are a pixel wide.
const SCALE: f32 = 1.5;
/// The difference of the darkest and the lightest pixel from which a person sees that something is there, of 255.
const LEAST_CONTRAST: u8 = 24;
/// The difference from the paper from which a pixel is ink.
const INK: u8 = 64;
/// The points around a word in which ink belongs to it: accents, descenders, underlines.
const AROUND: f64 = 1.5;

/// A page as grey pixels.
pub(super) struct PageInk {
    width: usize,
    height: usize,
    /// The lightness of each pixel, row by row.
    pixels: Vec<u8>,
    /// Pixels for a point.
    scale: f64,
}

impl PageInk {
    /// The ink of a page, as it is drawn on white.
    pub(super) fn of<'a>(page: &'a PdfPage<'a>, cache: &RenderCache<'a>) -> Self {
        let drawn = draw(page, cache, SCALE);
        let (width, height) = (usize::from(drawn.width()), usize::from(drawn.height()));
        let lightness = |pixel: &[u8]| {
            let channel = |at: usize| u32::from(pixel.get(at).copied().unwrap_or_default());
            u8::try_from((channel(0) * 299 + channel(1) * 587 + channel(2) * 114) / 1000).unwrap_or(u8::MAX)
        };
        let pixels = drawn.data_as_u8_slice().chunks_exact(4).map(lightness).collect();
        let scale = f64::from(drawn.width()) / f64::from(page.render_dimensions().0);
        PageInk { width, height, pixels, scale }
    }

    /// Returns whether a person sees something in a rectangle of the page.
    pub(super) fn is_seen(&self, place: Rect) -> bool {
        let (mut darkest, mut lightest) = (u8::MAX, u8::MIN);
        for row in self.rows(place) {
            for pixel in row {
                darkest = darkest.min(*pixel);
                lightest = lightest.max(*pixel);
            }
        }
        lightest.saturating_sub(darkest) >= LEAST_CONTRAST
    }

    /// The number of marks outside of these places that look like letters of a word.
    pub(super) fn letters_outside(&self, places: impl Iterator<Item = Rect>) -> usize {
        let is_ink = self.pixels.iter().map(|pixel| u8::MAX - pixel >= INK).collect();
        let mut marks = Marks::new(is_ink, self.width);
        for place in places {
            let place = place.inflate(AROUND, AROUND);
            marks.erase(
                self.pixel(place.x0)..(self.pixel(place.x1) + 1).min(self.width),
                self.pixel(place.y0)..(self.pixel(place.y1) + 1).min(self.height),
            );
        }
        marks.letters(self.scale)
    }

    /// The pixels of a rectangle of the page, row by row.
    fn rows(&self, place: Rect) -> impl Iterator<Item = &[u8]> {
        let (left, right) = (self.pixel(place.x0), (self.pixel(place.x1) + 1).min(self.width));
        let (top, bottom) = (self.pixel(place.y0), (self.pixel(place.y1) + 1).min(self.height));
        let row = move |y: usize| self.pixels.get(y * self.width + left..y * self.width + right);
        (top..bottom).filter_map(row)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and on the page"
    )]
    fn pixel(&self, points: f64) -> usize {
        (points * self.scale).clamp(0.0, 1e6) as usize
    }
}

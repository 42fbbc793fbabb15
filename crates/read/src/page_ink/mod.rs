//! Ink of a drawn page: where a person sees something, and how much of that looks like text that was not read.

mod marks;

use super::grey_picture::GreyPicture;
use hayro_interpret::kurbo::Rect;
pub(super) use marks::{Mark, Marks, letters_of};

/// The resolution of the picture, in dots per inch: strokes of the smallest print are a pixel wide.
pub(super) const INK_DPI: f64 = 108.0;
/// The difference of the darkest and the lightest pixel from which a person sees that something is there, of 255.
const LEAST_CONTRAST: u8 = 24;
/// The difference from the paper from which a pixel is ink, of 255.
const INK: u8 = 64;
/// The part of a page's pixels, from the darkest, that are not lighter than its paper: a panel may cover half of it.
const NOT_LIGHTER: f64 = 0.9;
/// The part of a word's height around it in which ink belongs to it: accents, descenders, underlines.
const AROUND: f64 = 0.2;

/// The part of a word's height around it that is looked at for what it is drawn on.
const GROUND_AROUND: f64 = 0.5;

/// A page as grey pixels.
pub(super) struct PageInk {
    picture: GreyPicture,
    /// Pixels for a point of the page.
    scale: f64,
}

impl PageInk {
    /// The ink of a picture of a page at [`INK_DPI`], with so many points of the page for each pixel.
    pub(super) fn new(picture: GreyPicture, points: f64) -> Self {
        PageInk { picture, scale: 1.0 / points.max(f64::EPSILON) }
    }

    /// Returns whether a person sees something in a rectangle of the page.
    pub(super) fn is_seen(&self, place: Rect) -> bool {
        let (mut darkest, mut lightest) = (u8::MAX, u8::MIN);
        let (columns, rows) = self.pixels(place);
        for row in self.picture.rows().skip(rows.start).take(rows.len()) {
            for shade in row.get(columns.clone()).unwrap_or_default() {
                darkest = darkest.min(*shade);
                lightest = lightest.max(*shade);
            }
        }
        Self::differ(darkest, lightest.max(darkest))
    }

    /// Returns whether a person tells two shades apart.
    pub(super) fn differ(one: u8, other: u8) -> bool {
        one.abs_diff(other) >= LEAST_CONTRAST
    }

    /// Returns whether a shade is that of ink on paper of another one, so that no one overlooks it.
    pub(super) fn is_ink(shade: u8, paper: u8) -> bool {
        shade.abs_diff(paper) >= INK
    }

    /// Returns whether what is drawn in these shades in a rectangle of the page has the shade on which it is drawn: the most frequent one
    /// in it, if that is the most frequent one around it, too.
    pub(super) fn is_ground(&self, place: Rect, mut shades: impl Iterator<Item = Option<u8>>) -> bool {
        let within = self.shades_in(place);
        let Some(inner) = most_frequent(&within) else { return false };
        // Most words differ from it: what is around them is not looked at.
        if !shades.all(|shade| shade.is_some_and(|shade| !Self::differ(shade, inner))) {
            return false;
        }
        let around = (GROUND_AROUND * place.height()).max(2.0 / self.scale);
        let mut outside = self.shades_in(place.inflate(around, around));
        for (count, inner) in outside.iter_mut().zip(&within) {
            *count = count.saturating_sub(*inner);
        }
        most_frequent(&outside).is_some_and(|outer| !Self::differ(inner, outer))
    }

    /// The number of pixels of each shade in a rectangle of the page.
    fn shades_in(&self, place: Rect) -> [usize; 256] {
        let (columns, rows) = self.pixels(place);
        let rows = self.picture.rows().skip(rows.start).take(rows.len());
        counts(rows.flat_map(|row| row.get(columns.clone()).unwrap_or_default()))
    }

    /// The number of marks outside of these places that look like letters of a word.
    pub(super) fn letters_outside(&self, places: impl Iterator<Item = Rect>) -> usize {
        let paper = self.paper();
        let is_ink = self.picture.shades().iter().map(|shade| paper.saturating_sub(*shade) >= INK).collect();
        let mut marks = Marks::new(is_ink, self.picture.width());
        for place in places {
            let around = AROUND * place.height();
            let (columns, rows) = self.pixels(place.inflate(around, around));
            marks.erase(columns, rows);
        }
        marks.letters()
    }

    /// The shade of the paper.
    #[expect(clippy::cast_precision_loss, reason = "pixels of a page")]
    fn paper(&self) -> u8 {
        let shades = counts(self.picture.shades());
        let wanted = NOT_LIGHTER * self.picture.shades().len() as f64;
        let mut counted = 0.0;
        (0..=u8::MAX)
            .find(|shade| {
                counted += shades.get(usize::from(*shade)).copied().unwrap_or_default() as f64;
                counted >= wanted
            })
            .unwrap_or(u8::MAX)
    }

    /// The pixels of a rectangle of the page: columns and rows.
    fn pixels(&self, place: Rect) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let (width, height) = (self.picture.width(), self.picture.height());
        let columns = self.pixel(place.x0).min(width)..(self.pixel(place.x1) + 1).min(width);
        let rows = self.pixel(place.y0).min(height)..(self.pixel(place.y1) + 1).min(height);
        (columns, rows)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded on both sides")]
    fn pixel(&self, points: f64) -> usize {
        (points * self.scale).clamp(0.0, 1e6) as usize
    }
}

/// The number of pixels of each shade.
fn counts<'p>(pixels: impl IntoIterator<Item = &'p u8>) -> [usize; 256] {
    let mut shades = [0_usize; 256];
    for shade in pixels {
        if let Some(count) = shades.get_mut(usize::from(*shade)) {
            *count += 1;
        }
    }
    shades
}

/// The shade of most pixels; `None` of no pixels.
fn most_frequent(shades: &[usize; 256]) -> Option<u8> {
    let (most, shade) = shades.iter().zip(0..=u8::MAX).max_by_key(|(count, _)| **count)?;
    (*most > 0).then_some(shade)
}

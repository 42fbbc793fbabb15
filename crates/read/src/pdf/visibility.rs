//! Sight of what a content stream draws: text that is clipped, transparent, tiny or covered is seen by nobody.

use super::glyphs::Glyph;
use hayro_interpret::hayro_syntax::object::dict::keys::{MASK, SMASK};
use hayro_interpret::kurbo::{Point, Rect};
use hayro_interpret::{BlendMode, DrawMode, DrawProps, Image, ImageDrawProps, Paint};

/// The opacity from which something is seen.
const LEAST_OPACITY: f32 = 0.1;
/// The size from which text is seen, in points: the smallest print of drawings has nearly two.
const LEAST_SIZE: f64 = 1.0;
/// The most images of a page that are looked at for text beneath them; the largest come first.
const MOST_COVERS: usize = 64;

/// Clips and transparency at a place of a content stream, and the images that were drawn so far.
#[derive(Default)]
pub(super) struct Visibility {
    clips: Vec<Rect>,
    opacities: Vec<f32>,
    /// Images that hide what was drawn before them: the number of glyphs that were, and the place.
    covers: Vec<(usize, Rect)>,
}

impl Visibility {
    pub(super) fn push_clip(&mut self, bounds: Rect) {
        self.clips.push(self.clips.last().map_or(bounds, |outer| outer.intersect(bounds)));
    }

    pub(super) fn pop_clip(&mut self) {
        self.clips.pop();
    }

    pub(super) fn push_group(&mut self, opacity: f32) {
        self.opacities.push(self.opacities.last().copied().unwrap_or(1.0) * opacity);
    }

    pub(super) fn pop_group(&mut self) {
        self.opacities.pop();
    }

    /// The place on a page within which something is drawn.
    pub(super) fn clip(&self, page: Rect) -> Rect {
        self.clips.last().map_or(page, |clip| clip.intersect(page))
    }

    /// Returns whether text in this way leaves a mark, if nothing is drawn over it.
    pub(super) fn leaves_mark(&self, props: &DrawProps<'_>, mode: &DrawMode) -> bool {
        let opacity = self.opacities.last().copied().unwrap_or(1.0);
        let paint = match &props.paint {
            Paint::Color(color) => color.to_rgba().components()[3],
            Paint::Pattern(_) => 1.0,
        };
        !matches!(mode, DrawMode::Invisible) && opacity * paint >= LEAST_OPACITY
    }

    /// Returns whether a glyph of this size at this point is within the clip, and large enough to be seen.
    pub(super) fn shows(&self, middle: Point, size: f64) -> bool {
        size >= LEAST_SIZE && self.clips.last().is_none_or(|clip| clip.contains(middle))
    }

    /// Notes an image that is drawn after so many glyphs.
    pub(super) fn cover(&mut self, drawn: usize, image: &Image<'_, '_>, props: &ImageDrawProps<'_>) {
        let Image::Raster(raster) = image else { return };
        let pixels = raster.stream().dict();
        let is_opaque = !pixels.contains_key(SMASK)
            && !pixels.contains_key(MASK)
            && props.soft_mask.is_none()
            && matches!(props.blend_mode, BlendMode::Normal)
            && self.opacities.last().is_none_or(|opacity| *opacity >= 1.0);
        if !is_opaque || drawn == 0 {
            return;
        }
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let placed = props.transform.transform_rect_bbox(pixels);
        self.covers.push((drawn, self.clips.last().map_or(placed, |clip| clip.intersect(placed))));
        if self.covers.len() > MOST_COVERS {
            self.covers.sort_by(|(_, one), (_, other)| other.area().total_cmp(&one.area()));
            self.covers.truncate(MOST_COVERS);
        }
    }

    /// Marks the glyphs that an image covers.
    pub(super) fn hide_covered(&self, glyphs: &mut [Glyph]) {
        for (drawn, place) in &self.covers {
            for glyph in glyphs.iter_mut().take(*drawn).filter(|glyph| place.contains(glyph.middle())) {
                glyph.is_visible = false;
            }
        }
    }
}

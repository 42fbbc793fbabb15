//! Glyphs of a page: the text that its content stream draws, each with its location.

use super::super::file_text::Unread;
use super::bounded::{StepsLeft, give_up};
use hayro_interpret::font::{Glyph as FontGlyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};
use unicode_normalization::UnicodeNormalization;

/// Units of an outline's em square, as the interpreter scales its glyphs.
const UNITS_PER_EM: f64 = 1000.0;
/// The advance of a glyph whose font gives none, in parts of its size.
const USUAL_ADVANCE: f64 = 0.5;

/// A glyph as it is drawn, in points from the page's top left corner.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    /// Its text; `None` if its font does not tell.
    pub(super) text: Option<String>,
    /// The point of its baseline where it begins.
    pub(super) origin: Point,
    /// From its origin to that of the next glyph.
    pub(super) advance: Vec2,
    /// The size of its font.
    pub(super) size: f64,
    /// `false` if it is drawn in a way that leaves no mark.
    pub(super) is_visible: bool,
}

/// A device that keeps the glyphs that are drawn on it, up to a number, and takes a step for each part of the drawing.
pub(super) struct GlyphCollector<'s> {
    glyphs: Vec<Glyph>,
    room: usize,
    steps: &'s mut StepsLeft,
    /// The area of the largest image.
    picture: f64,
}

impl<'s> GlyphCollector<'s> {
    /// A collector of at most so many glyphs. It is drawn on within [`super::bounded::bounded`].
    pub(super) fn with_room_for(room: usize, steps: &'s mut StepsLeft) -> Self {
        GlyphCollector { glyphs: Vec::new(), room, steps, picture: 0.0 }
    }

    /// The area of the largest image that was drawn, in square points.
    pub(super) fn picture(&self) -> f64 {
        self.picture
    }

    /// The glyphs, in the order in which they were drawn.
    pub(super) fn into_glyphs(self) -> Vec<Glyph> {
        self.glyphs
    }

    /// Takes steps for work beside the drawing.
    pub(super) fn take_steps(&mut self, steps: usize) {
        self.steps.take(steps);
    }

    /// Adds glyphs that nothing draws.
    pub(super) fn place(&mut self, glyphs: Vec<Glyph>) {
        self.make_room(glyphs.len());
        self.glyphs.extend(glyphs);
    }

    fn make_room(&mut self, glyphs: usize) {
        self.steps.take(glyphs + 1);
        if glyphs > self.room - self.glyphs.len() {
            give_up(Unread::TooLong);
        }
    }
}

/// The steps of what is not drawn itself, but has to be prepared for what is: clips, groups, images.
const PREPARED: usize = 200;

impl Device<'_> for GlyphCollector<'_> {
    fn draw_path(&mut self, path: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        self.steps.take(path.elements().len() + 1);
    }
    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'_>, _: &DrawMode) {
        self.steps.take(1);
    }
    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.steps.take(clip.path.elements().len() + PREPARED);
    }
    fn push_clip_rect(&mut self, _: &Rect) {
        self.steps.take(PREPARED);
    }
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {
        self.steps.take(PREPARED);
    }
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, mode: &DrawMode) {
        let glyphs = run.glyphs();
        self.make_room(glyphs.len());
        self.glyphs
            .extend(glyphs.iter().map(|glyph| placed(glyph, props.transform * glyph.transform(), mode)));
    }
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
    fn draw_image(&mut self, image: Image<'_, '_>, props: ImageDrawProps<'_>) {
        self.steps.take(PREPARED);
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        self.picture = self.picture.max(props.transform.transform_rect_bbox(pixels).area());
    }
}

fn placed(glyph: &FontGlyph<'_>, transform: Affine, mode: &DrawMode) -> Glyph {
    let origin = transform * Point::ZERO;
    let unit = |x, y| (transform * Point::new(x, y)) - origin;
    let (right, up) = (unit(1.0, 0.0), unit(0.0, 1.0));
    let (width, scale) = match glyph {
        FontGlyph::Outline(outline) => (outline.advance_width(), UNITS_PER_EM),
        FontGlyph::Type3(drawn) => (drawn.advance_width(), 1.0),
    };
    let width = width.map(f64::from).filter(|width| width.is_finite() && *width > 0.0);
    let advance = width.map_or(right * scale * USUAL_ADVANCE, |width| right * width);
    let size = match glyph {
        FontGlyph::Outline(_) => up.hypot() * scale,
        // The units of its font are its own.
        FontGlyph::Type3(_) => advance.hypot() * 2.0,
    };
    let text = glyph.as_unicode().map(|text| match text {
        BfString::Char(one) => plain(&one.to_string()),
        BfString::String(several) => plain(&several),
    });
    Glyph { text, origin, advance, size, is_visible: !matches!(mode, DrawMode::Invisible) }
}

/// A text with plain letters for ligatures and for the forms that letters take within words.
fn plain(text: &str) -> String {
    let is_form = |c: char| matches!(c, '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    if text.chars().any(is_form) { text.nfkc().collect() } else { text.to_owned() }
}

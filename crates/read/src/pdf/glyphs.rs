//! Glyphs of a page: the text that its content stream draws, each with its location.

use super::super::file_text::Unread;
use super::super::grey_picture::shade;
use super::bounded::give_up;
use super::drawing_work::PageWork;
use super::glyph_shape::GlyphShape;
use super::plain_page::{Drawn, PlainPage};
use super::visibility::Visibility;
use hayro_interpret::font::{Glyph as FontGlyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Shape, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask,
};
use std::collections::HashMap;
use std::rc::Rc;
use unicode_normalization::UnicodeNormalization;

/// Units of an outline's em square, as the interpreter scales its glyphs.
pub(super) const UNITS_PER_EM: f64 = 1000.0;
/// The advance of a glyph whose font gives none, in parts of its size.
const USUAL_ADVANCE: f64 = 0.5;
/// The height of a letter, in parts of its size.
const LETTER_HEIGHT: f64 = 0.65;

/// A glyph as it is drawn, in points from the page's top left corner.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    /// Its text; `None` if its font does not tell.
    pub(super) text: Option<Rc<str>>,
    /// The point of its baseline where it begins.
    pub(super) origin: Point,
    /// From its origin to that of the next glyph.
    pub(super) advance: Vec2,
    /// The size of its font.
    pub(super) size: f64,
    /// `false` if it is drawn in a way that leaves no mark, or is covered.
    pub(super) is_visible: bool,
    /// The shade in which it is filled, if that is one opaque colour.
    pub(super) shade: Option<u8>,
    /// `false` if its font has no shape for it: another program may show it by a font of its own.
    pub(super) has_shape: bool,
}

impl Glyph {
    /// Returns whether it is only space.
    pub(super) fn is_blank(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.chars().all(|c| c.is_whitespace() || c.is_control()))
    }

    /// The middle of the letter.
    pub(super) fn middle(&self) -> Point {
        let Rect { x0, y0, x1, y1 } = self.bounds();
        Point::new((x0 + x1) / 2.0, (y0 + y1) / 2.0)
    }

    /// The rectangle in which a letter without an accent or a descender leaves its mark.
    pub(super) fn bounds(&self) -> Rect {
        let along = self.advance.hypot().max(f64::EPSILON);
        let up = Vec2::new(self.advance.y, -self.advance.x) / along * (self.size * LETTER_HEIGHT);
        let end = self.origin + self.advance;
        Rect::from_points(self.origin, end).union(Rect::from_points(self.origin + up, end + up))
    }
}

/// A device that keeps the glyphs that are drawn on it, up to a number, and counts the work of the drawing.
pub(super) struct GlyphCollector<'w> {
    glyphs: Vec<Glyph>,
    room: usize,
    work: PageWork<'w>,
    /// The area of the largest image.
    picture: f64,
    visibility: Visibility,
    plain: PlainPage,
    /// The shapes of outlines that were looked at.
    shapes: HashMap<u128, GlyphShape>,
}

impl<'w> GlyphCollector<'w> {
    /// A collector of at most so many glyphs. It is drawn on within [`super::bounded::bounded`].
    pub(super) fn with_room_for(room: usize, work: PageWork<'w>) -> Self {
        GlyphCollector {
            glyphs: Vec::new(),
            room,
            work,
            picture: 0.0,
            visibility: Visibility::default(),
            plain: PlainPage::default(),
            shapes: HashMap::new(),
        }
    }

    /// The area of the largest image that was drawn, in square points.
    pub(super) fn picture(&self) -> f64 {
        self.picture
    }

    /// The glyphs, in the order in which they were drawn; and whether they are plain print, of which all is seen.
    pub(super) fn into_glyphs(mut self) -> (Vec<Glyph>, bool) {
        self.visibility.hide_covered(&mut self.glyphs);
        let is_plain = self.plain.shows(&self.glyphs);
        (self.glyphs, is_plain)
    }

    fn character(&mut self, glyph: &FontGlyph<'_>) -> FontCharacter {
        let (width, scale, shape) = match glyph {
            FontGlyph::Outline(outline) => {
                let shape = self.shapes.entry(outline.identifier().cache_key());
                let shape = *shape.or_insert_with(|| GlyphShape::of(outline));
                (outline.advance_width(), Some(UNITS_PER_EM), shape)
            }
            FontGlyph::Type3(drawn) => (drawn.advance_width(), None, GlyphShape::drawn()),
        };
        let text = glyph.as_unicode().map(|text| match text {
            BfString::Char(one) => plain(one.encode_utf8(&mut [0; 4])).into(),
            BfString::String(several) => plain(&several).into(),
        });
        let width = width.map(f64::from).filter(|width| width.is_finite() && *width > 0.0);
        FontCharacter { text, width, scale, shape }
    }

    /// Notes that more is seen on the page than was drawn here.
    pub(super) fn is_drawn_over(&mut self) {
        self.plain.other();
    }

    fn drawn(&self) -> Drawn {
        Drawn { glyphs: self.glyphs.len(), clip: self.visibility.clip(self.work.page()) }
    }

    /// Takes steps for work beside the drawing.
    pub(super) fn take_steps(&mut self, steps: u64) {
        self.work.take(steps);
    }

    /// Adds glyphs that nothing draws.
    pub(super) fn place(&mut self, glyphs: Vec<Glyph>) {
        self.make_room(glyphs.len());
        self.glyphs.extend(glyphs);
    }

    fn make_room(&mut self, glyphs: usize) {
        if glyphs > self.room - self.glyphs.len() {
            give_up(Unread::TooLong);
        }
    }
}

impl<'a> Device<'a> for GlyphCollector<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.plain.path(self.drawn(), path, &props, mode);
        self.work.draw_path(path, props, mode);
    }
    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.plain.rect(self.drawn(), rect, &props, mode);
        self.work.draw_rect(rect, props, mode);
    }
    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.work.push_clip_path(clip);
        self.plain.push_clip(false);
        self.visibility.push_clip(clip.path.bounding_box());
    }
    fn push_clip_rect(&mut self, clip: &Rect) {
        self.work.push_clip_rect(clip);
        self.plain.push_clip(true);
        self.visibility.push_clip(*clip);
    }
    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, mode: BlendMode) {
        self.plain.group(opacity, mask.is_some(), mode);
        self.work.push_transparency_group(opacity, mask, mode);
        self.visibility.push_group(opacity);
    }
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let glyphs = run.glyphs();
        self.make_room(glyphs.len());
        let leaves_mark = self.visibility.leaves_mark(&props, mode);
        let (transform, shade) = (props.transform, filled_shade(&props, mode));
        self.plain.run(&props);
        self.work.draw_glyph_run(run, props, mode);
        let clip = self.visibility.clip(self.work.page());
        // A run has one font: its characters are looked up once each.
        let mut characters: HashMap<u32, FontCharacter> = HashMap::new();
        for drawn in glyphs {
            let character = characters.entry(drawn.char_code()).or_insert_with(|| self.character(drawn));
            let glyph = character.placed(transform * drawn.transform());
            let is_visible = leaves_mark && self.visibility.shows(glyph.middle(), glyph.size);
            let glyph = Glyph { is_visible, shade, ..glyph };
            self.plain.glyph(&glyph, character.shape, clip);
            self.glyphs.push(glyph);
        }
    }
    fn pop_clip(&mut self) {
        self.plain.pop_clip();
        self.visibility.pop_clip();
    }
    fn pop_transparency_group(&mut self) {
        self.visibility.pop_group();
    }
    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        self.picture = self.picture.max(props.transform.transform_rect_bbox(pixels).area());
        self.plain.other();
        self.visibility.cover(self.glyphs.len(), &image, &props);
        self.work.draw_image(image, props);
    }
}

/// A character of a font.
struct FontCharacter {
    text: Option<Rc<str>>,
    /// The advance, in units of the font; `None` if the font gives none.
    width: Option<f64>,
    /// The units of its em; `None` for a glyph that a program draws, whose units are its own.
    scale: Option<f64>,
    shape: GlyphShape,
}

impl FontCharacter {
    fn placed(&self, transform: Affine) -> Glyph {
        let origin = transform * Point::ZERO;
        let unit = |x, y| (transform * Point::new(x, y)) - origin;
        let (right, up) = (unit(1.0, 0.0), unit(0.0, 1.0));
        let usual = || right * self.scale.unwrap_or(1.0) * USUAL_ADVANCE;
        let advance = self.width.map_or_else(usual, |width| right * width);
        let size = self.scale.map_or_else(|| advance.hypot() * 2.0, |scale| up.hypot() * scale);
        let (text, has_shape) = (self.text.clone(), self.shape.is_there);
        Glyph { text, origin, advance, size, is_visible: true, shade: None, has_shape }
    }
}

/// The shade in which glyphs are filled, if that is one opaque colour.
fn filled_shade(props: &DrawProps<'_>, mode: &DrawMode) -> Option<u8> {
    let Paint::Color(color) = &props.paint else { return None };
    let [red, green, blue, opacity] = color.to_rgba().to_rgba8();
    (matches!(mode, DrawMode::Fill(_)) && opacity == u8::MAX).then(|| shade([red, green, blue]))
}

/// A text with plain letters for ligatures and for the forms that letters take within words.
fn plain(text: &str) -> String {
    let is_form = |c: char| matches!(c, '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    if text.chars().any(is_form) { text.nfkc().collect() } else { text.to_owned() }
}

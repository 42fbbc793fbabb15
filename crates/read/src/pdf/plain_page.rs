//! Pages of plain print: letters that stand out from flat ground, rules, and nothing else.
//!
//! Nothing can hide on such a page: each letter is seen, and no ink is a letter that was not read. So it need not be drawn
//! to tell. Whatever is beyond these few shapes makes a page one that is drawn.

use super::glyph_shape::GlyphShape;
use super::glyphs::Glyph;
use super::picture::POINTS_PER_INCH;
use crate::grey_picture::{WHITE, shade};
use crate::page_ink::{INK_DPI, Mark, PageInk, letters_of};
use hayro_interpret::kurbo::{Affine, BezPath, Line, PathEl, PathSeg, Point, Rect, Shape};
use hayro_interpret::{BlendMode, DrawMode, DrawProps, Paint};

/// The width up to which a line is a rule, in points.
const RULE: f64 = 2.0;
/// The most rectangles and rules of a page: more are a drawing.
const MOST_SHAPES: usize = 500;
/// The most that a letter reaches beyond the place to which drawing is clipped, in points.
const MOST_CLIPPED: f64 = 1.0;
/// Sizes of plain print, in points.
const LEAST_SIZE: f64 = 3.9;
const MOST_SIZE: f64 = 48.0;
/// The least areas of the shapes of marks and of letters, in square thousandths of their size.
const LEAST_AREA: f64 = 1_500.0;
const LEAST_AREA_OF_LETTER: f64 = 15_000.0;
/// The most that a level line rises, in points.
const LEVEL: f64 = 0.01;
/// The side of the squares in which letters are looked up by their place, in points.
const SQUARE: f64 = 8.0;

/// Everything that was drawn on a page so far, as long as it is plain.
#[derive(Default)]
pub(super) struct PlainPage {
    is_other: bool,
    shapes: Vec<FlatShape>,
    /// The clips that are in force: `true` for those that are no rectangles.
    clips: Vec<bool>,
}

/// The number of glyphs that were drawn before something, and the place to which it is clipped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawn {
    pub(super) glyphs: usize,
    pub(super) clip: Rect,
}

/// A shape, and the number of glyphs that were drawn before.
struct FlatShape {
    before: usize,
    /// The rectangle around it.
    place: Rect,
    /// Its shade, if it is opaque.
    shade: Option<u8>,
    /// `true` if it is all of the rectangle.
    fills: bool,
}

impl FlatShape {
    fn is_rule(&self) -> bool {
        self.fills && self.shade.is_some() && self.place.width().min(self.place.height()) <= RULE
    }
}

impl PlainPage {
    /// Notes something beyond plain print.
    pub(super) fn other(&mut self) {
        self.is_other = true;
    }

    /// Notes a clip.
    pub(super) fn push_clip(&mut self, is_rectangle: bool) {
        self.clips.push(!is_rectangle);
    }

    /// Notes the end of a clip.
    pub(super) fn pop_clip(&mut self) {
        self.clips.pop();
    }

    /// Notes a path that is no rectangle.
    pub(super) fn path(&mut self, drawn: Drawn, path: &BezPath, props: &DrawProps<'_>, mode: &DrawMode) {
        let half = match mode {
            DrawMode::Invisible => return,
            DrawMode::Fill(_) => 0.0,
            DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) => {
                f64::from(stroke.line_width) * scale(props.transform) / 2.0
            }
        };
        let is_level =
            |line: &Line| (line.p0.x - line.p1.x).abs().min((line.p0.y - line.p1.y).abs()) <= LEVEL;
        let is_rule =
            |segment: PathSeg| matches!(segment, PathSeg::Line(line) if is_level(&(props.transform * line)));
        if matches!(mode, DrawMode::Stroke(_)) && path.segments().all(is_rule) {
            for segment in path.segments() {
                let place = props.transform.transform_rect_bbox(segment.bounding_box());
                self.shape(drawn, place.inflate(half, half), props, true);
            }
            return;
        }
        // Each part of a path may be a letter.
        let mut parts = path.elements().chunk_by(|_, next| !matches!(next, PathEl::MoveTo(_)));
        let place = |part: &[PathEl]| {
            let bounds = BezPath::from_vec(part.to_vec()).bounding_box();
            props.transform.transform_rect_bbox(bounds).inflate(half, half)
        };
        while !self.is_other
            && let Some(part) = parts.next()
        {
            self.shape(drawn, place(part), props, false);
        }
    }

    /// Notes a rectangle.
    pub(super) fn rect(&mut self, drawn: Drawn, rect: &Rect, props: &DrawProps<'_>, mode: &DrawMode) {
        if matches!(mode, DrawMode::Fill(_) | DrawMode::FillAndStroke(..)) {
            self.shape(drawn, props.transform.transform_rect_bbox(*rect), props, is_upright(props.transform));
        }
        if let DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) = mode {
            self.path(drawn, &rect.to_path(0.1), props, &DrawMode::Stroke(stroke.clone()));
        }
    }

    /// Notes a shape within a rectangle, which it fills or not.
    fn shape(&mut self, drawn: Drawn, place: Rect, props: &DrawProps<'_>, fills: bool) {
        if self.shapes.len() >= MOST_SHAPES || !matches!(props.paint, Paint::Color(_)) {
            return self.other();
        }
        let place = place.intersect(drawn.clip);
        if !place.is_zero_area() {
            let fills = fills && !self.is_clipped_oddly();
            self.shapes.push(FlatShape { before: drawn.glyphs, place, shade: shade_of(props), fills });
        }
    }

    fn is_clipped_oddly(&self) -> bool {
        self.clips.iter().any(|is_odd| *is_odd)
    }

    /// Notes a group of shapes that are drawn together.
    pub(super) fn group(&mut self, opacity: f32, is_masked: bool, mode: BlendMode) {
        if opacity < 1.0 || is_masked || !matches!(mode, BlendMode::Normal) {
            self.other();
        }
    }

    /// Notes a run of glyphs.
    pub(super) fn run(&mut self, props: &DrawProps<'_>) {
        if shade_of(props).is_none() {
            self.other();
        }
    }

    /// Notes a glyph with this shape, within these bounds.
    pub(super) fn glyph(&mut self, glyph: &Glyph, shape: GlyphShape, clip: Rect) {
        let clip = clip.inflate(MOST_CLIPPED, MOST_CLIPPED);
        let is_blank = glyph.is_blank() && !shape.is_there;
        let is_plain = || {
            let is_letter = glyph.text.as_ref().is_some_and(|text| text.chars().any(char::is_alphanumeric));
            let least = if is_letter { LEAST_AREA_OF_LETTER } else { LEAST_AREA };
            shape.area() >= least
                && !glyph.is_blank()
                && glyph.text.is_some()
                && glyph.is_visible
                && (LEAST_SIZE..=MOST_SIZE).contains(&glyph.size)
                && clip.contains_rect(glyph.bounds())
        };
        if !self.is_other && !is_blank && (self.is_clipped_oddly() || !is_plain()) {
            self.other();
        }
    }

    /// Returns whether each of these glyphs is seen by all that was noted of the page, and nothing but them is a letter.
    pub(super) fn shows(&self, glyphs: &[Glyph]) -> bool {
        let has_print = glyphs.iter().any(|glyph| !glyph.is_blank());
        !self.is_other
            && (has_print || self.shapes.is_empty())
            && !letters_in(self.shapes.iter().map(|shape| shape.place))
            && glyphs
                .iter()
                .enumerate()
                .all(|(number, glyph)| glyph.is_blank() || self.stands_out(number, glyph))
            && are_apart(glyphs)
    }

    /// Returns whether a glyph stands out from what it is drawn on, and nothing is drawn on it.
    fn stands_out(&self, number: usize, glyph: &Glyph) -> bool {
        // What the reader places itself was not drawn.
        let Some(own) = glyph.shade else { return !glyph.has_shape && glyph.size <= MOST_SIZE };
        let bounds = glyph.bounds();
        // A letter with a line through it is seen; one in a bundle of lines is not.
        let core = bounds.inflate(-bounds.width() / 4.0, -bounds.height() / 4.0);
        // The darkest and the lightest shade on which any part of it may be drawn.
        let (mut darkest, mut lightest) = (WHITE, WHITE);
        for shape in self.shapes.iter().filter(|shape| shape.place.overlaps(bounds)) {
            if shape.is_rule() {
                if shape.place.overlaps(core) {
                    return false;
                }
                continue;
            }
            let Some(shade) = shape.shade.filter(|_| shape.before <= number) else { return false };
            if shape.fills && shape.place.contains_rect(bounds) {
                (darkest, lightest) = (shade, shade);
            } else {
                (darkest, lightest) = (darkest.min(shade), lightest.max(shade));
            }
        }
        (own <= darkest || own >= lightest) && PageInk::is_ink(own, darkest) && PageInk::is_ink(own, lightest)
    }
}

/// Returns whether rectangles may be parts of letters: those that touch are one mark.
fn letters_in(places: impl Iterator<Item = Rect>) -> bool {
    let highest = Mark::HIGHEST_LETTER * POINTS_PER_INCH / INK_DPI;
    let around = POINTS_PER_INCH / INK_DPI;
    let mut marks: Vec<Rect> = Vec::new();
    for place in places.filter(|place| place.width().min(place.height()) <= highest) {
        let mut joined = place;
        // A rectangle may join marks that were apart.
        while let Some(at) = marks.iter().position(|mark| mark.inflate(around, around).overlaps(joined)) {
            joined = joined.union(marks.swap_remove(at));
        }
        marks.push(joined);
    }
    let pixels = INK_DPI / POINTS_PER_INCH;
    letters_of(marks.into_iter().filter_map(|mark| Mark::around(mark.scale_from_origin(pixels)))) > 0
}

/// Returns whether no glyph covers the middle of another one.
fn are_apart(glyphs: &[Glyph]) -> bool {
    let printed = || glyphs.iter().enumerate().filter(|(_, glyph)| !glyph.is_blank());
    // Row by row, so that those near a glyph are a few runs of the list.
    let mut middles: Vec<(i32, i32, usize, Point)> = printed()
        .map(|(number, glyph)| (glyph.middle(), number))
        .map(|(middle, number)| (square(middle.y), square(middle.x), number, middle))
        .collect();
    middles.sort_unstable_by_key(|(row, column, number, _)| (*row, *column, *number));
    printed().all(|(number, glyph)| {
        let bounds = glyph.bounds();
        let (first, last) = (square(bounds.x0), square(bounds.x1));
        (square(bounds.y0)..=square(bounds.y1)).all(|row| {
            let start = middles.partition_point(|(other, column, ..)| (*other, *column) < (row, first));
            let near = middles.iter().skip(start);
            near.take_while(|(other, column, ..)| (*other, *column) <= (row, last))
                .all(|(.., other, middle)| *other == number || !bounds.contains(*middle))
        })
    })
}

#[expect(clippy::cast_possible_truncation, reason = "saturates, and letters of plain print are on the page")]
fn square(at: f64) -> i32 {
    (at / SQUARE).floor() as i32
}

/// The opaque shade in which something is drawn plainly.
fn shade_of(props: &DrawProps<'_>) -> Option<u8> {
    let Paint::Color(color) = &props.paint else { return None };
    let [red, green, blue, opacity] = color.to_rgba().to_rgba8();
    let is_plain =
        opacity == u8::MAX && props.soft_mask.is_none() && matches!(props.blend_mode, BlendMode::Normal);
    is_plain.then(|| shade([red, green, blue]))
}

/// Returns whether rectangles stay upright.
fn is_upright(transform: Affine) -> bool {
    let [a, b, c, d, ..] = transform.as_coeffs();
    (b.abs() < 1e-6 && c.abs() < 1e-6) || (a.abs() < 1e-6 && d.abs() < 1e-6)
}

fn scale(transform: Affine) -> f64 {
    transform.determinant().abs().sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::drawing_work::DrawingWork;
    use super::super::glyphs::GlyphCollector;
    use super::super::tests::{pdf, texts};
    use super::*;
    use hayro_interpret::hayro_syntax::Pdf;
    use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};

    /// Returns whether a page that shows a line of text is plain print with this content, too.
    fn is_plain(content: &str) -> bool {
        let file = Pdf::new(pdf(&[texts(&[(20, 200, "Grade two")]) + content])).unwrap();
        let page = &file.pages()[0];
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let to_page = Affine::new(page.initial_transform(true).as_coeffs().map(f64::from));
        let cache = InterpreterCache::new();
        let mut context = Context::new(to_page, bounds, &cache, file.xref(), InterpreterSettings::default());
        let mut work = DrawingWork::of_pages(1);
        let mut collector = GlyphCollector::with_room_for(1_000, work.on(page, bounds, 1.0));
        interpret_page(page, &mut context, &mut collector);
        collector.into_glyphs().1
    }

    #[test]
    fn letters_on_flat_ground_between_rules_are_plain() {
        for content in [
            "",
            "q 0.9 g 10 90 200 30 re f Q BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET",
            "q 10 90 200 30 re f 1 g BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET Q",
            "10 195 m 200 195 l S 10 180 200 60 re S",
            "10 90 m 210 85 l 220 125 l 9 120 l f",
            "q 0.9 g 10 103 200 30 re f Q BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET",
            "q 0.9 g 10 90 m 210 85 l 220 125 l 9 120 l f Q BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET",
            "q 10 90 200 30 re W n BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET Q",
        ] {
            assert!(is_plain(content), "{content}");
        }
    }

    #[test]
    fn where_something_may_hide_a_page_is_not_plain() {
        for content in [
            "q 0.9 g 10 190 200 30 re f Q",
            "10 203 m 200 203 l S",
            "10 103 200 30 re f BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET",
            "q 0.4 g 10 103 200 30 re f Q q 0.6 g BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET Q",
            "10 190 m 210 185 l 220 225 l 9 220 l f",
            "q 0.8 g BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET Q",
            "q 10 90 20 30 re W n BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET Q",
            "q 10 90 m 210 85 l 220 125 l 9 120 l W n BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET Q",
            "BT /F 10 Tf 1 0 0 1 20 200 Tm (Grade two) Tj ET",
            "BT /F 2 Tf 1 0 0 1 20 100 Tm (and three) Tj ET",
            "q /Faint gs 10 90 200 30 re f Q BT /F 10 Tf 1 0 0 1 20 100 Tm (and three) Tj ET",
            "q 20 0 0 20 300 20 cm BI /W 2 /H 1 /CS /G /BPC 8 ID a0 EI Q",
            "20 100 4 8 re f 27 100 4 8 re f 34 100 4 8 re f 41 100 4 8 re f 48 100 4 8 re f",
        ] {
            assert!(!is_plain(content), "{content}");
        }
    }
}

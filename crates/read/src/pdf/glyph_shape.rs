//! Shapes of the glyphs of fonts: whether there is one, and how much ink it has.

use super::glyphs::UNITS_PER_EM;
use hayro_interpret::font::OutlineGlyph;
use hayro_interpret::kurbo::{Rect, Shape};

/// The height of a capital, and the most that a shape reaches beyond its place, in thousandths of its size.
const CAPITAL: f64 = 700.0;
const MOST_BEYOND: f64 = 400.0;

/// The shape of a glyph of a font.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GlyphShape {
    pub(super) is_there: bool,
    area: f64,
}

impl GlyphShape {
    /// The shape of an outline.
    pub(super) fn of(outline: &OutlineGlyph) -> Self {
        let shape = outline.outline();
        if shape.is_empty() {
            return GlyphShape::default();
        }
        let advance = outline.advance_width().map_or(UNITS_PER_EM, f64::from);
        let place = Rect::new(0.0, 0.0, advance, CAPITAL).inflate(MOST_BEYOND, MOST_BEYOND);
        let is_placed = place.contains_rect(shape.bounding_box());
        GlyphShape { is_there: true, area: if is_placed { shape.area().abs() } else { 0.0 } }
    }

    /// Its area, in square thousandths of its size; 0 if it is not in its place.
    pub(super) fn area(self) -> f64 {
        self.area
    }

    /// The shape of a glyph that a program draws.
    pub(super) fn drawn() -> Self {
        GlyphShape { is_there: true, area: 0.0 }
    }
}

//! Texts that nothing draws, placed as a viewer would draw them: values of form fields.

use super::super::page_layout::is_right_to_left;
use super::glyphs::Glyph;
use hayro_interpret::kurbo::{Affine, Point, Rect, Vec2};

/// The size of a text that is made to fit its rectangle.
const USUAL_SIZE: f64 = 12.0;
const SMALLEST_SIZE: f64 = 2.0;
/// The height of a line, and the height above its baseline, in parts of the size.
const LEADING: f64 = 1.15;
const ASCENT: f64 = 0.8;
/// The width of a character, in parts of the size.
const WIDTH: f64 = 0.5;
/// The least side of a rectangle that is seen, in points.
const LEAST_SIDE: f64 = 2.0;

/// A text for a rectangle.
#[derive(Debug, Default)]
pub(super) struct PlacedValue {
    pub(super) text: String,
    /// `true` if it continues in a new line where one is full.
    pub(super) is_multiline: bool,
    /// Its size; `None` if it is made to fit.
    pub(super) size: Option<f64>,
}

impl PlacedValue {
    /// A glyph for each word and each blank of the text, within the rectangle.
    pub(super) fn glyphs(&self, rect: Rect, to_page: Affine) -> Vec<Glyph> {
        if rect.width().min(rect.height()) < LEAST_SIDE {
            return Vec::new();
        }
        let fitting = (rect.height() / LEADING).min(USUAL_SIZE);
        let wanted = self.size.unwrap_or(fitting);
        let lines = self.lines(rect.width() / (WIDTH * wanted));
        let count = u32::try_from(lines.len()).map_or(1.0, f64::from).max(1.0);
        let size = wanted.min(rect.height() / LEADING / count).max(SMALLEST_SIZE);
        let mut baseline = rect.y1 - ASCENT * size;
        if !self.is_multiline {
            baseline -= (rect.height() - size * LEADING * count).max(0.0) / 2.0;
        }
        let mut glyphs = Vec::new();
        for line in lines {
            write_line(&line, Point::new(rect.x0, baseline), (size, rect.width()), to_page, &mut glyphs);
            baseline -= LEADING * size;
        }
        glyphs
    }

    /// The lines of the text, of so many characters if it is broken into lines.
    fn lines(&self, characters: f64) -> Vec<String> {
        let mut lines = Vec::new();
        for paragraph in self.text.split(['\r', '\n']).filter(|paragraph| !paragraph.trim().is_empty()) {
            let mut line = String::new();
            for word in paragraph.split_whitespace() {
                let length = line.chars().count() + 1 + word.chars().count();
                let is_full = u32::try_from(length).map_or(f64::INFINITY, f64::from) > characters;
                if self.is_multiline && is_full && !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            lines.push(line);
        }
        lines
    }
}

/// Appends the glyphs of a line, narrower than usual where it has no room.
fn write_line(line: &str, start: Point, (size, room): (f64, f64), to_page: Affine, glyphs: &mut Vec<Glyph>) {
    let characters = |text: &str| u32::try_from(text.chars().count()).map_or(1.0, f64::from);
    let width = (WIDTH * size).min(room / characters(line).max(1.0));
    let mut words: Vec<&str> = line.split(' ').collect();
    // As it is seen: the first word at the right end.
    if is_right_to_left(line) {
        words.reverse();
    }
    let turn = |vector: Vec2| (to_page * vector.to_point()) - (to_page * Point::ZERO);
    let mut origin = start;
    let mut write = |text: &str| {
        let advance = Vec2::new(width * characters(text), 0.0);
        glyphs.push(Glyph {
            text: Some(text.into()),
            origin: to_page * origin,
            advance: turn(advance),
            size: turn(Vec2::new(0.0, size)).hypot(),
            is_visible: true,
            shade: None,
            // Nothing draws it.
            has_shape: false,
        });
        origin += advance;
    };
    for (at, word) in words.into_iter().enumerate() {
        if at > 0 {
            write(" ");
        }
        write(word);
    }
}

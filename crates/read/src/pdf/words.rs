//! Words of a page: glyphs that touch, in a frame in which their text runs to the right.

use super::glyphs::Glyph;
use crate::page_layout::{PlacedWord, as_seen, is_right_to_left};
use hayro_interpret::kurbo::{Affine, Point, Rect, Vec2};

/// The gap that separates two words, in parts of the size: a blank has about 0.25.
const WORD_GAP: f64 = 0.17;
/// The most that a glyph goes back over the one before it, in parts of the size.
const OVERLAP: f64 = 0.5;
/// The most that the baseline of a glyph differs from that of its word, in parts of the size.
const ON_BASELINE: f64 = 0.3;
/// The distance below which a glyph that equals the one before it is its shadow, which fakes bold type, in parts of the
/// size.
const SHADOW: f64 = 0.15;
/// The parts of a font's size above and below its baseline.
const ASCENT: f64 = 0.8;
const DESCENT: f64 = 0.2;
/// The most degrees by which text may be off a right angle and still count as parallel to the page: a scan's skew.
const MOST_SKEW: i32 = 10;
/// Bounds on what counts as a location: what is beyond is on no page.
const FARTHEST: f64 = 1e6;

/// Words of one direction.
pub(super) struct DirectedWords {
    pub(super) words: Vec<PlacedWord>,
    /// From the frame of their lines to the page.
    pub(super) to_page: Affine,
}

/// The words of a page by the direction of their text, that of most glyphs first.
pub(super) fn words_by_direction(glyphs: &[Glyph]) -> Vec<DirectedWords> {
    let mut groups: Vec<(i32, Vec<&Glyph>)> = Vec::new();
    for glyph in glyphs.iter().filter(|glyph| is_placed(glyph)) {
        let turn = turn_of(glyph.advance);
        match groups.iter_mut().find(|group| group.0 == turn) {
            Some(group) => group.1.push(glyph),
            None => groups.push((turn, vec![glyph])),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.1.len()));
    let directed = |(turn, glyphs): (i32, Vec<&Glyph>)| {
        let to_page = Affine::rotate(f64::from(turn).to_radians());
        DirectedWords { words: words(&glyphs, to_page.inverse()), to_page }
    };
    groups.into_iter().map(directed).collect()
}

fn is_placed(glyph: &Glyph) -> bool {
    let Point { x, y } = glyph.origin;
    let advance = glyph.advance.hypot();
    x.abs() < FARTHEST
        && y.abs() < FARTHEST
        && advance < FARTHEST
        && glyph.size > 0.0
        && glyph.size < FARTHEST
}

/// The direction of a glyph's text in degrees; that of the page's edge if it is nearly that.
#[expect(clippy::cast_possible_truncation, reason = "an angle in degrees")]
fn turn_of(advance: Vec2) -> i32 {
    let degrees = advance.y.atan2(advance.x).to_degrees().round() as i32;
    let edge = (degrees + 360 + 45) / 90 % 4 * 90;
    let off = (degrees - edge + 540) % 360 - 180;
    if off.abs() <= MOST_SKEW { edge } else { degrees }
}

/// The words of glyphs in the order of the content stream.
fn words(glyphs: &[&Glyph], to_frame: Affine) -> Vec<PlacedWord> {
    let mut words: Vec<PlacedWord> = Vec::new();
    let mut open: Option<PlacedWord> = None;
    let mut last: Option<(Point, &str)> = None;
    for glyph in glyphs {
        let (origin, end) = (to_frame * glyph.origin, to_frame * (glyph.origin + glyph.advance));
        let text = glyph.text.as_deref().unwrap_or("\u{fffd}");
        let is_shadow =
            |(at, same): (Point, &str)| same == text && (at - origin).hypot() < SHADOW * glyph.size;
        if last.is_some_and(is_shadow) {
            continue;
        }
        last = Some((origin, text));
        if text.chars().all(|c| c.is_whitespace() || c.is_control()) {
            let blank = Some((origin.x + end.x) / 2.0);
            words.extend(open.take().map(|word| PlacedWord { blank, ..word }));
            continue;
        }
        let (left, right) = (origin.x.min(end.x), origin.x.max(end.x));
        let (top, bottom) = (origin.y - ASCENT * glyph.size, origin.y + DESCENT * glyph.size);
        let glyph = PlacedWord {
            text: as_seen(text),
            bounds: Rect::new(left, top, right, bottom),
            baseline: origin.y,
            size: glyph.size,
            blank: None,
            ocr: None,
        };
        open = match open.take() {
            None => Some(glyph),
            Some(word) => match Joint::of(&word, &glyph) {
                Some(joint) => Some(extended(word, &glyph, joint)),
                None => {
                    words.push(word);
                    Some(glyph)
                }
            },
        };
    }
    words.extend(open);
    words
}

/// The side of a word at which a glyph continues it.
enum Joint {
    After,
    Before,
}

impl Joint {
    fn of(word: &PlacedWord, glyph: &PlacedWord) -> Option<Self> {
        let size = glyph.size.max(word.size);
        if (glyph.baseline - word.baseline).abs() > ON_BASELINE * glyph.size.min(word.size) {
            return None;
        }
        let after = glyph.bounds.x0 - word.bounds.x1;
        let before = word.bounds.x0 - glyph.bounds.x1;
        if is_right_to_left(&glyph.text) && (-OVERLAP * size..=WORD_GAP * size).contains(&before) {
            Some(Joint::Before)
        } else if (-OVERLAP * size..=WORD_GAP * size).contains(&after) {
            Some(Joint::After)
        } else {
            None
        }
    }
}

/// A word with a glyph at one of its ends.
fn extended(mut word: PlacedWord, glyph: &PlacedWord, joint: Joint) -> PlacedWord {
    match joint {
        Joint::After => word.text.push_str(&glyph.text),
        Joint::Before => word.text.insert_str(0, &glyph.text),
    }
    word.bounds = word.bounds.union(glyph.bounds);
    word.size = word.size.max(glyph.size);
    word
}

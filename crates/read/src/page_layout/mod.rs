//! Layout of a page: from placed words, of a PDF or of OCR, to text with the location of each word.
//!
//! [`lines`] are words of one baseline; [`columns`], the order in which parts of a page are read; [`layout`] writes them as
//! text.

mod columns;
mod layout;
mod lines;
mod placed_word;
mod right_to_left;
mod sizes;

pub(super) use layout::{LaidWord, PlacedText};
pub(super) use placed_word::{OcrMark, PlacedWord};
pub(super) use right_to_left::{as_seen, is_right_to_left};
pub(super) use sizes::quantile;

use hayro_interpret::kurbo::Rect;
use loopctl_core::document::PageBox;

/// The box of a page as a rectangle in points.
pub(super) fn rectangle(bounds: PageBox) -> Rect {
    let (left, top) = (f64::from(bounds.left), f64::from(bounds.top));
    Rect::new(left, top, left + f64::from(bounds.width), top + f64::from(bounds.height))
}

/// A rectangle in points, as the box of a page.
#[expect(clippy::cast_possible_truncation, reason = "points on a page; a hundredth is finer than ink")]
pub(super) fn page_box(bounds: Rect) -> PageBox {
    let point = |value: f64| (value * 100.0).round() as f32 / 100.0;
    PageBox {
        left: point(bounds.x0),
        top: point(bounds.y0),
        width: point(bounds.width()),
        height: point(bounds.height()),
    }
}

//! Words as they are placed on a page.

use hayro_interpret::kurbo::Rect;

/// A word, in the frame of its lines.
#[derive(Debug, Clone)]
pub(in super::super) struct PlacedWord {
    /// Its characters in the order in which they are seen, from left to right.
    pub(in super::super) text: String,
    pub(in super::super) bounds: Rect,
    pub(in super::super) baseline: f64,
    pub(in super::super) size: f64,
    /// The middle of a blank that was drawn after it.
    pub(in super::super) blank: Option<f64>,
    /// The reading by OCR, if it comes from one.
    pub(in super::super) ocr: Option<OcrMark>,
}

/// The sureness of a reading by OCR, and a second one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct OcrMark {
    /// The confidence, from 0 to 100.
    pub(in super::super) confidence: u8,
    /// The reading by a second engine, if its digits differ; empty where that has no word.
    pub(in super::super) other: Option<String>,
    /// `true` if it has digits, and ink is in it or beside it that was not read.
    pub(in super::super) has_unread_ink: bool,
}

impl PlacedWord {
    /// The distance from the right edge of this word to the left edge of the next one.
    pub(in super::super) fn gap_to(&self, next: &PlacedWord) -> f64 {
        next.bounds.x0 - self.bounds.x1
    }

    /// Appends the next part of this word.
    pub(super) fn join(&mut self, next: PlacedWord) {
        self.ocr = match (self.ocr.take(), next.ocr) {
            (Some(left), Some(right)) => Some(left.joined(&self.text, right, &next.text)),
            (one, None) | (None, one) => one,
        };
        self.text.push_str(&next.text);
        self.bounds = self.bounds.union(next.bounds);
        self.blank = next.blank;
    }
}

impl OcrMark {
    fn joined(self, left: &str, right: OcrMark, right_text: &str) -> Self {
        let other = match (self.other, right.other) {
            (None, None) => None,
            (one, other) => {
                let (one, other) = (one.unwrap_or(left.to_owned()), other.unwrap_or(right_text.to_owned()));
                Some(one + other.as_str())
            }
        };
        OcrMark {
            confidence: self.confidence.min(right.confidence),
            other,
            has_unread_ink: self.has_unread_ink || right.has_unread_ink,
        }
    }
}

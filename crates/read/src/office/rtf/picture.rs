//! A picture of an RTF file: its bytes, or the size that it is declared to have.

use crate::image_file::{is_large, may_hold_text};

/// Twentieths of a point in a pixel of a screen.
const TWIPS_OF_A_PIXEL: u32 = 15;

/// A picture, as far as it is read.
#[derive(Debug, Default)]
pub(super) struct RtfPicture {
    bytes: Vec<u8>,
    /// The first digit of the byte that comes next.
    digit: Option<u8>,
    /// Its width and height in pixels.
    pixels: (u32, u32),
    /// Its width and height as it is shown, in twentieths of a point.
    twips: (u32, u32),
}

impl RtfPicture {
    /// Reads a control word about it.
    pub(super) fn control(&mut self, word: &str, number: Option<i32>) {
        let number = number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
        match word {
            "picw" => self.pixels.0 = number,
            "pich" => self.pixels.1 = number,
            "picwgoal" => self.twips.0 = number,
            "pichgoal" => self.twips.1 = number,
            _ => {}
        }
    }

    /// Reads a hexadecimal digit of its bytes.
    pub(super) fn digit(&mut self, digit: u8) {
        let Some(value) = char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok()) else {
            return;
        };
        match self.digit.take() {
            Some(first) => self.bytes.push((first << 4) | value),
            None => self.digit = Some(value),
        }
    }

    /// Reads bytes of it that are written as they are.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns whether it is large enough to hold text that a person reads. One without bytes is a link to another file: it
    /// has the size at which it is shown, or else the one that the file gives.
    pub(super) fn may_hold_text(&self) -> bool {
        if !self.bytes.is_empty() {
            return may_hold_text(&self.bytes);
        }
        let shown = (self.twips.0 / TWIPS_OF_A_PIXEL, self.twips.1 / TWIPS_OF_A_PIXEL);
        let (width, height) = if shown == (0, 0) { self.pixels } else { shown };
        is_large(width, height)
    }
}

//! The words of a line, with their places.

use crate::crop::{LINE_HEIGHT, LineCrop};
use crate::ctc::ReadCharacter;
use crate::geometry::TextRegion;
use crate::ink::LineInk;
use crate::rounding::measure;

/// A word that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognizedWord {
    /// The word.
    pub text: String,
    /// Its place in the picture.
    pub region: TextRegion,
    /// The confidence of its characters, from 0 to 1.
    pub confidence: f64,
}

/// Splits a line at its blanks, and where its ink is further apart than that of a word: blanks are lost at times, and two
/// numbers must not become one. Each word reaches from gap to gap of the ink around the places of its characters.
pub(crate) fn words_of(crop: &LineCrop, characters: &[ReadCharacter]) -> Vec<RecognizedWord> {
    let ink = LineInk::of(crop);
    let rows = ink.rows().unwrap_or((0.0, measure(LINE_HEIGHT)));
    let place = |character: Option<&ReadCharacter>| {
        crop.column(LineCrop::column_of(character.map_or(0.0, |character| character.step)))
    };
    let is_apart = |one: &ReadCharacter, next: &ReadCharacter| {
        let gap = ink.widest_gap(place(Some(one)), place(Some(next)));
        gap.is_some_and(|(first, end)| end - first >= WIDEST_GAP)
    };
    let parts: Vec<&[ReadCharacter]> = characters
        .split(|character| character.text.chars().all(char::is_whitespace))
        .flat_map(|part| part.chunk_by(|one, next| !is_apart(one, next)))
        .filter(|part| !part.is_empty())
        .collect();
    let mut begin = begin_of_line(&ink, place(parts.first().and_then(|part| part.first())));
    let mut words = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        let last = place(part.last());
        let next = parts.get(at + 1).map(|next| place(next.first()));
        let (end, next_begin) = match next {
            Some(next) => {
                let middle = last.midpoint(next);
                ink.widest_gap(last, next).unwrap_or((middle, middle))
            }
            None => {
                let end = end_of_line(&ink, last, crop.width());
                (end, end)
            }
        };
        let end = end.max(begin + 1);
        words.push(RecognizedWord {
            text: part.iter().map(|character| character.text.as_str()).collect(),
            region: crop.part((measure(begin), measure(end)), rows),
            confidence: confidence(part),
        });
        begin = next_begin.max(end);
    }
    words
}

/// The widest gap within a word or a number, in pixels of a crop.
const WIDEST_GAP: usize = LINE_HEIGHT / 2;

/// The first column of the ink that ends at the first character, without what is further away.
fn begin_of_line(ink: &LineInk, first: usize) -> usize {
    let mut begin = first;
    while let Some(last) = ink.last_ink(begin.saturating_sub(WIDEST_GAP), begin) {
        begin = last - 1;
    }
    begin
}

/// The column after the ink that begins at the last character.
fn end_of_line(ink: &LineInk, last: usize, width: usize) -> usize {
    let mut end = last + 1;
    while let Some(next) = ink.first_ink(end, (end + WIDEST_GAP).min(width)) {
        end = next + 1;
    }
    end
}

/// The confidence of a word: that of its worst character, because one wrong digit is a wrong number.
fn confidence(part: &[ReadCharacter]) -> f64 {
    part.iter().map(|character| character.confidence).fold(1.0, f64::min)
}

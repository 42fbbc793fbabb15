//! The words of a line, with their places.

use crate::crop::{LINE_HEIGHT, LineCrop};
use crate::ctc::ReadCharacter;
use crate::geometry::TextRegion;
use crate::ink::LineInk;
use crate::rounding::{ceil, measure};

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

/// The gap from which two characters are surely of two words, in pixels of a crop: wider than that beside the point of a
/// number in type of equal widths.
const SURELY_APART: usize = 20;
/// The gap up to which they are of one.
const SURELY_TOGETHER: usize = 12;
/// The share of most blanks of a line from which a gap without one is a blank that was not read.
const LIKE_A_BLANK: f64 = 0.8;
/// The blanks from which a line shows how wide they are.
const ENOUGH_BLANKS: usize = 4;

/// Splits a line at its blanks, and where its ink is as far apart: blanks are lost at times, and two numbers must not become
/// one. Each word reaches from gap to gap of the ink around the places of its characters.
pub(crate) fn words_of(crop: &LineCrop, characters: &[ReadCharacter]) -> Vec<RecognizedWord> {
    let ink = LineInk::of(crop);
    let rows = ink.rows().unwrap_or((0.0, measure(LINE_HEIGHT)));
    let place = |character: Option<&ReadCharacter>| {
        crop.column(LineCrop::column_of(character.map_or(0.0, |character| character.step)))
    };
    let gap = |one: Option<&ReadCharacter>, next: Option<&ReadCharacter>| {
        ink.widest_gap(place(one), place(next)).map_or(0, |(first, end)| end - first)
    };
    let is_blank = |character: &ReadCharacter| character.text.chars().all(char::is_whitespace);
    let written: Vec<&[ReadCharacter]> = characters.split(is_blank).filter(|part| !part.is_empty()).collect();
    let blanks =
        written.iter().zip(written.iter().skip(1)).map(|(part, next)| gap(part.last(), next.first()));
    let apart = gap_between_words(blanks.collect());
    let parts: Vec<&[ReadCharacter]> = written
        .iter()
        .flat_map(|part| part.chunk_by(|one, next| gap(Some(one), Some(next)) < apart))
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

/// The width from which a gap is one between words, in a line with these blanks.
fn gap_between_words(mut blanks: Vec<usize>) -> usize {
    if blanks.len() < ENOUGH_BLANKS {
        return SURELY_APART;
    }
    blanks.sort_unstable();
    let usual = blanks.get(blanks.len() / 4).copied().unwrap_or(SURELY_APART);
    ceil(LIKE_A_BLANK * measure(usual)).clamp(SURELY_TOGETHER, SURELY_APART)
}

/// The first column of the ink that ends at the first character, without what is further away.
fn begin_of_line(ink: &LineInk, first: usize) -> usize {
    let mut begin = first;
    while let Some(last) = ink.last_ink(begin.saturating_sub(SURELY_APART), begin) {
        begin = last - 1;
    }
    begin
}

/// The column after the ink that begins at the last character.
fn end_of_line(ink: &LineInk, last: usize, width: usize) -> usize {
    let mut end = last + 1;
    while let Some(next) = ink.first_ink(end, (end + SURELY_APART).min(width)) {
        end = next + 1;
    }
    end
}

/// The confidence of a word: that of its worst character, because one wrong digit is a wrong number.
fn confidence(part: &[ReadCharacter]) -> f64 {
    part.iter().map(|character| character.confidence).fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crop::STEP_WIDTH;
    use crate::picture::RgbPicture;

    /// A line of bars, each 10 pixels wide, from these columns on, and a character in the middle of each. A blank of the
    /// model is between characters where `blanks` says so.
    fn words(columns: &[usize], blanks: &[usize]) -> Vec<(String, (f64, f64))> {
        let width = columns.iter().max().unwrap() + 60;
        let is_ink = |at: &usize| {
            let (row, column) = (at / width, at % width);
            (10..38).contains(&row) && columns.iter().any(|left| (*left..left + 10).contains(&column))
        };
        let pixels = (0..width * LINE_HEIGHT).map(|at| if is_ink(&at) { [20; 3] } else { [250; 3] });
        let picture = RgbPicture::new(width, LINE_HEIGHT, pixels.collect()).unwrap();
        let region = TextRegion::upright(0.0, 0.0, measure(width), measure(LINE_HEIGHT));
        let crop = LineCrop::of(&picture, region).unwrap();
        let character = |text: &str, column: f64| ReadCharacter {
            text: text.to_owned(),
            step: column / measure(STEP_WIDTH) - 0.5,
            confidence: 0.9,
        };
        let mut characters = Vec::new();
        for (at, left) in columns.iter().enumerate() {
            if blanks.contains(&at) {
                characters.push(character(" ", measure(left - 4)));
            }
            characters.push(character(&at.to_string(), measure(left + 5)));
        }
        let words = words_of(&crop, &characters);
        words
            .into_iter()
            .map(|word| {
                let [first, second, ..] = word.region.corners();
                assert!((first.y - 10.0).abs() < 1.5 && (word.region.thickness() - 28.0).abs() < 2.5);
                (word.text, (first.x, second.x))
            })
            .collect()
    }

    fn texts(columns: &[usize], blanks: &[usize]) -> Vec<String> {
        words(columns, blanks).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn words_reach_from_gap_to_gap_of_their_ink() {
        for (found, expected) in
            words(&[30, 42, 70, 82], &[2]).into_iter().zip([("01", (30.0, 52.0)), ("23", (70.0, 92.0))])
        {
            assert_eq!(found.0, expected.0);
            assert!(
                (found.1.0 - expected.1.0).abs() < 1.5 && (found.1.1 - expected.1.1).abs() < 1.5,
                "{found:?}"
            );
        }
    }

    /// The point of a number in type of equal widths has much space at both sides, and stays.
    #[test]
    fn ink_far_apart_is_of_two_words_without_a_blank() {
        assert_eq!(texts(&[30, 42, 74, 86], &[]), ["01", "23"]);
        assert_eq!(texts(&[30, 56, 82], &[]), ["012"]);
        // Beside blanks of 13 pixels, a gap of 13 is one that was not read; beside blanks of 28 it is none.
        assert_eq!(texts(&[30, 53, 76, 99, 122, 145], &[1, 2, 3, 4]), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(texts(&[30, 68, 106, 144, 182, 205], &[1, 2, 3, 4]), ["0", "1", "2", "3", "45"]);
    }

    #[test]
    fn a_line_without_characters_or_ink_has_no_fault() {
        assert!(texts(&[30], &[]).len() == 1);
        let white = RgbPicture::new(200, 60, vec![[255; 3]; 200 * 60]).unwrap();
        let crop = LineCrop::of(&white, TextRegion::upright(0.0, 0.0, 200.0, 60.0)).unwrap();
        assert!(words_of(&crop, &[]).is_empty());
        let character = ReadCharacter { text: "x".to_owned(), step: 1e9, confidence: 0.1 };
        assert_eq!(words_of(&crop, &[character.clone(), character]).len(), 1);
    }
}

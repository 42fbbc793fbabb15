//! Places for the words that an engine read: their sizes and baselines, for the layout of pages.

use super::PictureFrame;
use super::proofreading::SecondLook;
use super::tesseract_table::OcrWord;
use crate::page_layout::{OcrMark, PlacedWord, quantile};
use hayro_interpret::kurbo::Rect;

/// The heights of letters, in parts of a font's size: small ones, tall ones, and what hangs below the line.
const SMALL: f64 = 0.5;
const TALL: f64 = 0.7;
const BELOW: f64 = 0.22;

/// The words in points from the top left corner of their picture, with what a second look at them found.
pub(super) fn placed(words: &[OcrWord], looks: &[SecondLook], frame: &PictureFrame) -> Vec<PlacedWord> {
    let mut placed = Vec::with_capacity(words.len());
    for line in indices_by_line(words) {
        let of_line: Vec<&OcrWord> = line.iter().filter_map(|at| words.get(*at)).collect();
        let size = quantile(of_line.iter().filter_map(|word| size(word)), 0.5)
            .or_else(|| quantile(of_line.iter().map(|word| word.bottom - word.top), 0.5))
            .unwrap_or(1.0);
        let level = quantile(of_line.iter().filter_map(|word| baseline(word, size)), 0.5)
            .or_else(|| quantile(of_line.iter().map(|word| word.bottom), 0.5))
            .unwrap_or_default();
        for (at, word) in line.iter().filter_map(|at| Some((*at, words.get(*at)?))) {
            let points = frame.points;
            let SecondLook { reads: other, has_unread_ink } = looks.get(at).cloned().unwrap_or_default();
            placed.push(PlacedWord {
                text: word.text.clone(),
                bounds: Rect::new(
                    word.left * points,
                    word.top * points,
                    word.right * points,
                    word.bottom * points,
                ),
                baseline: baseline(word, size).unwrap_or(level) * points,
                size: size * points,
                // The engine told the words apart.
                blank: Some(word.right * points),
                ocr: Some(OcrMark { confidence: word.confidence, other, has_unread_ink }),
            });
        }
    }
    placed
}

/// The words of each line, by their numbers.
pub(super) fn indices_by_line(words: &[OcrWord]) -> Vec<Vec<usize>> {
    let numbers: Vec<usize> = (0..words.len()).collect();
    let line = |at: &usize| words.get(*at).map(|word| word.line);
    numbers.chunk_by(|a, b| line(a) == line(b)).map(<[usize]>::to_vec).collect()
}

/// The size of the font that a word is in, by the letters that it has.
fn size(word: &OcrWord) -> Option<f64> {
    let letters = |kind: fn(char) -> bool| word.text.chars().any(kind);
    let above = if letters(is_tall) {
        TALL
    } else if letters(is_small) {
        SMALL
    } else {
        return None;
    };
    let below = if letters(hangs) { BELOW } else { 0.0 };
    Some((word.bottom - word.top) / (above + below))
}

/// The line that the letters of a word stand on; `None` for dashes and quotes, which float.
fn baseline(word: &OcrWord, size: f64) -> Option<f64> {
    let stands = word.text.chars().any(|c| is_tall(c) || is_small(c));
    let below = if word.text.chars().any(hangs) { BELOW } else { 0.0 };
    stands.then_some(word.bottom - below * size)
}

fn is_tall(c: char) -> bool {
    c.is_numeric() || c.is_uppercase() || "bdfhklt".contains(c) || (c.is_alphabetic() && !c.is_ascii())
}

fn is_small(c: char) -> bool {
    c.is_ascii_lowercase()
}

fn hangs(c: char) -> bool {
    "gjpqyQ,;()[]{}|/\\@$_".contains(c)
}

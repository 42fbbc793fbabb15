//! Second readings of the lines that hold digits, held against the first.

use super::placement::indices_by_line;
use super::tesseract_table::OcrWord;
use super::{LineSheet, SheetTask, Turn};

/// The gap between two words from which they are read apart, in parts of their height.
const APART: f64 = 3.0;
/// The part of the narrower word that two readings of one word share.
const SHARED: f64 = 0.5;

/// A stretch of a line that holds a digit: the numbers of its words.
pub(super) type Stretch = Vec<usize>;

/// The stretches of lines that hold digits.
pub(super) fn stretches(words: &[OcrWord]) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    for line in indices_by_line(words) {
        let is_near = |a: &usize, b: &usize| {
            let (Some(a), Some(b)) = (words.get(*a), words.get(*b)) else { return false };
            b.left - a.right < APART * (a.bottom - a.top).max(b.bottom - b.top)
        };
        let parts = line.chunk_by(is_near).map(<[usize]>::to_vec);
        stretches.extend(parts.filter(|part| part.iter().any(|at| words.get(*at).is_some_and(has_digit))));
    }
    stretches
}

/// The task to draw these stretches below each other.
pub(super) fn sheet_task(words: &[OcrWord], stretches: &[Stretch], turn: Turn, scale: f64) -> SheetTask {
    let bounds = |stretch: &Stretch| {
        let of = || stretch.iter().filter_map(|at| words.get(*at));
        let left = of().map(|word| word.left).fold(f64::INFINITY, f64::min);
        let top = of().map(|word| word.top).fold(f64::INFINITY, f64::min);
        let right = of().map(|word| word.right).fold(0.0, f64::max);
        let bottom = of().map(|word| word.bottom).fold(0.0, f64::max);
        [left, top, right - left, bottom - top]
    };
    SheetTask { turn, lines: stretches.iter().map(bounds).collect(), scale }
}

/// For each word its second reading where the digits differ, from the words that were read on a sheet.
pub(super) fn differing(
    words: &[OcrWord],
    stretches: &[Stretch],
    sheet: &LineSheet,
    again: &[OcrWord],
) -> Vec<Option<String>> {
    let mut differing = vec![None; words.len()];
    for (at, stretch) in stretches.iter().enumerate() {
        // A line for which the sheet had no room was read once, which is not enough.
        let mut seen = sheet.lines.get(at).map_or_else(Vec::new, |place| seen_at(*place, sheet.scale, again));
        seen.sort_by(|a, b| a.left.total_cmp(&b.left));
        for at in stretch {
            let (Some(word), Some(into)) = (words.get(*at), differing.get_mut(*at)) else { continue };
            if has_digit(word) {
                *into = other_reading(word, &seen);
            }
        }
    }
    differing
}

/// The words that were read at a place of a sheet.
fn seen_at((top, bottom, left): (f64, f64, f64), scale: f64, again: &[OcrWord]) -> Vec<SecondWord<'_>> {
    let is_there = |word: &&OcrWord| (top..=bottom).contains(&f64::midpoint(word.top, word.bottom));
    let place = |pixel: f64| left + pixel / scale;
    let seen = again.iter().filter(is_there);
    seen.map(|word| SecondWord { left: place(word.left), right: place(word.right), text: &word.text })
        .collect()
}

/// A word of the second reading, in the pixels of the first.
struct SecondWord<'a> {
    left: f64,
    right: f64,
    text: &'a str,
}

/// The second reading of a word, if its digits differ.
fn other_reading(word: &OcrWord, seen: &[SecondWord<'_>]) -> Option<String> {
    let shared = |other: &SecondWord<'_>| word.right.min(other.right) - word.left.max(other.left);
    let is_same = |other: &&SecondWord<'_>| {
        shared(other) > SHARED * (word.right - word.left).min(other.right - other.left)
    };
    let reads: String = seen.iter().filter(is_same).map(|other| other.text).collect();
    let numbers = numbers(&word.text);
    if self::numbers(&reads) == numbers {
        return None;
    }
    // The engines may tell words apart in other ways.
    let around: String = seen.iter().filter(|other| shared(other) > 0.0).map(|other| other.text).collect();
    let all = self::numbers(&around);
    let is_there = all.windows(numbers.len().max(1)).any(|some| some == numbers);
    (!is_there).then_some(reads)
}

fn has_digit(word: &OcrWord) -> bool {
    word.text.chars().any(char::is_numeric)
}

/// The numbers in a text: digits, with points and commas between them.
fn numbers(text: &str) -> Vec<String> {
    let is_mark = |c: char| matches!(c, '.' | ',');
    text.split(|c: char| !c.is_numeric() && !is_mark(c))
        .map(|number| number.trim_matches(is_mark).to_owned())
        .filter(|number| !number.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, left: f64, right: f64, top: f64) -> OcrWord {
        OcrWord {
            text: text.to_owned(),
            line: (1, 1, 1),
            left,
            right,
            top,
            bottom: top + 20.0,
            confidence: 90,
        }
    }

    /// The second reading of the first word of a line, where that reads the words of `again`.
    fn read_again(first: &str, again: &[(&str, f64, f64)]) -> Option<String> {
        let words = [word(first, 100.0, 160.0, 500.0), word("mm", 170.0, 200.0, 500.0)];
        let stretches = stretches(&words);
        assert_eq!(stretches, [vec![0, 1]]);
        let sheet = LineSheet { lines: vec![(10.0, 40.0, 90.0)], scale: 0.5 };
        let again: Vec<OcrWord> = again
            .iter()
            .map(|(text, left, right)| word(text, (left - 90.0) * 0.5, (right - 90.0) * 0.5, 15.0))
            .collect();
        differing(&words, &stretches, &sheet, &again)[0].clone()
    }

    #[test]
    fn digits_that_differ_are_told_with_their_decimal_marks() {
        assert_eq!(read_again("13.2", &[("13.2", 101.0, 161.0), ("mm", 170.0, 199.0)]), None);
        assert_eq!(read_again("13.2", &[("18.2", 101.0, 161.0)]), Some("18.2".to_owned()));
        assert_eq!(read_again("13.2", &[("132", 101.0, 161.0)]), Some("132".to_owned()));
        assert_eq!(read_again("13.2", &[("mm", 170.0, 199.0)]), Some(String::new()));
        // Not its digits.
        assert_eq!(read_again("(13.2);", &[("13.2", 101.0, 161.0)]), None);
        assert_eq!(read_again("p13", &[("P13", 101.0, 161.0)]), None);
    }

    #[test]
    fn lines_that_a_sheet_has_no_room_for_are_in_doubt() {
        let words = [word("13.2", 100.0, 160.0, 500.0)];
        let sheet = LineSheet { lines: vec![], scale: 1.0 };
        assert_eq!(differing(&words, &stretches(&words), &sheet, &[]), [Some(String::new())]);
    }

    #[test]
    fn words_may_be_told_apart_in_other_ways() {
        assert_eq!(
            read_again("p=13.2", &[("p", 100.0, 108.0), ("=", 110.0, 118.0), ("13.2", 120.0, 160.0)]),
            None
        );
        assert_eq!(read_again("13.2", &[("13.2mm", 100.0, 200.0)]), None);
        assert_eq!(read_again("13.2", &[("113.2mm", 90.0, 200.0)]), Some(String::from("113.2mm")));
    }

    #[test]
    fn only_stretches_with_digits_are_read_again_and_distant_ones_apart() {
        let words = [
            word("Haemoglobin", 10.0, 90.0, 5.0),
            word("13.2", 300.0, 330.0, 5.0),
            word("g/dL", 340.0, 370.0, 5.0),
        ];
        assert_eq!(stretches(&words), [vec![1, 2]]);
        let task = sheet_task(&words, &stretches(&words), Turn::None, 1.0);
        assert_eq!(task.lines, [[300.0, 5.0, 70.0, 20.0]]);
    }
}

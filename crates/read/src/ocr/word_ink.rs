//! The ink of words with digits, held against their reading: blanks that were not read, and ink that was not.

use super::proofreading::{Stretch, has_digit};
use super::tesseract_table::OcrWord;

/// The ink of a character: left, top, right, bottom.
pub(super) type CharacterInk = [f64; 4];

/// The distance of the middles of two digits beside each other, in parts of their height, where a page has too few to
/// measure it; and the pairs that are enough.
const USUAL_PITCH: f64 = 0.78;
const LEAST_PAIRS: usize = 8;
/// The distance from which there is a blank between two digits, in parts of the usual one; and the gap from which there is
/// one beside another character, in parts of the height of the highest one. Where each character is as wide as a digit, a
/// point stands alone in its place: one pitch from its neighbours, whatever the gap.
const WIDE_PITCH: f64 = 1.3;
const WIDE_GAP: f64 = 0.45;
const ONE_PITCH: f64 = 1.1;

/// Marks of a number without letters, in parts of the height of its digits: the size of a point, how far it is from the line
/// that digits stand on, and the height from which a mark is a digit.
const POINT: (f64, f64) = (0.08, 0.38);
const POINT_ABOVE: f64 = 0.12;
const POINT_BELOW: f64 = 0.35;
const DIGIT: f64 = 0.7;
/// Marks beside a number: the gap up to which they may belong to it, and their sizes.
const NEAR: f64 = 0.7;
const LEAST_MARK: f64 = 0.25;
const MOST_HEIGHT: f64 = 1.25;

/// The words with digits of a page, parted where their ink has a blank that was not read, and the stretches of these.
pub(super) fn parted(
    words: Vec<OcrWord>,
    stretches: &[Stretch],
    ink: &[Vec<CharacterInk>],
) -> (Vec<OcrWord>, Vec<Stretch>) {
    let mut characters: Vec<Option<Vec<CharacterInk>>> = vec![None; words.len()];
    for (stretch, ink) in stretches.iter().zip(ink) {
        for at in stretch {
            if let (Some(word), Some(into)) = (words.get(*at), characters.get_mut(*at)) {
                *into = characters_of(word, ink);
            }
        }
    }
    let pitch = digit_pitch(&words, &characters);
    let mut all = Vec::with_capacity(words.len());
    let mut parts = Vec::with_capacity(words.len());
    for (word, ink) in words.into_iter().zip(characters) {
        let from = all.len();
        match ink {
            Some(ink) => all.extend(parts_of(&word, &ink, pitch)),
            None => all.push(word),
        }
        parts.push(from..all.len());
    }
    let moved =
        |stretch: &Stretch| stretch.iter().filter_map(|at| parts.get(*at).cloned()).flatten().collect();
    let stretches = stretches.iter().map(moved).collect();
    (all, stretches)
}

/// The ink of each character of a word with digits; `None` where it can't be told apart.
fn characters_of(word: &OcrWord, ink: &[CharacterInk]) -> Option<Vec<CharacterInk>> {
    let within: Vec<CharacterInk> = ink_of(word, ink).copied().collect();
    (has_digit(word) && within.len() == word.text.chars().count()).then_some(within)
}

/// The ink in the place of a word.
fn ink_of<'a>(word: &OcrWord, ink: &'a [CharacterInk]) -> impl Iterator<Item = &'a CharacterInk> {
    let (left, right) = (word.left - 1.0, word.right + 1.0);
    ink.iter().filter(move |character| (left..=right).contains(&middle(character)))
}

/// The usual distance of the middles of two digits, in parts of their height.
fn digit_pitch(words: &[OcrWord], characters: &[Option<Vec<CharacterInk>>]) -> f64 {
    let mut pitches = Vec::new();
    for (word, ink) in words.iter().zip(characters) {
        let Some(ink) = ink else { continue };
        let digits = word.text.chars().map(|c| c.is_ascii_digit());
        let marked: Vec<(bool, &CharacterInk)> = digits.zip(ink).collect();
        pitches.extend(marked.windows(2).filter_map(|pair| match pair {
            [(true, left), (true, right)] => Some((middle(right) - middle(left)) / height(left, right)),
            _ => None,
        }));
    }
    pitches.sort_by(f64::total_cmp);
    match pitches.get(pitches.len() / 2) {
        Some(pitch) if pitches.len() >= LEAST_PAIRS => *pitch,
        Some(_) | None => USUAL_PITCH,
    }
}

/// The parts of a word between blanks in its ink.
fn parts_of(word: &OcrWord, ink: &[CharacterInk], pitch: f64) -> Vec<OcrWord> {
    let highest = ink.iter().map(|[_, top, _, bottom]| bottom - top).fold(0.0, f64::max);
    let characters: Vec<(char, &CharacterInk)> = word.text.chars().zip(ink).collect();
    let are_one = |left: &(char, &CharacterInk), right: &(char, &CharacterInk)| {
        let apart = middle(right.1) - middle(left.1);
        if left.0.is_ascii_digit() && right.0.is_ascii_digit() {
            apart < WIDE_PITCH * pitch * height(left.1, right.1)
        } else {
            let ([_, _, end, _], [start, ..]) = (left.1, right.1);
            start - end < WIDE_GAP * highest || apart < ONE_PITCH * pitch * highest
        }
    };
    let part = |characters: &[(char, &CharacterInk)]| {
        let ink = || characters.iter().map(|(_, ink)| ink);
        OcrWord {
            text: characters.iter().map(|(c, _)| c).collect(),
            left: ink().map(|[left, ..]| *left).fold(word.right, f64::min),
            right: ink().map(|[_, _, right, _]| *right).fold(word.left, f64::max),
            ..word.clone()
        }
    };
    let parts: Vec<&[(char, &CharacterInk)]> = characters.chunk_by(are_one).collect();
    match parts.as_slice() {
        [] | [_] => vec![word.clone()],
        several => several.iter().map(|characters| part(characters)).collect(),
    }
}

fn middle([left, _, right, _]: &CharacterInk) -> f64 {
    f64::midpoint(*left, *right)
}

fn height(a: &CharacterInk, b: &CharacterInk) -> f64 {
    (a[3] - a[1]).max(b[3] - b[1]).max(1.0)
}

/// For each word of a stretch, whether its ink has a decimal mark, or ink stands beside it, that was not read.
pub(super) fn have_unread_ink(words: &[&OcrWord], ink: &[CharacterInk]) -> Vec<bool> {
    let is_unread = |word: &&OcrWord| {
        let own: Vec<CharacterInk> = ink_of(word, ink).copied().collect();
        has_digit(word)
            && (points(&own) > points_read(&word.text) || has_unread_beside(word, &own, words, ink))
    };
    words.iter().map(is_unread).collect()
}

/// The marks between digits that look like points or commas.
fn points(ink: &[CharacterInk]) -> usize {
    let highest = ink.iter().map(|[_, top, _, bottom]| bottom - top).fold(0.0, f64::max);
    let is_digit = |[_, top, _, bottom]: &CharacterInk| bottom - top >= DIGIT * highest;
    let mut lines: Vec<f64> = ink.iter().filter(|mark| is_digit(mark)).map(|[.., bottom]| *bottom).collect();
    lines.sort_by(f64::total_cmp);
    let Some(line) = lines.get(lines.len() / 2) else { return 0 };
    let is_point = |[left, top, right, bottom]: &CharacterInk| {
        let (wide, high) = ((right - left) / highest, (bottom - top) / highest);
        (POINT.0..=POINT.1).contains(&wide)
            && (POINT.0..=POINT.1).contains(&high)
            && (line - POINT_ABOVE * highest..=line + POINT_BELOW * highest).contains(bottom)
    };
    let between = |three: &&[CharacterInk]| match three {
        [left, middle, right] => is_digit(left) && is_point(middle) && is_digit(right),
        _ => false,
    };
    ink.windows(3).filter(between).count()
}

/// The characters of a word that have a mark like that of a point.
fn points_read(text: &str) -> usize {
    text.chars().filter(|c| !c.is_alphanumeric()).count()
}

fn has_unread_beside(word: &OcrWord, own: &[CharacterInk], words: &[&OcrWord], ink: &[CharacterInk]) -> bool {
    let highest = own.iter().map(|[_, top, _, bottom]| bottom - top).fold(0.0, f64::max);
    // The box of a word may leave a character out that was read.
    if own.len() < word.text.chars().count() {
        return false;
    }
    let is_beside = |[left, _, right, _]: &CharacterInk| {
        (*right <= word.left && word.left - right <= NEAR * highest)
            || (*left >= word.right && left - word.right <= NEAR * highest)
    };
    let is_mark = |[left, top, right, bottom]: &CharacterInk| {
        (right - left).max(bottom - top) >= LEAST_MARK * highest && bottom - top <= MOST_HEIGHT * highest
    };
    let is_read = |mark: &CharacterInk| {
        words.iter().any(|word| (word.left - 1.0..=word.right + 1.0).contains(&middle(mark)))
    };
    ink.iter().any(|mark| is_beside(mark) && is_mark(mark) && !is_read(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, left: f64, right: f64) -> OcrWord {
        OcrWord {
            text: text.to_owned(),
            line: (1, 1, 1),
            left,
            right,
            top: 0.0,
            bottom: 20.0,
            confidence: 90,
        }
    }

    /// A digit with its middle at a place.
    fn digit(middle: f64) -> CharacterInk {
        [middle - 5.0, 0.0, middle + 5.0, 20.0]
    }

    #[test]
    fn a_row_of_numbers_is_parted_where_its_ink_has_blanks() {
        let parts = |ink: &[CharacterInk]| {
            let (words, stretches) = parted(vec![word("681", 0.0, 60.0)], &[vec![0]], &[ink.to_vec()]);
            assert_eq!(stretches, [(0..words.len()).collect::<Vec<usize>>()]);
            words.into_iter().map(|word| word.text).collect::<Vec<_>>()
        };
        assert_eq!(parts(&[digit(8.0), digit(32.0), digit(47.0)]), ["6", "81"]);
        assert_eq!(parts(&[digit(8.0), digit(23.0), digit(38.0)]), ["681"]);
        // The ink of each character can't be told.
        assert_eq!(parts(&[digit(8.0), digit(32.0)]), ["681"]);
    }

    #[test]
    fn a_point_between_digits_of_one_width_belongs_to_its_number() {
        // Nine digits tell the pitch: 19 of a height of 20, as typewriters have it.
        let pairs = (0..9).map(|at| digit(10.0 + 19.0 * f64::from(at))).collect();
        let parts = |point: f64| {
            let number = vec![digit(310.0), [point - 1.5, 17.0, point + 1.5, 20.0], digit(point + 19.0)];
            let words = vec![word("123456789", 0.0, 180.0), word("7.1", 300.0, 400.0)];
            let (words, _) = parted(words, &[vec![0], vec![1]], &[Vec::clone(&pairs), number]);
            words.into_iter().skip(1).map(|word| word.text).collect::<Vec<_>>()
        };
        assert_eq!(parts(329.0), ["7.1"]);
        assert_eq!(parts(348.0), ["7", ".1"]);
    }

    #[test]
    fn points_and_signs_that_were_not_read_leave_a_number_in_doubt() {
        let (point, minus) = ([14.0, 16.0, 17.0, 20.0], [-14.0, 9.0, -4.0, 11.0]);
        let is_unread = |words: &[OcrWord], ink: &[CharacterInk]| {
            have_unread_ink(&words.iter().collect::<Vec<_>>(), ink).last().copied()
        };
        let digits = [digit(8.0), digit(23.0)];
        let number = |text| [word(text, 3.0, 28.0)];
        assert_eq!(is_unread(&number("15"), &digits), Some(false));
        assert_eq!(is_unread(&number("15"), &[digits[0], point, digits[1]]), Some(true));
        assert_eq!(is_unread(&number("1.5"), &[digits[0], point, digits[1]]), Some(false));
        assert_eq!(is_unread(&number("15"), &[minus, digits[0], digits[1]]), Some(true));
        let read = [word("-", -14.0, -4.0), word("15", 3.0, 28.0)];
        assert_eq!(is_unread(&read, &[minus, digits[0], digits[1]]), Some(false));
    }
}

//! Second readings of the lines that hold digits, held against the first: their numbers, with signs and units.

use super::placement::indices_by_line;
use super::tesseract_table::OcrWord;
use super::word_ink::{CharacterInk, have_unread_ink, parted};
use super::{LineSheet, SheetTask, Turn};

/// The gap between two words from which they are read apart, in parts of their height.
const APART: f64 = 3.0;
/// The words before and behind one with digits that are read again with it.
const AROUND: usize = 2;
/// The part of the narrower word that two readings of one word share.
const SHARED: f64 = 0.5;
/// The part of the wider word from which two readings are of the same letters.
const ONE: f64 = 0.8;
/// The most letters of a unit behind a number.
const LONGEST_UNIT: usize = 4;

/// A stretch of a line around digits: the numbers of its words.
pub(super) type Stretch = Vec<usize>;

/// The stretches of lines around words with digits.
pub(super) fn stretches(words: &[OcrWord]) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    for line in indices_by_line(words) {
        let is_near = |a: &usize, b: &usize| {
            let (Some(a), Some(b)) = (words.get(*a), words.get(*b)) else { return false };
            b.left - a.right < APART * (a.bottom - a.top).max(b.bottom - b.top)
        };
        for part in line.chunk_by(is_near) {
            let has_digit = |at: usize| part.get(at).and_then(|at| words.get(*at)).is_some_and(has_digit);
            let mut stretch: Stretch = Vec::new();
            for (at, number) in part.iter().enumerate() {
                if (at.saturating_sub(AROUND)..=at + AROUND).any(has_digit) {
                    stretch.push(*number);
                } else if !stretch.is_empty() {
                    stretches.push(std::mem::take(&mut stretch));
                }
            }
            stretches.extend(Some(stretch).filter(|stretch| !stretch.is_empty()));
        }
    }
    stretches
}

/// The task to draw these stretches below each other.
pub(super) fn sheet_task(
    words: &[OcrWord],
    stretches: &[Stretch],
    turn: Turn,
    scales: Vec<f64>,
) -> SheetTask {
    let bounds = |stretch: &Stretch| {
        let of = || stretch.iter().filter_map(|at| words.get(*at));
        let left = of().map(|word| word.left).fold(f64::INFINITY, f64::min);
        let top = of().map(|word| word.top).fold(f64::INFINITY, f64::min);
        let right = of().map(|word| word.right).fold(0.0, f64::max);
        let bottom = of().map(|word| word.bottom).fold(0.0, f64::max);
        [left, top, right - left, bottom - top]
    };
    SheetTask { turn, lines: stretches.iter().map(bounds).collect(), scales }
}

/// The findings of a second look at a word with digits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SecondLook {
    /// The second reading, if its figures differ; empty where that has no word.
    pub(super) reads: Option<String>,
    /// `true` if there is ink in the word or beside it that was not read.
    pub(super) has_unread_ink: bool,
}

/// For each word what a second look found: the words that were read on a sheet, and the ink of its characters. A word that is
/// read otherwise at all of several sizes takes that reading, and is in doubt all the same.
pub(super) fn second_looks(
    words: &mut [OcrWord],
    stretches: &[Stretch],
    sheet: &LineSheet,
    again: &[OcrWord],
) -> Vec<SecondLook> {
    let mut looks = vec![SecondLook::default(); words.len()];
    for (number, stretch) in stretches.iter().enumerate() {
        let ink = sheet.ink.get(number).map(Vec::as_slice).unwrap_or_default();
        let first: Vec<&OcrWord> = stretch.iter().filter_map(|at| words.get(*at)).collect();
        let is_unread = have_unread_ink(&first, ink);
        let others: Vec<Vec<OtherWord>> = sheet
            .sizes
            .iter()
            .map(|size| {
                // A line for which the sheet had no room was read once, which is not enough.
                let seen =
                    size.lines.get(number).map_or_else(Vec::new, |place| seen_at(*place, size.scale, again));
                other_readings(&first, seen, ink)
            })
            .collect();
        for (nth, at) in stretch.iter().enumerate() {
            let (Some(word), Some(look)) = (words.get_mut(*at), looks.get_mut(*at)) else { continue };
            let of_word: Vec<&OtherWord> = others.iter().filter_map(|reading| reading.get(nth)).collect();
            look.has_unread_ink = is_unread.get(nth).is_some_and(|is_unread| *is_unread);
            look.reads = of_word.iter().find_map(|other| other.differs.then(|| other.text.clone()));
            if let Some(agreed) = agreed(&of_word) {
                look.reads = Some(std::mem::replace(&mut word.text, agreed));
            } else if !has_digit(word) {
                look.reads = None;
            }
        }
    }
    looks
}

/// The reading of a word that several others agree on, and the first one has not.
fn agreed(others: &[&OtherWord]) -> Option<String> {
    let (one, rest) = others.split_first()?;
    let is_agreed = !rest.is_empty()
        && others.iter().all(|other| other.differs && other.is_one && other.figures == one.figures);
    (is_agreed && one.text.chars().any(char::is_numeric)).then(|| one.text.clone())
}

/// Another reading of a word.
#[derive(Debug, Clone)]
struct OtherWord {
    text: String,
    figures: Vec<String>,
    /// `true` if its figures are others.
    differs: bool,
    /// `true` if it is one word there, too.
    is_one: bool,
}

/// For each word of a stretch what another reading of it has.
fn other_readings(first: &[&OcrWord], mut seen: Vec<OcrWord>, ink: &[CharacterInk]) -> Vec<OtherWord> {
    seen.sort_by(|a, b| a.left.total_cmp(&b.left));
    let all = (0..seen.len()).collect();
    let seen = parted(seen, &[all], &[ink.to_vec()]).0;
    let figures_read = figures(first.iter().map(|word| word.text.as_str()));
    let figures_seen = figures(seen.iter().map(|word| word.text.as_str()));
    let seen: Vec<SecondWord<'_>> =
        seen.iter().zip(&figures_seen).map(|(word, figures)| SecondWord { word, figures }).collect();
    first.iter().zip(&figures_read).map(|(word, figures)| other_reading(word, figures, &seen)).collect()
}

/// The words that were read at a place of a sheet, in the pixels of the first reading.
fn seen_at((top, bottom, left): (f64, f64, f64), scale: f64, again: &[OcrWord]) -> Vec<OcrWord> {
    let is_there = |word: &&OcrWord| (top..=bottom).contains(&f64::midpoint(word.top, word.bottom));
    let place = |pixel: f64| left + pixel / scale;
    let seen = again.iter().filter(is_there);
    seen.map(|word| OcrWord { left: place(word.left), right: place(word.right), ..word.clone() }).collect()
}

/// A word of the second reading.
struct SecondWord<'a> {
    word: &'a OcrWord,
    figures: &'a [String],
}

/// Another reading of a word with these figures.
fn other_reading(word: &OcrWord, figures: &[String], seen: &[SecondWord<'_>]) -> OtherWord {
    let shared = |other: &OcrWord| word.right.min(other.right) - word.left.max(other.left);
    let narrower = |other: &OcrWord| (word.right - word.left).min(other.right - other.left);
    let wider = |other: &OcrWord| (word.right - word.left).max(other.right - other.left);
    let same: Vec<&SecondWord<'_>> =
        seen.iter().filter(|other| shared(other.word) > SHARED * narrower(other.word)).collect();
    let read: Vec<String> = same.iter().flat_map(|other| other.figures).cloned().collect();
    // The engines may tell words apart in other ways.
    let around = seen.iter().filter(|other| shared(other.word) > 0.0);
    let around: Vec<&String> = around.flat_map(|other| other.figures).collect();
    let is_there =
        !figures.is_empty() && around.windows(figures.len()).any(|some| some.iter().copied().eq(figures));
    OtherWord {
        text: same.iter().map(|other| other.word.text.as_str()).collect(),
        differs: read != figures && !is_there,
        is_one: matches!(same.as_slice(), [one] if shared(one.word) > ONE * wider(one.word)),
        figures: read,
    }
}

pub(super) fn has_digit(word: &OcrWord) -> bool {
    word.text.chars().any(char::is_numeric)
}

/// For each word of a line its figures: numbers with points and commas between their digits, with the sign before them and the
/// unit behind, which may be words of their own.
fn figures<'a>(words: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    let words: Vec<&str> = words.collect();
    let line: Vec<(usize, char)> = words
        .iter()
        .enumerate()
        .flat_map(|(at, word)| word.chars().chain([' ']).map(move |c| (at, c)))
        .collect();
    let mut figures = vec![Vec::new(); words.len()];
    let mut at = 0;
    while let Some((word, c)) = line.get(at) {
        if !c.is_numeric() {
            at += 1;
            continue;
        }
        let end = number_end(&line, at);
        let number = line.get(at..end).unwrap_or_default().iter().map(|(_, c)| c);
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(end..).unwrap_or_default();
        let figure = sign(before).into_iter().chain(number.copied()).chain(unit(after)).collect();
        if let Some(of_word) = figures.get_mut(*word) {
            of_word.push(figure);
        }
        at = end;
    }
    figures
}

/// The place after the number that begins at a place.
fn number_end(line: &[(usize, char)], start: usize) -> usize {
    let is_number = |at: usize| line.get(at).is_some_and(|(_, c)| c.is_numeric());
    let is_mark = |at: usize| line.get(at).is_some_and(|(_, c)| matches!(c, '.' | ','));
    let mut end = start;
    while is_number(end) || (is_mark(end) && is_number(end + 1)) {
        end += 1;
    }
    end
}

/// The sign before a number: a comparison, or a dash that does not join it to something.
fn sign(before: &[(usize, char)]) -> Option<char> {
    let mut before = before.iter().rev().map(|(_, c)| *c).filter(|c| !c.is_whitespace());
    match before.next()? {
        c @ ('<' | '>' | '=' | '±' | '+' | '~' | '≤' | '≥' | '≈') => Some(c),
        c if is_dash(c) => (!before.next().is_some_and(char::is_alphanumeric)).then_some('-'),
        _ => None,
    }
}

/// The unit behind a number: `%`, or a short word in lower case.
fn unit(after: &[(usize, char)]) -> Vec<char> {
    let mut after = after.iter().map(|(_, c)| *c).peekable();
    after.next_if(|c| c.is_whitespace());
    if let Some(sign) = after.next_if(|c| matches!(c, '%' | '‰' | '°')) {
        return vec![sign];
    }
    let word: Vec<char> =
        after.take_while(|c| c.is_alphabetic()).take(LONGEST_UNIT + 1).flat_map(char::to_lowercase).collect();
    if word.len() > LONGEST_UNIT { Vec::new() } else { word }
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

#[cfg(test)]
mod tests {
    use super::super::line_sheet::SheetSize;
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
        let mut words = [word(first, 100.0, 160.0, 500.0), word("mm", 170.0, 200.0, 500.0)];
        let stretches = stretches(&words);
        assert_eq!(stretches, [vec![0, 1]]);
        let sheet = LineSheet {
            sizes: vec![SheetSize { scale: 0.5, lines: vec![(10.0, 40.0, 90.0)] }],
            ink: Vec::new(),
        };
        let again: Vec<OcrWord> = again
            .iter()
            .map(|(text, left, right)| word(text, (left - 90.0) * 0.5, (right - 90.0) * 0.5, 15.0))
            .collect();
        second_looks(&mut words, &stretches, &sheet, &again)[0].reads.clone()
    }

    const MM: (&str, f64, f64) = ("mm", 170.0, 199.0);

    #[test]
    fn digits_that_differ_are_told_with_their_decimal_marks() {
        let read_again = |first, again: &str| read_again(first, &[(again, 101.0, 161.0), MM]);
        let differs = |reads: &str| Some(reads.to_owned());
        assert_eq!(read_again("13.2", "13.2"), None);
        assert_eq!(read_again("13.2", "18.2"), differs("18.2"));
        assert_eq!(read_again("13.2", "132"), differs("132"));
        assert_eq!(read_again("132", "13.2"), differs("13.2"));
        // Not its digits.
        assert_eq!(read_again("(13.2", "[13.2"), None);
        assert_eq!(read_again("p13", "P13"), None);
    }

    #[test]
    fn signs_and_units_belong_to_a_number() {
        let differs = |reads: &str| Some(reads.to_owned());
        let sign = ("<", 84.0, 96.0);
        assert_eq!(read_again("<0.05", &[sign, ("0.05", 101.0, 161.0), MM]), None);
        assert_eq!(read_again("0.05", &[sign, ("0.05", 101.0, 161.0), MM]), differs("0.05"));
        assert_eq!(read_again("-2", &[("\u{2014}2", 101.0, 161.0), MM]), None);
        assert_eq!(read_again("-2", &[("2", 101.0, 161.0), MM]), differs("2"));
        assert_eq!(read_again("5-10", &[("5\u{2013}10", 101.0, 161.0), MM]), None);
        assert_eq!(read_again("13.2", &[("13.2", 101.0, 161.0), ("nm", 170.0, 199.0)]), differs("13.2"));
        assert_eq!(read_again("13.2", &[("13.2", 101.0, 161.0)]), differs("13.2"));
        assert_eq!(read_again("13", &[("13%", 101.0, 161.0), MM]), differs("13%"));
    }

    #[test]
    fn a_word_that_is_read_otherwise_at_all_sizes_takes_that_reading_and_stays_in_doubt() {
        let read = |first: &str, again: [&str; 2]| {
            let mut words = [word(first, 100.0, 160.0, 500.0), word("7", 170.0, 180.0, 500.0)];
            let stretches = stretches(&words);
            let lines = [vec![(10.0, 40.0, 90.0)], vec![(110.0, 140.0, 90.0)]];
            let sizes = lines.map(|lines| SheetSize { scale: 0.5, lines });
            let sheet = LineSheet { sizes: sizes.into(), ink: Vec::new() };
            let again: Vec<OcrWord> =
                [15.0, 115.0].iter().zip(again).map(|(top, text)| word(text, 5.0, 35.0, *top)).collect();
            let reads = second_looks(&mut words, &stretches, &sheet, &again)[0].reads.clone();
            (words[0].text.clone(), reads)
        };
        let kept = |text: &str, reads: Option<&str>| (text.to_owned(), reads.map(str::to_owned));
        assert_eq!(read("]2.", ["12.", "12."]), kept("12.", Some("]2.")));
        assert_eq!(read("pl", ["p1", "p1"]), kept("p1", Some("pl")));
        assert_eq!(read("pl", ["p1", "pl"]), kept("pl", None));
        assert_eq!(read("12.", ["12.", "]2."]), kept("12.", Some("]2.")));
        assert_eq!(read("12.", ["72.", "]2."]), kept("12.", Some("72.")));
        assert_eq!(read("12.", ["]2.", "]2."]), kept("]2.", Some("12.")));
    }

    #[test]
    fn lines_that_a_sheet_has_no_room_for_are_in_doubt() {
        let mut words = [word("13.2", 100.0, 160.0, 500.0)];
        let sheet = LineSheet { sizes: vec![SheetSize { scale: 1.0, lines: Vec::new() }], ink: Vec::new() };
        let stretches = stretches(&words);
        let looks = second_looks(&mut words, &stretches, &sheet, &[]);
        assert_eq!(looks[0].reads, Some(String::new()));
    }

    #[test]
    fn words_may_be_told_apart_in_other_ways() {
        assert_eq!(
            read_again("p=13.2", &[("p", 100.0, 108.0), ("=", 110.0, 118.0), ("13.2", 120.0, 160.0), MM]),
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
        let task = sheet_task(&words, &stretches(&words), Turn::None, vec![1.0]);
        assert_eq!(task.lines, [[300.0, 5.0, 70.0, 20.0]]);
    }
}

//! Lines of words.

use super::placed_word::PlacedWord;
use std::ops::Range;

/// The most that two baselines of one line differ, in parts of the smaller size.
const SAME_BASELINE: f64 = 0.4;
/// The size up to which a word is a superscript or subscript, in parts of the line's.
const RAISED_SIZE: f64 = 0.85;
/// The most that a superscript's baseline differs from that of its line, in parts of the line's size.
const RAISED_BASELINE: f64 = 0.7;
/// The gap at which a superscript touches a word, in parts of the line's size.
const RAISED_GAP: f64 = 0.25;
/// The gap below which two parts of a word that were drawn apart are one, in parts of the smaller size.
const JOINED_GAP: f64 = 0.08;
/// Letter-spaced words: the gap of their letters at most, and by how much two gaps may differ, in parts of the size;
/// and the letters at least.
const SPACED_GAP: f64 = 0.6;
const SPACED_DIFFERENCE: f64 = 0.12;
const SPACED_LETTERS: usize = 3;
/// The part of the narrower word that two words of one line may share.
const MOST_CROSSING: f64 = 0.3;
/// The lines above a word that it may belong to: words come sorted by their baselines.
const LINES_BACK: usize = 8;
/// The lines above and below a superscript that it may belong to.
const LINES_NEAR: usize = 2;

/// Words of one baseline, from left to right.
pub(super) struct TextLine {
    pub(super) words: Vec<PlacedWord>,
    pub(super) baseline: f64,
    /// The size of its largest word.
    pub(super) size: f64,
}

/// The lines of words, from top to bottom.
pub(super) fn lines(mut words: Vec<PlacedWord>) -> Vec<TextLine> {
    words.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.bounds.x0.total_cmp(&b.bounds.x0)));
    let mut lines: Vec<TextLine> = Vec::new();
    for word in words {
        let is_of = |line: &&mut TextLine| {
            (line.baseline - word.baseline).abs() < SAME_BASELINE * line.size.min(word.size)
                && !line.words.iter().any(|other| crosses(other, &word))
        };
        match lines.iter_mut().rev().take(LINES_BACK).find(is_of) {
            Some(line) => {
                if word.size > line.size {
                    (line.size, line.baseline) = (word.size, word.baseline);
                }
                line.words.push(word);
            }
            None => lines.push(TextLine { baseline: word.baseline, size: word.size, words: vec![word] }),
        }
    }
    lines.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    join_raised(&mut lines);
    for line in &mut lines {
        line.words.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
        line.words = joined(std::mem::take(&mut line.words));
    }
    lines
}

/// Moves superscripts and subscripts to the line whose words they touch.
fn join_raised(lines: &mut Vec<TextLine>) {
    let mut at = 0;
    while let Some(small) = lines.get(at) {
        let near = lines.iter().enumerate().skip(at.saturating_sub(LINES_NEAR)).take(2 * LINES_NEAR + 1);
        let host = near
            .filter(|(other, line)| *other != at && is_raised_on(small, line))
            .map(|(other, _)| other)
            .next();
        let Some(host) = host else {
            at += 1;
            continue;
        };
        let raised = lines.remove(at).words;
        let host = if host > at { host - 1 } else { host };
        if let Some(line) = lines.get_mut(host) {
            line.words.extend(raised);
        }
    }
}

fn is_raised_on(small: &TextLine, line: &TextLine) -> bool {
    let touches = |word: &PlacedWord, near: &PlacedWord| {
        let gap = (word.bounds.x0 - near.bounds.x1).max(near.bounds.x0 - word.bounds.x1);
        gap < RAISED_GAP * line.size
    };
    small.size < RAISED_SIZE * line.size
        && (line.baseline - small.baseline).abs() < RAISED_BASELINE * line.size
        && small.words.iter().all(|word| {
            line.words.iter().any(|near| touches(word, near))
                && !line.words.iter().any(|near| crosses(near, word))
        })
}

fn crosses(a: &PlacedWord, b: &PlacedWord) -> bool {
    let shared = a.bounds.x1.min(b.bounds.x1) - a.bounds.x0.max(b.bounds.x0);
    shared > MOST_CROSSING * a.bounds.width().min(b.bounds.width())
}

/// The words of a line, with parts of a word joined that were drawn apart, or with a wide gap between all letters.
fn joined(words: Vec<PlacedWord>) -> Vec<PlacedWord> {
    let spaced = letter_spaced(&words);
    let mut joined: Vec<PlacedWord> = Vec::with_capacity(words.len());
    for (at, word) in words.into_iter().enumerate() {
        match joined.last_mut() {
            Some(last)
                if spaced.iter().any(|run| run.start < at && at < run.end) || are_parts(last, &word) =>
            {
                last.join(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

/// Returns whether two neighbours are parts of one word.
fn are_parts(left: &PlacedWord, right: &PlacedWord) -> bool {
    let touching = JOINED_GAP * right.size.min(left.size);
    left.gap_to(right) < touching && !has_blank_between(left, right, touching)
}

fn has_blank_between(left: &PlacedWord, right: &PlacedWord, touching: f64) -> bool {
    let between = left.bounds.x1 - touching..right.bounds.x0 + touching;
    [left.blank, right.blank].into_iter().flatten().any(|blank| between.contains(&blank))
}

/// The runs of single characters that have the same gap between all of them: letter-spaced words.
fn letter_spaced(words: &[PlacedWord]) -> Vec<Range<usize>> {
    let gaps: Vec<Option<f64>> = pairs(words).map(|(left, right)| letter_gap(left, right)).collect();
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(gap) = gaps.get(at) {
        let Some(first) = gap else {
            at += 1;
            continue;
        };
        let is_same = |gap: &&Option<f64>| gap.is_some_and(|gap| (gap - first).abs() < SPACED_DIFFERENCE);
        let same = gaps.iter().skip(at).take_while(is_same).count();
        if same + 1 >= SPACED_LETTERS {
            runs.push(at..at + same + 1);
        }
        at += same;
    }
    runs
}

/// The gap between two single characters in parts of their size, if it may be that of a letter-spaced word.
fn letter_gap(left: &PlacedWord, right: &PlacedWord) -> Option<f64> {
    let gap = left.gap_to(right) / left.size.min(right.size);
    let are_single = [left, right].iter().all(|word| word.text.chars().nth(1).is_none());
    (are_single && gap <= SPACED_GAP && !has_blank_between(left, right, 0.0)).then_some(gap)
}

/// Each of some things with the next one.
pub(super) fn pairs<T>(things: &[T]) -> impl Iterator<Item = (&T, &T)> {
    things.iter().zip(things.iter().skip(1))
}

//! Words that the text before a place shares with the text after it.

use std::collections::HashSet;

/// The number of characters on each side that are looked at.
const WINDOW: usize = 2_500;
/// The least number of letters of a word that counts.
const LEAST_LETTERS: usize = 5;
/// The least number of words on each side by which texts are compared.
const LEAST_WORDS: usize = 12;

/// The share of the words of the side with fewer of them that the other one has, too; `None` for short texts.
pub(super) fn shared(text: &str, at: usize) -> Option<f64> {
    let before = text.get(..at)?;
    let start = before.char_indices().rev().nth(WINDOW).map_or(0, |(start, _)| start);
    let after = text.get(at..)?;
    let end = after.char_indices().nth(WINDOW).map_or(after.len(), |(end, _)| end);
    let (one, other) = (words(before.get(start..)?), words(after.get(..end)?));
    let least = one.len().min(other.len());
    let both = u32::try_from(one.intersection(&other).count()).ok()?;
    (least >= LEAST_WORDS).then(|| f64::from(both) / u32::try_from(least).map_or(f64::MAX, f64::from))
}

/// Its longer words, and its numbers.
fn words(text: &str) -> HashSet<String> {
    let all = text.split(|c: char| !c.is_alphanumeric());
    all.filter(|word| word.contains(char::is_numeric) || word.chars().count() >= LEAST_LETTERS)
        .map(str::to_lowercase)
        .collect()
}

//! Words that two texts share.

use std::collections::HashSet;

/// The least number of letters of a word that counts.
const LEAST_LETTERS: usize = 4;
/// The number of letters by which words are compared, so that `lesion` is found in `lesions`.
const STEM_LETTERS: usize = 6;
/// The least number of words of each text by which they are compared.
const LEAST_WORDS: usize = 8;

/// The share of the words of the text with fewer of them that the other one has, too; `None` for short texts.
pub(super) fn shared(one: &str, other: &str) -> Option<f64> {
    let (one, other) = (words(one), words(other));
    let least = one.len().min(other.len());
    let both = u32::try_from(one.intersection(&other).count()).ok()?;
    (least >= LEAST_WORDS).then(|| f64::from(both) / u32::try_from(least).map_or(f64::MAX, f64::from))
}

/// Its longer words by their first letters, and its numbers.
fn words(text: &str) -> HashSet<String> {
    let all = text.split(|c: char| !c.is_alphanumeric());
    all.filter(|word| word.contains(char::is_numeric) || word.chars().count() >= LEAST_LETTERS)
        .map(|word| word.to_lowercase().chars().take(STEM_LETTERS).collect())
        .collect()
}

//! Words that two texts share.

use std::collections::HashSet;

/// The least number of letters of a word that counts: shorter ones are in texts about anything.
const LEAST_LETTERS: usize = 5;
/// The least number of characters of a number that counts.
const LEAST_DIGITS: usize = 4;
/// The number of letters by which words are compared, so that `lesion` is found in `lesions`.
const STEM_LETTERS: usize = 6;
/// The share that two texts about different things have, and the number of words for which it counts: few words tell less.
const USUAL_SHARE: f64 = 0.2;
const USUAL_WORDS: f64 = 5.0;

/// The share of the words of the text with fewer of them that the other one has, too; `None` if that one has fewer than `least_words`.
pub(super) fn shared(one: &str, other: &str, least_words: usize) -> Option<f64> {
    let (one, other) = (words(one), words(other));
    let least = one.len().min(other.len());
    let both = u32::try_from(one.intersection(&other).count()).ok()?;
    let least_count = f64::from(u32::try_from(least).ok()?);
    let share = (f64::from(both) + USUAL_WORDS * USUAL_SHARE) / (least_count + USUAL_WORDS);
    (least >= least_words).then_some(share)
}

/// Its longer words by their first letters, and its longer numbers.
fn words(text: &str) -> HashSet<String> {
    let least = |word: &str| if word.contains(char::is_numeric) { LEAST_DIGITS } else { LEAST_LETTERS };
    let all = text.split(|c: char| !c.is_alphanumeric());
    all.filter(|word| word.chars().count() >= least(word))
        .map(|word| word.to_lowercase().chars().take(STEM_LETTERS).collect())
        .collect()
}

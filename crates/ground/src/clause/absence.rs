//! Absence: a document that in no words speaks of a claim.

use super::claim::{Claim, ParsedClaim};
use super::cues::{Cues, cues_of};
use super::exactness::code;
use crate::document::Document;
use crate::find::{is_printed, is_reworded};
use crate::number::value_key;
use crate::quantity::SIZES;

/// The greatest whole number that documents write in letters.
const IN_LETTERS: f64 = 12.0;
/// The digits of a year.
const YEAR: usize = 4;

/// Returns whether a document does not speak of a claim at all: neither its value, in any spelling or unit, nor, where
/// a value can be said in other words, its field is there. What is not nowhere may be said in words that were not
/// understood.
#[must_use]
pub fn is_nowhere(document: &Document, claim: &Claim<'_>, has_values: bool) -> bool {
    let read = ParsedClaim::new(claim);
    let tokens = document.tokens();
    let names = || read.names.iter().chain(read.synonyms.iter().flatten());
    let is_special = |name: &&String| !cues_of(name).any(Cues::GENERIC | Cues::ROLE | Cues::SIDE);
    let is_named = || names().filter(is_special).any(|name| tokens.has(name));
    if read.presence.is_some() {
        return !is_named();
    }
    if let Some(number) = claim.value.as_f64() {
        let is_small = number.fract() == 0.0 && (0.0..=IN_LETTERS).contains(&number);
        let is_digits = SIZES.iter().any(|size| document.by_value.contains_key(&value_key(number * size)));
        return !(is_digits || is_small && is_named());
    }
    if is_printed(document, claim.value) || has_values && is_named() {
        return false;
    }
    // `pT3NO`: a code may continue in the same word.
    let compact = read.words.concat();
    if code(&compact).is_some() && document.run.contains(&compact) {
        return false;
    }
    let is_side = |word: &&String| cues_of(word).any(Cues::SIDE);
    if !read.words.is_empty() && read.words.iter().all(|word| is_side(&word)) {
        return !tokens.all.iter().any(|token| token.does(Cues::SIDE));
    }
    // Without its year a date is not written; days and months are numbers of other things.
    let is_year = |word: &&String| word.len() == YEAR && word.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(year) = read.words.iter().find(is_year).filter(|_| read.is_date) {
        return !tokens.has(year);
    }
    // One word about an item that the document names may be said by a mark: `H` of a high value.
    if read.words.len() == 1 && read.is_of_item && is_named() {
        return false;
    }
    !is_reworded(&read.words, |word| tokens.has(word))
}

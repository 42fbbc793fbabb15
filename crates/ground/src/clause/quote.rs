//! Quotes: where a document has the words of a passage that was copied from it.

use super::cues::CueWords;
use super::tokens::{Token, Tokens};
use crate::document::Document;
use std::ops::Range;

/// Longest quote that is looked for, in words.
const LONGEST: usize = 1_000;
/// Most places of one quote.
const PLACES: usize = 6;
/// The first words of a quote of which the rarest is looked up.
const ANCHORS: usize = 24;
/// Most words that a hyphen or a blank can set apart in a text and not in its quote, or the other way round, before the
/// rarest.
const SHIFTED: usize = 2;

/// Of the first words of a quote, so many of the rarest are tried.
const TRIED: usize = 3;

/// The places of a quote in a document, in bytes. Case, blanks, hyphens and typography may differ; an ellipsis matches
/// anything up to the length of a quote. Each step is paid with `spend`, which returns whether there is more to
/// spend.
#[must_use]
pub fn quote_places(
    document: &Document,
    quote: &str,
    mut spend: impl FnMut(usize) -> bool,
) -> Vec<Range<usize>> {
    let tokens = document.tokens();
    let mut found: Option<Vec<Range<usize>>> = None;
    let parts =
        quote.split("...").flat_map(|part| part.split(['…', '\u{22ef}'])).flat_map(|part| part.split("[]"));
    for part in parts {
        if !spend(part.len()) {
            return Vec::new();
        }
        let part = Tokens::read(part, &CueWords::default()).all;
        let words: Vec<usize> =
            (0..part.len()).filter(|at| part.get(*at).is_some_and(Token::is_word)).collect();
        if words.is_empty() {
            continue;
        }
        if words.len() > LONGEST {
            return Vec::new();
        }
        let mut places =
            |within: Range<usize>, most| part_places(&part, &words, tokens, within, most, &mut spend);
        let next = match found {
            None => places(0..tokens.all.len(), PLACES),
            // The part continues one of the places of what is before it.
            Some(before) => before
                .into_iter()
                .filter_map(|before| {
                    let next = places(before.end..before.start.saturating_add(LONGEST), 1).pop()?;
                    Some(before.start..next.end)
                })
                .collect(),
        };
        if next.is_empty() {
            return Vec::new();
        }
        found = Some(next);
    }
    let bytes = |place: Range<usize>| {
        let (first, last) = (tokens.all.get(place.start)?, tokens.all.get(place.end.checked_sub(1)?)?);
        Some(first.start..last.end)
    };
    found.into_iter().flatten().filter_map(bytes).collect()
}

/// The places of words in a row within some tokens, in order.
fn part_places(
    part: &[Token],
    words: &[usize],
    tokens: &Tokens,
    within: Range<usize>,
    most: usize,
    spend: &mut impl FnMut(usize) -> bool,
) -> Vec<Range<usize>> {
    let places = |at: &usize| {
        let all = part.get(*at).map_or(&[][..], |word| tokens.places(&word.folded));
        let from = all.partition_point(|place| *place < within.start);
        let to = all.partition_point(|place| *place < within.end);
        all.get(from..to.max(from)).unwrap_or_default()
    };
    let mut known: Vec<(usize, &usize)> =
        words.iter().enumerate().take(ANCHORS).filter(|(_, at)| !places(at).is_empty()).collect();
    known.sort_by_key(|(_, at)| places(at).len());
    let is_word = |at: &usize| tokens.all.get(*at).is_some_and(Token::is_word);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (before, anchor) in known.into_iter().take(TRIED) {
        for place in places(anchor) {
            if found.len() >= most {
                break;
            }
            let near = (within.start..=*place).rev().filter(is_word).skip(before.saturating_sub(SHIFTED));
            for start in near.take(1 + SHIFTED.min(before) + SHIFTED) {
                if !spend(words.len()) {
                    return found;
                }
                if let Some(end) = follow(part, words, tokens, start) {
                    if found.last().is_none_or(|last| last.start != start) {
                        found.push(start..end);
                    }
                    break;
                }
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The token behind the words of a part that begin at a token.
fn follow(part: &[Token], words: &[usize], tokens: &Tokens, start: usize) -> Option<usize> {
    let mut at = start;
    // What is left of a word of the quote, and of one of the text, that the other side has in two.
    let (mut wanted, mut given) = ("", "");
    let (mut next, mut last) = (words.iter(), start);
    loop {
        if wanted.is_empty() {
            let Some(word) = next.next() else { break };
            wanted = &part.get(*word)?.folded;
            if given.is_empty() && at > start && joins_numbers(part, *word) {
                let (own, other) = (part.get(word - 1)?, tokens.all.get(at)?);
                if own.folded != other.folded {
                    return None;
                }
            }
        }
        if given.is_empty() {
            while tokens.all.get(at).is_some_and(|token| !token.is_word()) {
                at += 1;
            }
            given = &tokens.all.get(at)?.folded;
            last = at + 1;
            at = last;
        }
        if let Some(rest) = wanted.strip_prefix(given) {
            (wanted, given) = (rest, "");
        } else {
            (given, wanted) = (given.strip_prefix(wanted)?, "");
        }
        let is_cut = |rest: &str| !rest.is_empty() && rest.contains(|c: char| c.is_ascii_digit());
        if is_cut(wanted) || is_cut(given) {
            return None;
        }
    }
    given.is_empty().then_some(last)
}

/// Returns whether a word is a number that a sign joins to one before it: `1.5`, `1:80`.
fn joins_numbers(part: &[Token], at: usize) -> bool {
    let Some([before, sign, number]) = at.checked_sub(2).and_then(|from| part.get(from..=at)) else {
        return false;
    };
    before.is_number() && number.is_number() && before.end == sign.start && sign.end == number.start
}

#[cfg(test)]
mod tests {
    use super::quote_places;
    use crate::document::Document;

    fn found(text: &str, quote: &str) -> Vec<String> {
        let places = quote_places(&Document::read(text), quote, |_| true);
        places.into_iter().map(|place| text[place].to_owned()).collect()
    }

    #[test]
    fn case_blanks_hyphens_and_typography_may_differ() {
        let text = "The tumor measures 1.5 cm\nand is well-\ndifferentiated – grade 2. Mother’s re-excision.";
        for quote in
            ["the TUMOR measures", "tumor measures 1.5 cm and is well-differentiated", "Mother's reexcision"]
        {
            assert_eq!(found(text, quote).len(), 1, "{quote}");
        }
        for quote in ["measures 15 cm", "measures 1,5 cm", "tumor measure", "1.5 cm is", "measures ... 3"] {
            assert!(found(text, quote).is_empty(), "{quote}: {:?}", found(text, quote));
        }
        assert_eq!(found(text, "tumor … grade 2"), [&text[4..text.find(". Mother").unwrap()]]);
        assert!(found(text, "grade 2 ... the tumor ... Mother").is_empty());
    }

    #[test]
    fn what_goes_on_behind_an_ellipsis_is_looked_for_there() {
        let text = "2 blocks, 2 pieces, 2 parts, 2 cuts, 2 slides, 2 cassettes, 2 stains.\nHistologic grade ...... 2\nEnd";
        assert_eq!(found(text, "Histologic grade ........ 2"), ["Histologic grade ...... 2"]);
        // One rare word of the quote is joined to another in the text, and is alone elsewhere.
        let text =
            "A well-\ndifferentiated tumor of the colon. The tumor is a mass of the colon: differentiated.";
        assert_eq!(found(text, "A well-differentiated tumor of").len(), 1);
    }

    #[test]
    fn each_place_is_found_up_to_a_bound() {
        assert_eq!(found("one two one two one", "one two"), ["one two", "one two"]);
        assert_eq!(found(&"one two ".repeat(50), "one two").len(), 6);
        assert!(found("one two", "").is_empty());
    }
}

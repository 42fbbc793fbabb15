//! Where a quote stands in the document.

use super::super::fold::fold_eq;
use super::super::index::SourceIndex;
use super::super::token::{Style, Token, TokenKind, tokenize};
use crate::value::Fuel;
use std::ops::Range;

/// Longest quote that is looked for, in tokens.
pub(super) const LONGEST: usize = 1_000;
/// Most places of one quote that are looked at.
const PLACES: usize = 6;

/// The places of a quote, as ranges of the document's tokens. Case, blanks, hyphenation and typography may differ; an ellipsis
/// stands for anything up to the length of a quote.
pub(in super::super) fn places(
    quote: &str,
    source: &SourceIndex,
    fuel: &Fuel,
    tokens: &mut Vec<Token>,
) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for part in
        quote.split("...").flat_map(|part| part.split(['…', '\u{22ef}'])).flat_map(|part| part.split("[]"))
    {
        tokens.clear();
        tokenize(part, &mut Style::default(), &mut |token| tokens.push(token));
        if tokens.is_empty() {
            continue;
        }
        if tokens.len() > LONGEST || !fuel.spend_on(part.len()) {
            return Vec::new();
        }
        let here = part_places(part, tokens, source, fuel);
        if here.is_empty() {
            return Vec::new();
        }
        if found.is_empty() {
            found = here;
            continue;
        }
        // The part goes on one of the places of what is before it.
        found.retain_mut(|before| {
            let next =
                here.iter().find(|next| next.start >= before.end && next.end - before.start <= LONGEST);
            next.map(|next| before.end = next.end).is_some()
        });
    }
    found
}

fn part_places(text: &str, tokens: &[Token], source: &SourceIndex, fuel: &Fuel) -> Vec<Range<usize>> {
    let count = |token: &Token| source.occurrences(token.hash).len() + source.joined(token.hash).len();
    let Some((anchor, token)) = tokens.iter().enumerate().take(24).min_by_key(|(_, token)| count(token))
    else {
        return Vec::new();
    };
    let starts = source
        .occurrences(token.hash)
        .iter()
        .copied()
        .chain(source.joined(token.hash).iter().map(|join| join.1));
    let mut found = Vec::new();
    for place in starts {
        // Words that the text hyphenates over a line break take two of its tokens.
        for shift in 0..=2 {
            let Some(from) = (place as usize).checked_sub(anchor + shift) else { break };
            if !fuel.spend_on(tokens.len()) || found.len() >= PLACES {
                return found;
            }
            if let Some(to) = same(text, tokens, source, from) {
                found.push(from..to);
                break;
            }
            if anchor == 0 {
                break;
            }
        }
    }
    found
}

/// The end of the quote's tokens if they stand from `from` on.
fn same(text: &str, tokens: &[Token], source: &SourceIndex, from: usize) -> Option<usize> {
    let mut at = from;
    for token in tokens {
        let here = source.token(at)?;
        if here.broken && source.joined_is(at, token.text(text), token.hash) {
            at += 2;
            continue;
        }
        if here.hash != token.hash || here.kind != token.kind {
            return None;
        }
        let (own, other) = (token.text(text), here.text(source.text()));
        let alike = match token.kind {
            TokenKind::Number => own.trim_matches(['%', ' ']) == other.trim_matches(['%', ' ']),
            TokenKind::Word | TokenKind::Symbol => fold_eq(own, other),
        };
        if !alike {
            return None;
        }
        at += 1;
    }
    Some(at)
}

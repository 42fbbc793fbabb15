//! Whether a match ends where words and numbers end, and is not denied right beside it.

use super::index::SourceIndex;
use super::names::Hit;
use super::probe::{Evidence, Probe};
use super::sequence::{TokenMatch, is_dash};
use super::token::TokenKind;
use super::words::WordClass;

/// The list that a source token is in.
pub(super) fn listed_at(source: &SourceIndex, i: usize) -> Option<WordClass> {
    source.token(i).filter(|token| token.kind == TokenKind::Word)?.listed().class
}

/// Whether the match is whole: not a part of a longer word, compound, number, range, date or identifier.
pub(super) fn is_whole(found: TokenMatch, probe: &Probe<'_>, source: &SourceIndex, hits: &[Hit]) -> bool {
    left_is_free(found, probe, source, hits) && right_is_free(found, probe, source, hits)
}

fn kind(source: &SourceIndex, i: usize) -> Option<TokenKind> {
    source.token(i).map(|token| token.kind)
}

fn left_is_free(found: TokenMatch, probe: &Probe<'_>, source: &SourceIndex, hits: &[Hit]) -> bool {
    let Some(before) = found.from.checked_sub(1) else {
        return true;
    };
    if source.token(before).is_some_and(|token| token.broken) {
        return false;
    }
    let gap = source.gap_after(before);
    let is_number = kind(source, found.from) == Some(TokenKind::Number);
    if is_number {
        if kind(source, before) == Some(TokenKind::Symbol) && gap.chars().all(char::is_whitespace) {
            let text = source.token(before).map_or("", |token| token.text(source.text()));
            let compares = text.starts_with(['<', '>', '\u{2264}', '\u{2265}', '\u{b1}', '+']);
            if compares {
                return false;
            }
        }
        let compared = matches!(before_words(source, found.from), Some("than"));
        if compared && gap.chars().all(char::is_whitespace) {
            return false;
        }
        if probe.is_bare_number() && is_list_number(source, found.from) {
            return false;
        }
    }
    let is_next = kind(source, before) == Some(TokenKind::Word) && !gap.contains(['.', ';', '\n', ',', ':']);
    if is_next && source.token_is(before, "non") {
        return false;
    }
    let mut chars = gap.chars();
    match (chars.next(), chars.next()) {
        (None, _) => kind(source, before) == Some(TokenKind::Symbol),
        (Some(c), None) if is_dash(c) => {
            // `ER-positive`: the compound of a name and its value.
            !is_number && a_name_ends(hits, found.from)
        }
        (Some('_' | '@' | '\\'), None) => false,
        (Some('.'), None) => {
            !is_number
                && kind(source, before) == Some(TokenKind::Word)
                && source
                    .token(found.from)
                    .is_some_and(|token| token.text(source.text()).starts_with(char::is_uppercase))
        }
        (Some('/' | ',' | ':'), None) => !(is_number && kind(source, before) == Some(TokenKind::Number)),
        (Some('\'' | '\u{2019}'), None) => source.token(before).is_some_and(|token| {
            matches!(token.text(source.text()), "l" | "L" | "d" | "D" | "s" | "n" | "qu" | "m" | "t" | "c")
        }),
        // The space inside 12 500 as printed in much of Europe.
        (Some('\u{a0}' | '\u{202f}' | '\u{2009}'), None) => {
            !(is_number
                && is_thousands_group(source, found.from)
                && kind(source, before) == Some(TokenKind::Number))
        }
        _ => true,
    }
}

fn right_is_free(found: TokenMatch, probe: &Probe<'_>, source: &SourceIndex, hits: &[Hit]) -> bool {
    let Some(last) = found.to.checked_sub(1) else {
        return false;
    };
    let Some(next) = source.token(found.to) else {
        return true;
    };
    if source.token(last).is_some_and(|token| token.broken) {
        return false;
    }
    let gap = source.gap_after(last);
    let is_number = kind(source, last) == Some(TokenKind::Number);
    let next_number = next.kind == TokenKind::Number;
    let next_unit = is_number && next.listed().unit.is_some();
    let mut chars = gap.chars();
    match (chars.next(), chars.next()) {
        (None, _) => {
            (next.kind == TokenKind::Symbol && !is_number)
                || next_unit
                // The time of day after a date: 2016-09-06T08:00.
                || is_number && found.to - found.from >= 3 && is_time(next.text(source.text()))
                || is_number
                    && matches!(next.text(source.text()), "x" | "X" | "\u{d7}")
                    && probe.tokens.len() > 1
        }
        (Some(c), None) if is_dash(c) => {
            next_unit || (!is_number && !next_number && a_name_begins(hits, found.to))
        }
        (Some('_' | '@' | '\\'), None) => false,
        (Some('.'), None) => {
            !(is_number && next_number) && next.text(source.text()).starts_with(char::is_uppercase)
        }
        (Some('/'), None) if is_number && next_number => {
            // Of 3/18 the first number may stand for itself; dates may not be cut.
            let more = source.gap_after(found.to);
            !more.starts_with(['/', '-', '.'])
                || more.starts_with(". ")
                || more == "."
                || more.starts_with(".\n")
        }
        (Some('/'), None) => {
            // 5 mg is not 5 mg/kg.
            let ends_in_unit = found.to - found.from >= 2
                && source.token(last).is_some_and(|token| token.listed().unit.is_some());
            !ends_in_unit
        }
        (Some(',' | ':'), None) => !(is_number && next_number),
        (Some('\u{a0}' | '\u{202f}' | '\u{2009}'), None) => {
            !(is_number && next_number && is_thousands_group(source, found.to))
        }
        _ => !probe.is_bare_number() || !is_dimension(source, found.to),
    }
}

/// How many names may begin before a place and end at it, at most: none is longer than this many tokens, and none of
/// `hits` is within another.
const NEAR: usize = 24;

/// Whether one of `hits`, which are sorted, ends before token `at`.
fn a_name_ends(hits: &[Hit], at: usize) -> bool {
    let upto = hits.partition_point(|hit| (hit.start as usize) < at);
    let near = hits.get(upto.saturating_sub(NEAR)..upto).unwrap_or_default();
    near.iter().any(|hit| hit.end.0 as usize == at)
}

/// Whether one of `hits`, which are sorted, begins with token `at`.
fn a_name_begins(hits: &[Hit], at: usize) -> bool {
    hits.binary_search_by_key(&at, |hit| hit.start as usize).is_ok()
}

/// Whether a word is the hour of an ISO 8601 time: `T08`.
fn is_time(word: &str) -> bool {
    word.strip_prefix('T').is_some_and(|hour| hour.len() >= 2 && hour.chars().all(|c| c.is_ascii_digit()))
}

/// Whether a bare number is followed by `x 3`: one side of something with several.
fn is_dimension(source: &SourceIndex, next: usize) -> bool {
    super::probe::is_times(source.text(), source.tokens(), next)
        && kind(source, next + 1) == Some(TokenKind::Number)
}

fn is_thousands_group(source: &SourceIndex, i: usize) -> bool {
    source.token(i).is_some_and(|token| {
        let text = token.text(source.text());
        text.chars().take_while(char::is_ascii_digit).count() == 3
    })
}

/// The word before token `i` when it makes the number after it a bound.
fn before_words(source: &SourceIndex, i: usize) -> Option<&str> {
    source.token(i.checked_sub(1)?).map(|token| token.text(source.text()))
}

/// Whether the number numbers a line of a list: `1. Adenocarcinoma`.
pub(super) fn is_list_number(source: &SourceIndex, i: usize) -> bool {
    let after = source.gap_after(i);
    if !(after.starts_with(['.', ')']) && after.chars().nth(1).is_none_or(char::is_whitespace)) {
        return false;
    }
    let before = source.gap_before(i);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let starts_line = (before.contains('\n') || i == 0)
        && line.chars().all(|c| c.is_whitespace() || matches!(c, '(' | '-' | '*'));
    starts_line || before.ends_with(',')
}

/// Whether the match is denied or only offered: `not positive`, `no positive nodes`, `[ ] positive`, `positive or negative`.
pub(super) fn is_negated(
    found: TokenMatch,
    probe: &Probe<'_>,
    source: &SourceIndex,
    evidence: Evidence,
) -> bool {
    if found.from > 0
        && listed_at(source, found.from - 1) == Some(WordClass::Not)
        && !breaks(source.gap_before(found.from))
    {
        return true;
    }
    if listed_at(source, found.to) == Some(WordClass::NotBefore) {
        return true;
    }
    if evidence != Evidence::Strict || probe.tokens.iter().all(|token| token.kind == TokenKind::Number) {
        return false;
    }
    if !probe.has(WordClass::No) && !probe.has(WordClass::Not) && denied_before(found.from, source) {
        return true;
    }
    let before = source.gap_before(found.from).trim_end();
    if before.ends_with("[ ]")
        || before.ends_with("[]")
        || before.ends_with("( )")
        || before.ends_with('\u{2610}')
    {
        return true;
    }
    offered(found, source)
}

/// Whether a denial stands within the four words before token `at`, in the same clause.
fn denied_before(at: usize, source: &SourceIndex) -> bool {
    for back in 1..=4 {
        let Some(i) = at.checked_sub(back) else {
            return false;
        };
        if breaks(source.gap_after(i)) {
            return false;
        }
        match listed_at(source, i) {
            Some(WordClass::Not | WordClass::No) => return true,
            Some(WordClass::And) => return false,
            Some(WordClass::Polarity) if negative_for(source, i) => return true,
            _ => {}
        }
    }
    false
}

fn negative_for(source: &SourceIndex, i: usize) -> bool {
    source.token_is(i, "negative") && (source.token_is(i + 1, "for") || source.token_is(i + 1, "of"))
}

/// Whether a gap ends a clause.
fn breaks(gap: &str) -> bool {
    gap.contains(['.', ';', ',', ':', '|', '\n', '!', '?'])
}

/// Whether the match is one of several choices: `positive/negative`, `positive or negative`.
fn offered(found: TokenMatch, source: &SourceIndex) -> bool {
    let choice = |i: Option<usize>| {
        i.is_some_and(|i| matches!(listed_at(source, i), Some(WordClass::Polarity | WordClass::Degree)))
    };
    let or = |i: Option<usize>| {
        i.is_some_and(|i| {
            source.token_is(i, "or")
                || source.token_is(i, "o")
                || source.token_is(i, "veya")
                || source.token_is(i, "of")
        })
    };
    let slash = |gap: &str| gap.trim() == "/";
    slash(source.gap_before(found.from)) && choice(found.from.checked_sub(1))
        || found.to > 0 && slash(source.gap_after(found.to - 1)) && choice(Some(found.to))
        || or(Some(found.to)) && choice(Some(found.to + 1))
        || or(found.from.checked_sub(1)) && choice(found.from.checked_sub(2))
}

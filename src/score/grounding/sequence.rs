//! Aligning a value's tokens with the source's, token by token.

use super::fold::fold_eq;
use super::index::SourceIndex;
use super::probe::{Probe, is_times, number_at, unit_at};
use super::token::TokenKind;

/// Source tokens that match a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenMatch {
    /// First token.
    pub(super) from: usize,
    /// Token after the last.
    pub(super) to: usize,
    /// Some number was equal, but written differently.
    pub(super) numeric: bool,
}

/// Aligns the whole value with the source from token `from` on. `work` counts the tokens compared.
pub(super) fn align(
    probe: &Probe<'_>,
    source: &SourceIndex,
    from: usize,
    work: &mut usize,
) -> Option<TokenMatch> {
    let (mut i, mut j, mut numeric) = (0, from, false);
    while let Some(token) = probe.token(i) {
        *work += 1;
        let here = source.token(j)?;
        if i > 0 && !continues(probe, source, i, j) {
            return None;
        }
        if token.kind == TokenKind::Number {
            if here.kind != TokenKind::Number || here.hash != token.hash {
                return None;
            }
            numeric |= !number_matches(probe, source, i, j)?;
            // `90 percent` was found as `90%`.
            let spelt = here.percent && !token.percent && probe.unit(i + 1).is_some();
            i += if spelt { 2 } else { 1 };
            j += 1;
        } else if here.hash == token.hash
            && here.kind == token.kind
            && fold_eq(here.text(source.text()), probe.word(i))
        {
            i += 1;
            j += 1;
        } else if here.broken && source.joined_is(j, probe.word(i), token.hash) {
            i += 1;
            j += 2;
        } else if i > 0
            && is_unit_after_number(probe, i)
            && source.token(j - 1).is_some_and(|before| before.kind == TokenKind::Number)
        {
            // Whether the units agree was settled with the number.
            here.listed().unit?;
            numeric = true;
            i += 1;
            j += 1;
        } else if i > 0 && is_times(probe.text, probe.tokens, i) && here.listed().unit.is_some() {
            // `2.5 cm x 1 cm` for the value `2.5 x 1 cm`.
            numeric = true;
            j += 1;
        } else {
            return None;
        }
    }
    Some(TokenMatch { from, to: j, numeric })
}

fn is_unit_after_number(probe: &Probe<'_>, i: usize) -> bool {
    let after = i
        .checked_sub(1)
        .and_then(|before| probe.token(before))
        .is_some_and(|before| before.kind == TokenKind::Number);
    after && probe.unit(i).is_some()
}

/// Whether two numbers are equal in their units. Some(true) when they are also written alike.
pub(super) fn number_matches(probe: &Probe<'_>, source: &SourceIndex, i: usize, j: usize) -> Option<bool> {
    let own = probe.token(i)?;
    let here = source.token(j)?;
    let percent = |c: char| c == '%' || c.is_whitespace();
    let alike = own.text(probe.text).trim_matches(percent) == here.text(source.text()).trim_matches(percent);
    // Written alike, a number is read in the text's own style.
    let style = alike && source.decimal_comma();
    let value = number_at(probe.text, probe.tokens, i, style)?;
    let found = number_at(source.text(), source.tokens(), j, source.decimal_comma())?;
    let unit = unit_at(probe.text, probe.tokens, i);
    let found_unit = unit_at(source.text(), source.tokens(), j);
    let equal = match (unit.or(probe.hint), found_unit) {
        (Some(a), Some(b)) => a.dimension == b.dimension && value.scaled(a.power) == found.scaled(b.power),
        (None, None) => value == found,
        // A bare number may be found with its unit; beside words it must not gain one.
        (None, Some(_)) => value == found && probe.is_bare_number(),
        // A unit that only the key gives may be missing in the text; one that the value gives may not.
        (Some(_), None) => value == found && unit.is_none(),
    };
    equal.then_some(alike)
}

/// Whether what is between source tokens `j - 1` and `j` lets the value go on there.
fn continues(probe: &Probe<'_>, source: &SourceIndex, i: usize, j: usize) -> bool {
    let gap = source.gap_before(j);
    let own = i.checked_sub(1).map_or("", |before| super::index::gap(probe.text, probe.tokens, before));
    if gap == " " || gap == own {
        // Two numbers side by side are not the numbers of a range or ratio.
        return gap == own || !between_numbers(probe, i) || sign(own).is_none();
    }
    if between_numbers(probe, i) && sign(gap) != sign(own) {
        return false;
    }
    let strong = gap.contains(['.', '!', '?', ';', '|']) || has_blank_line(gap);
    let own_break = own.contains(['.', '!', '?', ';', ':', ',', '|', '\n']);
    // Scanned text has full stops at line ends: not a sentence's when a small letter follows.
    let goes_on =
        source.token(j).is_some_and(|token| token.text(source.text()).starts_with(char::is_lowercase));
    !strong || own_break || (goes_on && !gap.contains([';', '|']) && !has_blank_line(gap))
}

fn between_numbers(probe: &Probe<'_>, i: usize) -> bool {
    let number = |i: usize| probe.token(i).is_some_and(|token| token.kind == TokenKind::Number);
    number(i) && i.checked_sub(1).is_some_and(number)
}

/// The sign that joins two numbers.
fn sign(gap: &str) -> Option<char> {
    gap.chars().find(|c| !c.is_whitespace()).map(|c| if is_dash(c) { '-' } else { c })
}

/// Hyphens and dashes of all kinds.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Whether a gap holds an empty line.
pub(super) fn has_blank_line(gap: &str) -> bool {
    gap.matches('\n').nth(1).is_some() && {
        let mut lines = gap.split('\n');
        lines.next();
        lines.next_back();
        lines.any(|line| line.trim().is_empty())
    }
}

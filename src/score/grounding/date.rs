//! A date written otherwise: `2024-03-01` as `March 1, 2024`, `1 de marzo de 2024`, `03/01/2024`, `01.03.2024`.

use super::index::SourceIndex;
use super::probe::{Probe, number_at};
use super::sequence::{TokenMatch, is_dash};
use super::token::TokenKind;

/// Whether the value is a date `YYYY-MM-DD`.
fn iso(probe: &Probe<'_>) -> Option<(u32, u32, u32)> {
    let text = probe.text.trim();
    let shaped = text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(i, b)| if matches!(i, 4 | 7) { b == b'-' } else { b.is_ascii_digit() });
    let part = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u32>().ok());
    let date = (part(0..4)?, part(5..7)?, part(8..10)?);
    (shaped && (1..=12).contains(&date.1) && (1..=31).contains(&date.2)).then_some(date)
}

/// Whether the value is a whole date in figures, with a year of four digits: too distinctive to be another field's by
/// chance.
pub(super) fn is_date(probe: &Probe<'_>) -> bool {
    let digits = |token: &super::token::Token| token.text(probe.text).len();
    iso(probe).is_some()
        || (probe.tokens.len() == 3
            && probe.tokens.iter().all(|token| token.kind == TokenKind::Number)
            && probe.tokens.iter().filter(|token| digits(token) == 4).count() == 1
            && probe.tokens.iter().filter(|token| digits(token) <= 2).count() == 2)
}

/// Finds the value, if it is a date, where the source writes it in another way.
pub(super) fn find(
    probe: &Probe<'_>,
    source: &SourceIndex,
    accept: impl Fn(TokenMatch) -> bool,
) -> Option<TokenMatch> {
    let (year, month, day) = iso(probe)?;
    source.occurrences(probe.token(0)?.hash).iter().find_map(|&at| {
        let at = at as usize;
        if plain(source, at) != Some(year) {
            return None;
        }
        let found = before(at, month, day, source).or_else(|| after(at, month, day, source))?;
        accept(found).then_some(found)
    })
}

/// A whole date in a text: its tokens, and what it may mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct DateHere {
    pub(super) tokens: TokenMatch,
    /// Years, months and days; the second reading where day and month can be told apart by nothing.
    readings: [Option<(u32, u32, u32)>; 2],
}

impl DateHere {
    /// Whether it may be the date that the value is.
    pub(super) fn may_be(&self, probe: &Probe<'_>) -> bool {
        let Some((year, month, day)) = iso(probe).or_else(|| figures(probe)) else { return false };
        let same_year = |other: u32| other == year || (other < 100 && other == year % 100);
        self.readings.iter().flatten().any(|(y, m, d)| same_year(*y) && *m == month && *d == day)
    }
}

/// A value that is a date in figures with the year last and the day first, as far as that can be told.
fn figures(probe: &Probe<'_>) -> Option<(u32, u32, u32)> {
    let number = |i: usize| probe.word(i).parse::<u32>().ok();
    let (a, b, c) = (number(0)?, number(1)?, number(2)?);
    match (a, b, c) {
        (year, month, day) if year > 31 => Some((year, month, day)),
        (day, month, year) if month <= 12 => Some((year, month, day)),
        (month, day, year) => Some((year, month, day)),
    }
}

/// The date that begins at token `at`, in any writing: `2024-03-01`, `3/1/24`, `March 1, 2024`, `1 de marzo de 2024`.
pub(super) fn at(source: &SourceIndex, at: usize) -> Option<DateHere> {
    let two = |i: usize| plain(source, i).filter(|n| (1..=31).contains(n));
    let year = |i: usize| plain(source, i).filter(|n| (1900..=2199).contains(n));
    let short = |i: usize| plain(source, i).filter(|n| *n < 100);
    let joined = |i: usize| matches!(source.gap_after(i), "/" | "." | "-");
    let found = |to: usize, readings| {
        let tokens = TokenMatch { from: at, to, numeric: true };
        Some(DateHere { tokens, readings })
    };
    let near = |i: usize| {
        let gap = source.gap_after(i);
        gap.len() <= 3 && gap.chars().all(|c| c.is_whitespace() || matches!(c, ',' | '.' | '-' | '/'))
    };
    if let (Some(y), true, true) = (year(at), joined(at), joined(at + 1))
        && let (Some(month), Some(day)) = (two(at + 1), two(at + 2))
    {
        return found(at + 3, [Some((y, month, day)), None]);
    }
    if joined(at)
        && joined(at + 1)
        && let (Some(a), Some(b)) = (two(at), two(at + 1))
        && let Some(y) = year(at + 2).or_else(|| short(at + 2))
    {
        return found(at + 3, [Some((y, a, b)), Some((y, b, a))]);
    }
    if let Some(month) = month_at(source, at)
        && let (Some(day), true) = (two(at + 1), near(at))
        && let (Some(y), true) = (year(at + 2), near(at + 1))
    {
        return found(at + 3, [Some((y, month, day)), None]);
    }
    if let Some(day) = two(at) {
        let de = |i: usize| {
            usize::from(source.token_is(i, "de") || source.token_is(i, "del") || source.token_is(i, "of"))
        };
        let month_token = at + 1 + de(at + 1);
        let year_token = month_token + 1 + de(month_token + 1);
        if near(at)
            && let (Some(month), Some(y)) = (month_at(source, month_token), year(year_token))
        {
            return found(year_token + 1, [Some((y, month, day)), None]);
        }
    }
    None
}

fn plain(source: &SourceIndex, i: usize) -> Option<u32> {
    source.token(i).filter(|token| token.kind == TokenKind::Number)?;
    number_at(source.text(), source.tokens(), i, source.decimal_comma())?.small()
}

fn month_at(source: &SourceIndex, i: usize) -> Option<u32> {
    source.token(i)?.listed().month
}

/// `03/01/2024`, `March 1, 2024`, `1 de marzo de 2024`: the year last.
fn before(year: usize, month: u32, day: u32, source: &SourceIndex) -> Option<TokenMatch> {
    let (a, b) = (year.checked_sub(2)?, year.checked_sub(1)?);
    let found = |from| Some(TokenMatch { from, to: year + 1, numeric: true });
    let (gap, gap_too) = (source.gap_after(a), source.gap_after(b));
    if let (Some(first), Some(second)) = (plain(source, a), plain(source, b)) {
        let dotted = gap == "." && gap_too == ".";
        let other = gap == gap_too && (gap == "/" || (gap.chars().count() == 1 && gap.chars().all(is_dash)));
        let day_first = first == day && second == month;
        let month_first = first == month && second == day;
        return if (day_first && (dotted || other)) || (month_first && other) { found(a) } else { None };
    }
    let near = |gap: &str| gap.len() <= 3 && gap.chars().all(|c| c.is_whitespace() || matches!(c, ',' | '.'));
    if month_at(source, a) == Some(month) && plain(source, b) == Some(day) && near(gap) && near(gap_too) {
        return found(a);
    }
    if month_at(source, b) == Some(month) && plain(source, a) == Some(day) && near(gap) && near(gap_too) {
        return found(a);
    }
    let de = |i: usize| source.token_is(i, "de") || source.token_is(i, "del");
    let start = year.checked_sub(4)?;
    (de(year - 1)
        && de(year - 3)
        && month_at(source, year - 2) == Some(month)
        && plain(source, start) == Some(day))
    .then(|| found(start))
    .flatten()
}

/// `2024/03/01`: the year first.
fn after(year: usize, month: u32, day: u32, source: &SourceIndex) -> Option<TokenMatch> {
    let gaps = (source.gap_after(year), source.gap_after(year + 1));
    let joined = gaps.0 == gaps.1 && matches!(gaps.0, "/" | "." | "-");
    (joined && plain(source, year + 1) == Some(month) && plain(source, year + 2) == Some(day))
        .then_some(TokenMatch { from: year, to: year + 3, numeric: true })
}

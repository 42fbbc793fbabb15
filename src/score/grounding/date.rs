//! A date written otherwise: `2024-03-01` as `March 1, 2024`, `1 de marzo de 2024`, `03/01/2024`, `01.03.2024`.

use super::index::SourceIndex;
use super::probe::{Probe, number_at};
use super::sequence::{TokenMatch, is_dash};
use super::token::TokenKind;
use crate::value::Fuel;

/// What it costs to read a date around a year, in token comparisons.
const READING: u64 = 8;

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

/// Whether the value is a date with its month in words: `12 March 2025`, `March 12, 2025`, `12 de marzo de 2025`.
fn in_words(probe: &Probe<'_>) -> Option<(u32, u32, u32)> {
    let says = |i: &usize| !matches!(probe.word(*i), "de" | "del" | "of");
    let mut parts = (0..probe.tokens.len().min(6)).filter(says);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || probe.tokens.len() > 6 {
        return None;
    }
    let month = |i: usize| probe.token(i)?.listed().month;
    let number = |i: usize| probe.word(i).parse::<u32>().ok();
    let (month, day) = match (month(first), month(second)) {
        (Some(month), None) => (month, number(second)?),
        (None, Some(month)) => (month, number(first)?),
        _ => return None,
    };
    let year = number(third)?;
    ((1..=31).contains(&day) && (1900..=2199).contains(&year)).then_some((year, month, day))
}

/// Whether the value is a whole date, in figures with a year of four digits or with the month in words: too distinctive to be
/// another field's by chance.
pub(super) fn is_date(probe: &Probe<'_>) -> bool {
    let digits = |token: &super::token::Token| token.text(probe.text).len();
    iso(probe).or_else(|| in_words(probe)).is_some()
        || (probe.tokens.len() == 3
            && probe.tokens.iter().all(|token| token.kind == TokenKind::Number)
            && probe.tokens.iter().filter(|token| digits(token) == 4).count() == 1
            && probe.tokens.iter().filter(|token| digits(token) <= 2).count() == 2)
}

/// Which of the first two numbers of `3/4/24` is the month, where the document itself tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateOrder {
    DayFirst,
    MonthFirst,
}

impl DateOrder {
    /// What the dates of a document tell that can be read in one way only; nothing where they differ, or where there are none.
    pub(super) fn of(source: &SourceIndex) -> Option<Self> {
        let (mut day_first, mut month_first) = (false, false);
        for at in 0..source.tokens().len() {
            let joined = |i: usize| matches!(source.gap_after(i), "/" | "-");
            if !joined(at) || !joined(at + 1) {
                continue;
            }
            let (Some(first), Some(second), Some(_)) =
                (plain(source, at), plain(source, at + 1), plain(source, at + 2))
            else {
                continue;
            };
            day_first |= (13..=31).contains(&first) && (1..=12).contains(&second);
            month_first |= (1..=12).contains(&first) && (13..=31).contains(&second);
        }
        match (day_first, month_first) {
            (true, false) => Some(DateOrder::DayFirst),
            (false, true) => Some(DateOrder::MonthFirst),
            _ => None,
        }
    }
}

/// The value as a month of a year: `2008-04`.
pub(super) fn month(probe: &Probe<'_>) -> Option<(u32, u32)> {
    let (year, month) = probe.text.trim().split_once('-')?;
    let figures = |text: &str, count: usize| {
        (text.len() == count && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse::<u32>().ok())?
    };
    let (year, month) = (figures(year, 4)?, figures(month, 2)?);
    ((1900..=2199).contains(&year) && (1..=12).contains(&month)).then_some((year, month))
}

/// The month of a year that begins at token `at`: `April 2008`, `abril de 2008`, `4/2008`, `2008-04`, or a date in it.
pub(super) fn month_at_year(source: &SourceIndex, from: usize, year: u32, month: u32) -> Option<TokenMatch> {
    if let Some(date) = at(source, from) {
        let is_in =
            date.readings.iter().flatten().all(|(y, m, _)| (*y == year || *y == year % 100) && *m == month);
        return is_in.then_some(date.tokens);
    }
    let joined = |gap: &str| gap.len() <= 2 && !gap.contains(['\n', ';']);
    let small = usize::from(source.token_is(from + 1, "of") || source.token_is(from + 1, "de"));
    let is_named = month_at(source, from) == Some(month) && plain(source, from + 1 + small) == Some(year);
    let is_figures = plain(source, from) == Some(month)
        && matches!(source.gap_after(from), "/" | "." | "-")
        && plain(source, from + 1) == Some(year);
    let is_iso = plain(source, from) == Some(year)
        && source.gap_after(from) == "-"
        && plain(source, from + 1) == Some(month);
    let to = from + 2 + if is_named { small } else { 0 };
    ((is_named && joined(source.gap_after(from))) || is_figures || is_iso).then_some(TokenMatch {
        from,
        to,
        numeric: true,
    })
}

/// Finds the value, if it is a date, where the source writes it in another way.
pub(super) fn find(
    probe: &Probe<'_>,
    source: &SourceIndex,
    fuel: &Fuel,
    accept: impl Fn(TokenMatch) -> bool,
) -> Option<TokenMatch> {
    let (year, month, day) = iso(probe).or_else(|| in_words(probe))?;
    let at_year = (0..probe.tokens.len()).rev().find(|i| probe.word(*i).parse() == Ok(year))?;
    let places = source.occurrences(probe.token(at_year)?.hash);
    places.iter().take_while(|_| fuel.spend(READING)).find_map(|&at| {
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
    /// Whether it may be the same day as another.
    pub(super) fn is_same_day(&self, other: &Self) -> bool {
        let same_year = |a: u32, b: u32| a == b || (a < 100 || b < 100) && a % 100 == b % 100;
        let other = || other.readings.iter().flatten();
        (self.readings.iter().flatten())
            .any(|(y, m, d)| other().any(|(year, month, day)| same_year(*y, *year) && m == month && d == day))
    }

    /// Whether one of its readings is a day that there is.
    pub(super) fn is_in_calendar(&self) -> bool {
        self.readings.iter().flatten().any(|(year, month, day)| {
            // Of a year in two figures, any that ends so: the century decides about 29 February only.
            let year = if *year < 100 { 2000 + year } else { *year };
            let parts = (i16::try_from(year), i8::try_from(*month), i8::try_from(*day));
            matches!(parts, (Ok(year), Ok(month), Ok(day)) if jiff::civil::Date::new(year, month, day).is_ok())
        })
    }

    /// Whether it may be the date that the value is.
    pub(super) fn may_be(&self, probe: &Probe<'_>) -> bool {
        let Some((year, month, day)) = iso(probe).or_else(|| in_words(probe)).or_else(|| figures(probe))
        else {
            return false;
        };
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
        let order = source.date_order().filter(|_| source.gap_after(at) != ".");
        return match order {
            Some(DateOrder::MonthFirst) if a <= 12 => found(at + 3, [Some((y, a, b)), None]),
            Some(DateOrder::DayFirst) if b <= 12 => found(at + 3, [Some((y, b, a)), None]),
            _ => found(at + 3, [Some((y, a, b)), Some((y, b, a))]),
        };
    }
    if let Some(date) = compact(source, at) {
        return found(at + 1, [Some(date), None]);
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

/// A date in eight figures, as messages between systems have it, with or without a time of day: `20140321`, `201403210830`.
fn compact(source: &SourceIndex, i: usize) -> Option<(u32, u32, u32)> {
    let token = source.token(i).filter(|token| token.kind == TokenKind::Number)?;
    let figures = token.text(source.text());
    let is_whole = matches!(figures.len(), 8 | 12 | 14) && figures.bytes().all(|b| b.is_ascii_digit());
    let part = |range: std::ops::Range<usize>| figures.get(range).and_then(|part| part.parse::<u32>().ok());
    let date = (part(0..4)?, part(4..6)?, part(6..8)?);
    let is_date = (1900..=2199).contains(&date.0) && (1..=12).contains(&date.1) && (1..=31).contains(&date.2);
    (is_whole && is_date).then_some(date)
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
        let order = source.date_order();
        let day_first = first == day
            && second == month
            && (dotted || first == second || order != Some(DateOrder::MonthFirst));
        let month_first =
            first == month && second == day && (first == second || order != Some(DateOrder::DayFirst));
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

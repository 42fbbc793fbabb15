//! A date written otherwise: `2024-03-01` as `March 1, 2024`, `1 de marzo de 2024`, `03/01/2024`, `01.03.2024`.

use super::index::SourceIndex;
use super::probe::number_at;
use super::sequence::TokenMatch;
use super::token::TokenKind;

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

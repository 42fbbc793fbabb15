//! Dates as documents print them, in the order of day and month that the document shows.

use crate::document::{Cell, Document};
use crate::fold::words;
use std::sync::LazyLock;

/// A calendar date: year, month, day.
pub(crate) type Day = (i32, u8, u8);

/// A date where the document prints one. What could be read in two ways stands twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Date {
    pub(crate) day: Day,
    pub(crate) cell: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The order in which a document writes days and months as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateOrder {
    DayFirst,
    MonthFirst,
}

const MONTHS: &str = include_str!("../words/months.txt");

/// Two-digit years up to this one are of this century.
const CENTURY: i32 = 69;

/// A piece of a cell: digits or letters, as a date has them.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

pub(crate) fn read(document: &Document) -> Vec<Date> {
    let mut found = Vec::new();
    for (number, cell) in document.cells.iter().enumerate() {
        let pieces = pieces(document, cell);
        for window in pieces.windows(3) {
            let [a, b, c] = window else { continue };
            let joined = |left: &Piece<'_>, right: &Piece<'_>| document.slice(left.end, right.start);
            let gaps = (joined(a, b), joined(b, c));
            for (day, is_open) in readings([a.text, b.text, c.text], gaps) {
                found.push((Date { day, cell: number, start: a.start, end: c.end }, is_open));
            }
        }
    }
    let order = order_of(document, &found);
    found
        .into_iter()
        .filter(|(_, reading)| match (reading, order) {
            (None, _) | (Some(_), None) => true,
            (Some(reading), Some(order)) => *reading == order,
        })
        .map(|(date, _)| date)
        .collect()
}

fn pieces<'a>(document: &'a Document, cell: &Cell) -> Vec<Piece<'a>> {
    let own = document.slice(cell.start, cell.end);
    let mut pieces = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    for (at, c) in own.char_indices().chain([(own.len(), ' ')]) {
        let digit = c.is_ascii_digit();
        // 2024年6月10日, 2024년 6월 10일
        let letter = c.is_alphabetic() && !matches!(c, '年' | '月' | '日' | '년' | '월' | '일');
        if let Some((from, was_digit)) = open
            && (was_digit != digit || !(digit || letter))
        {
            let (start, end) = (cell.start + from, cell.start + at);
            pieces.push(Piece { text: document.slice(start, end), start, end });
            open = None;
        }
        if open.is_none() && (digit || letter) {
            open = Some((at, digit));
        }
    }
    pieces
}

/// The dates that three pieces can be; those that only an order of day and month tells apart come with it.
fn readings(pieces: [&str; 3], gaps: (&str, &str)) -> Vec<(Day, Option<DateOrder>)> {
    let [a, b, c] = pieces;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = |gap: &str| gap.chars().count() <= 2 && !gap.contains(['(', ')', ';']);
    if !is_short(gaps.0) || !is_short(gaps.1) {
        return Vec::new();
    }
    let small = |text: &str| (text.len() <= 2).then(|| text.parse::<u8>().ok()).flatten();
    let year = |text: &str| {
        let value = text.parse::<i32>().ok()?;
        match text.len() {
            4 if (1800..2200).contains(&value) => Some(value),
            2 => Some(if value <= CENTURY { 2000 + value } else { 1900 + value }),
            _ => None,
        }
    };
    let valid = |year: i32, month: u8, day: u8| {
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month, day))
    };
    let mut found = Vec::new();
    if digits(a) && digits(b) && digits(c) {
        let separator =
            |gap: &str| matches!(gap.trim(), "/" | "-" | "." | "\u{2013}" | "年" | "月" | "년" | "월");
        if !separator(gaps.0) || !separator(gaps.1) {
            return found;
        }
        if a.len() == 4 {
            let day = year(a).and_then(|year| valid(year, small(b)?, small(c)?));
            found.extend(day.map(|day| (day, None)));
        } else if let Some(year) = year(c)
            && let (Some(first), Some(second)) = (small(a), small(b))
        {
            let day_first = valid(year, second, first);
            let month_first = valid(year, first, second);
            found.extend(day_first.map(|day| (day, Some(DateOrder::DayFirst))));
            if first != second {
                found.extend(month_first.map(|day| (day, Some(DateOrder::MonthFirst))));
            }
        }
        return found;
    }
    // Most words are no months: what is cheap to see is looked at first.
    let is_word = |text: &str| !digits(text);
    if digits(a)
        && is_word(b)
        && let Some(year) = year(c)
        && let Some(month) = month(b)
    {
        found.extend(small(a).and_then(|day| valid(year, month, day)).map(|day| (day, None)));
    } else if digits(b)
        && is_word(a)
        && c.len() == 4
        && let Some(year) = year(c)
        && let Some(month) = month(a)
    {
        found.extend(small(b).and_then(|day| valid(year, month, day)).map(|day| (day, None)));
    }
    found
}

/// The month that a word begins as.
fn month(name: &str) -> Option<u8> {
    static STARTS: LazyLock<Vec<(u8, Vec<&str>)>> = LazyLock::new(|| {
        let lines = MONTHS.lines().filter(|line| !line.starts_with('#'));
        let read = |line: &'static str| {
            let mut parts = line.split(' ');
            Some((parts.next()?.parse().ok()?, parts.collect()))
        };
        lines.filter_map(read).collect()
    });
    let name = words(name).into_iter().next()?;
    let is_of = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    STARTS.iter().find(|(_, starts)| is_of(starts)).map(|(number, _)| *number)
}

/// The order that the document's own dates show: one with a day past twelve decides.
fn order_of(document: &Document, found: &[(Date, Option<DateOrder>)]) -> Option<DateOrder> {
    let (mut day_first, mut month_first) = (0usize, 0usize);
    // The two readings of a date follow one another.
    for (at, (date, reading)) in found.iter().enumerate() {
        let beside = [at.checked_sub(1), Some(at + 1)];
        let has_twin = beside
            .into_iter()
            .flatten()
            .filter_map(|at| found.get(at))
            .any(|(other, _)| other.start == date.start);
        let decides = !has_twin && date.day.2 > 12;
        match reading {
            Some(DateOrder::DayFirst) => day_first += usize::from(decides),
            Some(DateOrder::MonthFirst) => month_first += usize::from(decides),
            None => {}
        }
    }
    // Points between numbers are written with the day first.
    if day_first == month_first {
        let pointed = found
            .iter()
            .any(|(date, reading)| reading.is_some() && document.slice(date.start, date.end).contains('.'));
        return pointed.then_some(DateOrder::DayFirst);
    }
    Some(if day_first > month_first { DateOrder::DayFirst } else { DateOrder::MonthFirst })
}

/// Reads a text that begins as an ISO date.
pub(crate) fn of_text(text: &str) -> Option<Day> {
    let text = text.trim();
    let day = text.get(..10)?;
    let mut parts = day.split('-');
    let (year, month, date) = (parts.next()?, parts.next()?, parts.next()?);
    let rest = text.get(10..).unwrap_or_default();
    let is_time = rest.is_empty() || rest.starts_with(['T', ' ']);
    let parsed = (year.parse().ok()?, month.parse().ok()?, date.parse().ok()?);
    (is_time && year.len() == 4 && month.len() == 2 && date.len() == 2).then_some(parsed)
}

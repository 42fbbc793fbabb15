//! Dates as documents print them, in the order of day and month that the document shows.

use crate::document::{Document, TextCell};
use crate::fold::{ascii_digit, ascii_digits, words};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A calendar date: year, month, day. The year is 0 where none is printed, the day where only a month is.
pub type Day = (i32, u8, u8);

/// A date where the document prints one. What could be read in two ways appears twice.
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
const ERAS: &str = include_str!("../words/eras.txt");

/// Two-digit years up to this one are of this century.
const CENTURY: i32 = 69;

/// A piece of a cell: digits or letters, as a date has them.
#[derive(Debug, Clone)]
struct DatePart<'a> {
    text: Cow<'a, str>,
    start: usize,
    end: usize,
}

/// The dates of a document, whole ones first; those without a year or day follow.
pub(crate) fn read(document: &Document) -> (Vec<Date>, Vec<Date>) {
    let (mut found, mut partial) = (Vec::new(), Vec::new());
    for (number, cell) in document.cells.iter().enumerate() {
        let pieces = pieces(document, cell);
        let joined = |left: &DatePart<'_>, right: &DatePart<'_>| document.slice(left.end, right.start);
        let mut until = 0;
        for (at, first) in pieces.iter().enumerate() {
            let [second, third] = [pieces.get(at + 1), pieces.get(at + 2)];
            let Some(second) = second else { continue };
            let date = |day, end| Date { day, cell: number, start: first.start, end };
            if let Some(third) = third {
                let gaps = (joined(first, second), joined(second, third));
                let before = at.checked_sub(1).and_then(|at| pieces.get(at)).map(|piece| piece.text.as_ref());
                let texts = [first.text.as_ref(), second.text.as_ref(), third.text.as_ref()];
                for (day, order) in readings(texts, gaps, before) {
                    found.push((date(day, third.end), order));
                    until = third.end;
                }
            }
            if first.start >= until {
                let end = second.end;
                let continues = document.char_at(end).is_some_and(|c| matches!(c, '/' | '-' | ':' | '%'));
                let readings = partly(&first.text, &second.text, joined(first, second));
                let readings = readings.into_iter().flatten().filter(|_| !continues);
                partial.extend(readings.map(|(day, order)| (date(day, end), order)));
            }
        }
    }
    let order = order_of(document, &found);
    let known = |dates: Vec<(Date, Option<DateOrder>)>| {
        let is_known = |reading: Option<DateOrder>| match (reading, order) {
            (None, _) | (Some(_), None) => true,
            (Some(reading), Some(order)) => reading == order,
        };
        dates.into_iter().filter(|(_, reading)| is_known(*reading)).map(|(date, _)| date).collect()
    };
    (known(found), known(partial))
}

/// The days without a year, or months without a day, that two pieces can be.
fn partly(a: &str, b: &str, gap: &str) -> [Option<(Day, Option<DateOrder>)>; 2] {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let small = |text: &str, most: u8| {
        let value = (text.len() <= 2).then(|| text.parse::<u8>().ok()).flatten();
        value.filter(|value| (1..=most).contains(value))
    };
    let year = |text: &str| {
        let value = text.parse::<i32>().ok().filter(|_| text.len() == 4);
        value.filter(|value| (1800..2200).contains(value))
    };
    let short = gap.chars().count() <= 2 && !gap.contains(['(', ')', ';', ',', ':']);
    match (digits(a), digits(b)) {
        _ if !short => [None, None],
        (true, true) if matches!(gap.trim(), "/" | "." | "-" | "年" | "月") => {
            if let (Some(month), Some(year)) = (small(a, 12), year(b)) {
                return [Some(((year, month, 0), None)), None];
            }
            if let (Some(year), Some(month)) = (year(a), small(b, 12)) {
                return [Some(((year, month, 0), None)), None];
            }
            if gap != "月" && (a.len() != 2 || b.len() != 2) {
                return [None, None];
            }
            let day_first = small(a, 31).zip(small(b, 12));
            let month_first = small(a, 12).zip(small(b, 31)).filter(|_| a != b);
            [
                day_first.map(|(day, month)| ((0, month, day), Some(DateOrder::DayFirst))),
                month_first.map(|(month, day)| ((0, month, day), Some(DateOrder::MonthFirst))),
            ]
        }
        (true, false) => [small(a, 31).zip(month(b)).map(|(day, month)| ((0, month, day), None)), None],
        (false, true) => {
            let named = month(a);
            let by_year = named.zip(year(b)).map(|(month, year)| ((year, month, 0), None));
            [by_year.or_else(|| Some(((0, named?, small(b, 31)?), None))), None]
        }
        (true, true) | (false, false) => [None, None],
    }
}

fn pieces<'a>(document: &'a Document, cell: &TextCell) -> Vec<DatePart<'a>> {
    let own = document.slice(cell.start, cell.end);
    let mut pieces = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    for (at, c) in own.char_indices().chain([(own.len(), ' ')]) {
        let digit = c.is_ascii_digit() || !c.is_ascii() && ascii_digit(c).is_some();
        // 2024年6月10日, 2024년 6월 10일
        let letter = c.is_alphabetic() && !matches!(c, '年' | '月' | '日' | '년' | '월' | '일');
        if let Some((from, was_digit)) = open
            && (was_digit != digit || !(digit || letter))
        {
            let (start, end) = (cell.start + from, cell.start + at);
            let text = ascii_digits(document.slice(start, end));
            // `1 de marzo de 2024`, `1st of March`
            if !matches!(&*text, "de" | "of") {
                pieces.push(DatePart { text, start, end });
            }
            open = None;
        }
        if open.is_none() && (digit || letter) {
            open = Some((at, digit));
        }
    }
    pieces
}

/// The dates that three pieces can be; those that only an order of day and month tells apart come with it.
fn readings(pieces: [&str; 3], gaps: (&str, &str), before: Option<&str>) -> Vec<(Day, Option<DateOrder>)> {
    let [a, b, c] = pieces;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_short =
        |gap: &str| gap.trim().chars().count() <= 2 && gap.len() <= 6 && !gap.contains(['(', ')', ';']);
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
        if matches!(gaps.0.trim(), "年") && a.len() < 4 {
            let year = before.and_then(era).zip(a.parse::<i32>().ok()).map(|(before, nth)| before + nth);
            let day = year.and_then(|year| valid(year, small(b)?, small(c)?));
            found.extend(day.map(|day| (day, None)));
        } else if a.len() == 4 {
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
    // Most words are not months: what is cheap to see is checked first.
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

/// The year before the first one of the era that a word ends with.
fn era(name: &str) -> Option<i32> {
    let lines = ERAS.lines().filter(|line| !line.starts_with('#'));
    let mut eras = lines.filter_map(|line| line.split_once(' '));
    eras.find(|(era, _)| name.ends_with(era)).and_then(|(_, year)| year.parse().ok())
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

/// The days that the dates of a text can be, each with its bytes; also in eight figures with or without a time of day,
/// as messages between systems have it: `20140321`, `201403210830`.
#[must_use]
pub fn days_in(text: &str) -> Vec<(Day, std::ops::Range<usize>)> {
    let document = Document::read(text);
    let figures = |(start, run): (usize, &str)| {
        let part = |from: usize, to: usize| run.get(from..to).and_then(|part| part.parse::<u16>().ok());
        let is_one = matches!(run.len(), 8 | 12 | 14);
        let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
        let is_day = (1900..2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        let day = (i32::from(year), u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        (is_one && is_day).then_some((day, start..start + run.len()))
    };
    let printed = document.dates.iter().map(|date| (date.day, date.start..date.end));
    let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    let runs = runs.map(|run| (run.as_ptr() as usize - text.as_ptr() as usize, run));
    printed.chain(runs.filter_map(figures)).collect()
}

/// Returns whether a text is a date and nothing else, in any writing.
pub(crate) fn is_one(text: &str) -> bool {
    if of_text(text).is_some() {
        return true;
    }
    let text = text.trim();
    let is_short = text.len() <= LONGEST && text.contains(|c: char| c.is_ascii_digit());
    is_short && {
        let document = Document::read(text);
        let whole = |date: &Date| (date.start, date.end) == (0, text.len());
        document.dates.iter().any(whole)
    }
}

/// The longest date that is read, in bytes.
const LONGEST: usize = 32;

/// Reads a text that is a month of a year, such as `2024-03`.
pub(crate) fn month_of_text(text: &str) -> Option<Day> {
    let (year, month) = text.trim().split_once('-')?;
    let digits =
        |text: &str, many: usize| text.len() == many && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed: (i32, u8) = (year.parse().ok()?, month.parse().ok()?);
    (digits(year, 4) && digits(month, 2) && (1..=12).contains(&parsed.1)).then_some((parsed.0, parsed.1, 0))
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

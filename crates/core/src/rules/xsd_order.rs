//! Orders two values that are written as text: dates, times and durations by XSD 1.1, part 2, and infinite numbers.
//!
//! Their order is not total: a month is neither more nor less than 30 days, and a time without a zone may be up to 14
//! hours before or after one that has a zone. Such pairs have no order.

use super::xsd::Datatype;
use regex::Regex;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// Nanoseconds of a second.
const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;
/// Furthest that a zone is from UTC.
const ZONE: i128 = 14 * 3_600 * SECOND;
/// Longest number within a value that is read: more digits than any year will have.
const MOST_DIGITS: usize = 15;

/// Kinds of values that have an order, each with its own.
const ORDERED: [Datatype; 9] = [
    Datatype::Date,
    Datatype::DateTime,
    Datatype::Time,
    Datatype::GYearMonth,
    Datatype::GYear,
    Datatype::GMonthDay,
    Datatype::GMonth,
    Datatype::GDay,
    Datatype::Duration,
];

/// Compares two texts, if both are of one kind that has an order; `None` for those that can't be compared.
pub(super) fn compare_ordered(a: &str, b: &str) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (extended(a), extended(b)) {
        return a.partial_cmp(&b).filter(|_| a.is_infinite() || b.is_infinite());
    }
    let kind = ORDERED.into_iter().find(|kind| kind.admits(a) && kind.admits(b))?;
    if kind == Datatype::Duration {
        return Span::read(a)?.compare(&Span::read(b)?);
    }
    let (a, b) = (Moment::read(a)?, Moment::read(b)?);
    match (a.zone, b.zone) {
        (Some(_), Some(_)) | (None, None) => Some(a.at.cmp(&b.at)),
        (None, Some(_)) => apart(a.at, b.at),
        (Some(_), None) => apart(b.at, a.at).map(Ordering::reverse),
    }
}

/// A number that may be infinite.
fn extended(text: &str) -> Option<f64> {
    Datatype::Double.admits(text).then(|| text.parse().ok()).flatten()
}

/// The order of a moment without a zone and one with a zone, where it is the same in every zone.
fn apart(without: i128, with: i128) -> Option<Ordering> {
    if without + ZONE < with {
        Some(Ordering::Less)
    } else if without - ZONE > with {
        Some(Ordering::Greater)
    } else {
        None
    }
}

#[expect(clippy::unwrap_used, reason = "a constant, compiled by the tests below")]
static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:(?P<year>-?[0-9]{4,})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?)?",
        r"|--(?P<only_month>[0-9]{2})(?:-(?P<its_day>[0-9]{2}))?|---(?P<only_day>[0-9]{2}))?",
        r"(?:T?(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<part>[0-9]+))?)?",
        r"(?:(?P<utc>Z)|(?P<sign>[+-])(?P<ahead>[0-9]{2}):(?P<minutes>[0-9]{2}))?$",
    ))
    .unwrap()
});

/// A point on a line of time; what a kind does not say is the same for all of the kind.
#[derive(Debug)]
struct Moment {
    /// Nanoseconds, in UTC where there is a zone.
    at: i128,
    zone: Option<i128>,
}

impl Moment {
    fn read(text: &str) -> Option<Self> {
        let found = MOMENT.captures(text)?;
        let part = |name: &str| match found.name(name) {
            Some(digits) => integer(digits.as_str()).map(Some),
            None => Some(None),
        };
        let (month, only_month) = (part("month")?, part("only_month")?);
        let (day, its_day, only_day) = (part("day")?, part("its_day")?, part("only_day")?);
        // A leap year, and a month with 31 days.
        let year = part("year")?.unwrap_or(1972);
        let month = month.or(only_month).unwrap_or(1);
        let day = day.or(its_day).or(only_day).unwrap_or(1);
        let (hour, minute) = (part("hour")?.unwrap_or(0), part("minute")?.unwrap_or(0));
        let second = part("second")?.unwrap_or(0);
        let nanos = found.name("part").map_or(0, |part| nanoseconds(part.as_str()));
        let zone = match (found.name("utc"), part("ahead")?, part("minutes")?) {
            (Some(_), ..) => Some(0),
            (None, Some(hours), Some(minutes)) => {
                let ahead = (hours * 60 + minutes) * 60 * SECOND;
                Some(if found.name("sign").is_some_and(|sign| sign.as_str() == "-") { -ahead } else { ahead })
            }
            _ => None,
        };
        let clock = ((hour * 60 + minute) * 60 + second) * SECOND + nanos;
        Some(Moment { at: days(year, month, day) * DAY + clock - zone.unwrap_or(0), zone })
    }
}

#[expect(clippy::unwrap_used, reason = "a constant, compiled by the tests below")]
static SPAN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?P<sign>-)?P(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<days>[0-9]+)D)?",
        r"(?:T(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9]+)(?:\.(?P<part>[0-9]+))?S)?)?$",
    ))
    .unwrap()
});

/// A duration: months, and what is shorter.
#[derive(Debug)]
struct Span {
    months: i128,
    nanos: i128,
}

impl Span {
    fn read(text: &str) -> Option<Self> {
        let found = SPAN.captures(text)?;
        let part = |name: &str| found.name(name).map_or(Some(0), |digits| integer(digits.as_str()));
        let sign = if found.name("sign").is_some() { -1 } else { 1 };
        let seconds = ((part("days")? * 24 + part("hours")?) * 60 + part("minutes")?) * 60 + part("seconds")?;
        let nanos = found.name("part").map_or(0, |part| nanoseconds(part.as_str()));
        Some(Span {
            months: sign * (part("years")? * 12 + part("months")?),
            nanos: sign * (seconds * SECOND + nanos),
        })
    }

    /// The moment at which it ends when it begins at the start of a month.
    fn after(&self, year: i128, month: i128) -> i128 {
        let months = year * 12 + month - 1 + self.months;
        days(months.div_euclid(12), months.rem_euclid(12) + 1, 1) * DAY + self.nanos
    }

    /// Their order, where it is the same from each of the four moments that XSD names.
    fn compare(&self, other: &Self) -> Option<Ordering> {
        let mut orders = [(1696, 9), (1697, 2), (1903, 3), (1903, 7)]
            .map(|(y, m)| self.after(y, m).cmp(&other.after(y, m)))
            .into_iter();
        let first = orders.next()?;
        orders.all(|order| order == first).then_some(first)
    }
}

fn integer(digits: &str) -> Option<i128> {
    (digits.len() <= MOST_DIGITS).then(|| digits.parse().ok()).flatten()
}

/// The first nine digits of a fraction.
fn nanoseconds(digits: &str) -> i128 {
    let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().unwrap_or(0)
}

/// Days from 1 March of the year 0 to a date (Howard Hinnant, `chrono-Compatible Low-Level Date Algorithms`).
fn days(year: i128, month: i128, day: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap + of_year
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_kind_are_put_in_order() {
        use Ordering::{Equal, Greater, Less};
        for (a, b, order) in [
            ("2024-02-01", "2024-01-01", Some(Greater)),
            ("2024-02-29", "2024-03-01", Some(Less)),
            ("-0001-12-31", "0001-01-01", Some(Less)),
            ("12024-01-01", "2024-01-01", Some(Greater)),
            ("2024-01-01Z", "2024-01-01+02:00", Some(Greater)),
            ("2024-01-01", "2024-01-01Z", None),
            ("2024-01-01", "2024-01-03Z", Some(Less)),
            ("2024-01-03Z", "2024-01-01", Some(Greater)),
            ("2024-01-01T01:30:00+02:00", "2023-12-31T23:00:00Z", Some(Greater)),
            ("2024-01-01T24:00:00", "2024-01-02T00:00:00", Some(Equal)),
            ("2024-01-01T00:00:00.5", "2024-01-01T00:00:00.25", Some(Greater)),
            ("10:00:00", "09:59:59.9", Some(Greater)),
            ("10:00:00+05:00", "06:00:00Z", Some(Less)),
            ("P1D", "PT2H", Some(Greater)),
            ("PT24H", "P1D", Some(Equal)),
            ("P1M", "P30D", None),
            ("P1M", "P27D", Some(Greater)),
            ("P1Y", "P12M", Some(Equal)),
            ("-P1D", "PT0S", Some(Less)),
            ("PT1.5S", "PT1.50S", Some(Equal)),
            ("2024Z", "2023Z", Some(Greater)),
            ("2024-02", "2024-01", Some(Greater)),
            ("--12-31", "--02-29", Some(Greater)),
            ("--12", "--02", Some(Greater)),
            ("---05", "---31", Some(Less)),
            ("INF", "1", Some(Greater)),
            ("-INF", "INF", Some(Less)),
            ("1", "-INF", Some(Greater)),
            ("NaN", "1", None),
            ("INF", "INF", Some(Equal)),
            ("2024-01-01", "10:00:00", None),
            ("b", "a", None),
            ("999999999999999999-01-01", "2024-01-01", None),
        ] {
            assert_eq!(compare_ordered(a, b), order, "{a} and {b}");
            assert_eq!(compare_ordered(b, a), order.map(Ordering::reverse), "{b} and {a}");
        }
    }
}

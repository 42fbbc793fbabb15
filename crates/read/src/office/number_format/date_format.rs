//! Dates and times of spreadsheets: days since a first day, and parts of them.

use super::{FirstDay, FormatToken};

const SECONDS: i64 = 24 * 60 * 60;
/// The last day that spreadsheets know: the last one of the year 9999.
const LAST_DAY: f64 = 2_958_466.0;
/// Days from the first one of 1970 back to the day before 1900, in a calendar in which 1900 is a leap year, and to 1904.
const DAYS_TO_1900: i64 = 25_569;
const DAYS_TO_1904: i64 = 24_107;

/// The parts of a date or time that a format shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DateFormat {
    year: bool,
    month: bool,
    day: bool,
    hours: bool,
    minutes: bool,
    seconds: bool,
    /// Hours, minutes or seconds are counted beyond a day.
    is_elapsed: bool,
}

impl DateFormat {
    /// Returns whether brackets hold hours, minutes or seconds that are counted on.
    pub(super) fn is_elapsed(text: &str) -> bool {
        let lower = text.to_ascii_lowercase();
        !lower.is_empty() && ["h", "m", "s"].iter().any(|unit| lower.trim_start_matches(unit).is_empty())
    }

    /// The format of a section; `None` if it shows no date.
    pub(super) fn of(tokens: &[FormatToken]) -> Option<Self> {
        let mut format = DateFormat::default();
        let mut units: Vec<char> = Vec::new();
        for token in tokens {
            match token {
                FormatToken::Bracket(text) => {
                    format.is_elapsed = true;
                    units.extend(text.chars().next().map(|unit| unit.to_ascii_lowercase()));
                }
                FormatToken::Sign('0' | '#' | '?' | '@' | 'E') if units.is_empty() => return None,
                FormatToken::Sign(sign) => {
                    let unit = sign.to_ascii_lowercase();
                    let is_unit = matches!(unit, 'y' | 'm' | 'd' | 'h' | 's' | 'e' | 'a');
                    if is_unit && units.last() != Some(&unit) {
                        units.push(unit);
                    }
                }
                FormatToken::Literal(_) | FormatToken::Next => {}
            }
        }
        for (at, unit) in units.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| units.get(at));
            match unit {
                'y' | 'e' => format.year = true,
                'd' => format.day = true,
                'h' => format.hours = true,
                's' => format.seconds = true,
                'm' if before == Some(&'h') || units.get(at + 1) == Some(&'s') => format.minutes = true,
                'm' if format.is_elapsed && !format.day && !format.year => format.minutes = true,
                // Of `AM/PM`.
                'm' if before == Some(&'a') => {}
                'm' => format.month = true,
                _ => {}
            }
        }
        let shows = format.has_date() || format.has_time();
        shows.then_some(format)
    }

    fn has_date(self) -> bool {
        self.year || self.month || self.day
    }

    fn has_time(self) -> bool {
        self.hours || self.minutes || self.seconds
    }

    /// A number of days; `None` if it is no date.
    pub(super) fn print(self, value: f64, first_day: FirstDay) -> Option<String> {
        if !(0.0..LAST_DAY).contains(&value) {
            return None;
        }
        // What is shown to the minute is rounded to it: halves of a second are no one's.
        let seconds = rounded_seconds(value);
        let (day, second) = (seconds.div_euclid(SECONDS), seconds.rem_euclid(SECONDS));
        let mut parts = Vec::new();
        if self.has_date() {
            parts.push(self.date(day, first_day));
        }
        if self.has_time() {
            parts.push(self.time(if self.has_date() || !self.is_elapsed { second } else { seconds }));
        }
        Some(parts.join(" "))
    }

    fn date(self, day: i64, first_day: FirstDay) -> String {
        let since_1970 = match first_day {
            FirstDay::Of1904 => day - DAYS_TO_1904,
            // The day that 1900 did not have is the 60th.
            FirstDay::Of1900 if day < 60 => day - DAYS_TO_1900 + 1,
            FirstDay::Of1900 => day - DAYS_TO_1900,
        };
        let (year, month, day) = civil(since_1970);
        if self.day {
            format!("{year:04}-{month:02}-{day:02}")
        } else if self.month {
            format!("{year:04}-{month:02}")
        } else {
            format!("{year:04}")
        }
    }

    fn time(self, seconds: i64) -> String {
        let (minutes, second) = (seconds / 60, seconds % 60);
        if self.hours {
            let (hour, minute) = (minutes / 60, minutes % 60);
            let behind = if self.seconds { format!(":{second:02}") } else { String::new() };
            return format!("{hour:02}:{minute:02}{behind}");
        }
        let minutes = if self.is_elapsed { minutes } else { minutes % 60 };
        if self.seconds { format!("{minutes:02}:{second:02}") } else { minutes.to_string() }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seconds of less than ten thousand years")]
fn rounded_seconds(days: f64) -> i64 {
    (days * 86_400.0).round() as i64
}

/// The year, month and day of a number of days since the first one of 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years that begin with March end with the day that leap years have.
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

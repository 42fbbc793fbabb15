//! Numbers, money and times in words, as texts and pages show them.

use crate::experiment::statistics::share;
pub use crate::value::prose::whole as thousands;
use crate::value::prose::{count, decimals};
use crate::value::{Millis, Usage};

/// A number with so many decimals; a dash if there is none.
pub(super) fn fixed(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.decimals$}"))
}

/// `87.3 %`.
pub(super) fn percent_of(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `95 %`, `99.9 %`.
pub(super) fn confidence(share: f64) -> String {
    format!("{} %", decimals(share * 100.0, 3))
}

/// `89.1 %`; a dash if the whole is 0. A share is not rounded to all or nothing.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    match share(part, whole) {
        None => "–".to_owned(),
        Some(share) if part > 0 && share < 0.000_5 => "< 0.1 %".to_owned(),
        Some(share) if part < whole && share > 0.999_5 => "> 99.9 %".to_owned(),
        Some(share) => percent_of(share),
    }
}

/// Cents, and amounts below ten of them with up to six decimals; whole dollars from a thousand on.
#[must_use]
pub fn dollars(amount: f64) -> String {
    if amount >= 1_000.0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and saturates"
        )]
        let whole = amount.round() as u64;
        return format!("${}", thousands(whole));
    }
    let decimals = if amount >= 0.1 { 2 } else { 6 };
    let text = format!("${amount:.decimals$}");
    let cents = text.find('.').map_or(0, |dot| dot + 3);
    let shown = text.trim_end_matches('0').len().max(cents);
    text.get(..shown).unwrap_or(&text).to_owned()
}

/// The known part of the cost, and the number of calls; `None` where no call was made.
#[must_use]
pub(super) fn spelled_money(usage: Usage) -> Option<String> {
    let known = dollars(usage.known_cost_usd.get());
    let calls = count(usage.calls, "call");
    (usage.calls > 0).then(|| match usage.calls_of_unknown_cost {
        0 => format!("{known}, {calls}"),
        unknown if unknown >= usage.calls => format!("cost unknown, {calls}"),
        unknown => format!("{known} and the unknown cost of {} of {calls}", thousands(unknown)),
    })
}

/// `85 ms`, `12.3 s`, `14 min`, `2 h 14 min`, `3 d 4 h`.
#[must_use]
pub fn duration(time: Millis) -> String {
    let minutes = time.0 / 60_000;
    match (minutes, minutes / 60, minutes / 1_440) {
        (0 | 1, ..) if time.0 < 100_000 => match time.0 {
            ms if ms < 1_000 || !ms.is_multiple_of(1_000) => time.to_string(),
            ms => format!("{} s", ms / 1_000),
        },
        (minutes @ ..10, 0, _) => match time.0 / 1_000 % 60 {
            0 => format!("{minutes} min"),
            rest => format!("{minutes} min {rest} s"),
        },
        (minutes, 0, _) => format!("{minutes} min"),
        (minutes, hours, 0) => match minutes % 60 {
            0 => format!("{hours} h"),
            rest => format!("{hours} h {rest} min"),
        },
        (_, hours, days) => match hours % 24 {
            0 => format!("{days} d"),
            rest => format!("{days} d {rest} h"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Usd;

    #[test]
    fn numbers_are_short_and_never_say_more_than_is_known() {
        for (part, whole, expected) in [
            (0, 0, "–"),
            (0, 9, "0.0 %"),
            (1, 100_000, "< 0.1 %"),
            (99_999, 100_000, "> 99.9 %"),
            (1, 3, "33.3 %"),
            (9, 9, "100.0 %"),
        ] {
            assert_eq!(percent(part, whole), expected, "{part} of {whole}");
        }
        for (ms, expected) in [
            (85, "85 ms"),
            (5_000, "5 s"),
            (12_345, "12.3 s"),
            (99_000, "99 s"),
            (100_000, "1 min 40 s"),
            (840_000, "14 min"),
            (8_040_000, "2 h 14 min"),
            (7_200_000, "2 h"),
            (273_600_000, "3 d 4 h"),
            (u64::MAX, "213503982334 d 14 h"),
        ] {
            assert_eq!(duration(Millis(ms)), expected);
        }
        assert_eq!(
            [0.0, 0.002_1, 0.5, 12.345, 98_765.4].map(dollars),
            ["$0.00", "$0.0021", "$0.50", "$12.35", "$98,765"]
        );
    }

    #[test]
    fn an_unknown_cost_is_never_0() {
        let mut usage = Usage::default();
        assert_eq!(spelled_money(usage), None);
        usage += Usage::of_call(1, None);
        assert_eq!(spelled_money(usage).as_deref(), Some("cost unknown, 1 call"));
        usage += Usage::of_call(1, Usd::new(0.25));
        assert_eq!(spelled_money(usage).as_deref(), Some("$0.25 and the unknown cost of 1 of 2 calls"));
        assert_eq!(spelled_money(Usage::of_call(1, Usd::new(0.0))).as_deref(), Some("$0.00, 1 call"));
    }
}

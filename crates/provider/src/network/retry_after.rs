//! Reads how long a server asks to wait, in the many ways that servers say so.

use std::collections::BTreeMap;
use std::time::Duration;

use super::rate_limit;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;

/// Longer waits than this are as good as forever.
const FOR_EVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// The headers of an answer: names in lower case.
pub(super) type Headers = BTreeMap<String, String>;

/// The wait that an answer asks for before another try: `retry-after-ms`, `Retry-After` (RFC 9110, 10.2.3: seconds or a
/// date), or, of a 429 without either, the time until the spent window of a rate limit opens again.
pub(super) fn asked(headers: &Headers, status: u16, now: Timestamp) -> Option<Duration> {
    let header = |name: &str| headers.get(name).map(|value| value.trim());
    header("retry-after-ms")
        .and_then(|wait| seconds(wait.parse::<f64>().ok()? / 1000.0))
        .or_else(|| header("retry-after").and_then(|wait| seconds_or_date(wait, now)))
        .or_else(|| {
            if status != 429 {
                return None;
            }
            exhausted(headers, now).or_else(|| rate_limit::unnamed_wait(headers)).or_else(|| {
                // Reported without a remainder, it is when to come back.
                let alone = |kind: &str| {
                    let said = header(&format!("{kind}-remaining")).is_some();
                    if said { None } else { reset(header(&format!("{kind}-reset"))?, now) }
                };
                alone("x-ratelimit").or_else(|| alone("ratelimit"))
            })
        })
}

/// The time until every exhausted window of a rate limit has room again. `None` when all have room, or nothing is
/// reported about them.
pub(super) fn exhausted(headers: &Headers, now: Timestamp) -> Option<Duration> {
    headers
        .iter()
        .filter(|(_, remaining)| remaining.trim().parse::<f64>().is_ok_and(|remaining| remaining <= 0.0))
        .filter_map(|(name, _)| {
            let limits = ["x-ratelimit", "ratelimit", "anthropic-ratelimit"];
            let known = limits.iter().any(|kind| name.starts_with(kind)) && name.contains("-remaining");
            let resets = known.then(|| name.replace("-remaining", "-reset"))?;
            reset(headers.get(&resets)?.trim(), now)
        })
        .chain(rate_limit::exhausted(headers))
        .max()
}

/// Seconds or an HTTP date.
fn seconds_or_date(text: &str, now: Timestamp) -> Option<Duration> {
    match text.parse::<f64>() {
        Ok(wait) => seconds(wait),
        Err(_) => Some(until(http_date(text)?, now)),
    }
}

/// The time until a window opens again: `6m0s`, RFC 3339, seconds, or seconds or milliseconds since 1970.
fn reset(text: &str, now: Timestamp) -> Option<Duration> {
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    let since_1970 = |number: f64| match number {
        1e11..1e15 => Timestamp::from_millisecond(number as i64).ok(),
        1e9..1e11 => Timestamp::from_second(number as i64).ok(),
        _ => None,
    };
    match text.parse::<f64>() {
        Ok(number) => match since_1970(number) {
            Some(then) => Some(until(then, now)),
            None => seconds(number),
        },
        Err(_) => match text.parse::<Timestamp>() {
            Ok(then) => Some(until(then, now)),
            Err(_) => units(text),
        },
    }
}

/// `6m0s`, `20ms`, `1h2m3.5s`.
fn units(text: &str) -> Option<Duration> {
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(unit_at);
        let number_at = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(number_at);
        let factor = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * factor;
        rest = after;
    }
    if text.is_empty() { None } else { seconds(total) }
}

/// The three forms of RFC 9110, 5.6.7.
fn http_date(text: &str) -> Option<Timestamp> {
    let utc = |date: DateTime| Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp());
    DateTimeParser::new()
        .parse_timestamp(text)
        .ok()
        .or_else(|| utc(DateTime::strptime("%A, %d-%b-%y %H:%M:%S GMT", text).ok()?))
        .or_else(|| utc(DateTime::strptime("%a %b %e %H:%M:%S %Y", text).ok()?))
}

/// Zero for what is past.
fn until(then: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(then.duration_since(now)).unwrap_or_default()
}

pub(super) fn seconds(wait: f64) -> Option<Duration> {
    if !wait.is_finite() || wait < 0.0 {
        return None;
    }
    Some(Duration::try_from_secs_f64(wait).unwrap_or(FOR_EVER).min(FOR_EVER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> Timestamp {
        "2026-11-06T08:49:00Z".parse().unwrap()
    }

    fn headers(pairs: &[(&str, &str)]) -> Headers {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn every_way_of_asking_is_understood() {
        for (pairs, milliseconds) in [
            (&[("retry-after", "7")][..], Some(7_000)),
            (&[("retry-after", " 0.25 ")], Some(250)),
            (&[("retry-after", "0")], Some(0)),
            (&[("retry-after", "-3")], None),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "nan")], None),
            (&[("retry-after", "99999999999999999999")], Some(FOR_EVER.as_millis())),
            (&[("retry-after", "Fri, 06 Nov 2026 08:49:37 GMT")], Some(37_000)),
            (&[("retry-after", "Friday, 06-Nov-26 08:49:37 GMT")], Some(37_000)),
            (&[("retry-after", "Fri Nov  6 08:49:37 2026")], Some(37_000)),
            (&[("retry-after", "Fri, 06 Nov 2026 08:00:00 GMT")], Some(0)),
            (&[("retry-after-ms", "120"), ("retry-after", "7")], Some(120)),
            (&[("retry-after-ms", "x"), ("retry-after", "7")], Some(7_000)),
            (&[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6m0s")], Some(360_000)),
            (&[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "20ms")], Some(20)),
            (&[("x-ratelimit-remaining-tokens", "5"), ("x-ratelimit-reset-tokens", "6m0s")], None),
            (
                &[
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-tokens", "1m2.5s"),
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-requests", "1s"),
                ],
                Some(62_500),
            ),
            (
                &[
                    ("anthropic-ratelimit-input-tokens-remaining", "0"),
                    ("anthropic-ratelimit-input-tokens-reset", "2026-11-06T08:50:00Z"),
                ],
                Some(60_000),
            ),
            (&[("x-ratelimit-reset", "1793954943000")], Some(3_000)),
            (&[("x-ratelimit-reset", "1793954943")], Some(3_000)),
            (&[("ratelimit-reset", "12")], Some(12_000)),
            (&[("x-ratelimit-remaining", "3"), ("x-ratelimit-reset", "12")], None),
            (&[("retry-after", "2"), ("x-ratelimit-reset", "12")], Some(2_000)),
            (&[("ratelimit", "\"default\";r=0;t=2")], Some(2_000)),
            (&[("ratelimit", "\"default\";r=0;t=2"), ("retry-after", "7")], Some(7_000)),
            (&[("ratelimit", "\"default\";r=5;t=2")], None),
            (&[("ratelimit-policy", "\"default\";q=5;w=3")], Some(3_000)),
            (&[], None),
        ] {
            let wait = asked(&headers(pairs), 429, now()).map(|wait| wait.as_millis());
            assert_eq!(wait, milliseconds, "{pairs:?}");
        }
        let spent = headers(&[("x-ratelimit-reset", "12")]);
        assert_eq!(asked(&spent, 503, now()), None, "only a 429 is about rate limits");
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic_or_wait_beyond_all_bounds(text in ".{0,40}", number in any::<f64>()) {
            for value in [text, number.to_string(), format!("{number}s")] {
                for name in ["retry-after", "retry-after-ms", "x-ratelimit-reset", "ratelimit", "ratelimit-policy"] {
                    let wait = asked(&headers(&[(name, &value)]), 429, now()).unwrap_or_default();
                    prop_assert!(wait <= FOR_EVER.max(Duration::from_secs(9000 * 366 * 24 * 3600)));
                }
            }
        }
    }
}

//! Numbers, names and lists in British English.

use super::{Millis, Usd};

/// A name, set apart from the words around it.
#[must_use]
pub fn name(text: &str) -> String {
    // A backtick in a name would end it.
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A score, bound or weight: two decimals, or as many as it takes.
#[must_use]
pub fn score(value: f64) -> String {
    // Residue of computing with tenths is not part of the number.
    let exact = (value * 1e12).round() / 1e12;
    let short = format!("{exact:.2}");
    match short.parse::<f64>() {
        Ok(same) if (same - exact).abs() < 1e-12 => short,
        _ => exact.to_string(),
    }
}

/// A count with what is counted: `1 candidate`, `3 candidates`, `2 policies`.
#[must_use]
pub fn count(number: u64, what: &str) -> String {
    format!("{} {}", whole(number), plural(number, what))
}

/// The name of what is counted, without the number.
#[must_use]
pub fn plural(number: u64, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if number == 1 => what.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        Some(_) | None => format!("{what}s"),
    }
}

/// A whole number with its thousands set apart.
#[must_use]
pub fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `once`, `twice`, `3 times`.
#[must_use]
pub fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{} times", whole(more)),
    }
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn list(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., end] => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// A duration in the largest unit in which it is a whole number.
#[must_use]
pub fn duration(time: Millis) -> String {
    match time.0 {
        ms if ms > 0 && ms.is_multiple_of(3_600_000) => count(ms / 3_600_000, "hour"),
        ms if ms > 0 && ms.is_multiple_of(60_000) => count(ms / 60_000, "minute"),
        ms if ms.is_multiple_of(1_000) => count(ms / 1_000, "second"),
        ms if ms > 1_000 => {
            let text = format!("{}.{:03}", ms / 1_000, ms % 1_000);
            format!("{} seconds", text.trim_end_matches('0'))
        }
        ms => count(ms, "millisecond"),
    }
}

/// An amount of money.
#[must_use]
pub fn dollars(amount: Usd) -> String {
    format!("US${}", score(amount.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_and_plain() {
        assert_eq!([0.5, 0.95, 0.005, 1.0, 0.1 + 0.2].map(score), ["0.50", "0.95", "0.005", "1.00", "0.30"]);
        assert_eq!(
            [0, 999, 1_000, 20_000, 1_234_567].map(whole),
            ["0", "999", "1,000", "20,000", "1,234,567"]
        );
        let durations = [0, 500, 1_500, 30_000, 60_000, 90_000, 7_200_000].map(Millis).map(duration);
        assert_eq!(
            durations,
            [
                "0 seconds",
                "500 milliseconds",
                "1.5 seconds",
                "30 seconds",
                "1 minute",
                "90 seconds",
                "2 hours"
            ]
        );
        assert_eq!([count(1, "call"), count(2_000, "call")], ["1 call", "2,000 calls"]);
    }
}

//! Numbers, names and lists in British English.

use crate::value::EPSILON;

/// A name, set apart from the words around it.
pub(super) fn name(text: &str) -> String {
    // A backtick in a name would end it.
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// The path of a file that depends on the document's type.
pub(super) fn path(template: &str) -> String {
    name(
        &template
            .replace("{{ document_type }}", "<document type>")
            .replace("{{document_type}}", "<document type>"),
    )
}

/// A score, bound or weight: two decimals, or as many as it takes.
pub(super) fn score(value: f64) -> String {
    // What is left of computing with tenths is no part of the number.
    let exact = (value * 1e12).round() / 1e12;
    let short = format!("{exact:.2}");
    match short.parse::<f64>() {
        Ok(same) if (same - exact).abs() < 1e-12 => short,
        _ => exact.to_string(),
    }
}

/// A share of the whole.
pub(super) fn percent(share: f64) -> String {
    let hundredths = share * 100.0;
    for decimals in 0..=2 {
        let text = format!("{hundredths:.decimals$}");
        if text.parse::<f64>().is_ok_and(|same| (same - hundredths).abs() < EPSILON) {
            return format!("{text}%");
        }
    }
    format!("about {hundredths:.2}%")
}

/// A count with what is counted: `1 candidate`, `3 candidates`.
pub(super) fn count(number: u64, what: &str) -> String {
    format!("{} {}", whole(number), plural(number, what))
}

/// What is counted, without the number.
pub(super) fn plural(number: u64, what: &str) -> String {
    if number == 1 { what.to_owned() } else { format!("{what}s") }
}

/// A whole number with its thousands set apart.
pub(super) fn whole(number: u64) -> String {
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
pub(super) fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{} times", whole(more)),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., end] => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// A duration in the largest unit in which it is a whole number.
pub(super) fn duration(ms: u64) -> String {
    match ms {
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
pub(super) fn dollars(amount: f64) -> String {
    format!("US${}", score(amount))
}

/// `1st`, `2nd`, `11th`.
pub(super) fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// The first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The score that a name stands for.
pub(super) fn target(target: &str) -> String {
    if target == "overall" { "the overall score".to_owned() } else { name(target) }
}

/// An issue of a kind (a severity, or who handles it), or issues.
pub(super) fn issues(kind: &str, several: bool) -> String {
    let (issue, are) = if several { ("issues", "are") } else { ("issue", "is") };
    match kind {
        "correct" => format!("{issue} that the loop is to correct"),
        "escalate" => format!("{issue} that a person must decide"),
        "warn" => format!("{issue} that {are} only shown"),
        severity => format!("{severity} {issue}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_and_plain() {
        assert_eq!([0.5, 0.95, 0.005, 1.0, 0.1 + 0.2].map(score), ["0.50", "0.95", "0.005", "1.00", "0.30"]);
        assert_eq!([0.3, 0.125, 1.0 / 3.0, 1.0].map(percent), ["30%", "12.5%", "about 33.33%", "100%"]);
        assert_eq!(
            [0, 999, 1_000, 20_000, 1_234_567].map(whole),
            ["0", "999", "1,000", "20,000", "1,234,567"]
        );
        let durations = [0, 500, 1_500, 30_000, 60_000, 90_000, 7_200_000].map(duration);
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
    }

    #[test]
    fn lists_are_read_aloud() {
        assert_eq!(list(&["a", "b", "c"].map(str::to_owned), "and"), "a, b and c");
        assert_eq!([1, 2, 3, 4, 11, 22].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "22nd"]);
        assert_eq!(count(1, "call"), "1 call");
        assert_eq!(count(2_000, "call"), "2,000 calls");
        assert_eq!(capital("the overall score"), "The overall score");
        assert_eq!(path("schemas/{{ document_type }}.json"), "`schemas/<document type>.json`");
    }
}

//! Whole numbers that JSON can write and a program can't hold.

/// The positions in strict JSON of whole numbers whose digits don't survive, as byte offsets.
pub(super) fn lost(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut quoted = false;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' if quoted => {
                bytes.next();
            }
            b'-' | b'0'..=b'9' if !quoted => {
                let rest = text.get(at..).unwrap_or_default();
                let length = rest
                    .find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
                    .unwrap_or(rest.len());
                if !survive(rest.get(..length).unwrap_or_default()) {
                    found.push(at);
                }
                if let Some(others) = length.checked_sub(2) {
                    bytes.nth(others);
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns whether the digits of a number survive: with 64 bits, or as a binary fraction that happens to be the same.
/// Fractions are rounded everywhere, and count as surviving.
pub(super) fn survive(number: &str) -> bool {
    number.contains(['.', 'e', 'E'])
        || number.parse::<i64>().is_ok()
        || number.parse::<u64>().is_ok()
        || number.parse::<f64>().is_ok_and(|float| format!("{float:.0}") == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_that_are_rounded_are_found() {
        for (text, expected) in [
            ("18446744073709551615", &[][..]),
            ("18446744073709551616", &[]),
            ("18446744073709551617", &[0]),
            ("-9223372036854775808", &[]),
            ("-9223372036854775809", &[0]),
            ("[1, -98765432109876543210, 100000000000000000000]", &[4]),
            (r#"{"98765432109876543210": "\"98765432109876543210", "b": 98765432109876543210}"#, &[56]),
            ("[98765432109876543210, 5, 98765432109876543210]", &[1, 26]),
            ("[98765432109876543210.5, 98765432109876543210e1, -0, 0]", &[]),
        ] {
            assert_eq!(lost(text), expected, "{text}");
        }
    }
}

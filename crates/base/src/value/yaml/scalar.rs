//! The meaning of an unquoted scalar.

use super::Data;

/// The type that the YAML 1.2 core schema gives to an unquoted scalar.
#[must_use]
pub fn resolve_plain(text: &str) -> Data {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Data::Null,
        "true" | "True" | "TRUE" => return Data::Bool(true),
        "false" | "False" | "FALSE" => return Data::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Data::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Data::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Data::Float(f64::NEG_INFINITY),
        _ => {}
    }
    let radix = |digits: &str, radix| i64::from_str_radix(digits, radix).ok().map(Data::Int);
    let number = if let Some(hex) = text.strip_prefix("0x") {
        radix(hex, 16)
    } else if let Some(octal) = text.strip_prefix("0o") {
        radix(octal, 8)
    } else {
        decimal(text)
    };
    number.unwrap_or_else(|| Data::Text { text: text.to_owned(), plain: true })
}

fn decimal(text: &str) -> Option<Data> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let starts_like_a_number = digits.starts_with(|c: char| c.is_ascii_digit())
        || (digits.starts_with('.') && digits.chars().nth(1).is_some_and(|c| c.is_ascii_digit()));
    let number_letters =
        digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if !starts_like_a_number || !number_letters {
        return None;
    }
    if digits.chars().all(|c| c.is_ascii_digit())
        && let Ok(int) = text.strip_prefix('+').unwrap_or(text).parse()
    {
        return Some(Data::Int(int));
    }
    text.parse().ok().map(Data::Float)
}

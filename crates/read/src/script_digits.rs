//! Digits and signs above and below the line.

const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
const LOWERED: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];

/// A character as it is above the line, if there is one for it.
pub(super) fn raised(c: char) -> char {
    match c {
        '+' => '⁺',
        '-' | '\u{2212}' | '\u{2013}' => '⁻',
        other => digit(other, &RAISED),
    }
}

/// A character as it is below the line, if there is one for it.
pub(super) fn lowered(c: char) -> char {
    match c {
        '+' => '₊',
        '-' | '\u{2212}' => '₋',
        other => digit(other, &LOWERED),
    }
}

fn digit(c: char, digits: &[char; 10]) -> char {
    let value = c.to_digit(10).and_then(|value| usize::try_from(value).ok());
    value.and_then(|value| digits.get(value)).copied().unwrap_or(c)
}

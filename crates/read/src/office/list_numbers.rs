//! Numbers of list items and notes, as they are printed.

/// A way to print a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum NumberStyle {
    #[default]
    Decimal,
    /// `01`, `02`.
    TwoDigits,
    UpperLetter,
    LowerLetter,
    UpperRoman,
    LowerRoman,
    /// No number.
    Hidden,
}

/// The largest number that is printed in Roman digits.
const MOST_ROMAN: u32 = 3_999;
/// The most times that letters are repeated: `aa` comes after `z`.
const MOST_LETTERS: usize = 20;

impl NumberStyle {
    /// The number as it is printed.
    pub(super) fn print(self, number: u32) -> String {
        match self {
            NumberStyle::Decimal => number.to_string(),
            NumberStyle::TwoDigits => format!("{number:02}"),
            NumberStyle::UpperLetter => letters(number).to_ascii_uppercase(),
            NumberStyle::LowerLetter => letters(number),
            NumberStyle::UpperRoman => roman(number).to_ascii_uppercase(),
            NumberStyle::LowerRoman => roman(number),
            NumberStyle::Hidden => String::new(),
        }
    }
}

fn letters(number: u32) -> String {
    let Some(before) = number.checked_sub(1) else { return "0".to_owned() };
    let letter = u8::try_from(before % 26).map_or('a', |nth| char::from(b'a' + nth));
    let times = usize::try_from(before / 26).unwrap_or(MOST_LETTERS).min(MOST_LETTERS) + 1;
    std::iter::repeat_n(letter, times).collect()
}

fn roman(number: u32) -> String {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if !(1..=MOST_ROMAN).contains(&number) {
        return number.to_string();
    }
    let (mut text, mut rest) = (String::new(), number);
    for (value, digits) in DIGITS {
        while rest >= value {
            text.push_str(digits);
            rest -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::NumberStyle;

    #[test]
    fn numbers_are_printed_as_lists_do() {
        for (style, number, printed) in [
            (NumberStyle::Decimal, 12, "12"),
            (NumberStyle::TwoDigits, 7, "07"),
            (NumberStyle::LowerLetter, 26, "z"),
            (NumberStyle::UpperLetter, 28, "BB"),
            (NumberStyle::LowerRoman, 1994, "mcmxciv"),
            (NumberStyle::UpperRoman, 4000, "4000"),
            (NumberStyle::Hidden, 3, ""),
            (NumberStyle::LowerLetter, 0, "0"),
        ] {
            assert_eq!(style.print(number), printed);
        }
    }
}

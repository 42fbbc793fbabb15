//! Numbers, exactly: decimal digits and a power of ten, so that 0.3 cm and 3 mm are equal and no rounding makes two
//! different numbers so.

/// A decimal number: `mantissa × 10^exponent`, without trailing zeros in the mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    mantissa: u128,
    exponent: i32,
}

impl Decimal {
    fn new(mantissa: u128, exponent: i32) -> Self {
        let mut number = Self { negative: false, mantissa, exponent };
        if mantissa == 0 {
            number.exponent = 0;
        }
        while number.mantissa != 0 && number.mantissa.is_multiple_of(10) {
            number.mantissa /= 10;
            number.exponent = number.exponent.saturating_add(1);
        }
        number
    }

    /// The number with the sign that precedes it. Zero has none.
    pub(super) fn signed(self, negative: bool) -> Self {
        Self { negative: negative && self.mantissa != 0, ..self }
    }

    /// The number in a unit that is `10^power` of the base unit.
    pub(super) fn scaled(self, power: i32) -> Self {
        if self.mantissa == 0 { self } else { Self { exponent: self.exponent.saturating_add(power), ..self } }
    }

    /// Returns whether another number is the same, give or take a tolerance.
    pub(super) fn is_near(self, other: Self, tolerance: f64) -> bool {
        let apart = || (self.approximate() - other.approximate()).abs();
        self == other || tolerance > 0.0 && apart() <= tolerance * (1.0 + 1e-12)
    }

    /// The number as a binary fraction, which is near it.
    fn approximate(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "it is near it")]
        let digits = self.mantissa as f64 * 10_f64.powi(self.exponent);
        if self.negative { -digits } else { digits }
    }

    /// Reads digits with points and commas between them. `decimal_comma` settles `1,500` and `1.500`. None above 38 digits.
    pub(super) fn parse(text: &str, decimal_comma: bool) -> Option<Self> {
        let (mut dots, mut commas, mut last, mut after, mut before, mut zero_led) =
            (0, 0, ' ', 0_i32, 0_i32, false);
        let mut mantissa = Some(0_u128);
        text.chars().for_each(|c| match c {
            '0'..='9' => {
                if before == 0 && after == 0 && last == ' ' {
                    zero_led = c == '0';
                }
                if last == ' ' {
                    before += 1
                } else {
                    after += 1
                }
                mantissa = mantissa.and_then(|m| m.checked_mul(10)?.checked_add(u128::from(c.to_digit(10)?)));
            }
            '.' | ',' => {
                if c == '.' {
                    dots += 1
                } else {
                    commas += 1
                }
                last = c;
                after = 0;
            }
            _ => {}
        });
        let fraction = match (dots, commas) {
            (0, 0) => 0,
            (1, 0) | (0, 1) => {
                let could_group = after == 3 && (1..=3).contains(&before) && !zero_led;
                let groups = could_group && (last == ',') != decimal_comma;
                if groups { 0 } else { after }
            }
            (_, 0) | (0, _) => 0,
            _ => after,
        };
        Some(Self::new(mantissa?, -fraction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_decimal_styles() {
        let read = |text, comma| Decimal::parse(text, comma).unwrap();
        assert_eq!(read("0.30", false), read(",3", false));
        assert_eq!(read("1,5", false), read("1.5", true));
        assert_eq!(read("1,500", false), read("1500", false));
        assert_eq!(read("1,500", true), read("1.5", true));
        assert_eq!(read("1.500", true), read("1500", true));
        assert_eq!(read("0,500", false), read("0.5", false));
        assert_eq!(read("1,234.5", false), read("1.234,5", true));
        assert_eq!(Decimal::parse("9".repeat(50).as_str(), false), None);
        assert_ne!(read("9007199254740993", false), read("9007199254740992", false));
    }
}

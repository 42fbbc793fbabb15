//! Numbers compared as they are written, of any size: as binary fractions 9007199254740993 and …992 are the same.

use serde_json::Number;
use std::cmp::Ordering;
use std::fmt::Write;

/// A number in its digits.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'t> {
    negative: bool,
    whole: &'t str,
    fraction: &'t str,
    exponent: i64,
}

/// Room for a number of JSON in digits; none takes more.
#[derive(Debug, Default)]
pub struct Digits {
    bytes: [u8; Digits::MOST],
    len: usize,
}

impl Digits {
    const MOST: usize = 32;

    fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let slot = self.bytes.get_mut(self.len..self.len + text.len()).ok_or(std::fmt::Error)?;
        slot.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

impl<'t> Decimal<'t> {
    /// The number that a text wholly is: `-12`, `.5`, `1.`, `+2.5e-3`.
    #[must_use]
    pub fn of_text(text: &'t str) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty());
        is_number.then_some(Decimal { negative: text.starts_with('-'), whole, fraction, exponent })
    }

    /// A number of JSON, written to `room`.
    #[must_use]
    pub fn of_number(number: &Number, room: &'t mut Digits) -> Option<Self> {
        room.len = 0;
        let written = match number.as_f64() {
            Some(float) if !(number.is_i64() || number.is_u64()) => write!(room, "{float:e}"),
            _ => write!(room, "{number}"),
        };
        written.ok()?;
        Decimal::of_text(room.as_str())
    }

    /// Digits that count, the first one not zero.
    fn digits(&self) -> impl Iterator<Item = u8> + use<'t> {
        self.whole.bytes().chain(self.fraction.bytes()).skip_while(|digit| *digit == b'0')
    }

    /// The power of ten of the first digit that counts; none for zero.
    fn magnitude(&self) -> Option<i64> {
        let zeros = self.whole.bytes().chain(self.fraction.bytes()).position(|digit| digit != b'0')?;
        let places = i64::try_from(self.whole.len()).ok()?.checked_sub(i64::try_from(zeros).ok()?)?;
        Some(places.saturating_add(self.exponent))
    }

    fn without_sign(&self, other: &Decimal<'_>) -> Ordering {
        match (self.magnitude(), other.magnitude()) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) if a != b => a.cmp(&b),
            _ => {
                let (mut a, mut b) = (self.digits(), other.digits());
                loop {
                    match (a.next(), b.next()) {
                        (None, None) => return Ordering::Equal,
                        (x, y) => match x.unwrap_or(b'0').cmp(&y.unwrap_or(b'0')) {
                            Ordering::Equal => {}
                            unequal => return unequal,
                        },
                    }
                }
            }
        }
    }

    /// Compares two numbers.
    #[must_use]
    pub fn compare(&self, other: &Decimal<'_>) -> Ordering {
        let sign = |number: &Decimal<'_>| match number.magnitude() {
            None => 0,
            Some(_) if number.negative => -1,
            Some(_) => 1,
        };
        match (sign(self), sign(other)) {
            (a, b) if a != b => a.cmp(&b),
            (-1, _) => other.without_sign(self),
            _ => self.without_sign(other),
        }
    }
}

fn exponent_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Compares two numbers of JSON; `None` if their order can't be determined.
#[must_use]
pub fn compare_numbers(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i64(), b.as_i64(), a.as_u64(), b.as_u64()) {
        (Some(a), Some(b), _, _) => Some(a.cmp(&b)),
        (_, _, Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => match (as_fraction(a), as_fraction(b)) {
            (Some(a), Some(b)) => a.partial_cmp(&b),
            _ => by_digits(a, b),
        },
    }
}

/// The binary fraction whose shortest spelling the number is: such fractions have the same order as what is written.
#[inline]
pub fn as_fraction(number: &Number) -> Option<f64> {
    /// Whole numbers up to here are binary fractions.
    const EXACT: u64 = 1 << 53;
    if number.is_f64() {
        return number.as_f64();
    }
    let whole = number.as_i64().filter(|whole| whole.unsigned_abs() <= EXACT)?;
    #[expect(clippy::cast_precision_loss, reason = "it is exact")]
    let fraction = whole as f64;
    Some(fraction)
}

fn by_digits(a: &Number, b: &Number) -> Option<Ordering> {
    let (mut room, mut other) = (Digits::default(), Digits::default());
    Some(Decimal::of_number(a, &mut room)?.compare(&Decimal::of_number(b, &mut other)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn numbers_of_any_size_are_compared_by_their_digits() {
        for (less, more) in [
            ("9007199254740992", "9007199254740993"),
            ("-9007199254740993", "-9007199254740992"),
            ("99999999999999999999999999999999999998", "99999999999999999999999999999999999999"),
            ("0.1", "0.10000000000000000000000000001"),
            ("-1", "0"),
            ("-1e3", "-9.9e2"),
            ("0.5e-4", ".00006"),
            ("9", "1e1"),
            ("-0.1", "1e-400"),
        ] {
            let (a, b) = (Decimal::of_text(less).unwrap(), Decimal::of_text(more).unwrap());
            assert_eq!((a.compare(&b), b.compare(&a)), (Ordering::Less, Ordering::Greater), "{less} {more}");
        }
        for (a, b) in
            [("1", "1.000"), ("1e16", "10000000000000000"), ("-0", "0.0"), ("+1.5e1", "15"), ("007", "7")]
        {
            let equal = Decimal::of_text(a).unwrap().compare(&Decimal::of_text(b).unwrap());
            assert_eq!(equal, Ordering::Equal, "{a} {b}");
        }
        for text in ["", ".", "-", "1e", "e5", "1_000", "inf", "nan", "0x1", "1 ", "1e99999999999999999999"] {
            assert!(Decimal::of_text(text).is_none(), "{text}");
        }
        let numbers =
            [json!(1e16), json!(10_000_000_000_000_000_i64), json!(u64::MAX), json!(1e300), json!(-1e-300)];
        let compare = |a: usize, b: usize| {
            compare_numbers(numbers[a].as_number().unwrap(), numbers[b].as_number().unwrap()).unwrap()
        };
        assert_eq!(compare(0, 1), Ordering::Equal);
        assert_eq!(
            (compare(1, 2), compare(3, 2), compare(4, 0)),
            (Ordering::Less, Ordering::Greater, Ordering::Less)
        );
    }

    proptest! {
        #[test]
        fn what_binary_fractions_can_tell_apart_is_told_apart_alike(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(a.is_finite() && b.is_finite());
            let (x, y) = (Number::from_f64(a).unwrap(), Number::from_f64(b).unwrap());
            prop_assert_eq!(compare_numbers(&x, &y), a.partial_cmp(&b));
            prop_assert_eq!(by_digits(&x, &y), a.partial_cmp(&b));
        }

        #[test]
        fn whole_numbers_and_fractions_are_told_apart_by_their_digits(
            whole in prop_oneof![any::<i64>(), -2_i64..2, (1_i64 << 53) - 9..(1 << 53) + 9],
            off in prop_oneof![Just(0.0), -2.0..2.0_f64, -1e3..1e3_f64],
        ) {
            #[expect(clippy::cast_precision_loss, reason = "near it is near enough")]
            let near = whole as f64 + off;
            let (x, y) = (Number::from(whole), Number::from_f64(near).unwrap());
            prop_assert_eq!(compare_numbers(&x, &y), by_digits(&x, &y), "{} {}", x, y);
            prop_assert_eq!(compare_numbers(&y, &x), by_digits(&y, &x), "{} {}", y, x);
        }
    }
}

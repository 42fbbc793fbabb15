//! JSON as programs write it, read from the left without a tree.
//!
//! Everything returns `None` for what it does not know, which need not be wrong: the caller then uses the general
//! reader.

/// A position in the bytes of a line.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

/// A number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    /// Its value, rounded correctly.
    pub value: f64,
    /// The value as a whole number, if it is written as one.
    pub whole: Option<u64>,
}

/// Powers of ten that are exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// The limit up to which whole numbers are exact.
const EXACT: u64 = 1 << 53;
/// The most digits that fit.
const MOST_DIGITS: usize = 19;

impl<'t> Cursor<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    /// The remaining bytes.
    pub(super) fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Skips so many bytes.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The next byte that is not white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Takes this byte, after white space.
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Returns whether only white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// A text without escapes, as bytes that need not be UTF-8.
    pub(super) fn text_bytes(&mut self) -> Option<&'t [u8]> {
        self.take(b'"')?;
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'"' || *byte == b'\\' || *byte < b' ')?;
        if rest.get(end) != Some(&b'"') {
            return None;
        }
        self.at += end + 1;
        rest.get(..end)
    }

    /// A text without escapes.
    pub(super) fn text(&mut self) -> Option<&'t str> {
        std::str::from_utf8(self.text_bytes()?).ok()
    }

    /// Takes a member's name and the colon after it.
    pub(super) fn key(&mut self) -> Option<&'t [u8]> {
        let key = self.text_bytes()?;
        self.take(b':')?;
        Some(key)
    }

    /// Takes a word such as `true`, if it is next.
    pub(super) fn word(&mut self, word: &[u8]) -> Option<()> {
        self.peek()?;
        self.rest().starts_with(word).then(|| self.at += word.len())
    }

    /// A number that is not negative.
    pub(super) fn number(&mut self) -> Option<Number> {
        self.peek()?;
        let start = self.at;
        let (mut mantissa, mut digits) = (0_u64, 0_usize);
        self.digits(&mut mantissa, &mut digits);
        let leading_zero = digits > 1 && self.bytes.get(start) == Some(&b'0');
        if digits == 0 || leading_zero {
            return None;
        }
        let mut exponent = 0_i32;
        let mut is_whole = true;
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            let before = digits;
            self.digits(&mut mantissa, &mut digits);
            if digits == before {
                return None;
            }
            exponent = i32::try_from(before).ok()? - i32::try_from(digits).ok()?;
            is_whole = false;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            exponent += self.exponent()?;
            is_whole = false;
        }
        if digits > MOST_DIGITS {
            return None;
        }
        let value = match (
            usize::try_from(exponent.unsigned_abs()).ok().and_then(|power| POWERS.get(power)),
            mantissa,
        ) {
            // A single rounding of exact operands gives the correctly rounded number.
            #[expect(clippy::cast_precision_loss, reason = "exact")]
            (Some(power), ..EXACT) if exponent < 0 => mantissa as f64 / power,
            #[expect(clippy::cast_precision_loss, reason = "exact")]
            (Some(power), ..EXACT) => mantissa as f64 * power,
            _ => std::str::from_utf8(self.bytes.get(start..self.at)?)
                .ok()?
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())?,
        };
        Some(Number { value, whole: is_whole.then_some(mantissa) })
    }

    fn digits(&mut self, mantissa: &mut u64, digits: &mut usize) {
        while let Some(digit @ b'0'..=b'9') = self.bytes.get(self.at) {
            *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            *digits += 1;
            self.at += 1;
        }
    }

    fn exponent(&mut self) -> Option<i32> {
        self.at += 1;
        let negative = match self.bytes.get(self.at) {
            Some(b'-') => {
                self.at += 1;
                true
            }
            Some(b'+') => {
                self.at += 1;
                false
            }
            _ => false,
        };
        let (mut exponent, mut digits) = (0_u64, 0);
        self.digits(&mut exponent, &mut digits);
        let exponent = i32::try_from(exponent).ok().filter(|_| (1..=3).contains(&digits))?;
        Some(if negative { -exponent } else { exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Option<Number> {
        let mut cursor = Cursor::new(text.as_bytes());
        cursor.number().filter(|_| cursor.is_at_end())
    }

    #[test]
    fn numbers_are_those_of_json() {
        for wrong in ["01", "1.", ".5", "-1", "1e", "1e+", "+1", "NaN", "", "1.5.2", "1e1000"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
        assert_eq!(number("900").unwrap().whole, Some(900));
        assert_eq!(number("900.0").unwrap().whole, None);
    }

    proptest! {
        #[test]
        fn numbers_are_rounded_as_elsewhere(value in prop_oneof![0.0..1.0_f64, 0.0..1e9_f64, prop::num::f64::POSITIVE]) {
            let json = serde_json::to_string(&value).unwrap();
            if let Some(read) = number(&json) {
                prop_assert_eq!(read.value.to_bits(), serde_json::from_str::<f64>(&json).unwrap().to_bits());
            }
        }

        #[test]
        fn what_is_taken_is_what_json_has(text in "[0-9]{1,3}(\\.[0-9]{1,18})?([eE][-+]?[0-9]{1,2})?") {
            let read = number(&text).map(|number| number.value);
            if let Some(read) = read {
                prop_assert_eq!(Some(read), serde_json::from_str::<f64>(&text).ok());
            }
        }
    }
}

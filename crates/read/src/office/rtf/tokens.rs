//! Tokens of an RTF file.

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RtfToken<'a> {
    Open,
    Close,
    /// A control word and its number.
    Control(&'a str, Option<i32>),
    /// A sign behind a backslash.
    Symbol(u8),
    /// A byte of text, in the code page of its font.
    Byte(u8),
}

/// The longest control word.
const LONGEST: usize = 40;

/// The tokens of a file, one after the other.
pub(super) struct RtfTokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> RtfTokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        RtfTokens { bytes, at: 0 }
    }

    /// Takes bytes that are no text: as many as there are.
    pub(super) fn take_bytes(&mut self, count: usize) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at = self.at.saturating_add(count);
        rest.get(..count).unwrap_or(rest)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take_while(&mut self, most: usize, is_part: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().take(most).take_while(|byte| is_part(**byte)).count();
        self.at += length;
        rest.get(..length).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or_default()
    }

    fn control(&mut self) -> Option<RtfToken<'a>> {
        let first = self.peek()?;
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            if first != b'\'' {
                return Some(RtfToken::Symbol(first));
            }
            let digits = self.take_while(2, |byte| byte.is_ascii_hexdigit());
            return Some(u8::from_str_radix(digits, 16).map_or(RtfToken::Symbol(b'\''), RtfToken::Byte));
        }
        let word = self.take_while(LONGEST, |byte| byte.is_ascii_alphabetic());
        let sign = self.take_while(1, |byte| byte == b'-');
        let digits = self.take_while(10, |byte| byte.is_ascii_digit());
        let number = format!("{sign}{digits}").parse().ok();
        if self.peek() == Some(b' ') {
            self.at += 1;
        }
        Some(RtfToken::Control(word, number))
    }
}

impl<'a> Iterator for RtfTokens<'a> {
    type Item = RtfToken<'a>;

    fn next(&mut self) -> Option<RtfToken<'a>> {
        loop {
            let byte = self.peek()?;
            self.at += 1;
            return Some(match byte {
                b'{' => RtfToken::Open,
                b'}' => RtfToken::Close,
                b'\\' => return self.control(),
                // Ends of lines are no text.
                b'\r' | b'\n' | 0 => continue,
                byte => RtfToken::Byte(byte),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_words_have_numbers_and_take_a_blank() {
        let found: Vec<RtfToken<'_>> = RtfTokens::new(b"{\\b0 x\\par\r\n\\u-3 \\'e4\\~}").collect();
        assert_eq!(
            found,
            [
                RtfToken::Open,
                RtfToken::Control("b", Some(0)),
                RtfToken::Byte(b'x'),
                RtfToken::Control("par", None),
                RtfToken::Control("u", Some(-3)),
                RtfToken::Byte(0xe4),
                RtfToken::Symbol(b'~'),
                RtfToken::Close
            ]
        );
    }
}

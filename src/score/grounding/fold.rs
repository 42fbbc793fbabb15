//! Folding of characters: what case-, accent- and typography-insensitive comparison means here.
//!
//! NFKD, lower case, no Latin/Greek/Cyrillic accents, Turkish dotless `ı` as `i`, `ß` as `ss`, ligatures opened.
//! Vowel signs of scripts that cannot be read without them (Indic, Thai, Arabic, Hebrew) are kept.

use std::hash::Hasher;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// What a character does to the token that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of a word.
    Letter,
    /// A decimal digit of any script that folds to an ASCII digit.
    Digit,
    /// A superscript, subscript or fraction: part of a word, but never of the number before it.
    Raised,
    /// A token of its own: ideographs and kana (no spaces between words), the multiplication sign.
    Alone,
    /// A sign that changes what a number means: comparison, percent, plus.
    Symbol,
    /// Invisible, or an accent on the character before.
    Skip,
    /// Everything between tokens.
    Gap,
}

/// Accents that folding removes.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// The ASCII digit of a decimal digit in another script or width.
fn foreign_digit(c: char) -> Option<char> {
    let zero = match c {
        '\u{660}'..='\u{669}' => 0x660,
        '\u{6f0}'..='\u{6f9}' => 0x6f0,
        '\u{966}'..='\u{96f}' => 0x966,
        '\u{ff10}'..='\u{ff19}' => 0xff10,
        '\u{1d7ce}'..='\u{1d7ff}' => return char::from_digit((u32::from(c) - 0x1d7ce) % 10, 10),
        _ => return None,
    };
    char::from_digit(u32::from(c) - zero, 10)
}

/// The class of `c`.
pub(super) fn class(c: char) -> Class {
    match c {
        '0'..='9' => Class::Digit,
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '%' | '<' | '>' | '+' | '~' | '^' | '\u{2264}' | '\u{2265}' | '\u{b1}' | '\u{2248}' | '\u{223c}'
        | '\u{2030}' => Class::Symbol,
        _ if c.is_ascii() => Class::Gap,
        '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' => Class::Skip,
        '\u{2122}' | '\u{2120}' | '\u{ae}' | '\u{a9}' | '\u{ba}' | '\u{aa}' | '\u{b0}' => Class::Gap,
        '\u{d7}' => Class::Alone,
        _ if is_accent(c) => Class::Skip,
        _ if foreign_digit(c).is_some() => Class::Digit,
        '\u{b2}'
        | '\u{b3}'
        | '\u{b9}'
        | '\u{bc}'..='\u{be}'
        | '\u{2070}'..='\u{209c}'
        | '\u{2150}'..='\u{215f}'
        | '\u{2460}'..='\u{249b}' => Class::Raised,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
            if c.is_alphanumeric() || is_combining_mark(c) =>
        {
            Class::Letter
        }
        '\u{3041}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}'
            if c.is_alphanumeric() =>
        {
            Class::Alone
        }
        '\u{3371}'..='\u{33df}' => Class::Letter,
        _ if c.is_alphanumeric() || is_combining_mark(c) => Class::Letter,
        _ => Class::Gap,
    }
}

/// Gives `f` the folded characters of `c`: none, one or several.
pub(super) fn fold_char(c: char, f: &mut impl FnMut(char)) {
    if c.is_ascii() {
        return f(c.to_ascii_lowercase());
    }
    if let Some(digit) = foreign_digit(c) {
        return f(digit);
    }
    match c {
        '\u{2264}' => return "<=".chars().for_each(f),
        '\u{2265}' => return ">=".chars().for_each(f),
        '\u{2248}' | '\u{223c}' => return f('~'),
        '\u{d7}' => return f('x'),
        _ if class(c) == Class::Skip => return,
        _ => {}
    }
    decompose_compatible(c, |part| {
        for low in part.to_lowercase() {
            match low {
                _ if is_accent(low) => {}
                'ı' => f('i'),
                'ß' => "ss".chars().for_each(&mut *f),
                'æ' => "ae".chars().for_each(&mut *f),
                'œ' => "oe".chars().for_each(&mut *f),
                'ø' => f('o'),
                'đ' => f('d'),
                'ł' => f('l'),
                'ς' => f('σ'),
                _ => f(low),
            }
        }
    });
}

/// Gives `f` the folded characters of `text`.
pub(super) fn fold_str(text: &str, f: &mut impl FnMut(char)) {
    for c in text.chars() {
        fold_char(c, f);
    }
}

/// Whether two texts fold to the same characters.
pub(super) fn fold_eq(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() { a.eq_ignore_ascii_case(b) } else { Folded::new(a).eq(Folded::new(b)) }
}

/// The folded characters of a text, one by one.
struct Folded<'a> {
    rest: std::str::Chars<'a>,
    /// What the last character read folds to, and how much of it was given. None folds to more: the most that
    /// NFKD makes of one character is 18.
    parts: [char; 32],
    len: usize,
    given: usize,
}

impl<'a> Folded<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.chars(), parts: ['\0'; 32], len: 0, given: 0 }
    }
}

impl Iterator for Folded<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        while self.given == self.len {
            let c = self.rest.next()?;
            let (parts, mut len) = (&mut self.parts, 0);
            fold_char(c, &mut |part| {
                if let Some(slot) = parts.get_mut(len) {
                    *slot = part;
                    len += 1;
                }
            });
            (self.len, self.given) = (len, 0);
        }
        self.given += 1;
        self.parts.get(self.given - 1).copied()
    }
}

/// A 64-bit FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv/) over folded characters, with their count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hash {
    state: u64,
    len: u32,
}

impl Default for Hash {
    fn default() -> Self {
        Self { state: 0xcbf2_9ce4_8422_2325, len: 0 }
    }
}

impl Hash {
    /// Adds one character.
    pub(super) fn push(&mut self, c: char) {
        self.state = (self.state ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3);
        self.len = self.len.wrapping_add(1);
    }

    /// The 32 bits that the index stores.
    pub(super) fn short(self) -> u32 {
        let mixed = self.state ^ (self.state >> 32) ^ u64::from(self.len);
        u32::try_from(mixed & 0xffff_ffff).unwrap_or_default()
    }
}

/// Mixes numbers that no text can choose, for tables of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(u64::from_ne_bytes(i64::try_from(number).unwrap_or_default().to_ne_bytes()));
    }

    fn write_i32(&mut self, number: i32) {
        self.write_u32(u32::from_ne_bytes(number.to_ne_bytes()));
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

/// Longest [`Word`], in bytes.
pub(super) const LONGEST_WORD: usize = 40;

/// A folded word on the stack, for looking words up in lists. Longer words are in no list.
pub(super) struct Word {
    bytes: [u8; LONGEST_WORD],
    len: usize,
}

impl Word {
    /// Folds `text`; none when it does not fit.
    pub(super) fn new(text: &str) -> Option<Self> {
        let mut word = Self { bytes: [0; LONGEST_WORD], len: 0 };
        let mut fits = text.len() <= 80;
        if fits {
            fold_str(text, &mut |c| {
                let mut buffer = [0; 4];
                let encoded = c.encode_utf8(&mut buffer).as_bytes();
                match word.bytes.get_mut(word.len..word.len + encoded.len()) {
                    Some(slot) => {
                        slot.copy_from_slice(encoded);
                        word.len += encoded.len();
                    }
                    None => fits = false,
                }
            });
        }
        fits.then_some(word)
    }

    /// The folded text.
    pub(super) fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

/// How many characters `text` folds to.
pub(super) fn fold_len(text: &str) -> usize {
    let mut len = 0;
    fold_str(text, &mut |_| len += 1);
    len
}

//! Folding: the form of a text in which spellings of the same word are equal.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Writes a character in its folded form: compatibility forms taken apart, without accents, in lower case.
pub(crate) fn fold_into(c: char, into: &mut String) {
    if c.is_ascii() {
        into.push(c.to_ascii_lowercase());
        return;
    }
    match c {
        'ß' => into.push_str("ss"),
        'ø' | 'Ø' => into.push('o'),
        'æ' | 'Æ' => into.push_str("ae"),
        'ł' | 'Ł' => into.push('l'),
        _ if let Some(digit) = ascii_digit(c) => into.push(digit),
        _ => {
            let folded = std::iter::once(c).nfkd().filter(|c| !is_combining_mark(*c));
            into.extend(folded.flat_map(char::to_lowercase));
        }
    }
}

/// A text in its folded form: compatibility forms taken apart, without accents, in lower case.
#[must_use]
pub fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    text.chars().for_each(|c| fold_into(c, &mut folded));
    folded
}

/// The digit that a decimal digit of another script or width represents.
pub(crate) fn ascii_digit(c: char) -> Option<char> {
    /// The zeros of scripts that write numbers by place, each followed by the other nine.
    const ZEROS: [u32; 10] = [0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xe50, 0xff10];
    let code = u32::from(c);
    ZEROS
        .iter()
        .find(|zero| (**zero..**zero + 10).contains(&code))
        .and_then(|zero| char::from_digit(code - zero, 10))
}

/// A text with the digits and separators of numbers as ASCII has them.
pub(crate) fn ascii_digits(text: &str) -> Cow<'_, str> {
    let other = |c: char| !c.is_ascii() && (ascii_digit(c).is_some() || matches!(c, '\u{66b}' | '\u{66c}'));
    if text.is_ascii() || !text.contains(other) {
        return Cow::Borrowed(text);
    }
    let read = |c: char| match c {
        '\u{66b}' => '.',
        '\u{66c}' => ',',
        c => ascii_digit(c).unwrap_or(c),
    };
    text.chars().map(read).collect::<String>().into()
}

/// A word of a text: its folded letters or digits, and its position, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoldedWord {
    pub(crate) folded: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The class of a character; a word is a run of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    /// Written without blanks between words: each character is a word.
    Ideograph,
    Mark,
    Other,
}

fn class(c: char) -> Class {
    if c.is_ascii_digit() || c.is_numeric() && !is_ideograph(c) {
        Class::Digit
    } else if is_ideograph(c) {
        Class::Ideograph
    } else if c.is_alphabetic() {
        Class::Letter
    } else if is_mark(c) {
        Class::Mark
    } else {
        Class::Other
    }
}

/// A sign that is on or within a word, and is not part of it.
pub(crate) fn is_mark(c: char) -> bool {
    is_combining_mark(c)
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

/// Cuts a text into words: runs of letters, runs of digits, single ideographs.
pub(crate) fn tokens(text: &str, mut visit: impl FnMut(FoldedWord)) {
    let mut open: Option<(Class, FoldedWord)> = None;
    for (at, c) in text.char_indices() {
        let class = class(c);
        let end = at + c.len_utf8();
        if class == Class::Mark {
            if let Some((_, token)) = &mut open {
                token.end = end;
            }
            continue;
        }
        let continues = open.as_ref().is_some_and(|(known, _)| *known == class) && class != Class::Ideograph;
        if !continues && let Some((_, token)) = open.take() {
            visit(token);
        }
        if class == Class::Other {
            continue;
        }
        let (_, token) =
            open.get_or_insert_with(|| (class, FoldedWord { folded: String::new(), start: at, end: at }));
        fold_into(c, &mut token.folded);
        token.end = end;
    }
    if let Some((_, token)) = open {
        visit(token);
    }
}

/// The words of a text, folded.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokens(text, |token| found.push(token.folded));
    found
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn spellings_of_a_word_are_equal() {
        assert_eq!(words("Straße ﬁnal ＡＢ Émile"), ["strasse", "final", "ab", "emile"]);
        assert_eq!(words("MS20500-428"), ["ms", "20500", "428"]);
        assert_eq!(words("請求書 No.12"), ["請", "求", "書", "no", "12"]);
        assert_eq!(words("Rech\u{ad}nung"), ["rechnung"]);
    }
}

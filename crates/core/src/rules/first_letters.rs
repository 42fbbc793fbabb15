//! The letters and figures with which a match of a phrase may begin.

use super::phrase::GAP;
use std::iter::Peekable;
use std::str::Chars;

/// Letters of ASCII in any case, and figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FirstLetters(u64);

impl FirstLetters {
    const NONE: FirstLetters = FirstLetters(0);
    const FIGURES: FirstLetters = FirstLetters((1 << 10) - 1);
    /// Any, for when nothing is known.
    pub(super) const ALL: FirstLetters = FirstLetters((1 << 36) - 1);

    fn one(letter: char) -> Self {
        match letter.to_digit(36) {
            Some(number) => FirstLetters(1 << number),
            // A letter outside ASCII may be another case of one within: the sign for kelvin.
            None if letter.is_ascii() || letter == GAP => Self::NONE,
            None => Self::ALL,
        }
    }

    fn range(first: char, last: char) -> Self {
        if !(first.is_ascii() && last.is_ascii()) {
            return Self::ALL;
        }
        (first..=last).map(Self::one).fold(Self::NONE, Self::or)
    }

    fn or(self, other: Self) -> Self {
        FirstLetters(self.0 | other.0)
    }

    /// Returns whether one of them is the letter or figure; others than those of ASCII may be.
    pub(super) fn may_be(self, letter: char) -> bool {
        letter.to_digit(36).is_none_or(|number| self.0 & (1 << number) != 0)
    }

    /// The first letters of what a regular expression matches.
    pub(super) fn of(pattern: &str) -> Self {
        let mut letters = pattern.chars().peekable();
        match alternatives(&mut letters) {
            Some((first, false)) if letters.next().is_none() => first,
            _ => Self::ALL,
        }
    }
}

/// Reads alternatives up to a closing bracket: what they begin with, and whether one of them may be empty. `None` if
/// that can't be determined here.
fn alternatives(letters: &mut Peekable<Chars<'_>>) -> Option<(FirstLetters, bool)> {
    let (mut all, mut any_is_empty) = (FirstLetters::NONE, false);
    loop {
        let (first, is_empty) = sequence(letters)?;
        all = all.or(first);
        any_is_empty |= is_empty;
        if letters.next_if_eq(&'|').is_none() {
            return Some((all, any_is_empty));
        }
    }
}

/// Reads one alternative.
fn sequence(letters: &mut Peekable<Chars<'_>>) -> Option<(FirstLetters, bool)> {
    let (mut first, mut is_empty) = (FirstLetters::NONE, true);
    while let Some(letter) = letters.next_if(|c| !matches!(c, '|' | ')')) {
        let (own, mut may_be_empty) = match letter {
            '\\' => match letters.next()? {
                'd' => (FirstLetters::FIGURES, false),
                'w' | 'S' => (FirstLetters::ALL, false),
                's' => (FirstLetters::NONE, false),
                'b' if letters.peek() != Some(&'{') => (FirstLetters::NONE, true),
                special if !special.is_alphanumeric() => (FirstLetters::one(special), false),
                _ => return None,
            },
            '(' => group(letters)?,
            '[' => (class(letters)?, false),
            '.' => (FirstLetters::ALL, false),
            '^' | '$' => (FirstLetters::NONE, true),
            '?' | '*' | '+' | '{' => return None,
            plain => (FirstLetters::one(plain), false),
        };
        may_be_empty |= quantifier(letters)?;
        if is_empty {
            first = first.or(own);
        }
        is_empty &= may_be_empty;
    }
    Some((first, is_empty))
}

/// Reads a group after its opening bracket.
fn group(letters: &mut Peekable<Chars<'_>>) -> Option<(FirstLetters, bool)> {
    if letters.next_if_eq(&'?').is_some() {
        // Flags as in `(?-i:…)`; a group with a name is not known here.
        while letters.next_if(|c| matches!(c, 'i' | '-')).is_some() {}
        letters.next_if_eq(&':')?;
    }
    let inside = alternatives(letters)?;
    letters.next_if_eq(&')')?;
    Some(inside)
}

/// Reads a class after its opening bracket: letters and ranges.
fn class(letters: &mut Peekable<Chars<'_>>) -> Option<FirstLetters> {
    let mut all = FirstLetters::NONE;
    while let Some(letter) = letters.next() {
        let first = match letter {
            ']' => return Some(all),
            '^' | '[' | '&' | '~' => return None,
            '\\' => match letters.next()? {
                'd' => {
                    all = all.or(FirstLetters::FIGURES);
                    continue;
                }
                's' => continue,
                special if !special.is_alphanumeric() => special,
                _ => return None,
            },
            plain => plain,
        };
        let last = if letters.next_if_eq(&'-').is_some() { letters.next()? } else { first };
        all = match last {
            // The hyphen is literal at the end.
            ']' => return Some(all.or(FirstLetters::one(first))),
            '\\' | '[' => return None,
            last => all.or(FirstLetters::range(first, last)),
        };
    }
    None
}

/// Reads a quantifier, if there is one here: whether it allows no occurrence.
fn quantifier(letters: &mut Peekable<Chars<'_>>) -> Option<bool> {
    let may_be_empty = match letters.peek() {
        Some('?' | '*') => {
            letters.next();
            true
        }
        Some('+') => {
            letters.next();
            false
        }
        Some('{') => {
            letters.next();
            let least = letters.next()?;
            while letters.next()? != '}' {}
            matches!(least, '0' | ',')
        }
        _ => return Some(false),
    };
    letters.next_if_eq(&'?');
    // No one writes two quantifiers.
    (!matches!(letters.peek(), Some('?' | '*' | '+' | '{'))).then_some(may_be_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    fn told(pattern: &str) -> String {
        let first = FirstLetters::of(pattern);
        if first == FirstLetters::ALL {
            return "all".to_owned();
        }
        ('0'..='9').chain('a'..='z').filter(|letter| first.may_be(*letter)).collect()
    }

    #[test]
    fn what_a_pattern_begins_with() {
        for (pattern, first) in [
            ("free of", "f"),
            ("(?:Left|right) side", "lr"),
            ("un?clear", "u"),
            ("(?:the )?tumou?r", "t"),
            ("(?:a|b)?c|[x-z]", "abcxyz"),
            (r"\d+ ?mm", "0123456789"),
            ("^L$", "l"),
            ("(?-i:US)", "u"),
            (r"\+{1,3}", ""),
            (r"[ -]x", ""),
            ("[a-]b", "a"),
            ("x{0}y", "xy"),
            ("\u{212A}", "all"),
            (r"\w+", "all"),
            ("[^a]", "all"),
            ("a*", "all"),
            ("", "all"),
            ("(?<name>a)", "all"),
            ("a)b", "all"),
        ] {
            assert_eq!(told(pattern), first, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn what_is_matched_begins_with_one_of_them(
            pattern in r"(\(\?:)?([a-c]|\[[a-c]-c\]|\\d|\.)[?*+]?(\||)([a-c0-1]|\(\?:b\|1\))[?]?\)?c?",
            text in "[a-c0-1]{1,4}",
        ) {
            if let Ok(regex) = Regex::new(&format!("^(?i:{pattern})")) {
                let first = text.chars().next().unwrap_or(' ');
                prop_assert!(!regex.is_match(&text) || FirstLetters::of(&pattern).may_be(first), "{pattern}: {text}");
            }
        }
    }
}

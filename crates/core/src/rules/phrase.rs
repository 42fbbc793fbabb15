//! Phrases of vocabularies and contexts: regular expressions that match whole words, in any case.

use super::first_letters::FirstLetters;

/// The stand-in for a space of a phrase until it is known how the phrase is searched for. It is for private use, so
/// that no text means anything by it.
pub const GAP: char = '\u{E000}';

/// The form of a space in a regular expression.
const GAP_PATTERN: &str = r"(?:[\s_-]+)";

/// A phrase. A space matches any blanks, hyphens or underscores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    marked: String,
    first: FirstLetters,
}

impl Phrase {
    /// A phrase as it is written: a regular expression.
    #[must_use]
    pub fn new(written: &str) -> Self {
        let mut marked = String::with_capacity(written.len());
        let mut letters = written.trim().chars().peekable();
        // The depth in brackets: classes may be within classes.
        let mut class = 0_usize;
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => {
                    marked.push(letter);
                    marked.extend(letters.next());
                }
                '[' => {
                    class += 1;
                    marked.push(letter);
                    marked.extend(letters.next_if_eq(&'^'));
                    // The first bracket of a class closes nothing.
                    marked.extend(letters.next_if_eq(&']'));
                }
                ']' => {
                    class = class.saturating_sub(1);
                    marked.push(letter);
                }
                ' ' if class == 0 => {
                    while letters.next_if_eq(&' ').is_some() {}
                    marked.push(GAP);
                }
                other => marked.push(other),
            }
        }
        Phrase { first: FirstLetters::of(&marked), marked }
    }

    /// The phrase that says a canonical value by its name, which is not a regular expression: `MSI-H` is written as
    /// `MSI H`, too.
    #[must_use]
    pub fn of_value(value: &str) -> Self {
        let mut marked = String::with_capacity(value.len());
        for part in value.split(is_gap).filter(|part| !part.is_empty()) {
            if !marked.is_empty() {
                marked.push(GAP);
            }
            marked.push_str(&regex::escape(part));
        }
        Phrase { first: FirstLetters::of(&marked), marked }
    }

    /// The length of its regular expression: of two phrases that begin at one position the longer is looked for first.
    #[must_use]
    pub fn len(&self) -> usize {
        self.marked.chars().map(|c| if c == GAP { GAP_PATTERN.len() } else { c.len_utf8() }).sum()
    }

    /// Returns whether it is empty, and so found everywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    /// The regular expression, with [`GAP`] for a space.
    #[must_use]
    pub fn marked(&self) -> &str {
        &self.marked
    }

    /// Returns whether a text may be the phrase, by the letters with which the phrase begins: `false` is certain. It
    /// costs nothing to prepare.
    #[must_use]
    pub fn may_be(&self, text: &str) -> bool {
        let mut text = text.chars().peekable();
        if text.peek().is_some_and(|first| !self.may_begin_with(*first)) {
            return false;
        }
        if self.may_be_a_choice() {
            return true;
        }
        let mut marked = self.marked.chars().peekable();
        while let Some(letter) = marked.next() {
            if is_special(letter) || matches!(marked.peek(), Some('?' | '*' | '{')) {
                return true;
            }
            let Some(found) = text.next() else { return false };
            if letter == GAP {
                if !is_gap(found) {
                    return false;
                }
                while text.next_if(|c| is_gap(*c)).is_some() {}
            } else if !letter.is_ascii() || !found.is_ascii() {
                return true;
            } else if !letter.eq_ignore_ascii_case(&found) {
                return false;
            }
        }
        true
    }

    /// Returns whether a text that begins with this character may begin with the phrase: `false` is certain.
    #[must_use]
    pub fn may_begin_with(&self, first: char) -> bool {
        self.first.may_be(first)
    }

    /// Returns whether its first letters may be those of the first of several alternatives: `a|b`, but not `a(?:b|c)`.
    fn may_be_a_choice(&self) -> bool {
        let mut depth = 0_usize;
        let mut letters = self.marked.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => _ = letters.next(),
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '[' => return self.marked.contains('|'),
                '|' if depth == 0 => return true,
                _ => {}
            }
        }
        false
    }

    /// The regular expression. A half of a word boundary lets a phrase begin or end with what is not a letter: `3\+`.
    #[must_use]
    pub fn regex(&self) -> String {
        let inside = self.marked.replace(GAP, GAP_PATTERN);
        format!(r"(?i)\b{{start-half}}(?:{inside})\b{{end-half}}")
    }
}

/// Returns whether a character means something else in a regular expression than itself.
#[must_use]
pub fn is_special(c: char) -> bool {
    matches!(c, '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$')
}

/// Returns whether a space of a phrase matches a character.
#[must_use]
pub fn is_gap(c: char) -> bool {
    c.is_whitespace() || c == '-' || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn finds(phrase: &str, text: &str) -> bool {
        Regex::new(&Phrase::new(phrase).regex()).unwrap().is_match(text)
    }

    #[test]
    fn phrases_match_whole_words_in_any_case_with_any_gap() {
        for (phrase, text) in [
            ("free of", "Margins are FREE\n of tumor"),
            ("well differentiated", "well-differentiated"),
            ("not identified", "not_identified"),
            (r"3 ?\+", "HER2: 3+, strong"),
            (r"3 ?\+", "3 +"),
            (r"within \d+(\.\d+)? ?mm", "within 1.5mm"),
            ("[ -]x", "a --x"),
            ("(?-i:US)", "US of the liver"),
            ("^L$", "l"),
        ] {
            assert!(finds(phrase, text), "{phrase}: {text}");
        }
        for (phrase, text) in [
            ("clear", "unclear"),
            ("free of", "free of2"),
            ("(?-i:US)", "seen by us"),
            ("^L$", "L breast"),
            ("[ -]x", "a\tx"),
            ("pathogenic", "likely_pathogenic"),
        ] {
            assert!(!finds(phrase, text), "{phrase}: {text}");
        }
    }

    #[test]
    fn a_text_that_can_not_be_a_phrase_is_told_by_its_first_letters() {
        for (phrase, text) in [
            ("free of", "Free_ of tumor"),
            ("colou?r", "color"),
            ("a|b", "b"),
            ("(?:a|b)c", "bc"),
            ("a[(]b|c", "c"),
            (r"a\(b|c", "c"),
            ("x{2}", "xx"),
            ("kidney", "\u{212A}idney"),
            ("^yes$", "yes"),
        ] {
            assert!(Phrase::new(phrase).may_be(text), "{phrase}: {text}");
            assert!(text.starts_with(|first| Phrase::new(phrase).may_begin_with(first)), "{phrase}: {text}");
        }
        for (phrase, text) in [
            ("free of", "freedom"),
            ("free of", "free"),
            ("colou?r", "collar"),
            ("free", "left"),
            ("a(?:b|c)", "b"),
        ] {
            assert!(!Phrase::new(phrase).may_be(text), "{phrase}: {text}");
        }
    }

    #[test]
    fn canonical_values_are_phrases_and_no_patterns() {
        let found =
            |value: &str, text: &str| Regex::new(&Phrase::of_value(value).regex()).unwrap().is_match(text);
        assert!(found("MSI-H", "msi h") && found("3+", "3+") && found("2", "grade 2"));
        assert!(!found("a.b", "acb"));
    }
}

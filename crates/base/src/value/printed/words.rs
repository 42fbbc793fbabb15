//! The words of a text, to be searched for a name or a title: whole words in their order, ignoring case, accents and
//! the marks between them. A word that is hyphenated over the end of a line is one word as well as two.

use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The words of a text in small letters without accents, and the positions of each.
#[derive(Debug, Clone, Default)]
pub struct PrintedWords {
    words: Vec<String>,
    places: HashMap<String, Vec<usize>>,
}

impl PrintedWords {
    /// Those of a text without markup.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut words = folded(text);
        let joined = joined_lines(text);
        if joined.len() != text.len() {
            // So that no name begins in one reading and ends in the other.
            words.push(String::new());
            words.extend(folded(&joined));
        }
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            places.entry(word.clone()).or_default().push(at);
        }
        PrintedWords { words, places }
    }

    /// Returns whether the words of a name appear there side by side. A text without words is printed nowhere.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let wanted = folded(name);
        let Some(first) = wanted.first() else { return false };
        let places = self.places.get(first).map_or(&[][..], Vec::as_slice);
        places.iter().any(|at| {
            self.words.get(*at..at.saturating_add(wanted.len())).is_some_and(|here| here == wanted.as_slice())
        })
    }

    /// The share of the different words of a text, of four letters or more, that are printed; 1 where it has none.
    #[must_use]
    pub fn share_of(&self, text: &str) -> f64 {
        let mut wanted = folded(text);
        wanted.retain(|word| word.chars().count() >= 4);
        wanted.sort_unstable();
        wanted.dedup();
        let seen = wanted.iter().filter(|word| self.places.contains_key(*word)).count();
        let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        if wanted.is_empty() { 1.0 } else { count(seen) / count(wanted.len()) }
    }
}

/// The words of a text, folded. Letters and digits are separate words: the digits after a name are a note.
fn folded(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.nfkd().filter(|c| !is_combining_mark(*c) && *c != '\u{ad}') {
        let class = if c.is_alphabetic() {
            Some(true)
        } else if c.is_numeric() {
            Some(false)
        } else {
            None
        };
        // A name may have an apostrophe or not: O'Brien, OBrien.
        let is_within = matches!(c, '\'' | '’' | '‘' | 'ʼ' | '`' | '´');
        if is_within {
            continue;
        }
        if class.is_some() {
            if class != last {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                push_folded(word, c);
            }
        }
        last = class;
    }
    words
}

fn push_folded(word: &mut String, c: char) {
    for low in c.to_lowercase() {
        match low {
            'ß' => word.push_str("ss"),
            'æ' => word.push_str("ae"),
            'œ' => word.push_str("oe"),
            'ø' => word.push('o'),
            'ı' => word.push('i'),
            'đ' | 'ð' => word.push('d'),
            'ł' => word.push('l'),
            'þ' => word.push_str("th"),
            _ if is_combining_mark(low) => {}
            other => word.push(other),
        }
    }
}

/// A text with its words joined that are hyphenated over the end of a line.
fn joined_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_end();
        let goes_on = lines.peek().is_some_and(|next| next.trim_start().starts_with(char::is_lowercase));
        match bare.strip_suffix(['-', '‐', '\u{ad}']) {
            Some(part) if goes_on && part.ends_with(char::is_alphabetic) => {
                out.push_str(part);
                if let Some(next) = lines.peek_mut() {
                    *next = next.trim_start();
                }
            }
            _ => {
                out.push_str(line);
                if lines.peek().is_some() {
                    out.push('\n');
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whole() {
        let words = PrintedWords::of(
            "Anna Miller1,2, Jürgen MU\u{308}LLER, Seán O’Brien, Luuk van der\nBerg, Mary Smith–Jones; Lind-\nqvist, Łukasz Groß",
        );
        for name in [
            "Miller",
            "Müller",
            "Muller",
            "O'Brien",
            "van der Berg",
            "Smith-Jones",
            "Lindqvist",
            "Lukasz Gross",
            "smith",
        ] {
            assert!(words.has(name), "{name}");
        }
        for name in
            ["Mill", "Iller", "Mueller", "Brienne", "Berg Mary Jones", "van Berg", "", "-", "Groß Anna"]
        {
            assert!(!words.has(name), "{name}");
        }
        assert!((words.share_of("Miller or Nobody") - 0.5).abs() < 1e-9);
    }
}

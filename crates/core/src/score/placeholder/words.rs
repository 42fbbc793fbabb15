//! Words and forms in place of a value, read from `words/placeholders.yaml`.

use crate::diag::{Problems, SourceFile};
use crate::value::is_unseen;
use crate::value::yaml::{self, Data};
use regex::RegexSet;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Longest text that can be one of them, in bytes.
pub(super) const LONGEST: usize = 120;

/// The condition under which such a word is a value after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnlessSaid {
    /// Never.
    Never,
    /// If the document writes it.
    Anywhere,
    /// If the document writes it right after the name of the field.
    OfIt,
}

/// The shipped words.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| Words::read().0);

#[derive(Debug, Default)]
pub(super) struct Words {
    by_word: HashMap<String, UnlessSaid>,
    forms: Option<RegexSet>,
}

impl Words {
    /// The words, and the entries of the file that are none.
    fn read() -> (Self, Vec<String>) {
        let file = SourceFile::shipped(
            "words/placeholders.yaml",
            include_str!("../../../../../words/placeholders.yaml"),
        );
        let (mut words, mut strange) = (Words::default(), Vec::new());
        let Some(Data::Map(entries)) = yaml::parse(&file, &mut Problems::new()).map(|node| node.data) else {
            return (words, vec![file.name().to_owned()]);
        };
        for entry in entries {
            let items = match &entry.value.data {
                Data::List(items) => items.as_slice(),
                _ => &[],
            };
            let listed = items.iter().filter_map(yaml::Node::as_text);
            let unless = match entry.key.as_str() {
                "never" => UnlessSaid::Never,
                "unless_said" => UnlessSaid::Anywhere,
                "unless_said_of_it" => UnlessSaid::OfIt,
                "forms" => {
                    words.forms = RegexSet::new(listed.map(|form| format!("(?i)^(?:{form})$"))).ok();
                    continue;
                }
                _ => {
                    strange.push(entry.key);
                    continue;
                }
            };
            words.by_word.extend(listed.map(|word| (plain(word), unless)));
        }
        (words, strange)
    }

    /// The words.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.by_word.keys().map(String::as_str)
    }

    /// The condition under which a text is a value, if it is one of the words.
    pub(super) fn find(&self, text: &str) -> Option<UnlessSaid> {
        if text.len() > LONGEST {
            return None;
        }
        let trimmed = text.trim_matches(is_unseen);
        if self.forms.as_ref().is_some_and(|forms| forms.is_match(trimmed)) {
            return Some(UnlessSaid::Never);
        }
        let plain = plain(trimmed);
        self.by_word.get(&plain).or_else(|| self.by_word.get(&unjoined(&plain))).copied()
    }
}

/// A text in lower case, with one blank between words and without the signs around it.
pub(super) fn plain(text: &str) -> String {
    let bare = without_signs(without_signs(text));
    let words: Vec<&str> = bare.split(is_unseen).filter(|word| !word.is_empty()).collect();
    words.join(" ").replace(" / ", "/").to_lowercase()
}

/// A text without the quotes and brackets around it, and the mark at its end.
fn without_signs(text: &str) -> &str {
    let is_sign = |c: char| is_unseen(c) || "\"'`*()[]:;,".contains(c);
    let bare = text.trim_matches(is_sign);
    match bare.strip_suffix(['.', '!']) {
        Some(rest) if !rest.ends_with('.') => rest,
        _ => bare,
    }
}

/// Words that are joined by signs, with blanks.
fn unjoined(plain: &str) -> String {
    plain.replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_entry_is_read_and_found() {
        let (words, strange) = Words::read();
        assert_eq!(strange, Vec::<String>::new());
        assert!(words.forms.is_some() && words.by_word.len() > 100);
        for (word, unless) in &words.by_word {
            assert_eq!(words.find(word), Some(*unless), "{word}");
        }
    }

    #[test]
    fn words_and_forms_are_found_however_they_are_written() {
        for (text, unless) in [
            ("...", UnlessSaid::Never),
            (" … ", UnlessSaid::Never),
            ("____", UnlessSaid::Never),
            ("<value>", UnlessSaid::Never),
            ("<the grade, as written>", UnlessSaid::Never),
            ("{{ grade }}", UnlessSaid::Never),
            ("${NAME}", UnlessSaid::Never),
            ("[insert the date]", UnlessSaid::Never),
            ("[VALUE]", UnlessSaid::Never),
            ("TODO", UnlessSaid::Never),
            ("Todo:", UnlessSaid::Never),
            ("String", UnlessSaid::Anywhere),
            ("\"string\"", UnlessSaid::Anywhere),
            ("Not_Specified", UnlessSaid::Anywhere),
            ("(not available).", UnlessSaid::Anywhere),
            ("not_present", UnlessSaid::Anywhere),
            ("Unbekannt", UnlessSaid::Anywhere),
            ("N/A", UnlessSaid::OfIt),
            ("n / a", UnlessSaid::OfIt),
            ("n.a.", UnlessSaid::OfIt),
            ("k. A.", UnlessSaid::OfIt),
            ("[N/A]", UnlessSaid::OfIt),
            ("TBD", UnlessSaid::OfIt),
        ] {
            assert_eq!(WORDS.find(text), Some(unless), "{text}");
        }
        for text in [
            "-",
            "+",
            "++",
            "--",
            "0",
            "none",
            "None",
            "no",
            "nil",
            "not present",
            "Na",
            "NA",
            "[x]",
            "[ ]",
            "<5",
            "< 5 >",
            "<https://example.org>",
            "<jane@example.org>",
            "x",
            "xx",
            "negative",
            "T",
            "free of tumor",
            "{\"a\": 1}",
            "Stringer",
            "not identified",
            "pending",
            "date",
            "number",
            "text",
            "value",
            "XXY",
            "a...b",
        ] {
            assert_eq!(WORDS.find(text), None, "{text}");
        }
    }
}

//! The words of languages that evidence depends on, read from the folder `words`.

use crate::diag::{Problems, SourceFile};
use crate::value::yaml::{self, Data, Entry, Node};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What a listed word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordClass {
    /// Says that something is there, is not, or is in between.
    Polarity,
    /// Degrees: grades and amounts.
    Degree,
    /// Denies the word after it: not.
    Not,
    /// Denies the thing after it: no, without.
    No,
    /// Denies the word before it: Turkish değil.
    NotBefore,
    /// Joins clauses or names: and, or, but.
    And,
    /// May stand between a name and its value without being about anything else.
    Connector,
    /// Says little about what the text is about: sides, qualifiers.
    Common,
}

/// The list that a folded word is in.
pub(super) fn listed(word: &str) -> Option<WordClass> {
    LISTS.classes.get(word).copied()
}

/// Whether a key says what kind of value it holds, not what it is about.
pub(super) fn is_generic_key(word: &str) -> bool {
    LISTS.generic_keys.contains(word)
}

/// Whether a key's value names what its siblings are about.
pub(super) fn is_label_key(word: &str) -> bool {
    LISTS.label_keys.contains(word)
}

/// The month, from 1 to 12, that a folded word names.
pub(super) fn month(word: &str) -> Option<u32> {
    LISTS.months.get(word).copied()
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read().0);

/// Every list. A word in two of them is in the first.
#[derive(Default)]
struct Lists {
    classes: HashMap<String, WordClass>,
    generic_keys: HashSet<String>,
    label_keys: HashSet<String>,
    months: HashMap<String, u32>,
}

impl Lists {
    /// The shipped lists, and the entries that are none of theirs.
    fn read() -> (Self, Vec<String>) {
        let (mut lists, mut strange) = (Lists::default(), Vec::new());
        for entry in entries("evidence.yaml", include_str!("../../../words/evidence.yaml")) {
            match WordClass::named(&entry.key) {
                Some(class) => words(&entry.value)
                    .for_each(|word| _ = lists.classes.entry(word.to_owned()).or_insert(class)),
                None => strange.push(entry.key),
            }
        }
        for entry in entries("keys.yaml", include_str!("../../../words/keys.yaml")) {
            match entry.key.as_str() {
                "generic" => lists.generic_keys.extend(words(&entry.value).map(str::to_owned)),
                "label" => lists.label_keys.extend(words(&entry.value).map(str::to_owned)),
                _ => strange.push(entry.key),
            }
        }
        for entry in entries("months.yaml", include_str!("../../../words/months.yaml")) {
            match entry.key.parse() {
                Ok(month) => lists.months.extend(words(&entry.value).map(|word| (word.to_owned(), month))),
                Err(_) => strange.push(entry.key),
            }
        }
        (lists, strange)
    }
}

impl WordClass {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "polarity" => WordClass::Polarity,
            "degree" => WordClass::Degree,
            "not" => WordClass::Not,
            "no" => WordClass::No,
            "not_before" => WordClass::NotBefore,
            "and" => WordClass::And,
            "connector" => WordClass::Connector,
            "common" => WordClass::Common,
            _ => return None,
        })
    }
}

/// The entries of a shipped file.
fn entries(name: &str, text: &str) -> Vec<Entry> {
    let file = SourceFile::new(format!("<embedded>/words/{name}"), text);
    match yaml::parse(&file, &mut Problems::new()).map(|node| node.data) {
        Some(Data::Map(entries)) => entries,
        _ => Vec::new(),
    }
}

/// The words of a list.
fn words(node: &Node) -> impl Iterator<Item = &str> {
    let items: &[Node] = match &node.data {
        Data::List(items) => items,
        _ => &[],
    };
    items.iter().filter_map(Node::as_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::grounding::fold::Word;
    use crate::value::unit_words;

    #[test]
    fn every_shipped_entry_is_read() {
        let (lists, strange) = Lists::read();
        assert_eq!(strange, Vec::<String>::new());
        assert_eq!(listed("no"), Some(WordClass::No));
        assert_eq!(listed("yes"), Some(WordClass::Polarity));
        assert_eq!(month("subat"), Some(2));
        assert!(is_generic_key("value") && is_label_key("name"));
        let numbers = lists.months.values().copied().collect::<HashSet<_>>();
        assert_eq!(numbers, (1..=12).collect());
    }

    #[test]
    fn words_are_folded_else_they_would_never_be_found() {
        let (lists, _) = Lists::read();
        let units: Vec<&str> = unit_words().collect();
        let words = lists.classes.keys().chain(lists.months.keys()).chain(&lists.generic_keys);
        for word in words.chain(&lists.label_keys).map(String::as_str).chain(units) {
            assert_eq!(Word::new(word).map(|folded| folded.as_str().to_owned()).as_deref(), Some(word));
        }
    }
}

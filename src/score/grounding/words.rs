//! The words of languages that evidence depends on, read from the folder `words`.

use super::fold::{Mixer, fold_eq};
use super::number::Unit;
use super::token::word_hash;
use crate::diag::{Problems, SourceFile};
use crate::value::yaml::{self, Data, Entry, Node};
use crate::value::{unit_named, unit_words};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::BuildHasherDefault;
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

/// What the lists say of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Listed {
    /// The list that it is in.
    pub(super) class: Option<WordClass>,
    /// The unit that it names.
    pub(super) unit: Option<Unit>,
    /// The month that it names.
    pub(super) month: Option<u32>,
    /// Whether no sentence ends with it.
    pub(super) leads_on: bool,
}

/// The number of what the lists say of a word with this [`word_hash`], whatever it says before folding.
pub(super) fn listing(hash: u32, text: &str) -> u8 {
    // No longer word folds to a listed one: see `Word`.
    let alike = LISTS.by_hash.get(&hash).filter(|_| text.len() <= 80);
    let same = alike.and_then(|words| words.iter().find(|(word, _)| fold_eq(word, text)));
    same.map_or(0, |(_, listing)| *listing)
}

/// What a [`listing`] says.
pub(super) fn listed_as(listing: u8) -> Listed {
    LISTS.listings.get(usize::from(listing)).copied().unwrap_or_default()
}

/// Whether a key says what kind of value it holds, not what it is about.
pub(super) fn is_generic_key(word: &str) -> bool {
    LISTS.generic_keys.contains(word)
}

/// Whether a key's value names what its siblings are about.
pub(super) fn is_label_key(word: &str) -> bool {
    LISTS.label_keys.contains(word)
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read().0.by_word());

/// Every list. A word in two of them is in the first.
#[derive(Default)]
struct Lists {
    classes: HashMap<String, WordClass>,
    generic_keys: HashSet<String>,
    label_keys: HashSet<String>,
    months: HashMap<String, u32>,
    leading_on: HashSet<String>,
    /// Everything that is said of a word, each once; the first is nothing.
    listings: Vec<Listed>,
    /// The words with what is said of each, by hash.
    by_hash: HashMap<u32, Vec<(String, u8)>, BuildHasherDefault<Mixer>>,
}

impl Lists {
    /// The shipped lists, and the entries that are none of theirs.
    fn read() -> (Self, Vec<String>) {
        let (mut lists, mut strange) = (Lists::default(), Vec::new());
        for entry in entries("evidence.yaml", include_str!("../../../words/evidence.yaml")) {
            match WordClass::named(&entry.key) {
                None if entry.key == "leads_on" => {
                    lists.leading_on.extend(words(&entry.value).map(str::to_owned));
                }
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

impl Lists {
    /// Gathers what is said of each word.
    fn by_word(mut self) -> Self {
        self.listings.push(Listed::default());
        let own = self.classes.keys().chain(self.months.keys()).chain(&self.leading_on).cloned();
        let words: BTreeSet<String> = own.chain(unit_words().map(str::to_owned)).collect();
        for word in words {
            let said = Listed {
                class: self.classes.get(&word).copied(),
                unit: unit_named(&word),
                month: self.months.get(&word).copied(),
                leads_on: self.leading_on.contains(&word),
            };
            let at = self.listings.iter().position(|known| *known == said).unwrap_or_else(|| {
                self.listings.push(said);
                self.listings.len() - 1
            });
            let at = u8::try_from(at).unwrap_or_default();
            self.by_hash.entry(word_hash(&word)).or_default().push((word, at));
        }
        self
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
    let file = SourceFile::shipped(&format!("words/{name}"), text);
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
        let month = |word: &str| listed_as(listing(word_hash(word), word)).month;
        assert!(LISTS.listings.len() <= usize::from(u8::MAX));
        let class = |word: &str| listed_as(listing(word_hash(word), word)).class;
        assert_eq!((class("no"), class("yes")), (Some(WordClass::No), Some(WordClass::Polarity)));
        assert_eq!(month("subat"), Some(2));
        assert!(is_generic_key("value") && is_label_key("name"));
        let numbers = lists.months.values().copied().collect::<HashSet<_>>();
        assert_eq!(numbers, (1..=12).collect());
    }

    #[test]
    fn words_are_folded_else_they_would_never_be_found() {
        let (lists, _) = Lists::read();
        let units: Vec<&str> = unit_words().collect();
        let words = lists
            .classes
            .keys()
            .chain(lists.months.keys())
            .chain(&lists.generic_keys)
            .chain(&lists.leading_on);
        for word in words.chain(&lists.label_keys).map(String::as_str).chain(units) {
            assert_eq!(Word::new(word).map(|folded| folded.as_str().to_owned()).as_deref(), Some(word));
        }
    }
}

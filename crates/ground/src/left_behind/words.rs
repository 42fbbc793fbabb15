//! Words that say that a row is not an item, or a value none: totals, balances that are carried over, `n/a`.

use crate::document::{Document, TextCell};
use crate::fold::words;
use std::collections::HashSet;
use std::sync::LazyLock;

const WORDS: &str = include_str!("../../words/left_behind.txt");
const LABELS: &str = include_str!("../../words/labels.txt");
/// The length of a word up to which it is no more than a number or sign of a group: `A`, `II`.
const SHORT: usize = 3;

/// The words of `words/left_behind.txt`, and those that appear beside them.
#[derive(Debug)]
pub(super) struct LeftWords {
    totals: HashSet<&'static str>,
    carried: Vec<Vec<&'static str>>,
    beside: HashSet<&'static str>,
    empty: Vec<Vec<&'static str>>,
}

impl LeftWords {
    /// Those that ship, read once.
    pub(super) fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<LeftWords> = LazyLock::new(LeftWords::read);
        &SHIPPED
    }

    fn read() -> Self {
        let mut words = LeftWords {
            totals: HashSet::new(),
            carried: Vec::new(),
            beside: HashSet::new(),
            empty: Vec::new(),
        };
        for line in WORDS.lines().filter(|line| !line.starts_with('#')) {
            match line.split_once(": ") {
                Some(("total", rest)) => words.totals.extend(rest.split_whitespace()),
                Some(("carried", rest)) => {
                    words.carried.extend(rest.split(", ").map(|one| one.split_whitespace().collect()));
                }
                Some(("empty", rest)) => {
                    words.empty.extend(rest.split(", ").map(|one| one.split_whitespace().collect()));
                }
                Some(("beside", rest)) => words.beside.extend(rest.split_whitespace()),
                Some(_) | None => {}
            }
        }
        words
            .beside
            .extend(LABELS.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace));
        words
    }

    /// Returns whether a text says that there is no value.
    pub(super) fn is_empty_value(&self, text: &str) -> bool {
        let own = words(text);
        own.is_empty()
            || self.empty.iter().any(|phrase| own.iter().map(String::as_str).eq(phrase.iter().copied()))
    }

    /// Returns whether a cell says that its row sums up others, or carries a sum over; of a row with `few` values a
    /// word that may mean so is enough.
    pub(super) fn is_no_item(&self, document: &Document, cell: &TextCell, few: bool) -> bool {
        let own: Vec<&str> = document
            .words
            .get(cell.words.clone())
            .unwrap_or_default()
            .iter()
            .map(|word| word.folded.as_ref())
            .filter(|word| word.chars().any(char::is_alphabetic))
            .collect();
        let is_total = |word: &str| {
            self.totals.contains(word)
                || self.totals.iter().any(|total| total.chars().count() >= 5 && word.contains(total))
        };
        let is_carried = |phrase: &Vec<&str>| own.windows(phrase.len()).any(|some| some == phrase.as_slice());
        if self.carried.iter().any(is_carried) {
            return true;
        }
        let says_total = own.iter().any(|word| is_total(word));
        let only =
            |word: &&str| is_total(word) || self.beside.contains(*word) || word.chars().count() <= SHORT;
        says_total && (few || own.iter().all(only))
    }
}

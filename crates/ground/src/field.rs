//! Fields, by the words that name them.

use crate::fold::words;
use std::collections::HashMap;
use std::sync::LazyLock;

const LABELS: &str = include_str!("../words/labels.txt");

/// A field, as a label is compared with it.
#[derive(Debug, Clone)]
pub(crate) struct LabelWords {
    /// The words of its key, and of the keys that it lies under, with their weights.
    words: Vec<(String, f32)>,
    total: f32,
}

/// The words of a key: `invoiceNumber`, `invoice_number`, `Invoice-No`.
pub(crate) fn key_words(key: &str) -> Vec<String> {
    words(&spaced(key))
}

/// A key with blanks where another word begins.
pub(crate) fn spaced(key: &str) -> String {
    let mut spaced = String::with_capacity(key.len() + 8);
    let mut before: Option<char> = None;
    let mut rest = key.chars().peekable();
    while let Some(c) = rest.next() {
        let lower_after = rest.peek().is_some_and(|next| next.is_lowercase());
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase() || before.is_ascii_digit() || before.is_uppercase() && lower_after
            });
        if begins {
            spaced.push(' ');
        }
        spaced.push(c);
        before = Some(c);
    }
    spaced
}

/// Things that several words name, by word.
#[derive(Debug)]
pub(crate) struct Synonyms {
    lines: HashMap<String, Vec<usize>>,
}

impl Synonyms {
    /// Those that ship, read once.
    pub(crate) fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Synonyms> = LazyLock::new(Synonyms::read);
        &SHIPPED
    }

    fn read() -> Self {
        let mut lines: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, line) in LABELS.lines().filter(|line| !line.starts_with('#')).enumerate() {
            for word in line.split(' ').flat_map(words) {
                lines.entry(word).or_default().push(number);
            }
        }
        Synonyms { lines }
    }

    /// The likeness of two words that are equal, begin alike or name the same thing; 0 for others.
    pub(crate) fn close(&self, label: &str, name: &str) -> f32 {
        if label == name {
            return 1.0;
        }
        let common = label.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
        let (short, long) = {
            let (a, b) = (label.chars().count(), name.chars().count());
            (a.min(b), a.max(b))
        };
        if common >= 4 && common + 2 >= short && (short * 10 >= long * 5 || common == short) {
            return 0.9;
        }
        let same = self
            .lines
            .get(label)
            .zip(self.lines.get(name))
            .is_some_and(|(a, b)| a.iter().any(|line| b.contains(line)));
        if same { 0.8 } else { 0.0 }
    }

    /// The likeness of a word of a label to one of a field's name, in [0, 1].
    pub(crate) fn likeness(&self, label: &str, name: &str) -> f32 {
        let close = self.close(label, name);
        if close > 0.0 {
            return close;
        }
        // A compound: `rechnungsdatum` holds `datum`.
        let holds = |whole: &str, part: &str| part.chars().count() >= 4 && whole.contains(part);
        if holds(label, name) || holds(name, label) {
            return 0.7;
        }
        let (known, other) = (self.lines.get(name), label);
        let compound = known.is_some_and(|lines| {
            other.chars().count() >= 7
                && self.lines.iter().any(|(word, of)| {
                    word.chars().count() >= 4
                        && other.contains(word.as_str())
                        && of.iter().any(|line| lines.contains(line))
                })
        });
        if compound { 0.65 } else { 0.0 }
    }
}

impl LabelWords {
    /// The name of the field at a path without numbers (`/items/*/unitPrice`); `shared` counts in how many fields a
    /// word appears.
    pub(crate) fn new(path: &str, shared: &HashMap<String, usize>) -> Self {
        let keys: Vec<&str> = path.split('/').filter(|key| !key.is_empty() && *key != "*").collect();
        let mut own: Vec<(String, f32)> = Vec::new();
        for (back, key) in keys.iter().rev().enumerate().take(2) {
            for word in key_words(key) {
                let rarity = 1.0 / shared.get(&word).copied().map_or(1.0, count).sqrt();
                let weight = if back == 0 { rarity } else { rarity * 0.5 };
                if !own.iter().any(|(known, _)| *known == word) {
                    own.push((word, weight));
                }
            }
        }
        let total = own.iter().map(|(_, weight)| weight).sum();
        LabelWords { words: own, total }
    }

    /// Another name of a field, as it is written.
    pub(crate) fn of_words(name: &str) -> Self {
        let words: Vec<(String, f32)> = key_words(name).into_iter().map(|word| (word, 1.0)).collect();
        let total = count(words.len());
        LabelWords { words, total }
    }

    /// The likeness of a label to the field's name, in [0, 1].
    pub(crate) fn likeness(&self, label: &[&str], synonyms: &Synonyms) -> f32 {
        if label.is_empty() || self.total <= 0.0 {
            return 0.0;
        }
        let mut used = vec![false; label.len()];
        let mut matched = 0.0;
        for (word, weight) in &self.words {
            let best = label.iter().enumerate().map(|(at, one)| (at, synonyms.likeness(one, word)));
            let best = best.max_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((at, likeness)) = best.filter(|(_, likeness)| *likeness > 0.0) {
                matched += weight * likeness;
                if let Some(used) = used.get_mut(at) {
                    *used = true;
                }
            }
        }
        let share = used.iter().filter(|used| **used).count();
        let precision = count(share) / count(label.len());
        matched / self.total * (0.6 + 0.4 * precision)
    }
}

pub(crate) fn count(value: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    let count = value as f32;
    count
}

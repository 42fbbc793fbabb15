//! The passages of a stage's context files that matter for a document, found by their words.
//!
//! Ranking is Okapi BM25 (Robertson and Zaragoza, 2009) with the usual k1 = 1.2 and b = 0.75. Each distinct word of the
//! query counts once.

use super::Passage;
use std::collections::{BTreeSet, HashMap};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Most distinct words of a query that are used: a long document says what it is about early on.
const MOST_QUERY_WORDS: usize = 2_000;

/// Paragraphs of context files with an index of their words.
#[derive(Debug, Clone, Default)]
pub struct Passages {
    passages: Vec<Passage>,
    /// Number of words of each passage.
    lengths: Vec<usize>,
    /// For each word the passages that have it, and how often.
    postings: HashMap<String, Vec<(usize, usize)>>,
}

impl Passages {
    /// Adds a file; a passage is a run of lines between empty ones. A heading (a line that begins with `#`) belongs to
    /// each passage below it.
    pub fn add(&mut self, file: &str, text: &str) {
        let mut heading = "";
        let mut lines: Vec<&str> = Vec::new();
        for line in text.lines().chain([""]) {
            let line = line.trim_end();
            if line.starts_with('#') || line.is_empty() {
                self.push(file, heading, &lines);
                lines.clear();
            }
            if line.starts_with('#') {
                heading = line.trim_start_matches('#').trim();
            } else if !line.is_empty() {
                lines.push(line);
            }
        }
    }

    fn push(&mut self, file: &str, heading: &str, lines: &[&str]) {
        if lines.is_empty() {
            return;
        }
        let body = lines.join("\n");
        let text = if heading.is_empty() { body } else { format!("{heading}\n{body}") };
        let at = self.passages.len();
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut length = 0;
        for word in words(&text) {
            *counts.entry(word).or_default() += 1;
            length += 1;
        }
        for (word, count) in counts {
            self.postings.entry(word).or_default().push((at, count));
        }
        self.lengths.push(length);
        self.passages.push(Passage { file: file.to_owned(), text });
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// At most `count` passages of at most `max_bytes` together, the most relevant to `query` first. Passages that share
    /// no word with it are left out; of equally relevant ones the earlier comes first.
    #[must_use]
    pub fn relevant(&self, query: &str, count: usize, max_bytes: usize) -> Vec<Passage> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut asked = BTreeSet::new();
        for word in words(query) {
            if asked.len() >= MOST_QUERY_WORDS {
                break;
            }
            asked.insert(word);
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of words and passages")]
        let number = |n: usize| n as f64;
        let all = number(self.passages.len());
        let mean = number(self.lengths.iter().sum()) / all.max(1.0);
        let mut scores = vec![0.0; self.passages.len()];
        for word in &asked {
            let Some(found) = self.postings.get(word) else { continue };
            let having = number(found.len());
            let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            for (at, times) in found {
                let (times, length) = (number(*times), number(self.lengths.get(*at).copied().unwrap_or(0)));
                if let Some(score) = scores.get_mut(*at) {
                    *score += rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / mean));
                }
            }
        }
        let mut order: Vec<(usize, f64)> = scores.into_iter().enumerate().filter(|(_, s)| *s > 0.0).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut left = max_bytes;
        let mut chosen = Vec::new();
        for (at, _) in order {
            let Some(passage) = self.passages.get(at) else { continue };
            if chosen.len() == count {
                break;
            }
            // One that is too long does not keep shorter ones out.
            if let Some(rest) = left.checked_sub(passage.text.len()) {
                left = rest;
                chosen.push(passage.clone());
            }
        }
        chosen
    }
}

/// Words of three letters or more, and numbers, in small letters.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2 || word.chars().any(|c| c.is_ascii_digit()))
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages() -> Passages {
        let mut passages = Passages::default();
        passages.add("lung.md", "# Nodules\n\nA solid nodule under 6 mm needs no follow-up.\n\nA solid nodule of 8 mm\nneeds CT at 3 months.\n");
        passages.add("liver.md", "Simple cysts of the liver are benign.\n\n\nThe and of for.");
        passages
    }

    #[test]
    fn what_shares_rare_words_comes_first() {
        let found = passages().relevant("Solid nodule, 8 mm, right upper lobe; CT chest.", 2, 1_000);
        assert_eq!(found[0].text, "Nodules\nA solid nodule of 8 mm\nneeds CT at 3 months.");
        assert_eq!((found.len(), found[1].file.as_str()), (2, "lung.md"));
        assert_eq!(passages().relevant("hepatic LIVER", 5, 1_000).len(), 1);
        assert!(passages().relevant("kidney", 5, 1_000).is_empty());
    }

    #[test]
    fn limits_hold() {
        let query = "solid nodule 8 mm liver";
        assert_eq!(passages().relevant(query, 1, 1_000).len(), 1);
        let short = passages().relevant(query, 5, 60);
        assert!(!short.is_empty() && short.iter().map(|p| p.text.len()).sum::<usize>() <= 60);
        assert!(Passages::default().relevant(query, 5, 1_000).is_empty());
    }
}

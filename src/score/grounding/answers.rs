//! What was found for a value, kept for the next candidate: corrections leave most leaves as they were.

use super::Verdict;
use super::fold::Mixer;
use super::keys::PlaceId;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

/// Longer values are looked for each time.
const LONGEST: usize = 1 << 10;
/// Values kept at most.
const MOST: usize = 1 << 15;

/// Answers for one source, one way to look, and the names of one candidate.
#[derive(Debug, Default)]
pub(super) struct Answers {
    values: HashMap<Box<str>, u32, RandomState>,
    found: HashMap<Question, Option<Verdict>, BuildHasherDefault<Mixer>>,
}

/// A value and the place that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    place: PlaceId,
    value: u32,
    /// Whether it is a truth value, which is read otherwise than the text `true`, and one of several.
    kind: (bool, bool),
    /// The quotes that are offered for it.
    quotes: u64,
}

fn digest(quotes: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    quotes.hash(&mut hasher);
    hasher.finish()
}

impl Answers {
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.found.clear();
    }

    /// The question whether `value` is found. None when its answer is not kept.
    pub(super) fn question(
        &mut self,
        place: PlaceId,
        kind: (bool, bool),
        value: &str,
        quotes: &[String],
    ) -> Option<Question> {
        if value.len() > LONGEST {
            return None;
        }
        let value = match self.values.get(value) {
            Some(known) => *known,
            None => {
                if self.values.len().max(self.found.len()) >= MOST {
                    self.clear();
                }
                let id = u32::try_from(self.values.len()).ok()?;
                self.values.insert(value.into(), id);
                id
            }
        };
        let quotes = if quotes.is_empty() { 0 } else { digest(quotes) };
        Some(Question { place, value, kind, quotes })
    }

    pub(super) fn get(&self, question: &Question) -> Option<&Option<Verdict>> {
        self.found.get(question)
    }

    pub(super) fn keep(&mut self, question: Question, found: Option<Verdict>) {
        if self.found.len() < MOST {
            self.found.insert(question, found);
        }
    }
}

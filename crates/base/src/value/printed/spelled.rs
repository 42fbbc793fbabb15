//! Numbers in words, and words about numbers, read from `words/numbers.yaml`.

use super::numbers::{Bound, Number};
use crate::diag::{Problems, SourceFile};
use crate::value::yaml::{self, Data, Node};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The part that a word adds to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Less than a hundred, and whether a number below ten may follow: `twenty-one`.
    Small(u64, bool),
    /// A hundred, a thousand: multiplies what came before.
    Power(u64),
    /// A number by itself: `none`, `both`.
    Alone(u64),
}

#[derive(Debug, Default)]
struct Words {
    parts: HashMap<String, Part>,
    less: Vec<String>,
    greater: Vec<String>,
    ordinal: Vec<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| Words::read().0);

impl Words {
    /// The shipped words, and the keys that mean nothing.
    fn read() -> (Self, Vec<String>) {
        let (mut words, mut strange) = (Words::default(), Vec::new());
        let file =
            SourceFile::shipped("words/numbers.yaml", include_str!("../../../../../words/numbers.yaml"));
        let entries = match yaml::parse(&file, &mut Problems::new()).map(|node| node.data) {
            Some(Data::Map(entries)) => entries,
            _ => Vec::new(),
        };
        for entry in entries {
            let Data::List(items) = &entry.value.data else { continue };
            let texts: Vec<String> = items.iter().filter_map(Node::as_text).map(str::to_owned).collect();
            let part: fn(u64) -> Part = match entry.key.as_str() {
                "ones" => |n| Part::Small(n, false),
                "teens" => |n| Part::Small(n + 10, false),
                "tens" => |n| Part::Small(n * 10 + 20, true),
                "powers" => |n| {
                    Part::Power(if n == 0 {
                        100
                    } else {
                        1_000_u64.saturating_pow(u32::try_from(n).unwrap_or(9))
                    })
                },
                "nothing" => |_| Part::Alone(0),
                "pair" => |_| Part::Alone(2),
                "less" => {
                    words.less = texts;
                    continue;
                }
                "greater" => {
                    words.greater = texts;
                    continue;
                }
                "ordinal" => {
                    words.ordinal = texts;
                    continue;
                }
                _ => {
                    strange.push(entry.key);
                    continue;
                }
            };
            words.parts.extend((0..).zip(texts).map(|(n, text)| (text, part(n))));
        }
        (words, strange)
    }
}

/// Returns whether these letters after a number make it a rank: `1st`.
pub(super) fn is_ordinal_ending(letters: &str) -> bool {
    WORDS.ordinal.iter().any(|ending| ending == letters)
}

/// The bound that the words before a number express: `less than`.
pub(super) fn said_bound(before: &str) -> Bound {
    let before = before.to_lowercase();
    let ends = |phrases: &[String]| {
        phrases.iter().any(|phrase| {
            before.strip_suffix(phrase.as_str()).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
        })
    };
    if ends(&WORDS.less) {
        Bound::Below
    } else if ends(&WORDS.greater) {
        Bound::Above
    } else {
        Bound::Exact
    }
}

/// The number that a row of words is being read as.
#[derive(Debug, Default)]
struct Reading {
    /// Thousands that are complete.
    done: u64,
    current: u64,
    /// True if anything was read.
    is_open: bool,
    /// True if a number below ten, or one below a hundred, may follow.
    takes_one: bool,
    takes_small: bool,
}

impl Reading {
    /// Ends the number, if there is one.
    fn close(&mut self, found: &mut Vec<u64>) {
        let done = std::mem::take(self);
        found.extend(done.is_open.then(|| done.done.saturating_add(done.current)));
    }

    /// Takes a word in; `false` if it begins another number.
    fn take(&mut self, part: Part) -> bool {
        match part {
            Part::Small(n, is_ten) => {
                let fits = !self.is_open || self.takes_small || (self.takes_one && (1..10).contains(&n));
                if fits {
                    self.current = self.current.saturating_add(n);
                    (self.takes_one, self.takes_small) = (is_ten, false);
                }
                self.is_open |= fits;
                fits
            }
            Part::Power(100) => {
                let fits = self.current < 100;
                if fits {
                    self.current = self.current.max(1) * 100;
                    (self.is_open, self.takes_one, self.takes_small) = (true, false, true);
                }
                fits
            }
            Part::Power(power) => {
                let fits = self.done == 0 || self.done > power;
                if fits {
                    self.done = self.done.saturating_add(self.current.max(1).saturating_mul(power));
                    (self.current, self.is_open, self.takes_one, self.takes_small) = (0, true, false, true);
                }
                fits
            }
            Part::Alone(_) => false,
        }
    }
}

/// The numbers that a text spells out.
pub(super) fn spelled(text: &str) -> Vec<Number> {
    let mut found = Vec::new();
    let mut reading = Reading::default();
    let mut gap_from = 0;
    for (from, word) in words(text) {
        // Within a number there are blanks and hyphens, nothing else.
        let gap = text.get(gap_from..from).unwrap_or_default();
        if !gap.chars().all(|c| c.is_whitespace() || matches!(c, '-' | '‐' | '‑' | '\u{ad}')) {
            reading.close(&mut found);
        }
        gap_from = from + word.len();
        let word = word.to_lowercase();
        match WORDS.parts.get(&word) {
            Some(Part::Alone(n)) => {
                reading.close(&mut found);
                found.push(*n);
            }
            Some(part) => {
                if !reading.take(*part) {
                    reading.close(&mut found);
                    reading.take(*part);
                }
            }
            None if word == "and" && reading.takes_small => {}
            None => reading.close(&mut found),
        }
    }
    reading.close(&mut found);
    found.into_iter().map(|value| Number::new(&value.to_string(), "", 0)).collect()
}

/// The words of a text with the positions at which they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(char::is_alphanumeric)?;
        let from = rest.get(start..)?;
        let end = from.find(|c: char| !c.is_alphanumeric()).unwrap_or(from.len());
        let word = from.get(..end)?;
        let at = text.len() - from.len();
        rest = from.get(end..)?;
        Some((at, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_word_is_read() {
        let (words, strange) = Words::read();
        assert_eq!(strange, Vec::<String>::new());
        assert_eq!(words.parts.get("million"), Some(&Part::Power(1_000_000)));
        assert!(words.parts.len() > 30 && !words.less.is_empty() && !words.ordinal.is_empty());
    }

    #[test]
    fn numbers_in_words_are_read() {
        for (text, numbers) in [
            ("One hundred and twenty patients", vec!["120"]),
            ("Twenty-one of thirty four", vec!["21", "34"]),
            ("two thousand three hundred and five; six", vec!["2305", "6"]),
            ("a hundred, a thousand", vec!["100", "1000"]),
            ("no deaths in both arms", vec!["0", "2"]),
            ("one and two", vec!["1", "2"]),
            ("twelve hundred", vec!["1200"]),
            ("someone, tenth, often", vec![]),
        ] {
            let expected: Vec<Number> = numbers.iter().map(|digits| Number::new(digits, "", 0)).collect();
            assert_eq!(spelled(text), expected, "{text}");
        }
    }
}

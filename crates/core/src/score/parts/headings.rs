//! Possible headings of parts, and the lists that they make.

use crate::rules::{HEADING, LABEL};
use crate::value::TextPattern;
use regex_automata::Input;
use std::ops::Range;

/// Most labels of one heading (`A-C`): a wider range is not a range of parts.
const MOST_LABELS: u32 = 40;
/// Longest label of words, in bytes.
const LONGEST: usize = 60;
/// Most kinds of words that are told apart.
const MOST_WORDS: usize = 1_000;

/// The kind of a label. Letters are surer than numbers, which open sentences as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelKind {
    Letter,
    Number,
    Word,
}

impl LabelKind {
    pub(super) const ALL: [LabelKind; 3] = [LabelKind::Letter, LabelKind::Number, LabelKind::Word];
}

/// A possible heading.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The byte at which the part begins.
    pub(super) start: usize,
    pub(super) label: Range<usize>,
    pub(super) kind: LabelKind,
    /// Its labels, sorted: letters and numbers from 1 on, words by their index in [`Scan::words`].
    pub(super) labels: Vec<u32>,
    /// True if it continues a part that an earlier heading opened, and opens none.
    pub(super) again: bool,
}

impl Hit {
    pub(super) fn first(&self) -> u32 {
        self.labels.first().copied().unwrap_or_default()
    }

    pub(super) fn last(&self) -> u32 {
        self.labels.last().copied().unwrap_or_default()
    }
}

/// Looks for headings in one text.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    pub(super) text: &'t str,
    /// The stretches that are not headings, in order.
    pub(super) except: Vec<Range<usize>>,
    /// Labels of words.
    pub(super) words: Vec<String>,
    /// Matches that were inspected.
    pub(super) steps: u64,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str, except: &[TextPattern]) -> Self {
        let mut ranges: Vec<Range<usize>> = except
            .iter()
            .filter_map(|one| one.automaton(text))
            .flat_map(|one| one.find_iter(text).map(|found| found.range()))
            .collect();
        ranges.sort_by_key(|range| range.start);
        // If two overlap, one that holds both has the same effect.
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Scan { text, steps: merged.len() as u64, except: merged, words: Vec::new() }
    }

    /// Every match of some patterns. The next one may begin right after a label: `A. B. Skin`.
    pub(super) fn hits(&mut self, patterns: &[TextPattern], again: bool, into: &mut Vec<Hit>) {
        for pattern in patterns.iter().filter_map(|pattern| pattern.automaton(self.text)) {
            let mut at = 0;
            let mut found = pattern.create_captures();
            while at <= self.text.len() {
                pattern.captures(Input::new(self.text).range(at..), &mut found);
                let Some(whole) = found.get_group(0).map(|whole| whole.range()) else { break };
                self.steps += 1;
                let label = found.get_group_by_name(LABEL).map_or(whole.clone(), |label| label.range());
                let start = found.get_group_by_name(HEADING).map_or(label.start, |heading| heading.start);
                let next = if label.end > at { label.end } else { whole.end.max(at + 1) };
                at = (next..=self.text.len())
                    .find(|at| self.text.is_char_boundary(*at))
                    .unwrap_or(self.text.len() + 1);
                if self.is_excepted(&label) {
                    continue;
                }
                let words = self.text.get(label.clone()).unwrap_or_default();
                if let Some((kind, labels)) = self.read(words) {
                    into.push(Hit { start: start.min(label.start), label, kind, labels, again });
                }
            }
        }
    }

    pub(super) fn is_excepted(&self, label: &Range<usize>) -> bool {
        let from = self.except.partition_point(|range| range.end <= label.start);
        self.except.get(from).is_some_and(|range| range.start < label.end)
    }

    /// The labels that a text names: `A`, `2`, `A, B and D`, `A-C`, or words.
    fn read(&mut self, text: &str) -> Option<(LabelKind, Vec<u32>)> {
        self.counted(text).or_else(|| {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            if words.is_empty() || words.len() > LONGEST {
                return None;
            }
            let known = self.words.iter().position(|known| *known == words);
            let number = known.or_else(|| {
                (self.words.len() < MOST_WORDS).then(|| {
                    self.words.push(words);
                    self.words.len() - 1
                })
            })?;
            Some((LabelKind::Word, vec![u32::try_from(number).ok()?]))
        })
    }

    fn counted(&self, text: &str) -> Option<(LabelKind, Vec<u32>)> {
        let mut found: Vec<u32> = Vec::new();
        let mut of: Option<LabelKind> = None;
        let mut is_range = false;
        for piece in pieces(text) {
            if matches!(piece, "-" | "\u{2013}") || piece.eq_ignore_ascii_case("to") {
                is_range = true;
                continue;
            }
            if piece.eq_ignore_ascii_case("and") {
                continue;
            }
            let (kind, number) = counted_label(piece)?;
            if *of.get_or_insert(kind) != kind {
                return None;
            }
            match found.last() {
                Some(before) if is_range && number > *before && number - before <= MOST_LABELS => {
                    found.extend(before + 1..=number);
                }
                _ => found.push(number),
            }
            is_range = false;
        }
        found.sort_unstable();
        found.dedup();
        (!found.is_empty() && found.len() <= MOST_LABELS as usize).then_some((of?, found))
    }

    /// The name of a label.
    pub(super) fn name(&self, kind: LabelKind, label: u32) -> String {
        match kind {
            LabelKind::Number => label.to_string(),
            LabelKind::Word => self.words.get(label as usize).cloned().unwrap_or_default(),
            LabelKind::Letter => letters(label),
        }
    }
}

/// Words, numbers and dashes.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let is_dash = |c: char| matches!(c, '-' | '\u{2013}');
    text.split(move |c: char| !(c.is_alphanumeric() || is_dash(c)))
        .flat_map(move |piece| piece.split_inclusive(is_dash))
        .flat_map(move |piece| {
            let end =
                piece.len() - piece.chars().next_back().filter(|c| is_dash(*c)).map_or(0, char::len_utf8);
            let (word, dash) = piece.split_at(end);
            [word, dash]
        })
        .filter(|piece| !piece.is_empty())
}

/// A letter (A to Z, AA, AB, …) or a number as a count from 1.
pub(super) fn counted_label(piece: &str) -> Option<(LabelKind, u32)> {
    if piece.len() <= 3 && piece.bytes().all(|b| b.is_ascii_digit()) {
        let number: u32 = piece.parse().ok()?;
        return (number > 0).then_some((LabelKind::Number, number));
    }
    let is_letters = (1..=2).contains(&piece.len()) && piece.bytes().all(|b| b.is_ascii_alphabetic());
    let value = |b: u8| u32::from(b.to_ascii_uppercase() - b'A') + 1;
    is_letters.then(|| (LabelKind::Letter, piece.bytes().fold(0, |number, b| number * 26 + value(b))))
}

fn letters(label: u32) -> String {
    let letter = |number: u32| char::from(b'A' + u8::try_from(number % 26).unwrap_or_default());
    match label.saturating_sub(1) {
        one if one < 26 => letter(one).to_string(),
        two => [letter(two / 26 - 1), letter(two)].iter().collect(),
    }
}

/// In order, and one of several at one position: a sure heading before a continuation.
pub(super) fn in_order(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.label.start, hit.again, hit.start));
    let mut end = 0;
    hits.retain(|hit| {
        let free = hit.label.start >= end;
        if free {
            end = hit.label.end;
        }
        free
    });
    hits
}

/// The list that each hit belongs to. A list begins with the first label and continues with the same label, the next,
/// or the one after that, which a scanner may have lost; a hit that fits nowhere is in no list.
pub(super) fn lists(hits: &[Hit]) -> Vec<Option<usize>> {
    let mut last: Option<u32> = None;
    let mut list = 0;
    let mut of = |hit: &Hit| {
        let begins = hit.first() == 1 && !(last == Some(1) && hit.last() == 1);
        if begins {
            list += usize::from(last.is_some());
        } else if !last.is_some_and(|last| (last..=last + 2).contains(&hit.first())) {
            return None;
        }
        last = Some(hit.last());
        Some(list)
    };
    hits.iter().map(&mut of).collect()
}

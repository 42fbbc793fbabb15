//! The headings that open parts, and the extent of each part.

use super::headings::{Hit, LabelKind, Scan, counted_label, in_order, lists};
use super::sections::numbered;
use crate::rules::Each;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

/// The greatest length of all parts together, in lengths of the text: a stretch under several labels counts for each.
const MOST_TEXT: usize = 4;
/// The number of parts from which a text under one heading for all of them is common to them.
const SUMMED_UP: usize = 4;
/// Most labels named among those that a list passes over.
const MOST_SKIPPED: usize = 5;

/// One part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPart {
    /// Its letter, number or words, as headings have it.
    pub label: String,
    /// Its stretches, in bytes, in order; the first begins with its heading.
    pub stretches: Vec<Range<usize>>,
}

/// The parts of a document, in the order of their labels, and the rest. Stretches never overlap; one under several labels
/// (`A, B`) belongs to each of these parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    parts: Vec<DocumentPart>,
    common: Vec<Range<usize>>,
    /// Every stretch, with the parts that it belongs to.
    stretches: Vec<(Range<usize>, Vec<usize>)>,
    /// Labels that the list passes over.
    skipped: Vec<String>,
    steps: u64,
}

impl Parts {
    /// The parts of a text; none where it has fewer than two, unless they are below headings of their own (`within`).
    pub fn find(text: &str, each: &Each) -> Self {
        let mut scan = Scan::new(text, &each.except);
        if !each.within.is_empty() {
            let (kind, opened) = numbered(text, each, &mut scan);
            let labels = opened.iter().flat_map(|(_, labels)| labels).copied().collect();
            let mut parts = Parts { steps: scan.steps, ..Parts::default() };
            parts.fill(text.len(), &labels, opened, |label| scan.name(kind, label));
            return parts;
        }
        let mut hits = Vec::new();
        scan.hits(&each.headings, false, &mut hits);
        scan.hits(&each.again, true, &mut hits);
        // If there are several kinds, the one that comes first: numbers within lettered parts are statements, and the
        // other way round.
        let found = LabelKind::ALL.into_iter().filter_map(|kind| {
            let of_kind: Vec<Hit> = hits.iter().filter(|hit| hit.kind == kind).cloned().collect();
            let (first, labels) = established(&of_kind, kind);
            (labels.len() > 1).then(|| (first, kind, in_order(known(of_kind, &labels)), labels))
        });
        let found =
            found.min_by_key(|(first, ..)| *first).map(|(_, kind, hits, labels)| (kind, hits, labels));
        let Some((kind, hits, labels)) = found else {
            return Parts { steps: scan.steps, ..Parts::default() };
        };
        let hits = match kind {
            // Words are not a list, and each heading opens its part.
            LabelKind::Word => hits.into_iter().filter(|hit| !hit.again).map(|hit| (hit, Some(0))).collect(),
            LabelKind::Letter | LabelKind::Number => merged(text, accepted(hits, labels.len())),
        };
        let ends = ends(text, each, &mut scan.steps);
        let opened = stretches(text, kind, &hits, &ends, &mut scan.steps);
        let skipped = skipped(kind, &labels).map(|label| scan.name(kind, label)).collect();
        let mut parts = Parts { steps: scan.steps, skipped, ..Parts::default() };
        parts.fill(text.len(), &labels, opened, |label| scan.name(kind, label));
        parts
    }

    fn fill(
        &mut self,
        len: usize,
        labels: &BTreeSet<u32>,
        opened: Vec<(Range<usize>, Vec<u32>)>,
        name: impl Fn(u32) -> String,
    ) {
        let mut of_label: BTreeMap<u32, Vec<Range<usize>>> = BTreeMap::new();
        let mut room = len.saturating_mul(MOST_TEXT);
        let numbers: BTreeMap<u32, usize> = labels.iter().copied().zip(0..).collect();
        let mut end = 0;
        for (stretch, its) in opened.into_iter().filter(|(stretch, _)| !stretch.is_empty()) {
            // A summary of all of many parts states nothing about any of them: `A-E. Tumor type: ...`.
            if its.len() == labels.len() && its.len() >= SUMMED_UP {
                continue;
            }
            let size = stretch.len().saturating_mul(its.len());
            if size > room {
                continue;
            }
            room -= size;
            if end < stretch.start {
                self.common.push(end..stretch.start);
            }
            end = stretch.end;
            self.stretches.push((
                stretch.clone(),
                its.iter().filter_map(|label| numbers.get(label).copied()).collect(),
            ));
            for label in its {
                of_label.entry(label).or_default().push(stretch.clone());
            }
        }
        if end < len {
            self.common.push(end..len);
        }
        let part = |label: &u32| DocumentPart {
            label: name(*label),
            stretches: of_label.get(label).cloned().unwrap_or_default(),
        };
        self.parts = labels.iter().map(part).collect();
    }

    /// The parts.
    pub fn iter(&self) -> impl Iterator<Item = &DocumentPart> {
        self.parts.iter()
    }

    /// Labels between its first and its last one that no heading has, and not all where there are very many: a scan may have lost
    /// the heading, and the text below it then counts as the part before.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns true if the document has no parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The part at this position, `None` past the last.
    pub fn get(&self, part: usize) -> Option<&DocumentPart> {
        self.parts.get(part)
    }

    /// The stretches that belong to no part, in order.
    pub fn common(&self) -> &[Range<usize>] {
        &self.common
    }

    /// The parts that the text at a byte belongs to; none where it is common to all.
    pub fn at(&self, byte: usize) -> &[usize] {
        let upto = self.stretches.partition_point(|(stretch, _)| stretch.start <= byte);
        let stretch = upto.checked_sub(1).and_then(|last| self.stretches.get(last));
        stretch.filter(|(stretch, _)| byte < stretch.end).map_or(&[], |(_, parts)| parts)
    }

    /// The part that a label names: `B`, `b.`, `Specimen B`, `B: gallbladder`.
    pub fn named(&self, label: &str) -> Option<usize> {
        let words: Vec<String> = label
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let whole = words.join(" ");
        let is = |part: &DocumentPart, text: &str| part.label.eq_ignore_ascii_case(text);
        if let Some(found) = self.parts.iter().position(|part| is(part, &whole)) {
            return Some(found);
        }
        let counted = words.iter().find(|word| counted_label(word).is_some() && !is_small_word(word))?;
        self.parts.iter().position(|part| is(part, counted.trim_start_matches('0')))
    }

    /// Matches and positions that were inspected: the work that grows with the text.
    #[cfg(test)]
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

/// Letters that lists leave out because they look like figures: I and O.
const LEFT_OUT: [u32; 2] = [9, 15];

fn skipped(kind: LabelKind, labels: &BTreeSet<u32>) -> impl Iterator<Item = u32> {
    let between = labels.iter().zip(labels.iter().skip(1)).flat_map(|(one, next)| one + 1..*next);
    let counts = move |label: &u32| match kind {
        LabelKind::Letter => !LEFT_OUT.contains(label),
        LabelKind::Number => true,
        LabelKind::Word => false,
    };
    between.filter(counts).take(MOST_SKIPPED)
}

/// Returns true for two letters, which are a word rather than a label.
fn is_small_word(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|b| b.is_ascii_alphabetic())
}

/// The labels of lists that a sure heading begins with the first label, and that have the second one, too; of words,
/// all. And the position of the first of them. A list of sure headings also counts without the labels between them,
/// such as the numbers of blocks.
fn established(hits: &[Hit], kind: LabelKind) -> (usize, BTreeSet<u32>) {
    let hits = in_order(hits.to_vec());
    if kind == LabelKind::Word {
        let sure = || hits.iter().filter(|hit| !hit.again);
        let first = sure().next().map_or(usize::MAX, |hit| hit.start);
        return (first, sure().flat_map(|hit| hit.labels.iter().copied()).collect());
    }
    let sure: Vec<Hit> = hits.iter().filter(|hit| !hit.again).cloned().collect();
    let mut first = usize::MAX;
    let mut all = BTreeSet::new();
    for hits in [&hits, &sure] {
        let mut of_lists: BTreeMap<usize, (&Hit, BTreeSet<u32>)> = BTreeMap::new();
        for (hit, list) in hits.iter().zip(lists(hits)) {
            let Some(list) = list else { continue };
            let (_, labels) = of_lists.entry(list).or_insert_with(|| (hit, BTreeSet::new()));
            labels.extend(&hit.labels);
        }
        let counts = |(first, labels): &(&Hit, BTreeSet<u32>)| {
            !first.again && labels.contains(&1) && labels.contains(&2)
        };
        for (hit, labels) in of_lists.into_values().filter(counts) {
            first = first.min(hit.start);
            all.extend(labels);
        }
    }
    (first, all)
}

/// The headings with labels that are known.
fn known(hits: Vec<Hit>, labels: &BTreeSet<u32>) -> Vec<Hit> {
    let keep = |mut hit: Hit| {
        hit.labels.retain(|label| labels.contains(label));
        (!hit.labels.is_empty()).then_some(hit)
    };
    hits.into_iter().filter_map(keep).collect()
}

/// The headings that open parts, each with its list. A continuation counts where it continues a list that a heading
/// began, or has most of the labels and is not within one part.
fn accepted(hits: Vec<Hit>, labels: usize) -> Vec<(Hit, Option<usize>)> {
    let sure: Vec<Hit> = hits.iter().filter(|hit| !hit.again).cloned().collect();
    let sure_lists = lists(&sure);
    // After each sure heading, the position of the next one of the same list.
    let mut goes_on: BTreeMap<usize, usize> = BTreeMap::new();
    for ((hit, list), (next, of_next)) in
        sure.iter().zip(&sure_lists).zip(sure.iter().zip(&sure_lists).skip(1))
    {
        if list.is_some() && list == of_next {
            goes_on.insert(hit.label.start, next.label.start);
        }
    }
    let is_within_one = |piece: &[Hit]| {
        let (Some(first), Some(last)) = (piece.first(), piece.last()) else { return false };
        goes_on.range(..=first.label.start).next_back().is_some_and(|(_, next)| *next > last.label.start)
    };
    let all_lists = lists(&hits);
    let mut kept = Vec::with_capacity(hits.len());
    let mut from = 0;
    while let Some(hit) = hits.get(from) {
        if !hit.again {
            kept.push(hit.clone());
            from += 1;
            continue;
        }
        let list = all_lists.get(from).copied().flatten();
        let upto = (from..hits.len())
            .find(|at| {
                hits.get(*at).is_none_or(|hit| !hit.again) || all_lists.get(*at).copied().flatten() != list
            })
            .unwrap_or(hits.len());
        let piece = hits.get(from..upto).unwrap_or_default();
        let goes_on_with_sure = list.is_some()
            && from.checked_sub(1).is_some_and(|before| all_lists.get(before).copied().flatten() == list);
        let has: HashSet<u32> = piece.iter().flat_map(|hit| hit.labels.iter().copied()).collect();
        let is_most = list.is_some() && has.len() * 4 >= labels * 3 && !is_within_one(piece);
        if goes_on_with_sure || is_most {
            kept.extend_from_slice(piece);
        }
        from = upto.max(from + 1);
    }
    let of = lists(&kept);
    kept.into_iter().zip(of).collect()
}

/// A heading without a word before the next is one with it: `A. C. Brain`. One outside of all lists counts after the
/// first list, unless it is between two headings of one.
fn merged(text: &str, hits: Vec<(Hit, Option<usize>)>) -> Vec<(Hit, Option<usize>)> {
    let mut merged: Vec<(Hit, Option<usize>)> = Vec::with_capacity(hits.len());
    for (hit, list) in hits {
        if let Some((before, of)) = merged.last_mut() {
            let between = text.get(before.label.end..hit.start).unwrap_or_default();
            if !between.contains(char::is_alphanumeric) {
                before.labels.extend(&hit.labels);
                before.labels.sort_unstable();
                before.labels.dedup();
                before.label.end = hit.label.end;
                *of = of.or(list);
                continue;
            }
        }
        merged.push((hit, list));
    }
    // The list that comes next, from the end.
    let mut next = None;
    let mut upcoming: Vec<Option<usize>> = Vec::with_capacity(merged.len());
    for (_, list) in merged.iter().rev() {
        upcoming.push(next);
        next = list.or(next);
    }
    let mut before = None;
    let mut upcoming = upcoming.into_iter().rev();
    merged.retain(|(_, list)| {
        let next = upcoming.next().flatten();
        if list.is_some() {
            before = *list;
            return true;
        }
        before.is_some() && before != next
    });
    merged
}

/// The positions at which no part continues, each with its title, in order.
pub(super) fn ends(text: &str, each: &Each, steps: &mut u64) -> Vec<(usize, String)> {
    let mut ends: Vec<(usize, String)> = Vec::new();
    for pattern in each.ends.iter().filter_map(|pattern| pattern.automaton(text)) {
        for found in pattern.captures_iter(text) {
            *steps += 1;
            let Some(title) = found.get_group_by_name("title").or_else(|| found.get_group(0)) else {
                continue;
            };
            let words = text.get(title.range()).unwrap_or_default();
            let words = words.trim_start_matches(|c: char| !c.is_alphanumeric());
            if words.starts_with(char::is_lowercase) {
                continue;
            }
            let letters = words.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase);
            ends.push((title.end - words.len(), letters.collect()));
        }
    }
    ends.sort();
    ends
}

/// The extent of each heading's part: up to the next heading or, for the last one of a list, up to the first end of
/// a kind that the parts before it did not have within them, if that comes sooner.
fn stretches(
    text: &str,
    kind: LabelKind,
    hits: &[(Hit, Option<usize>)],
    ends: &[(usize, String)],
    steps: &mut u64,
) -> Vec<(Range<usize>, Vec<u32>)> {
    let mut within: HashSet<&str> = HashSet::new();
    let mut of = None;
    let mut opened = Vec::with_capacity(hits.len());
    for (at, (hit, list)) in hits.iter().enumerate() {
        if *list != of {
            within.clear();
            of = *list;
        }
        let next = hits.get(at + 1);
        let mut end = next.map_or(text.len(), |(next, _)| next.start).max(hit.label.end);
        let goes_on = kind != LabelKind::Word
            && list.is_some()
            && next.is_some_and(|(next, of)| of == list && next.first() > hit.last());
        let from = ends.partition_point(|(place, _)| *place < hit.label.end);
        for (place, title) in
            ends.get(from..).unwrap_or_default().iter().take_while(|(place, _)| *place < end)
        {
            *steps += 1;
            if goes_on {
                within.insert(title);
            } else if !within.contains(title.as_str()) {
                end = *place;
                break;
            }
        }
        // A heading that overlaps the one before begins where that one ends.
        let start =
            opened.last().map_or(0, |(before, _): &(Range<usize>, Vec<u32>)| before.end).max(hit.start);
        opened.push((start..end.max(start), hit.labels.clone()));
    }
    opened
}

//! Parts below headings of their own: the numbered statements of an impression, or all of it as one part.

use super::find::ends;
use super::headings::{Hit, LabelKind, Scan, in_order};
use crate::rules::{Each, HEADING};
use std::ops::Range;

/// A stretch of text with the numbers of the parts that it is of.
type Stretch = (Range<usize>, Vec<u32>);

/// A heading below which parts are looked for.
struct Section {
    start: usize,
    /// The byte at which its text begins.
    body: usize,
}

/// The parts that open in one section.
enum Opened {
    /// The section as a whole.
    Whole(Range<usize>),
    /// A list of statements, each with the number that it has there, or that its letter means.
    List(LabelKind, Vec<(Range<usize>, u32)>),
}

/// Stretches with the number of the part that each is. The statements of a single list have their own numbers; where several
/// sections have statements, all are counted through from 1 on, because each list begins with 1.
pub(super) fn numbered(text: &str, each: &Each, scan: &mut Scan<'_>) -> (LabelKind, Vec<Stretch>) {
    let sections = sections(text, each, scan);
    let mut hits = Vec::new();
    scan.hits(&each.headings, false, &mut hits);
    let hits = in_order(hits);
    let ends = ends(text, each, &mut scan.steps);
    let uptos = sections.iter().skip(1).map(|next| next.start).chain([text.len()]);
    let opened: Vec<Opened> = sections
        .iter()
        .zip(uptos)
        .filter_map(|(section, upto)| {
            let from = hits.partition_point(|hit| hit.label.start < section.body);
            let to = hits.partition_point(|hit| hit.label.start < upto);
            let from_end = ends.partition_point(|(place, _)| *place < section.body);
            let to_end = ends.partition_point(|(place, _)| *place < upto);
            let here = Here {
                text,
                hits: hits.get(from..to).unwrap_or_default(),
                ends: ends.get(from_end..to_end).unwrap_or_default(),
            };
            scan.steps += (to - from + to_end - from_end) as u64;
            here.open(section, upto)
        })
        .collect();
    let single = match opened.as_slice() {
        [Opened::List(kind, _)] => Some(*kind),
        _ => None,
    };
    let mut through = 0;
    let mut parts = Vec::new();
    for one in opened {
        let stretches = match one {
            Opened::Whole(stretch) => vec![(stretch, 1)],
            Opened::List(_, list) => list,
        };
        for (stretch, own) in stretches {
            through += 1;
            parts.push((stretch, vec![if single.is_some() { own } else { through }]));
        }
    }
    (single.unwrap_or(LabelKind::Number), parts)
}

/// The sections in order; a heading within another one is none.
fn sections(text: &str, each: &Each, scan: &mut Scan<'_>) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for pattern in each.within.iter().filter_map(|pattern| pattern.automaton(text)) {
        for captures in pattern.captures_iter(text) {
            scan.steps += 1;
            let Some(whole) = captures.get_group(0) else { continue };
            let heading = captures.get_group_by_name(HEADING).unwrap_or(whole);
            if !scan.is_excepted(&heading.range()) {
                found.push(Section { start: heading.start, body: whole.end });
            }
        }
    }
    found.sort_by_key(|section| (section.start, section.body));
    let mut body = 0;
    found.retain(|section| {
        let is_free = section.start >= body;
        if is_free {
            body = section.body;
        }
        is_free
    });
    found
}

/// One section's text, with the openings and ends of statements in it.
struct Here<'t> {
    text: &'t str,
    hits: &'t [Hit],
    ends: &'t [(usize, String)],
}

impl Here<'_> {
    fn open(&self, section: &Section, upto: usize) -> Option<Opened> {
        let (kind, list) = self.list(section.body, upto);
        if let [_, _, ..] = list.as_slice() {
            let starts = list.iter().skip(1).map(|(start, ..)| *start);
            let last = list.last().map_or(upto, |(_, label, _)| self.end(label.end, upto));
            let stretches = list.iter().zip(starts.chain([last]));
            let stretches = stretches.map(|((start, _, number), end)| (*start..end.max(*start), *number));
            return Some(Opened::List(kind, stretches.collect()));
        }
        let end = self.end(section.body, upto);
        self.has_words(section.body, end).then_some(Opened::Whole(section.start..end))
    }

    /// The statements: from the first on, in order, as long as no other list begins.
    fn list(&self, body: usize, upto: usize) -> (LabelKind, Vec<(usize, Range<usize>, u32)>) {
        let mut list: Vec<(usize, Range<usize>, u32)> = Vec::new();
        let mut of = LabelKind::Word;
        let first_end = self.end(body, upto);
        for hit in self.hits {
            let (number, last) = (hit.first(), list.last().map(|(.., number)| *number));
            match last {
                None if number == 1 && hit.kind != LabelKind::Word && hit.start < first_end => of = hit.kind,
                // A scanner may have lost one.
                Some(last) if of == hit.kind && (last + 1..=last + 2).contains(&number) => {}
                Some(_) if number == 1 => break,
                _ => continue,
            }
            list.push((hit.start, hit.label.clone(), number));
        }
        (of, list)
    }

    /// The end of the text that begins at `from`: the first heading that is not right there.
    fn end(&self, from: usize, upto: usize) -> usize {
        let at = self.ends.partition_point(|(place, _)| *place < from);
        let mut later = self.ends.iter().skip(at).map(|(place, _)| *place);
        later.find(|place| self.has_words(from, *place)).unwrap_or(upto)
    }

    fn has_words(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|between| between.contains(char::is_alphanumeric))
    }
}

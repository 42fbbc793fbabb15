//! Places in a text at which a document may begin.

use super::super::{Pages, PartRole, Structure};
use super::signs::SectionSigns;
use std::collections::BTreeMap;

/// The most places in one text: a book of reports has some hundreds.
const MOST_BOUNDARIES: usize = 4_096;
/// The longest title, in bytes.
const LONGEST_TITLE: usize = 160;
/// The number of lines after the first line of a head among which another of it stands.
const NEAR_LINES: usize = 6;

/// The number of lines above a title, or the first line of a head, that may belong to it.
const LETTERHEAD_LINES: usize = 2;

/// A place at which a document may begin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Boundary {
    /// The place of its first word, in bytes.
    pub(super) at: usize,
    /// `true` if a page begins here.
    pub(super) page: bool,
    /// The title that stands here.
    pub(super) title: Option<String>,
    /// `true` if a block of lines of a head begins here.
    pub(super) head: bool,
}

/// A line that says something.
struct TextLine<'t> {
    at: usize,
    text: &'t str,
    /// `true` if an empty line, or a page's edge, is before it.
    apart: bool,
}

/// The places at which a document may begin, in order. What is shorter than a section belongs to what follows.
pub(super) fn boundaries(
    text: &str,
    pages: Option<&Pages>,
    structure: &Structure,
    signs: &SectionSigns,
) -> Vec<Boundary> {
    let mut found: BTreeMap<usize, Boundary> = BTreeMap::new();
    let feeds = text.match_indices('\x0c').map(|(feed, _)| feed + 1);
    let starts = pages.into_iter().flat_map(Pages::iter).map(|page| page.text.start);
    for start in feeds.chain(starts).filter_map(|start| first_word(text, start)) {
        mark(&mut found, start, |boundary| boundary.page = true);
    }
    let headings = structure.iter().filter(|part| part.role == PartRole::Heading { level: 1 });
    let headings: Vec<usize> = headings.filter_map(|part| first_word(text, part.text.start)).collect();
    let lines = lines(text);
    let mut paragraph = 0;
    for (number, line) in lines.iter().enumerate() {
        if line.apart {
            paragraph = number;
        }
        // A letterhead may be above them.
        let first =
            lines.get(paragraph).filter(|_| number - paragraph <= LETTERHEAD_LINES).map(|line| line.at);
        let is_heading = headings.binary_search(&line.at).is_ok();
        let is_title = line.text.len() <= LONGEST_TITLE && (is_heading || signs.is_title(line.text));
        if is_title {
            let at = first.filter(|_| !is_heading).unwrap_or(line.at);
            mark(&mut found, at, |boundary| {
                boundary.title.get_or_insert_with(|| line.text.to_owned());
            });
        }
        let is_head = || {
            let near = lines.iter().skip(number + 1).take(NEAR_LINES);
            signs.head(line.text).is_some_and(|(kind, _)| {
                near.filter_map(|line| signs.head(line.text)).any(|(other, _)| other != kind)
            })
        };
        if let Some(first) = first.filter(|_| is_head()) {
            mark(&mut found, first, |boundary| boundary.head = true);
        }
    }
    without_short_ones(text, found.into_values(), signs.least_characters())
}

/// Notes what is seen at a place.
fn mark(found: &mut BTreeMap<usize, Boundary>, at: usize, note: impl FnOnce(&mut Boundary)) {
    if found.len() < MOST_BOUNDARIES || found.contains_key(&at) {
        note(found.entry(at).or_insert_with(|| Boundary { at, ..Boundary::default() }));
    }
}

/// Joins places that are so near that no section is between them.
fn without_short_ones(text: &str, all: impl Iterator<Item = Boundary>, least: usize) -> Vec<Boundary> {
    let mut kept: Vec<Boundary> = Vec::new();
    for next in all {
        let last = kept.last_mut().filter(|last| {
            // A page on which little stands ends what was before, unless it is a title.
            (!next.page || last.title.is_some())
                && !reaches(text.get(last.at..next.at).unwrap_or_default(), least)
        });
        match last {
            Some(last) => {
                last.head |= next.head;
                last.title = last.title.take().or(next.title);
            }
            None => kept.push(next),
        }
    }
    kept
}

/// Returns whether a text has as many characters that are not blank.
fn reaches(text: &str, least: usize) -> bool {
    text.chars().filter(|c| !c.is_whitespace()).nth(least.saturating_sub(1)).is_some()
}

/// The place of the first word at or after `start`.
fn first_word(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    Some(start + rest.find(|c: char| !c.is_whitespace())?)
}

fn lines(text: &str) -> Vec<TextLine<'_>> {
    let mut lines = Vec::new();
    let (mut start, mut apart) = (0, true);
    for line in text.split(['\n', '\r', '\x0c']) {
        let trimmed = line.trim();
        if trimmed.contains(char::is_alphanumeric) {
            let indent = line.len() - line.trim_start().len();
            lines.push(TextLine { at: start + indent, text: trimmed, apart });
            apart = false;
        } else {
            apart = true;
        }
        start += line.len() + 1;
    }
    lines
}

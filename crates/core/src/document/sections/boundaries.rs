//! Places in a text at which a document may begin, with what is seen at each.

use super::super::{DocumentPage, Pages, PartRole, Structure};
use super::labels::{LineLabel, labels_within};
use super::page_look::PageLook;
use super::signs::SectionSigns;
use super::vocabulary;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The most places in one text: a book of reports has some hundreds.
const MOST_BOUNDARIES: usize = 2_048;
/// The longest title, in bytes.
const LONGEST_TITLE: usize = 160;
/// The number of lines after the first line of a head among which another of it stands.
const NEAR_LINES: usize = 6;
/// The number of lines above a title, or the first line of a head, that may belong to it.
const LETTERHEAD_LINES: usize = 2;
/// The number of characters at the edge of a line in which a beginning or an end is looked for.
const EDGE_CHARACTERS: usize = 160;
/// The number of lines at the end of a text in which its end is looked for.
const END_LINES: usize = 3;
/// The number of characters on each side of a place whose words and subjects are compared.
const COMPARED_CHARACTERS: usize = 2_500;
/// The least number of longer words on each side of a place within a page by which they are compared, and at the edge of one: an address
/// shares no word with the letter below it.
const LEAST_WORDS: usize = 16;
const LEAST_PAGE_WORDS: usize = 8;
/// The least length of a line of running text, in bytes.
const SENTENCE_BYTES: usize = 40;
/// The least length of a line that holds a whole report, in bytes, and the number of headings in it.
const WHOLE_REPORT: (usize, usize) = (250, 2);
/// The number of lines at the top and at the end of a page that may be the same on each page of a document.
const RUNNING_LINES: usize = 2;
/// The least number of letters of such a line.
const RUNNING_LETTERS: usize = 8;

/// A place at which a document may begin.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Boundary {
    /// The place of its first word, in bytes.
    pub(super) at: usize,
    /// `true` if a page begins here.
    pub(super) page: bool,
    /// The title that stands here.
    pub(super) title: Option<String>,
    /// `true` if a block of lines of a head begins here.
    pub(super) head: bool,
    /// `true` if a heading stands here with which documents begin.
    pub(super) opening: bool,
    /// `true` if the text before ends as documents do.
    pub(super) ended: bool,
    /// `true` if a line of dashes or several empty lines are before it.
    pub(super) apart: bool,
    /// `true` if a continuation of the text before begins here: the rest of a sentence, an appendix, an older message.
    pub(super) continues: bool,
    /// `true` if the text before ends with a heading, to which what follows belongs.
    pub(super) dangling: bool,
    /// `true` if a heading or label stands here.
    pub(super) heading: bool,
    /// `true` if a page begins here, and the last sentence of the one before has no end.
    pub(super) unfinished: bool,
    /// `true` if the text before and after it speaks of the same kind of subject, `false` if of another; `None` if one does not tell.
    pub(super) same_subject: Option<bool>,
    /// The share of words that the text after it has of those before it; `None` if one is too short to tell.
    pub(super) shared_words: Option<f64>,
    /// The number of sides, before and after it, on which one line holds the headings of a report.
    pub(super) report_lines: u8,
    /// `true` if a page begins here that has another size than the one before.
    pub(super) other_size: bool,
    /// The number of traits, of three, in which the print of the page that begins here differs from that of the page before; `None` if one of
    /// them does not tell.
    pub(super) print_differences: Option<u8>,
    /// `true` if a page begins here with the running head or foot of the one before, or a line stands here that begins at other places,
    /// too.
    pub(super) running: bool,
}

impl Boundary {
    /// Returns whether a page, a title or a head begins here, and not only a paragraph.
    pub(super) fn is_marked(&self) -> bool {
        self.page || self.title.is_some() || self.head
    }
}

/// The space before a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    /// An empty line.
    Empty,
    /// Several empty lines, a line of dashes, or the edge of a page.
    Wide,
}

/// A line that says something.
struct TextLine<'t> {
    at: usize,
    text: &'t str,
    gap: Gap,
}

/// The places at which a document may begin, in order.
pub(super) fn boundaries(
    text: &str,
    pages: Option<&Pages>,
    structure: &Structure,
    signs: &SectionSigns,
    labels: &[LineLabel],
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
        if line.gap != Gap::None {
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
    // Last, so that a long text keeps its pages, titles and heads.
    for line in lines.iter().filter(|line| line.gap != Gap::None) {
        mark(&mut found, line.at, |_| ());
    }
    let mut found: Vec<Boundary> = found.into_values().collect();
    note_surroundings(&mut found, text, &lines, signs, labels);
    note_repeated_lines(&mut found, text);
    note_pages(&mut found, text, pages);
    found
}

/// Notes what is seen at a place.
fn mark(found: &mut BTreeMap<usize, Boundary>, at: usize, note: impl FnOnce(&mut Boundary)) {
    if found.len() < MOST_BOUNDARIES || found.contains_key(&at) {
        note(found.entry(at).or_insert_with(|| Boundary { at, ..Boundary::default() }));
    }
}

/// Returns whether a line of running text ends within a sentence.
fn breaks_off(line: &str) -> bool {
    line.len() >= SENTENCE_BYTES && line.ends_with(|c: char| c.is_alphabetic() || matches!(c, ',' | '-'))
}

fn begins_within_sentence(line: &str) -> bool {
    line.starts_with(|c: char| c.is_lowercase() || matches!(c, ',' | ';' | ')' | '>'))
}

/// Notes how the text before each place ends, and how it continues there.
fn note_surroundings(
    found: &mut [Boundary],
    text: &str,
    lines: &[TextLine<'_>],
    signs: &SectionSigns,
    labels: &[LineLabel],
) {
    let holds_report = |line: &TextLine<'_>| {
        let (least, headings) = WHOLE_REPORT;
        let own = || labels_within(labels, line.at..line.at + line.text.len()).len();
        line.text.len() >= least && own() >= headings
    };
    for boundary in found {
        let number = lines.partition_point(|line| line.at < boundary.at);
        let before = lines.get(..number).unwrap_or_default();
        let Some(line) = lines.get(number) else { continue };
        boundary.apart = line.gap == Gap::Wide;
        let next = lines.get(number + 1).filter(|second| second.gap == Gap::None);
        let top = [Some(line), next].into_iter().flatten().map(|line| start_of(line.text));
        boundary.opening = top.clone().any(|line| signs.is_opening(line));
        let is_named = boundary.title.is_some() || boundary.head;
        boundary.continues = (!is_named && begins_within_sentence(line.text))
            || top.chain(before.last().map(|line| line.text)).any(|line| signs.is_continuation(line));
        let last = labels.partition_point(|label| label.at < boundary.at).checked_sub(1);
        let last = last.and_then(|last| labels.get(last));
        let is_closing = last.is_some_and(|label| signs.is_last_heading(&label.text));
        let end_line = before.last().map(|line| line.text);
        let mut end = before.iter().rev().take(END_LINES).map(|line| end_of(line.text));
        let has_ending = end.any(|line| signs.is_ending(line));
        boundary.ended = is_closing || has_ending;
        let is_heading = last
            .is_some_and(|label| label.is_all_of(text.get(label.at..boundary.at).unwrap_or_default()))
            || before
                .last()
                .is_some_and(|line| line.text.len() <= LONGEST_TITLE && signs.is_title(line.text));
        // The line above a heading may be the end of a document, which the heading is not part of.
        boundary.dangling = is_heading && !end_line.is_some_and(|line| signs.is_ending(end_of(line)));
        boundary.heading = labels.binary_search_by_key(&boundary.at, |label| label.at).is_ok();
        boundary.unfinished = boundary.page && before.last().is_some_and(|line| breaks_off(line.text));
        let (one, other) = around(text, boundary.at);
        boundary.same_subject = signs.subject(one).and_then(|one| Some(one == signs.subject(other)?));
        let least = if boundary.page { LEAST_PAGE_WORDS } else { LEAST_WORDS };
        boundary.shared_words = vocabulary::shared(one, other, least);
        let sides = [Some(line), before.last()];
        boundary.report_lines = sides.into_iter().flatten().map(|line| u8::from(holds_report(line))).sum();
    }
}

/// Notes the places within pages at which a line stands that begins at another place, too, as at the foot of each page of a text without edges.
fn note_repeated_lines(found: &mut [Boundary], text: &str) {
    let first_line = |boundary: &Boundary| {
        let line = text.get(boundary.at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        Some(plain(line)).filter(|line| line.len() >= RUNNING_LETTERS)
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in found.iter().filter_map(first_line) {
        *counts.entry(line).or_default() += 1;
    }
    for boundary in found.iter_mut().filter(|boundary| !boundary.page) {
        let is_named = boundary.title.is_some() || boundary.heading || boundary.opening || boundary.head;
        boundary.running = !is_named
            && first_line(boundary).is_some_and(|line| counts.get(&line).is_some_and(|count| *count > 1));
    }
}

/// The letters of a line.
fn plain(line: &str) -> String {
    line.chars().filter(|c| c.is_alphabetic()).collect()
}

/// Notes how each page differs from the one before.
fn note_pages(found: &mut [Boundary], text: &str, pages: Option<&Pages>) {
    let pages: Vec<&DocumentPage> = pages.into_iter().flat_map(Pages::iter).collect();
    let starts: Vec<usize> =
        found.iter().filter(|boundary| boundary.page).map(|boundary| boundary.at).collect();
    let mut before = 0;
    for boundary in found.iter_mut().filter(|boundary| boundary.page) {
        let end = starts.iter().find(|start| **start > boundary.at).copied().unwrap_or(text.len());
        let own = running_lines(text, boundary.at..end);
        boundary.running = running_lines(text, before..boundary.at).iter().any(|line| own.contains(line));
        let number = pages.iter().position(|page| page.text.contains(&boundary.at));
        let pair = number.and_then(|number| Some((pages.get(number.checked_sub(1)?)?, pages.get(number)?)));
        boundary.other_size = pair.is_some_and(|(one, other)| !is_same_size(one, other));
        boundary.print_differences = pair
            .and_then(|(one, other)| Some(PageLook::of(one, text)?.differences(PageLook::of(other, text)?)));
        before = boundary.at;
    }
}

/// Returns whether two pages have the same size, upright or not.
fn is_same_size(one: &DocumentPage, other: &DocumentPage) -> bool {
    const NEAR: f32 = 6.0;
    let sides = |page: &DocumentPage| (page.width.min(page.height), page.width.max(page.height));
    let ((a, b), (c, d)) = (sides(one), sides(other));
    (a - c).abs() < NEAR && (b - d).abs() < NEAR
}

/// The first and last lines of a page, without digits.
fn running_lines(text: &str, page: Range<usize>) -> Vec<String> {
    let own = text.get(page).unwrap_or_default();
    let lines: Vec<&str> =
        own.lines().map(str::trim).filter(|line| line.contains(char::is_alphanumeric)).collect();
    let edges = lines.iter().take(RUNNING_LINES).chain(lines.iter().rev().take(RUNNING_LINES));
    edges.map(|line| plain(line)).filter(|line| line.len() >= RUNNING_LETTERS).collect()
}

/// The text on both sides of a place, as far as it is compared.
fn around(text: &str, at: usize) -> (&str, &str) {
    let (before, after) = text.split_at_checked(at).unwrap_or_default();
    let start = before.char_indices().rev().nth(COMPARED_CHARACTERS).map_or(0, |(start, _)| start);
    let end = after.char_indices().nth(COMPARED_CHARACTERS).map_or(after.len(), |(end, _)| end);
    (before.get(start..).unwrap_or_default(), after.get(..end).unwrap_or_default())
}

fn start_of(line: &str) -> &str {
    line.char_indices().nth(EDGE_CHARACTERS).and_then(|(end, _)| line.get(..end)).unwrap_or(line)
}

fn end_of(line: &str) -> &str {
    line.char_indices().rev().nth(EDGE_CHARACTERS).and_then(|(start, _)| line.get(start..)).unwrap_or(line)
}

/// The place of the first word at or after `start`.
fn first_word(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    Some(start + rest.find(|c: char| !c.is_whitespace())?)
}

fn lines(text: &str) -> Vec<TextLine<'_>> {
    let mut lines = Vec::new();
    let (mut start, mut gap) = (0, Gap::Wide);
    for line in text.split_inclusive(['\n', '\r', '\x0c']) {
        let trimmed = line.trim();
        if trimmed.contains(char::is_alphanumeric) {
            let indent = line.len() - line.trim_start().len();
            lines.push(TextLine { at: start + indent, text: trimmed, gap });
            gap = Gap::None;
        } else if trimmed.contains(['|', '+']) {
            // The rule within a table, which is no line of dashes between documents.
        } else if line != "\n" || !text.get(..start).is_some_and(|before| before.ends_with('\r')) {
            gap = if gap == Gap::None && trimmed.len() < 3 { Gap::Empty } else { Gap::Wide };
        }
        if line.ends_with('\x0c') {
            gap = Gap::Wide;
        }
        start += line.len();
    }
    lines
}

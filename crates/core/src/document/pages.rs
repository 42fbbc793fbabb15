//! Pages of a document: where on them the words of its text are seen.

use super::page_origin::PageOrigin;
use super::{GateFinding, PageSignals};
use crate::profile::{GateStep, PageGate};
use crate::value::prose::list;
use crate::value::{PageBox, PagePassage};
use serde::de::{self, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Range;

/// The pages of a document, with the location of each word of its text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pages(Vec<DocumentPage>);

/// A page, as it is seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentPage {
    /// Its width in points, 72 to an inch.
    pub width: f32,
    /// Its height in points.
    pub height: f32,
    /// The bytes of the document's text that come from it.
    pub text: Range<usize>,
    /// Its words, in the order of the text.
    pub words: Vec<PageWord>,
    /// `true` if it shows a picture and no text: nothing is known of what it says.
    pub is_picture: bool,
    /// Numbers that tell how well it can be read.
    #[serde(default)]
    pub signals: PageSignals,
    /// The signals beyond the bounds of the profile that it was read for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<GateFinding>,
    /// The origin of its words.
    #[serde(default, skip_serializing_if = "PageOrigin::is_text_layer")]
    pub origin: PageOrigin,
    /// `true` if it belongs to another section of the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_elsewhere: bool,
}

/// A word of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageWord {
    /// The bytes of the document's text, from `start` up to `end`.
    start: u32,
    end: u32,
    bounds: PageBox,
    /// The confidence of the OCR that read it.
    confidence: Option<u8>,
}

impl Pages {
    /// These pages, in order.
    #[must_use]
    pub fn new(pages: Vec<DocumentPage>) -> Self {
        Pages(pages)
    }

    /// Returns the number of pages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pages, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, DocumentPage> {
        self.0.iter()
    }

    /// As many pages, of which nothing else is known.
    #[must_use]
    pub fn unread(count: usize) -> Self {
        Pages(vec![DocumentPage { is_picture: true, ..DocumentPage::default() }; count])
    }

    /// The numbers of the document's own pages, from 1. Those of a section are numbers in its file.
    #[must_use]
    pub fn numbers(&self) -> Vec<usize> {
        self.numbers_where(|page| !page.is_elsewhere)
    }

    /// The numbers of the pages that were not read, or not well enough: those that [`Pages::doubts`] names.
    #[must_use]
    pub fn doubtful_pages(&self) -> Vec<usize> {
        self.numbers_where(|page| page.is_picture || !page.findings.is_empty())
    }

    fn numbers_where(&self, counts: impl Fn(&DocumentPage) -> bool) -> Vec<usize> {
        (1..).zip(&self.0).filter(|(_, page)| counts(page)).map(|(number, _)| number).collect()
    }

    /// Clauses about the pages that were not read, or not well enough: pictures without text, and those that the gate found
    /// fault with; `None` if there are none.
    #[must_use]
    pub fn doubts(&self) -> Option<String> {
        let clauses: Vec<String> = self.pictures().into_iter().chain(self.findings()).collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }

    /// A clause that names the pages that show a picture and no text.
    fn pictures(&self) -> Option<String> {
        let pictures = self.numbers_where(|page| page.is_picture);
        let numbers: Vec<String> = pictures.iter().map(usize::to_string).collect();
        match numbers.as_slice() {
            [] => None,
            [one] => Some(format!("page {one} shows only a picture, of which no text is read")),
            several => {
                Some(format!("pages {} show only pictures, of which no text is read", list(several, "and")))
            }
        }
    }

    /// Clauses about the pages that the gate found fault with, and that are more than pictures.
    fn findings(&self) -> impl Iterator<Item = String> {
        self.clauses(|page, _| !page.is_picture)
    }

    /// Clauses about the pages by which a document fails; `None` if there are none.
    #[must_use]
    pub fn failures(&self) -> Option<String> {
        let clauses: Vec<String> = self.clauses(|_, finding| finding.then == GateStep::Fail).collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }

    /// A clause about each page that has such findings.
    fn clauses(&self, counts: impl Fn(&DocumentPage, &GateFinding) -> bool) -> impl Iterator<Item = String> {
        (1..).zip(&self.0).filter_map(move |(number, page): (usize, _)| {
            let findings = page.findings.iter().filter(|finding| counts(page, finding));
            let clauses: Vec<String> = findings.map(GateFinding::clause).collect();
            (!clauses.is_empty()).then(|| format!("page {number}: {}", list(&clauses, "and")))
        })
    }

    /// These pages, with what a gate finds about them.
    #[must_use]
    pub fn held_against(mut self, gate: &PageGate) -> Self {
        for page in &mut self.0 {
            page.findings = page.signals.held_against(gate);
        }
        self
    }

    /// The pages of a section of the text, with its words alone. Pages keep their numbers.
    #[must_use]
    pub fn within(&self, text: &Range<usize>) -> Self {
        let shifted = |at: usize| at.clamp(text.start, text.end) - text.start;
        let pages = self.0.iter().map(|page| {
            // A page without text may be of the section before it or after it: it is one of both.
            let is_apart = if page.text.is_empty() {
                page.text.start < text.start || page.text.start > text.end
            } else {
                page.text.end <= text.start || page.text.start >= text.end
            };
            let words = page.words.iter().filter(|word| {
                let own = word.text();
                own.start >= text.start && own.end <= text.end
            });
            let moved = |word: &PageWord| {
                let own = word.text();
                let start = u32::try_from(shifted(own.start)).unwrap_or(u32::MAX);
                let end = u32::try_from(shifted(own.end)).unwrap_or(u32::MAX);
                PageWord { start, end, ..*word }
            };
            DocumentPage {
                text: shifted(page.text.start)..shifted(page.text.end),
                words: words.map(moved).collect(),
                is_picture: page.is_picture && !is_apart,
                findings: if is_apart { Vec::new() } else { page.findings.clone() },
                origin: page.origin.within(text),
                is_elsewhere: page.is_elsewhere || is_apart,
                ..page.clone()
            }
        });
        Pages(pages.collect())
    }

    /// The locations of a passage, given by its bytes in the text: an entry for each page that has words of it.
    #[must_use]
    pub fn passages(&self, text: Range<usize>) -> Vec<PagePassage> {
        let first = self.0.partition_point(|page| page.text.end <= text.start);
        let pages = self.0.iter().enumerate().skip(first);
        pages
            .take_while(|(_, page)| page.text.start < text.end)
            .map(|(at, page)| PagePassage { page: at + 1, boxes: page.boxes(&text) })
            .filter(|passage| !passage.boxes.is_empty())
            .collect()
    }
}

impl DocumentPage {
    /// The boxes of the words that a passage touches, joined on each line.
    fn boxes(&self, text: &Range<usize>) -> Vec<PageBox> {
        let mut boxes: Vec<PageBox> = Vec::new();
        for word in self.words_in(text) {
            match boxes.last_mut() {
                Some(last) if last.is_on_line_of(&word.bounds) => *last = last.union(&word.bounds),
                _ => boxes.push(word.bounds),
            }
        }
        boxes
    }

    /// The words that a passage touches.
    pub(super) fn words_in(&self, text: &Range<usize>) -> impl Iterator<Item = &PageWord> {
        let first = self.words.partition_point(|word| word.text().end <= text.start);
        self.words.iter().skip(first).take_while(|word| word.text().start < text.end)
    }
}

impl PageWord {
    /// A word of these bytes of the text; `None` if the text is longer than any document.
    #[must_use]
    pub fn new(text: Range<usize>, bounds: PageBox) -> Option<Self> {
        let (start, end) = (text.start.try_into().ok()?, text.end.try_into().ok()?);
        Some(PageWord { start, end, bounds, confidence: None })
    }

    /// This word, read by OCR with a confidence from 0 to 100.
    #[must_use]
    pub fn with_confidence(self, percent: u8) -> Self {
        PageWord { confidence: Some(percent.min(100)), ..self }
    }

    /// The confidence of the OCR that read it, from 0 to 100; `None` for a word of a text layer.
    #[must_use]
    pub fn confidence(&self) -> Option<u8> {
        self.confidence
    }

    /// Its bytes in the document's text.
    #[must_use]
    pub fn text(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Its location on the page.
    #[must_use]
    pub fn bounds(&self) -> PageBox {
        self.bounds
    }
}

/// Written as `[start, end, [left, top, width, height]]`, and its confidence as a fourth entry if it has one.
impl Serialize for PageWord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PageBox { left, top, width, height } = self.bounds;
        let mut written = serializer.serialize_tuple(3 + usize::from(self.confidence.is_some()))?;
        written.serialize_element(&self.start)?;
        written.serialize_element(&self.end)?;
        written.serialize_element(&[left, top, width, height])?;
        if let Some(confidence) = self.confidence {
            written.serialize_element(&confidence)?;
        }
        written.end()
    }
}

impl<'de> Deserialize<'de> for PageWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(WordVisitor)
    }
}

struct WordVisitor;

impl<'de> Visitor<'de> for WordVisitor {
    type Value = PageWord;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a word: its first byte, the byte after it, its box and perhaps a confidence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut written: A) -> Result<PageWord, A::Error> {
        let missing = |at| de::Error::invalid_length(at, &self);
        let start = written.next_element()?.ok_or_else(|| missing(0))?;
        let end = written.next_element()?.ok_or_else(|| missing(1))?;
        let [left, top, width, height] = written.next_element()?.ok_or_else(|| missing(2))?;
        let bounds = PageBox { left, top, width, height };
        Ok(PageWord { start, end, bounds, confidence: written.next_element()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: Range<usize>, left: f32, top: f32) -> PageWord {
        PageWord::new(text, PageBox { left, top, width: 20.0, height: 10.0 }).unwrap()
    }

    fn two_pages() -> Pages {
        // "grade two\nmargins free\x0cpage two"
        let first = vec![
            word(0..5, 10.0, 10.0),
            word(6..9, 40.0, 10.0),
            word(10..17, 10.0, 30.0),
            word(18..22, 40.0, 30.0),
        ];
        let second = vec![word(23..27, 10.0, 10.0), word(28..31, 40.0, 10.0)];
        let page = |text, words| DocumentPage {
            width: 100.0,
            height: 200.0,
            text,
            words,
            ..DocumentPage::default()
        };
        Pages::new(vec![page(0..23, first), page(23..31, second)])
    }

    #[test]
    fn a_passage_has_a_box_for_each_line_of_each_page() {
        let pages = two_pages();
        let boxes = |text| -> Vec<(usize, Vec<[f32; 4]>)> {
            let of = |b: &PageBox| [b.left, b.top, b.width, b.height];
            pages.passages(text).iter().map(|p| (p.page, p.boxes.iter().map(of).collect())).collect()
        };
        assert_eq!(boxes(7..8), [(1, vec![[40.0, 10.0, 20.0, 10.0]])]);
        assert_eq!(
            boxes(0..24),
            [
                (1, vec![[10.0, 10.0, 50.0, 10.0], [10.0, 30.0, 50.0, 10.0]]),
                (2, vec![[10.0, 10.0, 20.0, 10.0]])
            ]
        );
    }

    #[test]
    fn a_section_keeps_the_numbers_of_pages_and_the_boxes_of_its_words() {
        let section = two_pages().within(&(23..31));
        assert_eq!(section.len(), 2);
        let found = section.passages(0..4);
        assert_eq!(found, two_pages().passages(23..27));
        assert_eq!(found.first().unwrap().page, 2);
        assert_eq!((section.numbers(), two_pages().numbers()), (vec![2], vec![1, 2]));
        assert_eq!(two_pages().within(&(0..10)).passages(5..9), two_pages().passages(5..9));
    }

    #[test]
    fn a_picture_between_two_sections_is_a_page_of_both() {
        let page = |text: Range<usize>| DocumentPage {
            is_picture: text.is_empty(),
            text,
            ..DocumentPage::default()
        };
        // "one\x0c" "\x0c" "three"
        let pages = Pages::new(vec![page(0..3), page(4..4), page(5..10)]);
        for section in [0..4, 4..10] {
            assert_eq!(pages.within(&section).doubtful_pages(), [2], "{section:?}");
        }
        assert_eq!(pages.within(&(5..10)).numbers(), [3]);
    }

    #[test]
    fn pages_that_are_pictures_are_named() {
        let pages = |pictures: &[bool]| {
            let page = |&is_picture| DocumentPage { is_picture, ..DocumentPage::default() };
            Pages::new(pictures.iter().map(page).collect()).pictures()
        };
        assert_eq!(Pages::unread(2).doubtful_pages(), [1, 2]);
        assert_eq!(pages(&[false, false]), None);
        assert_eq!(pages(&[false, true]).unwrap(), "page 2 shows only a picture, of which no text is read");
        assert_eq!(
            pages(&[true, false, true]).unwrap(),
            "pages 1 and 3 show only pictures, of which no text is read"
        );
    }

    #[test]
    fn a_passage_of_blanks_and_one_beyond_the_text_are_on_no_page() {
        assert_eq!(two_pages().passages(5..6), []);
        assert_eq!(two_pages().passages(40..50), []);
        assert_eq!(Pages::default().passages(0..5), []);
    }

    #[test]
    fn a_word_is_written_as_numbers_and_read_again() {
        let text = serde_json::to_string(&two_pages()).unwrap();
        assert!(text.contains("[0,5,[10.0,10.0,20.0,10.0]]"), "{text}");
        assert_eq!(serde_json::from_str::<Pages>(&text).unwrap(), two_pages());
    }
}

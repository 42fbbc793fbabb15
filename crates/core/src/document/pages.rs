//! Pages of a document: where on them the words of its text are seen.

use crate::value::prose::list;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The pages of a document, with the location of each word of its text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pages(Vec<DocumentPage>);

/// A page, as it is seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
}

/// A word of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, [f32; 4])", into = "(u32, u32, [f32; 4])")]
pub struct PageWord {
    /// The bytes of the document's text, from `start` up to `end`.
    start: u32,
    end: u32,
    bounds: PageBox,
}

/// A rectangle on a page, in points from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageBox {
    /// The distance from the page's left edge.
    pub left: f32,
    /// The distance from the page's top edge.
    pub top: f32,
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
}

/// A passage of the text as it is seen on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PagePassage {
    /// The number of the page, from 1.
    pub page: usize,
    /// The boxes that cover it, one for each line.
    pub boxes: Vec<PageBox>,
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

    /// A clause that names the pages that show a picture and no text; `None` if there is none.
    #[must_use]
    pub fn pictures(&self) -> Option<String> {
        let pictures = (1..).zip(&self.0).filter(|(_, page)| page.is_picture);
        let numbers: Vec<String> = pictures.map(|(number, _): (usize, _)| number.to_string()).collect();
        match numbers.as_slice() {
            [] => None,
            [one] => Some(format!("page {one} shows only a picture, of which no text is read")),
            several => {
                Some(format!("pages {} show only pictures, of which no text is read", list(several, "and")))
            }
        }
    }

    /// The pages of a section of the text, with its words alone. Pages keep their numbers.
    #[must_use]
    pub fn within(&self, text: &Range<usize>) -> Self {
        let shifted = |at: usize| at.clamp(text.start, text.end) - text.start;
        let pages = self.0.iter().map(|page| {
            let is_apart = page.text.end <= text.start || page.text.start >= text.end;
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
        let first = self.words.partition_point(|word| word.text().end <= text.start);
        let words = self.words.iter().skip(first).take_while(|word| word.text().start < text.end);
        let mut boxes: Vec<PageBox> = Vec::new();
        for word in words {
            match boxes.last_mut() {
                Some(last) if last.is_on_line_of(&word.bounds) => *last = last.union(&word.bounds),
                _ => boxes.push(word.bounds),
            }
        }
        boxes
    }
}

impl PageWord {
    /// A word of these bytes of the text; `None` if the text is longer than any document.
    #[must_use]
    pub fn new(text: Range<usize>, bounds: PageBox) -> Option<Self> {
        Some(PageWord { start: text.start.try_into().ok()?, end: text.end.try_into().ok()?, bounds })
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

impl From<(u32, u32, [f32; 4])> for PageWord {
    fn from((start, end, [left, top, width, height]): (u32, u32, [f32; 4])) -> Self {
        PageWord { start, end, bounds: PageBox { left, top, width, height } }
    }
}

impl From<PageWord> for (u32, u32, [f32; 4]) {
    fn from(word: PageWord) -> Self {
        let PageBox { left, top, width, height } = word.bounds;
        (word.start, word.end, [left, top, width, height])
    }
}

impl PageBox {
    /// Returns whether another box, further on in the text, continues the line of this one.
    fn is_on_line_of(&self, next: &Self) -> bool {
        let shared = (self.top + self.height).min(next.top + next.height) - self.top.max(next.top);
        shared > 0.5 * self.height.min(next.height)
    }

    fn union(&self, other: &Self) -> Self {
        let (left, top) = (self.left.min(other.left), self.top.min(other.top));
        let right = (self.left + self.width).max(other.left + other.width);
        let bottom = (self.top + self.height).max(other.top + other.height);
        PageBox { left, top, width: right - left, height: bottom - top }
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
        let page = |text, words| DocumentPage { width: 100.0, height: 200.0, text, words, is_picture: false };
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
        assert_eq!(two_pages().within(&(0..10)).passages(5..9), two_pages().passages(5..9));
    }

    #[test]
    fn pages_that_are_pictures_are_named() {
        let pages = |pictures: &[bool]| {
            let page =
                |&is_picture| DocumentPage { width: 1.0, height: 1.0, text: 0..0, words: vec![], is_picture };
            Pages::new(pictures.iter().map(page).collect()).pictures()
        };
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

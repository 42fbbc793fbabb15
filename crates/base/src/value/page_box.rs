//! Rectangles on the pages of a document, and passages as they are seen there.

use serde::{Deserialize, Serialize};

/// A rectangle on a page, in points from its top left corner. It is written as `[left, top, width, height]`, in
/// hundredths of a point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f32; 4]", into = "[f64; 4]")]
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

/// A passage of a document's text as it is seen on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PagePassage {
    /// The number of the page, from 1.
    pub page: usize,
    /// The boxes that cover it, one for each line.
    pub boxes: Vec<PageBox>,
}

impl PageBox {
    /// Returns whether another box, further on in the text, continues the line of this one.
    #[must_use]
    pub fn is_on_line_of(&self, next: &Self) -> bool {
        let shared = (self.top + self.height).min(next.top + next.height) - self.top.max(next.top);
        shared > 0.5 * self.height.min(next.height)
    }

    /// The smallest rectangle that covers this one and another.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (left, top) = (self.left.min(other.left), self.top.min(other.top));
        let right = (self.left + self.width).max(other.left + other.width);
        let bottom = (self.top + self.height).max(other.top + other.height);
        PageBox { left, top, width: right - left, height: bottom - top }
    }
}

impl From<[f32; 4]> for PageBox {
    fn from([left, top, width, height]: [f32; 4]) -> Self {
        PageBox { left, top, width, height }
    }
}

impl From<PageBox> for [f64; 4] {
    fn from(PageBox { left, top, width, height }: PageBox) -> Self {
        // As `f64`: a JSON number that is made of an `f32` shows the digits that the smaller type lacks.
        [left, top, width, height].map(|points| (f64::from(points) * 100.0).round() / 100.0)
    }
}

/// The pages of some passages in words: `page 2`, `pages 2 and 3`; `None` where there are none.
#[must_use]
pub fn pages_in_words(places: &[PagePassage]) -> Option<String> {
    page_numbers_in_words(&places.iter().map(|place| place.page).collect::<Vec<_>>())
}

/// Some numbers of pages in words, as [`pages_in_words`] has them.
#[must_use]
pub fn page_numbers_in_words(pages: &[usize]) -> Option<String> {
    let numbers: Vec<String> = pages.iter().map(usize::to_string).collect();
    match numbers.as_slice() {
        [] => None,
        [one] => Some(format!("page {one}")),
        several => Some(format!("pages {}", super::prose::list(several, "and"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_written_in_hundredths_of_a_point_and_read_again() {
        let boxes = vec![PageBox { left: 10.123_456, top: 0.1, width: 20.0, height: 11.999 }];
        let written = serde_json::to_value(PagePassage { page: 2, boxes }).unwrap();
        assert_eq!(written, serde_json::json!({ "page": 2, "boxes": [[10.12, 0.1, 20.0, 12.0]] }));
        let read: PagePassage = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), written);
    }

    #[test]
    fn pages_are_named_in_words() {
        let on = |pages: &[usize]| {
            let places: Vec<PagePassage> =
                pages.iter().map(|&page| PagePassage { page, boxes: Vec::new() }).collect();
            pages_in_words(&places)
        };
        assert_eq!(on(&[]), None);
        assert_eq!(on(&[2]).unwrap(), "page 2");
        assert_eq!(on(&[2, 3]).unwrap(), "pages 2 and 3");
    }
}

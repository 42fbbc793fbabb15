//! The look of the print of a page: pages of one document are set alike.

use super::super::DocumentPage;

/// The least number of words of running text that tell how a page looks.
const LEAST_WORDS: usize = 25;
/// The least number of letters of such a word.
const LEAST_LETTERS: u16 = 3;
/// The share by which the heights of equal print differ.
const NEAR_HEIGHT: f32 = 0.02;
/// The share by which the widths of letters of equal print differ.
const NEAR_WIDTH: f32 = 0.1;
/// The distance of equal margins, in points.
const NEAR_MARGIN: f32 = 8.0;

/// The print in which most of a page is set. Words that were read from a picture have no look: their boxes end where their ink does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PageLook {
    /// The height of its words, in points.
    height: f32,
    /// The width of its letters, as a share of that height.
    letter_width: f32,
    /// The left edge of most of its lines, in points.
    margin: f32,
}

impl PageLook {
    /// The look of a page of a document's text; `None` if it has too few words to tell.
    pub(super) fn of(page: &DocumentPage, text: &str) -> Option<Self> {
        let mut words: Vec<(f32, f32)> = Vec::new();
        let mut edges: Vec<f32> = Vec::new();
        let mut before = None;
        for word in &page.words {
            if word.confidence().is_some() {
                return None;
            }
            let bounds = word.bounds();
            // A word to the left of the one before it begins a line.
            if before.is_none_or(|left| bounds.left < left) {
                edges.push(bounds.left);
            }
            before = Some(bounds.left);
            let word = text.get(word.text()).filter(|word| word.chars().all(char::is_lowercase));
            let letters = word.and_then(|word| u16::try_from(word.chars().count()).ok());
            if let Some(letters) = letters.filter(|letters| *letters >= LEAST_LETTERS)
                && bounds.height > 0.0
            {
                words.push((bounds.height, bounds.width / (f32::from(letters) * bounds.height)));
            }
        }
        if words.len() < LEAST_WORDS {
            return None;
        }
        let height = median(words.iter().map(|(height, _)| *height).collect())?;
        let of_height = words.iter().filter(|(other, _)| is_near(height, *other, NEAR_HEIGHT));
        let letter_width = median(of_height.map(|(_, width)| *width).collect())?;
        Some(PageLook { height, letter_width, margin: commonest(edges)? })
    }

    /// The number of traits, of three, in which two pages differ.
    pub(super) fn differences(self, other: PageLook) -> u8 {
        [
            !is_near(self.height, other.height, NEAR_HEIGHT),
            !is_near(self.letter_width, other.letter_width, NEAR_WIDTH),
            (self.margin - other.margin).abs() > NEAR_MARGIN,
        ]
        .map(u8::from)
        .iter()
        .sum()
    }
}

fn is_near(one: f32, other: f32, share: f32) -> bool {
    (one - other).abs() <= share * one.max(other)
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The value after which the most others come within the distance of equal margins.
fn commonest(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    let followers = |first: f32| values.partition_point(|value| *value <= first + NEAR_MARGIN);
    let counts = values.iter().enumerate().map(|(number, value)| (followers(*value) - number, *value));
    counts.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, value)| value)
}
